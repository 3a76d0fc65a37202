"""Derivatives of functions of a state by differences."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

STEP = 2e-4  # [m] and [m/s]


def change(function: Callable[[np.ndarray], np.ndarray], y: np.ndarray, way: np.ndarray) -> np.ndarray:
    """The derivative along a change of the state [q, v], by differences of eighth order, exact to round-off."""
    step, weights = STEP * np.append(way, 0.0), (4.0 / 5.0, -1.0 / 5.0, 4.0 / 105.0, -1.0 / 280.0)
    return sum(w * (function(y + k * step) - function(y - k * step)) for k, w in enumerate(weights, 1)) / STEP
