"""The solution of least norm of a few equations in many unknowns."""

from __future__ import annotations

import numpy as np

from taut.numerics.compiled import entry
from taut.numerics.dense_kernels import backward, factor, forward
from taut.numerics.pointers import all_of, shifted, start_of


@entry
def add_least_norm(b: np.ndarray, first: int, unknowns: int, equations: int, target: np.ndarray) -> None:
    """target += A^T (A A^T)^-1 right, by normal equations; an equation that depends on others is left out.

    b: in its rows from `first` on the columns of A, one for each unknown, then room for A A^T, then the right side.
    """
    width, out = b.shape[1], start_of(target)
    columns = shifted(all_of(b), first * width)
    gram, right = shifted(columns, unknowns * width), shifted(columns, (unknowns + equations) * width)
    for i in range(equations):
        for j in range(i + 1):
            total = 0.0
            for k in range(unknowns):
                total += columns[k * width + i] * columns[k * width + j]
            gram[i * equations + j] = total
            gram[j * equations + i] = total
    factor(gram, equations)
    forward(gram, equations, right)
    backward(gram, equations, right)
    for k in range(unknowns):
        total = 0.0
        for i in range(equations):
            total += columns[k * width + i] * right[i]
        out[k] += total
