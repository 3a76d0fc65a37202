"""What is kept of impulses at contacts: their work, the forces that they leave in a state, and what is told of them."""

from __future__ import annotations

import numpy as np

from taut.mechanics.contact.bounces import impulse_work
from taut.mechanics.contact.parts import string_count, string_event
from taut.mechanics.contact.responses import responses_in
from taut.mechanics.tables import coordinate_count
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
from taut.numerics.compiled import entry, inlined
from taut.numerics.packing import Pack
from taut.numerics.pointers import shifted, start_of


@entry
def book_contacts(p: Pack, before: np.ndarray, trial: np.ndarray) -> float:
    """Put the impulses that were found to those of the step; returns their work [J], `before` being the velocities
    before forces and impulses acted."""
    return book(p, start_of(before), shifted(start_of(trial), coordinate_count(p)))


@inlined
def book(p: Pack, begun: np.ndarray, v: np.ndarray) -> float:
    """The same with pointers; v: velocities now."""
    made, contacts = responses_in(p), contacts_in(p)
    done = impulse_work(p, begun, v, contact_count(p))
    made.work[0] += done if string_count(p) == 0 else impulse_work(p, begun, v, ground_count(p))
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
        told = shifted(impulse, NUMBERS * c)
        if told[3] != OPEN:
            leave(h, told, shifted(state, at + NUMBERS * c))


@inlined
def leave(h: float, told: np.ndarray, force: np.ndarray) -> None:
    """Of one contact: make forces of its impulses, and these zero."""
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
