"""What a step with impulses asks of contacts: to be kept apart, to be struck, and what that took.

Which contacts are closed, and the search for their impulses, is in `closed_contacts.py`. Velocities always hold what
all impulses so far have done to them.
"""

from __future__ import annotations

import math

import numpy as np

from taut.mechanics.contact.closed_contacts import close, counted, held_by, open_all, search, velocity_at
from taut.mechanics.contact.parts import hold_strings, string_count, string_event, string_rate
from taut.mechanics.contact.responses import DEEPEST, FORCED, responses_in
from taut.mechanics.contact.surfaces import EDGE, FAR, STRING, TERRAIN
from taut.mechanics.tables import constants_in, coordinate_count, work_in
from taut.mechanics.terms.contacts import (
    LANDED_SLIDING,
    LANDED_STICKING,
    NUMBERS,
    OPEN,
    STICKING,
    contact_count,
    contacts_in,
    forces_begin,
    gap_at,
    ground_count,
    passes,
)
from taut.numerics.compiled import entry, inlined, kernel
from taut.numerics.packing import Pack
from taut.numerics.pointers import shifted, start_of

MET = 1e-10
"""Of a typical length: a gap that is zero."""
UNDONE = 10.0
"""Times that: how deep something may be inside a ground and be moved out of it again within a step."""
CLOSED = 1e-9
"""Of a typical length: a gap at which a contact can be struck."""


@entry
def begin_contacts(p: Pack, y: np.ndarray) -> None:
    """A step begins: no contact is closed yet, and the forces of the last step do not act any more."""
    contacts, at, state = contacts_in(p), forces_begin(p), start_of(y)
    open_all(p)
    hold_strings(p)
    responses_in(p).work[0] = 0.0
    for k in range(NUMBERS * contact_count(p)):
        contacts.impulse[k] = 0.0
        state[at + k] = 0.0


@inlined
def _end_of_move(p: Pack, c: int, a: int, start: np.ndarray, end: np.ndarray) -> float:
    """The gap at which a closed contact ends [m]. Planes and boxes are convex: a node that stays in front of the plane
    that it came from stays outside, whichever face is nearest on the way. Of a terrain it is the ground below, and of a
    bar across an edge, and of a cable, what is true at the end, since they slide along themselves and turn."""
    made, contacts = responses_in(p), contacts_in(p)
    kind = contacts.kind[contacts.surface[c]]
    if kind in (TERRAIN, STRING) or (kind == EDGE and made.sunk[a] == 0.0):
        true = gap_at(p, c, end)[0]
        if true < FAR:
            return true - made.sunk[a]
    i, j, share, gap = contacts.first[c], contacts.second[c], made.share[a], made.begin[a]
    for m in range(3):
        moved = (1.0 - share) * (end[i + m] - start[i + m]) + share * (end[j + m] - start[j + m])
        gap += made.frame[9 * a + m] * moved
    return gap


@entry
def keep_apart(p: Pack, h: float, y: np.ndarray, trial: np.ndarray, last: bool) -> int:
    """Change the velocities of a move of h from y to trial, and where it ends, so that no contact ends inside a ground
    and Coulomb's law holds on the way; returns how many sweeps that took, 0 where nothing was to be done.

    last: whether this is the last try, so that whatever is left to be done is counted as a search that failed.
    """
    made, n, scale, left = responses_in(p), coordinate_count(p), constants_in(p).scale[0], 0.0
    small = MET * scale
    start, end, v, todo = start_of(y), start_of(trial), shifted(start_of(trial), n), False
    for c in range(contact_count(p)):
        a = made.place[c] - 1
        if a < 0:
            gap, nx, ny, nz, share = gap_at(p, c, end)
            if gap >= -small and not passes(p, c, start, end, small):
                continue
            # As it is seen from where it comes, unless a bar was not across the edge then.
            before, ox, oy, oz, other = gap_at(p, c, start)
            seen = before < FAR
            if seen:
                nx, ny, nz, share = ox, oy, oz, other
            a = close(p, c, start, nx, ny, nz, share)
            if a < 0:
                continue
            # What is deeper inside than round-off, since grounds meet there, is kept from going deeper and no more:
            # to throw it out within a step would make energy.
            made.begin[a] = max(before, -UNDONE * MET * scale) if seen else 0.0
            made.sunk[a] = min(before - made.begin[a], 0.0) if seen else min(gap, 0.0)
            if c >= ground_count(p):
                made.sunk[a] = 0.0  # what winds a cable in shortens it by all it asks for
            made.hold[a] = held_by(p, c, a, start)
            todo = True
        gap = _end_of_move(p, c, a, start, end)
        if made.own[6 * a] == 0.0:
            if -gap_at(p, c, end)[0] > made.worst[DEEPEST]:
                made.worst[DEEPEST], made.worst[FORCED] = -gap_at(p, c, end)[0], float(c)
            continue
        if gap < -small or (gap > small and made.impulse[3 * a] > 0.0):
            todo = True
            left = max(left, abs(gap))
        made.aim[a] = gap / h - velocity_at(p, a, v)[0]
    if not todo:
        return 0
    for i in range(n):
        made.before[i] = v[i]
    sweeps = counted(p, 0, left / h) if last else search(p, v)
    for i in range(n):
        end[i] += h * (v[i] - made.before[i])
    return sweeps


