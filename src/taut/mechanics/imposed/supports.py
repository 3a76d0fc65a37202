"""Supports that move: motions as tables, and what they do to the equations of motion.

A support's coordinate is a known function of time. What moves it, displacement or acceleration, becomes at assembly
curves of which position, velocity and acceleration are known together (`support_curves.py`), and motions of one support
along one axis add up, as the curves of one motion do. The knots of curves are breaks, onto which runs step as onto
those of loads. What known accelerations do to the equations is in `taut.mechanics.operations.motion`.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from taut.mechanics.imposed.curve_values import curve_at
from taut.mechanics.imposed.support_curves import curves_of
from taut.mechanics.kinds import Given, Imposed
from taut.mechanics.tables import constants_in, coordinate_count, part_of, slot, work_in
from taut.numerics.compiled import kernel
from taut.numerics.lanes import one
from taut.numerics.packing import Integers, Pack, Reals, empty, reader, size_of
from taut.structure import signals
from taut.structure.motions import moved_nodes
from taut.structure.records import AXES
from taut.structure.scenario import Motion
from taut.structure.structure import Structure


class Supports(NamedTuple):
    """Held coordinates that move as time says; empty where all supports stand still."""

    first: Integers  # (s + 1,) where each of s curves begins in the next two
    coordinate: Integers  # what it moves
    place: Reals  # where that is without any motion [m]
    kind: Integers  # (s,)
    start: Integers  # (s,) where its numbers begin in `data`
    data: Reals


supports_in = reader(Supports, slot("supports"))
CURVES = part_of("supports", Supports, "kind")


def tabulated_motions(structure: Structure, motions: Sequence[Motion]) -> tuple[Supports, list[float]]:
    """The tables of motions that have passed their checks, and the times at which they are not smooth."""
    index = {node: 3 * i for i, node in enumerate(structure.nodes)}
    shape = structure.positions.ravel()
    first, kinds, starts = [0], list[int](), list[int]()
    coordinates, numbers, knots = list[int](), list[float](), list[float]()
    for motion in motions:
        moved = [index[node] + AXES.index(motion.axis) for node in moved_nodes(structure, motion)]
        for curve in curves_of(motion):
            coordinates += moved
            first.append(len(coordinates))
            starts.append(len(numbers))
            kinds.append(curve.kind)
            numbers += curve.numbers
            knots += curve.knots
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


@kernel
def _motion_at(moved: Supports, index: int, t: float, inside: float) -> tuple[float, float, float]:
    """Displacement, velocity and acceleration of one curve at time t in the piece that holds the time `inside`."""
    return curve_at(moved.kind[index], moved.data, moved.start[index], t, inside)


@kernel
def impose(p: Pack, t: float, y: np.ndarray) -> None:
    """Write places and velocities of moved coordinates into a state, their accelerations beside it."""
    moved, n, known = supports_in(p), coordinate_count(p), work_in(p).known
    count, inside = size_of(p, CURVES), one(constants_in(p).piece[0])
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
    """[s] of all waves."""
    given_signals = [signal for motion in given.motions for signal in (motion.displacement, motion.acceleration)]
    return min(map(signals.shortest_period, given_signals), default=math.inf)


SUPPORTS = Imposed(
    "supports", Supports, tabulate, impose, accelerates=True, breaks=breaks, shortest_period=shortest_period
)
