"""The saddle-point system

    [ W  G^T ] [  x ]   [ a ]
    [ G  0   ] [ -l ] = [ b ]

with W symmetric positive definite and constant, G sparse and new at every call: analysed once, factored as L D L^T
without pivoting, solved often. The whole matrix is factored rather than the Schur complement G W^-1 G^T because a
consistent mass matrix makes W^-1 dense along a chain of bars. An order in which every multiplier follows the unknowns
it multiplies keeps every pivot away from zero as long as the rows of G are independent; a row that depends on earlier
ones shows as a tiny pivot and is dropped (its multiplier is zero).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import scipy.sparse as sp
from scipy.sparse.linalg import splu

from taut.numerics.compiled import entry
from taut.numerics.lanes import every, some, where
from taut.numerics.packing import Integers, Reals

DROP = 1e-11
"""A multiplier's pivot below this fraction of what it started from means its row depends on the rows before it."""


class Saddle(NamedTuple):
    """Index tables, values and work space of one system; sizes: u unknowns, r rows, N = u + r."""

    order: Integers  # (N,) place in the elimination of unknown or row (u + i)
    column_start: Integers  # (N+1,) upper triangle of the permuted matrix by column ...
    row_index: Integers  # ... rows, the diagonal last in each column
    values: Reals  # ... values; W is filled in once, G before every factor
    is_row: Integers  # (N,) 1 where the place holds a multiplier
    pattern_start: Integers  # (N+1,) the entries of each row of L, in topological order ...
    pattern: Integers
    factor_start: Integers  # (N+1,) columns of L ...
    factor_index: Integers
    factor: Reals
    filled: Integers  # (N,) how much of each column of L is there yet
    inverse_pivot: Reals  # (N,) 1 / D, zero where a row was dropped
    work: Reals  # (N,)
    weakest: Reals  # (1,) smallest pivot of a row over what it started from, dropped ones left out, since it was 1
    sizes: Integers  # (2,) N and u


def analyse(
    weight: sp.spmatrix, row_start: np.ndarray, touched: np.ndarray, blocks: np.ndarray
) -> tuple[Saddle, np.ndarray]:
    """Order and symbolic factor for W = `weight` (u x u) and rows of G given by the unknowns they touch.

    row_start, touched: row i touches the unknowns touched[row_start[i] : row_start[i + 1]].
    blocks: (u,) a label for each unknown; unknowns of one label (the axes of a node) stay together in the order.
    Returns the system and where the entries of G, row after row, live in its `values`.
    """
    upper = sp.triu(sp.csr_matrix(weight)).tocoo()
    unknowns, count = weight.shape[0], row_start.size - 1
    order = _order(upper, row_start, touched, blocks)
    owner = np.repeat(np.arange(unknowns, unknowns + count), np.diff(row_start))
    diagonal = np.arange(unknowns, unknowns + count)  # the zero block's diagonal, to have a pivot to fill
    i = order[np.concatenate([upper.row, touched, diagonal]).astype(np.int64)]
    j = order[np.concatenate([upper.col, owner, diagonal]).astype(np.int64)]
    low, high = np.minimum(i, j), np.maximum(i, j)
    sorting = np.lexsort((low, high))
    size = unknowns + count
    position = np.empty(sorting.size, dtype=np.int64)
    position[sorting] = np.arange(sorting.size)
    values = np.zeros(sorting.size)
    values[position[: upper.nnz]] = upper.data
    column_start = np.searchsorted(high[sorting], np.arange(size + 1)).astype(np.int64)
    row_index = low[sorting].astype(np.int64)
    pattern_start, pattern, factor_start = _symbolic(size, column_start, row_index)
    is_row = np.zeros(size, dtype=np.int64)
    is_row[order[unknowns:]] = 1
    saddle = Saddle(
        order=order,
        column_start=column_start,
        row_index=row_index,
        values=values,
        is_row=is_row,
        pattern_start=pattern_start,
        pattern=pattern,
        factor_start=factor_start,
        factor_index=_factor_rows(pattern_start, pattern, factor_start),
        factor=np.empty(factor_start[-1]),
        filled=np.empty(size, dtype=np.int64),
        inverse_pivot=np.empty(size),
        work=np.zeros(size),
        weakest=np.ones(1),
        sizes=np.array([size, unknowns], dtype=np.int64),
    )
    return saddle, position[upper.nnz : upper.nnz + touched.size]


def weight_places(saddle: Saddle, i: np.ndarray, j: np.ndarray) -> np.ndarray:
    """Where the entries (i, j) of W, all of them in its pattern, live in the `values` of a system."""
    first, second = saddle.order[i], saddle.order[j]
    size = saddle.column_start.size - 1
    column = np.repeat(np.arange(size), np.diff(saddle.column_start))
    wanted = np.maximum(first, second) * size + np.minimum(first, second)
    return np.asarray(np.searchsorted(column * size + saddle.row_index, wanted))


