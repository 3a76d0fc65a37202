"""Loop joints as rows: how far a loop is open, its Jacobian by the velocities of Pinocchio, and what velocities add.

    e = x_s - x_p,   de/dt = K w,   d2e/dt2 = K dw/dt - k        (all rows at once, no loop over joints in Python)

The Jacobian of a point is J_lin + J_ang x its place, restricted to the joints that carry it; J and dJ/dt are those of
the whole tree in the world's frame. Rows of other joints than points are dot products of axes, or of an axis and the
gap.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from taut.mechanics.trees.kernels import fill_points
from taut.structure.trees import LoopJoint

_TURNS = {
    "point": (),
    "universal": ((0, 1),),
    "revolute": ((0, 2), (1, 2)),
    "prismatic": ((0, 1), (1, 2), (2, 0)),
    "fixed": ((0, 1), (1, 2), (2, 0)),
}
"""Axes of the predecessor and of the successor that stay at right angles."""

HELD = {"point": 3, "universal": 3, "revolute": 3, "prismatic": 2, "fixed": 3}
"""How many components of the gap are held: all three in the world's axes, or x and y of the predecessor."""


class Points(NamedTuple):
    """Points fixed in bodies: views into Pinocchio's own placements, and which velocities move them."""

    turns: list[np.ndarray]
    places: list[np.ndarray]
    local: np.ndarray  # (p, 3)
    carried: np.ndarray  # (p, nv) 1 where a velocity moves it


class Loops(NamedTuple):
    """All loops of a tree: predecessors' points, then successors'."""

    names: tuple[str, ...]
    points: Points
    number: int
    general: tuple[tuple[int, LoopJoint], ...]  # those with rows beside or instead of a point's
    rows: np.ndarray  # where the first row of each loop is
    size: int


class Moving(NamedTuple):
    """Points at a state: places (p, 3), Jacobians, rates, and accelerations without those of coordinates."""

    place: np.ndarray
    jacobian: np.ndarray  # (p, 3, nv)
    turn: np.ndarray  # (p, 3) angular velocity
    rate: np.ndarray
    turn_bias: np.ndarray
    bias: np.ndarray


def points_of(model: Any, data: Any, joints: Sequence[int], local: Sequence[Sequence[float]]) -> Points:
    carried = np.zeros((len(joints), model.nv))
    for row, joint in enumerate(joints):
        for ancestor in model.supports[joint]:
            if ancestor:
                first = model.joints[ancestor].idx_v
                carried[row, first : first + model.joints[ancestor].nv] = 1.0
    return Points(
        [data.oMi[joint].rotation for joint in joints],
        [data.oMi[joint].translation for joint in joints],
        np.array(local, dtype=float).reshape(-1, 3),
        carried,
    )


def loops_of(model: Any, data: Any, ends: Mapping[str, int], loops: Sequence[LoopJoint]) -> Loops:
    joints = [ends[loop.predecessor] for loop in loops] + [ends[loop.successor] for loop in loops]
    points = points_of(model, data, joints, [loop.at for loop in loops] + [loop.to for loop in loops])
    first = np.cumsum([0, *(loop.rows for loop in loops)])
    names = tuple(
        f'row {k + 1} of loop "{loop.name}"' if loop.kind != "point" else f'{"xyz"[k]} of loop "{loop.name}"'
        for loop in loops
        for k in range(loop.rows)
    )
    general = tuple((number, loop) for number, loop in enumerate(loops) if loop.kind != "point")
    return Loops(names, points, len(loops), general, first[:-1], int(first[-1]))


def places_of(points: Points) -> np.ndarray:
    """(p, 3) in the world."""
    if not points.turns:
        return np.zeros((0, 3))
    turns = np.array(points.turns)
    return np.einsum("pij,pj->pi", turns, points.local) + np.array(points.places)


def moving(points: Points, tree: np.ndarray, tree_rate: np.ndarray, w: np.ndarray) -> Moving:
    """tree, tree_rate: J and dJ/dt (6, nv) of the whole tree, linear rows first. w: velocities."""
    count, nv = len(points.turns), tree.shape[1]
    place, jacobian, moves = np.empty((count, 3)), np.empty((count, 3, nv)), np.empty((count, 12))
    if count:
        turns, places = np.concatenate(points.turns), np.concatenate(points.places)
        fill_points(turns, places, points.local, points.carried, tree, tree_rate, w, place, jacobian, moves)
    return Moving(place, jacobian, moves[:, :3], moves[:, 3:6], moves[:, 6:9], moves[:, 9:])


