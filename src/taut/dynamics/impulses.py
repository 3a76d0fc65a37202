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

from taut.dynamics.contact_operations import (
    accelerate,
    book_contacts,
    even_supports,
    foresee,
    keep_rates,
    lead_supports,
    leave_forces,
    move_apart,
    resume_contacts,
    strike,
    support_work,
)
from taut.dynamics.correction import CARRIED, GRADIENT_Q, SWING
from taut.dynamics.operations import (
    drive_power,
    forces,
    impose,
    imposes,
    layout,
    power,
    prepare_projection,
    row,
)
from taut.numerics.lanes import one
from taut.numerics.vectors import add, number_at, put, put_number

START, END = 0, 1
"""Rows of the stages: accelerations by forces, and behind them the power of what damps, and of drives."""

ALL_BUT_FORCES = 0
"""Of what a step leaves (`method_uses.handed_on`)."""


def begin(plant: Any, t: float, y: np.ndarray, stages: np.ndarray) -> int:
    """What acts at the start of the step is not known from the one before."""
    put_number(row(stages, START), 0, np.nan)
    return 0


def hand_on(stages: np.ndarray, last: int) -> None:
    """What acts at the start of the next step is what acted at the end of this one, or all of it but forces."""
    put_number(row(stages, START), 0, -np.inf if last == ALL_BUT_FORCES else np.inf)


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
    """trial = y after one step; returns how many times forces were computed.

    What acts at its end is left for the next step, which may begin with it where nothing depends on velocities.
    """
    put(trial, y)
    space = layout(plant)
    size = space.coordinates
    q, v = trial[:size], trial[size : 2 * size]
    force, moved, push, last = row(b, GRADIENT_Q), row(b, CARRIED), row(stages, START), row(stages, END)
    known = one(number_at(push, 0))  # of all lanes, where there are several
    if known == np.inf:
        put(push[: size + 2], last[: size + 2])
    elif known == -np.inf:
        put_number(push, size + 1, number_at(last, size + 1))
    # What time decides is that of this very step, of a sample within a step too.
    afresh = np.isnan(known) or imposes(plant)
    unknown = afresh or known == -np.inf
    resume_contacts(plant, trial, afresh)
    if afresh:
        put_number(push, size + 1, drive_power(plant, t, trial))
    if unknown:
        put_number(push, size, forces(plant, t, trial, force) - power(plant, t, trial))
        even_supports(plant, t + h, h, y, trial)
        lead_supports(plant, h, y[size : 2 * size], trial, force)
        accelerate(plant, force, push)
    add(v, 0.5 * h, push)
    add(q, h, v)
    impose(plant, t + h, trial)
    even_supports(plant, t + h, h, y, trial)
    if move_apart(plant, h, y, trial) == 0:
        put_number(trial, 0, np.nan)  # the step is too long for its constraints: let the state say so
    work = book_contacts(plant, y[size : 2 * size], trial)
    work += support_work(plant, h, y, y[size : 2 * size], trial, force)
    if imposes(plant):
        # A commanded tension turns with its cable: half of the work is done where the step began.
        put(row(b, SWING), q)
        put(q, y[:size])
        impose(plant, t, trial)
        loaded = power(plant, t, trial)
        put(q, row(b, SWING))
        impose(plant, t + h, trial)
        even_supports(plant, t + h, h, y, trial)
    else:
        loaded = power(plant, t, trial)
    later = power(plant, t + h, trial)
    put(moved, v)
    prepare_projection(plant, trial)
    foresee(plant, y, trial)
    put_number(last, size, forces(plant, t + h, trial, force) - power(plant, t + h, trial))
    put(v, moved)
    impose(plant, t + h, trial)
    lead_supports(plant, h, moved, trial, force)
    accelerate(plant, force, last)
    add(v, 0.5 * h, last)
    keep_rates(plant, trial)
    strike(plant, y, moved, trial)
    work += book_contacts(plant, moved, trial)
    work += support_work(plant, h, trial, moved, trial, force)
    # What drives do against contacts is done in this step: an impact is no force that lasts into the next one.
    after = drive_power(plant, t + h, trial)
    leave_forces(plant, h, trial)
    work += h * (drive_power(plant, t + h, trial) - after)
    damped = number_at(push, size) + number_at(last, size)
    put_number(last, size + 1, after)
    work += 0.5 * h * (loaded + later + damped + number_at(push, size + 1) + after)
    put_number(trial, space.work, number_at(trial, space.work) + work)
    return 2 if unknown else 1
