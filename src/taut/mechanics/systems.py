"""The linear system behind every acceleration and every correction of the nodal formulation:

    W x = covector + G^T l,   G x = rates        W = M, or another weight for corrections

in full coordinates; held ones stay zero in x. Where no bar touches another and nothing else is constrained (class 1),
W falls into one small block a bar and G W^-1 G^T is diagonal: all is explicit, bar by bar. Otherwise it is the sparse
saddle of `taut.numerics.saddle`. (`taut.mechanics.iterative_verbs` puts an iteration in the place of both.)
"""

from __future__ import annotations

import numpy as np

from taut.mechanics.tables import EXPLICIT, Bars, Pairs
from taut.mechanics.unpacking import (
    Sizes,
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
from taut.numerics.lanes import where
from taut.numerics.packing import Pack
from taut.numerics.saddle import factorise, solve


@inlined
def prepare_system(p: Pack, at: int, y: np.ndarray) -> int:
    """Make the system that begins at part `at` ready at these positions; returns its dependent rows, -1 if it fails."""
    if constants_in(p).solver[0] == EXPLICIT:
        place = pairs_in(p, at).place
        for i in range(sizes_in(p).coordinates):
            place[i] = y[i]
        return 0
    return _prepare_saddle(p, at, y)


@inlined
def solve_system(
    p: Pack, at: int, covector: np.ndarray, rates: np.ndarray, x: np.ndarray, multiplier: np.ndarray
) -> None:
    """Solve for x and l with what was prepared; the right-hand sides are left as they are."""
    if constants_in(p).solver[0] == EXPLICIT:
        pairs, sizes = pairs_in(p, at), sizes_in(p)
        solve_pairs(bars_in(p), pairs, sizes, pairs.place, covector, rates, x, multiplier)
    else:
        _solve_saddle(p, at, covector, rates, x, multiplier)


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
    p: Pack, at: int, covector: np.ndarray, rates: np.ndarray, x: np.ndarray, multiplier: np.ndarray
) -> None:
    free, work = nodes_in(p).free, work_in(p)
    count, coordinates = free_count(p), sizes_in(p).coordinates
    given, found = work.top, work.unknown
    if count == coordinates:  # nothing is held: unknowns are coordinates
        given, found = covector, x
    else:
        for m in range(count):
            given[m] = covector[free[m]]
    solve(saddle_in(p, at), given, rates, found, multiplier)
    if count < coordinates:
        for i in range(coordinates):
            x[i] = 0.0
        for m in range(count):
            x[free[m]] = found[m]


@inlined
def solve_pairs(
    bars: Bars,
    pairs: Pairs,
    sizes: Sizes,
    place: np.ndarray,
    covector: np.ndarray,
    rates: np.ndarray,
    x: np.ndarray,
    multiplier: np.ndarray,
) -> None:
    """The explicit solution at the positions `place`; a bar with both ends held pushes nothing."""
    for k in range(sizes.loose):
        i = pairs.loose[k]
        x[i] = pairs.single[k] * covector[i]
    for k in range(sizes.bars):
        i, j, at = bars.first[k], bars.second[k], 9 * k
        per_length = bars.per_length[k]
        ux, rate_x, soft_x = _axis(pairs.block, at, place, covector, i, j, per_length)
        uy, rate_y, soft_y = _axis(pairs.block, at + 1, place, covector, i + 1, j + 1, per_length)
        uz, rate_z, soft_z = _axis(pairs.block, at + 2, place, covector, i + 2, j + 2, per_length)
        softness = soft_x + soft_y + soft_z
        moves = softness > 0.0
        push = where(moves, rate_x + rate_y + rate_z - rates[k], 0.0) / where(moves, softness, 1.0)
        multiplier[k] = -push
        _respond(pairs.block, at, covector, i, j, push * ux, x)
        _respond(pairs.block, at + 1, covector, i + 1, j + 1, push * uy, x)
        _respond(pairs.block, at + 2, covector, i + 2, j + 2, push * uz, x)
    for k in range(sizes.bars, sizes.rods):
        i, j, at = bars.first[k], bars.second[k], 9 * k
        none = 0.0 * covector[i]
        _respond(pairs.block, at, covector, i, j, none, x)
        _respond(pairs.block, at + 1, covector, i + 1, j + 1, none, x)
        _respond(pairs.block, at + 2, covector, i + 2, j + 2, none, x)


@inlined
def _axis(
    block: np.ndarray, at: int, place: np.ndarray, covector: np.ndarray, i: int, j: int, per_length: float
) -> tuple[float, float, float]:
    """Along one axis: the bar's direction, what the covector alone does to its gap's rate, and G W^-1 G^T."""
    own, both, other = block[at], block[at + 3], block[at + 6]
    u = (place[j] - place[i]) * per_length
    return u, u * ((both - own) * covector[i] + (other - both) * covector[j]), u * u * (own - 2.0 * both + other)


@inlined
def _respond(block: np.ndarray, at: int, covector: np.ndarray, i: int, j: int, push: float, x: np.ndarray) -> None:
    """Along one axis: x = W^-1 (covector - G^T push)."""
    here, there, both = covector[i] + push, covector[j] - push, block[at + 3]
    x[i] = block[at] * here + both * there
    x[j] = both * here + block[at + 6] * there
