"""Small dense systems in kernels that are neither symmetric nor positive: L U with the largest pivot left, every time.

Matrices are pointers, row after row. Complete pivoting costs as much as the elimination itself, and leaves what is
round-off to the end, where its unknowns are taken as zero.
"""

from __future__ import annotations

import numpy as np

from taut.numerics.compiled import kernel
from taut.numerics.dense_kernels import RANK


@kernel
def factor_pivoted(matrix: np.ndarray, n: int, order: np.ndarray) -> int:
    """L and U in the place of a matrix, 1 / pivots on the diagonal; returns how many pivots are round-off.

    order: (2 n,) the row, and then the column, that every pivot was taken from.
    """
    largest = 0.0
    for k in range(n):
        pivot, row, column = 0.0, k, k
        for i in range(k, n):
            for j in range(k, n):
                size = abs(matrix[i * n + j])
                if size > pivot:
                    pivot, row, column = size, i, j
        largest = max(largest, pivot)
        order[k], order[n + k] = row, column
        if pivot <= RANK * largest:
            for i in range(k, n):
                order[i], order[n + i], matrix[i * n + i] = i, i, 0.0
            return n - k
        for j in range(n):
            matrix[k * n + j], matrix[row * n + j] = matrix[row * n + j], matrix[k * n + j]
        for i in range(n):
            matrix[i * n + k], matrix[i * n + column] = matrix[i * n + column], matrix[i * n + k]
        matrix[k * n + k] = 1.0 / matrix[k * n + k]
        for i in range(k + 1, n):
            share = matrix[i * n + k] * matrix[k * n + k]
            matrix[i * n + k] = share
            for j in range(k + 1, n):
                matrix[i * n + j] -= share * matrix[k * n + j]
    return 0


@kernel
def solve_pivoted(matrix: np.ndarray, n: int, order: np.ndarray, x: np.ndarray) -> None:
    """x = what the factored matrix turns into x; zero for unknowns whose pivots were round-off."""
    for k in range(n):
        row = order[k]
        x[k], x[row] = x[row], x[k]
        for j in range(k):
            x[k] -= matrix[k * n + j] * x[j]
    for k in range(n - 1, -1, -1):
        for j in range(k + 1, n):
            x[k] -= matrix[k * n + j] * x[j]
        x[k] *= matrix[k * n + k]
    for k in range(n - 1, -1, -1):
        column = order[n + k]
        x[k], x[column] = x[column], x[k]