@entry
def strike(p: Pack, y: np.ndarray, moved: np.ndarray, trial: np.ndarray) -> int:
    """Change the velocities at the end of a step so that no closed contact goes on into its ground, and bounces as it
    came at the beginning of the step; moved: velocities of the move. Returns how many sweeps that took."""
    made, contacts, n = responses_in(p), contacts_in(p), coordinate_count(p)
    small, v, bounces = CLOSED * constants_in(p).scale[0], shifted(start_of(trial), n), False
    open_all(p)
    for c in range(contact_count(p)):
        gap, nx, ny, nz, share = gap_at(p, c, start_of(trial))
        if gap <= small:
            a = close(p, c, start_of(trial), nx, ny, nz, share)
            if a >= 0:
                came = min(velocity_at(p, a, shifted(start_of(y), n))[0], 0.0)
                made.aim[a] = contacts.restitution[c] * came
                made.hold[a] = held_by(p, c, a, start_of(y))
                bounces = bounces or made.aim[a] < 0.0
                if c >= ground_count(p):
                    made.aim[a] = string_rate(p, c - ground_count(p))
    if made.used[0] == 0:
        return 0
    for i in range(n):
        made.before[i] = v[i]
    sweeps = search(p, v)
    return sweeps + _bound_bounce(p, start_of(moved), v) if bounces else sweeps


@entry
def foresee(p: Pack, y: np.ndarray, trial: np.ndarray) -> None:
    """Make of the velocities of the move those at the end of the step, as far as they can be known before: forces that
    depend on velocities are then right to second order. Not where something struck, whose velocity has jumped."""
    made, n, at = responses_in(p), coordinate_count(p), forces_begin(p)
    begun, v = start_of(y), shifted(start_of(trial), n)
    for a in range(made.used[0]):
        if made.impulse[3 * a] > 0.0 and begun[at + NUMBERS * made.contact[a] + 3] == OPEN:
            return
    for i in range(n):
        v[i] += v[i] - begun[n + i]


@kernel
def _work(p: Pack, before: np.ndarray, v: np.ndarray, below: int) -> float:
    """Of the impulses at closed contacts with a number below this [J], with the mean of the velocities before and after
    them.

    Before the forces of this half of the step act: what they add and a contact takes away again at once is no work.
    """
    made, total = responses_in(p), 0.0
    for a in range(made.used[0]):
        if made.contact[a] >= below:
            continue
        un, u1, u2 = velocity_at(p, a, before)
        wn, w1, w2 = velocity_at(p, a, v)
        p_ = shifted(made.impulse, 3 * a)
        total += 0.5 * (p_[0] * (un + wn) + p_[1] * (u1 + w1) + p_[2] * (u2 + w2))
    return total


