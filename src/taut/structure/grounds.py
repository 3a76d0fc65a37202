"""What a structure stands on and runs into: planes, boxes and terrain, how they rub and how things bounce off them."""

from __future__ import annotations

import itertools
import math
import os
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from taut.errors import OptionError
from taut.reprs import brief
from taut.structure.height_fields import image_heights, rows_of_heights, sampled_heights
from taut.type_checks import conform, known_fields

Vector = tuple[float, float, float]

LEVEL = 1e-9
"""The slope of a plane that is called level is no larger."""


@known_fields
@dataclass(frozen=True, slots=True)
class Plane:
    """All that lies behind a plane is solid; the normal, of any length, points out of it. Floors, slopes, walls."""

    normal: Vector = (0.0, 0.0, 1.0)
    point: Vector = (0.0, 0.0, 0.0)

    __repr__ = brief

    def __post_init__(self) -> None:
        conform(self, "Plane")

    @property
    def level(self) -> bool:
        """Whether it is a floor or a ceiling, to a billionth."""
        return math.hypot(*self.normal[:2]) <= LEVEL * abs(self.normal[2])


@known_fields
@dataclass(frozen=True, slots=True)
class Box:
    """A solid box. centre, size: [m]. turned: [rad] about z, counter-clockwise seen from above."""

    centre: Vector
    size: Vector
    turned: float = 0.0

    level = True  # its top, however it is turned

    __repr__ = brief

    def __post_init__(self) -> None:
        conform(self, "Box")

    @property
    def axes(self) -> np.ndarray:
        """(3, 3) its own axes, a row each."""
        c, s = math.cos(self.turned), math.sin(self.turned)
        return np.array([[c, s, 0.0], [-s, c, 0.0], [0.0, 0.0, 1.0]])

    def meets(self, first: np.ndarray, second: np.ndarray, small: float) -> bool:
        """Whether the straight line between two points goes through it, deeper than `small` [m]."""
        begin, way = self.axes @ (first - np.array(self.centre)), self.axes @ (second - first)
        half = 0.5 * np.array(self.size) - small
        with np.errstate(divide="ignore", invalid="ignore"):
            cuts = np.sort(np.array([(-half - begin) / way, (half - begin) / way]), axis=0)
        beside = (way == 0.0) & (np.abs(begin) >= half)
        cuts = np.where(way == 0.0, np.array([[-np.inf], [np.inf]]), cuts)
        return bool(not beside.any() and max(cuts[0].max(), 0.0) < min(cuts[1].min(), 1.0))

    @property
    def edges(self) -> list[np.ndarray]:
        """(4, 3) of each of its twelve edges: both ends, and the normals of the two faces that meet there."""
        centre, half, axes = np.array(self.centre), 0.5 * np.array(self.size), self.axes
        found = []
        for along in range(3):
            one, other = (axis for axis in range(3) if axis != along)
            for signs in itertools.product((-1.0, 1.0), repeat=2):
                faces = signs[0] * axes[one], signs[1] * axes[other]
                middle, reach = centre + half[one] * faces[0] + half[other] * faces[1], half[along] * axes[along]
                found.append(np.array([middle - reach, middle + reach, *faces]))
        return found


