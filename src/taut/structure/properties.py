"""Numbers that follow from a description: lengths, masses, stiffnesses, rest lengths."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import replace
from itertools import pairwise
from typing import Any

from taut.errors import OptionError, suggestion
from taut.structure.plates import auxiliary_name, plate_mass
from taut.structure.pulleys import wrapped_length
from taut.structure.records import Bar, Cable
from taut.structure.structure import Structure
from taut.type_checks import unlike

TAKEN = ("rigid", "compressible")
"""As what bars can be taken, whatever law they say themselves."""

REST_RULES = ("rest_ratio", "tension", "force_density")


def route_length(structure: Structure, nodes: Iterable[str]) -> float:
    """Length [m] of the polygon through the nodes."""
    places = [structure.nodes[node] for node in nodes]
    return sum(math.dist(a, b) for a, b in pairwise(places))


def cable_length(structure: Structure, cable: Cable) -> float:
    """Length [m] of a cable as it stands: of the polygon along its route, and what its pulleys add."""
    return route_length(structure, cable.route) + wrapped_length(structure, cable)


def bar_length(structure: Structure, bar: Bar) -> float:
    return bar.length if bar.length is not None else route_length(structure, bar.nodes)


def bar_stiffness(structure: Structure, bar: Bar) -> float | None:
    """[N/m] along a compressible bar, given directly or E A / length; None where neither is known."""
    if bar.stiffness is not None:
        return bar.stiffness
    rigidity = axial_rigidity(bar)
    return None if rigidity is None else rigidity / bar_length(structure, bar)


def natural_length(structure: Structure, bar: Bar, force: float) -> float:
    """[m] that a compressible bar has without force, if it carries this force [N] where its nodes are."""
    distance = route_length(structure, bar.nodes)
    if bar.stiffness is not None:
        return distance - force / bar.stiffness
    rigidity = axial_rigidity(bar)
    return math.nan if rigidity is None else distance * rigidity / (rigidity + force)


def fitted_bar(structure: Structure, bar: Bar, force: float) -> Bar:
    """The bar with the length with which it carries a force [N] where its nodes are: any force, if it is rigid."""
    if bar.law == "rigid":
        return bar if bar.length is None else replace(bar, length=route_length(structure, bar.nodes))
    if bar.law == "pneumatic":
        if force > 0.0:
            raise OptionError(f'bar "{bar.name}" only pushes, but would have to pull with {force:.4g} N')
        return replace(bar, force=-force)
    length = natural_length(structure, bar, force)
    if not 0.0 < length < math.inf:
        raise OptionError(
            f'bar "{bar.name}" is too soft: to carry {force:.4g} N where its nodes are it would have to be '
            f"{length:.4g} m long without force; make it stiffer or ask for less"
        )
    return replace(bar, length=length, mass=bar_mass(structure, bar))


def with_bars(structure: Structure, law: str | Mapping[str, str] | None) -> Structure:
    """The structure with its bars rigid or compressible, all of them or selector -> law; None leaves them as they are.

    A bar made rigid keeps the distance of its nodes and its mass; one made compressible has no force where its length
    is the distance.
    """
    wanted = {"bar:*": law} if isinstance(law, str) else dict(law or {})
    laws = {bar.name: bar.law for bar in structure.bars.values()}
    for selector, word in wanted.items():
        if word not in TAKEN:
            raise OptionError(f'bars = "{word}" is not one of {", ".join(TAKEN)}{suggestion(word, TAKEN)}')
        laws |= dict.fromkeys(structure.select(selector, "bar") if structure.bars else (), word)
    bars = {}
    for name, bar in structure.bars.items():
        if laws[name] == bar.law:
            bars[name] = bar
        elif laws[name] == "rigid":
            bars[name] = replace(bar, law="rigid", length=None, mass=bar_mass(structure, bar), force=None)
        else:
            bars[name] = replace(bar, law="compressible", force=None)
    return structure if bars == structure.bars else replace(structure, bars=bars)


def bar_mass(structure: Structure, bar: Bar) -> float | None:
    """[kg], or None where neither a mass nor material, density and radius are given."""
    if bar.mass is not None:
        return bar.mass
    section = area(bar)
    if bar.material is None or bar.material.density is None or section is None:
        return None
    return bar.material.density * section * bar_length(structure, bar)


def bar_rotary_mass(structure: Structure, bar: Bar) -> float | None:
    """I / l^2 [kg] about the bar's middle, the second coefficient of its kinetic energy (eq. 10)."""
    mass = bar_mass(structure, bar)
    if mass is None:
        return None
    return mass / 4.0 if bar.inertia == "lumped" else mass / 12.0 + bar_thickness_mass(structure, bar)


