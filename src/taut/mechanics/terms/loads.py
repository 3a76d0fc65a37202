"""Loads: a signal of time along one coordinate each (`taut.mechanics.signals`)."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from taut.mechanics.kinds import Given, Term
from taut.mechanics.signals import signal_value, tabulated
from taut.mechanics.tables import constants_in, coordinate_count, part_of, slot
from taut.numerics.compiled import inlined
from taut.numerics.lanes import one
from taut.numerics.packing import Integers, Pack, Reals, reader, size_of
from taut.structure.records import AXES


class Loads(NamedTuple):
    """Signals one after another, each the load along one coordinate."""

    coordinate: Integers  # (loads,)
    kind: Integers  # (loads,)
    start: Integers  # (loads,) where its numbers begin in `data`
    data: Reals


loads_in = reader(Loads, slot("loads"))
LOADS = part_of("loads", Loads, "coordinate")
LOAD_DATA = part_of("loads", Loads, "data")


@inlined
def load_at(p: Pack, loads: Loads, k: int, t: float) -> float:
    """The force of one load [N] in the current smooth piece."""
    return signal_value(loads.kind[k], loads.data, loads.start[k], t, one(constants_in(p).piece[0]))


@inlined
def force(p: Pack, t: float, y: np.ndarray, out: np.ndarray) -> float:
    loads, n, power = loads_in(p), coordinate_count(p), 0.0
    for k in range(size_of(p, LOADS)):
        i, push = loads.coordinate[k], load_at(p, loads, k, t)
        out[i] += push
        power += push * y[n + i]
    return power


@inlined
def power(p: Pack, t: float, y: np.ndarray) -> float:
    """Power of the loads at the velocities of y."""
    loads, n, total = loads_in(p), coordinate_count(p), 0.0
    for k in range(size_of(p, LOADS)):
        total += load_at(p, loads, k, t) * y[n + loads.coordinate[k]]
    return total


@inlined
def secant_force(p: Pack, t: float, h: float, start: np.ndarray, end: np.ndarray, out: np.ndarray) -> float:
    """Those in the middle of the step."""
    return h * force(p, t, end, out)


def tabulate(given: Given) -> Loads:
    signals = tabulated([load.signal for load in given.loads])
    places = [given.coordinate[load.node] + AXES.index(load.axis) for load in given.loads]
    return Loads(np.array(places, dtype=np.int64), signals.kind, signals.start, signals.data)


LOADS_TERM = Term("loads", Loads, tabulate, force=force, load_power=power, secant_force=secant_force, lanes=True)
