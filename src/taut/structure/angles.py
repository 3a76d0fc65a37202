"""Angles between two directions, held, driven or free, and the joints that are made of them.

A direction is a bar ("bar:left"), the normal of a plate ("plate:deck", of its first three nodes), a pair of nodes, from
the first to the second, or three nodes whose plane's normal is meant, (second - first) x (third - first). Two bars that
meet are taken from the node they share.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from taut.reprs import brief
from taut.type_checks import checked_arguments, conform, known_fields

if TYPE_CHECKING:
    from taut.structure.structure import Structure

Direction = str | tuple[str, ...]

MODES = ("held", "free")


@known_fields
@dataclass(frozen=True, slots=True)
class Angle:
    """The angle between two directions; its force is a torque [N m], positive where it turns the angle up.

    first, second: "bar:name", "plate:name" for its normal, a pair of nodes, or three for the normal of their plane.
    about: a direction about which it is counted, from first to second and with a sign, as one looks against it. None:
        the plain angle between the two, more than 0 and less than pi.
    value: [rad]; None: as it stands. Of a free angle it is the one at which its spring is at rest.
    mode: "held", at its value, or "free": on it act a spring, a damper and a torque,
        torque - stiffness (angle - value) - damping angle'. About an axis, angle - value is counted between -pi and pi.
    stiffness: [N m/rad]. damping: [N m s/rad]. torque: [N m], whatever the angle; a drive may decide it.
    """

    name: str
    first: Direction
    second: Direction
    about: Direction | None = None
    value: float | None = None
    mode: str = "held"
    stiffness: float = 0.0
    damping: float = 0.0
    torque: float = 0.0

    __repr__ = brief

    def __post_init__(self) -> None:
        conform(self, "angles", str(self.name))

    @staticmethod
    @checked_arguments
    def elbow(
        name: str,
        nodes: tuple[str, str, str],
        value: float | None = None,
        *,
        mode: str = "held",
        stiffness: float = 0.0,
        damping: float = 0.0,
        torque: float = 0.0,
    ) -> Angle:
        """The angle at the second of three nodes, between the ways to the first and to the third."""
        first, second = (nodes[1], nodes[0]), (nodes[1], nodes[2])
        return Angle(name, first, second, None, value, mode, stiffness, damping, torque)

    @staticmethod
    @checked_arguments
    def hinge(name: str, first: Direction, second: Direction, axis: Direction) -> tuple[Angle, Angle]:
        """Two directions that each keep their angle with an axis, named name.1 and name.2: they turn about it only."""
        return Angle(f"{name}.1", first, axis), Angle(f"{name}.2", second, axis)

    @staticmethod
    @checked_arguments
    def universal_joint(name: str, first: Direction, second: Direction) -> Angle:
        """Arms of two shafts that stay square to each other, as the cross of a universal (Cardan) joint holds them."""
        return Angle(name, first, second, value=0.5 * math.pi)


def directions_of(structure: Structure, angle: Angle) -> list[tuple[str, ...]]:
    """First, second and, where there is one, axis: two nodes of a line, or three of a plate whose normal is meant."""
    given = [angle.first, angle.second, *([] if angle.about is None else [angle.about])]
    found = [_nodes_of(structure, one) for one in given]
    bars = [isinstance(one, str) and one.startswith("bar:") for one in given[:2]]
    shared = set(found[0]) & set(found[1])
    if all(bars) and len(shared) == 1:
        found[:2] = [pair if pair[0] in shared else pair[::-1] for pair in found[:2]]
    return found


def _nodes_of(structure: Structure, direction: Direction) -> tuple[str, ...]:
    if not isinstance(direction, str):
        return direction
    kind, _, name = direction.partition(":")
    return structure.bars[name].nodes if kind == "bar" else structure.plates[name].nodes[:3]


def vectors_of(structure: Structure, angle: Angle) -> list[np.ndarray]:
    """The directions as they stand; not of unit length."""
    found = []
    for nodes in directions_of(structure, angle):
        places = np.array([structure.nodes[node] for node in nodes])
        ways = places[1:] - places[0]
        found.append(ways[0] if len(ways) == 1 else np.cross(ways[0], ways[1]))
    return found


def angle_between(first: np.ndarray, second: np.ndarray, about: np.ndarray | None = None) -> float:
    """[rad], counted about an axis where there is one."""
    turned = np.cross(first, second)
    if about is None:
        return math.atan2(float(np.linalg.norm(turned)), float(first @ second))
    axis = about / np.linalg.norm(about)
    return math.atan2(float(turned @ axis), float(first @ second - (first @ axis) * (second @ axis)))


def angle_value(structure: Structure, angle: Angle) -> float:
    """[rad] as the structure stands."""
    return angle_between(*vectors_of(structure, angle))


def rest_value(structure: Structure, angle: Angle) -> float:
    """[rad] what a held angle is held at, and where the spring of a free one is at rest."""
    return angle_value(structure, angle) if angle.value is None else angle.value
