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

from taut.numerics.blocks import BLOCK, back_blocks, factor_blocks, forth_blocks
from taut.numerics.chains import GIVEN, back_chains, behind, factor_chains, forth_chains
from taut.numerics.compiled import entry, woven
from taut.numerics.fours import four, none_of, put
from taut.numerics.saddle_analysis import analyse, weight_places
from taut.numerics.saddle_table import Saddle

__all__ = ["Saddle", "analyse", "factorise", "solve", "weight_places"]


@entry
def factorise(s: Saddle) -> int:
    """Factor the matrix as it stands in `values`; returns how many dependent rows were dropped (in any lane), -1 if W
    is not positive."""
    empty = factor_chains(s)
    if empty < 0:
        return -1
    _hang(s)
    dropped = factor_blocks(s)
    return dropped if dropped < 0 else empty + dropped


@woven
def _hang(s: Saddle) -> None:
    """The blocks of the matrix, with what the chains that hang on them leave there."""
    blocks, begin = s.entry, GIVEN * s.sizes[2]
    for n in range(0, BLOCK * s.block_start[s.sizes[5]], 4):
        put(blocks, n, four(s.values, begin + n))
    for h in range(0, 4 * s.sizes[4], 4):
        b00, b10, b11, b20, b21, b22, x, y, z, own = behind(s.values, s.found, s.hanging[h])
        at, row = s.hanging[h + 1], s.hanging[h + 2]
        blocks[at] -= b00
        blocks[at + 1] -= b10
        blocks[at + 2] -= b20
        blocks[at + 5] -= b11
        blocks[at + 6] -= b21
        blocks[at + 10] -= b22
        blocks[row], blocks[row + 4], blocks[row + 8] = x, y, z
        blocks[s.hanging[h + 3]] = -own


@entry
def solve(s: Saddle, top: np.ndarray, bottom: np.ndarray, x: np.ndarray, multipliers: np.ndarray) -> None:
    """Solve with the last factor; `top` and `bottom` are the right-hand side and are left as they are."""
    u, rows, links, b = s.sizes[0], s.sizes[1], s.sizes[2], s.vector
    for k in range(s.sizes[3]):
        b[4 * k + 3] = 0.0  # places that stand empty
    for n in range(4 * links, 4 * (links + s.sizes[5] + 1), 4):
        put(b, n, none_of(four(b, n)))
    for i in range(u):
        b[s.order[i]] = top[i]
    for i in range(rows):
        b[s.order[u + i]] = bottom[i]
    forth_chains(s)
    forth_blocks(s)
    back_blocks(s)
    back_chains(s)
    for i in range(u):
        x[i] = b[s.order[i]]
    for i in range(rows):
        multipliers[i] = -b[s.order[u + i]]
