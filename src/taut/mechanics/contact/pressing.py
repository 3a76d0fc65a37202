"""Contacts in a step that conserves energy: pressed apart while it moves, and settled where it ends.

While it moves, grounds press with impulses P / 2 in each half such that no contact ends inside of a ground, with
Coulomb's law on the way; P . v is never positive. The move would end with mirrored velocities. Where it ends, the
impulses p of the whole step are found such that nothing goes on into a ground; velocities hold P already, so that the
search begins with it. Without friction p never leads to more energy than P: it is the one that leads to the least. With
friction it may, by little, where something lifts off while it slides; then p is between the two, where it makes none.
"""

from __future__ import annotations

import math

import numpy as np

from taut.mechanics.contact.closed_contacts import (
    add_impulses,
    close,
    fill_responses,
    held_by,
    open_all,
    search,
    velocity_at,
)
from taut.mechanics.contact.impulses import CLOSED, keep_apart
from taut.mechanics.contact.responses import responses_in
from taut.mechanics.parts import carry
from taut.mechanics.tables import constants_in, coordinate_count, work_in
from taut.mechanics.terms.contacts import NUMBERS, contact_count, contacts_in, gap_at
from taut.numerics.compiled import entry, inlined, kernel
from taut.numerics.packing import Pack
from taut.numerics.pointers import shifted, start_of


@entry
def press(p: Pack, h: float, y: np.ndarray, trial: np.ndarray) -> None:
    """Change the velocities of a move and where it ends, so that it ends in no ground, as Coulomb's law has it."""
    made, n = responses_in(p), coordinate_count(p)
    if keep_apart(p, h, y, trial, False) > 0 or made.used[0] == 0:
        return
    # Apart already; but velocities along the ground may have changed since impulses were found.
    end, v = start_of(trial), shifted(start_of(trial), n)
    for i in range(n):
        made.before[i] = v[i]
    search(p, v)
    for i in range(n):
        end[i] += h * (v[i] - made.before[i])


@kernel
def add_pressing(p: Pack, out: np.ndarray) -> None:
    """Add the impulses at closed contacts, where they act."""
    add_impulses(p, 1.0, out)


@kernel
def fill_again(p: Pack) -> None:
    responses_in(p).filled[0] = 0
    fill_responses(p)


@entry
def book_press(p: Pack, trial: np.ndarray) -> float:
    """Keep what grounds pressed with in both halves of a move; returns the work of that [J]."""
    made, contacts, v, total = responses_in(p), contacts_in(p), shifted(start_of(trial), coordinate_count(p)), 0.0
    for a in range(made.used[0]):
        c, f, p_ = made.contact[a], shifted(made.frame, 9 * a), shifted(made.impulse, 3 * a)
        un, u1, u2 = velocity_at(p, a, v)
        total += 2.0 * (p_[0] * un + p_[1] * u1 + p_[2] * u2)
        for m in range(3):
            contacts.impulse[NUMBERS * c + m] = 2.0 * (f[m] * p_[0] + f[3 + m] * p_[1] + f[6 + m] * p_[2])
    made.work[0] = total
    return total


@kernel
def touches(p: Pack, end: np.ndarray) -> bool:
    small, contacts = CLOSED * constants_in(p).scale[0], contacts_in(p)
    for c in range(contact_count(p)):
        told = shifted(contacts.impulse, NUMBERS * c)
        if told[0] != 0.0 or told[1] != 0.0 or told[2] != 0.0 or gap_at(p, c, end)[0] <= small:
            return True
    return False


@inlined
def _pressed(p: Pack, a: int, m: int) -> float:
    """What the ground pressed with at an entry, along a direction of its frame [N s]."""
    made = responses_in(p)
    f, told = shifted(made.frame, 9 * a + 3 * m), shifted(contacts_in(p).impulse, NUMBERS * made.contact[a])
    return f[0] * told[0] + f[1] * told[1] + f[2] * told[2]


