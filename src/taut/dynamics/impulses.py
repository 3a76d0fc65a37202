"""One step of RATTLE with contact impulses, of one step size: for structures that strike, rest on and rub against
rigid grounds.

Half of the forces' impulse; contact impulses such that the move ends in no ground, with Coulomb's law on the way; the
move, with bars as long as they are; the other half of the forces' impulse; contact impulses such that nothing goes on
into a ground, and bounces. Without contact it is RATTLE's own step, of second order; in a step that strikes, of first.
Forces that depend on velocities, dampers and those of a mass matrix that changes, act with the velocities at both ends,
as far as these are known before. A state carries the contact forces of the step that led to it.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from taut.dynamics.correction import CARRIED, GRADIENT_Q, NOTHING, RESIDUAL, RESIDUAL_RATE, SHIFT, STILL, SWING
from taut.dynamics.operations import (
    begin_contacts,
    book_contacts,
    drive_power,
    forces,
    foresee,
    impose,
    keep_apart,
    layout,
    leave_forces,
    power,
    prepare_projection,
    project,
    residuals,
    row,
    strike,
)
from taut.dynamics.rattle import meet
from taut.dynamics.support_operations import even_supports, lead_supports, support_work
from taut.numerics.vectors import accumulate, number_at, oppose, put, put_number

ROUNDS = 30
"""Bars are brought back to their length and contacts apart in turn; flat grounds need two."""


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
    force, push, rates, moved = row(b, GRADIENT_Q), row(b, SHIFT), row(b, RESIDUAL_RATE), row(b, CARRIED)
    begin_contacts(plant, trial)
    before = drive_power(plant, t, y)
    prepare_projection(plant, trial)
    damped = forces(plant, t, trial, force) - power(plant, t, trial)
    even_supports(plant, t + h, h, y, trial)
    lead_supports(plant, h, y[size : 2 * size], trial, force)
    project(plant, force, row(b, STILL), push)
    accumulate(v, spare_v, 0.5 * h, push)
    accumulate(q, spare_q, h, v)
    impose(plant, t + h, trial)
    even_supports(plant, t + h, h, y, trial)
    for k in range(ROUNDS):
        if not meet(plant, trial, q, v, h, b):
            put_number(trial, 0, np.nan)  # the step is too long for its constraints: let the state say so
            break
        if keep_apart(plant, h, y, trial, k + 1 == ROUNDS) == 0:
            break
    work = book_contacts(plant, y[size : 2 * size], trial)
    work += support_work(plant, h, y, y[size : 2 * size], trial, force)
    # A commanded tension turns with its cable: half of the work is done where the step began.
    put(row(b, SWING), q)
    put(q, y[:size])
    impose(plant, t, trial)
    loaded = power(plant, t, trial)
    put(q, row(b, SWING))
    impose(plant, t + h, trial)
    loaded += power(plant, t + h, trial)
    even_supports(plant, t + h, h, y, trial)
    put(moved, v)
    prepare_projection(plant, trial)
    foresee(plant, y, trial)
    damped += forces(plant, t + h, trial, force) - power(plant, t + h, trial)
    put(v, moved)
    impose(plant, t + h, trial)
    lead_supports(plant, h, moved, trial, force)
    project(plant, force, row(b, STILL), push)
    accumulate(v, spare_v, 0.5 * h, push)
    residuals(plant, trial, row(b, RESIDUAL), rates)
    oppose(rates)
    project(plant, row(b, NOTHING), rates, row(b, SWING))
    accumulate(v, spare_v, 1.0, row(b, SWING))
    strike(plant, y, moved, trial)
    work += book_contacts(plant, moved, trial)
    work += support_work(plant, h, trial, moved, trial, force)
    leave_forces(plant, h, trial)
    work += 0.5 * h * (loaded + damped + before + drive_power(plant, t + h, trial))
    put_number(trial, space.work, number_at(trial, space.work) + work)
    return 2
