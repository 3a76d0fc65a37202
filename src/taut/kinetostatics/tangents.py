"""How a posture changes with what is commanded, fast: one dense solve with the matrix of the compiled kernels.

With the right side R(q, l, u) of `rest_kernels` and its matrix, the change by an input is matrix^-1 dR/du. R is linear
in tensions, force densities, rest lengths and held lengths, so that a difference over any step is exact but for
round-off; only lengths of bars and rest lengths with a given E A bend it, by a millionth of the step that is taken.
`taut.kinetostatics.sensitivity` has the same from the equations of statics.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from taut.kinetostatics.posture_solver import PostureSolver
from taut.kinetostatics.tasks import Pose
from taut.statics import elastic_members as elastic
from taut.statics.equilibrium_equations import EquilibriumEquations

DIFFERENCE = 1e-3
"""Of an input's scale."""

COMPLEX = 1e-30
"""Of the complex step by which forces of members are derived."""


class Tangent(NamedTuple):
    """A posture and its first derivatives by the p inputs."""

    pose: Pose
    by_input: np.ndarray  # (3 n, p) of places
    force_by_input: np.ndarray  # (m, p) of forces of members
    multiplier_by_input: np.ndarray  # (r, p)


class LengthSlopes:
    """How the lengths of all members change with the nodes, (m, 3 n), of one set of equations."""

    def __init__(self, problem: EquilibriumEquations) -> None:
        net = problem.network
        self._first, self._second = net.first, net.second
        ends = np.zeros((net.members, len(net.positions), net.first.size))
        segments = np.arange(net.first.size)
        np.add.at(ends, (net.owner, net.first, segments), -1.0)
        np.add.at(ends, (net.owner, net.second, segments), 1.0)
        self._ends = ends.reshape(-1, net.first.size)
        self._shape = net.members, 3 * len(net.positions)

    def at(self, positions: np.ndarray) -> np.ndarray:
        spans = positions[self._second] - positions[self._first]
        unit = spans / np.sqrt((spans * spans).sum(axis=1))[:, None]
        return np.asarray((self._ends @ unit).reshape(self._shape))


def pose_of(solver: PostureSolver) -> Pose:
    """Where a solver is."""
    robot = solver.robot
    force = robot.problem.tensions(solver.positions, solver.static_multipliers, robot.setting(solver.values))
    members, rows = solver.member_rows
    force[members] = -solver.multipliers[rows]
    return Pose(robot, solver.positions.copy(), force, solver.values.copy())


def pushes_of_inputs(solver: PostureSolver) -> np.ndarray:
    """(s, p) how the right side changes with each input; fills the matrix where the solver is."""
    robot, values = solver.robot, solver.values.copy()
    pushes = np.zeros((solver.right.size, values.size))
    for k, size in enumerate(robot.scale):
        for sign in (1.0, -1.0):
            there = values.copy()
            there[k] += sign * DIFFERENCE * size
            solver.command(there)
            solver.unbalanced()
            pushes[:, k] += sign / (2.0 * DIFFERENCE * size) * solver.right
    solver.command(values)
    solver.evaluate()
    return pushes


def moves_of_inputs(solver: PostureSolver) -> tuple[np.ndarray, np.ndarray] | None:
    """How places (3 n, p) and multipliers (r, p) change with each input; None where the stiffness is singular."""
    pushes, count = pushes_of_inputs(solver), solver.free.size
    try:
        moved = np.linalg.solve(solver.matrix, pushes)
    except np.linalg.LinAlgError:
        return None
    if not np.isfinite(moved).all():
        return None
    by_input = np.zeros((solver.positions.size, solver.values.size))
    by_input[solver.free] = moved[:count]
    return by_input, -moved[count:]


def tangent(solver: PostureSolver, slopes: LengthSlopes) -> Tangent | None:
    """At a posture; None where its stiffness is singular."""
    moved = moves_of_inputs(solver)
    if moved is None:
        return None
    pose = pose_of(solver)
    return Tangent(pose, moved[0], _forces(solver, slopes, pose, *moved), moved[1])


def _forces(
    solver: PostureSolver, slopes: LengthSlopes, pose: Pose, by_input: np.ndarray, by_row: np.ndarray
) -> np.ndarray:
    """(m, p) of members: by their lengths, by what is commanded, and by rows where they keep their length."""
    problem, setting = pose.robot.problem, pose.robot.setting(pose.values)
    members = problem.members_at(setting)
    lengths = elastic.lengths_at(members, pose.positions)
    found = elastic.slopes(members, lengths)[:, None] * (slopes.at(pose.positions) @ by_input)
    for k, one in enumerate(pose.robot.commanded):
        part = setting.command if one.quantity in ("tension", "force_density", "force") else setting.rest_length
        ahead = part.astype(complex)
        ahead[one.member] += (-1j if one.quantity == "force" else 1j) * COMPLEX
        told = setting._replace(command=ahead) if part is setting.command else setting._replace(rest_length=ahead)
        found[:, k] += elastic.tensions(problem.members_at(told), lengths).imag / COMPLEX
    rigid, rows = solver.member_rows
    found[rigid] = -by_row[rows]
    return np.asarray(found)
