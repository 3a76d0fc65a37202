"""The saddle-point system of `taut.numerics.saddle`, small and dense: solved by a singular value decomposition.

    W x = a + G^T l,   G x = b

With W = L L^T and L^-1 G^T = U S V^T C, C the lengths of the columns, so that units of rows do not matter. Rows that
depend on others get the multipliers that are smallest when measured by what they do.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

RANK = 1e-10
"""Singular values below this fraction of the largest count as zero."""


NOTHING = 1e-12
"""Rows shorter than this fraction of the longest are round-off of rows that say nothing, and would be taken at their
word if they were scaled."""


class DenseSaddle(NamedTuple):
    root: np.ndarray  # L
    left: np.ndarray  # U, columns of the singular values that count
    singular: np.ndarray  # S
    right: np.ndarray  # V
    lengths: np.ndarray  # C

    @property
    def dropped(self) -> int:
        """How many rows depend on others."""
        return int(self.lengths.size - self.singular.size)

    @property
    def firmness(self) -> float:
        """How independent the rows are: 1 fully, 0 not at all."""
        return float((self.singular[-1] / self.singular[0]) ** 2) if self.singular.size else 1.0


def decompose(weight: np.ndarray, gradient: np.ndarray) -> DenseSaddle:
    root = np.linalg.cholesky(weight)
    columns = np.linalg.solve(root, gradient.T)
    lengths = np.linalg.norm(columns, axis=0)
    nothing = lengths <= NOTHING * lengths.max(initial=0.0)
    columns[:, nothing], lengths[nothing] = 0.0, 1.0
    left, singular, right = np.linalg.svd(columns / lengths, full_matrices=False)
    rank = int(np.sum(singular > RANK * singular[0])) if singular.size else 0
    return DenseSaddle(root, left[:, :rank], singular[:rank], right[:rank].T, lengths)


def solve(s: DenseSaddle, a: np.ndarray, b: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """x and l."""
    pull = np.linalg.solve(s.root, a)
    along = s.left.T @ pull
    wanted = (s.right.T @ (b / s.lengths)) / s.singular
    x = np.linalg.solve(s.root.T, pull + s.left @ (wanted - along))
    return x, (s.right @ ((wanted - along) / s.singular)) / s.lengths


def null_basis(s: DenseSaddle) -> np.ndarray:
    """Columns T that G sends to zero, orthonormal by W: T^T W T = 1."""
    whole = np.linalg.qr(s.left, mode="complete")[0]
    return np.asarray(np.linalg.solve(s.root.T, whole[:, s.left.shape[1] :]))


def lift(s: DenseSaddle) -> np.ndarray:
    """The P with x = P b the shortest solution of G x = b by W, so that T^T W P = 0; nothing along dependent rows."""
    return np.asarray(np.linalg.solve(s.root.T, s.left / s.singular @ s.right.T / s.lengths))