def bar_thickness_mass(structure: Structure, bar: Bar) -> float:
    """What its thickness adds to I / l^2 [kg] where a bar is as long as without force; none of thin and lumped bars."""
    mass = bar_mass(structure, bar)
    if mass is None or bar.inertia != "cylinder" or bar.radius is None:
        return 0.0
    return mass / 4.0 * (bar.radius**2 + bar.inner_radius**2) / bar_length(structure, bar) ** 2


def stays_thick(bar: Bar) -> bool:
    """Whether its thickness resists turning in a mass matrix that is right while its length stays, and no longer."""
    return bar.law == "rigid" and bar.inertia == "cylinder"


def rest_length(structure: Structure, cable: Cable) -> float:
    return cable.rest_length if cable.rest_length is not None else cable_length(structure, cable)


def held_length(structure: Structure, cable: Cable) -> float:
    """[m] at which a cable of mode length is held: its command, or the length of its route as it stands."""
    return route_length(structure, cable.route) if cable.command is None else cable.command


def area(member: Bar | Cable) -> float | None:
    """Of the cross-section [m^2], or None where the radius is missing."""
    if member.radius is None:
        return None
    inner = member.inner_radius if isinstance(member, Bar) else 0.0
    return math.pi * (member.radius**2 - inner**2)


def axial_rigidity(member: Bar | Cable) -> float | None:
    """E A [N], or None where material or radius are missing."""
    section = area(member)
    if member.material is None or member.material.youngs_modulus is None or section is None:
        return None
    return member.material.youngs_modulus * section


def following_rigidity(member: Bar | Cable) -> float:
    """E A [N] of a member whose stiffness follows from its rest length, else 0."""
    return 0.0 if member.stiffness is not None else axial_rigidity(member) or 0.0


def euler_load(bar: Bar, length: float) -> float | None:
    """The push [N] under which a straight pin-ended bar bends out, pi^2 E I / l^2; None without E and radius."""
    if bar.material is None or bar.material.youngs_modulus is None or bar.radius is None:
        return None
    second_moment = math.pi / 4.0 * (bar.radius**4 - bar.inner_radius**4)
    return math.pi**2 * bar.material.youngs_modulus * second_moment / length**2


def yield_load(member: Bar | Cable) -> float | None:
    """The force [N] at which a member yields; None without yield stress and radius."""
    section = area(member)
    if member.material is None or member.material.yield_stress is None or section is None:
        return None
    return member.material.yield_stress * section


def stiffness(structure: Structure, cable: Cable) -> float | None:
    """[N/m], given directly or E A / rest length; None where neither is known."""
    if cable.stiffness is not None:
        return cable.stiffness
    rigidity, rest = axial_rigidity(cable), rest_length(structure, cable)
    return None if rigidity is None or rest == 0.0 else rigidity / rest


def cable_mass(structure: Structure, cable: Cable) -> float:
    if cable.mass is not None:
        return cable.mass
    if cable.material is None or cable.material.density is None or cable.radius is None:
        return 0.0
    return cable.material.density * math.pi * cable.radius**2 * rest_length(structure, cable)


