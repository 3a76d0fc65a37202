"""Contacts that are closed: taken up one by one, and solved one after another, each exactly (`cone.py`), until nothing
changes any more."""

from __future__ import annotations

import math

import numpy as np

from taut.mechanics.contact.cone import SOFTNESS, impulse_from, soften
from taut.mechanics.contact.parts import aim_string, note_mates, pull_string, string_velocity
from taut.mechanics.contact.responses import LEFT_OUT, RESIDUAL, SWEEPS, UNCONVERGED, entry_room, responses_in
from taut.mechanics.grounds.surfaces import EDGE, PLANE, STRING, TERRAIN, in_one_patch
from taut.mechanics.inertia.thin import thin_in
from taut.mechanics.parts import body_of, fill_response, push_response
from taut.mechanics.tables import constants_in, coordinate_count
from taut.mechanics.terms.contacts import NUMBERS, SLIDING, STICKING, contacts_in, gap_at, ground_count
from taut.numerics.compiled import inlined, kernel
from taut.numerics.packing import Pack
from taut.numerics.pointers import shifted

RESTING = 1e-9
"""Of a typical speed: slower than that a contact does not slide."""
IMMOVABLE = 1e-12
"""Of what an impulse would do to a free node: less is round-off."""
ALIKE = 0.99
"""The cosine between two normals of a terrain that face alike: what is lifted along one comes out at the other."""
MOST_SWEEPS = 1000
STILL = 1e-13
"""Of the largest velocity that an impulse has to do with: a change that is none."""


@inlined
def velocity_at(p: Pack, a: int, v: np.ndarray) -> tuple[float, float, float]:
    """Where an entry acts, in its frame."""
    made, contacts = responses_in(p), contacts_in(p)
    c, share, f = made.contact[a], made.share[a], shifted(made.frame, 9 * a)
    string = c - ground_count(p)
    if string >= 0:
        return string_velocity(p, string, v), 0.0, 0.0
    i = contacts.first[c]
    x, y, z = v[i], v[i + 1], v[i + 2]
    if share != 0.0:
        j = contacts.second[c]
        x, y, z = x + share * (v[j] - x), y + share * (v[j + 1] - y), z + share * (v[j + 2] - z)
    return f[0] * x + f[1] * y + f[2] * z, f[3] * x + f[4] * y + f[5] * z, f[6] * x + f[7] * y + f[8] * z


@inlined
def add_impulses(p: Pack, factor: float, out: np.ndarray) -> None:
    """Add the impulses at closed contacts, times a factor, to a vector of all coordinates."""
    made, contacts = responses_in(p), contacts_in(p)
    for a in range(made.used[0]):
        c, share, f, p_ = made.contact[a], made.share[a], shifted(made.frame, 9 * a), shifted(made.impulse, 3 * a)
        i, j, string = contacts.first[c], contacts.second[c], c - ground_count(p)
        if string >= 0:
            pull_string(p, string, factor * p_[0], out)
            continue
        for m in range(3):
            along = factor * (f[m] * p_[0] + f[3 + m] * p_[1] + f[6 + m] * p_[2])
            out[i + m] += (1.0 - share) * along
            out[j + m] += share * along


@inlined
def frame_along(f: np.ndarray, nx: float, ny: float, nz: float) -> None:
    """A normal and two directions along the ground, of which the first is one that no normal is close to."""
    if abs(nx) < 0.6:
        tx, ty, tz = 1.0 - nx * nx, -nx * ny, -nx * nz
    else:
        tx, ty, tz = -ny * nx, 1.0 - ny * ny, -ny * nz
    size = math.sqrt(tx * tx + ty * ty + tz * tz)
    tx, ty, tz = tx / size, ty / size, tz / size
    f[0], f[1], f[2], f[3], f[4], f[5] = nx, ny, nz, tx, ty, tz
    f[6], f[7], f[8] = ny * tz - nz * ty, nz * tx - nx * tz, nx * ty - ny * tx


@kernel
def close(p: Pack, c: int, place: np.ndarray, nx: float, ny: float, nz: float, share: float) -> int:
    """Take a contact among those that are closed; returns its entry, -1 where there is no room. place: positions at
    which a cable pulls."""
    made, contacts = responses_in(p), contacts_in(p)
    a = made.used[0]
    if a == entry_room(p):
        made.worst[LEFT_OUT] += 1.0
        return -1
    made.used[0] = a + 1
    made.contact[a], made.share[a], made.place[c] = c, share, a + 1
    if c >= ground_count(p):
        aim_string(p, c - ground_count(p), place)
    f, kind = shifted(made.frame, 9 * a), contacts.kind[contacts.surface[c]]
    if kind == PLANE:  # known beforehand
        data = shifted(contacts.data, contacts.start[contacts.surface[c]])
        for m in range(9):
            f[m] = data[m]
    else:
        frame_along(f, nx, ny, nz)
    made.impulse[3 * a], made.impulse[3 * a + 1], made.impulse[3 * a + 2], made.slide[a] = 0.0, 0.0, 0.0, 0.0
    if kind in (TERRAIN, EDGE, STRING):
        made.bent[0] = 1
    body = body_of(p, c)
    if made.bodies[body] > 0:
        made.coupled[0] = 1
    made.rank[a], made.owner[a] = made.bodies[body], body
    made.bodies[body] += 1
    note_mates(p, a, c)
    return a


