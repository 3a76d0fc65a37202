"""Why tasks are not done, in words: which contradict one another, which no input moves, what stands in the way."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from taut.kinetostatics.approach import Approach
from taut.kinetostatics.robot import Robot
from taut.kinetostatics.task_system import TaskSystem
from taut.kinetostatics.tasks import Task

IDLE = 1e-9
"""A task whose error changes by less, for a change of one of every input, is moved by none."""

DEPENDENT = 1e-6
"""Singular values of the tasks below this part of the largest: some say what others say."""

SINGULAR = 0.05
"""Of what it was at the start: where inputs move some change of the tasks by less, they all but lose it."""

OVER = 1e-8
"""A limit that is overstepped by more, in its size, is not kept."""

SHARE = 1e-2
"""Of the largest part in a contradiction: tasks with less have none in it."""


def reason(robot: Robot, tasks: Sequence[Task], made: Approach) -> str:
    """What is not done, by how much, and why."""
    if made.system is None or made.first is None:
        return (
            "nothing was tried: the stiffness of the start is singular, so its posture does not say where it goes; "
            "start from another posture"
        )
    left = _left(tasks, made.system)
    idle = _idle(tasks, made.first, made.system)
    if idle:
        return f"{left}; no input moves {idle} here, so it is singular: leave it out, or start from another posture"
    if not made.feasible or made.system.overstepped > OVER:
        over = [name for name, room in zip(made.system.limit_names, made.system.room, strict=True) if room < -OVER]
        named = "; ".join(dict.fromkeys((*over, *made.held)))
        return f"{left}; limits exclude each other near here: {named} cannot all be kept; relax one of them"
    if made.unfinished:
        told = f"{left} after {made.iterations} iterations, and it was still coming nearer"
        weak, before = _weakest(made.system), _weakest(made.first)
        if weak < SINGULAR * before:
            return (
                f"{told}, but slowly: near a singularity, at the edge of what the robot reaches from its start (of all "
                f"changes that are asked for, inputs move one {weak:.1e} times as much as another, and {before:.1e} "
                "times at the start); ask for less, or start beyond it"
            )
        return f"{told}; allow more iterations"
    clash = _contradicting(tasks, made.first, made.system)
    if clash:
        return f"{left}; {clash}"
    if made.held:
        return f"{left}; this is the nearest within the limits: {'; '.join(made.held)}"
    if made.lost:
        return (
            f"{left}; this is the nearest posture that was found: beyond it the posture ends, or another takes its "
            "place; ask for less, or command lengths instead of tensions"
        )
    return (
        f"{left}; this is the nearest posture that was found, at the edge of what the robot reaches (of all changes "
        f"that are asked for, inputs move one {_weakest(made.system):.1e} times as much as another)"
    )


def _weakest(system: TaskSystem) -> float:
    """How much inputs move what they move least of the tasks, against what they move most."""
    sizes = np.linalg.svd(system.jacobian, compute_uv=False)
    return float(sizes.min() / max(float(sizes.max()), 1e-300))


def _left(tasks: Sequence[Task], system: TaskSystem) -> str:
    """The worst error of every task that is not done."""
    told = []
    for number in range(len(tasks)):
        mine = np.flatnonzero(system.owner == number)
        worst = mine[int(np.argmax(np.abs(system.error[mine])))]
        if np.abs(system.error[worst]) > 1e-9:
            told.append(
                f"{system.labels[worst]} is off by {system.error[worst] * system.size[worst]:.4g} {system.units[worst]}"
            )
    if not told and system.overstepped:
        return f"not reached: a limit is overstepped ({system.limit_names[int(np.argmin(system.room))]})"
    return f"not reached: {', '.join(told)}" if told else "not reached"


def _idle(tasks: Sequence[Task], first: TaskSystem, system: TaskSystem) -> str:
    """Labels of errors that no input moves, at the start and at the end."""
    still = np.abs(first.jacobian).max(axis=1) <= IDLE
    still &= np.abs(system.jacobian).max(axis=1) <= IDLE
    still &= np.abs(system.error) > 1e-9
    return ", ".join(system.labels[k] for k in np.flatnonzero(still))


def _contradicting(tasks: Sequence[Task], first: TaskSystem, system: TaskSystem) -> str:
    """Which tasks cannot be done together, where they depend on one another at the start too."""
    if _rank(first) >= first.error.size:
        return ""
    left, sizes, _ = np.linalg.svd(system.jacobian)
    rank = int(np.count_nonzero(sizes > DEPENDENT * sizes.max(initial=0.0)))
    against = left[:, rank:] @ (left[:, rank:].T @ system.error)
    if np.abs(against).max(initial=0.0) <= 1e-9:
        return ""
    part = np.abs(against) > SHARE * np.abs(against).max()
    labels = [system.labels[k] for k in np.flatnonzero(part)]
    chosen = np.unique(system.owner[part])
    names = [f"task {number + 1}, {tasks[number].name}" for number in chosen]
    inputs = system.jacobian.shape[1]
    if len(names) == 1 and len(labels) <= inputs and part.sum() == 1:
        return ""
    asked, free = int(system.error.size), rank
    why = f"{asked} numbers are asked for and {inputs} inputs move {free} of them independently"
    return f"tasks contradict one another: {', and '.join(names)} ({', '.join(labels)}); {why}: drop or change one"


def _rank(system: TaskSystem) -> int:
    sizes = np.linalg.svd(system.jacobian, compute_uv=False)
    return int(np.count_nonzero(sizes > DEPENDENT * sizes.max(initial=0.0)))
