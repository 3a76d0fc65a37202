"""A path followed as far as it can be, left where it cannot, and taken up again: `follow_all`."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from taut.kinetostatics.following import FollowedPath, follow, growing
from taut.kinetostatics.inverse import Reached, inverse_kinematics
from taut.kinetostatics.posture_search import as_equilibrium
from taut.kinetostatics.posture_solver import PostureSolver
from taut.kinetostatics.robot import Robot
from taut.kinetostatics.stationary import settled_here
from taut.kinetostatics.tasks import Task
from taut.kinetostatics.tension_tasks import Limit
from taut.reprs import brief
from taut.statics.equilibrium import Equilibrium
from taut.type_checks import checked_arguments

LOOKS = 16
"""Samples after the end of a stretch at which is looked whether the path can be taken up again."""

SAMPLED = ("times", "values", "nodes", "member_force", "error", "corrections")


@dataclass(frozen=True)
class Unreached:
    """A stretch of samples that were not reached; times [s] of the first and the last."""

    begin: float
    end: float
    samples: int
    status: str

    __repr__ = brief

    @property
    def sentence(self) -> str:
        if self.samples == 1:
            return f"t = {self.begin:g} s: {self.status}"
        return f"from t = {self.begin:g} s to {self.end:g} s, {self.samples} samples: {self.status}"


@checked_arguments
def follow_all(
    robot: Robot,
    path: Callable[[float], Sequence[Task]],
    times: Sequence[float] | np.ndarray,
    *,
    limits: Sequence[Limit] = (),
    start: Equilibrium | None = None,
    iterations: int = 60,
    tolerance: float = 1e-10,
) -> tuple[FollowedPath, tuple[Unreached, ...]]:
    """Lead a robot along a path as `follow` does; where that ends, go on from the next sample that is reached.

    The path has the samples that were reached; a stretch of others is told with the reason at its first one.
    iterations: of inverse kinematics for each sample, at most.
    """
    moments = growing(times)
    wanted: dict[str, Any] = {"limits": limits, "tolerance": tolerance}
    parts, gaps = [], list[Unreached]()
    at, here = 0, start
    while at < moments.size:
        part = follow(robot, path, moments[at:], start=here, corrections=iterations, **wanted)
        begun = not part.status.startswith("the path does not begin")
        parts.append(part if begun else _nothing(part))
        if part.ok:
            break
        missed = at + (part.times.size if begun else 0)
        here = _last_posture(robot, part) if begun else here
        at = _taken_up(robot, path, moments, missed + 1, here, {**wanted, "iterations": iterations})
        why = part.status.partition("; then " if begun else ": ")[2]
        gaps.append(Unreached(float(moments[missed]), float(moments[at - 1]), at - missed, why))
    joined: dict[str, Any] = {name: np.concatenate([getattr(part, name) for part in parts]) for name in SAMPLED}
    count = sum(gap.samples for gap in gaps)
    told = "; ".join(gap.sentence for gap in gaps)
    status = f"{count} of {moments.size} samples were not reached: {told}" if gaps else "followed"
    return replace(parts[-1], **joined, status=status), tuple(gaps)


def _nothing(part: FollowedPath) -> FollowedPath:
    empty: dict[str, Any] = {name: getattr(part, name)[:0] for name in SAMPLED}
    return replace(part, **empty)


def _last_posture(robot: Robot, part: FollowedPath) -> Equilibrium:
    """The last one that is on the path."""
    return next(postures_along(robot, replace(part, values=part.values[-1:], nodes=part.nodes[-1:])))


def _taken_up(
    robot: Robot,
    path: Callable[[float], Sequence[Task]],
    moments: np.ndarray,
    first: int,
    here: Equilibrium | None,
    wanted: dict[str, Any],
) -> int:
    """The first sample that is reached again: one is found in strides, and from it back by halves. All if none is."""

    def reached(number: int) -> bool:
        found: Reached = inverse_kinematics(robot, list(path(float(moments[number]))), start=here, **wanted)
        return found.ok

    stride = max(1, -(-(moments.size - first) // LOOKS))
    below = first - 1
    for number in range(first, moments.size, stride):
        if not reached(number):
            below = number
            continue
        high = number
        while high - below > 1:
            middle = (below + high) // 2
            below, high = (below, middle) if reached(middle) else (middle, high)
        return high
    return int(moments.size)


def postures_along(robot: Robot, path: FollowedPath) -> Iterator[Equilibrium]:
    """The posture at every sample of a path, with all that an Equilibrium has."""
    solver = PostureSolver(robot)
    for values, nodes in zip(path.values, path.nodes, strict=True):
        solver.slacken(np.zeros(robot.problem.held.size, dtype=bool))
        solver.command(values)
        solver.place(nodes)
        with np.errstate(all="ignore"):
            yield as_equilibrium(robot, values, settled_here(solver))