@inlined
def leave_held(p: Pack, a: int) -> None:
    """Where supports hold what touches, no impulse at it does anything: its response is zero, and not round-off."""
    made, mass, c = responses_in(p), thin_in(p).diagonal, responses_in(p).contact[a]
    if made.own[6 * a] * max(mass[contacts_in(p).first[c]], mass[contacts_in(p).second[c]]) <= IMMOVABLE:
        for k in range(6):
            made.own[6 * a + k] = 0.0


@inlined
def fill_responses(p: Pack) -> None:
    """Of the contacts that were closed since this was last done, with the system that they were closed under."""
    made = responses_in(p)
    first = made.filled[0]
    if first < made.used[0]:
        fill_response(p, first)
        for a in range(first, made.used[0]):
            leave_held(p, a)
            soften(shifted(made.own, 6 * a), shifted(made.soft, SOFTNESS * a))
        made.filled[0] = made.used[0]


@inlined
def held_by(p: Pack, c: int, a: int, y: np.ndarray) -> float:
    """The friction that has to be overcome: the static one where a contact does not slide at the start of the step."""
    _, u1, u2 = velocity_at(p, a, shifted(y, coordinate_count(p)))
    return friction_at(p, c, u1, u2)


@inlined
def friction_at(p: Pack, c: int, u1: float, u2: float) -> float:
    contacts, scale = contacts_in(p), constants_in(p).scale
    limit = RESTING * scale[0] / scale[1]
    return contacts.static[c] if u1 * u1 + u2 * u2 <= limit * limit else contacts.kinetic[c]


@kernel
def search(p: Pack, v: np.ndarray) -> int:
    """Impulses at all closed contacts, by sweeps; returns how many."""
    made, contacts = responses_in(p), contacts_in(p)
    fill_responses(p)
    count, n, sweeps, change, speed, quiet = made.used[0], coordinate_count(p), 0, 0.0, 0.0, 0
    while sweeps < MOST_SWEEPS:
        sweeps += 1
        change = 0.0
        if made.coupled[0] == 1:
            for i in range(n):
                made.swept[i] = v[i]
        for a in range(count):
            own, p_ = shifted(made.own, 6 * a), shifted(made.impulse, 3 * a)
            un, u1, u2 = velocity_at(p, a, v)
            # As they were without this contact's own impulse.
            un += made.aim[a] - (own[0] * p_[0] + own[1] * p_[1] + own[2] * p_[2])
            u1 -= own[1] * p_[0] + own[3] * p_[1] + own[4] * p_[2]
            u2 -= own[2] * p_[0] + own[4] * p_[1] + own[5] * p_[2]
            speed = max(speed, max(abs(un), max(abs(u1), abs(u2))))
            c = made.contact[a]
            pn, p1, p2, slides, made.slide[a] = impulse_from(
                own, shifted(made.soft, SOFTNESS * a), un, u1, u2, made.hold[a], contacts.kinetic[c], made.slide[a]
            )
            dn, d1, d2 = pn - p_[0], p1 - p_[1], p2 - p_[2]
            p_[0], p_[1], p_[2] = pn, p1, p2
            if pn > 0.0:
                contacts.impulse[NUMBERS * c + 3] = SLIDING if slides == 1 else STICKING
            if dn != 0.0 or d1 != 0.0 or d2 != 0.0:
                push_response(p, a, dn, d1, d2, v)
        if made.coupled[0] == 0:
            return counted(p, sweeps, 0.0)
        # Impulses of contacts that bars join may go on changing against one another; velocities count, twice in a row.
        for i in range(n):
            change = max(change, abs(v[i] - made.swept[i]))
        quiet = quiet + 1 if change <= STILL * speed else 0
        if quiet == 2 or (quiet == 1 and count == 1):
            return counted(p, sweeps, 0.0)
    return counted(p, sweeps, change)


@inlined
def counted(p: Pack, sweeps: int, residual: float) -> int:
    worst = responses_in(p).worst
    worst[SWEEPS] = max(worst[SWEEPS], float(sweeps))
    if residual > 0.0:
        worst[RESIDUAL] = max(worst[RESIDUAL], residual)
        worst[UNCONVERGED] += 1.0
    return sweeps


@inlined
def open_all(p: Pack) -> None:
    made = responses_in(p)
    for a in range(made.used[0]):
        made.place[made.contact[a]] = 0
        made.bodies[made.owner[a]] = 0
    made.used[0] = 0
    made.filled[0] = 0
    made.coupled[0] = 0
    made.bent[0] = 0


# --- what goes from one patch of a terrain to another in a move strikes the patch on which it ends, or both


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
