"""What a structure stands on and runs into: planes, boxes and terrain, how they rub and how things bounce off them."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from taut.errors import Problem, SelectionError, suggestion
from taut.reprs import brief
from taut.structure.magnitudes import size_problem
from taut.structure.structure import Structure
from taut.type_checks import conform

Vector = tuple[float, float, float]


@dataclass(frozen=True, slots=True)
class Plane:
    """All that lies behind a plane is solid; the normal, of any length, points out of it. Floors, slopes, walls."""

    normal: Vector = (0.0, 0.0, 1.0)
    point: Vector = (0.0, 0.0, 0.0)

    __repr__ = brief

    def __post_init__(self) -> None:
        conform(self, "Plane")


@dataclass(frozen=True, slots=True)
class Box:
    """A solid box. centre, size: [m]. turned: [rad] about z, counter-clockwise seen from above."""

    centre: Vector
    size: Vector
    turned: float = 0.0

    __repr__ = brief

    def __post_init__(self) -> None:
        conform(self, "Box")

    @property
    def axes(self) -> np.ndarray:
        """(3, 3) its own axes, a row each."""
        c, s = math.cos(self.turned), math.sin(self.turned)
        return np.array([[c, s, 0.0], [-s, c, 0.0], [0.0, 0.0, 1.0]])

    @property
    def edges(self) -> list[tuple[np.ndarray, np.ndarray, np.ndarray]]:
        """Both ends of each of its twelve edges, and the direction that points out between its two faces."""
        centre, half, axes = np.array(self.centre), 0.5 * np.array(self.size), self.axes
        found = []
        for along in range(3):
            one, other = (axis for axis in range(3) if axis != along)
            for signs in itertools.product((-1.0, 1.0), repeat=2):
                out = signs[0] * axes[one] + signs[1] * axes[other]
                middle = centre + signs[0] * half[one] * axes[one] + signs[1] * half[other] * axes[other]
                reach = half[along] * axes[along]
                found.append((middle - reach, middle + reach, out / math.sqrt(2.0)))
        return found


@dataclass(frozen=True, slots=True)
class Terrain:
    """Heights [m] on a regular grid, along straight lines between its points and level beyond its edge.

    heights: a row for every x, a column for every y. corner: x and y of the first point [m]. spacing: [m] along x and y.
    """

    heights: tuple[tuple[float, ...], ...]
    spacing: tuple[float, float] = (1.0, 1.0)
    corner: tuple[float, float] = (0.0, 0.0)

    __repr__ = brief

    def __post_init__(self) -> None:
        conform(self, "Terrain")


@dataclass(frozen=True, slots=True)
class Ground:
    """A solid that nodes and bars touch, do not enter, and rub against.

    friction: Coulomb's coefficient while something slides on it. static_friction: the one it takes to make it slide;
        None means the same.
    restitution: 0 where nothing bounces, 1 where the speed along the normal comes back whole.
    touched_by: selectors of nodes, and of bars that may lie across the edges of a box. A node is touched once by a
        ground, so that grounds of the same shape can have a friction for each of several groups.
    radius: [m] of what touches it, around nodes and along bars.
    """

    name: str
    shape: Plane | Box | Terrain = Plane()
    friction: float = 0.5
    static_friction: float | None = None
    restitution: float = 0.0
    touched_by: tuple[str, ...] = ("node:*", "bar:*")
    radius: float = 0.0

    __repr__ = brief

    def __post_init__(self) -> None:
        conform(self, "Ground")


def touching(structure: Structure, ground: Ground) -> tuple[list[str], list[str]]:
    """Names of the nodes, and of the bars, that may touch a ground; raises SelectionError where a selector is wrong."""
    nodes, bars = dict[str, None](), dict[str, None]()
    for selector in ground.touched_by:
        if selector == "bar:*" and not structure.bars:
            continue
        kind = selector.partition(":")[0]
        if kind not in ("node", "bar"):
            raise SelectionError(f'"{selector}" does not say of what kind; write it as "node:..." or "bar:..."')
        (nodes if kind == "node" else bars).update(dict.fromkeys(structure.select(selector)))
    return [*nodes], [*bars]


def problems_of_grounds(structure: Structure, grounds: Sequence[Ground]) -> list[Problem]:
    """Everything that is wrong with them, at once."""
    found: list[Problem] = []
    names = [ground.name for ground in grounds]
    for k, ground in enumerate(grounds):
        place = ("ground", ground.name)
        if names.index(ground.name) != k:
            found.append(Problem(place, f'another ground is called "{ground.name}" too; give it another name'))
        found += [Problem((*place, *where), message) for where, message in _problems_of(ground)]
        try:
            touching(structure, ground)
        except SelectionError as error:
            found.append(Problem((*place, "touched_by"), str(error)))
    return found


def _problems_of(ground: Ground) -> Iterator[tuple[tuple[str, ...], str]]:
    static = ground.friction if ground.static_friction is None else ground.static_friction
    for name, value in (("friction", ground.friction), ("static_friction", static), ("radius", ground.radius)):
        if not (math.isfinite(value) and value >= 0.0):
            yield (name,), f"{name} {value} must be a finite number of zero or more"
        elif wrong := size_problem(value):
            yield (name,), f"{name} {wrong}"
    if static < ground.friction:
        yield (
            ("static_friction",),
            f"static_friction {static} is less than friction {ground.friction}: what sticks would slide more easily "
            "than what slides; give at least as much",
        )
    if not 0.0 <= ground.restitution <= 1.0:
        yield (
            ("restitution",),
            f"restitution {ground.restitution} is not from 0 to 1: 0 where nothing bounces, 1 where nothing is lost",
        )
    yield from _problems_of_shape(ground.shape)


def _problems_of_shape(shape: Plane | Box | Terrain) -> Iterator[tuple[tuple[str, ...], str]]:
    if isinstance(shape, Plane):
        if not np.isfinite([*shape.normal, *shape.point]).all():
            yield ("plane",), "normal and point must be finite numbers"
        elif not any(shape.normal):
            yield ("plane", "normal"), "the normal has no length; give the direction that points out of the ground"
    elif isinstance(shape, Box):
        if not np.isfinite([*shape.centre, *shape.size, shape.turned]).all():
            yield ("box",), "centre, size and turned must be finite numbers"
        elif min(shape.size) <= 0.0:
            yield ("box", "size"), f"size {list(shape.size)} must be more than zero along every axis"
    else:
        rows, columns = len(shape.heights), {len(row) for row in shape.heights}
        if rows < 2 or len(columns) != 1 or min(columns) < 2:
            yield ("terrain", "heights"), "heights must be a table of at least 2 x 2 numbers, with rows of one length"
            return
        heights = np.array(shape.heights)
        if not np.isfinite(heights).all():
            row, column = np.argwhere(~np.isfinite(heights))[0]
            yield (
                ("terrain", "heights"),
                f"the height in row {row + 1}, column {column + 1} is {heights[row, column]}; fill gaps, and cut out "
                "overhangs, which no table of heights can hold",
            )
        if not (np.isfinite([*shape.spacing, *shape.corner]).all() and min(shape.spacing) > 0.0):
            yield ("terrain", "spacing"), "spacing and corner must be finite, and the spacing more than zero"


def no_such_ground(name: str, grounds: Sequence[Ground]) -> str:
    known = [ground.name for ground in grounds]
    return f'no ground "{name}"{suggestion(name, known)}'
