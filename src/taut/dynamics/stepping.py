"""One step of an explicit Runge-Kutta method, for any table and any plant."""

from __future__ import annotations

from typing import Any

import numpy as np

from taut.dynamics.verbs import mismatch, rate
from taut.numerics.vectors import combine


def advance(
    plant: Any, method: Any, t: float, h: float, y: np.ndarray, stages: np.ndarray, trial: np.ndarray, steers: bool
) -> int:
    """trial = y after one step, from stages[0], the rate at (t, y); returns how many more rates were computed.

    steers: whether every stage is wanted, for the error and the next step, or only the result.
    """
    count: int = method.nodes.size
    needed = count if steers or not method.reuses_last else count - 1
    for i in range(1, needed):
        combine(trial, y, h, method.weights[i], stages, i)
        rate(plant, t + method.nodes[i] * h, trial, stages[i])
    if needed < count or not method.reuses_last:
        combine(trial, y, h, method.result, stages, needed)
    return needed - 1


def estimate(
    plant: Any, method: Any, h: float, y: np.ndarray, stages: np.ndarray, trial: np.ndarray, b: Any, tolerance: float
) -> float:
    """How large the step's error is as a fraction of what is allowed."""
    combine(b.error, b.zero, h, method.errors[0], stages, method.nodes.size)
    return mismatch(plant, y, trial, b.error, tolerance)
