"""Trees of rigid bodies: joints that carry bodies one after the other, joints that close loops, and what acts on them.

A joint has a predecessor frame, fixed in its parent body by `at` and `rotation`, and a successor frame, which is that
of the body it carries (Featherstone, Rigid Body Dynamics Algorithms). With all coordinates zero the two coincide.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np

from taut.errors import ModelError, Problem, suggestion
from taut.reprs import brief, counted, titled
from taut.structure.bodies import ALONG_Z, ORIGIN, UNTURNED, Body, Matrix, Vector
from taut.structure.contact_points import ContactPoint, point_problems
from taut.structure.rotations import rotation_problem
from taut.structure.signals import Signal
from taut.structure.span_cables import SpanCable, span_problems
from taut.structure.tree_numbers import number_problems
from taut.type_checks import conform, known_fields

ROUND_OFF = 1e-9
"""By which the axes of a frame may be off unit length, and off being square to one another."""

WORLD = "world"
KINDS = ("revolute", "universal", "prismatic", "spherical", "floating", "involute")
LOOP_KINDS = ("point", "universal", "revolute", "prismatic", "fixed")
VARIANTS = ("rigid", "elongation", "strain", "length")
TORQUE_LAWS = ("energy-consistent", "printed")
AXES_OF = {"revolute": 1, "universal": 2, "prismatic": 1}

SECOND = {"elongation": "elongation", "strain": "strain", "length": "length"}
"""What the second coordinate of a cable that stretches is called."""


@known_fields
@dataclass(frozen=True, slots=True)
class PulleyCable:
    """A cable that is wound on a pulley and leaves it along a tangent: an involute joint, from pulley to cable end.

    Angle phi is how far it is unwound, so that the part off the pulley is radius * phi long without force.
    radius: of the pulley [m]. stiffness: E A [N], and damping: mu A [N s], by strain and by its rate.
    variant: "rigid" with the coordinate phi; or phi and the "elongation" [m], the "strain", or the "length" [m] of the
        part off the pulley. They are the same cable in other coordinates, but that a rigid one never goes slack: it
        pushes where its tension, which is shown, is below zero.
    law: "energy-consistent" torques come from the energy of the part off the pulley; "printed" ones leave out that
        winding in takes strained cable with it, as in the thesis that the joint is from, and conserve no energy.
    pushes: whether it resists being compressed too; a cable does not.
    longest: how much cable there is [m] without force; None for any amount.
    """

    radius: float
    stiffness: float = 0.0
    damping: float = 0.0
    variant: str = "strain"
    law: str = "energy-consistent"
    pushes: bool = False
    longest: float | None = None

    __repr__ = brief

    def __post_init__(self) -> None:
        conform(self, "cable")


@known_fields
@dataclass(frozen=True, slots=True)
class TreeJoint:
    """A joint of the tree and the body that it carries.

    kind: "revolute" and "prismatic" (one axis), "universal" (two, the second turned by the first), "spherical" (a unit
        quaternion x, y, z, w; velocities are angular ones in the body's axes), "floating" (place in the parent's axes,
        then a quaternion) or "involute" (a cable, about z of its frame, that leaves towards x).
    parent: name of the body that it stands on, or "world". at, rotation: where its frame is in that of the parent [m];
        the columns of the rotation are the joint's axes.
    values, rates: at the start; zero where not given (the quaternion that does not turn).
    driven: whether a torque (or force) on its one coordinate is an input. damping: viscous, at every velocity.
    """

    name: str
    kind: str
    parent: str
    body: Body
    at: Vector = ORIGIN
    rotation: Matrix = UNTURNED
    axes: tuple[Vector, ...] = ()
    values: tuple[float, ...] = ()
    rates: tuple[float, ...] = ()
    driven: bool = False
    damping: float = 0.0
    cable: PulleyCable | None = None

    __repr__ = brief

    def __post_init__(self) -> None:
        conform(self, "joints", str(self.name))

    @property
    def positions(self) -> tuple[str, ...]:
        """Names of its position coordinates."""
        quaternion = tuple(f"{self.name}.q{axis}" for axis in "xyzw")
        if self.kind == "spherical":
            return quaternion
        if self.kind == "floating":
            return (*(f"{self.name}.{axis}" for axis in "xyz"), *quaternion)
        return self.velocities

    @property
    def velocities(self) -> tuple[str, ...]:
        """Names of its velocities; those of its positions, except where these are a quaternion."""
        turns = tuple(f"{self.name}.w{axis}" for axis in "xyz")
        if self.kind == "spherical":
            return turns
        if self.kind == "floating":
            return (*(f"{self.name}.{axis}" for axis in "xyz"), *turns)
        if self.kind == "universal":
            return (f"{self.name}.1", f"{self.name}.2")
        if self.kind == "involute" and self.cable is not None and self.cable.variant != "rigid":
            return (f"{self.name}.angle", f"{self.name}.{SECOND.get(self.cable.variant, 'second')}")
        return (self.name,)

    @property
    def start_values(self) -> tuple[float, ...]:
        """Its positions at the start."""
        still = (0.0,) * len(self.positions)
        return self.values or ((*still[:-1], 1.0) if self.kind in ("spherical", "floating") else still)


@known_fields
@dataclass(frozen=True, slots=True)
class LoopJoint:
    """A joint that closes a loop between two bodies of the tree.

    kind: "point" (three rows: two points stay together), "universal" (four: its second axis stays at a right angle to
        the first), "revolute" (five: it turns about z), "prismatic" (five: it slides along z) or "fixed" (six).
    predecessor, successor: names of bodies, or "world". at, to: the joint's place in each [m]. rotation,
        to_rotation: its axes in each. A universal joint turns about x of the predecessor and y of the successor.
    torque: about z of a revolute one [N m], or a force along z of a prismatic one [N], on the successor against the
        predecessor, as time says. damping: at that coordinate.
    """

    name: str
    predecessor: str
    successor: str
    kind: str = "point"
    at: Vector = ORIGIN
    to: Vector = ORIGIN
    rotation: Matrix = UNTURNED
    to_rotation: Matrix = UNTURNED
    torque: Signal | float = 0.0
    damping: float = 0.0

    __repr__ = brief

    def __post_init__(self) -> None:
        conform(self, "loops", str(self.name))

    @property
    def rows(self) -> int:
        return {"point": 3, "universal": 4, "revolute": 5, "prismatic": 5, "fixed": 6}[self.kind]


@known_fields
@dataclass(frozen=True, slots=True)
class Wrench:
    """A force [N] on a point of a body [m] and a torque [N m], both in the world's axes, times a signal of time."""

    name: str
    body: str
    force: Vector = ORIGIN
    torque: Vector = ORIGIN
    at: Vector = ORIGIN
    signal: Signal | float = 1.0

    __repr__ = brief

    def __post_init__(self) -> None:
        conform(self, "wrenches", str(self.name))


