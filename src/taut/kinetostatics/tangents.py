"""How a posture changes with what is commanded, fast: one dense solve with the matrix of the compiled kernels.

With the right side R(q, l, u) of `rest_kernels` and its matrix, the change by an input is matrix^-1 dR/du. Elastic and
commanded members of length L change it by -dL/dq dT/du, with dT/du of their law, which is nothing for a slack cable. A
length that is kept changes its own row, by one, and that of a rigid bar the force too, since its row b / l has the
length in it. `taut.kinetostatics.sensitivity` has the same from the equations of statics.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from taut.kinetostatics.length_slopes import LengthSlopes
from taut.kinetostatics.posture_solver import PostureSolver
from taut.kinetostatics.tasks import Pose
from taut.statics import elastic_members as elastic

COMPLEX = 1e-30
"""Of the complex step by which forces of members are derived."""


class Tangent(NamedTuple):
    """A posture and its first derivatives by the p inputs."""

    pose: Pose
    by_input: np.ndarray  # (3 n, p) of places
    force_by_input: np.ndarray  # (m, p) of forces of members
    multiplier_by_input: np.ndarray  # (r, p)
    slack: np.ndarray  # (h,) held cables that are


def pose_of(solver: PostureSolver) -> Pose:
    """Where a solver is."""
    robot = solver.robot
    force = robot.problem.tensions(solver.positions, solver.static_multipliers, robot.setting(solver.values))
    members, rows = solver.member_rows
    force[members] = -solver.multipliers[rows]
    return Pose(robot, solver.positions.copy(), force, solver.values.copy())


def _tensions_by_inputs(pose: Pose, lengths: np.ndarray) -> np.ndarray:
    """(m, p) of members where nothing moves; zero for those that keep their length."""
    problem, setting = pose.robot.problem, pose.robot.setting(pose.values)
    found = np.zeros((problem.network.members, pose.values.size))
    for k, one in enumerate(pose.robot.commanded):
        if one.quantity == "length":
            continue
        part = setting.command if one.quantity in ("tension", "force_density", "force") else setting.rest_length
        ahead = part.astype(complex)
        ahead[one.member] += (-1j if one.quantity == "force" else 1j) * COMPLEX
        told = setting._replace(command=ahead) if part is setting.command else setting._replace(rest_length=ahead)
        found[:, k] = elastic.tensions(problem.members_at(told), lengths).imag / COMPLEX
    return found


def _pushes(solver: PostureSolver, by_place: np.ndarray, by_input: np.ndarray) -> np.ndarray:
    """(s, p) how the right side changes with each input, where the solver has evaluated. by_place: (m, 3 n) of lengths.
    by_input: (m, p) of tensions where nothing moves."""
    count, (members, rows) = solver.free.size, solver.member_rows
    pushes = np.zeros((solver.right.size, by_input.shape[1]))
    pushes[:count] = -by_place[:, solver.free].T @ by_input
    row_of, cables = dict(zip(members.tolist(), rows.tolist(), strict=True)), solver.robot.problem.network.cables
    slack = set(solver.robot.problem.held[solver.slack].tolist())
    for k, one in enumerate(solver.robot.commanded):
        if one.quantity != "length" or one.member in slack:
            continue
        row, length = row_of[one.member], solver.values[k]
        pushes[count + row, k] = 1.0
        if one.member >= cables:
            off = -solver.right[count + row]
            pushes[count + row, k] += off / length  # of (b.b - l^2) / (2 l)
            pushes[:count, k] -= solver.rows[row] * solver.multipliers[row] / length
    return pushes


def pushes_of_inputs(solver: PostureSolver) -> np.ndarray:
    """(s, p) how the right side changes with each input; fills the matrix where the solver is."""
    solver.evaluate()
    pose = pose_of(solver)
    lengths = elastic.lengths_at(pose.robot.problem.members, pose.positions)
    return _pushes(solver, solver.length_slopes.at(solver.positions), _tensions_by_inputs(pose, lengths))


def moves_of_inputs(solver: PostureSolver) -> tuple[np.ndarray, np.ndarray] | None:
    """How places (3 n, p) and multipliers (r, p) change with each input; None where the stiffness is singular."""
    return _moves(solver, pushes_of_inputs(solver))


def _moves(solver: PostureSolver, pushes: np.ndarray) -> tuple[np.ndarray, np.ndarray] | None:
    try:
        moved = np.linalg.solve(solver.matrix, pushes)
    except np.linalg.LinAlgError:
        return None
    if not np.isfinite(moved).all():
        return None
    by_input = np.zeros((solver.positions.size, solver.values.size))
    by_input[solver.free] = moved[: solver.free.size]
    return by_input, -moved[solver.free.size :]


def tangent(solver: PostureSolver, slopes: LengthSlopes) -> Tangent | None:
    """At a posture; None where its stiffness is singular."""
    solver.evaluate()
    pose, by_place = pose_of(solver), slopes.at(solver.positions)
    lengths = elastic.lengths_at(pose.robot.problem.members, pose.positions)
    direct = _tensions_by_inputs(pose, lengths)
    moved = _moves(solver, _pushes(solver, by_place, direct))
    if moved is None:
        return None
    members = pose.robot.problem.members_at(pose.robot.setting(pose.values))
    force = direct + elastic.slopes(members, lengths)[:, None] * (by_place @ moved[0])
    rigid, rows = solver.member_rows
    force[rigid] = -moved[1][rows]
    return Tangent(pose, moved[0], force, moved[1], solver.slack)
