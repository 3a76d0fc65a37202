"""The saddle-point system

    [ W  G^T ] [  x ]   [ a ]
    [ G  0   ] [ -l ] = [ b ]

with W symmetric positive definite and mostly constant, G sparse and new at every call: analysed once, factored as
L D L^T without pivoting, solved often. The whole matrix is factored rather than the Schur complement G W^-1 G^T because
a consistent mass matrix makes W^-1 dense along a chain of bars. An order in which every multiplier follows the unknowns
it multiplies keeps every pivot away from zero as long as the rows of G are independent; a row that depends on earlier
ones shows as a tiny pivot and is dropped (its multiplier is zero).

Chains come first, link by link (`taut.numerics.chains`); the rest goes in blocks of four (`taut.numerics.blocks`), the
axes of a node and a multiplier that follows them. `analyse` (`taut.numerics.saddle_analysis`) tells which is which.
"""

from __future__ import annotations

import numpy as np

from taut.numerics.blocks import back_blocks, factor_blocks, forth_blocks
from taut.numerics.chains import back_chains, behind, factor_chains, forth_chains, leave_chains
from taut.numerics.compiled import entry, woven
from taut.numerics.fours import four, none_of, put
from taut.numerics.saddle_analysis import analyse, weight_places
from taut.numerics.saddle_table import Saddle

__all__ = ["Saddle", "analyse", "factorise", "factorise_for", "solve", "solve_begun", "weight_places"]


@entry
def factorise(s: Saddle) -> int:
    """Factor the matrix as it stands in `values`; returns how many dependent rows were dropped (in any lane), -1 if W
    is not positive."""
    return factorise_for(s, s.vector, s.vector, 0)


@entry
def factorise_for(s: Saddle, top: np.ndarray, bottom: np.ndarray, begins: int) -> int:
    """The same; where `begins` is 1, a solve with this right-hand side is begun on the way (`solve_begun`)."""
    empty = factor_chains(s, top, bottom, begins)
    if empty < 0:
        return -1
    _hang(s)
    dropped = factor_blocks(s)
    _unhang(s)
    return dropped if dropped < 0 else empty + dropped


@woven
def _hang(s: Saddle) -> None:
    """What chains leave on the blocks that they hang on, taken off there as long as these are factored."""
    values, alone = s.values, s.alone
    for h in range(s.sizes[4]):
        at, row, own, a = s.hanging[4 * h + 1], s.hanging[4 * h + 2], s.hanging[4 * h + 3], 6 * h
        b00, b10, b11, b20, b21, b22, x, y, z, push = behind(values, s.found, s.hanging[4 * h])
        alone[a], alone[a + 1], alone[a + 2] = values[at], values[at + 1], values[at + 2]
        alone[a + 3], alone[a + 4], alone[a + 5] = values[at + 5], values[at + 6], values[at + 10]
        values[at], values[at + 1], values[at + 2] = alone[a] - b00, alone[a + 1] - b10, alone[a + 2] - b20
        values[at + 5], values[at + 6], values[at + 10] = alone[a + 3] - b11, alone[a + 4] - b21, alone[a + 5] - b22
        values[row], values[row + 4], values[row + 8] = x, y, z
        values[own] = -push


@woven
def _unhang(s: Saddle) -> None:
    """The blocks as they were, to the last bit: the last link first, since several may hang on one."""
    values, alone = s.values, s.alone
    for h in range(s.sizes[4] - 1, -1, -1):
        at, a = s.hanging[4 * h + 1], 6 * h
        values[at], values[at + 1], values[at + 2] = alone[a], alone[a + 1], alone[a + 2]
        values[at + 5], values[at + 6], values[at + 10] = alone[a + 3], alone[a + 4], alone[a + 5]


@entry
def solve(s: Saddle, top: np.ndarray, bottom: np.ndarray, x: np.ndarray, multipliers: np.ndarray) -> None:
    """Solve with the last factor; `top` and `bottom` are the right-hand side and are left as they are."""
    solve_begun(s, top, bottom, x, multipliers, 0)


@entry
def solve_begun(
    s: Saddle, top: np.ndarray, bottom: np.ndarray, x: np.ndarray, multipliers: np.ndarray, begun: int
) -> None:
    """The same; begun: 1 where `factorise_for` has done the chains' part of this right-hand side."""
    u, links, b, order, spans = s.sizes[0], s.sizes[2], s.vector, s.order, s.spans
    if begun == 0:
        forth_chains(s, top, bottom)
    for n in range(4 * links, 4 * (links + s.sizes[5] + 1), 4):
        put(b, n, none_of(four(b, n)))  # places that stand empty
    for n in range(s.sizes[6]):
        for i in range(spans[2 * n], spans[2 * n + 1]):
            b[order[i]] = top[i]
    for n in range(s.sizes[6], s.sizes[7]):
        for i in range(spans[2 * n], spans[2 * n + 1]):
            b[order[i]] = bottom[i - u]
    leave_chains(s)
    forth_blocks(s)
    back_blocks(s)
    back_chains(s, x, multipliers)
    for n in range(s.sizes[6]):
        for i in range(spans[2 * n], spans[2 * n + 1]):
            x[i] = b[order[i]]
    for n in range(s.sizes[6], s.sizes[7]):
        for i in range(spans[2 * n], spans[2 * n + 1]):
            multipliers[i - u] = -b[order[i]]
