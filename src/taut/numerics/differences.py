"""Derivatives of functions that only give numbers, by central differences of eighth order."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

WEIGHTS = (4.0 / 5.0, -1.0 / 5.0, 4.0 / 105.0, -1.0 / 280.0)
"""Of f(x + k h) - f(x - k h), k = 1 to 4, for h f'(x)."""


SHORTER = 0.5 * (np.sqrt(5.0) - 1.0)
"""From one step that is tried to the next; irrational, so that not all of them hit upon one phase of a wave."""
TRIALS = 150
AGREE = 1e-12
"""Of a derivative: how far apart what three steps in a row find may be, so far is the longest off; the second, which is
taken, is so by a 47th."""
ROUND_OFF = 1e-14
"""Of the numbers that differences are taken of."""


def fitting_step(function: Callable[[float], np.ndarray], most: float) -> float:
    """How far differences of f go for f'(0): `most`, or less where f bends sooner.

    A step fits where a longer and a shorter one find the same, so nothing needs to be known of the size of x. Where
    none does, for round-off, it is the one that comes nearest. Where f is not finite, differences do not go.
    """

    def slope(step: float) -> tuple[np.ndarray, float]:
        ends = [(function(k * step), function(-k * step)) for k in range(1, len(WEIGHTS) + 1)]
        found = np.sum([w * (after - before) for w, (after, before) in zip(WEIGHTS, ends, strict=True)], axis=0) / step
        return np.asarray(found), max(float(np.abs(end).max(initial=0.0)) for pair in ends for end in pair)

    fitting, least = most, np.inf
    (longer, _), (here, _) = slope(most / SHORTER), slope(most)
    for step in most * SHORTER ** np.arange(TRIALS):
        shorter, size = slope(SHORTER * step)
        apart = float(np.abs([here - longer, here - shorter]).max(initial=0.0))
        if apart <= AGREE * np.abs(here).max(initial=0.0) + ROUND_OFF * size / step:
            return float(step)
        if apart < least:
            fitting, least = float(step), apart
        longer, here = here, shorter
    return fitting


def jacobian(function: Callable[[np.ndarray], np.ndarray], x: np.ndarray, step: float) -> np.ndarray:
    """A column for every entry of x. The error is about (step / size over which the function changes)^8."""
    columns = []
    for way in step * np.eye(x.size):
        terms = [w * (function(x + k * way) - function(x - k * way)) for k, w in enumerate(WEIGHTS, 1)]
        columns.append(np.sum(terms, axis=0) / step)
    return np.stack(columns, axis=-1)
