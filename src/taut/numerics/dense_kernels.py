"""Small dense systems in kernels: W x = a + G^T l, G x = b, with W positive and G of few rows.

By Cholesky factors: W = L L^T, Y = L^-1 G^T, S = Y^T Y. Matrices are pointers, row after row. A row of G that depends
on those before it gets no multiplier: its pivot in S is round-off.
"""

from __future__ import annotations

import math

import numpy as np

from taut.numerics.compiled import inlined, kernel

RANK = 1e-12
"""A pivot below this part of what it started from is round-off."""


@kernel
def factor(matrix: np.ndarray, n: int) -> float:
    """L in the lower half of a matrix, in its place; returns the least pivot as a part of what it started from, not
    positive where the matrix is not. Rows whose pivot is round-off are left out: 1 / their pivot is taken as zero."""
    least = 1.0
    for i in range(n):
        begun = matrix[i * n + i]
        for j in range(i + 1):
            total = matrix[i * n + j]
            for k in range(j):
                total -= matrix[i * n + k] * matrix[j * n + k]
            if j < i:
                matrix[i * n + j] = total * matrix[j * n + j]
            else:
                share = total / begun if begun > 0.0 else 0.0
                least = min(least, share)
                matrix[i * n + i] = 1.0 / math.sqrt(total) if share > RANK else 0.0
    return least


@inlined
def forward(matrix: np.ndarray, n: int, x: np.ndarray) -> None:
    """x = L^-1 x; the diagonal holds 1 / pivots."""
    for i in range(n):
        total = x[i]
        for k in range(i):
            total -= matrix[i * n + k] * x[k]
        x[i] = total * matrix[i * n + i]


@inlined
def backward(matrix: np.ndarray, n: int, x: np.ndarray) -> None:
    """x = L^-T x."""
    for i in range(n - 1, -1, -1):
        total = x[i]
        for k in range(i + 1, n):
            total -= matrix[k * n + i] * x[k]
        x[i] = total * matrix[i * n + i]
