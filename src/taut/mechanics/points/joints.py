"""Nodes that joints carry: where they are, how they move with every coordinate, and how that changes.

A step is one axis of a joint (`structure/joints.py`). With R its rotation, c its point, w its axis, s the angular
velocity and d the way from the point it rests on, coordinate q,

    turns:   c = c' + R' offset,                  R = R' turn(axis, q),   s = s' + w q'
    slides:  c = c' + R' (offset + axis q),       R = R',                 s = s'

and of a node that it carries x = c + R arm. Rates and accelerations follow one step after another. What coordinates do
to nodes without their own accelerations, x'' = b(v, v), is quadratic in their rates, and its polar form is the second
derivative of the map.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from taut.mechanics.tables import coordinate_count, part_of, slot
from taut.numerics.compiled import inlined, kernel
from taut.numerics.packing import Integers, Pack, Reals, counter, reader
from taut.numerics.pointers import shifted
from taut.structure.joints import Step
from taut.structure.structure import Structure

KIND = "joints"
TURN, AXIS, SPIN, SPEED, GAIN, LIFT = 3, 12, 15, 18, 21, 24
"""Where the rotation, axis, angular velocity, velocity and accelerations of a step stand behind its point."""
ROOM = 27


class Joints(NamedTuple):
    """k steps, n nodes, f coordinates of nodes that none carries; m = k + f in all."""

    parent: Integers  # (k,) the step that it rests on, -1 for the ground
    slides: Integers  # (k,) 1 where it slides, 0 where it turns
    axis: Reals  # (3 k,) at the start, of unit length
    offset: Reals  # (3 k,) of its point from that of the step it rests on, at the start [m]
    value: Reals  # (k,) its coordinate at the start
    rides: Integers  # (n,) the step that carries a node, -1 where none does
    arm: Reals  # (3 n,) from the step's point, at the start [m]
    own: Integers  # (f,) coordinates of nodes that are coordinates of the plant
    rest: Reals  # (3 n,) where nodes are that nothing moves [m]
    room: Reals  # (27 k,) work space


joints_in = reader(Joints, slot(KIND))
step_count = counter(part_of(KIND, Joints, "parent"))
own_count = counter(part_of(KIND, Joints, "own"))


@inlined
def generalised_count(p: Pack) -> int:
    """All coordinates: of joints, then of nodes that none carries."""
    return step_count(p) + own_count(p)


def tabulate(structure: Structure, steps: Sequence[Step]) -> Joints:
    nodes = list(structure.nodes)
    places = np.array([step.at for step in steps]).reshape(-1, 3)
    parent = np.array([step.parent for step in steps], dtype=np.int64)
    before = np.where(parent[:, None] >= 0, places[np.maximum(parent, 0)], 0.0) if steps else places
    rides, arm = np.full(len(nodes), -1, dtype=np.int64), np.zeros((len(nodes), 3))
    for k, step in enumerate(steps):
        for node in step.carries:
            i = nodes.index(node)
            rides[i], arm[i] = k, structure.positions[i] - step.at
    free = [
        3 * i + axis
        for i, node in enumerate(nodes)
        if rides[i] < 0
        for axis in range(3)
        if "xyz"[axis] not in structure.supports.get(node, "")
    ]
    return Joints(
        parent=parent,
        slides=np.array([step.slides for step in steps], dtype=np.int64),
        axis=np.array([step.axis for step in steps], dtype=float).ravel(),
        offset=(places - before).ravel(),
        value=np.array([step.value for step in steps], dtype=float),
        rides=rides,
        arm=arm.ravel(),
        own=np.array(free, dtype=np.int64),
        rest=structure.positions.ravel().copy(),
        room=np.zeros(ROOM * len(steps)),
    )


@inlined
def _cross(a: np.ndarray, b: np.ndarray, out: np.ndarray) -> None:
    """out += a x b."""
    out[0] += a[1] * b[2] - a[2] * b[1]
    out[1] += a[2] * b[0] - a[0] * b[2]
    out[2] += a[0] * b[1] - a[1] * b[0]


@inlined
def _turned(r: np.ndarray, x: float, y: float, z: float) -> tuple[float, float, float]:
    """R (x, y, z)."""
    return (
        r[0] * x + r[1] * y + r[2] * z,
        r[3] * x + r[4] * y + r[5] * z,
        r[6] * x + r[7] * y + r[8] * z,
    )


@inlined
def _add_accelerations(gain: np.ndarray, spin: np.ndarray, d: tuple[float, float, float], out: np.ndarray) -> None:
    """out += gain x d + spin x (spin x d)."""
    x, y, z = d
    ux, uy, uz = spin[1] * z - spin[2] * y, spin[2] * x - spin[0] * z, spin[0] * y - spin[1] * x
    out[0] += gain[1] * z - gain[2] * y + spin[1] * uz - spin[2] * uy
    out[1] += gain[2] * x - gain[0] * z + spin[2] * ux - spin[0] * uz
    out[2] += gain[0] * y - gain[1] * x + spin[0] * uy - spin[1] * ux


@kernel
def _follow(p: Pack, q: np.ndarray, v: np.ndarray) -> None:
    """Every step: where it is, how it turns, and its accelerations without those of coordinates."""
    joints = joints_in(p)
    for k in range(step_count(p)):
        own, parent = shifted(joints.room, ROOM * k), joints.parent[k]
        for m in range(ROOM):
            own[m] = 0.0
        axis, offset = shifted(joints.axis, 3 * k), shifted(joints.offset, 3 * k)
        change, slides = q[k] - joints.value[k], joints.slides[k] == 1
        dx, dy, dz, wx, wy, wz = offset[0], offset[1], offset[2], axis[0], axis[1], axis[2]
        if slides:
            dx, dy, dz = dx + change * wx, dy + change * wy, dz + change * wz
        turn = shifted(own, TURN)
        if parent >= 0:
            below = shifted(joints.room, ROOM * parent)
            for m in range(TURN):
                own[m] = below[m]
            for m in range(SPIN, ROOM):
                own[m] = below[m]
            before = shifted(below, TURN)
            dx, dy, dz = _turned(before, dx, dy, dz)
            wx, wy, wz = _turned(before, wx, wy, wz)
            for m in range(9):
                turn[m] = before[m]
        else:
            turn[0], turn[4], turn[8] = 1.0, 1.0, 1.0
        spin, gain = shifted(own, SPIN), shifted(own, GAIN)
        own[0], own[1], own[2] = own[0] + dx, own[1] + dy, own[2] + dz
        own[AXIS], own[AXIS + 1], own[AXIS + 2] = wx, wy, wz
        own[SPEED] += spin[1] * dz - spin[2] * dy
        own[SPEED + 1] += spin[2] * dx - spin[0] * dz
        own[SPEED + 2] += spin[0] * dy - spin[1] * dx
        _add_accelerations(gain, spin, (dx, dy, dz), shifted(own, LIFT))
        # The axis turns with what it rests on: its own rate gives an acceleration, twice where it slides.
        ux, uy, uz = spin[1] * wz - spin[2] * wy, spin[2] * wx - spin[0] * wz, spin[0] * wy - spin[1] * wx
        rate = v[k]
        if slides:
            own[SPEED], own[SPEED + 1], own[SPEED + 2] = (
                own[SPEED] + rate * wx,
                own[SPEED + 1] + rate * wy,
                own[SPEED + 2] + rate * wz,
            )
            own[LIFT], own[LIFT + 1], own[LIFT + 2] = (
                own[LIFT] + 2.0 * rate * ux,
                own[LIFT + 1] + 2.0 * rate * uy,
                own[LIFT + 2] + 2.0 * rate * uz,
            )
        else:
            gain[0], gain[1], gain[2] = gain[0] + rate * ux, gain[1] + rate * uy, gain[2] + rate * uz
            spin[0], spin[1], spin[2] = spin[0] + rate * wx, spin[1] + rate * wy, spin[2] + rate * wz
            _turn_about(axis, change, turn)


@inlined
def _turn_about(axis: np.ndarray, angle: float, turn: np.ndarray) -> None:
    """turn = turn times the rotation about an axis (Rodrigues)."""
    c, s = math.cos(angle), math.sin(angle)
    x, y, z, d = axis[0], axis[1], axis[2], 1.0 - c
    for m in range(3):
        a, b, e = turn[3 * m], turn[3 * m + 1], turn[3 * m + 2]
        turn[3 * m] = a * (c + d * x * x) + b * (d * x * y + s * z) + e * (d * x * z - s * y)
        turn[3 * m + 1] = a * (d * x * y - s * z) + b * (c + d * y * y) + e * (d * y * z + s * x)
        turn[3 * m + 2] = a * (d * x * z + s * y) + b * (d * y * z - s * x) + e * (c + d * z * z)


@kernel
def place(p: Pack, q: np.ndarray, v: np.ndarray, x: np.ndarray, speed: np.ndarray, bias: np.ndarray) -> None:
    """Fill positions and velocities of all nodes, and their accelerations b(v, v) without those of coordinates."""
    joints, n, k = joints_in(p), coordinate_count(p), step_count(p)
    _follow(p, q, v)
    for i in range(n):
        x[i], speed[i], bias[i] = joints.rest[i], 0.0, 0.0
    for m in range(own_count(p)):
        x[joints.own[m]], speed[joints.own[m]] = q[k + m], v[k + m]
    for i in range(0, n, 3):
        step = joints.rides[i // 3]
        if step >= 0:
            own, arm = shifted(joints.room, ROOM * step), shifted(joints.arm, i)
            dx, dy, dz = _turned(shifted(own, TURN), arm[0], arm[1], arm[2])
            spin, lift = shifted(own, SPIN), shifted(own, LIFT)
            x[i], x[i + 1], x[i + 2] = own[0] + dx, own[1] + dy, own[2] + dz
            speed[i] = own[SPEED] + spin[1] * dz - spin[2] * dy
            speed[i + 1] = own[SPEED + 1] + spin[2] * dx - spin[0] * dz
            speed[i + 2] = own[SPEED + 2] + spin[0] * dy - spin[1] * dx
            bias[i], bias[i + 1], bias[i + 2] = lift[0], lift[1], lift[2]
            _add_accelerations(shifted(own, GAIN), spin, (dx, dy, dz), shifted(bias, i))


@kernel
def columns(p: Pack, x: np.ndarray, out: np.ndarray) -> None:
    """Fill dx/dq, a row of all nodal coordinates for every coordinate, after `place`; x: what that filled.

    What is zero at one place is zero everywhere, and is not written.
    """
    joints, n, k = joints_in(p), coordinate_count(p), step_count(p)
    for m in range(own_count(p)):
        out[(k + m) * n + joints.own[m]] = 1.0
    for i in range(0, n, 3):
        step = joints.rides[i // 3]
        while step >= 0:
            own, column = shifted(joints.room, ROOM * step), shifted(out, step * n + i)
            w = shifted(own, AXIS)
            if joints.slides[step] == 1:
                column[0], column[1], column[2] = w[0], w[1], w[2]
            else:
                dx, dy, dz = x[i] - own[0], x[i + 1] - own[1], x[i + 2] - own[2]
                column[0], column[1], column[2] = w[1] * dz - w[2] * dy, w[2] * dx - w[0] * dz, w[0] * dy - w[1] * dx
            step = joints.parent[step]