def lumped_mass(structure: Structure, cable: Cable) -> dict[str, float]:
    """Node -> [kg] of a cable's mass: half of what lies between two nodes, by length, at either."""
    mass, route = cable_mass(structure, cable), cable.route
    if mass == 0.0 or len(route) == 2:
        return dict.fromkeys((route[0], route[-1]), mass / 2.0) if mass else {}
    whole, shares = route_length(structure, route), dict.fromkeys(route, 0.0)
    for a, b in pairwise(route):
        half = 0.5 * mass * route_length(structure, (a, b)) / whole
        shares[a] += half
        shares[b] += half
    return shares


def total_mass(structure: Structure) -> float:
    """[kg] of bars, plates, cables and point masses; what is of unknown mass counts as nothing."""
    bars = sum(bar_mass(structure, bar) or 0.0 for bar in structure.bars.values())
    bars += sum(plate_mass(structure, plate) or 0.0 for plate in structure.plates.values())
    cables = sum(cable_mass(structure, cable) for cable in structure.cables.values())
    return bars + cables + sum(structure.point_masses.values())


def massless_nodes(structure: Structure) -> list[str]:
    """Nodes that are free to move along some axis but have nothing that gives them mass."""
    heavy = {node for bar in structure.bars.values() for node in bar.nodes} | set(structure.point_masses)
    for plate in structure.plates.values():
        heavy.update((*plate.nodes, auxiliary_name(plate)))
    for cable in structure.cables.values():
        heavy.update(node for node, mass in lumped_mass(structure, cable).items() if mass > 0.0)
    return [n for n in structure.nodes if n not in heavy and set(structure.supports.get(n, "")) != set("xyz")]


def with_fields(structure: Structure, member: Any, fields: Mapping[str, Any]) -> Any:
    """The bar or cable with fields set; a cable's rest length may be given as rest_ratio, tension or force_density."""
    rules = {key: value for key, value in fields.items() if key in REST_RULES}
    plain = {key: value for key, value in fields.items() if key not in REST_RULES}
    known = [slot for slot in type(member).__dataclass_fields__ if slot != "name"]
    if isinstance(member, Cable):
        known += REST_RULES
    for key in fields:
        if key not in known:
            hint = suggestion(key, known) or f"; there are {', '.join(known)}"
            raise OptionError(f'{type(member).__name__.lower()} "{member.name}" has no field "{key}"{hint}')
    changed = replace(member, **plain)
    if not rules:
        return changed
    if len(rules) > 1 or "rest_length" in plain:
        given = ", ".join([*rules, *(["rest_length"] if "rest_length" in plain else [])])
        raise OptionError(f'cable "{member.name}" has more than one rule for its rest length ({given}); keep one')
    (rule,) = rules
    for problem in unlike(rules[rule], float, rule):
        raise OptionError(f'cable "{member.name}": {problem}')
    return replace(changed, rest_length=_rest_length_by(structure, changed, rule, float(rules[rule])))


def _rest_length_by(structure: Structure, cable: Cable, rule: str, value: float) -> float:
    length = cable_length(structure, cable)
    if rule == "rest_ratio":
        return value * length
    tension = value * length if rule == "force_density" else value
    if cable.stiffness is not None:
        if not cable.stiffness > 0.0:
            raise OptionError(
                f'cable "{cable.name}": {rule} needs a stiffness of more than zero, not {cable.stiffness:g} N/m'
            )
        return length - tension / cable.stiffness
    rigidity = axial_rigidity(cable)
    if rigidity is None:
        raise OptionError(
            f'cable "{cable.name}": {rule} needs a stiffness, or a material with youngs_modulus and a radius'
        )
    if not rigidity + tension > 0.0:
        raise OptionError(f'cable "{cable.name}": a push of {-tension:g} N is more than E A = {rigidity:g} N can bear')
    return length * rigidity / (rigidity + tension)
