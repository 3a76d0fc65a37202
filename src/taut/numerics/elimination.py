"""An order of elimination for a symmetric graph, paths end to end, then minimum degree; and what it fills."""

from __future__ import annotations

import numpy as np
import scipy.sparse as sp
from scipy.sparse.linalg import splu


def order_of(graph: sp.csr_matrix) -> np.ndarray:
    """The rank of every vertex; graph: both directions of every edge, no loops.

    Vertices with two neighbours each, in a row, go from one end to the other: to minimum degree they are all the same,
    but so a row of a saddle that joins two of them is done with as soon as the second is.
    """
    near = np.split(graph.indices, graph.indptr[1:-1])
    thin = np.diff(graph.indptr) == 2
    sequence, joined = _paths(near, thin)
    left = np.ones(thin.size, dtype=bool)
    left[sequence] = False
    rest = np.flatnonzero(left)
    rank = np.empty(thin.size, dtype=np.int64)
    rank[sequence] = np.arange(len(sequence))
    if rest.size:
        ends = np.array(joined, dtype=np.int64).reshape(-1, 2)
        across = sp.csr_matrix((np.ones(len(ends)), (ends[:, 0], ends[:, 1])), shape=graph.shape)
        rank[rest] = len(sequence) + _minimum_degree((graph + across + across.T)[rest][:, rest])
    return rank


def _paths(near: list[np.ndarray], thin: np.ndarray) -> tuple[list[int], list[tuple[int, int]]]:
    """The thin vertices, path after path, and what each path joins; a ring of nothing else is left out."""
    sequence: list[int] = []
    joined: list[tuple[int, int]] = []
    seen = np.zeros(thin.size, dtype=bool)
    turns: list[int] = []
    for start in np.flatnonzero(~thin).tolist():
        for first in near[start].tolist():
            before, here = start, first
            turn = 0
            while thin[here] and not seen[here]:
                seen[here] = True
                sequence.append(here)
                turns.append(turn)
                turn += 1
                one, other = near[here].tolist()
                before, here = here, other if one == before else one
            if before != start:
                joined.append((start, here))
    return [sequence[k] for k in np.argsort(turns, kind="stable")], joined


def _minimum_degree(graph: sp.csr_matrix) -> np.ndarray:
    """By the order that SuperLU finds for a matrix of this pattern."""
    graph = sp.csc_matrix(graph)
    graph.data[:] = -1.0
    dominant = sp.csc_matrix(graph + sp.diags(np.asarray(-2.0 * graph.sum(axis=1)).ravel() + 1.0))
    found = splu(dominant, permc_spec="MMD_AT_PLUS_A", diag_pivot_thresh=0.0, options={"SymmetricMode": True})
    return np.asarray(found.perm_c, dtype=np.int64)


def columns_of(size: int, i: np.ndarray, j: np.ndarray) -> list[list[int]]:
    """The rows below the diagonal of every column of L, for a matrix with these entries (any triangle, or both)."""
    columns: list[set[int]] = [set() for _ in range(size)]
    apart = i != j
    for low, high in zip(np.minimum(i, j)[apart].tolist(), np.maximum(i, j)[apart].tolist(), strict=True):
        columns[low].add(high)
    found = []
    for column in columns:
        rows = sorted(column)
        found.append(rows)
        if rows:
            columns[rows[0]].update(rows[1:])
    return found


def parents_of(columns: list[list[int]]) -> np.ndarray:
    """Of every column in the elimination tree, -1 for a root."""
    return np.array([rows[0] if rows else -1 for rows in columns], dtype=np.int64)
