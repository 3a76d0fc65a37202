"""Loops over vectors that algorithms call as words. Loops, because slices are slow to compile and to run in kernels."""

from __future__ import annotations

import numpy as np

from taut.numerics.compiled import entry


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
    for i in range(target.size):
        target[i] = 0.0
    for j in range(count):
        weight = weights[j]
        if weight != 0.0:
            row = stages[j]
            for i in range(target.size):
                target[i] += weight * row[i]
    for i in range(target.size):
        target[i] = base[i] + step * target[i]


@entry
def finite(vector: np.ndarray) -> bool:
    """Whether every entry is a finite number."""
    total = 0.0
    for i in range(vector.size):
        total += abs(vector[i])
    return bool(np.isfinite(total))
