"""The linear system behind every acceleration and every correction of the nodal formulation:

    W x + G^T l = covector,   G x = rates        W = M, or another weight for corrections

in full coordinates; held ones stay zero in x. Where no bar touches another and nothing else is constrained (class 1),
W falls into one small block a bar and G W^-1 G^T is diagonal: all is explicit, bar by bar. Otherwise it is the sparse
saddle of `taut.numerics.saddle`.
"""

from __future__ import annotations

import numpy as np

from taut.mechanics.tables import Bars, Pairs, bars_in, constants_in, nodes_in, pairs_in, saddle_in, work_in
from taut.numerics.compiled import kernel
from taut.numerics.packing import Pack
from taut.numerics.saddle import factorise, solve


@kernel
def prepare_system(p: Pack, at: int, q: np.ndarray) -> int:
    """Make the system that begins at part `at` ready at these positions; returns its dependent rows, -1 if it fails."""
    bars = bars_in(p)
    if constants_in(p).explicit[0] == 1:
        return _prepare_pairs(bars, pairs_in(p, at), q)
    saddle = saddle_in(p, at)
    _put_rows(bars, q, saddle.values)
    return factorise(saddle)


@kernel
def solve_system(
    p: Pack, at: int, covector: np.ndarray, rates: np.ndarray, x: np.ndarray, multiplier: np.ndarray
) -> None:
    """Solve for x and l with what was prepared; the right-hand sides are left as they are."""
    if constants_in(p).explicit[0] == 1:
        _solve_pairs(bars_in(p), pairs_in(p, at), covector, rates, x, multiplier)
        return
    free, work = nodes_in(p).free, work_in(p)
    for n in range(free.size):
        work.top[n] = covector[free[n]]
    solve(saddle_in(p, at), work.top, rates, work.unknown, multiplier)
    for i in range(x.size):
        x[i] = 0.0
    for n in range(free.size):
        x[free[n]] = work.unknown[n]


@kernel
def _put_rows(bars: Bars, q: np.ndarray, values: np.ndarray) -> None:
    """Write the bars' rows of G, eq. (25), into a saddle's values; the guides' rows never change."""
    for k in range(bars.length.size):
        i, j = bars.first[k], bars.second[k]
        for axis in range(3):
            u = (q[j + axis] - q[i + axis]) / bars.length[k]
            at = bars.entry[6 * k + axis]
            if at >= 0:
                values[at] = -u
            at = bars.entry[6 * k + 3 + axis]
            if at >= 0:
                values[at] = u


@kernel
def _prepare_pairs(bars: Bars, pairs: Pairs, q: np.ndarray) -> int:
    """Directions of the bars and 1 / (G W^-1 G^T); a bar with both ends held has no row to speak of."""
    held = 0
    for k in range(bars.length.size):
        i, j = bars.first[k], bars.second[k]
        per_length = 1.0 / bars.length[k]
        softness = 0.0
        for axis in range(3):
            u = (q[j + axis] - q[i + axis]) * per_length
            pairs.direction[3 * k + axis] = u
            block = 9 * k + axis
            softness += u * u * (pairs.block[block] - 2.0 * pairs.block[block + 3] + pairs.block[block + 6])
        if softness > 0.0:
            pairs.hardness[k] = 1.0 / softness
        else:
            pairs.hardness[k] = 0.0
            held += 1
    return held


@kernel
def _solve_pairs(
    bars: Bars, pairs: Pairs, covector: np.ndarray, rates: np.ndarray, x: np.ndarray, multiplier: np.ndarray
) -> None:
    for i in range(x.size):
        x[i] = pairs.single[i] * covector[i]
    for k in range(bars.length.size):
        i, j = bars.first[k], bars.second[k]
        rate = -rates[k]
        for axis in range(3):
            block = 9 * k + axis
            both = pairs.block[block + 3]
            here, there = covector[i + axis], covector[j + axis]
            first = pairs.block[block] * here + both * there
            second = both * here + pairs.block[block + 6] * there
            x[i + axis] = first
            x[j + axis] = second
            rate += pairs.direction[3 * k + axis] * (second - first)
        push = rate * pairs.hardness[k]
        multiplier[k] = push
        for axis in range(3):
            block = 9 * k + axis
            both = pairs.block[block + 3]
            along = push * pairs.direction[3 * k + axis]
            x[i + axis] += (pairs.block[block] - both) * along
            x[j + axis] -= (pairs.block[block + 6] - both) * along
