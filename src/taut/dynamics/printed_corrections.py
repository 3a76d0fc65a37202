"""A state after a step, corrected as a paper prints it: velocity filtering, or the step of least norm."""

from __future__ import annotations

from typing import Any

import numpy as np

from taut.dynamics.correction import AS_PRINTED, BEFORE, LEAST_NORM, held
from taut.dynamics.least_norm import fill_columns, least_norm
from taut.dynamics.operations import row
from taut.dynamics.settling import counted
from taut.dynamics.velocity_filter import close_positions, filter_rates, filtered
from taut.numerics.vectors import put


def keep_start(y: np.ndarray, limits: Any, b: Any) -> None:
    """Keep the positions at the beginning of a step, where the filter as printed is to use them."""
    if limits.level == AS_PRINTED:
        put(row(b, BEFORE)[: limits.coordinates], y[: limits.coordinates])


def settle(plant: Any, y: np.ndarray, counts: np.ndarray, limits: Any, b: Any) -> int:
    """Correct a state as the limits ask; returns the iterations used, -1 if its constraints could not be met."""
    if limits.level == LEAST_NORM:
        used = least_norm(plant, y, limits, b)
    elif limits.level != AS_PRINTED and held(plant, y, limits, b):
        used = 0
    else:
        used = filtered(plant, y, limits, b)
    return counted(plant, y, used, counts, b)


SETTLE = (close_positions, filter_rates, filtered, fill_columns, least_norm, keep_start, settle)
"""In the place of `taut.dynamics.settling`."""
