"""A sparse matrix of 3 x 3 blocks, one for each link between two points: where the blocks go, found once."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    import scipy.sparse as sp


@dataclass(frozen=True)
class Pattern:
    """Where the blocks of members go in a sparse matrix over chosen coordinates; made once, filled often."""

    size: int
    indices: np.ndarray
    indptr: np.ndarray
    place: np.ndarray  # for every kept entry of the four blocks of a member, where it is added
    kept: np.ndarray  # which of the entries of all members lie in the matrix
    diagonal: np.ndarray  # (size,) where the diagonal is in the data

    def matrix(self, member_blocks: np.ndarray, *, one_way: bool = False) -> sp.csc_matrix:
        """The matrix of (m, 3, 3) blocks: added at both ends of a member, taken away between them.

        one_way: at the first end, and taken away towards the second, only.
        """
        import scipy.sparse as sp

        back = 0.0 * member_blocks if one_way else member_blocks
        signed = np.stack([member_blocks, -member_blocks, -back, back], axis=1).ravel()
        data = np.bincount(self.place, signed[self.kept], self.indices.size)
        return sp.csc_matrix((data, self.indices, self.indptr), shape=(self.size, self.size))

    def repeated(self, count: int, links: int) -> Pattern:
        """Of so many copies side by side, a block of the diagonal each; links: of one copy."""
        entries, copy = self.indices.size, np.arange(count)[:, None]
        return Pattern(
            self.size * count,
            (self.indices + self.size * copy).ravel(),
            np.append((self.indptr[:-1] + entries * copy).ravel(), entries * count),
            (self.place + entries * copy).ravel(),
            (self.kept + 36 * links * copy).ravel(),
            (self.diagonal + entries * copy).ravel(),
        )


def pattern(first: np.ndarray, second: np.ndarray, unknown: np.ndarray, size: int) -> Pattern:
    """Of members between nodes; unknown: (3 n,) the row of every coordinate, -1 where it is no unknown."""
    axes = np.arange(3)
    ends = [unknown[3 * end[:, None] + axes] for end in (first, second)]
    shape = (first.size, 3, 3)
    rows = [np.broadcast_to(ends[a][:, :, None], shape) for a in (0, 0, 1, 1)]
    columns = [np.broadcast_to(ends[b][:, None, :], shape) for b in (0, 1, 0, 1)]
    row, column = np.stack(rows, axis=1).ravel(), np.stack(columns, axis=1).ravel()
    kept = np.flatnonzero((row >= 0) & (column >= 0))
    every = np.arange(size)
    keys = np.concatenate([column[kept] * size + row[kept], every * size + every])
    found, place = np.unique(keys, return_inverse=True)
    indptr = np.searchsorted(found, np.arange(size + 1) * size)
    return Pattern(size, found % size, indptr, place[: kept.size], kept, place[kept.size :])


def every_pair(start: np.ndarray, points: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Links one way from every point of a group to every other; groups follow one another, start: where each begins."""
    pairs = [(a, b) for begin, end in pairwise(start) for a in points[begin:end] for b in points[begin:end] if a != b]
    first, second = np.array(pairs, dtype=np.int64).reshape(-1, 2).T
    return first, second
