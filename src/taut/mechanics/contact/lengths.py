"""Constraints at the end of a move: bars are brought back to their length along the directions they had at its start,
and velocities follow.

Where no bar meets another each is a quadratic equation (`meet_local`); otherwise it is Newton's method with the system
that was prepared (`meet_whole`). Sums keep their remainders, as RATTLE's do.
"""

from __future__ import annotations

import math

import numpy as np

from taut.mechanics.operations.projection import worst_residuals
from taut.mechanics.parts import row_residuals, solve_system
from taut.mechanics.rows.bars import bar_count, bars_in
from taut.mechanics.systems.pairs import PAIRS, pairs_at
from taut.mechanics.tables import constants_in, coordinate_count, internal_count, layout_of, row_count, work_in
from taut.numerics.compiled import entry, inlined, kernel
from taut.numerics.packing import Pack
from taut.numerics.pointers import shifted, start_of

TURNS = 20
MET = 5e-16
"""A residual of this fraction of its bar is round-off."""


@inlined
def _add(total: np.ndarray, rest: np.ndarray, i: int, more: float) -> None:
    """With what falls below the last bit kept (Kahan)."""
    more += rest[i]
    new = total[i] + more
    rest[i] = more - (new - total[i])
    total[i] = new


@inlined
def _remainders(p: Pack, y: np.ndarray) -> np.ndarray:
    return shifted(y, layout_of(coordinate_count(p), internal_count(p), 1).remainder)


@kernel
def meet_local(p: Pack, h: float, y: np.ndarray) -> float:
    """A push s along the bar as it was makes its vector b - s c: of the two s for which that has the right length the
    one near zero, written so that nothing cancels."""
    bars, n, per_h, longest = bars_in(p), coordinate_count(p), 1.0 / h, 0.0
    pairs = pairs_at(p, PAIRS + constants_in(p).metric[0])
    v, rest = shifted(y, n), _remainders(p, y)
    rest_v = shifted(rest, n)
    for k in range(bar_count(p)):
        i, j, length, block = bars.first[k], bars.second[k], bars.length[k], shifted(pairs.block, 9 * k)
        bx, by, bz = y[j] - y[i], y[j + 1] - y[i + 1], y[j + 2] - y[i + 2]
        longer = bx * bx + by * by + bz * bz - length * length
        if abs(longer) <= 2.0 * MET * length * length or bars.per_length[k] == 0.0:
            continue
        place = pairs.place
        ux, uy, uz = place[j] - place[i], place[j + 1] - place[i + 1], place[j + 2] - place[i + 2]
        fx, fy, fz = (block[0] - block[3]) * ux, (block[1] - block[4]) * uy, (block[2] - block[5]) * uz
        gx, gy, gz = (block[3] - block[6]) * ux, (block[4] - block[7]) * uy, (block[5] - block[8]) * uz
        cx, cy, cz = fx - gx, fy - gy, fz - gz
        cc, bc = cx * cx + cy * cy + cz * cz, bx * cx + by * cy + bz * cz
        if cc == 0.0:  # both ends are held
            continue
        square = bc * bc - cc * longer
        if not (square >= 0.0 and bc > 0.0):  # the step is too long for its bars
            return -1.0
        s = longer / (bc + math.sqrt(square))
        fx, fy, fz, gx, gy, gz = s * fx, s * fy, s * fz, s * gx, s * gy, s * gz
        _add(y, rest, i, fx)
        _add(y, rest, i + 1, fy)
        _add(y, rest, i + 2, fz)
        _add(y, rest, j, gx)
        _add(y, rest, j + 1, gy)
        _add(y, rest, j + 2, gz)
        _add(v, rest_v, i, per_h * fx)
        _add(v, rest_v, i + 1, per_h * fy)
        _add(v, rest_v, i + 2, per_h * fz)
        _add(v, rest_v, j, per_h * gx)
        _add(v, rest_v, j + 1, per_h * gy)
        _add(v, rest_v, j + 2, per_h * gz)
        longest = max(longest, max(max(abs(fx), max(abs(fy), abs(fz))), max(abs(gx), max(abs(gy), abs(gz)))))
    return longest


@kernel
def meet_whole(p: Pack, h: float, y: np.ndarray) -> float:
    work, n, before, longest = work_in(p), coordinate_count(p), math.inf, 0.0
    rest, v, way = _remainders(p, y), shifted(y, n), work.acceleration
    rest_v = shifted(rest, n)
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
            _add(y, rest, i, way[i])
            _add(v, rest_v, i, way[i] / h)
            longest = max(longest, abs(way[i]))
    return -1.0


@entry
def keep_rates(p: Pack, y: np.ndarray) -> None:
    """Take out of the velocities of a state what would change its constraints, along the directions prepared."""
    state, work, n = start_of(y), work_in(p), coordinate_count(p)
    v, rest = shifted(state, n), shifted(_remainders(p, state), n)
    row_residuals(p, state, work.residual, work.residual_rate)
    for k in range(row_count(p)):
        work.residual_rate[k] = -work.residual_rate[k]
    for i in range(n):
        work.balance[i] = 0.0
    way = work.acceleration
    solve_system(p, constants_in(p).metric[0], work.balance, work.residual_rate, way, work.multiplier)
    for i in range(n):
        _add(v, rest, i, way[i])
