"""What impulses at contacts do: their work, the bound of bounces that would make energy, the forces that they leave in
a state, and what is told of contacts."""

from __future__ import annotations

import math

import numpy as np

from taut.mechanics.contact.closed_contacts import search, velocity_at
from taut.mechanics.contact.parts import string_count, string_event
from taut.mechanics.contact.responses import responses_in
from taut.mechanics.tables import coordinate_count, work_in
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
)
from taut.numerics.compiled import entry, inlined, kernel
from taut.numerics.packing import Pack
from taut.numerics.pointers import shifted, start_of


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
def bound_bounce(p: Pack, moved: np.ndarray, v: np.ndarray) -> int:
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
    """Leave in the state what contacts pushed with in a step of h, as forces, and no impulse for the next one."""
    impulse, state, at = contacts_in(p).impulse, start_of(trial), forces_begin(p)
    for c in range(contact_count(p)):
        told, force = shifted(impulse, NUMBERS * c), shifted(state, at + NUMBERS * c)
        if told[3] == OPEN:
            continue
        pushes = told[0] != 0.0 or told[1] != 0.0 or told[2] != 0.0
        force[3] = told[3] if pushes else OPEN
        for m in range(3):
            force[m] = told[m] / h
        for m in range(NUMBERS):
            told[m] = 0.0


@entry
def note_contacts(p: Pack, t: float, y: np.ndarray, trial: np.ndarray, log: np.ndarray, filled: int) -> int:
    """Log every contact that does something else at the end of a step than at its beginning; returns how much of the
    log is filled. What does not fit is left out."""
    at = forces_begin(p) + 3
    begun, ended, first = shifted(start_of(y), at), shifted(start_of(trial), at), contacts_in(p).event[0]
    for c in range(contact_count(p)):
        was, now = begun[NUMBERS * c], ended[NUMBERS * c]
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