def _order(upper: sp.coo_matrix, row_start: np.ndarray, touched: np.ndarray, blocks: np.ndarray) -> np.ndarray:
    """Place of every unknown and row: blocks by minimum degree, each row right after the last unknown it touches."""
    labels, block = np.unique(blocks, return_inverse=True)
    size, sizes = labels.size, np.diff(row_start)
    if size == 0:
        return np.arange(sizes.size, dtype=np.int64)
    filled = np.flatnonzero(sizes)
    hub = np.repeat(block[touched[row_start[filled]]], sizes[filled])
    i = np.concatenate([block[upper.row], hub])
    j = np.concatenate([block[upper.col], block[touched]])
    graph = sp.csc_matrix((np.ones(i.size), (i, j)), shape=(size, size))
    graph = graph + graph.T
    graph.data[:] = -1.0
    dominant = sp.csc_matrix(graph + sp.diags(np.asarray(-2.0 * graph.sum(axis=1)).ravel() + 1.0))
    rank = splu(dominant, permc_spec="MMD_AT_PLUS_A", diag_pivot_thresh=0.0, options={"SymmetricMode": True}).perm_c
    unknown_rank = np.asarray(rank)[block] * 2
    row_rank = np.zeros(sizes.size, dtype=np.int64)
    if filled.size:
        row_rank[filled] = np.maximum.reduceat(unknown_rank[touched], row_start[filled]) + 1
    sequence = np.argsort(np.concatenate([unknown_rank, row_rank]), kind="stable")
    order = np.empty(sequence.size, dtype=np.int64)
    order[sequence] = np.arange(sequence.size)
    return order


@entry
def _symbolic(size: int, column_start: np.ndarray, row_index: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Pattern of the rows of L in topological order, and the size of its columns, by the elimination tree."""
    parent = np.full(size, -1, dtype=np.int64)
    flag = np.full(size, -1, dtype=np.int64)
    counts = np.zeros(size, dtype=np.int64)
    pattern_start = np.zeros(size + 1, dtype=np.int64)
    for k in range(size):
        flag[k] = k
        entries = 0
        for p in range(column_start[k], column_start[k + 1]):
            i = row_index[p]
            while flag[i] != k:
                if parent[i] == -1:
                    parent[i] = k
                counts[i] += 1
                entries += 1
                flag[i] = k
                i = parent[i]
        pattern_start[k + 1] = pattern_start[k] + entries
    factor_start = np.zeros(size + 1, dtype=np.int64)
    for k in range(size):
        factor_start[k + 1] = factor_start[k] + counts[k]
    pattern = np.empty(pattern_start[size], dtype=np.int64)
    stack = np.empty(size, dtype=np.int64)
    flag[:] = -1
    for k in range(size):
        flag[k] = k
        top = pattern_start[k + 1]
        for p in range(column_start[k], column_start[k + 1]):
            i = row_index[p]
            depth = 0
            while flag[i] != k:
                stack[depth] = i
                depth += 1
                flag[i] = k
                i = parent[i]
            while depth > 0:
                depth -= 1
                top -= 1
                pattern[top] = stack[depth]
    return pattern_start, pattern, factor_start


@entry
def _factor_rows(pattern_start: np.ndarray, pattern: np.ndarray, factor_start: np.ndarray) -> np.ndarray:
    """The row of every entry of L, column by column; rows are met in order."""
    filled = np.zeros(factor_start.size - 1, dtype=np.int64)
    rows = np.empty(factor_start[-1], dtype=np.int64)
    for k in range(filled.size):
        for p in range(pattern_start[k], pattern_start[k + 1]):
            i = pattern[p]
            rows[factor_start[i] + filled[i]] = k
            filled[i] += 1
    return rows


@entry
def factorise(s: Saddle) -> int:
    """Factor the matrix as it stands in `values`; returns how many dependent rows were dropped (in any lane), -1 if W
    is not positive."""
    dropped, weakest = 0, 1.0
    work = s.work
    for k in range(s.sizes[0]):
        s.filled[k] = 0
        last = s.column_start[k + 1] - 1
        for p in range(s.column_start[k], last):
            work[s.row_index[p]] = s.values[p]
        pivot = s.values[last]
        scale = 0.0
        for p in range(s.pattern_start[k], s.pattern_start[k + 1]):
            i = s.pattern[p]
            entry = work[i]
            work[i] = 0.0
            start = s.factor_start[i]
            end = start + s.filled[i]
            for n in range(start, end):
                work[s.factor_index[n]] -= s.factor[n] * entry
            scaled = entry * s.inverse_pivot[i]
            pivot -= scaled * entry
            scale = max(scale, abs(scaled * entry))
            s.factor[end] = scaled
            s.filled[i] += 1
        if s.is_row[k] == 1:
            drops = pivot >= -DROP * scale
            s.inverse_pivot[k] = where(drops, 0.0, 1.0) / where(drops, 1.0, pivot)
            weakest = min(weakest, where(drops, 1.0, -pivot) / where(drops, 1.0, scale))
            if some(drops):
                dropped += 1
        elif every(pivot > 0.0):
            s.inverse_pivot[k] = 1.0 / pivot
        else:
            return -1
    s.weakest[0] = min(weakest, s.weakest[0])
    return dropped


@entry
def solve(s: Saddle, top: np.ndarray, bottom: np.ndarray, x: np.ndarray, multipliers: np.ndarray) -> None:
    """Solve with the last factor; `top` and `bottom` are the right-hand side and are left as they are."""
    size, u = s.sizes[0], s.sizes[1]
    work = s.work
    for i in range(u):
        work[s.order[i]] = top[i]
    for i in range(size - u):
        work[s.order[u + i]] = bottom[i]
    for k in range(size):
        value = work[k]
        if some(abs(value) > 0.0):
            for n in range(s.factor_start[k], s.factor_start[k + 1]):
                work[s.factor_index[n]] -= s.factor[n] * value
    for k in range(size - 1, -1, -1):
        value = work[k] * s.inverse_pivot[k]
        for n in range(s.factor_start[k], s.factor_start[k + 1]):
            value -= s.factor[n] * work[s.factor_index[n]]
        work[k] = value
    for i in range(u):
        x[i] = work[s.order[i]]
    for i in range(size - u):
        multipliers[i] = -work[s.order[u + i]]
    for k in range(size):
        work[k] = 0.0
