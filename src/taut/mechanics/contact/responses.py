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

LOCAL = 16
"""Numbers of the response of one bar, in which follow one another e and f, w, y and z, and 1 / softness."""
E2, W, Y, Z, SOFT = 3, 6, 9, 12, 15

PLACES = (0, 1, 2, 1, 3, 4, 2, 4, 5)
"""Where an entry of a symmetric 3 x 3 stands in its upper half."""


class Responses(NamedTuple):
    """Closed contacts, as many as a entries, k numbers of a column each, and the state of their search."""

    contact: Integers  # (a,) which
    place: Integers  # (c,) 1 + its entry, 0 where it is not closed
    used: Integers  # (1,) entries in use
    coupled: Integers  # (1,) 1 where an impulse at one changes the velocity at another
    frame: Reals  # (9 a,) normal and two directions along the ground
    share: Reals  # (a,) of the second node
    begin: Reals  # (a,) the gap at the start of the move [m]
    sunk: Reals  # (a,) how deep it was already then, as a negative gap [m]
    hold: Reals  # (a,) friction that has to be overcome
    aim: Reals  # (a,) added to the normal velocity, whose sum is not to be negative [m/s]
    impulse: Reals  # (3 a,) in the frame [N s]
    bounced: Reals  # (3 a,) those of a full bounce [N s]
    own: Reals  # (6 a,) what an impulse does to the velocity where it acts, upper half [1/kg]
    column: Reals  # (a k,)
    before: Reals  # (3 n,) velocities before a search [m/s]
    swept: Reals  # (3 n,) velocities before a sweep [m/s]
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
        used=np.zeros(1, dtype=whole),
        coupled=np.zeros(1, dtype=whole),
        frame=np.zeros(9 * room),
        share=np.zeros(room),
        begin=np.zeros(room),
        sunk=np.zeros(room),
        hold=np.zeros(room),
        aim=np.zeros(room),
        impulse=np.zeros(3 * room),
        bounced=np.zeros(3 * room),
        own=np.zeros(6 * room),
        column=np.zeros(room * (LOCAL if local else max(LOCAL, 3 * coordinates))),  # wide enough for either
        before=np.zeros(coordinates),
        swept=np.zeros(coordinates),
        work=np.zeros(1),
        worst=np.zeros(4),
    )


@kernel
def fill_local(p: Pack, a: int) -> None:
    """What an impulse P at an entry does to the two ends of its bar: v += e P - y s and v += f P - z s, axis by axis,
    with s = (w . P) / softness the push that keeps the bar's length, zero where nothing does."""
    made, contacts = responses_in(p), contacts_in(p)
    c = made.contact[a]
    k, i = contacts.rod[c], contacts.first[c]
    pairs, thin = pairs_at(p, PAIRS + constants_in(p).metric[0]), thin_in(p)
    column, frame, own = shifted(made.column, LOCAL * a), shifted(made.frame, 9 * a), shifted(made.own, 6 * a)
    # The share of the bar's second end, as the bar stands among thin ones.
    share, softness = made.share[a], 0.0
    if k >= 0 and i != thin.first[k]:
        share = 1.0 - share
    for d in range(3):
        if k < 0:
            column[d], column[E2 + d] = pairs.single[_loose_row(p, pairs.loose, i) + d], 0.0
            column[W + d], column[Y + d], column[Z + d] = 0.0, 0.0, 0.0
            continue
        one, both, other = pairs.block[9 * k + d], pairs.block[9 * k + 3 + d], pairs.block[9 * k + 6 + d]
        along = pairs.place[thin.second[k] + d] - pairs.place[thin.first[k] + d]
        e, f = one + share * (both - one), both + share * (other - both)
        column[d], column[E2 + d], column[W + d] = e, f, (e - f) * along
        column[Y + d], column[Z + d] = (one - both) * along, (both - other) * along
        softness += along * along * (one - 2.0 * both + other)
    keeps = 0 <= k < bar_count(p) and softness > 0.0 and bars_in(p).per_length[k] > 0.0
    inverse = 1.0 / softness if keeps else 0.0
    column[SOFT] = inverse
    x, y, z = column[0], column[1], column[2]
    x, y, z = x + share * (column[E2] - x), y + share * (column[E2 + 1] - y), z + share * (column[E2 + 2] - z)
    at = 0
    for m in range(3):
        f = shifted(frame, 3 * m)
        across = (f[0] * column[W] + f[1] * column[W + 1] + f[2] * column[W + 2]) * inverse
        for d in range(m, 3):
            g = shifted(frame, 3 * d)
            own[at] = f[0] * x * g[0] + f[1] * y * g[1] + f[2] * z * g[2]
            own[at] -= across * (g[0] * column[W] + g[1] * column[W + 1] + g[2] * column[W + 2])
            at += 1


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


@kernel
def push_local(p: Pack, a: int, pn: float, p1: float, p2: float, v: np.ndarray) -> None:
    """Add to velocities what an impulse in the frame of an entry does."""
    made, contacts = responses_in(p), contacts_in(p)
    c, column, f = made.contact[a], shifted(made.column, LOCAL * a), shifted(made.frame, 9 * a)
    k, i = contacts.rod[c], contacts.first[c]
    x, y, z = (
        f[0] * pn + f[3] * p1 + f[6] * p2,
        f[1] * pn + f[4] * p1 + f[7] * p2,
        f[2] * pn + f[5] * p1 + f[8] * p2,
    )
    s = (column[W] * x + column[W + 1] * y + column[W + 2] * z) * column[SOFT]
    if k >= 0:
        i = thin_in(p).first[k]
        j = thin_in(p).second[k]
        v[j] += column[E2] * x - column[Z] * s
        v[j + 1] += column[E2 + 1] * y - column[Z + 1] * s
        v[j + 2] += column[E2 + 2] * z - column[Z + 2] * s
    v[i] += column[0] * x - column[Y] * s
    v[i + 1] += column[1] * y - column[Y + 1] * s
    v[i + 2] += column[2] * z - column[Y + 2] * s


@inlined
def together_local(p: Pack, a: int, b: int) -> bool:
    """Whether two entries are of one bar, or of one node."""
    made, contacts = responses_in(p), contacts_in(p)
    c, d = made.contact[a], made.contact[b]
    return contacts.first[c] == contacts.first[d] or (contacts.rod[c] >= 0 and contacts.rod[c] == contacts.rod[d])


@kernel
def respond(p: Pack, force: np.ndarray, x: np.ndarray) -> None:
    """x = what an impulse does to velocities, by the system that was prepared last; steps that conserve energy have
    another one. No rates are asked for: the caller has filled `residual_rate` with zeros."""
    work = work_in(p)
    solve_system(p, constants_in(p).metric[0], force, work.residual_rate, x, work.multiplier)


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
        respond(p, work.balance, column)
        x, y, z = column[i], column[i + 1], column[i + 2]
        x, y, z = x + share * (column[j] - x), y + share * (column[j + 1] - y), z + share * (column[j + 2] - z)
        for m in range(d + 1):
            f = shifted(made.frame, 9 * a + 3 * m)
            made.own[6 * a + PLACES[3 * m + d]] = f[0] * x + f[1] * y + f[2] * z


@kernel
def push_whole(p: Pack, a: int, pn: float, p1: float, p2: float, v: np.ndarray) -> None:
    n = coordinate_count(p)
    column = shifted(responses_in(p).column, 3 * a * n)
    for m in range(n):
        v[m] += column[m] * pn + column[n + m] * p1 + column[2 * n + m] * p2
