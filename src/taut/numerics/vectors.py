"""Loops over vectors that algorithms call as words. Loops, because slices are slow to compile and to run in kernels."""

from __future__ import annotations

import numpy as np

from taut.numerics.compiled import entry
from taut.numerics.pointers import start_of


@entry
def put(target: np.ndarray, source: np.ndarray) -> None:
    """target = source."""
    for i in range(target.size):
        target[i] = source[i]


@entry
def add(target: np.ndarray, factor: float, source: np.ndarray) -> None:
    """target += factor * source."""
    for i in range(target.size):
        target[i] += factor * source[i]


@entry
def accumulate(target: np.ndarray, remainder: np.ndarray, factor: float, source: np.ndarray) -> None:
    """target += factor * source, with what falls below the last bit kept in `remainder` (Kahan)."""
    for i in range(target.size):
        increment = factor * source[i] + remainder[i]
        total = target[i] + increment
        remainder[i] = increment - (total - target[i])
        target[i] = total


@entry
def dot(a: np.ndarray, b: np.ndarray) -> float:
    total = 0.0
    for i in range(a.size):
        total += a[i] * b[i]
    return total


@entry
def combine(
    target: np.ndarray, base: np.ndarray, step: float, weights: np.ndarray, stages: np.ndarray, count: int
) -> None:
    """target = base + step * sum of weights[j] * stages[j] over the first `count` stages."""
    size = target.size
    out, start, rows = start_of(target), start_of(base), start_of(stages)
    while count > 1 and weights[count - 1] == 0.0:
        count -= 1
    # Two stages at a time: every pass over a vector costs more to begin than a term more in its sum.
    j = count - 1 if count % 2 == 1 else count - 2
    first = j * size
    if count % 2 == 1:
        a = weights[j]
        for i in range(size):
            out[i] = a * rows[first + i]
    else:
        a, b, second = weights[j], weights[j + 1], first + size
        for i in range(size):
            out[i] = a * rows[first + i] + b * rows[second + i]
    for k in range(0, j, 2):
        first, second, a, b = k * size, (k + 1) * size, weights[k], weights[k + 1]
        if b == 0.0:
            for i in range(size):
                out[i] += a * rows[first + i]
        elif a != 0.0:
            for i in range(size):
                out[i] += a * rows[first + i] + b * rows[second + i]
        else:
            for i in range(size):
                out[i] += b * rows[second + i]
    for i in range(size):
        out[i] = start[i] + step * out[i]


@entry
def finite(vector: np.ndarray) -> bool:
    """Whether every entry is a finite number."""
    sound = True
    for i in range(vector.size):
        sound &= abs(vector[i]) < np.inf
    return sound
