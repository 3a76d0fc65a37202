"""Maps of what is reached: targets on a grid, and the commands that lead there."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from taut.errors import OptionError
from taut.kinetostatics.approach import approached
from taut.kinetostatics.length_slopes import LengthSlopes
from taut.kinetostatics.map_points import Points, neighbours, serpentine
from taut.kinetostatics.posture_search import posture
from taut.kinetostatics.posture_solver import PostureSolver
from taut.kinetostatics.robot import Robot
from taut.kinetostatics.tasks import Task
from taut.kinetostatics.tension_tasks import Limit
from taut.kinetostatics.workspace_maps import POINTS, labelled_points
from taut.labelled import Labelled, Tabular, Variable
from taut.reprs import titled
from taut.statics.equilibrium import Equilibrium
from taut.type_checks import checked_arguments


@dataclass(frozen=True, repr=False)
class ReachMap(Tabular):
    """Targets over a grid, and with which commands each is reached; arrays begin with its shape (g...).

    robot: of which it is a map. axes: name -> its values. reached: where all tasks are done within the limits.
    values: (g..., p) NaN where it is not reached. error: the worst error that is left, in the sizes of tasks.
    """

    robot: Robot
    axes: Mapping[str, np.ndarray]
    reached: np.ndarray
    values: np.ndarray
    nodes: np.ndarray
    member_force: np.ndarray
    error: np.ndarray

    def labelled(self) -> Labelled:
        error = Variable((), "", "the worst error that is left, in the sizes of tasks")
        told = {"reached": Variable((), "", "whether all tasks are done"), **POINTS, "error": error}
        return labelled_points(self, told)

    def __repr__(self) -> str:
        grid = " x ".join(f"{values.size} {name}" for name, values in self.axes.items())
        return titled("ReachMap", grid, f"{int(self.reached.sum())} of {self.reached.size} reached")


@checked_arguments
def reach(
    robot: Robot,
    grid: Mapping[str, Any],
    tasks: Callable[..., Sequence[Task]],
    *,
    limits: Sequence[Limit] = (),
    start: Equilibrium | None = None,
    tolerance: float = 1e-8,
    iterations: int = 40,
) -> ReachMap:
    """Which targets of a grid a robot reaches, each from its neighbour.

    grid: name -> numbers. tasks: called with a number of each axis in their order, gives the tasks there.
    """
    axes = {name: np.asarray(values, dtype=float) for name, values in grid.items()}
    shape = tuple(values.size for values in axes.values())
    first = posture(robot, start=start)
    if not first.ok:
        raise OptionError(f"the map starts from a posture, and the robot is in none: {first.status}")
    solver, slopes = PostureSolver(robot, first), LengthSlopes(robot.problem)
    told, error = Points(shape, robot), np.full(shape, np.nan)
    known = {None: (robot.at(first).values, *solver.here)}
    for at in serpentine(shape):
        near = next((one for one in neighbours(at, shape) if one in known), None)
        values, *begun = known[near]  # type: ignore[index]
        solver.command(values)
        solver.place(*begun)
        asked = list(tasks(*(numbers[place] for numbers, place in zip(axes.values(), at, strict=True))))
        made = approached(solver, slopes, asked, limits, values, tolerance, iterations)
        error[at] = np.inf if made.system is None else float(np.abs(made.system.error).max(initial=0.0))
        if made.done:
            known[at] = solver.values.copy(), *solver.here  # type: ignore[index]
            told.take(at, solver, None, asked=False)
    return ReachMap(robot, axes, told.found, told.values, told.nodes, told.force, error)
