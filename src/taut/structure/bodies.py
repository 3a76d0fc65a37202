"""Rigid bodies: mass, centre of mass and inertia, given as numbers or made of a primitive shape with a density."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from taut.errors import ModelError, Problem
from taut.reprs import brief
from taut.type_checks import checked_arguments, conform, known_fields

Vector = tuple[float, float, float]
Matrix = tuple[Vector, Vector, Vector]

ORIGIN: Vector = (0.0, 0.0, 0.0)
ALONG_Z: Vector = (0.0, 0.0, 1.0)
UNTURNED: Matrix = ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0))
NOTHING: Matrix = (ORIGIN, ORIGIN, ORIGIN)


@known_fields
@dataclass(frozen=True, slots=True)
class Body:
    """A rigid body in a frame of its own, that of the joint that carries it.

    mass: [kg]. centre: of mass, in the body's frame [m]. inertia: about the centre, in the body's axes [kg m^2].
    All zero for a massless body, such as a cross shaft or the end of a cable.
    """

    name: str
    mass: float = 0.0
    centre: Vector = ORIGIN
    inertia: Matrix = NOTHING

    __repr__ = brief

    def __post_init__(self) -> None:
        conform(self, "bodies", str(self.name))
        problems = [Problem(("bodies", self.name), message) for message in _wrong_with(self)]
        if problems:
            raise ModelError(problems)

    @staticmethod
    @checked_arguments
    def cylinder(
        name: str, radius: float, height: float, density: float, *, centre: Vector = ORIGIN, axis: Vector = ALONG_Z
    ) -> Body:
        """A solid cylinder about an axis of its frame."""
        _positive(name, radius=radius, height=height, density=density)
        return Body.tube(name, 2.0 * radius, 0.0, height, density, centre=centre, axis=axis)

    @staticmethod
    @checked_arguments
    def tube(
        name: str,
        outer_diameter: float,
        inner_diameter: float,
        length: float,
        density: float,
        *,
        centre: Vector = ORIGIN,
        axis: Vector = ALONG_Z,
    ) -> Body:
        """A hollow cylinder about an axis of its frame."""
        _positive(name, outer_diameter=outer_diameter, length=length, density=density)
        if not 0.0 <= inner_diameter < outer_diameter:
            message = f"has an inner diameter of {inner_diameter:g} m; give zero or more, below the outer one"
            raise ModelError([Problem(("bodies", name), f"{message} of {outer_diameter:g} m")])
        outer, inner = 0.5 * outer_diameter, 0.5 * inner_diameter
        mass = density * math.pi * (outer**2 - inner**2) * length
        along = 0.5 * mass * (outer**2 + inner**2)
        across = mass * (3.0 * (outer**2 + inner**2) + length**2) / 12.0
        way = np.array(axis) / np.linalg.norm(axis)
        return Body(name, mass, centre, _rows(across * np.eye(3) + (along - across) * np.outer(way, way)))

    @staticmethod
    @checked_arguments
    def cube(name: str, side: float, density: float, *, centre: Vector = ORIGIN) -> Body:
        """A solid cube along the axes of its frame."""
        return Body.box(name, (side, side, side), density, centre=centre)

    @staticmethod
    @checked_arguments
    def box(name: str, sides: Vector, density: float, *, centre: Vector = ORIGIN) -> Body:
        """A solid box whose sides [m] are along x, y and z of its frame."""
        _positive(name, **{f"side {axis}": side for axis, side in zip("xyz", sides, strict=True)}, density=density)
        mass = density * math.prod(sides)
        squares = np.square(sides)
        return Body(name, mass, centre, _rows(mass / 12.0 * np.diag(squares.sum() - squares)))


def _positive(body: str, **sizes: float) -> None:
    for what, size in sizes.items():
        if not (math.isfinite(size) and size > 0.0):
            message = f"its {what.replace('_', ' ')} is {size:g}; give a finite number more than zero"
            raise ModelError([Problem(("bodies", body), message)])


def _rows(matrix: np.ndarray) -> Matrix:
    return tuple(tuple(float(x) for x in row) for row in matrix)  # type: ignore[return-value]


def _wrong_with(body: Body) -> list[str]:
    """What no rigid body can be; a slender rod may have two equal moments and none along."""
    numbers = [body.mass, *body.centre, *(x for row in body.inertia for x in row)]
    if not all(map(math.isfinite, numbers)):
        return ["has a mass, centre or inertia that is no finite number"]
    if body.mass < 0.0:
        return [f"has a mass of {body.mass:g} kg; give zero or more"]
    matrix = np.array(body.inertia)
    size = float(np.abs(matrix).max()) or 1.0
    matrix /= size  # so that no difference of absurd numbers is too large for a machine
    if np.abs(matrix - matrix.T).max() > 1e-9:
        return ["has an inertia that is not symmetric"]
    moments = np.linalg.eigvalsh(0.5 * (matrix + matrix.T))
    if moments[0] < -1e-9 or moments[2] > (1.0 + 1e-9) * (moments[0] + moments[1]):
        told = ", ".join(f"{m * size:.3g}" for m in moments)
        return [f"has principal moments of {told} kg m^2: no body has one below zero, or larger than the sum of others"]
    return []
