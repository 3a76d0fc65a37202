"""Motions of supports as curves of which position, velocity and acceleration are known together.

A displacement is a signal itself, with its derivatives; an acceleration is integrated twice, exactly, from t = 0. A
motion is a sum of curves, one for each part of its signal:

- pieces d = d_k + v_k s + a_k s^2 / 2 + j_k s^3 / 6, s = t - t_k: a record of accelerations that is straight between
  its samples, integrated twice, is exactly that, and so is a cubic Hermite table;
- a wave d = c_0 + c_1 t + c_2 t^2 / 2 + A sin(w t + phase);
- a signal, where a displacement is a ramp or let in by a smooth start;
- a series, where an acceleration is: its product with polynomials and waves has no integral that is short and free of
  cancellation, so it is expanded in Chebyshev polynomials, to round-off, and those are integrated. From the time on at
  which it is a plain signal again, one of the other curves follows.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
from numpy.polynomial import chebyshev

from taut.mechanics.imposed.curve_values import DEGREE, PIECES, SERIES, SIGNAL, SIZE, WAVE, curve_values
from taut.mechanics.signals import evaluated, in_order, tabulated
from taut.numerics.curves import three_point_slopes
from taut.structure.scenario import Motion
from taut.structure.signals import (
    Constant,
    CosineRamp,
    Doublet,
    Part,
    Plain,
    SampledSignal,
    Signal,
    Sinusoid,
    SmoothStart,
    parts_of,
    shortest_period,
)

ANGLE = 2.0
"""[rad] of a wave that one series spans."""

SPANS = 8
"""Into so many a ramp or a rise is cut by steps: what moves by itself has no error that could tell a step too long."""

Piece = tuple[float, float, float, float, float]
"""t_k [s], d_k [m], v_k [m/s], a_k [m/s^2], j_k [m/s^3]. The first one reaches back for ever, the last one on."""


class Curve(NamedTuple):
    """knots: times onto which runs have to step."""

    kind: int
    numbers: list[float]
    knots: list[float]


def curves_of(motion: Motion) -> list[Curve]:
    """The curves that add up to a motion which has passed its checks."""
    if motion.displacement is not None:
        return [_displaced(part) for part in parts_of(motion.displacement)]
    assert motion.acceleration is not None
    first, *others = parts_of(motion.acceleration)
    return [_accelerated(first, motion.velocity), *(_accelerated(part, 0.0) for part in others)]


def _of_pieces(pieces: Sequence[Piece]) -> Curve:
    numbers = [float(len(pieces)), *(number for column in zip(*pieces, strict=True) for number in column)]
    return Curve(PIECES, numbers, [piece[0] for piece in pieces[1:]])


# --- displacements


def _displaced(part: Part) -> Curve:
    signal = part.signal
    if isinstance(signal, CosineRamp) or part.rises:
        table = tabulated([_around(_at_rest(signal), part)])
        return Curve(SIGNAL, [float(table.kind[0]), *table.data], [*table.breaks, *spans(part)])
    if isinstance(signal, Sinusoid):
        return Curve(
            WAVE, [signal.mean, 0.0, 0.0, signal.amplitude, 2.0 * math.pi * signal.frequency, signal.phase], []
        )
    if isinstance(signal, SampledSignal):
        return _of_pieces(_through(signal))
    return _of_pieces([(0.0, _number(signal), 0.0, 0.0, 0.0)])


def _around(signal: Signal, part: Part) -> Signal:
    """A signal with the smooth starts of a part around it."""
    for rise in reversed(part.rises):
        signal = SmoothStart(signal, rise.start, rise.over)
    return signal


def _at_rest(signal: Plain) -> Plain:
    """A table as one that begins and ends at rest."""
    if not isinstance(signal, SampledSignal):
        return signal
    return SampledSignal(signal.times, signal.values, tuple(_slopes(signal).tolist()))


def _slopes(table: SampledSignal) -> np.ndarray:
    if table.slopes is not None:
        return np.array(table.slopes, dtype=float)
    slopes = three_point_slopes(np.array(table.times, dtype=float), np.array(table.values, dtype=float))
    slopes[[0, -1]] = 0.0
    return slopes


def spans(part: Part) -> list[float]:
    """Times within the ramp and the rises of a part, so that the work of a step over all of it is not off unseen."""
    windows = [(rise.start, rise.start + rise.over) for rise in part.rises]
    windows += [(part.signal.start, part.signal.end)] if isinstance(part.signal, CosineRamp) else []
    return [float(t) for begin, end in windows for t in np.linspace(begin, end, SPANS + 1)[1:-1]]


def _through(table: SampledSignal) -> list[Piece]:
    """The cubic Hermite curve; at rest before and after."""
    times, values, slopes = np.array(table.times, dtype=float), np.array(table.values, dtype=float), _slopes(table)
    width, rise = np.diff(times), np.diff(values)
    bend = (6.0 * rise / width - 4.0 * slopes[:-1] - 2.0 * slopes[1:]) / width
    twist = (6.0 * (slopes[:-1] + slopes[1:]) - 12.0 * rise / width) / width**2
    inner = zip(times[:-1], values[:-1], slopes[:-1], bend, twist, strict=True)
    still = [(float(times[end]), float(values[end]), 0.0, 0.0, 0.0) for end in (0, -1)]
    return [still[0], *((float(t), float(d), float(v), float(a), float(j)) for t, d, v, a, j in inner), still[1]]


def _number(signal: Any) -> float:
    """Of a signal that does not change."""
    if isinstance(signal, Sinusoid):
        return signal.mean + signal.amplitude * math.sin(signal.phase)
    return float(signal.value if isinstance(signal, Constant) else signal)


# --- accelerations


def _accelerated(part: Part, velocity: float) -> Curve:
    """Integrated twice from t = 0."""
    signal = part.signal
    ends = [rise.start + rise.over for rise in part.rises]
    ends += [signal.end] if isinstance(signal, CosineRamp) else []
    afterwards = Constant(signal.to) if isinstance(signal, CosineRamp) else signal
    if max(ends, default=0.0) <= 0.0:
        return _plainly_accelerated(afterwards, velocity)
    return _series(part, velocity, max(ends), _plainly_accelerated(afterwards, 0.0))


def _plainly_accelerated(signal: Plain, velocity: float) -> Curve:
    if isinstance(signal, SampledSignal):
        corners = zip(signal.times, signal.times[1:], signal.values, signal.values[1:], strict=False)
        return _of_pieces(_integrated(corners, velocity))
    if isinstance(signal, Doublet):
        begin, middle, end = (signal.start + k * signal.width for k in range(3))
        height = signal.amplitude
        lines = [(begin, middle, height, height), (middle, end, -height, -height)]
        return _of_pieces(_integrated(lines, velocity))
    if isinstance(signal, Sinusoid) and signal.frequency != 0.0:
        w = 2.0 * math.pi * signal.frequency
        amplitude = -signal.amplitude / w**2
        drift = velocity - amplitude * w * math.cos(signal.phase)
        return Curve(WAVE, [-amplitude * math.sin(signal.phase), drift, signal.mean, amplitude, w, signal.phase], [])
    return _of_pieces([(0.0, 0.0, velocity, _number(signal), 0.0)])


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


def _series(part: Part, velocity: float, until: float, tail: Curve) -> Curve:
    """Series of d, v and a on intervals from 0 to a time, and the curve that follows."""
    knots = _intervals(part, until)
    d, v, series, nodes = 0.0, velocity, list[float](), chebyshev.chebpts1(DEGREE + 1)
    for begin, end in pairwise(knots):
        half = 0.5 * (end - begin)
        acceleration = chebyshev.chebfit(nodes, _accelerations(part, begin + half * (1.0 + nodes)), DEGREE)
        speed = chebyshev.chebint(acceleration, k=v, lbnd=-1.0, scl=half)
        place = chebyshev.chebint(speed, k=d, lbnd=-1.0, scl=half)
        d, v = float(chebyshev.chebval(1.0, place)), float(chebyshev.chebval(1.0, speed))
        for coefficients in (place, speed, acceleration):
            series += [*coefficients.tolist(), *[0.0] * (SIZE - coefficients.size)]
    after_d, after_v, _ = curve_values(tail.kind, tail.numbers, np.array([until]), np.array([until]))[0]
    head = [until, d - after_d, v - after_v, float(tail.kind), float(len(knots) - 1), *knots]
    later = [knot for knot in tail.knots if knot > until]
    return Curve(SERIES, [*head, *series, *tail.numbers], [*knots[1:], *later, *spans(part)])


def _intervals(part: Part, until: float) -> list[float]:
    """Times from 0 to `until`, between which an acceleration is smooth and no wave turns by more than ANGLE."""
    signal = part.signal
    edges = tabulated([_around(signal, part)]).breaks
    coarse = in_order([0.0, until, *(edge for edge in edges if 0.0 < edge < until)])[1:-1]
    period = 2.0 * (signal.end - signal.start) if isinstance(signal, CosineRamp) else shortest_period(signal)
    counts = np.maximum(np.ceil(np.diff(coarse) * 2.0 * math.pi / (period * ANGLE)), 1.0).astype(int)
    inner = [np.linspace(begin, end, n + 1)[:-1] for begin, end, n in zip(coarse, coarse[1:], counts, strict=False)]
    return [*np.concatenate(inner).tolist(), until]


def _accelerations(part: Part, times: np.ndarray) -> np.ndarray:
    signal, share = part.signal, evaluated(_around(Constant(1.0), part), times)[:, 0]
    if isinstance(signal, SampledSignal):
        return np.asarray(share * np.interp(times, signal.times, signal.values, left=0.0, right=0.0))
    return np.asarray(share * evaluated(signal, times)[:, 0])
