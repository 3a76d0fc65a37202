"""Constraints at the end of a move: bars are brought back to their length along the directions they had at its start,
and velocities follow.

Where no bar meets another each is a quadratic equation (`meet_local`); otherwise it is Newton's method with the system
that was prepared (`meet_whole`).
"""

from __future__ import annotations

import math

import numpy as np

from taut.mechanics.contact.responses import responses_in
from taut.mechanics.inertia.thin import rod_count, thin_in
from taut.mechanics.operations.projection import worst_residuals
from taut.mechanics.parts import meet_row_rates, respond, row_residuals, solve_system
from taut.mechanics.rows.bars import bar_count, bars_in
from taut.mechanics.systems.pairs import LOOSE, PAIRS, pairs_at, respond_pair
from taut.mechanics.tables import constants_in, coordinate_count, row_count, work_in
from taut.mechanics.terms.contacts import contacts_in
from taut.numerics.compiled import entry, inlined, kernel
from taut.numerics.lanes import every, where
from taut.numerics.packing import Pack, size_of
from taut.numerics.pointers import shifted, start_of

TURNS = 20
MET = 5e-16
"""A residual of this fraction of its bar is round-off."""


@inlined
def _add(total: np.ndarray, i: int, x: float, y: float, z: float) -> None:
    """Along three axes; all is found before any is written, so that it can be done side by side."""
    x, y, z = total[i] + x, total[i + 1] + y, total[i + 2] + z
    total[i], total[i + 1], total[i + 2] = x, y, z


@inlined
def _along(block: np.ndarray, place: np.ndarray, i: int, j: int) -> tuple[float, float, float, float, float, float]:
    """What a push along a bar, as it stood, does to its first and to its second end."""
    ux, uy, uz = place[j] - place[i], place[j + 1] - place[i + 1], place[j + 2] - place[i + 2]
    cx, cy, cz = block[3], block[4], block[5]
    fx, fy, fz = (block[0] - cx) * ux, (block[1] - cy) * uy, (block[2] - cz) * uz
    return fx, fy, fz, (cx - block[6]) * ux, (cy - block[7]) * uy, (cz - block[8]) * uz


@kernel
def meet_local(p: Pack, h: float, y: np.ndarray) -> float:
    longest, least = 0.0 * y[0], 0.0 * y[0]
    for k in range(bar_count(p)):
        way = _meet_bar(p, k, 1.0 / h, y)
        longest, least = max(longest, way), min(least, way)
    return where(least < 0.0, least, longest)


@kernel
def meet_again_local(p: Pack, h: float, y: np.ndarray) -> float:
    """Only those that something touches: impulses move no others."""
    made, rods, longest = responses_in(p), contacts_in(p).rod, 0.0
    for a in range(made.used[0]):
        k = rods[made.contact[a]]
        if made.rank[a] == 0 and 0 <= k < bar_count(p):
            way = _meet_bar(p, k, 1.0 / h, y)
            if way < 0.0:
                return way
            longest = max(longest, way)
    return longest


@inlined
def _meet_bar(p: Pack, k: int, per_h: float, y: np.ndarray) -> float:
    """How far its ends had to go [m], negative where the step is too long for it.

    A push s along the bar as it was makes its vector b - s c: of the two s for which that has the right length the
    one near zero, written so that nothing cancels.
    """
    bars, v = bars_in(p), shifted(y, coordinate_count(p))
    pairs = pairs_at(p, PAIRS + constants_in(p).metric[0])
    i, j, length, block = bars.first[k], bars.second[k], bars.length[k], shifted(pairs.block, 9 * k)
    bx, by, bz = y[j] - y[i], y[j + 1] - y[i + 1], y[j + 2] - y[i + 2]
    longer = bx * bx + by * by + bz * bz - length * length
    met = (abs(longer) <= 2.0 * MET * length * length) | (bars.per_length[k] == 0.0)
    if every(met):
        return 0.0 * length
    fx, fy, fz, gx, gy, gz = _along(block, pairs.place, i, j)
    cx, cy, cz = fx - gx, fy - gy, fz - gz
    cc, bc = cx * cx + cy * cy + cz * cz, bx * cx + by * cy + bz * cz
    met = met | (cc == 0.0)  # both ends are held
    square = bc * bc - cc * longer
    possible = (square >= 0.0) & (bc > 0.0)
    root = math.sqrt(where(possible, square, 0.0))
    s = where(met, 0.0, longer) / where(possible, bc + root, 1.0)
    fx, fy, fz, gx, gy, gz = s * fx, s * fy, s * fz, s * gx, s * gy, s * gz
    _add(y, i, fx, fy, fz)
    _add(y, j, gx, gy, gz)
    _add(v, i, per_h * fx, per_h * fy, per_h * fz)
    _add(v, j, per_h * gx, per_h * gy, per_h * gz)
    way = max(max(abs(fx), max(abs(fy), abs(fz))), max(abs(gx), max(abs(gy), abs(gz))))
    return where(met | possible, way, -1.0)


