"""What a step with impulses asks of contacts: to be kept apart, to be struck, and what that took.

Closed contacts are solved one after another, each exactly (`contact/cone.py`), until nothing changes any more.
Velocities always hold what all impulses so far have done to them.
"""

from __future__ import annotations

import math

import numpy as np

from taut.mechanics.contact.cone import impulse_at
from taut.mechanics.contact.responses import (
    LEFT_OUT,
    RESIDUAL,
    SWEEPS,
    UNCONVERGED,
    entry_room,
    responses_in,
)
from taut.mechanics.contact.surfaces import EDGE, FAR, TERRAIN
from taut.mechanics.parts import fill_response, push_response, respond_together
from taut.mechanics.tables import constants_in, coordinate_count, work_in
from taut.mechanics.terms.contacts import (
    LANDED_SLIDING,
    LANDED_STICKING,
    NUMBERS,
    OPEN,
    SLIDING,
    STICKING,
    contact_count,
    contacts_in,
    forces_begin,
    gap_at,
    passes,
)
from taut.numerics.compiled import entry, inlined, kernel
from taut.numerics.packing import Pack
from taut.numerics.pointers import shifted, start_of

MET = 1e-10
"""Of a typical length: a gap that is zero."""
UNDONE = 10.0
"""Times that: how deep something may be inside a ground and be moved out of it again within a step."""
RESTING = 1e-9
"""Of a typical speed: slower than that a contact does not slide."""
CLOSED = 1e-9
"""Of a typical length: a gap at which a contact can be struck."""
MOST_SWEEPS = 1000
STILL = 1e-13
"""Of the largest velocity that an impulse has to do with: a change that is none."""


@inlined
def _velocity(p: Pack, a: int, v: np.ndarray) -> tuple[float, float, float]:
    """Where an entry acts, in its frame."""
    made, contacts = responses_in(p), contacts_in(p)
    c, share, f = made.contact[a], made.share[a], shifted(made.frame, 9 * a)
    i, j = contacts.first[c], contacts.second[c]
    x = (1.0 - share) * v[i] + share * v[j]
    y = (1.0 - share) * v[i + 1] + share * v[j + 1]
    z = (1.0 - share) * v[i + 2] + share * v[j + 2]
    return f[0] * x + f[1] * y + f[2] * z, f[3] * x + f[4] * y + f[5] * z, f[6] * x + f[7] * y + f[8] * z


@kernel
def _close(p: Pack, c: int, nx: float, ny: float, nz: float, share: float) -> int:
    """Take a contact among those that are closed; returns its entry, -1 where there is no room."""
    made = responses_in(p)
    a = made.used[0]
    if a == entry_room(p):
        made.worst[LEFT_OUT] += 1.0
        return -1
    made.used[0] = a + 1
    made.contact[a], made.share[a], made.place[c] = c, share, a + 1
    # A direction along the ground that no normal is close to.
    if abs(nx) < 0.6:
        tx, ty, tz = 1.0 - nx * nx, -nx * ny, -nx * nz
    else:
        tx, ty, tz = -ny * nx, 1.0 - ny * ny, -ny * nz
    size = math.sqrt(tx * tx + ty * ty + tz * tz)
    tx, ty, tz = tx / size, ty / size, tz / size
    f = shifted(made.frame, 9 * a)
    f[0], f[1], f[2], f[3], f[4], f[5] = nx, ny, nz, tx, ty, tz
    f[6], f[7], f[8] = ny * tz - nz * ty, nz * tx - nx * tz, nx * ty - ny * tx
    made.impulse[3 * a], made.impulse[3 * a + 1], made.impulse[3 * a + 2] = 0.0, 0.0, 0.0
    for b in range(a):
        if made.coupled[0] == 0 and respond_together(p, a, b):
            made.coupled[0] = 1
    fill_response(p, a)
    return a


