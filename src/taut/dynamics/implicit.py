"""One step of a diagonally implicit Runge-Kutta method, for any table and any plant with a Newton matrix.

With s the step times the diagonal and q0, v0 known, a stage is

    q = q0 + s v + m,   v = v0 + s a,   M a = f(q, v) + G^T l,   residuals(q) = 0,   G v = 0

where m is the shortest way, by M + s C + s^2 K, back onto the constraints. Multipliers thus belong to the velocities,
as after the index reduction of Gear, Gupta and Leimkuhler (1985): were they to meet the residuals, velocities would be
differences of positions and one order worse. Newton's method meets all of it together. Its matrix is factored once a
step, and again where it becomes slow: where cables go slack or taut, that may be at every iteration.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from taut.dynamics.correction import GRADIENT_Q, NOTHING, RESIDUAL, RESIDUAL_RATE, SHIFT, SWING
from taut.dynamics.methods.tableau import NODES
from taut.dynamics.operations import (
    error_size,
    factor_newton,
    finish_states,
    impose,
    keep_multipliers,
    layout,
    newton_residual,
    rate,
    recall_multipliers,
    residuals,
    row,
    solve_newton,
)
from taut.numerics.vectors import add, combine, number_at, put, put_number, scale

ROUNDS = 20
CLOSE = 0.01
"""A stage is solved when its remaining error is this fraction of what the tolerance allows a step."""
SLOW = 0.2
"""An iteration that leaves more than this fraction of the last change asks for a new matrix."""
ROUND_OFF = 1e-13
"""A change of positions below this fraction of the typical length that does not get smaller is round-off."""


def begin(plant: Any, t: float, y: np.ndarray, stages: np.ndarray) -> int:
    """Fill the first, explicit stage, and keep its multipliers; returns how many rates were computed."""
    rate(plant, t, y, row(stages, 0))
    keep_multipliers(plant)
    return 1


def approach(
    plant: Any,
    t: float,
    s: float,
    y: np.ndarray,
    trial: np.ndarray,
    base: np.ndarray,
    change: np.ndarray,
    b: np.ndarray,
    tolerance: float,
    factored: bool,
) -> int:
    """Solve a stage from the guess in `trial`; returns the iterations used, minus that where it gave up.

    base: q0 and v0. change: work space of the size of a state. factored: whether there is a matrix to begin with.
    """
    size = layout(plant).coordinates
    q, v, moved, sped = trial[:size], trial[size : 2 * size], change[:size], change[size : 2 * size]
    left, residual, rates = row(b, GRADIENT_Q), row(b, RESIDUAL), row(b, RESIDUAL_RATE)
    shift, closing = row(b, SHIFT), row(b, SWING)
    before, ratio = 0.0, 1.0
    for count in range(1, ROUNDS + 1):
        if not factored or (ratio > SLOW and count > 2):
            if factor_newton(plant, t, trial, base, s) < 0:
                return -count
            factored = True
        newton_residual(plant, t, trial, base, s, left)
        worst, _rate = residuals(plant, trial, residual, rates)
        scale(rates, -s)
        solve_newton(plant, left, rates, shift, 1.0 / (s * s))
        put(sped, shift)
        scale(sped, 1.0 / s)
        if worst > 0.0:
            add(residual, 1.0, rates)
            scale(residual, -1.0)
            solve_newton(plant, row(b, NOTHING), residual, closing, 0.0)
            add(shift, 1.0, closing)
        add(q, 1.0, shift)
        add(v, 1.0, sped)
        put(moved, shift)
        apart = error_size(plant, y, trial, change, tolerance, 0.0)
        if not apart < 1e30:
            return -count
        ratio = apart / before if count > 1 else 1.0
        before = apart
        if apart == 0.0 or apart * ratio <= CLOSE * max(1.0 - ratio, 0.1):
            return count
        if ratio > 0.5:
            scale(sped, 0.0)
            if error_size(plant, y, trial, change, ROUND_OFF, 0.0) <= 1.0:
                return count
    return -ROUNDS


def advance(
    plant: Any,
    method: Any,
    t: float,
    h: float,
    y: np.ndarray,
    stages: np.ndarray,
    trial: np.ndarray,
    b: Any,
    wanted: int,
) -> int:
    """trial = y after one step from a first stage that is there; returns how many times forces were computed."""
    weights, nodes, size = method.weights, row(method.lines, NODES), layout(plant).coordinates
    s, change, evaluations = h * weights[1, 1], row(stages, method.stages), 0
    q, v = trial[:size], trial[size : 2 * size]
    scale(change, 0.0)
    recall_multipliers(plant)
    for i in range(1, wanted):
        base = row(stages, i)
        combine(base, y, h, row(weights, i), stages, i)
        put(trial, base)
        put(v, row(stages, i - 1))
        add(q, s, v)
        used = approach(plant, t + nodes[i] * h, s, y, trial, base, change, b, method.tolerance, i > 1)
        if used < 0:
            put_number(trial, 0, np.nan)  # the step is too long: let the state say so
            return evaluations - used
        evaluations += used + 1
        power = newton_residual(plant, t + nodes[i] * h, trial, base, s, row(b, GRADIENT_Q))
        put_number(trial, 2 * size, number_at(base, 2 * size) + s * power)
        put(base[:size], v)
        scale(base[size : 2 * size], -1.0 / s)
        add(base[size : 2 * size], 1.0 / s, v)
        put_number(base, 2 * size, power)
        scale(base[2 * size + 1 :], 0.0)  # internal states have no rate, but for those of terms
        finish_states(plant, s, trial, base)
    impose(plant, t + h, trial)
    return evaluations
