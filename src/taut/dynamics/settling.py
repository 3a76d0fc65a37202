"""A state after a step, corrected as a run asks: written once for every plant.

Corrections as papers print them have a settling of their own (`printed_corrections.py`), which is compiled for those
who ask for it: with them in it, every run would wait some three seconds longer for its first loop.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from taut.dynamics.correction import RESIDUAL, RESIDUAL_RATE, STARTED, balanced, correct, held
from taut.dynamics.operations import residuals, row
from taut.dynamics.workspace import ITERATIONS, UNBALANCED
from taut.numerics.vectors import number_at

HELD = 1e-9
"""A correction that gives up is still good enough if no residual is larger than this fraction of its bar."""


def keep_start(y: np.ndarray, limits: Any, b: Any) -> None:
    """Nothing of the beginning of a step is needed at its end."""


def counted(plant: Any, y: np.ndarray, used: int, counts: np.ndarray, b: Any) -> int:
    """Count the iterations of a correction, negative where it gave up; -1 if it left constraints that are not met."""
    if used < 0:
        used = -used
        counts[UNBALANCED] += 1
        worst, _ = residuals(plant, y, row(b, RESIDUAL), row(b, RESIDUAL_RATE))
        if not worst < HELD:
            return -1
    counts[ITERATIONS] += used
    return used


def settle(plant: Any, y: np.ndarray, counts: np.ndarray, limits: Any, b: Any) -> int:
    """Correct a state as the limits ask; returns the iterations used, -1 if its constraints could not be met."""
    closed, reference = held(plant, y, limits, b), number_at(row(b, STARTED), 0)
    if closed and balanced(plant, y, reference, limits):
        return 0
    used = correct(plant, y, reference, limits, b, closed)
    return counted(plant, y, used, counts, b)
