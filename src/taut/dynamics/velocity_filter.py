"""Velocity filtering and configuration correction after a step, of Arsenault and Gosselin's mechanism, eqs. (29)-(37).

    positions:   q <- q - G+ residual,  over and over    (33)
    rates:       v <- v - G+ (G v - s')                  (31), (35)

G+ = M^-1 G^T (G M^-1 G^T)^-1 (36). Filtered rates fit the positions that they are filtered at, so positions come
first. As printed rates are filtered with the positions at the beginning of the step (its step 3), then with those at
its end (5), and positions come last (6). Step 3 takes from the rates what their own change over the step puts across
the old constraints, which is of the order of the step: whatever the method, the motion is of first order then.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from taut.dynamics.correction import (
    AS_PRINTED,
    ASIDE,
    BEFORE,
    NOTHING,
    POSITIONS_FIRST,
    RESIDUAL,
    RESIDUAL_RATE,
    SHIFT,
    SWING,
)
from taut.dynamics.operations import prepare_projection, project, residuals, row
from taut.numerics.vectors import add, oppose, put


def close_positions(plant: Any, y: np.ndarray, limits: Any, b: np.ndarray) -> int:
    """Eq. (33) until the residuals are within the limits; returns how often, or minus that where it gave up."""
    residual, shift = row(b, RESIDUAL), row(b, SHIFT)
    for iteration in range(limits.iterations + 1):
        worst, _ = residuals(plant, y, residual, row(b, RESIDUAL_RATE))
        if worst <= limits.tolerance:
            return iteration
        if iteration == limits.iterations or prepare_projection(plant, y) < 0:
            return -iteration - 1
        oppose(residual)
        project(plant, row(b, NOTHING), residual, shift)
        add(y[: limits.coordinates], 1.0, shift)
    return -limits.iterations  # type: ignore[no-any-return]


def filter_rates(plant: Any, y: np.ndarray, at: np.ndarray, limits: Any, b: np.ndarray) -> bool:
    """Eqs. (31), (35) with the constraints at the positions `at`; returns whether they could be met."""
    size, moving, swing = limits.coordinates, row(b, RESIDUAL_RATE), row(b, SWING)
    q, aside = y[:size], row(b, ASIDE)[:size]
    put(aside, q)
    put(q, at)
    residuals(plant, y, row(b, RESIDUAL), moving)
    met = prepare_projection(plant, y) >= 0
    oppose(moving)
    project(plant, row(b, NOTHING), moving, swing)
    put(q, aside)
    if met:
        add(y[size : 2 * size], 1.0, swing)
    return met


def filtered(plant: Any, y: np.ndarray, limits: Any, b: np.ndarray) -> int:
    """Correct y in place, in the order asked for; returns the iterations used, or minus that where it gave up."""
    q, met = y[: limits.coordinates], True
    if limits.level == POSITIONS_FIRST:
        used = close_positions(plant, y, limits, b)
        met = filter_rates(plant, y, q, limits, b)
    else:
        if limits.level == AS_PRINTED:
            met = filter_rates(plant, y, row(b, BEFORE)[: limits.coordinates], limits, b)
        met = filter_rates(plant, y, q, limits, b) and met
        used = close_positions(plant, y, limits, b)
    if met and used >= 0:
        return used + 1
    return -abs(used) - 1
