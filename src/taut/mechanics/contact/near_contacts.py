"""Which contacts may touch soon, so that the others need not be looked at until something has come a good way."""

from __future__ import annotations

import math

import numpy as np

from taut.mechanics.contact.responses import responses_in
from taut.mechanics.grounds.surfaces import BOX, EDGE, LEVEL, PLANE
from taut.mechanics.tables import constants_in, coordinate_count
from taut.mechanics.terms.contacts import contact_count, contacts_in, gap_at
from taut.numerics.compiled import inlined, kernel
from taut.numerics.packing import Pack
from taut.numerics.pointers import shifted

REACH = 1e-2
"""Of a typical length: what is further away than this is not near ..."""
STEPS = 16.0
"""... nor what does not come near within about so many steps."""
WAY = 0.45
"""Of that: so far may each coordinate go before it has to be looked again; a node then goes less than 0.8 of it."""


@inlined
def plane_gap(p: Pack, c: int, y: np.ndarray) -> float:
    """The gap of a contact with a plane [m]."""
    contacts = contacts_in(p)
    i, plane = contacts.first[c], shifted(contacts.data, contacts.start[contacts.surface[c]])
    return plane[0] * y[i] + plane[1] * y[i + 1] + plane[2] * y[i + 2] - plane[LEVEL] - contacts.radius[c]


@inlined
def quick_gap(p: Pack, c: int, y: np.ndarray) -> float:
    """The gap of a contact [m], by the shortest way."""
    contacts = contacts_in(p)
    return plane_gap(p, c, y) if contacts.kind[contacts.surface[c]] == PLANE else gap_at(p, c, y)[0]


@inlined
def _may_touch(p: Pack, c: int, start: np.ndarray, end: np.ndarray, reach: float) -> bool:
    contacts = contacts_in(p)
    i, j, s = contacts.first[c], contacts.second[c], contacts.surface[c]
    kind, data = contacts.kind[s], shifted(contacts.data, contacts.start[s])
    if kind == PLANE:
        return quick_gap(p, c, end) <= reach
    if kind == BOX:  # with what the node may go through on its way
        way = 0.0
        for m in range(3):
            way += (end[i + m] - start[i + m]) ** 2
        return gap_at(p, c, end)[0] <= reach + math.sqrt(way)
    if kind == EDGE:  # between the middles of a bar and an edge, with half of both
        apart, bar, edge = 0.0, 0.0, 0.0
        for m in range(3):
            apart += (end[i + m] + end[j + m] - data[m] - data[3 + m]) ** 2
            bar += (end[i + m] - end[j + m]) ** 2
            edge += (data[m] - data[3 + m]) ** 2
        return math.sqrt(apart) <= math.sqrt(bar) + math.sqrt(edge) + 2.0 * (reach + contacts.radius[c])
    return True  # the gap from a terrain may jump


@kernel
def look_around(p: Pack, start: np.ndarray, end: np.ndarray) -> None:
    """List what may touch at the end of a move, or on the way."""
    made, reach, count = responses_in(p), REACH * constants_in(p).scale[0], 0
    for i in range(coordinate_count(p)):
        reach = max(reach, STEPS * abs(end[i] - start[i]))
    made.reach[0] = reach
    for c in range(contact_count(p)):
        made.near[count] = c
        count += 1 if _may_touch(p, c, start, end, reach) else 0
    made.nearby[0] = count
    for i in range(coordinate_count(p)):
        made.seen[i] = end[i]


@inlined
def way_left(p: Pack) -> float:
    """How far each coordinate may be from where it was looked from [m]."""
    return WAY * responses_in(p).reach[0]


@inlined
def look_if_moved(p: Pack, start: np.ndarray, end: np.ndarray) -> None:
    """The list as it is while nothing has gone far since it was made."""
    seen, limit, gone = responses_in(p).seen, way_left(p), 0
    for i in range(coordinate_count(p)):
        gone += 0 if abs(end[i] - seen[i]) <= limit else 1
    if gone > 0:
        look_around(p, start, end)