@kernel
def _bound_bounce(p: Pack, moved: np.ndarray, v: np.ndarray) -> int:
    """Where friction and restitution together would make energy, bounce only as far as they do not.

    Without restitution impulses never make any. From there to the full bounce velocities and impulses go along a
    straight line, on which contacts stay apart and inside their cones; the work along it is a parabola.
    """
    made, n = responses_in(p), coordinate_count(p)
    room, count = work_in(p).force, made.used[0]
    grounds = ground_count(p)  # what winds a cable in may work as it likes
    full = made.work[0] + _work(p, moved, v, grounds)
    if full <= 0.0:
        return 0
    for i in range(n):
        room[i] = v[i]
        v[i] = made.before[i]
    for a in range(count):
        made.aim[a] = made.aim[a] if made.contact[a] >= grounds else 0.0
    for k in range(3 * count):
        made.bounced[k] = made.impulse[k]
        made.impulse[k] = 0.0
    sweeps = search(p, v)
    none = made.work[0] + _work(p, moved, v, grounds)
    _blend(p, 0.5, room, v)
    half = made.work[0] + _work(p, moved, v, grounds)
    a, b, c = 2.0 * (full + none) - 4.0 * half, 4.0 * half - 3.0 * none - full, min(none, 0.0)
    root = math.sqrt(max(b * b - 4.0 * a * c, 0.0))
    s = 2.0 * -c / (b + root) if b + root > 0.0 else 0.0
    # From one half to s: what is left of the line is twice as long as the way so far.
    _blend(p, (min(max(s, 0.0), 1.0) - 0.5) * 2.0, room, v)
    return sweeps


@inlined
def _blend(p: Pack, s: float, bounced: np.ndarray, v: np.ndarray) -> None:
    """Go a fraction of the way to the full bounce."""
    made = responses_in(p)
    for i in range(coordinate_count(p)):
        v[i] += s * (bounced[i] - v[i])
    for k in range(3 * made.used[0]):
        made.impulse[k] += s * (made.bounced[k] - made.impulse[k])


@entry
def book_contacts(p: Pack, before: np.ndarray, trial: np.ndarray) -> float:
    """Put the impulses that were found to those of the step; returns their work [J], `before` being the velocities
    before forces and impulses acted."""
    made, contacts = responses_in(p), contacts_in(p)
    begun, v = start_of(before), shifted(start_of(trial), coordinate_count(p))
    done = _work(p, begun, v, contact_count(p))
    made.work[0] += done if string_count(p) == 0 else _work(p, begun, v, ground_count(p))
    for a in range(made.used[0]):
        c, f, p_ = made.contact[a], shifted(made.frame, 9 * a), shifted(made.impulse, 3 * a)
        for m in range(3):
            contacts.impulse[NUMBERS * c + m] += f[m] * p_[0] + f[3 + m] * p_[1] + f[6 + m] * p_[2]
    return done


@entry
def leave_forces(p: Pack, h: float, trial: np.ndarray) -> None:
    """Leave in the state what contacts pushed with in a step of h, as forces."""
    contacts, state = contacts_in(p), start_of(trial)
    for c in range(contact_count(p)):
        told, at = shifted(contacts.impulse, NUMBERS * c), forces_begin(p) + NUMBERS * c
        pushes = told[0] != 0.0 or told[1] != 0.0 or told[2] != 0.0
        for m in range(3):
            state[at + m] = told[m] / h
        state[at + 3] = told[3] if pushes else OPEN


@entry
def note_contacts(p: Pack, t: float, y: np.ndarray, trial: np.ndarray, log: np.ndarray, filled: int) -> int:
    """Log every contact that does something else at the end of a step than at its beginning; returns how much of the
    log is filled. What does not fit is left out."""
    first, begun, ended = contacts_in(p).event[0], start_of(y), start_of(trial)
    for c in range(contact_count(p)):
        at = forces_begin(p) + NUMBERS * c + 3
        was, now = begun[at], ended[at]
        if now == was or filled >= log.shape[0]:
            continue
        told, event = (LANDED_STICKING if now == STICKING else LANDED_SLIDING) if was == OPEN else now, first + c
        if c >= ground_count(p):
            event, told = string_event(p, c - ground_count(p), now != OPEN)
        log[filled, 0], log[filled, 1], log[filled, 2] = t, event, told
        filled += 1
    return filled


@entry
def fill_gaps(p: Pack, y: np.ndarray, out: np.ndarray) -> None:
    """Fill the gap of every contact that there can be with a ground [m], negative inside it."""
    for c in range(ground_count(p)):
        out[c] = gap_at(p, c, start_of(y))[0]
