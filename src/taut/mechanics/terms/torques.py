"""Torques about angles that are free: springs, dampers and what is commanded, between two directions (`directions.py`).

    torque = command - stiffness (alpha - rest) - damping alpha',   force on node a = torque dalpha/da

The energy is stiffness (alpha - rest)^2 / 2; a command works as a load does, command alpha'. About an axis alpha - rest
is counted between -pi and pi: half a turn from rest a spring flips over. An angle on which nothing acts is skipped, so
that one without an axis may pass 0 and pi, where it has no direction.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from taut.mechanics.kinds import Given, Links, Term
from taut.mechanics.tables import coordinate_count, part_of, slot
from taut.mechanics.terms.directions import CHANGE, GRADIENT, bend, directions_between, stand, turned_from
from taut.numerics.compiled import entry, inlined, kernel
from taut.numerics.link_blocks import every_pair
from taut.numerics.packing import Integers, Pack, Reals, counter, reader
from taut.numerics.pointers import row_of, shifted, start_of
from taut.structure.angles import Angle, angle_value, directions_of, rest_value, vectors_of

KIND = "torques"


class Torques(NamedTuple):
    """a free angles of u own nodes in all, by columns of its own and those of `Directions`."""

    rest: Reals  # (a,) [rad]
    stiffness: Reals  # (a,) [N m/rad]
    damping: Reals  # (a,) [N m s/rad]
    command: Reals  # (a,) [N m]
    bound: Reals  # (u,) [N/m] a stiffness that it holds each own node with, about
    bent: Reals  # (3 u,) work space: the change of the gradient at the velocities of the nodes
    nodes: Integers
    local: Integers
    own: Integers
    start: Integers
    room: Reals


torques_in = reader(Torques, slot(KIND))
torque_count = counter(part_of(KIND, Torques, "rest"))


@inlined
def _acts(torques: Torques, k: int) -> bool:
    return torques.stiffness[k] != 0.0 or torques.damping[k] != 0.0 or torques.command[k] != 0.0


@kernel
def torque_state(p: Pack, k: int, y: np.ndarray) -> tuple[int, float, float, float, float]:
    """How many coordinates a free angle depends on, how far it is from rest [rad], its rate, the torque of its spring
    and of its damper [N m]; its gradient is left in the work space."""
    torques = torques_in(p)
    size, rate = stand(torques, k, y, coordinate_count(p))
    off = turned_from(torques, k, torques.rest[k])
    return size, off, rate, -torques.stiffness[k] * off, -torques.damping[k] * rate


@kernel
def free_torque(p: Pack, k: int, y: np.ndarray) -> float:
    """The whole torque of a free angle [N m]."""
    torques = torques_in(p)
    if not _acts(torques, k):
        return 0.0
    _, _, _, elastic, viscous = torque_state(p, k, y)
    return torques.command[k] + elastic + viscous


@inlined
def _turn(torques: Torques, k: int, size: int, torque: float, out: np.ndarray) -> None:
    """Add what a torque does to the nodes of an angle, whose gradient is known."""
    begin, gradient = torques.start[k], shifted(torques.room, GRADIENT)
    for i in range(size):
        out[torques.own[begin + i // 3] + i % 3] += torque * gradient[i]


@kernel
def force(p: Pack, t: float, y: np.ndarray, out: np.ndarray) -> float:
    torques, power = torques_in(p), 0.0
    for k in range(torque_count(p)):
        if _acts(torques, k):
            size, _, rate, elastic, viscous = torque_state(p, k, y)
            power += (torques.command[k] + viscous) * rate
            _turn(torques, k, size, torques.command[k] + elastic + viscous, out)
    return power


@kernel
def conservative_force(p: Pack, y: np.ndarray, out: np.ndarray) -> tuple[float, float, float]:
    torques, stored, squared = torques_in(p), 0.0, 0.0
    gradient = shifted(torques.room, GRADIENT)
    for k in range(torque_count(p)):
        if torques.stiffness[k] != 0.0:
            size, off, _, elastic, _ = torque_state(p, k, y)
            stored -= 0.5 * elastic * off
            for i in range(size):
                squared += (elastic * gradient[i]) * (elastic * gradient[i])
            _turn(torques, k, size, elastic, out)
    return stored, 0.0, squared


@kernel
def load_power(p: Pack, t: float, y: np.ndarray) -> float:
    """Of commanded torques."""
    torques, power = torques_in(p), 0.0
    for k in range(torque_count(p)):
        if torques.command[k] != 0.0:
            _, _, rate, _, _ = torque_state(p, k, y)
            power += torques.command[k] * rate
    return power


@kernel
def stiffness(
    p: Pack, t: float, y: np.ndarray, k: float, c: float, pushing: float, exact: float, out: np.ndarray
) -> int:
    """With g the gradient of an angle, H its second derivative and v the velocities:

    K = stiffness g g^T - torque H + exact damping g (H v)^T,   C = damping g g^T

    Blocks between different nodes, with the other sign, one way. What a torque does to the stiffness has either sign.
    """
    torques, filled = torques_in(p), 0
    gradient, change = shifted(torques.room, GRADIENT), shifted(torques.room, CHANGE)
    for m in range(torque_count(p)):
        size = 3 * (torques.start[m + 1] - torques.start[m])
        count, acts = size // 3, _acts(torques, m)
        for e in range(9 * count * (count - 1)):
            out[filled + e] = 0.0
        if acts:
            _, _, _, elastic, viscous = torque_state(p, m, y)
            torque = pushing * k * (torques.command[m] + elastic + viscous)
            along, turning = k * torques.stiffness[m] + c * torques.damping[m], exact * k * torques.damping[m]
            for i in range(size):
                torques.bent[i] = change[i]
            for column in range(size):
                bend(torques, m, size, column)
                b, e = column // 3, column % 3
                slope = along * gradient[column] + turning * torques.bent[column]
                for row in range(size):
                    a = row // 3
                    if a != b:
                        at = filled + 9 * (a * (count - 1) + b - (1 if b > a else 0))
                        out[at + 3 * (row % 3) + e] = torque * change[row] - slope * gradient[row]
        filled += 9 * count * (count - 1)
    return filled


# --- what others ask: statics for commands as forces, linear models for slopes


@entry
def add_commanded(p: Pack, y: np.ndarray, out: np.ndarray) -> float:
    """Add what commanded torques do to the nodes; returns what they could still do, -command (alpha - rest) [J]."""
    torques, state, left = torques_in(p), start_of(y), 0.0
    for k in range(torque_count(p)):
        if torques.command[k] != 0.0:
            size, off, _, _, _ = torque_state(p, k, state)
            left -= torques.command[k] * off
            _turn(torques, k, size, torques.command[k], start_of(out))
    return left


@entry
def fill_angle_slopes(p: Pack, y: np.ndarray, off: np.ndarray, gradient: np.ndarray, bent: np.ndarray) -> None:
    """Of every free angle how far it is from rest, and over all coordinates its gradient and that of its rate."""
    torques, state = torques_in(p), start_of(y)
    known, change = shifted(torques.room, GRADIENT), shifted(torques.room, CHANGE)
    for k in range(torque_count(p)):
        size, off[k], _, _, _ = torque_state(p, k, state)
        by_place, by_turn, begin = start_of(row_of(gradient, k)), start_of(row_of(bent, k)), torques.start[k]
        for i in range(size):
            at = torques.own[begin + i // 3] + i % 3
            by_place[at] = known[i]
            by_turn[at] = change[i]


# --- the table


def tabulate(given: Given) -> Torques:
    free = given.free_angles
    directions = directions_between(given, free)
    bounds = [_bounds(given, angle) for angle in free]
    return Torques(
        np.array([rest_value(given.structure, angle) for angle in free], dtype=float),
        np.array([angle.stiffness for angle in free], dtype=float),
        np.array([angle.damping for angle in free], dtype=float),
        np.array([angle.torque for angle in free], dtype=float),
        np.concatenate([np.zeros(0), *bounds]),
        np.zeros(3 * directions.own.size),
        *directions,
    )


def _bounds(given: Given, angle: Angle) -> np.ndarray:
    """Of each own node: the torques there, per radian, times the square of how fast the node can turn the angle."""
    structure, vectors = given.structure, vectors_of(given.structure, angle)
    axis = vectors[2] if len(vectors) > 2 else np.cross(vectors[0], vectors[1])
    axis = axis / np.linalg.norm(axis)
    along = [float(vector @ axis) for vector in vectors[:2]]
    across = [float(np.linalg.norm(vector - part * axis)) for vector, part in zip(vectors, along, strict=False)]
    turns = [1.0 / size for size in across]
    if len(vectors) > 2:
        leaning = sum(abs(part) / size for part, size in zip(along, across, strict=True))
        turns.append(leaning / float(np.linalg.norm(vectors[2])))
    found: dict[str, float] = {}
    for nodes, turn in zip(directions_of(structure, angle), turns, strict=True):
        places = np.array([structure.nodes[node] for node in nodes])
        reach = 1.0 if len(nodes) == 2 else float(np.linalg.norm(places[1:] - places[0], axis=1).max())
        found |= {node: found.get(node, 0.0) + turn * reach for node in nodes}
    off = abs(math.remainder(angle_value(structure, angle) - rest_value(structure, angle), 2.0 * math.pi))
    firm = angle.stiffness * (1.0 + off) + abs(angle.torque)
    return np.asarray(firm * np.array([*found.values()]) ** 2)


def links(torques: Torques) -> Links:
    """From every node of an angle to every other."""
    return every_pair(torques.start, torques.own)


def node_stiffness(torques: Torques, size: int) -> np.ndarray:
    found = np.zeros(size)
    np.add.at(found, torques.own[:, None] + np.arange(3), torques.bound[:, None])
    return found


def dampers(given: Given, torques: Torques) -> tuple[str, ...]:
    return tuple(f'angle "{angle.name}"' for angle in given.free_angles if angle.damping > 0.0)


TORQUES = Term(
    *(KIND, Torques, tabulate, force, conservative_force),
    load_power=load_power,
    stiffness=stiffness,
    links=links,
    one_way=True,
    node_stiffness=node_stiffness,
    dampers=dampers,
    works=True,
)
