"""Orders of elimination for a symmetric graph, paths end to end, then minimum degree or a band; and what they fill."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    import scipy.sparse as sp


WINDOW = 512
"""So many vertices of neighbouring subtrees are eliminated together: what they fill stays in the processor's cache."""


def orders_of(graph: sp.csr_matrix) -> Iterator[np.ndarray]:
    """Ranks of all vertices, one or two orders to choose from; graph: both directions of every edge, no loops.

    Vertices with two neighbours each, in a row, go from one end to the other: to minimum degree they are all the same,
    but so a row of a saddle that joins two of them is done with as soon as the second is. The rest goes by minimum
    degree, or end to end too, which fills less where it is long and rows would wait for vertices far away.
    """
    import scipy.sparse as sp

    near = np.split(graph.indices, graph.indptr[1:-1])
    thin = np.diff(graph.indptr) == 2
    sequence, joined = _paths(near, thin)
    left = np.ones(thin.size, dtype=bool)
    left[sequence] = False
    rest = np.flatnonzero(left)
    rank = np.empty(thin.size, dtype=np.int64)
    rank[sequence] = np.arange(len(sequence))
    if rest.size == 0:
        yield rank
        return
    ends = np.array(joined, dtype=np.int64).reshape(-1, 2)
    across = sp.csr_matrix((np.ones(len(ends)), (ends[:, 0], ends[:, 1])), shape=graph.shape)
    whole = (graph + across + across.T)[rest][:, rest]
    for order in (_minimum_degree, _end_to_end):
        rank[rest] = len(sequence) + order(whole)
        yield rank.copy()


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
    import scipy.sparse as sp
    from scipy.sparse.linalg import splu

    graph = sp.csc_matrix(graph)
    graph.data[:] = -1.0
    dominant = sp.csc_matrix(graph + sp.diags(np.asarray(-2.0 * graph.sum(axis=1)).ravel() + 1.0))
    found = splu(dominant, permc_spec="MMD_AT_PLUS_A", diag_pivot_thresh=0.0, options={"SymmetricMode": True})
    return np.asarray(found.perm_c, dtype=np.int64)


def _end_to_end(graph: sp.csr_matrix) -> np.ndarray:
    """Reverse Cuthill-McKee: level after level from a vertex at the rim."""
    import scipy.sparse as sp
    from scipy.sparse.csgraph import reverse_cuthill_mckee

    return np.argsort(reverse_cuthill_mckee(sp.csr_matrix(graph), symmetric_mode=True))


def columns_of(size: int, i: np.ndarray, j: np.ndarray, below: float = math.inf) -> list[list[int]] | None:
    """The rows below the diagonal of every column of L, for a matrix with these entries (any triangle, or both).

    below: so many products or more (`products`) are too many, and nothing is found.
    """
    columns: list[set[int]] = [set() for _ in range(size)]
    apart = i != j
    for low, high in zip(np.minimum(i, j)[apart].tolist(), np.maximum(i, j)[apart].tolist(), strict=True):
        columns[low].add(high)
    found: list[list[int]] = []
    for column in columns:
        rows = sorted(column)
        found.append(rows)
        below -= products(rows)
        if below <= 0:
            return None
        if rows:
            columns[rows[0]].update(rows[1:])
    return found


def products(column: list[int]) -> int:
    """So many products with one another do the entries of a column of L have in an elimination."""
    return len(column) * (len(column) + 1) // 2


def parents_of(columns: list[list[int]]) -> np.ndarray:
    """Of every column in the elimination tree, -1 for a root."""
    return np.array([rows[0] if rows else -1 for rows in columns], dtype=np.int64)


def by_subtrees(parent: np.ndarray) -> np.ndarray:
    """New ranks that fill the same: subtrees of the elimination tree follow one another, a window at a time, within
    which the order stays as it was."""
    parents, size = parent.tolist(), [1] * parent.size
    for k, up in enumerate(parents):
        if up >= 0:
            size[up] += size[k]
    begin, roots = [0] * parent.size, 0  # where the next subtree below each begins
    place = np.empty(parent.size, dtype=np.int64)
    for k in range(parent.size - 1, -1, -1):
        up = parents[k]
        if up < 0:
            begin[k], roots = roots, roots + size[k]
        else:
            begin[k], begin[up] = begin[up], begin[up] + size[k]
        place[k] = begin[k] + size[k] - 1
    return np.argsort(np.argsort(place // WINDOW, kind="stable"))