@known_fields
@dataclass(frozen=True, slots=True)
class Tree:
    """Rigid bodies on joints, each after its parent; loops that joints close; gravity [m/s^2] along -z; cables between
    pulleys (`spans`); `points` that grounds touch."""

    joints: tuple[TreeJoint, ...]
    loops: tuple[LoopJoint, ...] = ()
    wrenches: tuple[Wrench, ...] = ()
    gravity: float = 9.81
    name: str = ""
    spans: tuple[SpanCable, ...] = ()
    points: tuple[ContactPoint, ...] = ()

    def __post_init__(self) -> None:
        conform(self)
        if problems := [*_problems(self)]:
            raise ModelError(problems)

    def __repr__(self) -> str:
        freedom = counted(sum(len(joint.velocities) for joint in self.joints), "coordinate")
        rows = counted(sum(loop.rows for loop in self.loops), "loop row")
        return titled("Tree", self.name, counted(len(self.joints), "joint"), freedom, rows)

    @property
    def bodies(self) -> dict[str, Body]:
        return {joint.body.name: joint.body for joint in self.joints}

    def with_start(self, values: dict[str, tuple[float, ...]], rates: dict[str, tuple[float, ...]]) -> Tree:
        """The same tree, whose joints named begin elsewhere or at other rates."""
        unknown = next((name for name in (*values, *rates) if name not in {j.name for j in self.joints}), None)
        if unknown is not None:
            hint = suggestion(unknown, [joint.name for joint in self.joints])
            raise ModelError([Problem(("joints", unknown), f"there is no such joint{hint}")])
        joints = (
            replace(j, values=values.get(j.name, j.values), rates=rates.get(j.name, j.rates)) for j in self.joints
        )
        return replace(self, joints=tuple(joints))

    def listing(self) -> str:
        """The topology: bodies (vertices) as they stand on one another, each with its joint (edge), then the loops."""
        lines = ["Spanning tree:", f"Vertex: {WORLD} (root)"]

        def add(parent: str, depth: int) -> None:
            for joint in self.joints:
                if joint.parent == parent:
                    lines.append(f"{'  ' * depth}Vertex: {joint.body.name}, Edge: {joint.name}")
                    add(joint.body.name, depth + 1)

        add(WORLD, 1)
        lines.append("Non-tree joints:" if self.loops else "No non-tree joints")
        lines += [f"{p.name}, predecessor: {p.predecessor}, successor: {p.successor}" for p in self.loops]
        if self.spans:
            lines.append("Cables between pulleys:")
            lines += [f"{span.name}, from: {span.pulleys[0]}, to: {span.pulleys[1]}" for span in self.spans]
        return "\n".join(lines)


