"""Contacts of many plants in lanes: steps go side by side, and what touches is searched for lane by lane.

Gaps, bars, books and copies are rows of lanes, like forces. Which contacts are closed differs from lane to lane, and
few are: their searches are those of one plant (`impulses.py`), with one lane of the pack (`OneLane`) as their plant.
So no law of contact stands here, and a lane's numbers are those of its plant alone. For planes and for bars of which
none meets another: an impulse moves its own bar only, so that no other bar has to be looked at again. Lanes that only
fill up (`Responses.alive`) touch nothing, and fall.
"""

from __future__ import annotations

from typing import Any

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
from taut.mechanics.parts import meet_rows, prepare_system
from taut.mechanics.tables import constants_in, coordinate_count
from taut.mechanics.terms.contacts import NUMBERS, OPEN, contact_count, contacts_in, forces_begin
from taut.numerics.compiled import entry, inlined, kernel, woven
from taut.numerics.lanes import WIDTH, every, lowest, where, which
from taut.numerics.packing import OneLane, Pack
from taut.numerics.pointers import lane_at, shifted, start_of


@inlined
def _lane(p: Pack, lane: int) -> Any:
    own = start_of(p.integers)[2 * ENTRIES]
    return OneLane(p.integers, p.reals, lane, own, (p.integers.size - own) // WIDTH)


@entry
def begin_contacts(p: Pack, y: np.ndarray) -> None:
    """As that of one plant."""
    forget(p)
    _open(p)
    take_out(p, start_of(y))


@inlined
def _open(p: Pack) -> None:
    """What is closed, in every lane."""
    busy = responses_in(p).busy
    while busy[0] != 0:
        one = _lane(p, lowest(busy[0]))
        open_all(one)
        responses_in(one).nearby[0] = 0
        busy[0] &= busy[0] - 1


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
    busy = made.busy[0]
    while busy != 0:
        lane = lowest(busy)
        begin_again(_lane(p, lane), lane_at(state, lane))
        busy &= busy - 1
    take_out(p, state)


@kernel
def _touch(p: Pack, y: np.ndarray) -> None:
    """Close the contacts that touch at a state in each lane, and no others."""
    made, near = responses_in(p), CLOSED * constants_in(p).scale[0]
    _open(p)
    for c in range(contact_count(p)):
        touches = which(plane_gap(p, c, y) <= near) & made.alive[0]
        made.busy[0] |= touches
        while touches != 0:
            lane = lowest(touches)
            close_touching(_lane(p, lane), c, lane_at(y, lane))
            touches &= touches - 1
    for i in range(coordinate_count(p)):
        made.stood[i] = y[i]


@entry
def move_apart(p: Pack, h: float, y: np.ndarray, trial: np.ndarray) -> int:
    """As that of one plant; a lane whose constraints cannot be met is left with a NaN."""
    start, end, small, made = start_of(y), start_of(trial), MET * constants_in(p).scale[0], responses_in(p)
    way = meet_rows(p, h, end)
    for c in range(contact_count(p)):
        inside = which(plane_gap(p, c, end) < -small) & made.alive[0]
        made.busy[0] |= inside
        while inside != 0:
            _note_near(_lane(p, lowest(inside)), c)
            inside &= inside - 1
    end[0] = where(way >= 0.0, end[0], np.nan)
    busy = made.busy[0]
    while busy != 0:
        lane = lowest(busy)
        last = lane_at(end, lane)
        if part(_lane(p, lane), h, lane_at(start, lane), last) == 0:
            last[0] = np.nan
        busy &= busy - 1
    return 1


@inlined
def gap_of_plane(p: Pack, c: int, y: np.ndarray) -> tuple[float, float, float, float, float]:
    """In the place of `terms.contacts.gap_at`."""
    contacts = contacts_in(p)
    plane = shifted(contacts.data, contacts.start[contacts.surface[c]])
    return plane_gap(p, c, y), plane[0], plane[1], plane[2], 0.0


@inlined
def look_nowhere(p: Pack, start: np.ndarray, end: np.ndarray) -> None:
    """In the place of `near_contacts.look_if_moved`: what is near is known, those inside a ground where a move ends by
    itself, and all of a bar that something else touches. Impulses move no others."""


@inlined
def note_mates(p: Pack, a: int, c: int) -> None:
    """Of a bar that is touched now, its other contacts."""
    if responses_in(p).rank[a] == 0:
        mate = responses_in(p).mate[c]
        while mate != c:
            _note_near(p, mate)
            mate = responses_in(p).mate[mate]


@inlined
def _note_near(p: Pack, c: int) -> None:
    """In their order, each once."""
    made = responses_in(p)
    at = made.nearby[0]
    while at > 0 and made.near[at - 1] > c:
        at -= 1
    if at > 0 and made.near[at - 1] == c:
        return
    for m in range(made.nearby[0], at, -1):
        made.near[m] = made.near[m - 1]
    made.near[at] = c
    made.nearby[0] += 1


@entry
def foresee(p: Pack, y: np.ndarray, trial: np.ndarray) -> None:
    """As that of one plant."""
    n, begun, made = coordinate_count(p), start_of(y), responses_in(p)
    v, shut, busy = shifted(start_of(trial), n), made.reach, made.busy[0]
    shut[0] = 0.0
    while busy != 0:
        lane = lowest(busy)
        one = _lane(p, lane)
        responses_in(one).reach[0] = 1.0 if struck(one, lane_at(begun, lane)) else 0.0
        busy &= busy - 1
    open_ = shut[0] == 0.0
    for i in range(n):
        v[i] += where(open_, v[i] - begun[n + i], 0.0)


@entry
def strike(p: Pack, y: np.ndarray, moved: np.ndarray, trial: np.ndarray) -> int:
    """As that of one plant."""
    end = start_of(trial)
    _touch(p, end)
    busy = responses_in(p).busy[0]
    while busy != 0:
        lane = lowest(busy)
        strike_closed(_lane(p, lane), lane_at(start_of(y), lane), lane_at(start_of(moved), lane), lane_at(end, lane))
        busy &= busy - 1
    return 1


@entry
def book_contacts(p: Pack, before: np.ndarray, trial: np.ndarray) -> float:
    """As that of one plant."""
    v, made = shifted(start_of(trial), coordinate_count(p)), responses_in(p)
    done, busy = made.reach, made.busy[0]
    done[0] = 0.0
    while busy != 0:
        lane = lowest(busy)
        one = _lane(p, lane)
        responses_in(one).reach[0] = book(one, lane_at(start_of(before), lane), lane_at(v, lane))
        busy &= busy - 1
    return done[0]


@entry
def leave_forces(p: Pack, h: float, trial: np.ndarray) -> None:
    """As that of one plant, of what any lane has pushed with."""
    impulse, state, at = contacts_in(p).impulse, start_of(trial), forces_begin(p)
    for c in range(contact_count(p)):
        told, force = shifted(impulse, NUMBERS * c), shifted(state, at + NUMBERS * c)
        pushed = which(told[3] > OPEN)
        while pushed != 0:
            lane = lowest(pushed)
            leave(h, lane_at(told, lane), lane_at(force, lane))
            pushed &= pushed - 1


@woven
def note_contacts(p: Pack, t: float, y: np.ndarray, trial: np.ndarray, log: np.ndarray, filled: int) -> int:
    """A log is of one plant; in lanes none is kept."""
    return filled
