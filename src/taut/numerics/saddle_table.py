"""The flat table of a saddle-point system: index tables, values and work space (see `taut.numerics.saddle`)."""

from __future__ import annotations

from typing import NamedTuple

from taut.numerics.packing import Integers, Reals


class Saddle(NamedTuple):
    """u unknowns and r rows in n links of chains and g groups of four; N = 4 (n + g + 1) places, the last four idle.

    Kernels have pointers in place of the arrays.
    """

    order: Integers  # (u + r,) the place of every unknown, then of every row
    child: Integers  # (n,) the link behind each, -1 for those with which a chain begins, which stand first
    onto: Integers  # (n,) the place of the first unknown that each link hangs on ...
    link_row: Integers  # (n,) ... and of the row between
    unknown: Integers  # (n,) the first of a link's three unknowns, which follow one another ...
    row: Integers  # (n,) ... and the row between it and the link behind it, -1 where there is none
    spans: Integers  # begin and end of every run of unknowns, then of rows, that are in groups; counted as in `order`
    hanging: Integers  # (4 h,) links on groups: link; in `values`, the diagonal block, the row there, its own diagonal
    block_start: Integers  # (g+1,) blocks of the matrix between groups, by the later one, the diagonal one last ...
    block_index: Integers  # ... the earlier group
    first_row: Integers  # (g,) so many of a group's four places are not rows
    pattern_start: Integers  # (g+1,) the blocks of each block row of L, in topological order ...
    pattern: Integers
    factor_start: Integers  # (g+1,) block columns of L ...
    factor_index: Integers
    filled: Integers  # (g,) how much of each column of L is there yet
    sizes: Integers  # (8,) u, r, n, how many links begin a chain, h, g, runs of unknowns, all runs
    values: Reals  # W and G: 12 numbers a link (see `taut.numerics.chains`), then 16 a block
    found: Reals  # (9 n,) what is found for every link
    alone: Reals  # (6 h,) work space: of a diagonal block what it was before a link hung on it
    factor: Reals  # the blocks of L D
    inner: Reals  # (6 g,) L within diagonal blocks
    inverse_pivot: Reals  # (N,) 1 / D, zero where a row was dropped; of links only the row's
    work: Reals  # (16 g,) a block row, zero between calls
    scale: Reals  # (4,) the largest part of a row's pivot
    vector: Reals  # (N,) a right-hand side becoming the solution
    weakest: Reals  # (1,) smallest pivot of a row over what it started from, dropped ones left out, since it was 1
