"""Small systems [A G^T; G 0] [x; y] = [top; bottom], dense, by their eigenvalues: `quasidefinite` for a few unknowns.

With G times c, so that both blocks are of one size. Eigenvalues of no size belong to rows that depend on others, or to
x along which nothing resists. As many as there are independent rows are negative where A is positive on the null space
of G, by Sylvester's law of inertia.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import scipy.sparse as sp

RANK = 1e-13
"""Eigenvalues below this part of the largest count as zero."""


@dataclass
class SmallSaddle:
    """negative: directions in which A is negative on the null space of G. weakest: the smallest eigenvalue that counts
    against the largest, zero where x can move without any."""

    whole: np.ndarray
    inverse: np.ndarray  # 1 / eigenvalues, zero for those that do not count
    vectors: np.ndarray
    weight: float
    size: int
    negative: int
    weakest: float

    def solve(self, top: np.ndarray, bottom: np.ndarray | None = None) -> tuple[np.ndarray, np.ndarray]:
        """x and y; right sides may be columns. Of y that dependent rows leave open the shortest."""
        right = np.zeros((len(self.whole), *top.shape[1:]))
        right[: self.size] = top
        if bottom is not None:
            right[self.size :] = self.weight * bottom
        found = self._inverse_times(right)
        found += self._inverse_times(right - self.whole @ found)
        return found[: self.size], self.weight * found[self.size :]

    def _inverse_times(self, right: np.ndarray) -> np.ndarray:
        along = self.vectors.T @ right
        return np.asarray(self.vectors @ (along.T * self.inverse).T)


def small_saddle(matrix: sp.csc_matrix, rows: sp.csr_matrix) -> SmallSaddle:
    size, count = matrix.shape[0], rows.shape[0]
    whole = np.zeros((size + count, size + count))
    whole[:size, :size] = matrix.toarray()
    weight = float(np.abs(whole).max(initial=0.0)) or 1.0
    whole[size:, :size] = weight * rows.toarray()
    whole[:size, size:] = whole[size:, :size].T
    if not np.isfinite(whole).all():
        return SmallSaddle(whole, np.zeros(size + count), np.eye(size + count), weight, size, -1, 0.0)
    values, vectors = np.linalg.eigh(whole)
    largest = float(np.abs(values).max(initial=0.0)) or 1.0
    counts = np.abs(values) > RANK * largest
    free = np.linalg.norm(vectors[:size, ~counts], axis=0) > 0.5
    dependent = int(np.count_nonzero(~free))
    weakest = 0.0 if free.any() else float(np.abs(values[counts]).min(initial=largest)) / largest
    inverse = np.divide(1.0, values, out=np.zeros_like(values), where=counts)
    negative = int(np.count_nonzero(values[counts] < 0.0)) - (count - dependent)
    return SmallSaddle(whole, inverse, vectors, weight, size, negative, weakest)