@inlined
def _held_by(p: Pack, c: int, a: int, y: np.ndarray) -> float:
    """The friction that has to be overcome: the static one where a contact does not slide at the start of the step."""
    contacts, scale = contacts_in(p), constants_in(p).scale
    _, u1, u2 = _velocity(p, a, shifted(y, coordinate_count(p)))
    rests = math.sqrt(u1 * u1 + u2 * u2) <= RESTING * scale[0] / scale[1]
    return contacts.static[c] if rests else contacts.kinetic[c]


@kernel
def _search(p: Pack, v: np.ndarray) -> int:
    """Impulses at all closed contacts, by sweeps; returns how many."""
    made, contacts = responses_in(p), contacts_in(p)
    count, n, sweeps, change, speed, quiet = made.used[0], coordinate_count(p), 0, 0.0, 0.0, 0
    while sweeps < MOST_SWEEPS:
        sweeps += 1
        change = 0.0
        if made.coupled[0] == 1:
            for i in range(n):
                made.swept[i] = v[i]
        for a in range(count):
            own, p_ = shifted(made.own, 6 * a), shifted(made.impulse, 3 * a)
            un, u1, u2 = _velocity(p, a, v)
            # As they were without this contact's own impulse.
            un += made.aim[a] - (own[0] * p_[0] + own[1] * p_[1] + own[2] * p_[2])
            u1 -= own[1] * p_[0] + own[3] * p_[1] + own[4] * p_[2]
            u2 -= own[2] * p_[0] + own[4] * p_[1] + own[5] * p_[2]
            speed = max(speed, max(abs(un), max(abs(u1), abs(u2))))
            c = made.contact[a]
            pn, p1, p2, slides = impulse_at(
                *(own[0], own[1], own[2], own[3], own[4], own[5]),
                *(un, u1, u2),
                *(made.hold[a], contacts.kinetic[c]),
            )
            dn, d1, d2 = pn - p_[0], p1 - p_[1], p2 - p_[2]
            p_[0], p_[1], p_[2] = pn, p1, p2
            if pn > 0.0:
                contacts.impulse[NUMBERS * c + 3] = SLIDING if slides == 1 else STICKING
            if dn != 0.0 or d1 != 0.0 or d2 != 0.0:
                push_response(p, a, dn, d1, d2, v)
        if made.coupled[0] == 0:
            return _told(p, sweeps, 0.0)
        # Impulses of contacts that bars join may go on changing against one another; velocities count, twice in a row.
        for i in range(n):
            change = max(change, abs(v[i] - made.swept[i]))
        quiet = quiet + 1 if change <= STILL * speed else 0
        if quiet == 2 or (quiet == 1 and count == 1):
            return _told(p, sweeps, 0.0)
    return _told(p, sweeps, change)


@inlined
def _told(p: Pack, sweeps: int, residual: float) -> int:
    worst = responses_in(p).worst
    worst[SWEEPS] = max(worst[SWEEPS], float(sweeps))
    if residual > 0.0:
        worst[RESIDUAL] = max(worst[RESIDUAL], residual)
        worst[UNCONVERGED] += 1.0
    return sweeps


@inlined
def _open_all(p: Pack) -> None:
    made = responses_in(p)
    for a in range(made.used[0]):
        made.place[made.contact[a]] = 0
    made.used[0] = 0
    made.coupled[0] = 0


@entry
def begin_contacts(p: Pack, y: np.ndarray) -> None:
    """A step begins: no contact is closed yet, and the forces of the last step do not act any more."""
    contacts, at, state = contacts_in(p), forces_begin(p), start_of(y)
    _open_all(p)
    responses_in(p).work[0] = 0.0
    for k in range(NUMBERS * contact_count(p)):
        contacts.impulse[k] = 0.0
        state[at + k] = 0.0


