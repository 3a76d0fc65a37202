"""Loops over vectors that algorithms call as words. Loops, because slices are slow to compile and to run in kernels.

A vector may hold a row of lanes for every entry (see `taut.numerics.lanes`); factors may then be lanes too.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from taut.numerics.compiled import entry, inlined
from taut.numerics.pointers import all_of, shifted, start_of


@entry
def put(target: np.ndarray, source: np.ndarray) -> None:
    """target = source."""
    out, given = all_of(target), all_of(source)
    for i in range(target.size):
        out[i] = given[i]


@entry
def oppose(target: np.ndarray) -> None:
    """target = -target."""
    out = all_of(target)
    for i in range(target.size):
        out[i] = -out[i]


@entry
def scale(target: np.ndarray, factor: float) -> None:
    """target = factor * target."""
    out = all_of(target)
    for i in range(target.size):
        out[i] *= factor


@entry
def add(target: np.ndarray, factor: float, source: np.ndarray) -> None:
    """target += factor * source."""
    out, given = start_of(target), start_of(source)
    for i in range(len(target)):
        out[i] += factor * given[i]


@entry
def accumulate(target: np.ndarray, remainder: np.ndarray, factor: float, source: np.ndarray) -> None:
    """target += factor * source, with what falls below the last bit kept in `remainder` (Kahan).

    Here and in others the source may be longer than the target; what is beyond it is not looked at.
    """
    out, rest, given = all_of(target), all_of(remainder), all_of(source)
    for i in range(target.size):
        increment = factor * given[i] + rest[i]
        total = out[i] + increment
        rest[i] = increment - (total - out[i])
        out[i] = total


@entry
def dot(a: np.ndarray, b: np.ndarray) -> Any:
    left, right = start_of(a), start_of(b)
    total = 0.0
    for i in range(len(a)):
        total += left[i] * right[i]
    return total


@entry
def put_number(target: np.ndarray, place: int, number: Any) -> None:
    """target[place] = number."""
    start_of(target)[place] = number


@entry
def number_at(source: np.ndarray, place: int) -> Any:
    """source[place]."""
    return start_of(source)[place]


@inlined
def _next_stage(weights: np.ndarray, count: int, j: int) -> tuple[int, float, int]:
    """The next stage that counts, its weight, and where to look on; the first with no weight where there is none."""
    while j < count and weights[j] == 0.0:
        j += 1
    if j == count:
        return 0, 0.0, count
    place = j
    j += 1
    while j < count and weights[j] == 0.0:
        j += 1
    return place, weights[place], j


@entry
def combine(
    target: np.ndarray, base: np.ndarray, step: float, weights: np.ndarray, stages: np.ndarray, count: int
) -> None:
    """target = base + step * sum of weights[j] * stages[j] over the first `count` stages."""
    size = target.size
    out, start, rows = all_of(target), all_of(base), all_of(stages)
    # Four stages at a time: every pass over a vector costs more to begin than a term more in its sum.
    begun, j = False, 0
    while True:
        first, a, j = _next_stage(weights, count, j)
        second, b, j = _next_stage(weights, count, j)
        third, c, j = _next_stage(weights, count, j)
        fourth, d, j = _next_stage(weights, count, j)
        w, x = shifted(rows, first * size), shifted(rows, second * size)
        y, z = shifted(rows, third * size), shifted(rows, fourth * size)
        last = j == count
        if not begun and last and b == 0.0:
            a *= step
            for i in range(size):
                out[i] = start[i] + a * w[i]
        elif not begun and last:
            for i in range(size):
                out[i] = start[i] + step * (a * w[i] + b * x[i] + c * y[i] + d * z[i])
        elif not begun:
            for i in range(size):
                out[i] = a * w[i] + b * x[i] + c * y[i] + d * z[i]
        elif not last:
            for i in range(size):
                out[i] += a * w[i] + b * x[i] + c * y[i] + d * z[i]
        else:
            for i in range(size):
                out[i] = start[i] + step * (out[i] + a * w[i] + b * x[i] + c * y[i] + d * z[i])
        if last:
            return
        begun = True


@entry
def finite(vector: np.ndarray) -> bool:
    """Whether every entry is a finite number."""
    sound, given = True, all_of(vector)
    for i in range(vector.size):
        sound &= abs(given[i]) < np.inf
    return sound
