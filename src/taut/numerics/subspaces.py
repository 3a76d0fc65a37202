"""Rank and null spaces by one rule: a singular value below TOLERANCE times the largest one is zero.

Small matrices go through the singular value decomposition, large sparse ones through a rank-finding QR. There the
smallest singular value that counts is no less than that of the triangle over the live columns, and the largest that
does not is seen on random null vectors: estimates, to tell a doubtful decision from a clear one.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import scipy.sparse as sp

from taut.numerics.sparse_qr import Factor, factorise

TOLERANCE = 1e-9
"""Far above rounding (1e-15) and below what a balanced shape good to nine digits leaves."""

DENSE = 700
"""Matrices with no more rows and columns than this are decomposed as a whole."""

ROUNDS = 12
"""Of power iteration: good to a few per cent, and the decision needs powers of ten."""


@dataclass(frozen=True)
class Rank:
    """The rank of a matrix, and the singular values on either side of the decision relative to the largest.

    smallest_kept: 1 where the rank is zero. largest_dropped: 0 where nothing was dropped.
    """

    rank: int
    smallest_kept: float
    largest_dropped: float


def rank_of(matrix: sp.spmatrix, tolerance: float = TOLERANCE, *, dense: int = DENSE) -> Rank:
    """How many singular values are more than `tolerance` times the largest."""
    if not matrix.nnz:
        return Rank(0, 1.0, 0.0)
    if max(matrix.shape) <= dense:
        values = np.linalg.svd(matrix.toarray(), compute_uv=False)
        values = values / values[0]
        rank = int(np.count_nonzero(values > tolerance))
        return Rank(rank, float(values[rank - 1]), float(values[rank]) if rank < values.size else 0.0)
    thin = matrix if matrix.shape[0] >= matrix.shape[1] else matrix.T
    largest = _largest(thin)
    factor, smallest = factorise(thin, tolerance * largest)
    return Rank(factor.rank, smallest / largest, _largest_dropped(thin, factor) / largest)


def null_space(matrix: sp.spmatrix, tolerance: float = TOLERANCE, *, dense: int = DENSE) -> np.ndarray:
    """Orthonormal columns that the matrix sends to zero, by the rule of `rank_of`; (columns, nullity)."""
    columns = matrix.shape[1]
    if not matrix.nnz:
        return np.eye(columns)
    if max(matrix.shape) <= dense:
        _, values, right = np.linalg.svd(matrix.toarray())
        return np.ascontiguousarray(right[np.count_nonzero(values > tolerance * values[0]) :].T)
    vectors = factorise(matrix, tolerance * _largest(matrix))[0].null_vectors()
    return np.asarray(np.linalg.qr(vectors)[0])


def narrow_null_space(matrix: sp.spmatrix, most: int, tolerance: float = TOLERANCE) -> np.ndarray | None:
    """The null space as `null_space` gives it, or None where it has more than `most` dimensions."""
    if max(matrix.shape) <= DENSE or not matrix.nnz:
        basis = null_space(matrix, tolerance)
        return basis if basis.shape[1] <= most else None
    if matrix.shape[1] - matrix.shape[0] > most:
        return None
    factor, _ = factorise(matrix, tolerance * _largest(matrix))
    return np.asarray(np.linalg.qr(factor.null_vectors())[0]) if factor.dead.size <= most else None


def least_norm(matrix: sp.spmatrix, right: np.ndarray, tolerance: float = TOLERANCE) -> np.ndarray:
    """The shortest x that brings matrix x closest to `right` (large: closest where `right` can be reached)."""
    if not matrix.nnz:
        return np.zeros(matrix.shape[1])
    if max(matrix.shape) <= DENSE:
        return np.asarray(np.linalg.lstsq(matrix.toarray(), right, rcond=tolerance)[0])
    tall = sp.csr_matrix(matrix.T)
    factor, _ = factorise(tall, tolerance * _largest(tall))
    x = np.zeros(tall.shape[0])
    for _ in range(3):  # corrected seminormal equations: each round mends what the squared condition number spoilt
        x += tall @ factor.solve(factor.solve_transposed(right - matrix @ x))
    return x


def _largest(matrix: sp.spmatrix) -> float:
    """The largest singular value, by power iteration."""
    vector = np.random.default_rng(1).standard_normal(matrix.shape[1])
    value = 0.0
    for _ in range(ROUNDS):
        vector = matrix.T @ (matrix @ (vector / np.linalg.norm(vector)))
        value = float(np.sqrt(np.linalg.norm(vector)))
    return value


def _largest_dropped(matrix: sp.spmatrix, factor: Factor) -> float:
    if not factor.dead.size:
        return 0.0
    blend = np.random.default_rng(3).standard_normal((factor.dead.size, 4))
    vectors = factor.null_combinations(blend)
    return float(np.max(np.linalg.norm(matrix @ vectors, axis=0) / np.linalg.norm(vectors, axis=0)))
