"""The direction in which a symmetric matrix is least positive, among those x with rows x = 0 and beside^T x = 0."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import scipy.sparse as sp
from scipy.linalg import qr

from taut.numerics.quasidefinite import factored
from taut.numerics.subspaces import least_norm, narrow_null_space, null_space

DENSE = 900
"""Up to this size matrices are treated as dense."""

LISTED = 300
"""Up to this many directions they are listed and all of them looked at, whatever the size; then a search is faster."""


@dataclass(frozen=True)
class Weakest:
    """vector: of unit length. value: vector . matrix vector, the least there is.

    negative: in how many independent directions the matrix is negative, -1 where that is not known. Where directions
    are too many to list, it comes from the signs of pivots (Sylvester), not from `value`, which is then the least that
    was found: the two are independent witnesses.
    """

    value: float
    vector: np.ndarray
    negative: int


def weakest(
    matrix: sp.csr_matrix, rows: sp.csr_matrix, beside: sp.csr_matrix, *, dense: int = DENSE, listed: int = LISTED
) -> Weakest | None:
    """The least positive direction; None where no direction is left (for sizes above `dense` there must be one).

    beside: (size, k) orthonormal columns. For sizes above `dense` they must be null vectors of the matrix and of rows.
    """
    if matrix.shape[0] <= dense:
        held = sp.csr_matrix(sp.vstack([rows, beside.T]))
        return _listed(matrix, null_space(held, dense=max(held.shape)))
    still = narrow_null_space(rows, listed) if rows.shape[0] else None
    if still is None:
        return _searched(matrix, rows, beside.toarray())
    apart = null_space(sp.csr_matrix(beside.T @ still), dense=still.shape[1] + beside.shape[1])
    return _listed(matrix, still @ apart)


def _listed(matrix: sp.csr_matrix, basis: np.ndarray) -> Weakest | None:
    if not basis.shape[1]:
        return None
    values, vectors = np.linalg.eigh(basis.T @ (matrix @ basis))
    return Weakest(float(values[0]), basis @ vectors[:, 0], int(np.count_nonzero(values < 0.0)))


def margin(matrix: sp.csr_matrix, beside: sp.csr_matrix, *, dense: int = DENSE) -> float:
    """The least eigenvalue beside null vectors of the matrix, zero where it is not positive; inf where none is left."""
    rows = sp.csr_matrix((0, matrix.shape[0]))
    if matrix.shape[0] > dense:
        # Signs of pivots are had for one factorisation, eigenvalues are not.
        kept = _kept(beside.toarray())
        if factored(sp.csc_matrix(matrix[kept][:, kept]), rows[:, kept]).negative != 0:
            return 0.0
    least = weakest(matrix, rows, beside, dense=dense)
    return np.inf if least is None else max(least.value, 0.0)


def _kept(beside: np.ndarray) -> np.ndarray:
    """All coordinates but as many as there are vectors, chosen so that no combination of these is zero there."""
    size, count = beside.shape
    held = qr(beside.T, mode="r", pivoting=True)[1][:count] if count else []
    return np.setdiff1d(np.arange(size), held)


def _searched(matrix: sp.csr_matrix, rows: sp.csr_matrix, beside: np.ndarray) -> Weakest:
    """By inverse iteration with a sparse factor.

    Null vectors are kept out by holding as many coordinates as there are of them; for a symmetric matrix the inverse
    beside its null vectors is that of the held matrix, with the null vectors projected out on both sides.
    """
    from scipy.sparse.linalg import ArpackNoConvergence, LinearOperator, eigsh

    size = matrix.shape[0]
    kept = _kept(beside)
    solver = factored(sp.csc_matrix(matrix[kept][:, kept]), sp.csr_matrix(rows[:, kept]))
    negative = solver.negative
    shift = 0.0
    if negative != 0:
        # A shift below the whole spectrum makes it positive; no coordinates need to be held then.
        shift = 1.05 * float(abs(matrix).sum(axis=1).max())
        kept = np.arange(size)
        solver = factored(sp.csc_matrix(matrix + shift * sp.identity(size)), rows)

    def beside_out(x: np.ndarray) -> np.ndarray:
        return np.asarray(x - beside @ (beside.T @ x))

    def inverse(x: np.ndarray) -> np.ndarray:
        found = np.zeros(size)
        found[kept] = solver.solve(beside_out(x.ravel())[kept])[0]
        return beside_out(found)

    start = inverse(np.random.default_rng(4).standard_normal(size))
    operator = LinearOperator((size, size), matvec=inverse, dtype=float)
    try:
        _, vectors = eigsh(operator, k=1, which="LA", v0=start, tol=1e-6, maxiter=300)
        vector = vectors[:, 0]
    except ArpackNoConvergence as unfinished:
        vector = unfinished.eigenvectors[:, 0] if unfinished.eigenvectors.size else start
    if rows.shape[0]:  # factors leave a little of rows x
        vector = vector - least_norm(rows, rows @ vector)
    vector /= np.linalg.norm(vector)
    return Weakest(float(vector @ (matrix @ vector)), vector, negative)
