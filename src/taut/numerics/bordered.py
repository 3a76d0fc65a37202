"""Saddle-point systems with one more row and column, factored with pivoting: regular where a curve turns back.

    [A   R^T  a]
    [R   -d   b]
    [n   0    c]

d is small and makes up for rows of R that depend on one another. What it does to the solution is refined away, so that
it can be large enough not to turn round-off in dependent rows into large multipliers.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp

REFINEMENTS = 2


@dataclass(frozen=True)
class Bordered:
    """A factorisation; exact: the matrix with d = 0."""

    lu: Any
    exact: sp.csc_matrix

    def solve(self, right: np.ndarray, refinements: int = REFINEMENTS) -> np.ndarray:
        found = self.lu.solve(right)
        for _ in range(refinements):
            found = found + self.lu.solve(right - self.exact @ found)
        return np.asarray(found)


def bordered(
    matrix: sp.csc_matrix,
    rows: sp.csr_matrix,
    slack: float,
    column: np.ndarray | None = None,
    row: np.ndarray | None = None,
) -> Bordered | None:
    """Factor; column and row are both of the size of the whole, with c at the end of the row. None if singular."""
    from scipy.sparse.linalg import splu

    exact = sp.bmat([[matrix, rows.T], [rows, None]], format="csc") if rows.shape[0] else sp.csc_matrix(matrix)
    if column is not None and row is not None:
        border = sp.csc_matrix(column[:, None]), sp.csr_matrix(row[None, :-1]), sp.csr_matrix(row[None, -1:])
        exact = sp.bmat([[exact, border[0]], [border[1], border[2]]], format="csc")
    held = np.zeros(exact.shape[0])
    held[matrix.shape[0] : matrix.shape[0] + rows.shape[0]] = slack
    try:
        return Bordered(splu(sp.csc_matrix(exact - sp.diags(held))), exact)
    except RuntimeError:  # a pivot is zero to the last bit
        return None
