"""Contacts with grounds that give way, as events and as a term: touching down, lifting off, sticking and sliding.

While a run looks for events, what a contact does is kept for the length of a step, so that forces are smooth in it. A
contact that touches down slides at first, since nothing presses yet. Where it sticks or slides is located for bristles;
the other laws of friction have no such instant.
"""

from __future__ import annotations

import math

import numpy as np

from taut.mechanics.grounds import compliances
from taut.mechanics.grounds.compliances import (
    BRISTLE,
    KIND,
    Compliances,
    compliance_count,
    compliances_in,
    depth_at,
    rub_at,
    tabulate,
    touching_nodes,
)
from taut.mechanics.grounds.yielding import pressed
from taut.mechanics.kinds import EventSource, Given, Links, Term
from taut.mechanics.operations.event_table import AS_GIVEN, FOLLOWED, events_in
from taut.mechanics.tables import coordinate_count
from taut.mechanics.terms.contacts import CHANGES as RIGID_CHANGES
from taut.mechanics.terms.contacts import LANDED_SLIDING, OPEN, SLIDING, STICKING
from taut.numerics.compiled import inlined, kernel
from taut.numerics.packing import Pack

LANDED = 3
"""It slides, and was open before."""
HARDLY = 100.0
"""Times the round-off of lengths: by how much a bristle has to be able to bend."""
CHANGES = {
    **{state: RIGID_CHANGES[state] for state in (OPEN, STICKING, SLIDING)},
    LANDED: RIGID_CHANGES[LANDED_SLIDING],
    AS_GIVEN: "chatters: from here on not located",
}


@kernel
def _rooms(p: Pack, c: int, state: int, y: np.ndarray) -> tuple[float, float, float]:
    """Depth [m] and its rate [m/s], and how far a bristle is from sliding, or from sticking, as a length [m].

    What is hardly pressed is left to slide: where neither friction nor what bends a bristle is more than round-off,
    nothing says which.
    """
    table, n, least = compliances_in(p), coordinate_count(p), HARDLY * events_in(p).band[0]
    depth, nx, ny, nz, lean = depth_at(p, c, y)
    i = table.node[c]
    rate = -lean * (nx * y[n + i] + ny * y[n + i + 1] + nz * y[n + i + 2])
    if table.law[c] != BRISTLE:
        return depth, rate, math.inf
    pressing, _ = pressed(table.stiffness[c], table.damping[c], depth, rate)
    rub, per = rub_at(p, c, y, nx, ny, nz, pressing * lean), 1.0 / table.tangential_stiffness[c]
    if state == STICKING:
        return depth, rate, (rub.limit - rub.size) * per
    return depth, rate, (rub.size - rub.limit) * per if rub.limit * per > least else rub.size * per + least


@inlined
def margin(p: Pack, e: int, state: int, y: np.ndarray) -> tuple[float, float, int]:
    if state >= AS_GIVEN:
        return math.inf, 0.0, 1
    unit = events_in(p).band[0]
    depth, rate, room = _rooms(p, e, state, y)
    if state == OPEN:
        return -depth / unit, -rate / unit, 1
    if compliances_in(p).law[e] != BRISTLE:
        return depth / unit, rate / unit, 1
    # The slope of the latter would need accelerations. What goes deeper does not lift off, however little it is in yet.
    return (min(depth, room) if rate < 0.0 else room) / unit, 0.0, 0


@inlined
def clear(p: Pack, e: int, state: int, y: np.ndarray, h: float) -> bool:
    """Whether an open contact is so far above the ground, or comes from so little above, that it did not touch it."""
    if state != OPEN:
        return False
    table, n = compliances_in(p), coordinate_count(p)
    depth, nx, ny, nz, lean = depth_at(p, e, y)
    i = table.node[e]
    rising = lean * (nx * y[n + i] + ny * y[n + i + 1] + nz * y[n + i + 2])
    return depth <= 0.0 and -depth >= rising * h


@inlined
def happen(p: Pack, e: int, state: int, chatters: bool, y: np.ndarray) -> tuple[int, int, int]:
    depth, rate, room = _rooms(p, e, state, y)
    if chatters:
        new = AS_GIVEN
    elif state == OPEN:
        new = LANDED
    elif compliances_in(p).law[e] != BRISTLE or (rate < 0.0 and depth <= room):
        new = OPEN
    else:
        new = SLIDING if state == STICKING else STICKING
    put(p, e, new)
    return new, 1, FOLLOWED


@inlined
def put(p: Pack, e: int, state: int) -> None:
    compliances_in(p).mode[e] = state


@inlined
def begin(p: Pack, e: int, y: np.ndarray) -> int:
    depth, _, room = _rooms(p, e, SLIDING, y)
    return OPEN if depth <= 0.0 else STICKING if room <= 0.0 else SLIDING


def subjects(given: Given, table: Compliances) -> tuple[tuple[str, str], ...]:
    return tuple(("contact", one.name) for one in touching_nodes(given))


def links(table: Compliances) -> Links:
    return table.node, np.full(table.node.size, -1)


def node_stiffness(table: Compliances, size: int) -> np.ndarray:
    """At every coordinate of its node, since it is not said here where the ground is."""
    found = np.zeros(size)
    np.add.at(found, table.node, np.maximum(table.stiffness, table.tangential_stiffness))
    return np.repeat(found[::3], 3)


def sizes(table: Compliances, typical: float) -> np.ndarray:
    """A bristle counts like a position."""
    return np.full(3 * table.bristles.size, typical)


def relaxation(table: Compliances) -> float:
    times = (table.tangential_damping / table.tangential_stiffness)[table.bristles]
    return float(np.min(times, initial=math.inf))


def dampers(given: Given, table: Compliances) -> tuple[str, ...]:
    return tuple(f'the ground "{ground.name}"' for ground in given.compliant_grounds)


COMPLIANCES = Term(
    KIND,
    Compliances,
    tabulate,
    force=compliances.force,
    conservative_force=compliances.conservative_force,
    stiffness=compliances.stiffness,
    links=links,
    events=EventSource(compliance_count, margin, put, begin, subjects, CHANGES, happen, clear),
    node_stiffness=node_stiffness,
    states=sizes,
    relaxation=relaxation,
    dampers=dampers,
    works=True,
    lanes=True,
)
