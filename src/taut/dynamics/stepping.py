"""One step of an explicit Runge-Kutta method, for any table and any plant."""

from __future__ import annotations

from typing import Any

import numpy as np

from taut.dynamics.methods.tableau import Tableau
from taut.dynamics.verbs import lend, mismatch, rate, row
from taut.numerics.vectors import combine, put


def lend_method(method: Any) -> Any:
    """The same table, to be handed on within this call."""
    return Tableau(
        lend(method.nodes),
        lend(method.weights),
        lend(method.result),
        lend(method.errors),
        method.reuses_last,
        lend(method.extra_nodes),
        lend(method.extra_weights),
        lend(method.interpolant),
    )


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
    nodes, weights = method.nodes, method.weights
    for i in range(1, wanted):
        combine(trial, y, h, row(weights, i), stages, i)
        rate(plant, t + nodes[i] * h, trial, row(stages, i))
    if wanted < nodes.size or not method.reuses_last:
        combine(trial, y, h, method.result, stages, wanted)
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
    errors = method.errors
    rows, count = errors.shape
    combine(error, zero, h, row(errors, 0), stages, count)
    high = mismatch(plant, y, trial, error, tolerance)
    if rows == 1 or high == 0.0:
        return high
    combine(error, zero, h, row(errors, 1), stages, count)
    low = mismatch(plant, y, trial, error, tolerance)
    return float(high * high / np.sqrt(high * high + 0.01 * low * low))


def widen(plant: Any, method: Any, t: float, h: float, y: np.ndarray, d: Any) -> int:
    """Fill the stages that only the interpolant needs; d.trial is the end of the step, d.sample is overwritten."""
    count: int = method.nodes.size
    if method.reuses_last:
        return 0
    rate(plant, t + h, d.trial, d.stages[count])
    for i in range(method.extra_nodes.size):
        place = count + 1 + i
        combine(d.sample, y, h, method.extra_weights[i], d.stages, place)
        rate(plant, t + method.extra_nodes[i] * h, d.sample, d.stages[place])
    return 1 + int(method.extra_nodes.size)


def blend(method: Any, x: float, h: float, y: np.ndarray, d: Any) -> None:
    """d.sample = the interpolant at the fraction x of the step."""
    rows, powers = method.interpolant.shape
    for j in range(rows):
        weight = 0.0
        for k in range(powers - 1, -1, -1):
            weight = weight * x + method.interpolant[j, k]
        d.blend[j] = weight
    combine(d.sample, y, h, d.blend, d.stages, rows)
