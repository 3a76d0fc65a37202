"""What goes from one patch of a terrain to another in a move: it strikes the patch on which it ends, or both."""

from __future__ import annotations

import math

import numpy as np

from taut.mechanics.contact.closed_contacts import frame_along, held_by
from taut.mechanics.contact.responses import responses_in
from taut.mechanics.grounds.surfaces import TERRAIN, in_one_patch
from taut.mechanics.terms.contacts import contacts_in, gap_at
from taut.numerics.compiled import inlined, kernel
from taut.numerics.packing import Pack
from taut.numerics.pointers import shifted

ALIKE = 0.99
"""The cosine between two normals of a terrain that face alike: what is lifted along one comes out at the other."""


@inlined
def over_an_edge(p: Pack, c: int, start: np.ndarray, end: np.ndarray) -> bool:
    """Whether a node goes from one patch of a terrain to another."""
    contacts = contacts_in(p)
    i, s = contacts.first[c], contacts.surface[c]
    if contacts.kind[s] != TERRAIN:
        return False
    return not in_one_patch(shifted(contacts.data, contacts.start[s]), start[i], start[i + 1], end[i], end[i + 1])


@inlined
def begin_before(p: Pack, a: int, gap: float, start: np.ndarray, end: np.ndarray) -> None:
    """The gap at the start of a move, of the plane of a patch on which it ends."""
    made = responses_in(p)
    i = contacts_in(p).first[made.contact[a]]
    f, way = shifted(made.frame, 9 * a), 0.0
    for m in range(3):
        way += f[m] * (end[i + m] - start[i + m])
    made.begin[a] = gap - way - made.sunk[a]


@kernel
def turn_over_edges(p: Pack, start: np.ndarray, end: np.ndarray, small: float) -> None:
    """What ends inside another patch of a terrain than that it began on strikes that one: raised along the normal of
    the first it would be lifted by all that the ground rises, which makes energy."""
    made = responses_in(p)
    if made.bent[0] == 0:
        return
    for a in range(made.used[0]):
        c = made.contact[a]
        if made.impulse[3 * a] == 0.0 and over_an_edge(p, c, start, end):
            gap, nx, ny, nz, _ = gap_at(p, c, end)
            if gap < -small:
                frame_along(shifted(made.frame, 9 * a), nx, ny, nz)
                begin_before(p, a, gap, start, end)
                made.filled[0] = min(made.filled[0], a)
                made.hold[a] = held_by(p, c, a, start)


@kernel
def lean_between(p: Pack, start: np.ndarray, end: np.ndarray, small: float) -> None:
    """What is pushed out of one patch into another that faces elsewhere lies between the two, as in a hollow: it is
    pushed along the normal in the middle, until it is outside of both."""
    made = responses_in(p)
    if made.bent[0] == 0:
        return
    for a in range(made.used[0]):
        c = made.contact[a]
        if made.impulse[3 * a] == 0.0 or contacts_in(p).kind[contacts_in(p).surface[c]] != TERRAIN:
            continue
        gap, nx, ny, nz, _ = gap_at(p, c, end)
        f, held = shifted(made.frame, 9 * a), shifted(made.impulse, 3 * a)
        alike = f[0] * nx + f[1] * ny + f[2] * nz
        if gap >= made.sunk[a] - small or alike > ALIKE:
            continue
        half, i, struck = math.sqrt(0.5 * (1.0 + alike)), contacts_in(p).first[c], made.begin[a]
        for m in range(3):
            struck += f[m] * (end[i + m] - start[i + m])
        x = f[0] * held[0] + f[3] * held[1] + f[6] * held[2]
        y = f[1] * held[0] + f[4] * held[1] + f[7] * held[2]
        z = f[2] * held[0] + f[5] * held[1] + f[8] * held[2]
        across = 0.5 / half
        frame_along(f, across * (f[0] + nx), across * (f[1] + ny), across * (f[2] + nz))
        for m in range(3):
            held[m] = f[3 * m] * x + f[3 * m + 1] * y + f[3 * m + 2] * z
        begin_before(p, a, made.sunk[a] - max(made.sunk[a] - gap, -struck) / half, start, end)
        made.filled[0], made.slide[a] = min(made.filled[0], a), 0.0
        made.hold[a] = held_by(p, c, a, start)
