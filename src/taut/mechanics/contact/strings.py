"""Cables held at a length, in steps with impulses: one more contact each, without friction, whose gap is how much
longer the cable could be. It goes slack and catches like something that lifts off and strikes without a bounce, and
the state carries its tension. Its row in G stays empty then."""

from __future__ import annotations

import math

import numpy as np

from taut.mechanics.contact.responses import responses_in
from taut.mechanics.grounds.surfaces import FAR
from taut.mechanics.rows.held_lengths import BY_IMPULSES, SLACK, TAUT, HeldLengths, held_in
from taut.mechanics.rows.held_lengths import count as count
from taut.mechanics.tables import coordinate_count
from taut.mechanics.terms.contacts import NUMBERS, contact_count, forces_begin
from taut.mechanics.terms.paths import path_state, span
from taut.mechanics.terms.springs import NO_LENGTH
from taut.numerics.compiled import inlined, kernel
from taut.numerics.packing import Pack


@inlined
def gap(p: Pack, k: int, y: np.ndarray) -> float:
    """How much longer a cable could be [m]; what is cut may be as long as it likes."""
    table = held_in(p)
    return FAR if table.active[k] == SLACK else table.held[k] - path_state(table, k, y, coordinate_count(p))[0]


@inlined
def rate(p: Pack, k: int) -> float:
    """How fast the length that is held changes [m/s]."""
    return float(held_in(p).rate[k])


@inlined
def tension(p: Pack, k: int, y: np.ndarray) -> float:
    """[N], in the step that led to a state."""
    return float(y[forces_begin(p) + NUMBERS * (contact_count(p) - count(p) + k)])


@inlined
def hold(p: Pack) -> None:
    """From now on impulses hold all cables, and rows none."""
    table = held_in(p)
    for k in range(count(p)):
        if table.active[k] != SLACK:
            table.active[k] = BY_IMPULSES


@inlined
def _unit(table: HeldLengths, s: int, y: np.ndarray) -> tuple[float, float, float]:
    sx, sy, sz = span(table, s, y, 0)
    per = 1.0 / max(math.sqrt(sx * sx + sy * sy + sz * sz), NO_LENGTH)
    return sx * per, sy * per, sz * per


@kernel
def aim(p: Pack, k: int, y: np.ndarray) -> None:
    """Keep along which directions a cable pulls its nodes at these positions."""
    table, along = held_in(p), responses_in(p).along
    for e in range(3 * table.own_start[k], 3 * table.own_start[k + 1]):
        along[e] = 0.0
    for s in range(table.start[k], table.start[k + 1]):
        ux, uy, uz = _unit(table, s, y)
        a, b = 3 * table.first[s], 3 * table.second[s]
        along[a], along[a + 1], along[a + 2] = along[a] + ux, along[a + 1] + uy, along[a + 2] + uz
        along[b], along[b + 1], along[b + 2] = along[b] - ux, along[b + 1] - uy, along[b + 2] - uz


@inlined
def velocity(p: Pack, k: int, v: np.ndarray) -> float:
    """How fast a cable becomes shorter [m/s]."""
    table, along, total = held_in(p), responses_in(p).along, 0.0
    for u in range(table.own_start[k], table.own_start[k + 1]):
        for m in range(3):
            total += along[3 * u + m] * v[table.own[u] + m]
    return total


@inlined
def pull(p: Pack, k: int, impulse: float, out: np.ndarray) -> None:
    """Add an impulse of a cable to a vector of all coordinates, along the directions kept."""
    table, along = held_in(p), responses_in(p).along
    for u in range(table.own_start[k], table.own_start[k + 1]):
        for m in range(3):
            out[table.own[u] + m] += along[3 * u + m] * impulse


@kernel
def pull_at(p: Pack, k: int, tension: float, y: np.ndarray, out: np.ndarray) -> None:
    """Add what a cable pulls its nodes with at a state [N]."""
    table = held_in(p)
    for s in range(table.start[k], table.start[k + 1]):
        unit = _unit(table, s, y)
        i, j = table.own[table.first[s]], table.own[table.second[s]]
        for m in range(3):
            out[i + m] += tension * unit[m]
            out[j + m] -= tension * unit[m]


@inlined
def event(p: Pack, k: int, pulls: bool) -> tuple[int, int]:
    """Its number among all events, and what it does."""
    return held_in(p).event[0] + k, TAUT if pulls else SLACK
