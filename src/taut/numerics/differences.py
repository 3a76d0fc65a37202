"""Derivatives of functions that only give numbers, by central differences of eighth order."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

WEIGHTS = (4.0 / 5.0, -1.0 / 5.0, 4.0 / 105.0, -1.0 / 280.0)
"""Of f(x + k h) - f(x - k h), k = 1 to 4, for h f'(x)."""


def jacobian(function: Callable[[np.ndarray], np.ndarray], x: np.ndarray, step: float) -> np.ndarray:
    """A column for every entry of x. The error is about (step / size over which the function changes)^8."""
    columns = []
    for way in step * np.eye(x.size):
        terms = [w * (function(x + k * way) - function(x - k * way)) for k, w in enumerate(WEIGHTS, 1)]
        columns.append(np.sum(terms, axis=0) / step)
    return np.stack(columns, axis=-1)
