"""Cables held at a length: they never stretch, pull with what that takes, and can go slack.

The residual is the length of the route less the length that is held, and minus its multiplier is the tension [N]. A
cable goes slack at the instant at which its tension would become negative, and its row vanishes. It catches at the
instant at which it is long enough again: an impulse along its route takes the rate of its length away, as in a plastic
impact, and the kinetic energy lost counts as work. Cables in which that impulse would push go slack instead.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from taut.mechanics.kinds import EventSource, Given, Links, Rows
from taut.mechanics.operations.event_table import AS_GIVEN, FOLLOWED, events_in
from taut.mechanics.operations.motion import multipliers_of
from taut.mechanics.parts import kinetic, prepare_system, row_residuals, solve_system
from taut.mechanics.tables import constants_in, coordinate_count, part_of, row_count, slot, work_in
from taut.mechanics.terms.paths import path_state, paths_of, span, stretch_state
from taut.mechanics.terms.springs import NO_LENGTH
from taut.numerics.compiled import inlined, kernel
from taut.numerics.packing import Integers, Pack, Reals, counter, reader
from taut.structure.properties import held_length

SLACK, TAUT, CUT, ROD = 0, 1, AS_GIVEN + 1, AS_GIVEN + 2
"""What a cable does. A rod keeps its length whatever its force, where nobody looks whether it would push."""
BY_LENGTH, BY_IMPULSES = 2, 3
"""Of a row: taut where it is long enough, as samples are looked at without knowing of events; or that it is empty,
since impulses hold the cable (`contact/strings.py`)."""

CHANGES = {SLACK: "slack", TAUT: "taut", ROD: "chatters: from here on a rod at its length"}

LONG_ENOUGH = 1e-9
"""Of the length held: less short than this, a cable counts as taut."""

FORCE_ROUND_OFF = 1e-12
"""Of the largest force, in tensions that come out of a linear system."""


class HeldLengths(NamedTuple):
    """r cables, by the columns of `Paths`."""

    start: Integers
    first: Integers
    second: Integers
    own_start: Integers
    own: Integers
    held: Reals  # (r,) length [m] ...
    rate: Reals  # (r,) ... how fast it is imposed to change [m/s] ...
    acceleration: Reals  # (r,) ... and how fast that does [m/s^2]
    active: Integers  # (r,) SLACK, TAUT, BY_LENGTH or BY_IMPULSES
    row: Integers  # (1,) of all rows, the first of these ...
    event: Integers  # (1,) ... and of all events


held_in = reader(HeldLengths, slot("held_lengths"))
HELD, ACTIVE = (part_of("held_lengths", HeldLengths, name) for name in ("held", "active"))
count = counter(HELD)


@inlined
def _works(p: Pack, k: int, length: float, growth: float) -> bool:
    """One that is just long enough and becomes shorter is slack already."""
    table = held_in(p)
    active, beyond, band = table.active[k], length - table.held[k], LONG_ENOUGH * table.held[k]
    stays = beyond > band or (beyond > -band and growth >= table.rate[k] - band / constants_in(p).scale[1])
    return active == TAUT or (active == BY_LENGTH and stays)


@kernel
def residuals(p: Pack, y: np.ndarray, residual: np.ndarray, rate: np.ndarray) -> int:
    table, n = held_in(p), coordinate_count(p)
    for k in range(count(p)):
        length, growth = path_state(table, k, y, n)
        works = _works(p, k, length, growth)
        residual[k] = length - table.held[k] if works else 0.0
        rate[k] = growth - table.rate[k] if works else 0.0
    return count(p)


@kernel
def values(p: Pack, y: np.ndarray, value: np.ndarray) -> int:
    """Of each own node, how the length changes with it: the sum of unit vectors that lead to it."""
    table, n = held_in(p), coordinate_count(p)
    filled = 3 * table.own_start[count(p)]
    for e in range(filled):
        value[e] = 0.0
    for k in range(count(p)):
        length, growth = path_state(table, k, y, n)
        if not _works(p, k, length, growth):
            continue
        for s in range(table.start[k], table.start[k + 1]):
            a, b = 3 * table.first[s], 3 * table.second[s]
            sx, sy, sz = span(table, s, y, 0)
            per = 1.0 / max(math.sqrt(sx * sx + sy * sy + sz * sz), NO_LENGTH)
            value[a] -= sx * per
            value[a + 1] -= sy * per
            value[a + 2] -= sz * per
            value[b] += sx * per
            value[b + 1] += sy * per
            value[b + 2] += sz * per
    return filled


@inlined
def _turning(table: HeldLengths, s: int, y: np.ndarray, n: int, direction: np.ndarray) -> float:
    """How the rate of a stretch's length changes along a direction: (v . d - (u . v)(u . d)) / l."""
    length, parting = stretch_state(table, s, y, n)
    sx, sy, sz = span(table, s, y, 0)
    vx, vy, vz = span(table, s, y, n)
    dx, dy, dz = span(table, s, direction, 0)
    per = 1.0 / max(length, NO_LENGTH)
    return (vx * dx + vy * dy + vz * dz - parting * (sx * dx + sy * dy + sz * dz) * per) * per


