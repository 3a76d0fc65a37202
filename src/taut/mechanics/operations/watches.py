"""What a user watches, as events: a plane, a distance, a tension is passed, a time comes; and what is cut then."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from taut.mechanics.operations.event_table import FOLLOWED, TO_CUT, TO_STOP, events_in
from taut.mechanics.parts import cut_held, held_tension
from taut.mechanics.rows.bars import bars_in
from taut.mechanics.tables import coordinate_count, slot
from taut.mechanics.terms.slackening import CUT, SLACKENING, slackening_in
from taut.mechanics.terms.springs import lost_energy, member_state, springs_in
from taut.numerics.compiled import inlined, kernel
from taut.numerics.packing import Integers, Pack, Reals, reader, size_of

BELOW, ABOVE, DONE = range(3)
"""Where a watched value is; or that it is watched no more."""

PLANE, DISTANCE, TENSION, TIME = range(4)
"""What is watched."""

RECORD, STOP, CUTS = range(3)
"""What is done about it."""

SOLVED = 1e-11
"""Round-off of a tension that comes out of a linear system, against its level."""

HELD_ROW = 1 << 40
"""Added to the rows of held cables, to tell them from those of springs."""


class Watches(NamedTuple):
    kind: Integers  # (u,)
    first: Integers  # (u,) a node, or a row of springs, or HELD_ROW + row of held cables
    second: Integers  # (u,) another node
    normal: Reals  # (3 u,)
    level: Reals  # (u,) [m], [N] or [s]
    sense: Integers  # (u,) 1 rising, -1 falling, 0 both
    action: Integers  # (u,)
    cut_start: Integers  # (u + 1,) the members that each cuts ...
    cut_member: Integers  # ... rows of springs, or -1 - row of bars, or HELD_ROW + row of held cables


watches_in = reader(Watches, slot("watches"))


@kernel
def _value(p: Pack, u: int, y: np.ndarray) -> tuple[float, float, int]:
    """What is watched, its rate, whether that is known."""
    s, n = watches_in(p), coordinate_count(p)
    i, j = s.first[u], s.second[u]
    if s.kind[u] == TENSION and i >= HELD_ROW:
        return held_tension(p, i - HELD_ROW, y), 0.0, 0
    if s.kind[u] == TENSION:
        springs = springs_in(p)
        _, rate, elastic, viscous = member_state(p, i, y, 1)
        known = springs.damping[i] == 0.0 and springs.stiffness[i] > 0.0  # a command changes by itself
        return elastic + viscous, springs.stiffness[i] * rate, int(known)
    value, rate = 0.0, 0.0
    if s.kind[u] == PLANE:
        for axis in range(3):
            value += s.normal[3 * u + axis] * y[i + axis]
            rate += s.normal[3 * u + axis] * y[n + i + axis]
        return value, rate, 1
    for axis in range(3):
        value += (y[j + axis] - y[i + axis]) ** 2
        rate += (y[j + axis] - y[i + axis]) * (y[n + j + axis] - y[n + i + axis])
    value = math.sqrt(value)
    return value, rate / max(value, 1e-300), 1


@inlined
def watch_margin(p: Pack, u: int, state: int, y: np.ndarray) -> tuple[float, float, int]:
    s = watches_in(p)
    if state == DONE or s.kind[u] == TIME:
        return math.inf, 0.0, 1
    value, rate, known = _value(p, u, y)
    sign, unit = 1.0 if state == ABOVE else -1.0, events_in(p).band[0]
    if s.kind[u] == TENSION and s.first[u] >= HELD_ROW:
        unit = SOLVED * max(abs(s.level[u]), 1.0)
    elif s.kind[u] == TENSION:
        unit *= max(slackening_in(p).stiffness[s.first[u]], 1.0)
    return sign * (value - s.level[u]) / unit, sign * rate / unit, known


@inlined
def watch_happen(p: Pack, u: int, state: int, chatters: bool, y: np.ndarray) -> tuple[int, int, int]:
    s, left, rising = watches_in(p), FOLLOWED, state == BELOW
    told = int(s.sense[u] == 0 or (s.sense[u] == 1) == rising)
    state = DONE if s.kind[u] == TIME or chatters else ABOVE if rising else BELOW
    if told == 1 and s.action[u] == STOP:
        left = TO_STOP
    elif told == 1 and s.action[u] == CUTS:
        left, state = TO_CUT, DONE
    return state, told, left


@inlined
def watch_begin(p: Pack, u: int, y: np.ndarray) -> int:
    s = watches_in(p)
    if s.kind[u] == TIME:
        return BELOW
    value, _, _ = _value(p, u, y)
    # What is to be cut or to stop above a tension is not to wait for it to rise once more.
    overdue = s.kind[u] == TENSION and s.action[u] != RECORD and s.sense[u] == 1
    return ABOVE if value > s.level[u] and not overdue else BELOW


@kernel
def cut_member(p: Pack, k: int, y: np.ndarray) -> None:
    """Cut one member, numbered as in `cut_member` of the table. What a cable had stored is lost, and counts as work
    done by it."""
    given, springs, n = slackening_in(p), springs_in(p), coordinate_count(p)
    if k >= HELD_ROW:
        cut_held(p, k - HELD_ROW)
        return
    if k < 0:
        bars_in(p).per_length[-1 - k] = 0.0  # its row of G vanishes, its mass stays
        return
    y[2 * n] -= lost_energy(p, k, y)
    for e in range(size_of(p, SLACKENING)):
        if given.cable[e] == k:
            events_in(p).state[e] = CUT
    given.stiffness[k], given.damping[k] = 0.0, 0.0
    springs.stiffness[k], springs.damping[k], springs.least[k] = 0.0, 0.0, -math.inf


@kernel
def cut_members(p: Pack, u: int, y: np.ndarray) -> None:
    """Cut the members of a watched event."""
    s = watches_in(p)
    for m in range(s.cut_start[u], s.cut_start[u + 1]):
        cut_member(p, s.cut_member[m], y)
