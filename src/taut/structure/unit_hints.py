"""Numbers that look as if they were in other units than SI: hints, not problems, since they may be meant."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from taut.errors import Problem
from taut.structure.properties import bar_length, cable_length, total_mass
from taut.structure.records import Material
from taut.structure.structure import Structure, materials_of

LARGE = 100.0
"""[m] across; what people build of bars and cables is mostly smaller ..."""

LIGHT = 0.05
"""[kg] for each metre across; ... and what is larger is heavier."""

SLENDER = 5e3
"""Length over radius; such a bar would bend under nothing at all."""

THICK = 1.0
"""[m]; no bar or cable has such a radius."""

SOFT = 1e6
"""[Pa]; gels and foams are softer than this, nothing that structures are made of is."""

GIGA = 500.0
"""Moduli up to here were written in GPa rather than in MPa: steel has 210, and 210,000."""

WEAK = 5e3
"""[Pa]; nothing solid yields so early."""

LONG = 100.0
"""Rest length over the length of the route: no slack cable is so long."""

RIGID = 1e10
"""[N/m]; a bridge's cables have a hundredth of it, and a modulus of metal has more."""


def unit_hints(structure: Structure) -> list[Problem]:
    """Coordinates, radii and rest lengths that may be millimetres, moduli and strengths that may be MPa, and moduli
    where a stiffness is wanted."""
    return [*_across(structure), *_radii(structure), *_cables(structure), *_materials(structure)]


def _across(structure: Structure) -> Iterator[Problem]:
    size = float(np.linalg.norm(np.ptp(structure.positions, axis=0))) if structure.nodes else 0.0
    if not LARGE < size < np.inf:
        return
    mass = total_mass(structure)
    reach = {b: bar_length(structure, b) / b.radius for b in structure.bars.values() if b.radius}
    thinnest = max(reach, key=reach.__getitem__, default=None)
    told = ""
    if 0.0 < mass < LIGHT * size:
        told = f"weighs {mass:.3g} kg"
    elif thinnest and reach[thinnest] > SLENDER:
        told = f'bar "{thinnest.name}" is {reach[thinnest]:.3g} times as long as its radius'
    if told:
        remedy = "if coordinates are in millimetres, divide them by 1000"
        yield Problem(("nodes",), f"the structure is {size:.4g} m across and {told}; {remedy}")


def _radii(structure: Structure) -> Iterator[Problem]:
    for kind, members in (("bars", structure.bars), ("cables", structure.cables)):
        for member in members.values():
            if member.radius is not None and THICK <= member.radius < np.inf:
                told = f"{member.radius:g} m is very thick; if it is in millimetres, write {member.radius / 1e3:g}"
                yield Problem((kind, member.name, "radius"), told)


def _cables(structure: Structure) -> Iterator[Problem]:
    """Of each kind the first cable, and how many more there are: a style sheet gives all of them the same number."""
    cables = structure.cables.values()
    reach = [(c, c.rest_length, cable_length(structure, c)) for c in cables if c.rest_length is not None]
    long = [(c, rest, rest / here) for c, rest, here in reach if LONG * here <= rest < np.inf]
    stiff = [c for c in cables if c.stiffness is not None and RIGID <= c.stiffness < np.inf]
    for first, rest, ratio in long[:1]:
        told = f"{rest:g} m is {ratio:.3g} times as long as the cable is now"
        remedy = f"if it is in millimetres, write {rest / 1e3:g}{_more(len(long))}"
        yield Problem(("cables", first.name, "rest_length"), f"{told}; {remedy}")
    for one in stiff[:1]:
        told = (
            f"{one.stiffness:g} N/m is as much as a modulus has in Pa; a stiffness is E A / length{_more(len(stiff))}"
        )
        yield Problem(("cables", one.name, "stiffness"), told)


def _more(count: int) -> str:
    return f" ... and {count - 1} more like it" if count > 1 else ""


def _materials(structure: Structure) -> Iterator[Problem]:
    for material in dict.fromkeys(materials_of(structure)):
        yield from _pressures(material)


def _pressures(material: Material) -> Iterator[Problem]:
    path = ("materials", material.name)
    modulus, limit = material.youngs_modulus, material.yield_stress
    if modulus is not None and 0.0 < modulus < SOFT:
        unit, factor = ("GPa", 1e9) if modulus <= GIGA else ("MPa", 1e6)
        told = f"{modulus:g} Pa is softer than rubber; if it is in {unit}, write {modulus * factor:g}"
        yield Problem((*path, "youngs_modulus"), told)
    if limit is not None and 0.0 < limit < WEAK:
        told = f"{limit:g} Pa is very little; if it is in MPa, write {limit * 1e6:g}"
        yield Problem((*path, "yield_stress"), told)
