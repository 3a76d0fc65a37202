"""Inverse kinematics: the commands with which tasks are done and limits kept, `inverse_kinematics`.

What inputs the tasks leave open goes to the purpose. How tasks are approached is in `approach.py`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from taut.errors import OptionError
from taut.kinetostatics.approach import Approach, approached, go_back, tried
from taut.kinetostatics.length_slopes import LengthSlopes
from taut.kinetostatics.posture_search import as_equilibrium, start_of
from taut.kinetostatics.posture_solver import PostureSolver
from taut.kinetostatics.reasons import reason
from taut.kinetostatics.robot import Robot
from taut.kinetostatics.stationary import reduced, settle, settled_here
from taut.kinetostatics.tangents import tangent
from taut.kinetostatics.task_system import refuse_crossed
from taut.kinetostatics.tasks import Task
from taut.kinetostatics.tension_tasks import Limit
from taut.reprs import titled
from taut.statics.equilibrium import Equilibrium
from taut.type_checks import checked_arguments

PURPOSES = ("least_change", "stiffness")

CLIMBING, ON_THE_WAY = 40, 12
"""Steps towards more stiffness, and iterations of the tasks in each."""

SOFTENED = 0.2
"""Of the lowest stiffness at first: the width over which those near it count too."""


@dataclass(frozen=True, repr=False)
class Reached:
    """What inverse kinematics found.

    posture: the nearest where tasks could not be done. values: (p,) what is commanded there. error: task -> its errors,
    in m, rad or N. status: "reached", or a sentence that says what is not, by how much and why. limits: which hold it.
    """

    posture: Equilibrium
    inputs: tuple[str, ...]
    values: np.ndarray
    error: dict[str, np.ndarray]
    status: str
    limits: tuple[str, ...]
    iterations: int

    @property
    def ok(self) -> bool:
        return self.status == "reached"

    def __repr__(self) -> str:
        return titled("Reached", f"{len(self.error)} tasks with {len(self.inputs)} inputs", self.status)


@checked_arguments
def inverse_kinematics(
    robot: Robot,
    tasks: Sequence[Task],
    *,
    limits: Sequence[Limit] = (),
    start: Equilibrium | None = None,
    purpose: str = "least_change",
    tolerance: float = 1e-10,
    iterations: int = 60,
) -> Reached:
    """The commands and the posture in which tasks are done, from a posture on.

    limits: kept before anything else. start: a posture; the robot's own shape where nothing is said.
    purpose: what is done with inputs that the tasks leave open: "least_change" from those of the start, each against
        the mean size of its kind, or "stiffness", the greatest lowest stiffness of the posture.
    tolerance: of errors, in mean member lengths, radians and mean tensions.

    Where tasks cannot all be done, the answer is the posture with the least sum of squares of their errors so measured,
    and `status` says what stands in the way: tasks that contradict one another, tasks that no input moves, limits, the
    edge of what the robot reaches, or the end of its postures.
    """
    if purpose not in PURPOSES:
        raise OptionError(f'purpose = "{purpose}" is not one of {", ".join(PURPOSES)}')
    if not 0.0 < tolerance < np.inf:
        raise OptionError(f"tolerance = {tolerance:g} must be a finite number more than zero")
    if iterations < 0:
        raise OptionError(f"iterations = {iterations} must be zero or more")
    if not tasks:
        raise OptionError("tasks = [] leaves nothing to be done; give one or more")
    begun = start_of(robot, start)
    solver = PostureSolver(robot)
    solver.command(robot.values if begun.values is None else begun.values)
    solver.place(begun.positions, slack=begun.slack)
    with np.errstate(all="ignore"):
        found = settle(solver)
    if not found.converged:
        told = as_equilibrium(robot, solver.values, found).status
        raise OptionError(f"inverse kinematics starts from a posture, and the start is none: {told}")
    slopes, home = LengthSlopes(robot.problem), solver.values.copy()
    here = tangent(solver, slopes)
    if here is not None:
        refuse_crossed(here.pose, limits)
    made = approached(solver, slopes, tasks, limits, home, tolerance, iterations)
    if purpose == "stiffness" and made.done:
        made = _stiffened(solver, slopes, tasks, limits, made, tolerance)
    return reached(solver, tasks, made)


def reached(solver: PostureSolver, tasks: Sequence[Task], made: Approach) -> Reached:
    """An approach as people see it."""
    robot, errors = solver.robot, dict[str, np.ndarray]()
    posture = as_equilibrium(robot, solver.values.copy(), settled_here(solver))
    if made.system is not None:
        for number, task in enumerate(tasks):
            mine = made.system.owner == number
            name = task.name if task.name not in errors else f"{task.name} (task {number + 1})"
            errors[name] = (made.system.error * made.system.size)[mine]
    status = "reached" if made.done else reason(robot, tasks, made)
    return Reached(posture, robot.input_names, solver.values.copy(), errors, status, made.held, made.iterations)


def _stiffened(
    solver: PostureSolver,
    slopes: LengthSlopes,
    tasks: Sequence[Task],
    limits: Sequence[Limit],
    made: Approach,
    tolerance: float,
) -> Approach:
    """On along what the tasks leave open, as long as the lowest stiffness grows."""
    scale, reach, width = solver.robot.scale, 0.05, SOFTENED * abs(_soft_lowest(solver, 1e-12))
    best = _soft_lowest(solver, width)
    for _ in range(CLIMBING):
        if made.here is None or reach < 1e-5:
            break
        here, begun = made.here, solver.values.copy()
        slope = np.zeros(scale.size)
        for k in range(scale.size):
            for sign in (1.0, -1.0):
                step = np.zeros(scale.size)
                step[k] = sign * 1e-5 * scale[k]
                if tried(solver, slopes, here, step) is not None:
                    slope[k] += sign * _soft_lowest(solver, width) / 2e-5
                go_back(solver, here)
        size = float(np.linalg.norm(slope))
        if size == 0.0:
            break
        after = approached(solver, slopes, tasks, limits, begun + reach * scale * slope / size, tolerance, ON_THE_WAY)
        now = _soft_lowest(solver, width)
        if after.done and now > best + 1e-9 * abs(best):
            made, best, reach = after, now, 1.5 * reach
        else:
            go_back(solver, here)
            reach *= 0.25
    return made


def _soft_lowest(solver: PostureSolver, width: float) -> float:
    """The lowest stiffness [N/m] where the solver is, as its cables are commanded, made smooth over a width [N/m]: the
    lowest of two that are all but equal, as of a symmetric robot, has a kink."""
    values = np.linalg.eigvalsh(reduced(solver).stiffness)
    if not values.size:
        return np.inf
    return float(values[0] - width * np.log(np.exp(-(values - values[0]) / max(width, 1e-300)).sum()))
