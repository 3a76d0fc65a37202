"""Joints: how nodes follow a few coordinates, such as the angles of a mechanism.

A joint stands where the structure is drawn, and its coordinates are counted from there: with the values that they have
at the start, every node is at the place that the structure gives it. A joint rests on the ground or on another joint,
and carries nodes, which move with it as one rigid body. Nodes that no joint carries keep coordinates of their own.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations, pairwise
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from taut.errors import Problem, SelectionError, suggestion
from taut.reprs import brief
from taut.structure.coordinates import number_problems
from taut.type_checks import checked_arguments, conform, known_fields

if TYPE_CHECKING:
    from taut.structure.structure import Structure

Vector = tuple[float, float, float]

LEAST_TURN = 1e-6
"""[rad] between axes of one joint, below which they are one."""


@known_fields
@dataclass(frozen=True, slots=True)
class Joint:
    """A joint with a coordinate for each of its axes, in this order one after the other.

    at: the node, or the point [m] at the start, that its axes go through. carries: selectors of the nodes that move
        with what is behind it.
    turns: axes that it turns about, counter-clockwise as one looks against them. slides: axes that it slides along,
        before it turns. Both at the start, and of any length.
    on: the joint that it rests on, or None for the ground.
    values: its coordinates at the start, [m] of those that it slides along, then [rad]; zero where not given.
    rates: of its coordinates at the start [m/s], [rad/s]; zero where not given.
    stiffness: of a spring at each coordinate [N/m], [N m/rad], relaxed at `rest`, its values where not given.
    damping: at each coordinate [N s/m], [N m s/rad].
    """

    name: str
    at: str | Vector
    carries: tuple[str, ...] = ()
    turns: tuple[Vector, ...] = ()
    slides: tuple[Vector, ...] = ()
    on: str | None = None
    values: tuple[float, ...] = ()
    rates: tuple[float, ...] = ()
    stiffness: tuple[float, ...] = ()
    damping: tuple[float, ...] = ()
    rest: tuple[float, ...] = ()

    __repr__ = brief

    def __post_init__(self) -> None:
        conform(self, "joints", str(self.name))

    @staticmethod
    @checked_arguments
    def revolute(
        name: str,
        at: str | Vector,
        axis: Vector,
        carries: tuple[str, ...] = (),
        on: str | None = None,
        value: float = 0.0,
    ) -> Joint:
        """Turns about one axis."""
        return Joint(name, at, carries, (axis,), (), on, (value,))

    @staticmethod
    @checked_arguments
    def prismatic(
        name: str,
        at: str | Vector,
        axis: Vector,
        carries: tuple[str, ...] = (),
        on: str | None = None,
        value: float = 0.0,
    ) -> Joint:
        """Slides along one axis."""
        return Joint(name, at, carries, (), (axis,), on, (value,))

    @staticmethod
    @checked_arguments
    def universal(
        name: str,
        at: str | Vector,
        axes: tuple[Vector, Vector],
        carries: tuple[str, ...] = (),
        on: str | None = None,
        values: tuple[float, float] = (0.0, 0.0),
    ) -> Joint:
        """Turns about a first axis, and about a second that the first carries along."""
        return Joint(name, at, carries, axes, (), on, values)

    @staticmethod
    @checked_arguments
    def spherical(
        name: str,
        at: str | Vector,
        carries: tuple[str, ...] = (),
        on: str | None = None,
        axes: tuple[Vector, Vector, Vector] = ((0.0, 0.0, 1.0), (0.0, 1.0, 0.0), (1.0, 0.0, 0.0)),
    ) -> Joint:
        """Turns about three axes one after the other, of which the first and third must not come to lie along each
        other: a quarter turn about the second from where it starts."""
        return Joint(name, at, carries, axes, (), on)

    @staticmethod
    @checked_arguments
    def planar(
        name: str,
        at: str | Vector,
        normal: Vector = (0.0, 0.0, 1.0),
        carries: tuple[str, ...] = (),
        on: str | None = None,
    ) -> Joint:
        """Slides along two axes of a plane and turns about its normal."""
        up = np.array(normal) / np.linalg.norm(normal)
        one = np.eye(3)[int(np.argmin(np.abs(up)))]
        one = one - (one @ up) * up
        one /= np.linalg.norm(one)
        other = np.cross(up, one)
        return Joint(name, at, carries, (normal,), (_vector(one), _vector(other)), on)

    @staticmethod
    @checked_arguments
    def free(name: str, at: str | Vector, carries: tuple[str, ...] = ()) -> Joint:
        """A body that nothing holds: slides along x, y and z, and turns about z, y and x."""
        axes = ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0))
        return Joint(name, at, carries, axes[::-1], axes)

    @property
    def coordinates(self) -> tuple[str, ...]:
        """Names of its coordinates: its own where it has one, else with the number of the axis."""
        count = len(self.slides) + len(self.turns)
        return (self.name,) if count == 1 else tuple(f"{self.name}.{k + 1}" for k in range(count))


def _vector(values: np.ndarray) -> Vector:
    return float(values[0]), float(values[1]), float(values[2])


class Step(NamedTuple):
    """One axis of a joint: the least thing that moves."""

    coordinate: str
    parent: int  # the step that it rests on, -1 for the ground
    slides: bool
    axis: np.ndarray  # (3,) of unit length
    at: np.ndarray  # (3,) [m]
    carries: tuple[str, ...]
    value: float
    rate: float
    stiffness: float
    damping: float
    rest: float


def steps_of(structure: Structure, joints: Sequence[Joint]) -> list[Step]:
    """The axes of all joints, each after the one that it rests on; of joints without problems."""
    found: list[Step] = []
    last: dict[str, int] = {}
    for joint in in_order(joints):
        at = np.array(structure.nodes[joint.at] if isinstance(joint.at, str) else joint.at)
        axes = [(True, axis) for axis in joint.slides] + [(False, axis) for axis in joint.turns]
        none = (0.0,) * len(axes)
        parent = -1 if joint.on is None else last[joint.on]
        numbers = zip(
            joint.values or none,
            joint.rates or none,
            joint.stiffness or none,
            joint.damping or none,
            joint.rest or joint.values or none,
            strict=True,
        )
        for k, ((slides, axis), own) in enumerate(zip(axes, numbers, strict=True)):
            carried = _carried(structure, joint) if k == len(axes) - 1 else ()
            unit = np.array(axis) / np.linalg.norm(axis)
            found.append(Step(joint.coordinates[k], parent, slides, unit, at, carried, *map(float, own)))
            parent = len(found) - 1
        last[joint.name] = parent
    return found


def in_order(joints: Sequence[Joint]) -> list[Joint]:
    """Each after the one that it rests on."""
    left, placed, done = list(joints), list[Joint](), set[str | None]([None])
    while True:
        ready = next((joint for joint in left if joint.on in done), None)
        if ready is None:
            return placed
        placed.append(ready)
        done.add(ready.name)
        left.remove(ready)


def _carried(structure: Structure, joint: Joint) -> tuple[str, ...]:
    chosen = (f"node:{one}" if one in structure.nodes else one for one in joint.carries)
    return tuple(dict.fromkeys(name for one in chosen for name in structure.select(one)))


def problems_of_joints(structure: Structure, joints: Sequence[Joint]) -> list[Problem]:
    """All of them."""
    found: list[Problem] = []
    names = [joint.name for joint in joints]
    owner: dict[str, str] = {}
    for joint in joints:
        path = ("joints", joint.name)
        if names.count(joint.name) > 1:
            found.append(Problem(path, "another joint has the same name; rename one"))
        found += _own_problems(structure, joint, path)
        if joint.on is not None and joint.on not in names:
            found.append(Problem((*path, "on"), f'no joint "{joint.on}"{suggestion(joint.on, names)}'))
        found += _carrying_problems(structure, joint, path, owner)
    if not found and len(in_order(joints)) < len(joints):
        ring = [joint.name for joint in joints if joint not in in_order(joints)]
        message = f"rests on itself by way of {', '.join(ring)}; one of them has to rest on the ground"
        found.append(Problem(("joints", ring[0], "on"), message))
    return found


def _own_problems(structure: Structure, joint: Joint, path: tuple[str, ...]) -> Iterator[Problem]:
    if isinstance(joint.at, str) and joint.at not in structure.nodes:
        yield Problem((*path, "at"), f'no node "{joint.at}"{suggestion(joint.at, structure.nodes)}')
    count = len(joint.turns) + len(joint.slides)
    if not count:
        yield Problem(path, "neither turns nor slides; give it an axis")
    for key, axes in (("turns", joint.turns), ("slides", joint.slides)):
        sizes = [float(np.linalg.norm(axis)) for axis in axes]
        if not all(math.isfinite(size) and size > 0.0 for size in sizes):
            yield Problem((*path, key), f"{list(axes)} has an axis without a direction; give one such as (0, 0, 1)")
            return
        units = [np.array(axis) / size for axis, size in zip(axes, sizes, strict=True)]
        pairs = pairwise(units) if key == "turns" else combinations(units, 2)
        if any(np.linalg.norm(np.cross(one, other)) < LEAST_TURN for one, other in pairs):
            yield Problem((*path, key), "has two axes along one line, which are one coordinate twice; leave one out")
    for key in ("values", "rates", "stiffness", "damping", "rest"):
        values = getattr(joint, key)
        if values and len(values) != count:
            yield Problem((*path, key), f"has {len(values)} numbers for {count} axes; give {count}, or none")
    yield from number_problems(joint, path)


def _carrying_problems(
    structure: Structure, joint: Joint, path: tuple[str, ...], owner: dict[str, str]
) -> Iterator[Problem]:
    held = structure.supported_nodes
    for selector in joint.carries:
        chosen = f"node:{selector}" if selector in structure.nodes else selector
        kind, _, _ = chosen.partition(":")
        if kind != "node":
            yield Problem((*path, "carries"), f'"{selector}" is not a node; name nodes, or select them by "node:..."')
            continue
        try:
            nodes = structure.select(chosen)
        except SelectionError as error:
            yield Problem((*path, "carries"), str(error))
            continue
        for node in nodes:
            if owner.setdefault(node, joint.name) != joint.name:
                yield Problem((*path, "carries"), f'node "{node}" is carried by joint "{owner[node]}" already')
            if node in held:
                message = f'node "{node}" is held by a support; take the support away, or do not carry the node'
                yield Problem((*path, "carries"), message)


def coordinate_names(structure: Structure, joints: Sequence[Joint]) -> tuple[str, ...]:
    """Of all coordinates: those of joints, then of nodes that none carries, as "node.x"."""
    steps = steps_of(structure, joints)
    carried = {node for step in steps for node in step.carries}
    own = [
        f"{node}.{axis}"
        for node in structure.nodes
        if node not in carried
        for axis in "xyz"
        if axis not in structure.supports.get(node, "")
    ]
    return (*(step.coordinate for step in steps), *own)


def starts(structure: Structure, steps: Sequence[Step], velocities: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """(m,) each: all coordinates and their rates at the start; velocities: (n, 3) of nodes that no joint carries."""
    carried = {node for step in steps for node in step.carries}
    own = [
        (i, axis)
        for i, node in enumerate(structure.nodes)
        if node not in carried
        for axis in range(3)
        if "xyz"[axis] not in structure.supports.get(node, "")
    ]
    places = structure.positions
    return (
        np.array([*(step.value for step in steps), *(places[one] for one in own)], dtype=float),
        np.array([*(step.rate for step in steps), *(velocities[one] for one in own)], dtype=float),
    )