def opening(loops: Loops, place: np.ndarray) -> np.ndarray:
    """How far every row is open, at these places of its points and Pinocchio's placements."""
    n = loops.number
    gap = place[n:] - place[:n]
    if not loops.general:
        return np.asarray(gap.ravel())
    out = np.zeros(loops.size)
    for number, first in enumerate(loops.rows):
        out[first : first + 3] = gap[number]  # of points; others are written over
    for number, loop in loops.general:
        before, after = _axes(loops, number, loop)
        held = HELD[loop.kind]
        first = loops.rows[number]
        out[first : first + held] = gap[number] if held == 3 else before[:held] @ gap[number]
        for k, (i, j) in enumerate(_TURNS[loop.kind]):
            out[first + held + k] = before[i] @ after[j]
    return out


def rows_of(loops: Loops, at: Moving, tree: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """K (rows, nv) and k (rows,)."""
    n, nv = loops.number, tree.shape[1]
    jacobian, bias = at.jacobian[n:] - at.jacobian[:n], at.bias[:n] - at.bias[n:]
    if not loops.general:
        return jacobian.reshape(-1, nv), bias.ravel()
    rows, right = np.zeros((loops.size, nv)), np.zeros(loops.size)
    usual = set(range(n)) - {number for number, _ in loops.general}
    for number in usual:
        first = loops.rows[number]
        rows[first : first + 3], right[first : first + 3] = jacobian[number], bias[number]
    for number, loop in loops.general:
        _general_rows(loops, number, loop, at, tree, rows, right)
    return rows, right


def _axes(loops: Loops, number: int, loop: LoopJoint) -> tuple[np.ndarray, np.ndarray]:
    """Axes of predecessor and successor in the world, a row each."""
    before = loops.points.turns[number] @ np.array(loop.rotation)
    after = loops.points.turns[loops.number + number] @ np.array(loop.to_rotation)
    return before.T, after.T


def turned_round(loops: Loops) -> list[tuple[LoopJoint, float]]:
    """Loops whose rows hold at Pinocchio's placements while the axes that they hold together do not point the same way,
    and by how much they are apart [rad]: dot products alone cannot tell."""
    found = []
    for number, loop in loops.general:
        before, after = _axes(loops, number, loop)
        axes = {"universal": (), "revolute": (2,)}.get(loop.kind, (0, 1, 2))
        worst = min((float(before[k] @ after[k]) for k in axes), default=1.0)
        if worst < 0.5:
            found.append((loop, float(np.arccos(np.clip(worst, -1.0, 1.0)))))
    return found


def _general_rows(
    loops: Loops, number: int, loop: LoopJoint, at: Moving, tree: np.ndarray, rows: np.ndarray, right: np.ndarray
) -> None:
    n, first, held = loops.number, loops.rows[number], HELD[loop.kind]
    carried = loops.points.carried
    before, after = _axes(loops, number, loop)
    turns = [tree[3:] * carried[number], tree[3:] * carried[n + number]]
    spin = [at.turn[k] for k in (number, n + number)]
    spin_bias = [at.turn_bias[k] for k in (number, n + number)]
    gap = at.place[n + number] - at.place[number]
    gap_rate = at.rate[n + number] - at.rate[number]
    gap_bias = at.bias[n + number] - at.bias[number]
    gap_rows = at.jacobian[n + number] - at.jacobian[number]
    if held == 3:
        rows[first : first + 3], right[first : first + 3] = gap_rows, -gap_bias
    else:
        for k in range(held):
            axis = before[k]
            rows[first + k] = axis @ gap_rows + np.cross(axis, gap) @ turns[0]
            swing = np.cross(spin[0], axis)
            carry = np.cross(spin_bias[0], axis) + np.cross(spin[0], swing)
            right[first + k] = -(axis @ gap_bias + 2.0 * swing @ gap_rate + carry @ gap)
    for k, (i, j) in enumerate(_TURNS[loop.kind]):
        normal = np.cross(before[i], after[j])
        normal_rate = np.cross(np.cross(spin[0], before[i]), after[j]) + np.cross(
            before[i], np.cross(spin[1], after[j])
        )
        rows[first + held + k] = normal @ (turns[0] - turns[1])
        right[first + held + k] = -(normal @ (spin_bias[0] - spin_bias[1]) + normal_rate @ (spin[0] - spin[1]))


def loop_axis(loops: Loops, number: int, loop: LoopJoint, at: Moving, tree: np.ndarray) -> np.ndarray:
    """(nv,) generalised force of a unit torque about, or force along, z of a loop: a row of L (1.2.25)."""
    n, axis = loops.number, _axes(loops, number, loop)[0][2]
    carried = loops.points.carried
    if loop.kind == "prismatic":
        gap = at.place[n + number] - at.place[number]
        turn = tree[3:] * carried[number]
        return np.asarray(axis @ (at.jacobian[n + number] - at.jacobian[number]) + np.cross(axis, gap) @ turn)
    return np.asarray(axis @ (tree[3:] * (carried[n + number] - carried[number])))
