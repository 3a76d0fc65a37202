"""The flat table of a saddle-point system: index tables, values and work space (see `taut.numerics.saddle`)."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np


class Saddle(NamedTuple):
    """u unknowns and r rows in n links of chains and g groups of four; N = 4 (n + g + 1) places, the last four idle.

    Kernels have pointers in place of the arrays, whole numbers first.
    """

    order: np.ndarray  # (u + r,) the place of every unknown, then of every row
    child: np.ndarray  # (n,) the link behind each, -1 for those with which a chain begins, which stand first
    onto: np.ndarray  # (n,) the place of the first unknown that each link hangs on ...
    link_row: np.ndarray  # (n,) ... and of the row between
    hanging: np.ndarray  # (4 h,) links on groups: link; in `entry`, the diagonal block, the row there, its own diagonal
    block_start: np.ndarray  # (g+1,) blocks of the matrix between groups, by the later one, the diagonal one last ...
    block_index: np.ndarray  # ... the earlier group
    first_row: np.ndarray  # (g,) so many of a group's four places are not rows
    pattern_start: np.ndarray  # (g+1,) the blocks of each block row of L, in topological order ...
    pattern: np.ndarray
    factor_start: np.ndarray  # (g+1,) block columns of L ...
    factor_index: np.ndarray
    filled: np.ndarray  # (g,) how much of each column of L is there yet
    sizes: np.ndarray  # (6,) u, r, n, how many links begin a chain, h, g
    values: np.ndarray  # W and G: 12 numbers a link (see `taut.numerics.chains`), then 16 a block
    found: np.ndarray  # (9 n,) what is found for every link
    entry: np.ndarray  # the blocks with what hangs on them
    factor: np.ndarray  # the blocks of L D
    inner: np.ndarray  # (6 g,) L within diagonal blocks
    inverse_pivot: np.ndarray  # (N,) 1 / D, zero where a row was dropped; of links only the row's
    work: np.ndarray  # (16 g,) a block row, zero between calls
    scale: np.ndarray  # (4,) the largest part of a row's pivot
    vector: np.ndarray  # (N,) a right-hand side becoming the solution
    weakest: np.ndarray  # (1,) smallest pivot of a row over what it started from, dropped ones left out, since it was 1


REALS = Saddle._fields[Saddle._fields.index("values") :]
"""The parts that are reals; all others are whole numbers."""


def nothing() -> Saddle:
    """A system that is not there."""
    return Saddle(*(np.empty(0, dtype=float if name in REALS else np.int64) for name in Saddle._fields))
