"""One step of RATTLE or of a composition of RATTLE steps, for any plant without damping.

With the state y = [q, v, work, q's remainder, v's remainder]: positions and velocities are summed with compensation,
which keeps the round-off of thousands of small substeps from piling up. Constraints are met from the positions
themselves, not from increments.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from taut.dynamics.methods.tableau import Composition
from taut.dynamics.verbs import forces, gaps, lend, power, prepare, project
from taut.numerics.vectors import accumulate, number_at, oppose, put, put_number

ROUNDS = 20
MET = 5e-16
"""A gap of this fraction of its bar is round-off."""


def lend_method(method: Any) -> Any:
    """The same table, to be handed on within this call."""
    return Composition(lend(method.fractions))


def begin(plant: Any, t: float, y: np.ndarray, stages: np.ndarray) -> int:
    """Nothing to prepare: RATTLE keeps no stages."""
    return 0


def meet(plant: Any, y: np.ndarray, q: np.ndarray, v: np.ndarray, h: float, b: Any) -> bool:
    """Bring positions back onto the constraints along the directions prepared at the start of the substep."""
    size = len(q)
    before = np.inf
    for _ in range(ROUNDS):
        worst, _rate = gaps(plant, y, b.gap, b.gap_rate)
        if worst <= MET or (worst < 1e-14 and worst > 0.5 * before):
            return True
        before = worst
        oppose(b.gap)
        project(plant, b.nothing, b.gap, b.swing)
        accumulate(q, y[2 * size + 1 : 3 * size + 1], 1.0, b.swing)
        accumulate(v, y[3 * size + 1 : 4 * size + 1], 1.0 / h, b.swing)
    return False


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
    """trial = y after one step; returns how many times forces were computed."""
    put(trial, y)
    size = len(b.nothing)
    q, v = trial[:size], trial[size : 2 * size]
    spare_q, spare_v = trial[2 * size + 1 : 3 * size + 1], trial[3 * size + 1 : 4 * size + 1]
    prepare(plant, trial)
    forces(plant, t, trial, b.slope_q)
    project(plant, b.slope_q, b.still, b.shift)
    for n in range(method.fractions.size):
        part = method.fractions[n] * h
        accumulate(v, spare_v, 0.5 * part, b.shift)
        accumulate(q, spare_q, part, v)
        if not meet(plant, trial, q, v, part, b):
            put_number(trial, 0, np.nan)  # the step is too long for its constraints: let the state say so
        work = 0.5 * part * (power(plant, t, trial) + power(plant, t + part, trial))
        put_number(trial, 2 * size, number_at(trial, 2 * size) + work)
        t += part
        prepare(plant, trial)
        forces(plant, t, trial, b.slope_q)
        project(plant, b.slope_q, b.still, b.shift)
        accumulate(v, spare_v, 0.5 * part, b.shift)
        gaps(plant, trial, b.gap, b.gap_rate)
        oppose(b.gap_rate)
        project(plant, b.nothing, b.gap_rate, b.swing)
        accumulate(v, spare_v, 1.0, b.swing)
    return int(method.fractions.size) + 1


def hand_on(stages: np.ndarray, last: int) -> None:
    """No stages, nothing to hand on."""


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
    """No error estimate: steps are fixed."""
    return 0.0


def widen(plant: Any, method: Any, t: float, h: float, y: np.ndarray, d: Any) -> int:
    return 0


def blend(method: Any, x: float, h: float, y: np.ndarray, d: Any) -> None:
    """No interpolant; samples are steps."""
