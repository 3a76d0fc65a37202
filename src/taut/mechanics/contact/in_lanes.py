"""Contacts of many plants in lanes: steps go side by side, and what touches is searched for lane by lane.

Gaps, bars, books and copies are rows of lanes, like forces. Which contacts are closed differs from lane to lane, and
few are: their searches are those of one plant (`impulses.py`), with one lane of the pack (`OneLane`) as their plant.
So no law of contact stands here, and a lane's numbers are those of its plant alone. For planes and for bars of which
none meets another: an impulse moves its own bar only, so that no other bar has to be looked at again.
"""

from __future__ import annotations

import numpy as np

from taut.mechanics.contact.books import book, leave
from taut.mechanics.contact.closed_contacts import open_all
from taut.mechanics.contact.impulses import (
    CLOSED,
    MET,
    begin_again,
    close_touching,
    forget,
    part,
    strike_closed,
    struck,
    take_out,
)
from taut.mechanics.contact.near_contacts import plane_gap
from taut.mechanics.contact.responses import ENTRIES, responses_in
from taut.mechanics.parts import body_of, meet_rows, prepare_system
from taut.mechanics.tables import constants_in, coordinate_count
from taut.mechanics.terms.contacts import contact_count, contacts_in
from taut.numerics.compiled import entry, inlined, kernel, woven
from taut.numerics.lanes import WIDTH, every, where, which
from taut.numerics.packing import OneLane, Pack
from taut.numerics.pointers import lane_at, lent, shifted, start_of

INSIDE = -1
"""In `Responses.place`: not closed, and inside a ground."""


@inlined
def _lane(p: Pack, lane: int) -> OneLane:
    own = start_of(p.integers)[2 * ENTRIES]
    return OneLane(lent(p.integers), lent(p.reals), lane, own, (p.integers.size - own) // WIDTH)


@entry
def begin_contacts(p: Pack, y: np.ndarray) -> None:
    """As that of one plant."""
    forget(p)
    for lane in range(WIDTH):
        open_all(_lane(p, lane))
    take_out(p, start_of(y))


@entry
def resume_contacts(p: Pack, y: np.ndarray, afresh: bool) -> None:
    """As that of one plant; all lanes are found again where one has to be, to the same bits."""
    made, state, same = responses_in(p), start_of(y), True
    for i in range(coordinate_count(p)):
        same &= every(state[i] == made.stood[i])
    if afresh or not same:
        forget(p)
        prepare_system(p, constants_in(p).metric[0], state)
        _touch(p, state)
    for lane in range(WIDTH):
        begin_again(_lane(p, lane), lane_at(state, lane))
    take_out(p, state)


@kernel
def _touch(p: Pack, y: np.ndarray) -> None:
    """Close the contacts that touch at a state in each lane, and no others."""
    made, near = responses_in(p), CLOSED * constants_in(p).scale[0]
    for lane in range(WIDTH):
        open_all(_lane(p, lane))
    for c in range(contact_count(p)):
        bits, lane = which(plane_gap(p, c, y) <= near), 0
        while bits > 0:
            if bits & 1:
                close_touching(_lane(p, lane), c, lane_at(y, lane))
            bits, lane = bits >> 1, lane + 1
    for i in range(coordinate_count(p)):
        made.stood[i] = y[i]


@entry
def move_apart(p: Pack, h: float, y: np.ndarray, trial: np.ndarray) -> int:
    """As that of one plant; a lane whose constraints cannot be met is left with a NaN."""
    start, end, small, touched = start_of(y), start_of(trial), MET * constants_in(p).scale[0], 0
    way = meet_rows(p, h, end)
    for c in range(contact_count(p)):
        inside, lane = which(plane_gap(p, c, end) < -small), 0
        touched |= inside
        while inside > 0:
            if inside & 1:
                place = responses_in(_lane(p, lane)).place
                place[c] = INSIDE if place[c] == 0 else place[c]
            inside, lane = inside >> 1, lane + 1
    end[0] = where(way >= 0.0, end[0], np.nan)
    for lane in range(WIDTH):
        one = _lane(p, lane)
        if (touched >> lane) & 1 or responses_in(one).used[0] > 0:
            last = lane_at(end, lane)
            if part(one, h, lane_at(start, lane), last) == 0:
                last[0] = np.nan
    return 1


@inlined
def gap_of_plane(p: Pack, c: int, y: np.ndarray) -> tuple[float, float, float, float, float]:
    """In the place of `terms.contacts.gap_at`."""
    contacts = contacts_in(p)
    plane = shifted(contacts.data, contacts.start[contacts.surface[c]])
    return plane_gap(p, c, y), plane[0], plane[1], plane[2], 0.0


@inlined
def list_near(p: Pack, start: np.ndarray, end: np.ndarray) -> None:
    """In the place of `near_contacts.look_if_moved`: contacts of all that is closed already, and those known to be
    inside a ground. Others have not moved since it was looked."""
    made, count = responses_in(p), 0
    for c in range(contact_count(p)):
        made.near[count] = c
        count += 1 if made.place[c] == INSIDE or made.bodies[body_of(p, c)] > 0 else 0
    made.nearby[0] = count


@entry
def foresee(p: Pack, y: np.ndarray, trial: np.ndarray) -> None:
    """As that of one plant."""
    n, begun, shut = coordinate_count(p), start_of(y), responses_in(p).reach
    v = shifted(start_of(trial), n)
    for lane in range(WIDTH):
        one = _lane(p, lane)
        responses_in(one).reach[0] = 1.0 if struck(one, lane_at(begun, lane)) else 0.0
    open_ = shut[0] == 0.0
    for i in range(n):
        v[i] += where(open_, v[i] - begun[n + i], 0.0)


@entry
def strike(p: Pack, y: np.ndarray, moved: np.ndarray, trial: np.ndarray) -> int:
    """As that of one plant."""
    end = start_of(trial)
    _touch(p, end)
    for lane in range(WIDTH):
        one = _lane(p, lane)
        if responses_in(one).used[0] > 0:
            strike_closed(one, lane_at(start_of(y), lane), lane_at(start_of(moved), lane), lane_at(end, lane))
    return 1


@entry
def book_contacts(p: Pack, before: np.ndarray, trial: np.ndarray) -> float:
    """As that of one plant."""
    v, done = shifted(start_of(trial), coordinate_count(p)), responses_in(p).reach
    for lane in range(WIDTH):
        one = _lane(p, lane)
        responses_in(one).reach[0] = book(one, lane_at(start_of(before), lane), lane_at(v, lane))
    return done[0]


@entry
def leave_forces(p: Pack, h: float, trial: np.ndarray) -> None:
    """As that of one plant."""
    for lane in range(WIDTH):
        leave(_lane(p, lane), h, lane_at(start_of(trial), lane))


@woven
def note_contacts(p: Pack, t: float, y: np.ndarray, trial: np.ndarray, log: np.ndarray, filled: int) -> int:
    """A log is of one plant; in lanes none is kept."""
    return filled
