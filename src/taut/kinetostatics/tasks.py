"""What a robot is asked to do, as tasks: each says how far it is from being done, and how that changes.

A task is a frozen record with `evaluate`, which is handed where the robot is (`Pose`) and answers with `Evaluated`:
errors, and their derivatives by the places of nodes and by the forces of members. Yours may be of any class that does.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

import numpy as np

from taut.errors import OptionError, suggestion
from taut.kinetostatics.plate_responses import plate_nodes, twist_of
from taut.kinetostatics.robot import Robot
from taut.reprs import brief
from taut.structure.plates import frame_of, frame_through
from taut.structure.records import AXES
from taut.structure.rotations import rotation_problem
from taut.structure.selectors import select
from taut.structure.structure import Structure
from taut.type_checks import conform, known_fields

Place = tuple[float | None, float | None, float | None]
"""Along x, y and z [m]; None where it does not matter."""


@dataclass(frozen=True)
class Pose:
    """Where a robot is: what tasks are evaluated at."""

    robot: Robot
    positions: np.ndarray  # (n, 3) [m]
    force: np.ndarray  # (m,) of members, tension positive, cables first [N]
    values: np.ndarray  # (p,) what is commanded

    __repr__ = brief

    @property
    def structure(self) -> Structure:
        return self.robot.structure


@dataclass(frozen=True)
class Evaluated:
    """k errors of a task, or k numbers of a limit."""

    error: np.ndarray  # (k,)
    by_place: np.ndarray  # (k, 3 n)
    by_force: np.ndarray  # (k, m)
    unit: str  # "m", "rad" or "N"
    labels: tuple[str, ...]  # what each of them is

    __repr__ = brief


class Task(Protocol):
    """Something to be done."""

    @property
    def name(self) -> str: ...

    def evaluate(self, pose: Pose) -> Evaluated: ...


def no_slopes(pose: Pose, count: int) -> tuple[np.ndarray, np.ndarray]:
    return np.zeros((count, pose.positions.size)), np.zeros((count, pose.force.size))


def _asked(place: Place) -> np.ndarray:
    return np.array([k for k, value in enumerate(place) if value is not None], dtype=int)


def _require_some(record: str, name: str, place: Place) -> None:
    if all(value is None for value in place):
        raise OptionError(f'{record}("{name}") asks for nothing; give at least one of x, y and z a number')
    for axis, value in zip(AXES, place, strict=True):
        if value is not None and not np.isfinite(value):
            raise OptionError(f'{record}("{name}"): {axis} = {value:g} m is no place; None leaves an axis open')


@known_fields
@dataclass(frozen=True)
class NodePosition:
    """A node at a place, or along some axes of it."""

    node: str
    position: Place

    __repr__ = brief

    def __post_init__(self) -> None:
        conform(self, "NodePosition")
        _require_some("NodePosition", self.node, self.position)

    @property
    def name(self) -> str:
        return f'position of node "{self.node}"'

    def evaluate(self, pose: Pose) -> Evaluated:
        names = list(pose.structure.nodes)
        if self.node not in pose.structure.nodes:
            raise OptionError(f'no node "{self.node}"{suggestion(self.node, names)}')
        axes, at = _asked(self.position), names.index(self.node)
        by_place, by_force = no_slopes(pose, axes.size)
        by_place[np.arange(axes.size), 3 * at + axes] = 1.0
        error = pose.positions[at, axes] - np.array([self.position[k] for k in axes], dtype=float)
        return Evaluated(error, by_place, by_force, "m", tuple(f"{AXES[k]} of node {self.node}" for k in axes))


@known_fields
@dataclass(frozen=True)
class PlatePosition:
    """The centre of a plate, the mean of its nodes, at a place, or along some axes of it."""

    plate: str
    position: Place

    __repr__ = brief

    def __post_init__(self) -> None:
        conform(self, "PlatePosition")
        _require_some("PlatePosition", self.plate, self.position)

    @property
    def name(self) -> str:
        return f'position of plate "{self.plate}"'

    def evaluate(self, pose: Pose) -> Evaluated:
        at, axes = plate_nodes(pose.structure, self.plate), _asked(self.position)
        by_place, by_force = no_slopes(pose, axes.size)
        for row, axis in enumerate(axes):
            by_place[row, 3 * at + axis] = 1.0 / at.size
        error = pose.positions[at].mean(axis=0)[axes] - np.array([self.position[k] for k in axes], dtype=float)
        return Evaluated(error, by_place, by_force, "m", tuple(f"{AXES[k]} of plate {self.plate}" for k in axes))


@known_fields
@dataclass(frozen=True)
class PlateOrientation:
    """A plate turned so that its own axes (see Plate) are these, or as far as turns about some axes go.

    axes: (3, 3) a column for each of its axes, as `plate_axes` gives them. about: the axes of the structure about which
        it matters, as "xy" to leave the turn about z open.
    """

    plate: str
    axes: tuple[tuple[float, float, float], ...]
    about: str = "xyz"

    __repr__ = brief

    def __post_init__(self) -> None:
        conform(self, "PlateOrientation")
        wanted = np.array(self.axes, dtype=float)
        wrong = (
            rotation_problem(wanted, 1e-6) if wanted.shape == (3, 3) else f"has the shape {wanted.shape}, not (3, 3)"
        )
        if wrong:
            raise OptionError(f'PlateOrientation("{self.plate}"): the matrix of its axes {wrong}')
        if not self.about or set(self.about) - set(AXES):
            raise OptionError(f'about = "{self.about}" must name axes, as "xyz" or "z"')

    @property
    def name(self) -> str:
        return f'orientation of plate "{self.plate}"'

    def evaluate(self, pose: Pose) -> Evaluated:
        at, chosen = plate_nodes(pose.structure, self.plate), [AXES.index(axis) for axis in self.about]
        by_place, by_force = no_slopes(pose, 3)
        angle = rotation_vector(frame_through(pose.positions[at[:3]]).axes @ np.array(self.axes).T)
        turn = twist_of(pose.positions[at])[3:]
        by_place[:, (3 * at[:, None] + np.arange(3)).ravel()] = _by_turn(angle) @ turn
        labels = tuple(f"turn of plate {self.plate} about {axis}" for axis in self.about)
        return Evaluated(angle[chosen], by_place[chosen], by_force[chosen], "rad", labels)


@known_fields
@dataclass(frozen=True)
class Level:
    """A plate in a horizontal plane: its normal along z."""

    plate: str

    __repr__ = brief

    @property
    def name(self) -> str:
        return f'plate "{self.plate}" level'

    def evaluate(self, pose: Pose) -> Evaluated:
        at = plate_nodes(pose.structure, self.plate)
        normal = frame_through(pose.positions[at[:3]]).axes[:, 2]
        by_place, by_force = no_slopes(pose, 2)
        spun = np.array([[0.0, normal[2], -normal[1]], [-normal[2], 0.0, normal[0]]])  # of (turn x normal) along x, y
        turn = twist_of(pose.positions[at])[3:]
        by_place[:, (3 * at[:, None] + np.arange(3)).ravel()] = spun @ turn
        labels = tuple(f"slope of plate {self.plate} along {axis}" for axis in "xy")
        return Evaluated(normal[:2].copy(), by_place, by_force, "rad", labels)


@known_fields
@dataclass(frozen=True)
class Coaxial:
    """The centre of a plate straight above the mean of other nodes. base: a selector of nodes, as "node:0*"."""

    plate: str
    base: str

    __repr__ = brief

    @property
    def name(self) -> str:
        return f'plate "{self.plate}" above "{self.base}"'

    def evaluate(self, pose: Pose) -> Evaluated:
        at, index = plate_nodes(pose.structure, self.plate), {name: i for i, name in enumerate(pose.structure.nodes)}
        below = np.array([index[name] for name in select(pose.structure, self.base, "node")[1]])
        by_place, by_force = no_slopes(pose, 2)
        for axis in range(2):
            by_place[axis, 3 * at + axis] += 1.0 / at.size
            by_place[axis, 3 * below + axis] -= 1.0 / below.size
        error = (pose.positions[at].mean(axis=0) - pose.positions[below].mean(axis=0))[:2]
        return Evaluated(error, by_place, by_force, "m", tuple(f"{axis} of plate {self.plate}" for axis in "xy"))


def plate_axes(structure: Structure, plate: str) -> np.ndarray:
    """(3, 3) a column for each of a plate's own axes: x from its first node towards its second, z its normal."""
    plate_nodes(structure, plate)
    return frame_of(structure, structure.plates[plate]).axes


def rotation_vector(turn: np.ndarray) -> np.ndarray:
    """(3,) axis times angle [rad] of a rotation matrix."""
    from scipy.spatial.transform import Rotation

    return np.asarray(Rotation.from_matrix(turn).as_rotvec())


def _by_turn(angle: np.ndarray) -> np.ndarray:
    """(3, 3) how a rotation vector changes with a small turn on top: the inverse of the left Jacobian of SO(3)."""
    size = float(np.linalg.norm(angle))
    skew = np.array([[0.0, -angle[2], angle[1]], [angle[2], 0.0, -angle[0]], [-angle[1], angle[0], 0.0]])
    second = 1.0 / 12.0 if size < 1e-4 else 1.0 / size**2 - 1.0 / (2.0 * size * np.tan(0.5 * size))
    return np.asarray(np.eye(3) - 0.5 * skew + second * skew @ skew)
