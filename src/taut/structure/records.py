"""The small frozen records a structure is made of. SI units throughout."""

from __future__ import annotations

import math
from dataclasses import dataclass

from taut.errors import OptionError
from taut.reprs import brief
from taut.type_checks import checked_arguments, conform, known_fields

AXES = "xyz"
BAR_INERTIAS = ("thin", "cylinder", "lumped")
BAR_LAWS = ("rigid", "compressible", "pneumatic")
CABLE_LAWS = ("cable", "spring")
CABLE_MODES = ("spring", "tension", "force_density", "length")


@known_fields
@dataclass(frozen=True, slots=True)
class Material:
    """A material: what a member weighs, how it stretches and what it bears.

    density: [kg/m^3], None for a massless idealisation.
    youngs_modulus: [Pa], None where stiffness is given on the member itself.
    yield_stress: [Pa], None where strength is not asked for.
    thermal_expansion: [1/K], None where temperature does not change.
    poisson_ratio: how much a stretched bar thins, more than -1 and at most 0.5; None counts as zero.
    """

    name: str
    density: float | None = None
    youngs_modulus: float | None = None
    yield_stress: float | None = None
    thermal_expansion: float | None = None
    poisson_ratio: float | None = None

    __repr__ = brief

    def __post_init__(self) -> None:
        conform(self, "materials", str(self.name))


@known_fields
@dataclass(frozen=True, slots=True)
class Bar:
    """A straight bar between two nodes.

    mass: [kg]; None takes it from material, radius and length.
    length: [m], without force; None takes the distance of its nodes.
    radius, inner_radius: [m], without force; a tube has an inner radius.
    inertia: "thin" (rod, no radius term), "cylinder" (with the radius term), "lumped" (half the mass at each end).
    law: "rigid" (keeps its length), "compressible" (a spring that pulls and pushes, and thins as it stretches) or
        "pneumatic" (a strut that telescopes, and pushes with a force that is commanded, whatever its length).
    stiffness: [N/m] of a compressible bar; None takes E A / length from material and radius.
    damping: [N s/m] along a compressible bar.
    force: [N] with which a pneumatic bar pushes.
    """

    name: str
    nodes: tuple[str, str]
    mass: float | None = None
    length: float | None = None
    material: Material | None = None
    radius: float | None = None
    inner_radius: float = 0.0
    inertia: str = "thin"
    law: str = "rigid"
    stiffness: float | None = None
    damping: float = 0.0
    force: float | None = None

    __repr__ = brief

    def __post_init__(self) -> None:
        conform(self, "bars", str(self.name))


@known_fields
@dataclass(frozen=True, slots=True)
class Cable:
    """A cable along a route of nodes: straight between two, or over guides; a loop ends where it begins.

    One tension, by the length of the whole route; it slides over its guides without friction unless that is given.

    rest_length: [m]; None takes the length of the route as it stands.
    stiffness: [N/m]; None takes E A / rest_length from material and radius.
    damping: [N s/m], along the cable and only while it is taut.
    mass: [kg]; None takes it from the material's density, zero where that is unknown. Lumped at the
        nodes: half the share of each stretch of the route, by length, at either end of it.
    law: "cable" (tension only) or "spring" (pulls and pushes).
    segments: a straight cable with mass can be cut into this many equal pieces with nodes between them.
    mode: what of it is given: "spring" (its rest length), "tension" or "force_density" (tension over the length of the
        route), whatever its length, or "length" (held: it never stretches, and can go slack).
    command: of the other modes: the tension [N], the force density [N/m], or the length [m], which is that of the route
        as it stands where nothing is said.
    friction: coefficient of Coulomb's friction at the guides.
    radii: [m] of pulleys at the guides, one for each node between the ends of the route; zero, or none at all, for
        guides that are points. A pulley turns freely, in the plane of the two stretches that meet there.
    """

    name: str
    route: tuple[str, ...]
    rest_length: float | None = None
    stiffness: float | None = None
    material: Material | None = None
    radius: float | None = None
    damping: float = 0.0
    mass: float | None = None
    law: str = "cable"
    segments: int = 1
    mode: str = "spring"
    command: float | None = None
    friction: float = 0.0
    radii: tuple[float, ...] = ()

    __repr__ = brief

    def __post_init__(self) -> None:
        conform(self, "cables", str(self.name))


@known_fields
@dataclass(frozen=True, slots=True)
class LinearConstraint:
    """One equation: the sum of coefficient * coordinate over its terms equals value.

    terms: (node, axis, coefficient) each.
    value: [m]; None means the value at the starting shape.
    """

    name: str
    terms: tuple[tuple[str, str, float], ...]
    value: float | None = None

    __repr__ = brief

    def __post_init__(self) -> None:
        conform(self, "constraints", str(self.name))


@checked_arguments
def on_plane(name: str, node: str, normal: tuple[float, float, float], value: float | None = None) -> LinearConstraint:
    """A node that stays on a plane: normal . x = value (through its starting position by default)."""
    terms = tuple((node, axis, float(n)) for axis, n in zip(AXES, normal, strict=True) if n != 0.0)
    return LinearConstraint(name, terms, value)


@checked_arguments
def on_line(name: str, node: str, direction: tuple[float, float, float]) -> tuple[LinearConstraint, ...]:
    """A node that stays on the line through its starting position: two planes, named name.1 and name.2."""
    size = math.hypot(*direction)
    if not 0.0 < size < math.inf:
        raise OptionError(f"on_line: direction {list(direction)} is not a direction; give one such as (0, 0, 1)")
    unit = [d / size for d in direction]
    least = min(range(3), key=lambda axis: abs(unit[axis]))
    helper = [1.0 if axis == least else 0.0 for axis in range(3)]
    first = _cross(unit, helper)
    size = math.hypot(*first)
    first = (first[0] / size, first[1] / size, first[2] / size)
    return on_plane(f"{name}.1", node, first), on_plane(f"{name}.2", node, _cross(unit, first))


@checked_arguments
def tied(name: str, first: str, second: str, axes: str = AXES) -> tuple[LinearConstraint, ...]:
    """Two nodes that keep their starting offset along the axes: one equation an axis, named name.x and so on."""
    return tuple(LinearConstraint(f"{name}.{axis}", ((first, axis, 1.0), (second, axis, -1.0))) for axis in axes)


def _cross(a: list[float] | tuple[float, ...], b: list[float] | tuple[float, ...]) -> tuple[float, float, float]:
    return (a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0])
