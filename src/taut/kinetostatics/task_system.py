"""All tasks and limits of a question as one linear system at a posture, in numbers of size one.

Errors are divided by what counts as one: the mean length of members for metres, one radian, the mean tension for
newtons. Inputs are divided by their scale (`Robot.scale`).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from taut.errors import OptionError
from taut.kinetostatics.tangents import Tangent
from taut.kinetostatics.tasks import Evaluated, Pose, Task, no_slopes
from taut.kinetostatics.tension_tasks import Limit, Limited


class Bound(NamedTuple):
    """One side of a limit."""

    label: str
    word: str  # "lowest" or "highest"
    value: float
    unit: str


class TaskSystem(NamedTuple):
    """k errors and l one-sided limits, to first order in p inputs; all scaled."""

    error: np.ndarray  # (k,)
    jacobian: np.ndarray  # (k, p)
    owner: np.ndarray  # (k,) the number of the task of each
    labels: tuple[str, ...]  # of errors
    size: np.ndarray  # (k,) what each error was divided by
    units: tuple[str, ...]
    limits: np.ndarray  # (l, p)
    room: np.ndarray  # (l,) how far it is to each limit
    bounds: tuple[Bound, ...]  # what each of them is

    @property
    def limit_names(self) -> tuple[str, ...]:
        """Of every limit: what is held, and where."""
        return tuple(f"{label} at its {word}, {value:.6g} {unit}" for label, word, value, unit in self.bounds)

    @property
    def overstepped(self) -> float:
        """The most by which a limit is not kept."""
        return float(np.maximum(-self.room, 0.0).max(initial=0.0))

    @property
    def merit(self) -> float:
        """What is to become smaller: the sum of squares of errors, and of limits that are not kept."""
        over = np.maximum(-self.room, 0.0)
        return float(self.error @ self.error + 100.0 * over @ over)


class Pulling:
    """Cables that are held or commanded pull: no tension below zero."""

    name = "cables only pull"

    def limited(self, pose: Pose) -> Limited:
        problem = pose.robot.problem
        chosen = np.flatnonzero(problem.network.unilateral & (problem.modes != "spring"))
        by_place, by_force = no_slopes(pose, chosen.size)
        by_force[np.arange(chosen.size), chosen] = 1.0
        labels = tuple(f"tension of {problem.network.names[k]}" for k in chosen)
        told = Evaluated(pose.force[chosen], by_place, by_force, "N", labels)
        return Limited(
            told, np.zeros((chosen.size, pose.values.size)), np.zeros(chosen.size), np.full(chosen.size, np.inf)
        )


def gathered(here: Tangent, tasks: Sequence[Task], limits: Sequence[Limit]) -> TaskSystem:
    """All of them where the robot is."""
    sizes, scale = here.pose.robot.unit_sizes, here.pose.robot.scale
    told = [task.evaluate(here.pose) for task in tasks]
    kept = [limit.limited(here.pose) for limit in (*limits, Pulling())]
    count = here.pose.values.size
    size = np.concatenate([np.zeros(0), *(np.full(one.error.size, sizes[one.unit]) for one in told)])
    jacobian = np.concatenate([np.zeros((0, count)), *(_slopes(here, one) for one in told)])
    error = np.concatenate([np.zeros(0), *(one.error for one in told)])
    rows, room, bounds = [np.zeros((0, count))], [np.zeros(0)], list[Bound]()
    for one in kept:
        unit, told_of = sizes[one.evaluated.unit], one.evaluated
        slopes = (_slopes(here, told_of) + one.by_input) * scale / unit
        for sign, bound, word in ((1.0, one.highest, "highest"), (-1.0, one.lowest, "lowest")):
            chosen = np.isfinite(bound)
            rows.append(sign * slopes[chosen])
            room.append(sign * (bound - told_of.error)[chosen] / unit)
            bounds += [Bound(told_of.labels[k], word, bound[k], told_of.unit) for k in np.flatnonzero(chosen)]
    return TaskSystem(
        error / size,
        jacobian * scale / size[:, None],
        np.repeat(np.arange(len(told)), [one.error.size for one in told]),
        tuple(label for one in told for label in one.labels),
        size,
        tuple(one.unit for one in told for _ in one.labels),
        np.concatenate(rows),
        np.concatenate(room),
        tuple(bounds),
    )


def _slopes(here: Tangent, told: Evaluated) -> np.ndarray:
    """(k, p) by inputs."""
    return np.asarray(told.by_place @ here.by_input + told.by_force @ here.force_by_input)


def refuse_crossed(pose: Pose, limits: Sequence[Limit]) -> None:
    """Raise where two limits leave no number between them, naming both."""
    lows: dict[str, tuple[float, str]] = {}
    highs: dict[str, tuple[float, str]] = {}
    for limit in (*limits, Pulling()):
        told = limit.limited(pose)
        for label, low, high in zip(told.evaluated.labels, told.lowest, told.highest, strict=True):
            key = label.removeprefix("cable:").removeprefix("tension of ")
            if told.evaluated.unit == "N":
                if low > lows.get(key, (-np.inf, ""))[0]:
                    lows[key] = float(low), limit.name
                if high < highs.get(key, (np.inf, ""))[0]:
                    highs[key] = float(high), limit.name
    for key, (low, above) in lows.items():
        high, below = highs.get(key, (np.inf, ""))
        if low > high:
            raise OptionError(
                f"limits exclude each other: {above} asks for at least {low:g} N of {key}, and {below} for at most "
                f"{high:g} N; change one of them"
            )
