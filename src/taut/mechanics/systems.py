"""The linear system behind every acceleration and every correction of the nodal formulation:

    W x = covector + G^T l,   G x = rates        W = M, or another weight for corrections

in full coordinates; held ones stay zero in x. Where no bar touches another and nothing else is constrained (class 1),
W falls into one small block a bar and G W^-1 G^T is diagonal: all is explicit, bar by bar. Otherwise it is the sparse
saddle of `taut.numerics.saddle`.
"""

from __future__ import annotations

import numpy as np

from taut.mechanics.tables import (
    Bars,
    Pairs,
    bars_in,
    constants_in,
    free_count,
    nodes_in,
    pairs_in,
    saddle_in,
    sizes_in,
    work_in,
)
from taut.numerics.compiled import inlined, kernel
from taut.numerics.packing import Pack
from taut.numerics.saddle import factorise, solve


@inlined
def prepare_system(p: Pack, at: int, y: np.ndarray) -> int:
    """Make the system that begins at part `at` ready at these positions; returns its dependent rows, -1 if it fails."""
    if constants_in(p).explicit[0] == 1:
        return _prepare_pairs(bars_in(p), pairs_in(p, at), sizes_in(p).bars, y)
    return _prepare_saddle(p, at, y)


@inlined
def solve_system(
    p: Pack, at: int, covector: np.ndarray, rates: np.ndarray, x: np.ndarray, begin: int, multiplier: np.ndarray
) -> None:
    """Solve for x[begin], x[begin + 1], ... and l with what was prepared; right-hand sides are left as they are."""
    if constants_in(p).explicit[0] == 1:
        sizes = sizes_in(p)
        _solve_pairs(bars_in(p), pairs_in(p, at), sizes.bars, sizes.coordinates, covector, rates, x, begin, multiplier)
    else:
        _solve_saddle(p, at, covector, rates, x, begin, multiplier)


@kernel
def _prepare_saddle(p: Pack, at: int, y: np.ndarray) -> int:
    """Write the bars' rows of G, eq. (25), into the saddle and factor it; the guides' rows never change."""
    bars, saddle = bars_in(p), saddle_in(p, at)
    for k in range(sizes_in(p).bars):
        i, j = bars.first[k], bars.second[k]
        for axis in range(3):
            u = (y[j + axis] - y[i + axis]) * bars.per_length[k]
            place = bars.entry[6 * k + axis]
            if place >= 0:
                saddle.values[place] = -u
            place = bars.entry[6 * k + 3 + axis]
            if place >= 0:
                saddle.values[place] = u
    return factorise(saddle)


@kernel
def _solve_saddle(
    p: Pack, at: int, covector: np.ndarray, rates: np.ndarray, x: np.ndarray, begin: int, multiplier: np.ndarray
) -> None:
    free, work = nodes_in(p).free, work_in(p)
    count = free_count(p)
    for m in range(count):
        work.top[m] = covector[free[m]]
    solve(saddle_in(p, at), work.top, rates, work.unknown, multiplier)
    for i in range(sizes_in(p).coordinates):
        x[begin + i] = 0.0
    for m in range(count):
        x[begin + free[m]] = work.unknown[m]


@kernel
def _prepare_pairs(bars: Bars, pairs: Pairs, count: int, y: np.ndarray) -> int:
    """Directions of the bars and 1 / (G W^-1 G^T); a bar with both ends held has no row to speak of."""
    held = 0
    for k in range(count):
        i, j = bars.first[k], bars.second[k]
        per_length = bars.per_length[k]
        softness = 0.0
        for axis in range(3):
            u = (y[j + axis] - y[i + axis]) * per_length
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
    bars: Bars,
    pairs: Pairs,
    count: int,
    n: int,
    covector: np.ndarray,
    rates: np.ndarray,
    x: np.ndarray,
    begin: int,
    multiplier: np.ndarray,
) -> None:
    for i in range(n):
        x[begin + i] = pairs.single[i] * covector[i]
    for k in range(count):
        i, j = bars.first[k], bars.second[k]
        rate = -rates[k]
        for axis in range(3):
            block = 9 * k + axis
            both = pairs.block[block + 3]
            here, there = covector[i + axis], covector[j + axis]
            first = pairs.block[block] * here + both * there
            second = both * here + pairs.block[block + 6] * there
            x[begin + i + axis] = first
            x[begin + j + axis] = second
            rate += pairs.direction[3 * k + axis] * (second - first)
        push = rate * pairs.hardness[k]
        multiplier[k] = -push
        for axis in range(3):
            block = 9 * k + axis
            both = pairs.block[block + 3]
            along = push * pairs.direction[3 * k + axis]
            x[begin + i + axis] += (pairs.block[block] - both) * along
            x[begin + j + axis] -= (pairs.block[block + 6] - both) * along
