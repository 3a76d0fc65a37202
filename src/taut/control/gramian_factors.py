"""Square roots of gramians, without the gramians: small ones keep their digits, and none turns negative."""

from __future__ import annotations

import numpy as np


def gramian_factor(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """Real F with a F F^T + F F^T a^T + b b^T = 0, for a whose poles all die away (Hammarling 1982).

    With a upper triangular, as its complex Schur form is, the last column of F follows from the last row of b; taking
    it out leaves an equation of the same kind for the rest.
    """
    from scipy.linalg import qr, schur, solve_triangular

    size = len(a)
    if not size:
        return np.zeros((0, 0))
    triangle, turn = schur(a, output="complex")
    left = turn.conj().T @ b
    found = np.zeros((size, size), dtype=complex)
    for k in range(size - 1, -1, -1):
        row, pole = left[k], triangle[k, k]
        corner = np.linalg.norm(row) / np.sqrt(-2.0 * pole.real)
        if not corner:
            continue
        found[k, k] = corner
        if k:
            wanted = -triangle[:k, k] * corner - left[:k] @ row.conj() / corner
            column = solve_triangular(triangle[:k, :k] + pole.conj() * np.eye(k), wanted, check_finite=False)
            found[:k, k] = column
            left[:k] -= np.outer(column, row / corner)
    found = turn @ found
    # F F^H is real, so its real and imaginary columns side by side have the same square, and a QR makes it square.
    return np.asarray(qr(np.hstack([found.real, found.imag]).T, mode="r")[0][:size].T)