@kernel
def _work(p: Pack, v: np.ndarray) -> float:
    """Of what impulses at the end are more than what was pressed with, and of that [J]."""
    made, total = responses_in(p), responses_in(p).work[0]
    for a in range(made.used[0]):
        un, u1, u2 = velocity_at(p, a, made.before)
        wn, w1, w2 = velocity_at(p, a, v)
        p_ = shifted(made.impulse, 3 * a)
        total += 0.5 * (p_[0] - _pressed(p, a, 0)) * (un + wn)
        total += 0.5 * (p_[1] - _pressed(p, a, 1)) * (u1 + w1) + 0.5 * (p_[2] - _pressed(p, a, 2)) * (u2 + w2)
    return total


@inlined
def _as_pressed(p: Pack, v: np.ndarray) -> None:
    """Velocities and impulses as the move left them."""
    made = responses_in(p)
    for i in range(coordinate_count(p)):
        v[i] = made.before[i]
    for a in range(made.used[0]):
        for m in range(3):
            made.impulse[3 * a + m] = _pressed(p, a, m)


@inlined
def _set_aside(p: Pack, room: np.ndarray, v: np.ndarray) -> None:
    made = responses_in(p)
    for i in range(coordinate_count(p)):
        room[i] = v[i]
    for k in range(3 * made.used[0]):
        made.bounced[k] = made.impulse[k]


@inlined
def _go(p: Pack, s: float, room: np.ndarray, v: np.ndarray) -> None:
    """A fraction of the way to what was set aside."""
    made = responses_in(p)
    for i in range(coordinate_count(p)):
        v[i] += s * (room[i] - v[i])
    for k in range(3 * made.used[0]):
        made.impulse[k] += s * (made.bounced[k] - made.impulse[k])


@kernel
def _go_as_far(p: Pack, full: float, room: np.ndarray, v: np.ndarray) -> None:
    """Go to what was set aside, whose work is `full`, as far as that makes no energy: work along the way is a
    parabola. What is between two impulses that a contact can have, it can have too."""
    none = min(_work(p, v), 0.0)
    _go(p, 0.5, room, v)
    half = _work(p, v)
    a, b = 2.0 * (full + none) - 4.0 * half, 4.0 * half - 3.0 * none - full
    root = math.sqrt(max(b * b - 4.0 * a * none, 0.0))
    s = 2.0 * -none / (b + root) if b + root > 0.0 else 0.0
    # What is left of the way is as long as that so far.
    _go(p, (min(max(s, 0.0), 1.0) - 0.5) * 2.0, room, v)


@entry
def settle_contacts(p: Pack, y: np.ndarray, trial: np.ndarray) -> float:
    """Change the velocities at the end of a step so that nothing goes on into a ground, and bounces as it came; returns
    the work of that [J]. The system has been prepared there, and velocities meet the constraints."""
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
    if made.used[0] == 0:
        return 0.0
    for i in range(n):
        made.before[i] = v[i]
    _as_pressed(p, v)
    search(p, v)
    room, total = work_in(p).force, _work(p, v)
    if total > 0.0 and bounces:
        _set_aside(p, room, v)
        for a in range(made.used[0]):
            made.aim[a] = 0.0
        _as_pressed(p, v)
        search(p, v)
        without = _work(p, v)
        if without <= 0.0:
            _go_as_far(p, total, room, v)
            without = 0.0
        total = without
    if total > 0.0:
        _set_aside(p, room, v)
        _as_pressed(p, v)
        _go_as_far(p, total, room, v)
    # By what it changes of the kinetic energy: bars that are driven have their share in it.
    done, momentum = 0.0, work_in(p).balance
    for i in range(n):
        room[i] = v[i] - made.before[i]
    carry(p, start_of(trial), room, momentum)
    for i in range(n):
        done += momentum[i] * (made.before[i] + 0.5 * room[i])
    for a in range(made.used[0]):
        c, f, p_ = made.contact[a], shifted(made.frame, 9 * a), shifted(made.impulse, 3 * a)
        for m in range(3):
            contacts.impulse[NUMBERS * c + m] = f[m] * p_[0] + f[3 + m] * p_[1] + f[6 + m] * p_[2]
    return done