@kernel
def jacobian_rate(p: Pack, y: np.ndarray, direction: np.ndarray, out: np.ndarray) -> int:
    table, n = held_in(p), coordinate_count(p)
    for k in range(count(p)):
        total = 0.0
        length, growth = path_state(table, k, y, n)
        if _works(p, k, length, growth):
            for s in range(table.start[k], table.start[k + 1]):
                total += _turning(table, s, y, n, direction)
        out[k] = total
    return count(p)


@kernel
def bias(p: Pack, t: float, y: np.ndarray, out: np.ndarray) -> int:
    table, n = held_in(p), coordinate_count(p)
    for k in range(count(p)):
        out[k] = 0.0
        length, growth = path_state(table, k, y, n)
        if _works(p, k, length, growth):
            out[k] = table.acceleration[k]
            for s in range(table.start[k], table.start[k + 1]):
                vx, vy, vz = span(table, s, y, n)
                stretch, parting = stretch_state(table, s, y, n)
                out[k] -= (vx * vx + vy * vy + vz * vz - parting * parting) / max(stretch, NO_LENGTH)
    return count(p)


@kernel
def stiffness(
    p: Pack, y: np.ndarray, multiplier: np.ndarray, k: float, pushing: float, brace: np.ndarray, out: np.ndarray
) -> tuple[int, int]:
    """Tension across every stretch. It only ever stiffens, so no brace is needed along the row."""
    table, n = held_in(p), coordinate_count(p)
    for r in range(count(p)):
        brace[r] = 0.0
        across = -k * multiplier[r]
        if across < 0.0:
            across *= pushing
        for s in range(table.start[r], table.start[r + 1]):
            length, _ = stretch_state(table, s, y, n)
            sx, sy, sz = span(table, s, y, 0)
            per, at = 1.0 / max(length, NO_LENGTH), 9 * s
            ux, uy, uz, firm = sx * per, sy * per, sz * per, across * per
            out[at], out[at + 4], out[at + 8] = firm * (1.0 - ux * ux), firm * (1.0 - uy * uy), firm * (1.0 - uz * uz)
            out[at + 1] = out[at + 3] = -firm * ux * uy
            out[at + 2] = out[at + 6] = -firm * ux * uz
            out[at + 5] = out[at + 7] = -firm * uy * uz
    return count(p), 9 * table.start[count(p)]


# --- slackening and catching


@inlined
def _tension(p: Pack, e: int) -> float:
    """[N] as the multipliers were last found."""
    return -work_in(p).multiplier[held_in(p).row[0] + e]


@kernel
def tension_at(p: Pack, e: int, y: np.ndarray) -> float:
    """[N] at the time at which events are looked at; none where it is slack."""
    if held_in(p).active[e] == SLACK:
        return 0.0
    multipliers_of(p, constants_in(p).time[0], y)
    return _tension(p, e)


@kernel
def _largest_force(p: Pack) -> float:
    work, most = work_in(p), 0.0
    for i in range(coordinate_count(p)):
        most = max(most, abs(work.force[i]))
    for k in range(row_count(p)):
        most = max(most, abs(work.multiplier[k]))
    return most


@kernel
def margin(p: Pack, e: int, state: int, y: np.ndarray) -> tuple[float, float, int]:
    table, n = held_in(p), coordinate_count(p)
    if state >= AS_GIVEN:
        return math.inf, 0.0, 1
    if state == SLACK:
        length, growth = path_state(table, e, y, n)
        unit = events_in(p).band[0]
        return (table.held[e] - length) / unit, (table.rate[e] - growth) / unit, 1
    if table.active[e] == SLACK:
        return -1e6, 0.0, 0  # an impulse has let it go
    multipliers_of(p, constants_in(p).time[0], y)
    return _tension(p, e) / (FORCE_ROUND_OFF * max(_largest_force(p), 1e-300)), 0.0, 0