@inlined
def _end_of_move(p: Pack, c: int, a: int, start: np.ndarray, end: np.ndarray) -> float:
    """The gap at which a closed contact ends [m]. Planes and boxes are convex: a node that stays in front of the plane
    that it came from stays outside, whichever face is nearest on the way. Of a terrain it is the ground below, and of a
    bar across an edge what is true at the end, since it slides along itself and turns."""
    made, contacts = responses_in(p), contacts_in(p)
    kind = contacts.kind[contacts.surface[c]]
    if kind == TERRAIN or (kind == EDGE and made.sunk[a] == 0.0):
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
            a = _close(p, c, nx, ny, nz, share)
            if a < 0:
                continue
            # What is deeper inside than round-off, since grounds meet there, is kept from going deeper and no more:
            # to throw it out within a step would make energy.
            made.begin[a] = max(before, -UNDONE * MET * scale) if seen else 0.0
            made.sunk[a] = min(before - made.begin[a], 0.0) if seen else min(gap, 0.0)
            made.hold[a] = _held_by(p, c, a, start)
            todo = True
        gap = _end_of_move(p, c, a, start, end)
        if gap < -small or (gap > small and made.impulse[3 * a] > 0.0):
            todo = True
            left = max(left, abs(gap))
        made.aim[a] = gap / h - _velocity(p, a, v)[0]
    if not todo:
        return 0
    for i in range(n):
        made.before[i] = v[i]
    sweeps = _told(p, 0, left / h) if last else _search(p, v)
    for i in range(n):
        end[i] += h * (v[i] - made.before[i])
    return sweeps


@entry
def strike(p: Pack, y: np.ndarray, moved: np.ndarray, trial: np.ndarray) -> int:
    """Change the velocities at the end of a step so that no closed contact goes on into its ground, and bounces as it
    came at the beginning of the step; moved: velocities of the move. Returns how many sweeps that took."""
    made, contacts, n = responses_in(p), contacts_in(p), coordinate_count(p)
    small, v, bounces = CLOSED * constants_in(p).scale[0], shifted(start_of(trial), n), False
    _open_all(p)
    for c in range(contact_count(p)):
        gap, nx, ny, nz, share = gap_at(p, c, start_of(trial))
        if gap <= small:
            a = _close(p, c, nx, ny, nz, share)
            if a >= 0:
                came = min(_velocity(p, a, shifted(start_of(y), n))[0], 0.0)
                made.aim[a] = contacts.restitution[c] * came
                made.hold[a] = _held_by(p, c, a, start_of(y))
                bounces = bounces or made.aim[a] < 0.0
    if made.used[0] == 0:
        return 0
    for i in range(n):
        made.before[i] = v[i]
    sweeps = _search(p, v)
    return sweeps + _bound_bounce(p, start_of(moved), v) if bounces else sweeps


@kernel
def _work(p: Pack, before: np.ndarray, v: np.ndarray) -> float:
    """Of the impulses at closed contacts [J], with the mean of the velocities before and after them.

    Before the forces of this half of the step act: what they add and a contact takes away again at once is no work.
    """
    made, total = responses_in(p), 0.0
    for a in range(made.used[0]):
        un, u1, u2 = _velocity(p, a, before)
        wn, w1, w2 = _velocity(p, a, v)
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
    full = made.work[0] + _work(p, moved, v)
    if full <= 0.0:
        return 0
    for i in range(n):
        room[i] = v[i]
        v[i] = made.before[i]
    for a in range(count):
        made.aim[a] = 0.0
    for k in range(3 * count):
        made.bounced[k] = made.impulse[k]
        made.impulse[k] = 0.0
    sweeps = _search(p, v)
    none = made.work[0] + _work(p, moved, v)
    _blend(p, 0.5, room, v)
    half = made.work[0] + _work(p, moved, v)
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
    done = _work(p, start_of(before), shifted(start_of(trial), coordinate_count(p)))
    made.work[0] += done
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
        told = (LANDED_STICKING if now == STICKING else LANDED_SLIDING) if was == OPEN else now
        log[filled, 0], log[filled, 1], log[filled, 2] = t, first + c, told
        filled += 1
    return filled


@entry
def fill_gaps(p: Pack, y: np.ndarray, out: np.ndarray) -> None:
    """Fill the gap of every contact that there can be [m], negative inside a ground."""
    for c in range(contact_count(p)):
        out[c] = gap_at(p, c, start_of(y))[0]
