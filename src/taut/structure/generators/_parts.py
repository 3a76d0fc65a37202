"""What the generators share: checks of their parameters, and members made of one stock of bar and cable."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from numbers import Integral, Real
from typing import NamedTuple

from taut.errors import OptionError
from taut.structure.magnitudes import SMALLEST, size_problem
from taut.structure.memory import BAR, memory_problem
from taut.structure.records import Bar, Cable, Material
from taut.structure.structure import Position, Structure

BarLine = tuple[str, str, str]
"""Name, first node, second node."""

CableLine = tuple[str, str, str, float]
"""Name, first node, second node, force density relative to the other cables of the same structure."""


class Layout(NamedTuple):
    """Where the nodes are and which lines join them; stretching it along an axis turns a balance into a balance."""

    nodes: dict[str, Position]
    bars: list[BarLine]
    cables: list[CableLine]
    groups: dict[str, tuple[str, ...]]


class Stock(NamedTuple):
    """What all bars and all cables of a generated structure are made of.

    bar_radius: [m]. bar_density: [kg/m^3]. bar_youngs_modulus: [Pa]. stiffness: [N/m] of every cable.
    rest_ratio: rest length / length as built, of the cable with the largest force density.
    """

    bar_radius: float
    bar_density: float
    bar_youngs_modulus: float
    stiffness: float
    rest_ratio: float


class Steelwork(NamedTuple):
    """What all bars (tubes) and all cables of a building are made of, and how tight it is built.

    bar_radius, bar_inner_radius: [m]. bar_density, cable_density: [kg/m^3]. cable_radius: [m], of the solid section.
    bar_youngs_modulus, cable_youngs_modulus: [Pa]. prestress: [N], the largest tension of a cable as built.
    """

    bar_radius: float
    bar_inner_radius: float
    bar_density: float
    bar_youngs_modulus: float
    cable_radius: float
    cable_density: float
    cable_youngs_modulus: float
    prestress: float


def require_positive(**values: float) -> None:
    for name, value in values.items():
        if not _is_number(value) or not 0.0 < value < math.inf:
            raise OptionError(f"{name} = {value!r} must be a finite number more than zero")
        _require_size(name, value, SMALLEST)


def require_count(least: int, **values: int) -> None:
    for name, value in values.items():
        if not isinstance(value, Integral) or isinstance(value, bool) or value < least:
            raise OptionError(f"{name} = {value!r} must be a whole number, {least} or more")


def require_room(bars: int, **counts: int) -> None:
    """That so many bars, which the counts ask for, fit into the memory that is taken unasked."""
    if wrong := memory_problem(min(bars, 10**18) * BAR):
        told = ", ".join(f"{name} = {count}" for name, count in counts.items())
        raise OptionError(f"{told}: {bars} bars with their cables {wrong}")


def require_between(low: float, high: float, **values: float) -> None:
    for name, value in values.items():
        if not _is_number(value) or not low < value < high:
            raise OptionError(f"{name} = {value!r} must be more than {low:g} and less than {high:g}")
        _require_size(name, value, SMALLEST)


def require_finite(**values: float) -> None:
    for name, value in values.items():
        if not _is_number(value) or not math.isfinite(value):
            raise OptionError(f"{name} = {value!r} must be a finite number")
        _require_size(name, value, 0.0)


def _require_size(name: str, value: float, least: float) -> None:
    if wrong := size_problem(value, least=least):
        raise OptionError(f"{name} = {wrong}")


def require_one_of(allowed: tuple[int, ...] | tuple[str, ...], **values: int | str) -> None:
    for name, value in values.items():
        if value not in allowed or isinstance(value, bool):
            raise OptionError(f"{name} = {value!r} must be one of {', '.join(map(str, allowed))}")


def balanced(name: str, layout: Layout, stock: Stock, supports: Mapping[str, str] | None = None) -> Structure:
    """A structure whose cables carry the layout's force densities, scaled so that the largest has the rest ratio."""
    require_positive(**stock._asdict())
    if stock.rest_ratio > 1.0:
        raise OptionError(f"rest_ratio = {stock.rest_ratio!r} must be 1 or less: a longer cable would be slack")
    nodes = layout.nodes
    # A cable of force density q is stretched by q / stiffness of its length, so the ratio falls in proportion to q.
    shortening = (1.0 - stock.rest_ratio) / max(line[3] for line in layout.cables)
    return Structure(
        nodes=nodes,
        bars=bars_of(layout.bars, stock.bar_radius, stock.bar_density, stock.bar_youngs_modulus),
        cables={
            label: Cable(
                label,
                (first, second),
                rest_length=math.dist(nodes[first], nodes[second]) * (1.0 - shortening * force_density),
                stiffness=stock.stiffness,
            )
            for label, first, second, force_density in layout.cables
        },
        supports=supports or {},
        groups=layout.groups,
        name=name,
    )


def prestressed(name: str, layout: Layout, stock: Steelwork, supports: Mapping[str, str]) -> Structure:
    """A structure of steel whose cables carry the layout's force densities, scaled to the prestress of the tightest."""
    require_positive(**{field: value for field, value in stock._asdict().items() if field != "bar_inner_radius"})
    require_finite(bar_inner_radius=stock.bar_inner_radius)
    if not 0.0 <= stock.bar_inner_radius < stock.bar_radius:
        raise OptionError(
            f"bar_inner_radius = {stock.bar_inner_radius!r} must be zero or more, and less than bar_radius = "
            f"{stock.bar_radius!r}"
        )
    material = Material("cable", stock.cable_density, stock.cable_youngs_modulus)
    stiffness = stock.cable_youngs_modulus * math.pi * stock.cable_radius**2
    lengths = {label: math.dist(layout.nodes[a], layout.nodes[b]) for label, a, b, _ in layout.cables}
    scale = stock.prestress / max(share * lengths[label] for label, _, _, share in layout.cables)
    return Structure(
        nodes=layout.nodes,
        bars=bars_of(
            layout.bars,
            stock.bar_radius,
            stock.bar_density,
            stock.bar_youngs_modulus,
            inner_radius=stock.bar_inner_radius,
        ),
        cables={
            label: Cable(
                label,
                (first, second),
                # A cable is E A / rest length stiff, so a tension T stretches it by T / E A of its rest length.
                rest_length=lengths[label] / (1.0 + scale * share * lengths[label] / stiffness),
                material=material,
                radius=stock.cable_radius,
            )
            for label, first, second, share in layout.cables
        },
        supports=supports,
        groups=layout.groups,
        name=name,
    )


def bars_of(
    lines: Iterable[BarLine], radius: float, density: float, youngs_modulus: float, *, inner_radius: float = 0.0
) -> dict[str, Bar]:
    """Bars of one material and one section, by name."""
    material = Material("bar", density, youngs_modulus)
    return {
        label: Bar(label, (first, second), material=material, radius=radius, inner_radius=inner_radius)
        for label, first, second in lines
    }


def _is_number(value: object) -> bool:
    return isinstance(value, Real) and not isinstance(value, bool)
