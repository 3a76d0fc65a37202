"""Nested dissection: an order of elimination in which the two sides of every cut come before the cut itself."""

from __future__ import annotations

import numpy as np
import scipy.sparse as sp
from scipy.sparse.csgraph import connected_components, shortest_path

LEAF = 64
"""Parts of at most this many vertices are not cut further: dense algebra is faster there."""


def dissection(graph: sp.csr_matrix, leaf: int = LEAF) -> list[np.ndarray]:
    """Blocks of vertices of a symmetric graph, in an order of elimination.

    Vertices that an edge joins lie in blocks of which one separates or contains the other, so whatever touches both
    can wait in the later one.
    """
    blocks: list[np.ndarray] = []
    waiting = [np.arange(graph.shape[0])]
    while waiting:
        part = waiting.pop()
        if part.size <= leaf:
            blocks.append(part)
            continue
        inner = graph[part][:, part]
        count, labels = connected_components(inner, directed=False)
        cut, low, high = _between_components(labels) if count > 1 else _across(inner)
        if low.size == 0 or high.size == 0:
            blocks.append(part)
            continue
        if cut.size:
            blocks.append(part[cut])
        waiting += [part[low], part[high]]
    return [block for block in blocks[::-1] if block.size]


def _between_components(labels: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Two halves with nothing between them."""
    sizes = np.cumsum(np.bincount(labels))
    split = int(np.searchsorted(sizes, sizes[-1] / 2.0))
    first = labels <= min(split, sizes.size - 2)
    return np.zeros(0, dtype=np.int64), np.flatnonzero(first), np.flatnonzero(~first)


def _across(graph: sp.csr_matrix) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The smallest level near the middle, counted from a vertex at the rim: cut, one side, other side."""
    start = 0
    for _ in range(2):
        distance = shortest_path(graph, unweighted=True, indices=start)
        start = int(np.argmax(distance))
    level = distance.astype(np.int64)
    sizes = np.bincount(level)
    before = np.cumsum(sizes) - sizes
    middle = np.flatnonzero((before >= 0.25 * level.size) & (before + sizes <= 0.75 * level.size))
    if middle.size == 0:
        middle = np.array([int(np.searchsorted(np.cumsum(sizes), level.size / 2.0))])
    at = int(middle[np.argmin(sizes[middle])])
    high = level > at
    touches = (graph @ high.astype(float)) > 0.0
    cut = (level == at) & touches
    return np.flatnonzero(cut), np.flatnonzero(~high & ~cut), np.flatnonzero(high)