@inlined
def _ends(p: Pack, a: int) -> tuple[int, int]:
    """Of the body of an entry: the ends of its bar, or its node twice."""
    contacts, thin = contacts_in(p), thin_in(p)
    c = responses_in(p).contact[a]
    k = contacts.rod[c]
    return (thin.first[k], thin.second[k]) if k >= 0 else (contacts.first[c], contacts.first[c])


@inlined
def keep_local(p: Pack, v: np.ndarray) -> None:
    made = responses_in(p)
    for a in range(made.used[0]):
        i, j = _ends(p, a)
        for m in range(3):
            made.before[i + m], made.before[j + m] = v[i + m], v[j + m]


@inlined
def follow_local(p: Pack, h: float, v: np.ndarray, y: np.ndarray) -> None:
    made = responses_in(p)
    for a in range(made.used[0]):
        if made.rank[a] > 0:
            continue
        i, j = _ends(p, a)
        for m in range(3):
            y[i + m] += h * (v[i + m] - made.before[i + m])
            if j != i:
                y[j + m] += h * (v[j + m] - made.before[j + m])


@inlined
def keep_whole(p: Pack, v: np.ndarray) -> None:
    before = responses_in(p).before
    for i in range(coordinate_count(p)):
        before[i] = v[i]


@inlined
def follow_whole(p: Pack, h: float, v: np.ndarray, y: np.ndarray) -> None:
    before = responses_in(p).before
    for i in range(coordinate_count(p)):
        y[i] += h * (v[i] - before[i])


@kernel
def meet_whole(p: Pack, h: float, y: np.ndarray) -> float:
    work, n, before, longest = work_in(p), coordinate_count(p), math.inf, 0.0
    v, way = shifted(y, n), work.acceleration
    for i in range(n):
        work.balance[i] = 0.0
    for _ in range(TURNS):
        worst, _rate = worst_residuals(p, y, work.residual, work.residual_rate)
        if worst <= MET or (worst < 1e-14 and worst > 0.5 * before):
            return longest
        before = worst
        for k in range(row_count(p)):
            work.residual[k] = -work.residual[k]
        solve_system(p, constants_in(p).metric[0], work.balance, work.residual, way, work.multiplier)
        for i in range(n):
            y[i] += way[i]
            v[i] += way[i] / h
            longest = max(longest, abs(way[i]))
    return -1.0


@entry
def keep_rates(p: Pack, y: np.ndarray) -> None:
    """Take out of the velocities of a state what would change its constraints, along the directions prepared."""
    meet_row_rates(p, start_of(y))


@inlined
def meet_rates_local(p: Pack, y: np.ndarray) -> None:
    bars, n = bars_in(p), coordinate_count(p)
    pairs = pairs_at(p, PAIRS + constants_in(p).metric[0])
    v = shifted(y, n)
    for k in range(bar_count(p)):
        i, j, place = bars.first[k], bars.second[k], pairs.place
        fx, fy, fz, gx, gy, gz = _along(shifted(pairs.block, 9 * k), place, i, j)
        bx, by, bz = place[j] - place[i], place[j + 1] - place[i + 1], place[j + 2] - place[i + 2]
        longer = bx * (v[j] - v[i]) + by * (v[j + 1] - v[i + 1]) + bz * (v[j + 2] - v[i + 2])
        softness = bx * (fx - gx) + by * (fy - gy) + bz * (fz - gz)
        held = (softness > 0.0) & (bars.per_length[k] > 0.0)
        s = where(held, longer, 0.0) / where(held, softness, 1.0)
        _add(v, i, s * fx, s * fy, s * fz)
        _add(v, j, s * gx, s * gy, s * gz)


@kernel
def meet_rates_whole(p: Pack, y: np.ndarray) -> None:
    work, n = work_in(p), coordinate_count(p)
    v, way = shifted(y, n), work.acceleration
    row_residuals(p, y, work.residual, work.residual_rate)
    for k in range(row_count(p)):
        work.residual_rate[k] = -work.residual_rate[k]
    for i in range(n):
        work.balance[i] = 0.0
    solve_system(p, constants_in(p).metric[0], work.balance, work.residual_rate, way, work.multiplier)
    for i in range(n):
        v[i] += way[i]


@entry
def accelerate(p: Pack, force: np.ndarray, out: np.ndarray) -> None:
    """out = what forces do to velocities by themselves or along the constraints, whichever is found sooner: a step
    takes out of both what would change constraints."""
    respond(p, start_of(force), start_of(out))


@inlined
def respond_local(p: Pack, force: np.ndarray, x: np.ndarray) -> None:
    """W^-1 force, bar by bar."""
    pairs, thin = pairs_at(p, PAIRS + constants_in(p).metric[0]), thin_in(p)
    for k in range(size_of(p, LOOSE)):
        i = pairs.loose[k]
        x[i] = pairs.single[k] * force[i]
    for k in range(rod_count(p)):
        respond_pair(pairs.block, 9 * k, force, thin.first[k], thin.second[k], 0.0, 0.0, 0.0, x)


@kernel
def respond_whole(p: Pack, force: np.ndarray, x: np.ndarray) -> None:
    work = work_in(p)
    for k in range(row_count(p)):
        work.residual_rate[k] = 0.0
    solve_system(p, constants_in(p).metric[0], force, work.residual_rate, x, work.multiplier)
