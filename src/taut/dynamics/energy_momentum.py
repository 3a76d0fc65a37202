"""One step that conserves energy and momentum, with contact impulses, of one step size: for large steps of stiff
structures, damped or not, that may strike and rest on rigid grounds.

Newton's method finds the velocity of the move such that over the step secant forces, constraints and what grounds press
with are in balance with inertia (`taut.mechanics.conserving.secant`). It ends with twice that velocity less the first
one; where something touches a ground there, or the plant loses energy anyway, velocities then meet the constraints and
the contact law at the end. Work is exact: of drives, by what the energy changes with time alone, before and after the
middle of the step, where secant forces have their laws from. Of second order; in a step that strikes, of first.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from taut.dynamics import implicit, rattle
from taut.dynamics.conserving_operations import (
    book_press,
    count_effort,
    factor_secant,
    gives_way,
    meet_rates,
    press,
    secant_change,
    secant_residual,
    settle_contacts,
)
from taut.dynamics.contact_operations import (
    begin_contacts,
    leave_forces,
)
from taut.dynamics.correction import CARRIED, GRADIENT_Q, RESIDUAL, RESIDUAL_RATE, SHIFT
from taut.dynamics.operations import (
    energy,
    impose,
    layout,
    prepare_projection,
    recall_multipliers,
    residuals,
    row,
    solve_newton,
)
from taut.numerics.vectors import add, number_at, put, put_number, scale

MIDDLE = 1
"""The row of the stages in which the middle of a step stands."""
ROUNDS = 60
SLOW = 0.2
"""An iteration that leaves more than this fraction of the last change asks for a new matrix."""
STILL, ROUND_OFF, LOST = 4e-16, 1e-10, 1e-6
"""Of the largest velocity: a change that is none, one that is round-off where it does not get smaller, and one that is
too large to go on with after the last iteration."""


def move(plant: Any, h: float, y: np.ndarray, trial: np.ndarray, middle: np.ndarray) -> None:
    """Let a step end where its velocities lead, and fill its middle."""
    size = layout(plant).coordinates
    put(trial[:size], y[:size])
    add(trial[:size], h, trial[size : 2 * size])
    put(middle[:size], y[:size])
    add(middle[:size], 0.5 * h, trial[size : 2 * size])
    put(middle[size : 2 * size], trial[size : 2 * size])


def balance(plant: Any, t: float, h: float, y: np.ndarray, trial: np.ndarray, middle: np.ndarray, b: Any) -> int:
    """Newton's method for the velocity of the move, from that in `trial`; returns the iterations used, minus that where
    it gave up."""
    size = layout(plant).coordinates
    v, shift, left, residual, before = (
        trial[size : 2 * size],
        row(b, SHIFT),
        row(b, GRADIENT_Q),
        row(b, RESIDUAL),
        row(b, CARRIED),
    )
    last, ratio = 0.0, 1.0
    for count in range(1, ROUNDS + 1):
        move(plant, h, y, trial, middle)
        impose(plant, t + h, trial)
        residuals(plant, trial, residual, row(b, RESIDUAL_RATE))
        scale(residual, -1.0 / h)
        impose(plant, t + 0.5 * h, middle)
        if ratio > SLOW and factor_secant(plant, t + 0.5 * h, middle, h, y, trial) < 0:
            return -count
        secant_residual(plant, t + 0.5 * h, middle, h, y, trial, left)
        solve_newton(plant, left, residual, shift, 2.0 / h)
        put(before[:size], v)
        add(v, 1.0, shift)
        add(trial[:size], h, shift)
        press(plant, h, y, trial)
        change = secant_change(plant, h, before, trial)
        if not change < 1e30:
            return -count
        ratio = change / last if count > 1 else 0.0
        last = change
        if change <= STILL or (change <= ROUND_OFF and ratio > 0.5):
            count_effort(plant, count, 0.0)
            return count
    count_effort(plant, ROUNDS, last)
    return ROUNDS if last <= LOST else -ROUNDS


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
    space, middle = layout(plant), row(stages, MIDDLE)
    size = space.coordinates
    v = trial[size : 2 * size]
    put(trial, y)
    put(middle, y)
    recall_multipliers(plant)
    begin_contacts(plant, trial)
    used = balance(plant, t, h, y, trial, middle, b)
    if used < 0:
        put_number(trial, 0, np.nan)  # the step is too long: let the state say so
        return -used
    move(plant, h, y, trial, middle)
    impose(plant, t, y)
    work = -energy(plant, y)[0]
    impose(plant, t + 0.5 * h, middle)
    work += energy(plant, y)[0] - energy(plant, trial)[0]
    work += secant_residual(plant, t + 0.5 * h, middle, h, y, trial, row(b, GRADIENT_Q))
    impose(plant, t + h, trial)
    work += energy(plant, trial)[0]
    work += book_press(plant, trial)
    scale(v, 2.0)
    add(v, -1.0, y[size : 2 * size])
    if gives_way(plant, trial):
        prepare_projection(plant, trial)
        work += meet_rates(plant, trial)
        work += settle_contacts(plant, y, trial)
    leave_forces(plant, h, trial)
    put_number(trial, space.work, number_at(y, space.work) + work)
    return used + 1


STEPPER = (implicit.begin, move, balance, advance, rattle.hand_on, rattle.estimate)
