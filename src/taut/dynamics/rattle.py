"""One step of RATTLE or of a composition of RATTLE steps, for any plant without damping.

With the state y = [q, v, work, q's remainder, v's remainder]: positions and velocities are summed with compensation,
which keeps the round-off of thousands of small substeps from piling up. Constraints are met from the positions
themselves, not from increments.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from taut.dynamics.correction import GRADIENT_Q, NOTHING, RESIDUAL, RESIDUAL_RATE, SHIFT, STILL, SWING
from taut.dynamics.operations import (
    drive_power,
    forces,
    impose,
    layout,
    power,
    prepare_projection,
    project,
    residuals,
    row,
)
from taut.numerics.vectors import accumulate, number_at, oppose, put, put_number

ROUNDS = 20
MET = 5e-16
"""A residual of this fraction of its bar is round-off."""


def begin(plant: Any, t: float, y: np.ndarray, stages: np.ndarray) -> int:
    """Nothing to prepare: RATTLE keeps no stages."""
    return 0


def meet(plant: Any, y: np.ndarray, q: np.ndarray, v: np.ndarray, h: float, b: np.ndarray) -> bool:
    """Bring positions back onto the constraints along the directions prepared at the start of the substep."""
    space, residual, swing = layout(plant), row(b, RESIDUAL), row(b, SWING)
    size, rest, before = space.coordinates, space.remainder, np.inf
    for _ in range(ROUNDS):
        worst, _rate = residuals(plant, y, residual, row(b, RESIDUAL_RATE))
        if worst <= MET or (worst < 1e-14 and worst > 0.5 * before):
            return True
        before = worst
        oppose(residual)
        project(plant, row(b, NOTHING), residual, swing)
        accumulate(q, y[rest : rest + size], 1.0, swing)
        accumulate(v, y[rest + size : rest + 2 * size], 1.0 / h, swing)
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
    space = layout(plant)
    size, rest = space.coordinates, space.remainder
    q, v = trial[:size], trial[size : 2 * size]
    spare_q, spare_v = trial[rest : rest + size], trial[rest + size : rest + 2 * size]
    force, push, rates = row(b, GRADIENT_Q), row(b, SHIFT), row(b, RESIDUAL_RATE)
    prepare_projection(plant, trial)
    forces(plant, t, trial, force)
    project(plant, force, row(b, STILL), push)
    before = drive_power(plant, t, trial)
    for n in range(method.fractions.size):
        part = method.fractions[n] * h
        put(force, q)
        accumulate(v, spare_v, 0.5 * part, push)
        accumulate(q, spare_q, part, v)
        impose(plant, t + part, trial)  # positions are to meet the constraints of the end
        if not meet(plant, trial, q, v, part, b):
            put_number(trial, 0, np.nan)  # the step is too long for its constraints: let the state say so
        # A commanded tension turns with its cable: half of the work is done where the substep began.
        put(row(b, SWING), q)
        put(q, force)
        impose(plant, t, trial)
        loaded = power(plant, t, trial)
        put(q, row(b, SWING))
        impose(plant, t + part, trial)
        loaded += power(plant, t + part, trial)
        t += part
        prepare_projection(plant, trial)
        forces(plant, t, trial, force)
        project(plant, force, row(b, STILL), push)
        accumulate(v, spare_v, 0.5 * part, push)
        residuals(plant, trial, row(b, RESIDUAL), rates)
        oppose(rates)
        project(plant, row(b, NOTHING), rates, row(b, SWING))
        accumulate(v, spare_v, 1.0, row(b, SWING))
        after = drive_power(plant, t, trial)
        work = 0.5 * part * (loaded + (before + after))
        put_number(trial, space.work, number_at(trial, space.work) + work)
        before = after
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


def widen(
    plant: Any, method: Any, t: float, h: float, y: np.ndarray, stages: np.ndarray, trial: np.ndarray, spare: np.ndarray
) -> int:
    return 0


def blend(
    method: Any, x: float, h: float, y: np.ndarray, stages: np.ndarray, weights: np.ndarray, out: np.ndarray
) -> None:
    """No interpolant; samples are steps."""
