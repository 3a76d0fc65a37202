"""Tasks that change with time: a robot led along a path, `follow`.

From one sample to the next the posture is predicted along its tangent and corrected by inverse kinematics. Without
corrections it is eq. (29) alone, which drifts from the path at first order of the step.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from taut.errors import OptionError
from taut.kinetostatics.approach import Approach, approached
from taut.kinetostatics.inverse import inverse_kinematics, reached
from taut.kinetostatics.length_slopes import LengthSlopes
from taut.kinetostatics.limited_steps import limited_step
from taut.kinetostatics.posture_search import posture
from taut.kinetostatics.posture_solver import PostureSolver, slack_held
from taut.kinetostatics.robot import Robot
from taut.kinetostatics.tangents import pose_of, tangent
from taut.kinetostatics.task_system import gathered
from taut.kinetostatics.tasks import Task
from taut.kinetostatics.tension_tasks import Limit
from taut.labelled import Labelled, Tabular, Variable
from taut.reprs import titled
from taut.statics.equilibrium import Equilibrium
from taut.structure.labels import labels_of, member_names
from taut.structure.structure import Structure
from taut.type_checks import checked_arguments

VARIABLES = {
    "values": Variable(("time", "input"), "N or m", "what is commanded", "{input}"),
    "nodes": Variable(("time", "node", "axis"), "m", "position of each node", "node:{node}.{axis}"),
    "member_force": Variable(("time", "member"), "N", "force in each member, positive in tension", "{member}.force"),
    "error": Variable(("time", "error"), "m, rad or N", "how far each task is from being done", "error of {error}"),
    "corrections": Variable(("time",), "", "steps of inverse kinematics"),
}
"""What `FollowedPath.to_xarray` has."""


@dataclass(frozen=True, repr=False)
class FollowedPath(Tabular):
    """k samples of a path as far as it could be followed; p inputs, n nodes, m members, e errors.

    status: "followed", or until when and why no further. last: the posture at the end.
    """

    structure: Structure
    inputs: tuple[str, ...]
    labels: tuple[str, ...]
    times: np.ndarray  # (k,) [s]
    values: np.ndarray  # (k, p) what is commanded
    nodes: np.ndarray  # (k, n, 3) [m]
    member_force: np.ndarray  # (k, m) cables first [N]
    error: np.ndarray  # (k, e) [m, rad or N]
    corrections: np.ndarray  # (k,)
    status: str
    last: Equilibrium

    @property
    def ok(self) -> bool:
        return self.status == "followed"

    def labelled(self) -> Labelled:
        labels: dict[str, Any] = {
            "time": self.times,
            "input": self.inputs,
            **labels_of(self.structure),
            "member": member_names(self.structure),
            "error": self.labels,
        }
        values = {name: getattr(self, name) for name in VARIABLES}
        return Labelled(("time",), labels, VARIABLES, values, {"status": self.status})

    def __repr__(self) -> str:
        return titled("FollowedPath", f"{self.times.size} samples with {len(self.inputs)} inputs", self.status)


@checked_arguments
def follow(
    robot: Robot,
    path: Callable[[float], Sequence[Task]],
    times: Sequence[float] | np.ndarray,
    *,
    limits: Sequence[Limit] = (),
    start: Equilibrium | None = None,
    corrections: int = 20,
    tolerance: float = 1e-10,
) -> FollowedPath:
    """Lead a robot along a path, each posture from the one before.

    path: time -> tasks, the same ones in the same order. times: [s], at which postures are found.
    limits: kept all along. start: a posture; tasks are done there first, at the first time.
    corrections: of inverse kinematics for each sample, at most; 0 follows the tangent alone and never looks back.
    """
    moments = growing(times)
    if corrections < 0:
        raise OptionError(f"corrections = {corrections} must be zero or more")
    first = inverse_kinematics(robot, list(path(float(moments[0]))), limits=limits, start=start, tolerance=tolerance)
    solver, slopes = PostureSolver(robot), LengthSlopes(robot.problem)
    solver.command(first.values)
    standing = first.posture.structure
    solver.place(standing.positions, slack=slack_held(robot, standing))
    told = _Told(solver)
    status = "followed"
    if not first.ok:
        told.take(list(path(float(moments[0]))), first.iterations)
        return told.path(moments[:1], f"the path does not begin: {first.status}", first.posture)
    told.take(list(path(float(moments[0]))), first.iterations)
    for number, moment in enumerate(moments[1:].tolist()):
        tasks = list(path(moment))
        if corrections == 0:
            made = _drifted(solver, slopes, list(path(float(moments[number]))), tasks)
        else:
            made = approached(solver, slopes, tasks, limits, solver.values.copy(), tolerance, corrections)
        if not made.done:
            ended = reached(solver, tasks, made)
            status = f"followed until t = {moments[number]:g} s; then {ended.status}"
            return told.path(moments[: number + 1], status, ended.posture)
        told.take(tasks, made.iterations)
    return told.path(moments, status, _posture(solver))


def growing(times: Sequence[float] | np.ndarray) -> np.ndarray:
    """Times [s] as an array; raises OptionError where they are no finite numbers that grow."""
    moments = np.asarray(times, dtype=float)
    if moments.ndim != 1 or not moments.size or not np.isfinite(moments).all() or np.any(np.diff(moments) <= 0.0):
        raise OptionError("times must be finite numbers that grow")
    return moments


def _drifted(solver: PostureSolver, slopes: LengthSlopes, before: list[Task], after: list[Task]) -> Approach:
    """Along the tangent by as much as the tasks have changed."""
    here = tangent(solver, slopes)
    if here is None:
        return Approach(False, None, None, None, (), True, False, 0)
    old, new = (gathered(here, tasks, ()) for tasks in (before, after))
    zero = np.zeros(solver.values.size)
    step = limited_step(new.jacobian, new.error - old.error, zero, new.limits[:0], new.room[:0], 0.0).step
    change = step * solver.robot.scale
    solver.place(
        here.pose.positions + (here.by_input @ change).reshape(-1, 3),
        solver.multipliers + here.multiplier_by_input @ change,
    )
    solver.command(here.pose.values + change)
    return Approach(True, here, new, old, (), True, False, 0)


def _posture(solver: PostureSolver) -> Equilibrium:
    return posture(solver.robot, solver.values.copy(), start=solver.positions.copy())


class _Told:
    """What is kept of every sample."""

    def __init__(self, solver: PostureSolver) -> None:
        self.solver, self.labels = solver, tuple[str, ...]()
        self.values, self.nodes, self.force, self.error = (list[np.ndarray]() for _ in range(4))
        self.corrections = list[int]()

    def take(self, tasks: Sequence[Task], corrections: int) -> None:
        pose = pose_of(self.solver)
        told = [task.evaluate(pose) for task in tasks]
        self.labels = tuple(label for one in told for label in one.labels)
        self.error.append(np.concatenate([one.error for one in told]))
        self.values.append(pose.values)
        self.nodes.append(pose.positions)
        self.force.append(pose.force)
        self.corrections.append(corrections)

    def path(self, times: np.ndarray, status: str, last: Equilibrium) -> FollowedPath:
        robot = self.solver.robot
        values, nodes, force, error = (np.array(one) for one in (self.values, self.nodes, self.force, self.error))
        return FollowedPath(
            robot.structure,
            robot.input_names,
            self.labels,
            times.copy(),
            values,
            nodes,
            force,
            error,
            np.array(self.corrections),
            status,
            last,
        )
