"""One step of an explicit Runge-Kutta method, for any table and any plant."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from taut.dynamics.methods.tableau import ERRORS, NODES, RESULT
from taut.dynamics.operations import error_size, impose, rate, row
from taut.numerics.vectors import combine, finite, put


def begin(plant: Any, t: float, y: np.ndarray, stages: np.ndarray) -> int:
    """Fill the first stage, which does not depend on the step; returns how many rates were computed."""
    rate(plant, t, y, row(stages, 0))
    return 1


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
    """trial = y after one step from a first stage that is there; returns how many more rates were computed.

    wanted: how many stages; a last one that only serves the error and the next step can be left out.
    """
    weights, nodes = method.weights, row(method.lines, NODES)
    for i in range(1, wanted):
        combine(trial, y, h, row(weights, i), stages, i)
        rate(plant, t + nodes[i] * h, trial, row(stages, i))
    if wanted < method.stages or not method.reuses_last:
        combine(trial, y, h, row(method.lines, RESULT), stages, wanted)
    impose(plant, t + h, trial)
    return wanted - 1


def hand_on(stages: np.ndarray, last: int) -> None:
    """Make the last stage of a step the first one of the next."""
    put(row(stages, 0), row(stages, last))


def estimate(
    plant: Any,
    method: Any,
    h: float,
    y: np.ndarray,
    stages: np.ndarray,
    trial: np.ndarray,
    error: np.ndarray,
    zero: np.ndarray,
    tolerance: float,
) -> float:
    """How large the step's error is as a fraction of what is allowed.

    With a second row of error weights the two estimates are joined as in DOP853: e5^2 / sqrt(e5^2 + 0.01 e3^2).
    """
    lines, count = method.lines, method.stages
    combine(error, zero, h, row(lines, ERRORS), stages, count)
    if not finite(error):
        return math.inf
    high = error_size(plant, y, trial, error, tolerance, h)
    if lines.shape[0] == ERRORS + 1 or high == 0.0:
        return high
    combine(error, zero, h, row(lines, ERRORS + 1), stages, count)
    low = error_size(plant, y, trial, error, tolerance, h)
    return float(high * high / np.sqrt(high * high + 0.01 * low * low))


def widen(
    plant: Any, method: Any, t: float, h: float, y: np.ndarray, stages: np.ndarray, trial: np.ndarray, spare: np.ndarray
) -> int:
    """Fill the stages that only the interpolant needs; `trial` is the end of the step, `spare` is overwritten."""
    count, total = method.stages, method.weights.shape[0]
    if method.reuses_last:
        return 0
    nodes = row(method.lines, NODES)
    rate(plant, t + h, trial, row(stages, count))
    for i in range(count + 1, total):
        combine(spare, y, h, row(method.weights, i), stages, i)
        rate(plant, t + nodes[i] * h, spare, row(stages, i))
    return int(total - count)


def blend(
    method: Any, x: float, h: float, y: np.ndarray, stages: np.ndarray, weights: np.ndarray, out: np.ndarray
) -> None:
    """out = the interpolant at the fraction x of the step; `weights` is overwritten."""
    rows, powers = method.interpolant.shape
    for j in range(rows):
        weight = 0.0
        for k in range(powers - 1, -1, -1):
            weight = weight * x + method.interpolant[j, k]
        weights[j] = weight
    combine(out, y, h, weights, stages, rows)