def _problems(tree: Tree) -> Iterator[Problem]:
    known, joints = {WORLD}, set[str]()
    for joint in tree.joints:
        at = ("joints", joint.name)
        if joint.name in joints:
            yield Problem(at, "is there twice; give every joint a name of its own")
        joints.add(joint.name)
        if joint.parent not in known:
            hint = suggestion(joint.parent, known)
            yield Problem(at, f'stands on "{joint.parent}", which is no body before it{hint}; list parents first')
        if joint.body.name in known:
            yield Problem(at, f'carries "{joint.body.name}", which is there already; give every body its own name')
        known.add(joint.body.name)
        yield from _joint_problems(joint)
    for loop in tree.loops:
        at = ("loops", loop.name)
        if loop.kind not in LOOP_KINDS:
            yield Problem(at, f'is of kind "{loop.kind}"{suggestion(loop.kind, LOOP_KINDS)}; say one of {LOOP_KINDS}')
        for end in (loop.predecessor, loop.successor):
            if end not in known:
                yield Problem(at, f'joins "{end}", which is no body of the tree{suggestion(end, known)}')
        if loop.torque != 0.0 and loop.kind not in ("revolute", "prismatic"):
            yield Problem(at, f"has a torque, but a {loop.kind} joint has no single axis; take revolute or prismatic")
        for what, matrix in (("rotation", loop.rotation), ("to_rotation", loop.to_rotation)):
            yield from _rotation_problems(at, what, matrix)
    yield from number_problems(tree)
    yield from span_problems(tree.spans, {joint.name: joint.kind for joint in tree.joints})
    yield from point_problems(tree.points, tree.bodies)
    for wrench in tree.wrenches:
        if wrench.body not in known:
            message = f'acts on "{wrench.body}", which is no body of the tree{suggestion(wrench.body, known)}'
            yield Problem(("wrenches", wrench.name), message)


