"""What an impulse at a closed contact does to velocities: columns of (M^-1 - M^-1 G^T (G M^-1 G^T)^-1 G M^-1) H^T.

Where no bar meets another the impulse moves the ends of its own bar and nothing else (`fill_local`, `push_local`);
otherwise the body it belongs to, which is all that constraints and inertia join (`fill_whole`, `push_whole`). Columns
are those of the system that was prepared last; one solution gives those of one contact of every body.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from taut.mechanics.contact.cone import SOFTNESS
from taut.mechanics.contact.parts import pull_string, string_count, string_velocity
from taut.mechanics.inertia.cylinders import Cylinders
from taut.mechanics.inertia.thin import Thin, thin_in
from taut.mechanics.parts import solve_system
from taut.mechanics.rows.bars import kept_bar, kept_count
from taut.mechanics.systems.pairs import LOOSE, PAIRS, pairs_at
from taut.mechanics.tables import Jacobian, constants_in, coordinate_count, part_of, row_count, slot, work_in
from taut.mechanics.terms.contacts import DENSE_NUMBERS, MOST_DENSE, Contacts, contact_count, contacts_in
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
    filled: Integers  # (1,) those of them whose response is known
    rank: Integers  # (a,) among the entries of its body
    body: Integers  # (3 n,) of each coordinate its body, whose coordinates ...
    body_start: Integers  # (bodies + 1,) ... begin here ...
    body_part: Integers  # (3 n,) ... in this list; none of the three where each bar is by itself
    coupled: Integers  # (1,) 1 where an impulse at one changes the velocity at another
    bent: Integers  # (1,) 1 where a closed one is not with a plane, as seen from where it comes
    bodies: Integers  # (3 n,) entries of a body, by its number or its first coordinate
    owner: Integers  # (a,) the body that an entry was counted for
    near: Integers  # (c,) contacts that may touch soon, in their order
    nearby: Integers  # (1,) how many
    mate: Integers  # (c,) the next contact of the same bar, itself where there is none; where each bar is by itself
    busy: Integers  # (1,) where many plants go in lanes, in which something is closed, as bits
    alive: Integers  # (1,) those of the lanes that are more than filling, as bits
    frame: Reals  # (9 a,) normal and two directions along the ground
    share: Reals  # (a,) of the second node
    begin: Reals  # (a,) the gap at the start of the move [m]
    sunk: Reals  # (a,) how deep it was already then, as a negative gap [m]
    hold: Reals  # (a,) friction that has to be overcome
    slide: Reals  # (a,) the s of `cone.py` that was found last, from which the next search begins
    aim: Reals  # (a,) added to the normal velocity, whose sum is not to be negative [m/s]
    impulse: Reals  # (3 a,) in the frame [N s]
    bounced: Reals  # (3 a,) those of a full bounce [N s]
    soft: Reals  # (6 a,) of `cone.py`
    own: Reals  # (6 a,) what an impulse does to the velocity where it acts, upper half [1/kg]
    column: Reals  # (a k,)
    along: Reals  # (3 u,) how the lengths of cables held at one change with their own nodes, negative
    before: Reals  # (3 n,) velocities before a search [m/s]
    swept: Reals  # (3 n,) velocities before a sweep [m/s]
    seen: Reals  # (3 n,) positions at which was looked for contacts that are near [m]
    reach: Reals  # (1,) how far away what was left out is at least [m]
    stood: Reals  # (3 n,) positions at which the system was prepared and entries were made last, at a step's end [m]
    work: Reals  # (1,) of all impulses in this step [J]
    worst: Reals  # (6,) of a run: most sweeps of a search, its residual, searches that did not converge, contacts left
    # out, how deep something was that supports hold [m], and which contact that was


responses_in = reader(Responses, slot("responses"))
ENTRIES = part_of("responses", Responses, "contact")
WORST = part_of("responses", Responses, "worst")
COLUMN = part_of("responses", Responses, "column")
entry_room = counter(ENTRIES)

SWEEPS, RESIDUAL, UNCONVERGED, LEFT_OUT, DEEPEST, FORCED = range(6)


def bodies_of(coordinates: int, joined: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The body of each coordinate, and the coordinates of all bodies one after another; joined: pairs of them."""
    from scipy import sparse  # a tenth of what a first run imports, and most have no ground

    nodes = coordinates // 3
    links = sparse.coo_array((np.ones(len(joined)), (joined[:, 0] // 3, joined[:, 1] // 3)), shape=(nodes, nodes))
    count, label = sparse.csgraph.connected_components(links, directed=False)
    body = np.repeat(label.astype(np.int64), 3)
    start = np.concatenate([[0], np.cumsum(np.bincount(body, minlength=count))])
    return body, start.astype(np.int64), np.argsort(body, kind="stable").astype(np.int64)


def joined_by(jacobian: Jacobian, thin: Thin, cylinders: Cylinders) -> np.ndarray:
    """Pairs of coordinates that a row of constraints, or the inertia of a bar, joins."""
    first = np.repeat(jacobian.start[:-1], np.diff(jacobian.start))
    rows = np.column_stack([jacobian.coordinate[first], jacobian.coordinate])
    bars = [np.column_stack([one.first, one.second]) for one in (thin, cylinders)]
    return np.concatenate([rows, *bars]).astype(np.int64)


def responses_of(contacts: Contacts, coordinates: int, joined: np.ndarray, strung: int, *, local: bool) -> Responses:
    """joined: pairs of coordinates that constraints or inertia join; not looked at where each bar is by itself. strung:
    nodes of cables held at a length, each by itself."""
    every, none, whole = contacts.first.size, np.zeros(0, dtype=np.int64), np.int64
    body, start, part = (none, none, none) if local else bodies_of(coordinates, joined)
    largest = 0 if local else int(np.diff(start).max())
    room = every if local else min(every, max(MOST_DENSE, DENSE_NUMBERS // (3 * largest)))
    return Responses(
        contact=np.zeros(room, dtype=whole),
        place=np.zeros(every, dtype=whole),
        used=np.zeros(1, dtype=whole),
        filled=np.zeros(1, dtype=whole),
        rank=np.zeros(room, dtype=whole),
        body=body,
        body_start=start,
        body_part=part,
        coupled=np.zeros(1, dtype=whole),
        bent=np.zeros(1, dtype=whole),
        bodies=np.zeros(coordinates, dtype=whole),
        owner=np.zeros(room, dtype=whole),
        near=np.zeros(every, dtype=whole),
        nearby=np.zeros(1, dtype=whole),
        mate=mates_of(contacts) if local else none,
        busy=np.zeros(1, dtype=whole),
        alive=np.full(1, -1, dtype=whole),
        frame=np.zeros(9 * room),
        share=np.zeros(room),
        begin=np.zeros(room),
        sunk=np.zeros(room),
        hold=np.zeros(room),
        slide=np.zeros(room),
        aim=np.zeros(room),
        impulse=np.zeros(3 * room),
        bounced=np.zeros(3 * room),
        soft=np.zeros(SOFTNESS * room),
        own=np.zeros(6 * room),
        # Wide enough for either: steps that conserve energy need both.
        column=np.zeros(room * (LOCAL if local else max(LOCAL, 3 * largest))),
        along=np.zeros(3 * strung),
        before=np.zeros(coordinates),
        swept=np.zeros(coordinates),
        seen=np.full(coordinates, np.nan),
        reach=np.zeros(1),
        stood=np.full(coordinates, np.nan),
        work=np.zeros(1),
        worst=np.zeros(6),
    )


def mates_of(contacts: Contacts) -> np.ndarray:
    """Of every contact the next one of the same bar, or of a node by itself, round and round."""
    mate = np.arange(contacts.first.size)
    body = np.where(contacts.rod >= 0, contacts.rod, -1 - contacts.first)
    for one in np.unique(body):
        own = np.flatnonzero(body == one)
        mate[own] = np.roll(own, -1)
    return mate.astype(np.int64)


@kernel
def fill_local(p: Pack, first: int) -> None:
    """Of all entries from the first on."""
    for a in range(first, responses_in(p).used[0]):
        _fill_bar(p, a)


@inlined
def _fill_bar(p: Pack, a: int) -> None:
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
    keeps = 0 <= k < kept_count(p) and softness > 0.0 and kept_bar(p, k)[3] > 0.0
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


@inlined
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
def body_local(p: Pack, c: int) -> int:
    """The first end of the bar, or the node that has none."""
    contacts = contacts_in(p)
    k = contacts.rod[c]
    return thin_in(p).first[k] if k >= 0 else contacts.first[c]


@inlined
def body_whole(p: Pack, c: int) -> int:
    """By its number."""
    return responses_in(p).body[contacts_in(p).first[c]]


@inlined
def _stride(p: Pack) -> int:
    """Numbers of a column: as many as the largest body has coordinates."""
    return size_of(p, COLUMN) // (3 * size_of(p, ENTRIES))


@kernel
def respond_to(p: Pack, force: np.ndarray, x: np.ndarray) -> None:
    """x = what an impulse does to velocities, by the system that was prepared last; steps that conserve energy have
    another one. No rates are asked for: the caller has filled `residual_rate` with zeros."""
    work = work_in(p)
    solve_system(p, constants_in(p).metric[0], force, work.residual_rate, x, work.multiplier)


@kernel
def fill_whole(p: Pack, first: int) -> None:
    """Of all entries from the first on, one of every body at a time."""
    made, work, n, most = responses_in(p), work_in(p), coordinate_count(p), 0
    count = made.used[0]
    least = made.rank[first]
    for a in range(first, count):
        least, most = min(least, made.rank[a]), max(most, made.rank[a] + 1)
    for k in range(row_count(p)):
        work.residual_rate[k] = 0.0
    for rank in range(least, most):
        for d in range(3):
            for m in range(n):
                work.balance[m] = 0.0
            for a in range(first, count):
                if made.rank[a] == rank:
                    _pull(p, a, d, work.balance)
            found = work.acceleration
            respond_to(p, work.balance, found)
            for a in range(first, count):
                if made.rank[a] == rank:
                    _take_column(p, a, d, found)


@inlined
def _string(p: Pack, a: int) -> int:
    """Which cable held at a length an entry is, which pulls along one direction only; -1 where it is none."""
    return max(responses_in(p).contact[a] - contact_count(p) + string_count(p), -1)


@inlined
def _pull(p: Pack, a: int, d: int, force: np.ndarray) -> None:
    """Add an impulse of one along a direction of an entry's frame."""
    made, contacts = responses_in(p), contacts_in(p)
    c, share, string = made.contact[a], made.share[a], _string(p, a)
    if string >= 0:
        if d == 0:
            pull_string(p, string, 1.0, force)
        return
    i, j = contacts.first[c], contacts.second[c]
    for m in range(3):
        along = made.frame[9 * a + 3 * d + m]
        force[i + m] += (1.0 - share) * along
        force[j + m] += share * along


@inlined
def _take_column(p: Pack, a: int, d: int, x: np.ndarray) -> None:
    """Of what was found, what belongs to the body of an entry."""
    made, contacts, stride = responses_in(p), contacts_in(p), _stride(p)
    c, share = made.contact[a], made.share[a]
    i, j, body = contacts.first[c], contacts.second[c], body_whole(p, c)
    column, begin = shifted(made.column, (3 * a + d) * stride), made.body_start[body]
    for m in range(made.body_start[body + 1] - begin):
        column[m] = x[made.body_part[begin + m]]
    string = _string(p, a)
    if string >= 0:
        for m in range(d + 1):
            made.own[6 * a + PLACES[3 * m + d]] = string_velocity(p, string, x) if d == 0 else 0.0
        return
    u, v, w = x[i], x[i + 1], x[i + 2]
    u, v, w = u + share * (x[j] - u), v + share * (x[j + 1] - v), w + share * (x[j + 2] - w)
    for m in range(d + 1):
        f = shifted(made.frame, 9 * a + 3 * m)
        made.own[6 * a + PLACES[3 * m + d]] = f[0] * u + f[1] * v + f[2] * w


@kernel
def push_whole(p: Pack, a: int, pn: float, p1: float, p2: float, v: np.ndarray) -> None:
    made, stride = responses_in(p), _stride(p)
    body = body_whole(p, made.contact[a])
    column, begin = shifted(made.column, 3 * a * stride), made.body_start[body]
    for m in range(made.body_start[body + 1] - begin):
        v[made.body_part[begin + m]] += column[m] * pn + column[stride + m] * p1 + column[2 * stride + m] * p2