@known_fields
@dataclass(frozen=True, slots=True)
class Terrain:
    """Heights [m] on a regular grid, along straight lines between its points and level beyond its edge.

    heights: a row for every x, a column for every y. spacing: [m] along x and y. corner: x, y of the first point [m].
    """

    heights: tuple[tuple[float, ...], ...]
    spacing: tuple[float, float] = (1.0, 1.0)
    corner: tuple[float, float] = (0.0, 0.0)

    __repr__ = brief

    def __post_init__(self) -> None:
        conform(self, "Terrain")

    @property
    def level(self) -> bool:
        """Whether all its heights are the same."""
        return len({height for row in self.heights for height in row}) < 2

    @classmethod
    def of(
        cls,
        heights: Callable[[float, float], float] | np.ndarray,
        spacing: float | tuple[float, float],
        corner: tuple[float, float] = (0.0, 0.0),
        size: tuple[float, float] | None = None,
    ) -> Terrain:
        """Of an array of heights [m], a row for every x, or of a function height(x, y) that is sampled.

        spacing: [m], one for both axes or one each. size: [m] along x and y, of what is sampled of a function.
        """
        along_x, along_y = (spacing, spacing) if isinstance(spacing, int | float) else spacing
        if callable(heights):
            heights = sampled_heights(heights, (along_x, along_y), corner, size)
        rows = rows_of_heights(heights)
        return cls(rows, (float(along_x), float(along_y)), (float(corner[0]), float(corner[1])))

    @classmethod
    def from_image(
        cls,
        file: str | os.PathLike[str],
        size: tuple[float, float],
        height: float,
        corner: tuple[float, float] = (0.0, 0.0),
    ) -> Terrain:
        """Of the grey values of an image seen from above, x to the right and y up: black is 0, white the height [m].

        size: [m] along x and y. Needs matplotlib.
        """
        grey = image_heights(file)
        rows, columns = grey.shape
        if min(rows, columns) < 2:
            raise OptionError(
                f"the image {os.fspath(file)} has {rows} x {columns} points; a terrain needs 2 x 2 or more"
            )
        return cls.of(height * grey, (size[0] / (rows - 1), size[1] / (columns - 1)), corner)


FRICTION_LAWS = ("bristle", "regularised", "threshold")
"""Of grounds that give way; only bristles stick."""

TANGENTIAL = 0.8
"""Of the stiffness, along the ground where nothing is said: that of a sphere of Poisson's ratio 1/3 (Mindlin 1949)."""


@known_fields
@dataclass(frozen=True, slots=True)
class Compliance:
    """How a ground gives way: it pushes with stiffness times depth, and with a damper that never gives more than that.

    stiffness: [N/m] of one node. damping: [N s/m].
    friction_law: "bristle": a spring and a damper along the ground, which slide where they push with more than
        friction allows. For comparison, "regularised": friction in proportion to the speed up to `threshold`, and
        "threshold": whatever force there is along the ground is held while it is slower than that. Both creep.
    tangential_stiffness, tangential_damping: [N/m], [N s/m] of bristles; None means 0.8 of the other ones.
    threshold: [m/s] at which friction is that of what slides; of bristles, half way from the static to the kinetic one.
    """

    stiffness: float = 1e5
    damping: float = 50.0
    friction_law: str = "bristle"
    tangential_stiffness: float | None = None
    tangential_damping: float | None = None
    threshold: float = 0.01

    __repr__ = brief

    def __post_init__(self) -> None:
        conform(self, "Compliance")

    @property
    def along(self) -> tuple[float, float]:
        """Stiffness and damping of bristles [N/m], [N s/m]."""
        stiffness, damping = self.tangential_stiffness, self.tangential_damping
        stiffness = TANGENTIAL * self.stiffness if stiffness is None else stiffness
        return stiffness, TANGENTIAL * self.damping if damping is None else damping


@known_fields
@dataclass(frozen=True, slots=True)
class Ground:
    """A solid that nodes and bars touch, do not enter, and rub against.

    friction: Coulomb's coefficient while something slides on it. static_friction: the one it takes to make it slide;
        None means the same.
    restitution: 0 where nothing bounces, 1 where the speed along the normal comes back whole.
    touched_by: selectors of nodes, and of bars that may lie across the edges of a box. A node is touched once by a
        ground, so that grounds of the same shape can have a friction for each of several groups.
    radius: [m] of what touches it, around nodes and along bars.
    compliance: how it gives way, for methods that follow smooth motion; None where it is rigid, for
        impulses and energy-momentum.
    """

    name: str
    shape: Plane | Box | Terrain = Plane()
    friction: float = 0.5
    static_friction: float | None = None
    restitution: float = 0.0
    touched_by: tuple[str, ...] = ("node:*", "bar:*")
    radius: float = 0.0
    compliance: Compliance | None = None

    __repr__ = brief

    def __post_init__(self) -> None:
        conform(self, "Ground")