def _joint_problems(joint: TreeJoint) -> Iterator[Problem]:
    at = ("joints", joint.name)
    if joint.kind not in KINDS:
        yield Problem(at, f'is of kind "{joint.kind}"{suggestion(joint.kind, KINDS)}; say one of {listed_kinds()}')
        return
    if len(joint.axes) != AXES_OF.get(joint.kind, 0):
        yield Problem(at, f"has {len(joint.axes)} axes; a {joint.kind} joint wants {AXES_OF.get(joint.kind, 0)}")
    elif any(not np.linalg.norm(axis) > 0.0 for axis in joint.axes):
        yield Problem(at, "has an axis of no length")
    elif (
        joint.kind == "universal" and np.linalg.norm(np.cross(np.array(joint.axes[0]), np.array(joint.axes[1]))) < 1e-6
    ):
        yield Problem(at, "has two axes that are one; give two that differ")
    if (joint.kind == "involute") != (joint.cable is not None):
        yield Problem(at, "needs a cable" if joint.kind == "involute" else "has a cable; only involute joints do")
        return
    if joint.cable is not None:
        yield from _cable_problems(at, joint.cable)
    for what, given, wanted in (
        ("values", joint.values, len(joint.positions)),
        ("rates", joint.rates, len(joint.velocities)),
    ):
        if given and len(given) != wanted:
            yield Problem(at, f"has {len(given)} {what} at the start; give {wanted}, or none for zero")
    if joint.driven and len(joint.velocities) != 1:
        yield Problem(at, "is driven, but has more than one coordinate; drive joints of one coordinate")
    quaternion = joint.start_values[-4:]
    if joint.kind in ("spherical", "floating") and abs(math.hypot(*quaternion) - 1.0) > 1e-9:
        yield Problem(at, f"starts with a quaternion of length {math.hypot(*quaternion):.6g}; give one of length 1")
    yield from _rotation_problems(at, "rotation", joint.rotation)


def _cable_problems(at: tuple[str, ...], cable: PulleyCable) -> Iterator[Problem]:
    if cable.variant not in VARIANTS:
        hint = suggestion(cable.variant, VARIANTS)
        yield Problem((*at, "cable"), f'has the variant "{cable.variant}"{hint}; say one of {", ".join(VARIANTS)}')
    if cable.law not in TORQUE_LAWS:
        hint = suggestion(cable.law, TORQUE_LAWS)
        yield Problem((*at, "cable"), f'has the law "{cable.law}"{hint}; say one of {", ".join(TORQUE_LAWS)}')
    if not cable.radius > 0.0:
        yield Problem((*at, "cable"), f"is on a pulley of radius {cable.radius:g} m; give more than zero")
    if cable.stiffness < 0.0:
        yield Problem((*at, "cable"), "has a stiffness below zero")
    if cable.variant != "rigid" and not cable.stiffness > 0.0:
        yield Problem((*at, "cable"), "has no stiffness; give E A [N], or take the variant rigid")


def _rotation_problems(at: tuple[str, ...], what: str, matrix: Matrix) -> Iterator[Problem]:
    if wrong := rotation_problem(np.array(matrix), ROUND_OFF):
        yield Problem(at, f"has a {what} that {wrong}")


def listed_kinds() -> str:
    return ", ".join(KINDS)


def turned(axis: Vector, angle: float) -> Matrix:
    """The rotation by an angle about an axis."""
    way = np.array(axis) / np.linalg.norm(axis)
    cross = np.array([[0.0, -way[2], way[1]], [way[2], 0.0, -way[0]], [-way[1], way[0], 0.0]])
    matrix = np.eye(3) + math.sin(angle) * cross + (1.0 - math.cos(angle)) * (cross @ cross)
    return frame(*matrix.T)


def frame(x: np.ndarray, y: np.ndarray, z: np.ndarray) -> Matrix:
    """The rotation whose columns are these axes."""
    return tuple(tuple(float(v) for v in row) for row in np.column_stack([x, y, z]))  # type: ignore[return-value]


__all__ = ["ALONG_Z", "LoopJoint", "PulleyCable", "Tree", "TreeJoint", "Wrench", "frame", "turned"]
