"""Supports that move: motions as tables, and what they do to the equations of motion.

A support's coordinate is a known function of time. What moves it, displacement or acceleration, becomes at assembly a
curve of which position, velocity and acceleration are known together: either pieces

    d = d_k + v_k s + a_k s^2 / 2 + j_k s^3 / 6,   s = t - t_k

(a record of accelerations that is straight between its samples, integrated twice, is exactly that, and so is a cubic
Hermite table) or a wave d = c_0 + c_1 t + c_2 t^2 / 2 + A sin(w t + phase). The knots between pieces are breaks, onto
which runs step as onto those of loads. What known accelerations do to the equations is in
`taut.mechanics.operations.motion`.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

import numpy as np

from taut.mechanics.kinds import Given, Imposed
from taut.mechanics.tables import constants_in, coordinate_count, part_of, slot, work_in
from taut.numerics.compiled import kernel
from taut.numerics.curves import three_point_slopes
from taut.numerics.lanes import one
from taut.numerics.packing import Integers, Pack, Reals, empty, reader, size_of
from taut.structure.motions import moved_nodes
from taut.structure.records import AXES
from taut.structure.scenario import Constant, Doublet, Motion, SampledSignal, Signal, Sinusoid
from taut.structure.structure import Structure


class Supports(NamedTuple):
    """Held coordinates that move as time says; empty where all supports stand still."""

    first: Integers  # (s + 1,) where each of s motions begins in the next two
    coordinate: Integers  # what it moves
    place: Reals  # where that is without any motion [m]
    kind: Integers  # (s,)
    start: Integers  # (s,) where its numbers begin in `data`
    data: Reals


supports_in = reader(Supports, slot("supports"))
MOTIONS = part_of("supports", Supports, "kind")

PIECES, WAVE = 0, 1

Piece = tuple[float, float, float, float, float]
"""t_k [s], d_k [m], v_k [m/s], a_k [m/s^2], j_k [m/s^3]. The first one reaches back for ever, the last one on."""


def tabulated_motions(structure: Structure, motions: Sequence[Motion]) -> tuple[Supports, list[float]]:
    """The tables of motions that have passed their checks, and the times at which they are not smooth."""
    index = {node: 3 * i for i, node in enumerate(structure.nodes)}
    shape = structure.positions.ravel()
    first, kinds, starts = [0], list[int](), list[int]()
    coordinates, numbers, knots = list[int](), list[float](), list[float]()
    for motion in motions:
        coordinates += [index[node] + AXES.index(motion.axis) for node in moved_nodes(structure, motion)]
        first.append(len(coordinates))
        starts.append(len(numbers))
        curve = _curve(motion)
        if isinstance(curve, tuple):
            kinds.append(WAVE)
            numbers += curve
        else:
            kinds.append(PIECES)
            numbers += [float(len(curve)), *(number for column in zip(*curve, strict=True) for number in column)]
            knots += [piece[0] for piece in curve[1:]]
    if not motions:
        return empty(Supports), []
    places = np.array(coordinates, dtype=np.int64)
    return Supports(
        first=np.array(first, dtype=np.int64),
        coordinate=places,
        place=shape[places],
        kind=np.array(kinds, dtype=np.int64),
        start=np.array(starts, dtype=np.int64),
        data=np.array(numbers, dtype=float),
    ), knots


def _curve(motion: Motion) -> list[Piece] | tuple[float, ...]:
    """Pieces, or the numbers c_0, c_1, c_2, A, w, phase of a wave."""
    if motion.displacement is not None:
        return _displaced(motion.displacement)
    assert motion.acceleration is not None
    return _accelerated(motion.acceleration, motion.velocity)


def _displaced(signal: Signal) -> list[Piece] | tuple[float, ...]:
    if isinstance(signal, Sinusoid):
        return signal.mean, 0.0, 0.0, signal.amplitude, 2.0 * math.pi * signal.frequency, signal.phase
    if isinstance(signal, SampledSignal):
        return _through(signal)
    return [(0.0, _number(signal), 0.0, 0.0, 0.0)]


def _through(table: SampledSignal) -> list[Piece]:
    """The cubic Hermite curve; at rest before and after."""
    times, values = np.array(table.times, dtype=float), np.array(table.values, dtype=float)
    if table.slopes is None:
        slopes = three_point_slopes(times, values)
        slopes[[0, -1]] = 0.0
    else:
        slopes = np.array(table.slopes, dtype=float)
    width, rise = np.diff(times), np.diff(values)
    bend = (6.0 * rise / width - 4.0 * slopes[:-1] - 2.0 * slopes[1:]) / width
    twist = (6.0 * (slopes[:-1] + slopes[1:]) - 12.0 * rise / width) / width**2
    inner = zip(times[:-1], values[:-1], slopes[:-1], bend, twist, strict=True)
    still = [(float(times[end]), float(values[end]), 0.0, 0.0, 0.0) for end in (0, -1)]
    return [still[0], *((float(t), float(d), float(v), float(a), float(j)) for t, d, v, a, j in inner), still[1]]


def _accelerated(signal: Signal, velocity: float) -> list[Piece] | tuple[float, ...]:
    """Integrated twice from t = 0."""
    if isinstance(signal, SampledSignal):
        corners = zip(signal.times, signal.times[1:], signal.values, signal.values[1:], strict=False)
        return _integrated(corners, velocity)
    if isinstance(signal, Doublet):
        begin, middle, end = (signal.start + k * signal.width for k in range(3))
        height = signal.amplitude
        return _integrated([(begin, middle, height, height), (middle, end, -height, -height)], velocity)
    if isinstance(signal, Sinusoid) and signal.frequency != 0.0:
        w = 2.0 * math.pi * signal.frequency
        amplitude = -signal.amplitude / w**2
        drift = velocity - amplitude * w * math.cos(signal.phase)
        return -amplitude * math.sin(signal.phase), drift, signal.mean, amplitude, w, signal.phase
    return [(0.0, 0.0, velocity, _number(signal), 0.0)]


def _integrated(lines: Iterable[tuple[float, float, float, float]], velocity: float) -> list[Piece]:
    """Accelerations straight from one time to the next, each (begin, end, value at either); none elsewhere."""
    pieces: list[Piece] = [(0.0, 0.0, velocity, 0.0, 0.0)]
    end = 0.0
    for begin, until, here, there in lines:
        if until <= 0.0:
            continue
        jerk = (there - here) / (until - begin)
        a = here - jerk * min(begin, 0.0)  # a record may begin before the run
        begin = max(begin, 0.0)
        d, v = _moved_on(pieces[-1], begin)
        pieces.append((begin, d, v, a, jerk))
        end = until
    d, v = _moved_on(pieces[-1], end)
    return [*pieces, (end, d, v, 0.0, 0.0)]


def _moved_on(piece: Piece, t: float) -> tuple[float, float]:
    begin, d, v, a, j = piece
    s = t - begin
    return d + s * (v + s * (a / 2.0 + s * j / 6.0)), v + s * (a + s * j / 2.0)


def _number(signal: Any) -> float:
    """Of a signal that does not change."""
    if isinstance(signal, Sinusoid):
        return signal.mean + signal.amplitude * math.sin(signal.phase)
    return float(signal.value if isinstance(signal, Constant) else signal)


@kernel
def _motion_at(moved: Supports, index: int, t: float, inside: float) -> tuple[float, float, float]:
    """Displacement, velocity and acceleration of one motion at time t in the piece that holds the time `inside`."""
    data, at = moved.data, moved.start[index]
    if moved.kind[index] == WAVE:
        size, w = data[at + 3], data[at + 4]
        angle = w * t + data[at + 5]
        swing, sway = size * math.sin(angle), size * math.cos(angle)
        d = data[at] + t * (data[at + 1] + 0.5 * t * data[at + 2]) + swing
        return d, data[at + 1] + t * data[at + 2] + w * sway, data[at + 2] - w * w * swing
    count = int(one(data[at]))
    at += 1
    left, right = 0, count
    while right - left > 1:
        middle = (left + right) // 2
        if one(data[at + middle]) <= inside:
            left = middle
        else:
            right = middle
    at += left
    s = t - data[at]
    d, v, a, j = data[at + count], data[at + 2 * count], data[at + 3 * count], data[at + 4 * count]
    return d + s * (v + s * (0.5 * a + s * j / 6.0)), v + s * (a + 0.5 * s * j), a + s * j


@kernel
def impose(p: Pack, t: float, y: np.ndarray) -> None:
    """Write places and velocities of moved coordinates into a state, their accelerations beside it."""
    moved, n, known = supports_in(p), coordinate_count(p), work_in(p).known
    count, inside = size_of(p, MOTIONS), one(constants_in(p).piece[0])
    for m in range(moved.first[count]):
        i = moved.coordinate[m]
        y[i] = moved.place[m]
        y[n + i] = 0.0
        known[i] = 0.0
    for k in range(count):
        d, v, a = _motion_at(moved, k, t, inside)
        for m in range(moved.first[k], moved.first[k + 1]):
            i = moved.coordinate[m]
            y[i] += d
            y[n + i] += v
            known[i] += a


def tabulate(given: Given) -> Supports:
    return tabulated_motions(given.structure, given.motions)[0]


def breaks(given: Given) -> list[float]:
    return tabulated_motions(given.structure, given.motions)[1]


def shortest_period(given: Given) -> float:
    """[s] of all sinusoids."""
    waves = [signal for motion in given.motions for signal in (motion.displacement, motion.acceleration)]
    rates = [abs(wave.frequency) for wave in waves if isinstance(wave, Sinusoid) and wave.frequency]
    return 1.0 / max(rates) if rates else math.inf


SUPPORTS = Imposed(
    "supports", Supports, tabulate, impose, accelerates=True, breaks=breaks, shortest_period=shortest_period
)
