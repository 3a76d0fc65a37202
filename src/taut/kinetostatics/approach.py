"""From a posture towards one in which tasks are done, step by step, limits kept.

Every try is a posture: a step of the inputs, the tangent of the posture along it, and Newton's method back to balance.
The step is that of least squares on the tasks within the limits (`limited_steps.py`), shortened or damped where it does
not lead nearer.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from taut.kinetostatics.length_slopes import LengthSlopes
from taut.kinetostatics.limited_steps import RANK, LimitedStep, limited_step
from taut.kinetostatics.posture_solver import PostureSolver
from taut.kinetostatics.tangents import Tangent, tangent
from taut.kinetostatics.task_system import TaskSystem, gathered
from taut.kinetostatics.tasks import Task
from taut.kinetostatics.tension_tasks import Limit

FARTHEST = 0.1
"""Of the mean length of members: how far a node moves in one step at most."""

SHORTEST = 0.01
"""Of a step: where so little of it does not help, it is damped."""

ASTRAY = 0.5
"""Of the way that the tangent says: a posture farther from where it says is another one."""

SLIGHT = 1e-10
"""Of the sum of squares of errors: a step that promises less does not make it nearer."""

ALL_BUT_DONE = 1e-4
"""In the sizes of tasks: errors below this may grow again for the sake of the purpose."""

NEWTON_STEPS = 12


class Approach(NamedTuple):
    """How far an approach came."""

    done: bool
    here: Tangent | None
    system: TaskSystem | None
    first: TaskSystem | None  # at the start
    held: tuple[str, ...]  # limits that hold it back
    feasible: bool
    lost: bool  # steps ended where no posture followed
    iterations: int
    unfinished: bool = False  # it was still coming nearer


def approached(
    solver: PostureSolver,
    slopes: LengthSlopes,
    tasks: Sequence[Task],
    limits: Sequence[Limit],
    home: np.ndarray,
    tolerance: float,
    iterations: int,
) -> Approach:
    """As near as steps lead from where the solver is; it stays there. home: (p,) what open inputs stay near to."""
    here = tangent(solver, slopes)
    if here is None:
        return Approach(False, None, None, None, (), True, False, 0)
    system = first = gathered(here, tasks, limits)
    damping, cut, scale = 0.0, 1.0, solver.robot.scale
    step = LimitedStep(np.zeros(scale.size), True, np.zeros(system.room.size, dtype=bool))
    lost = False
    for count in range(iterations + 1):
        firm = float(np.linalg.norm(system.jacobian, 2)) if system.jacobian.size else 1.0
        # Where the purpose draws errors up again and again, the tasks come first in the end.
        wanted = (home - solver.values) / scale if 2 * count < iterations else np.zeros(scale.size)
        moved, lost = None, False
        while damping <= 1e6 * firm:
            step = limited_step(system.jacobian, system.error, wanted, system.limits, system.room, damping)
            short = float(np.abs(step.step).max(initial=0.0)) <= 10.0 * tolerance
            at_goal = np.abs(system.error).max(initial=0.0) <= tolerance and system.overstepped <= tolerance
            left = system.jacobian @ step.step + system.error
            gained = float(system.error @ system.error - left @ left)
            near = system.merit <= (1e3 * tolerance) ** 2
            stands = not damping and not near and system.overstepped <= tolerance and gained <= SLIGHT * system.merit
            if (at_goal and short) or stands or count == iterations:
                held = _names(system, step)
                return Approach(at_goal, here, system, first, held, step.feasible, False, count, count == iterations)
            share = cut * _share(here, step.step * scale, solver)
            moved = tried(solver, slopes, here, share * step.step * scale)
            after = None if moved is None else gathered(moved, tasks, limits)
            allowed = system.merit - 1e-4 * share * max(gained, 0.0)
            if system.merit <= ALL_BUT_DONE**2:  # a step along the open inputs leaves errors, which the next one mends
                allowed = max(allowed, (0.1 * share * float(np.linalg.norm(step.step))) ** 2)
            solvable = not damping and not step.active.any() and float(left @ left) <= SLIGHT * system.merit
            if after is not None and (after.merit < allowed or (solvable and _nearer(system, after, share))):
                break
            lost = moved is None
            go_back(solver, here)
            moved = None
            # First less of the same step, which heads for the goal; damping turns it towards what is easy.
            if cut > SHORTEST:
                cut *= 0.25
            else:
                damping = max(4.0 * damping, 1e-3 * firm)
        if moved is None or after is None:
            break
        here, system, cut = moved, after, min(1.0, 4.0 * cut)
        damping = 0.0 if damping < 1e-5 * firm else 0.1 * damping
    return Approach(False, here, system, first, _names(system, step), step.feasible, lost, count)


def _nearer(system: TaskSystem, after: TaskSystem, share: float) -> bool:
    """Whether the inputs that the errors ask for have become less, by the tangent before the step (Deuflhard's natural
    test): in a narrow valley the sum of squares of errors allows only of tiny steps."""
    asked, left = (np.linalg.lstsq(system.jacobian, one.error, rcond=RANK)[0] for one in (system, after))
    return after.overstepped <= system.overstepped and bool(
        np.linalg.norm(left) <= (1.0 - 0.25 * share) * np.linalg.norm(asked)
    )


def _names(system: TaskSystem, step: LimitedStep) -> tuple[str, ...]:
    return tuple(name for name, active in zip(system.limit_names, step.active, strict=True) if active)


def _share(here: Tangent, step: np.ndarray, solver: PostureSolver) -> float:
    """Of a step of the inputs: as much as moves no node too far."""
    far = float(np.abs(here.by_input @ step).max(initial=0.0))
    most = FARTHEST * solver.robot.typical_length
    return min(1.0, most / far) if far > 0.0 else 1.0


def tried(solver: PostureSolver, slopes: LengthSlopes, here: Tangent, step: np.ndarray) -> Tangent | None:
    """The posture after a step of the inputs (p,); None where none follows."""
    values = here.pose.values + step
    least = np.where([one.unit == "m" for one in solver.robot.commanded], 1e-9, 0.0)
    if np.any(values < least):
        return None
    shift = (here.by_input @ step).reshape(-1, 3)
    kept = solver.multipliers.copy()
    solver.place(here.pose.positions + shift, kept + here.multiplier_by_input @ step)
    close = posture_tolerance(solver)
    left = solver.solve(values, steps=NEWTON_STEPS, tolerance=close)
    tightened = solver.slack & ~solver.slack_by_law
    if tightened.any():
        solver.slacken(solver.slack & ~tightened)
        left = solver.solve(values, steps=NEWTON_STEPS, tolerance=close)
    off = float(np.abs(solver.positions - here.pose.positions - shift).max())
    typical = solver.robot.typical_length
    if not left <= 100.0 * close or off > ASTRAY * float(np.abs(shift).max()) + 1e-3 * typical:
        solver.multipliers[:] = kept
        return None
    found = tangent(solver, slopes)
    if found is None:
        solver.multipliers[:] = kept
    return found


def posture_tolerance(solver: PostureSolver) -> float:
    """What Newton's method leaves [N, m] where round-off is all that is left."""
    problem = solver.robot.problem
    stiffest = float(np.abs(problem.members.stiffness).max(initial=0.0))
    return max(1e-11, 64.0 * np.finfo(float).eps * stiffest * float(np.abs(solver.positions).max()))


def go_back(solver: PostureSolver, here: Tangent) -> None:
    """To where it was."""
    solver.command(here.pose.values)
    solver.place(here.pose.positions, slack=here.slack)
