"""What an impulse at a closed contact does to velocities: columns of (M^-1 - M^-1 G^T (G M^-1 G^T)^-1 G M^-1) H^T.

Where no bar meets another the impulse moves the ends of its own bar and nothing else (`fill_local`, `push_local`);
otherwise everything (`fill_whole`, `push_whole`). Columns are those of the system that was prepared last.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from taut.mechanics.inertia.thin import thin_in
from taut.mechanics.parts import solve_system
from taut.mechanics.rows.bars import bar_count, bars_in
from taut.mechanics.systems.pairs import LOOSE, PAIRS, pairs_at
from taut.mechanics.tables import constants_in, coordinate_count, part_of, row_count, slot, work_in
from taut.mechanics.terms.contacts import MOST_DENSE, Contacts, contacts_in
from taut.numerics.compiled import inlined, kernel
from taut.numerics.packing import Integers, Pack, Reals, counter, reader, size_of
from taut.numerics.pointers import shifted

LOCAL = 18
"""Numbers of a column that moves one bar: for impulses along three directions, the velocities of two nodes."""


class Responses(NamedTuple):
    """Closed contacts, as many as a entries, k numbers of a column each, and the state of their search."""

    contact: Integers  # (a,) which
    place: Integers  # (c,) 1 + its entry, 0 where it is not closed
    count: Integers  # (1,) entries in use
    frame: Reals  # (9 a,) normal and two directions along the ground
    share: Reals  # (a,) of the second node
    aim: Reals  # (a,) added to the normal velocity, whose sum is not to be negative [m/s]
    impulse: Reals  # (3 a,) in the frame [N s]
    bounced: Reals  # (3 a,) those of a full bounce [N s]
    own: Reals  # (6 a,) what an impulse does to the velocity where it acts, upper half [1/kg]
    column: Reals  # (a k,)
    before: Reals  # (3 n,) velocities before a search [m/s]
    work: Reals  # (1,) of all impulses in this step [J]
    worst: Reals  # (4,) most sweeps of a search, its residual, searches that did not converge, contacts left out


responses_in = reader(Responses, slot("responses"))
ENTRIES = part_of("responses", Responses, "contact")
WORST = part_of("responses", Responses, "worst")
entry_room = counter(ENTRIES)

SWEEPS, RESIDUAL, UNCONVERGED, LEFT_OUT = range(4)


def responses_of(contacts: Contacts, coordinates: int, *, local: bool) -> Responses:
    every = contacts.first.size
    room = every if local else min(every, MOST_DENSE)
    whole = np.int64
    return Responses(
        contact=np.zeros(room, dtype=whole),
        place=np.zeros(every, dtype=whole),
        count=np.zeros(1, dtype=whole),
        frame=np.zeros(9 * room),
        share=np.zeros(room),
        aim=np.zeros(room),
        impulse=np.zeros(3 * room),
        bounced=np.zeros(3 * room),
        own=np.zeros(6 * room),
        column=np.zeros(room * (LOCAL if local else 3 * coordinates)),
        before=np.zeros(coordinates),
        work=np.zeros(1),
        worst=np.zeros(4),
    )


@inlined
def _note_own(made: Responses, a: int, d: int, x: float, y: float, z: float) -> None:
    """Keep the velocity where an entry acts after a unit impulse along direction d of its frame."""
    f, own = shifted(made.frame, 9 * a), shifted(made.own, 6 * a)
    if d == 0:
        own[0] = f[0] * x + f[1] * y + f[2] * z
        own[1] = f[3] * x + f[4] * y + f[5] * z
    elif d == 1:
        own[3] = f[3] * x + f[4] * y + f[5] * z
    if d <= 1:
        own[2 * (d + 1)] = f[6] * x + f[7] * y + f[8] * z
    else:
        own[5] = f[6] * x + f[7] * y + f[8] * z


@kernel
def fill_local(p: Pack, a: int) -> None:
    """The column of an entry: what a unit impulse along each direction of its frame does to the ends of its bar."""
    made, contacts = responses_in(p), contacts_in(p)
    c = made.contact[a]
    k, i = contacts.rod[c], contacts.first[c]
    metric = constants_in(p).metric[0]
    pairs, thin = pairs_at(p, PAIRS + metric), thin_in(p)
    low = _loose_row(p, pairs.loose, i) if k < 0 else 0
    # The share of the bar's second end, as the bar stands among thin ones.
    share = made.share[a]
    if k >= 0 and i != thin.first[k]:
        share = 1.0 - share
    for d in range(3):
        fx, fy, fz = made.frame[9 * a + 3 * d], made.frame[9 * a + 3 * d + 1], made.frame[9 * a + 3 * d + 2]
        out = shifted(made.column, LOCAL * a + 6 * d)
        if k < 0:
            out[0], out[1], out[2] = pairs.single[low] * fx, pairs.single[low + 1] * fy, pairs.single[low + 2] * fz
            out[3], out[4], out[5] = 0.0, 0.0, 0.0
        else:
            ends = thin.first[k], thin.second[k]
            _respond(p, k, ends[0], ends[1], 1.0 - share, share, fx, fy, fz, pairs.block, pairs.place, out)
        x, y, z = (
            out[0] + share * (out[3] - out[0]),
            out[1] + share * (out[4] - out[1]),
            out[2] + share * (out[5] - out[2]),
        )
        _note_own(made, a, d, x, y, z)


@inlined
def _loose_row(p: Pack, loose: np.ndarray, i: int) -> int:
    """Where a coordinate stands among those of nodes without a bar."""
    low, high = 0, size_of(p, LOOSE)
    while low < high:
        middle = (low + high) // 2
        if loose[middle] < i:
            low = middle + 1
        else:
            high = middle
    return low


@inlined
def _respond(
    p: Pack,
    k: int,
    i: int,
    j: int,
    at_first: float,
    at_second: float,
    fx: float,
    fy: float,
    fz: float,
    block: np.ndarray,
    place: np.ndarray,
    out: np.ndarray,
) -> None:
    """Velocities of both ends of a bar after an impulse that is shared between them."""
    force, along = (fx, fy, fz), (place[j] - place[i], place[j + 1] - place[i + 1], place[j + 2] - place[i + 2])
    rate, softness = 0.0, 0.0
    for d in range(3):
        own, both, other = block[9 * k + d], block[9 * k + 3 + d], block[9 * k + 6 + d]
        out[d] = (own * at_first + both * at_second) * force[d]
        out[3 + d] = (both * at_first + other * at_second) * force[d]
        rate += along[d] * (out[3 + d] - out[d])
        softness += along[d] * along[d] * (own - 2.0 * both + other)
    if k < bar_count(p) and bars_in(p).per_length[k] > 0.0 and softness > 0.0:
        push = rate / softness  # what keeps the bar's length
        for d in range(3):
            own, both, other = block[9 * k + d], block[9 * k + 3 + d], block[9 * k + 6 + d]
            out[d] += (own - both) * push * along[d]
            out[3 + d] += (both - other) * push * along[d]


@kernel
def push_local(p: Pack, a: int, pn: float, p1: float, p2: float, v: np.ndarray) -> None:
    """Add to velocities what an impulse in the frame of an entry does."""
    made, contacts = responses_in(p), contacts_in(p)
    c = made.contact[a]
    k, i = contacts.rod[c], contacts.first[c]
    column = shifted(made.column, LOCAL * a)
    if k >= 0:
        i = thin_in(p).first[k]
        j = thin_in(p).second[k]
        for d in range(3):
            v[j + d] += column[3 + d] * pn + column[9 + d] * p1 + column[15 + d] * p2
    for d in range(3):
        v[i + d] += column[d] * pn + column[6 + d] * p1 + column[12 + d] * p2


@kernel
def fill_whole(p: Pack, a: int) -> None:
    made, contacts, work, n = responses_in(p), contacts_in(p), work_in(p), coordinate_count(p)
    c, share = made.contact[a], made.share[a]
    i, j = contacts.first[c], contacts.second[c]
    for k in range(row_count(p)):
        work.residual_rate[k] = 0.0
    for d in range(3):
        for m in range(n):
            work.balance[m] = 0.0
        for m in range(3):
            along = made.frame[9 * a + 3 * d + m]
            work.balance[i + m] += (1.0 - share) * along
            work.balance[j + m] += share * along
        column = shifted(made.column, (3 * a + d) * n)
        solve_system(p, constants_in(p).metric[0], work.balance, work.residual_rate, column, work.multiplier)
        x, y, z = column[i], column[i + 1], column[i + 2]
        _note_own(
            *(made, a, d),
            *(x + share * (column[j] - x), y + share * (column[j + 1] - y), z + share * (column[j + 2] - z)),
        )


@kernel
def push_whole(p: Pack, a: int, pn: float, p1: float, p2: float, v: np.ndarray) -> None:
    n = coordinate_count(p)
    column = shifted(responses_in(p).column, 3 * a * n)
    for m in range(n):
        v[m] += column[m] * pn + column[n + m] * p1 + column[2 * n + m] * p2
