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
    last = count - 1
    while last > 0 and weights[last] == 0.0:
        last -= 1
    started = False
    for j in range(last):
        weight, row = weights[j], j * size
        if weight != 0.0:
            if started:
                for i in range(size):
                    out[i] += weight * rows[row + i]
            else:
                for i in range(size):
                    out[i] = weight * rows[row + i]
                started = True
    weight, row = weights[last], last * size
    if started:
        for i in range(size):
            out[i] = start[i] + step * (out[i] + weight * rows[row + i])
    else:
        for i in range(size):
            out[i] = start[i] + step * (weight * rows[row + i])


@entry
def finite(vector: np.ndarray) -> bool:
    """Whether every entry is a finite number."""
    sound = True
    for i in range(vector.size):
        sound &= abs(vector[i]) < np.inf
    return sound