@kernel
def _catch(p: Pack, y: np.ndarray) -> None:
    """Change velocities by impulses along all rows, so that no residual changes; the energy lost is work."""
    table, work, n, rows = held_in(p), work_in(p), coordinate_count(p), row_count(p)
    before = kinetic(p, y)
    for _ in range(count(p)):
        row_residuals(p, y, work.residual, work.residual_rate)
        for i in range(n):
            work.balance[i] = 0.0
        for k in range(rows):
            work.bias[k] = -work.residual_rate[k]
        if prepare_system(p, 0, y) < 0:
            return
        solve_system(p, 0, work.balance, work.bias, work.acceleration, work.multiplier)
        worst, pushed = 0.0, -1
        for k in range(count(p)):
            impulse = work.multiplier[table.row[0] + k]
            if table.active[k] == TAUT and impulse > worst:
                worst, pushed = impulse, k
        if pushed < 0 or worst <= FORCE_ROUND_OFF * _largest_force(p):
            break
        table.active[pushed] = SLACK
    for i in range(n):
        y[n + i] += work.acceleration[i]
    y[2 * n] += kinetic(p, y) - before


@kernel
def happen(p: Pack, e: int, state: int, chatters: bool, y: np.ndarray) -> tuple[int, int, int]:
    if chatters:
        put(p, e, ROD)
        return ROD, 1, FOLLOWED
    if state == TAUT:
        put(p, e, SLACK)
        return SLACK, 1, FOLLOWED
    put(p, e, TAUT)
    _catch(p, y)
    return TAUT, 1, FOLLOWED


@inlined
def put(p: Pack, e: int, state: int) -> None:
    if held_in(p).active[e] == BY_IMPULSES:
        return
    held_in(p).active[e] = TAUT if state in (TAUT, ROD) else BY_LENGTH if state == AS_GIVEN else SLACK


@kernel
def begin(p: Pack, e: int, y: np.ndarray) -> int:
    """A cable as long as is held is taut; where it would push, that is found at once."""
    table = held_in(p)
    length, growth = path_state(table, e, y, coordinate_count(p))
    short = length < table.held[e] - max(events_in(p).band[0], LONG_ENOUGH * table.held[e])
    return SLACK if short or growth < table.rate[e] - LONG_ENOUGH * table.held[e] / constants_in(p).scale[1] else TAUT


@inlined
def cut(p: Pack, k: int) -> None:
    """Of row k: it is gone for good."""
    table = held_in(p)
    table.active[k] = SLACK
    events_in(p).state[table.event[0] + k] = CUT


def subjects(given: Given, table: HeldLengths) -> tuple[tuple[str, str], ...]:
    return tuple(("cable", cable.name) for cable in given.held_cables)


# --- tables


def tabulate(given: Given) -> HeldLengths:
    cables, structure = given.held_cables, given.structure
    lengths = [held_length(structure, cable) for cable in cables]
    none = np.zeros(len(cables))
    active = np.full(len(cables), BY_LENGTH, dtype=np.int64)
    first = np.zeros(1, dtype=np.int64)
    held = np.array(lengths, dtype=float)
    return HeldLengths(*paths_of(given, cables), held, none, none.copy(), active, first, first.copy())


def pattern(table: HeldLengths) -> tuple[np.ndarray, np.ndarray]:
    return 3 * np.diff(table.own_start), (table.own[:, None] + np.arange(3)).ravel()


def sizes(table: HeldLengths, typical: float) -> np.ndarray:
    return table.held


def labels(given: Given) -> tuple[str, ...]:
    return tuple(f'cable "{cable.name}"' for cable in given.held_cables)


def links(table: HeldLengths) -> Links:
    return table.own[table.first], table.own[table.second]


HELD_LENGTHS = Rows(
    "held_lengths",
    HeldLengths,
    tabulate,
    pattern,
    sizes,
    labels,
    residuals,
    values,
    bias,
    jacobian_rate,
    stiffness,
    links,
    internal=True,
    driven=True,
    events=EventSource(count, margin, put, begin, subjects, CHANGES, happen),
)
