"""Every problem of a structure at once, each with the path to it and the remedy."""

from __future__ import annotations

import math
from collections.abc import Iterator
from itertools import pairwise

from taut.errors import Problem, SelectionError, suggestion
from taut.structure import properties
from taut.structure.body_checks import angle_problems, plate_problems
from taut.structure.magnitudes import SMALLEST, size_problem
from taut.structure.memory import SEGMENT, memory_problem
from taut.structure.number_checks import material_problems as _material
from taut.structure.number_checks import number_problems as _number
from taut.structure.pulleys import pulley_problems
from taut.structure.records import (
    AXES,
    BAR_INERTIAS,
    BAR_LAWS,
    CABLE_LAWS,
    CABLE_MODES,
    Bar,
    Cable,
    LinearConstraint,
)
from taut.structure.selectors import KINDS, select
from taut.structure.structure import Structure

LENGTH_TOLERANCE = 1e-6
"""A bar's given length may differ from the distance of its nodes by this fraction; a run closes such a gap itself."""


def problems(structure: Structure, *, elastic: bool = True) -> list[Problem]:
    """All problems, in the order of the parts; elastic: that a stiffness is not known is one too."""
    found = list(_nodes(structure))
    sound = {name for name, place in structure.nodes.items() if not any(map(size_problem, place))}
    for bar in structure.bars.values():
        found += _bar(structure, bar, sound, elastic)
    for cable in structure.cables.values():
        found += _cable(structure, cable, sound, elastic)
    for plate in structure.plates.values():
        found += plate_problems(structure, plate, sound)
    for angle in structure.angles.values():
        found += angle_problems(structure, angle, sound)
    found += _segments(structure)
    found += _supports(structure)
    found += _point_masses(structure)
    for constraint in structure.constraints.values():
        found += _constraint(structure, constraint)
    found += _groups(structure)
    return found


def mass_problems(structure: Structure) -> list[Problem]:
    """What stands in the way of dynamics: free nodes without mass."""
    return [
        Problem(
            ("nodes", node),
            f'node "{node}" can move but has no mass and no bar, so its acceleration is undefined; '
            "give it a point mass, a cable with mass, a bar, a plate, or a support on xyz",
        )
        for node in properties.massless_nodes(structure)
    ]


def _nodes(structure: Structure) -> Iterator[Problem]:
    if not structure.nodes:
        yield Problem(("nodes",), "a structure needs at least one node")
    for name, place in structure.nodes.items():
        if not all(map(math.isfinite, place)):
            yield Problem(("nodes", name), f"position {list(place)} is not finite")
        else:
            for axis, value in zip(AXES, place, strict=True):
                if wrong := size_problem(value, "m"):
                    yield Problem(("nodes", name), f"{axis} = {wrong}")


def _ends(
    structure: Structure, path: tuple[str, str, str], nodes: tuple[str, ...], sound: set[str], kind: str
) -> Iterator[Problem]:
    """Unknown nodes, repeated nodes and pieces of no length."""
    for node in nodes:
        if node not in structure.nodes:
            yield Problem(path, f'no node "{node}"{suggestion(node, structure.nodes)}')
    for a, b in pairwise(nodes):
        if a == b:
            yield Problem(path, f'runs from node "{a}" to itself; a {kind} needs two different nodes')
        elif a in sound and b in sound and math.dist(structure.nodes[a], structure.nodes[b]) < SMALLEST:
            yield Problem(path, f'nodes "{a}" and "{b}" are at the same place, so this {kind} has zero length')


def _followed(path: tuple[str, str], key: str, value: float | None, unit: str) -> Iterator[Problem]:
    """What is wrong with the size of a number that follows from others, each of which is sound."""
    wrong = "" if value is None else size_problem(value, unit, least=SMALLEST)
    if wrong:
        yield Problem((*path, key), f"follows from material, radius and length, and {wrong}")


def _bar(structure: Structure, bar: Bar, sound: set[str], elastic: bool) -> Iterator[Problem]:
    path = ("bars", bar.name)
    where = (*path, "nodes")
    if len(bar.nodes) != 2:
        yield Problem(where, f"a bar has two nodes, not {len(bar.nodes)}")
        return
    ends = list(_ends(structure, where, bar.nodes, sound, "bar"))
    yield from ends
    numbers = [
        *_number((*path, "mass"), bar.mass, "kg"),
        *_number((*path, "length"), bar.length, "m"),
        *_number((*path, "radius"), bar.radius, "m"),
        *_number((*path, "inner_radius"), bar.inner_radius, "m", zero=True),
        *_number((*path, "stiffness"), bar.stiffness, "N/m"),
        *_number((*path, "damping"), bar.damping, "N s/m", zero=True),
        *_number((*path, "force"), bar.force, "N", zero=True),
        *_material(path, bar.material),
    ]
    yield from numbers
    if bar.inertia not in BAR_INERTIAS:
        yield Problem((*path, "inertia"), f'"{bar.inertia}" is not one of {", ".join(BAR_INERTIAS)}')
    elif bar.inertia == "cylinder" and bar.radius is None:
        yield Problem((*path, "inertia"), "the radius term needs a radius")
    if bar.radius is not None and bar.inner_radius >= bar.radius > 0.0:
        yield Problem((*path, "inner_radius"), f"{bar.inner_radius:g} m is not less than the radius {bar.radius:g} m")
    if ends or numbers or not sound.issuperset(bar.nodes):
        return
    yield from _followed(path, "mass", None if bar.mass is not None else properties.bar_mass(structure, bar), "kg")
    yield from _law(structure, bar, elastic)


def _law(structure: Structure, bar: Bar, elastic: bool) -> Iterator[Problem]:
    """What is wrong with how a bar takes its length."""
    path = ("bars", bar.name)
    if bar.law not in BAR_LAWS:
        yield Problem((*path, "law"), f'"{bar.law}" is not one of {", ".join(BAR_LAWS)}{suggestion(bar.law, BAR_LAWS)}')
        return
    if bar.law != "pneumatic" and bar.force is not None:
        yield Problem(
            (*path, "force"), f"{bar.force:g} N goes with a pneumatic bar; leave it out, or say law: pneumatic"
        )
    if bar.law == "pneumatic":
        if bar.force is None:
            yield Problem((*path, "force"), "is missing: the force [N] with which a pneumatic bar pushes")
        if bar.inertia == "cylinder":
            yield Problem((*path, "inertia"), "of a bar that telescopes is thin or lumped")
        return
    if bar.law == "compressible":
        if elastic and properties.bar_stiffness(structure, bar) is None:
            remedy = "give a stiffness, or a material with youngs_modulus and a radius"
            yield Problem((*path, "stiffness"), f"is not known, which a compressible bar needs; {remedy}")
        yield from _followed(path, "stiffness", properties.bar_stiffness(structure, bar), "N/m")
        return
    distance = properties.route_length(structure, bar.nodes)
    if bar.length is not None and abs(bar.length - distance) > LENGTH_TOLERANCE * bar.length:
        yield Problem(
            (*path, "length"),
            f"is {bar.length:g} m but its nodes are {distance:g} m apart ({(distance / bar.length - 1) * 100:+.3g} %); "
            "move a node, or leave the length out to take the distance",
        )


def _cable(structure: Structure, cable: Cable, sound: set[str], elastic: bool) -> Iterator[Problem]:
    path = ("cables", cable.name)
    where = (*path, "route")
    if len(cable.route) < 2:
        yield Problem(where, f"a route needs two nodes or more, not {len(cable.route)}")
        return
    ends = list(_ends(structure, where, cable.route, sound, "cable"))
    yield from ends
    numbers = [
        *_number((*path, "rest_length"), cable.rest_length, "m", zero=True),
        *_number((*path, "stiffness"), cable.stiffness, "N/m"),
        *_number((*path, "radius"), cable.radius, "m"),
        *_number((*path, "damping"), cable.damping, "N s/m", zero=True),
        *_number((*path, "mass"), cable.mass, "kg", zero=True),
        *_number((*path, "friction"), cable.friction, "", zero=True),
        *_material(path, cable.material),
    ]
    yield from numbers
    yield from _mode(structure, cable)
    if cable.law not in CABLE_LAWS:
        yield Problem((*path, "law"), f'"{cable.law}" is not one of {", ".join(CABLE_LAWS)}')
    if cable.segments < 1:
        yield Problem((*path, "segments"), f"{cable.segments} must be one or more")
    if ends or numbers or not sound.issuperset(cable.route):
        return
    if wound := [*pulley_problems(structure, cable)]:
        yield from wound
        return
    stiffness = properties.stiffness(structure, cable)
    if stiffness is None and elastic and cable.mode == "spring":
        yield Problem(
            (*path, "stiffness"), "is not known; give a stiffness, or a material with youngs_modulus and a radius"
        )
    elif cable.stiffness is None:
        yield from _followed(path, "stiffness", stiffness, "N/m")
    if cable.mass is None:
        yield from _followed(path, "mass", properties.cable_mass(structure, cable), "kg")
    if cable.segments > 1 and properties.cable_mass(structure, cable) == 0.0:
        yield Problem((*path, "segments"), "only a cable with mass can be cut into segments; give a mass or a density")


def _mode(structure: Structure, cable: Cable) -> Iterator[Problem]:
    """What is wrong with what is given of a cable."""
    path, mode, command = ("cables", cable.name), cable.mode, cable.command
    if mode not in CABLE_MODES:
        hint = suggestion(mode, CABLE_MODES)
        yield Problem((*path, "mode"), f'"{mode}" is not one of {", ".join(CABLE_MODES)}{hint}')
        return
    unit = {"tension": "N", "force_density": "N/m", "length": "m"}.get(mode, "")
    if mode == "spring":
        if command is not None:
            yield Problem((*path, "command"), f"{command:g} goes with a mode of tension, force_density or length")
    elif command is None and mode != "length":
        yield Problem((*path, "command"), f"is missing: the {mode.replace('_', ' ')} [{unit}] that is commanded")
    elif command is not None and command < 0.0 and mode != "length":
        yield Problem((*path, "command"), f"{command:g} {unit} would push; a cable only pulls, so command zero or more")
    else:
        yield from _number((*path, "command"), command, unit, zero=mode != "length")
    if mode == "length" and cable.law == "spring":
        yield Problem((*path, "law"), "a cable held at its length only pulls; leave the law out")
    if mode == "length" and command is not None and len(cable.route) > 1 and cable.route[0] != cable.route[-1]:
        first, last = cable.route[0], cable.route[-1]
        known = first in structure.nodes and last in structure.nodes
        ends = properties.route_length(structure, (first, last)) if known else 0.0
        if _held(structure, cable) and command < ends * (1.0 - LENGTH_TOLERANCE):
            message = f"{command:g} m is shorter than the {ends:g} m between its ends, which supports hold"
            yield Problem((*path, "command"), f"{message}; hold it longer, or free an end")
    if cable.segments > 1 and (mode != "spring" or len(cable.route) != 2):
        yield Problem((*path, "segments"), "only a straight cable with a rest length can be cut into segments")
    if cable.friction > 0.0 and mode == "length":
        yield Problem((*path, "friction"), "does not go with a held length, whose one tension is a multiplier")


def _held(structure: Structure, cable: Cable) -> bool:
    """Whether supports hold both ends."""
    return all(set(structure.supports.get(node, "")) == set(AXES) for node in (cable.route[0], cable.route[-1]))


def _segments(structure: Structure) -> Iterator[Problem]:
    """Whether so many pieces fit into memory; told of the cable that has most of them."""
    count = sum(cable.segments for cable in structure.cables.values() if cable.segments > 1)
    if wrong := memory_problem(min(count, 10**18) * SEGMENT):
        most = max(structure.cables.values(), key=lambda cable: cable.segments)
        yield Problem(("cables", most.name, "segments"), f"{most.segments}: {count} segments in all {wrong}")


def _supports(structure: Structure) -> Iterator[Problem]:
    for node, axes in structure.supports.items():
        if node not in structure.nodes:
            yield Problem(("supports", node), f'no node "{node}"{suggestion(node, structure.nodes)}')
        if not axes or not set(axes) <= set(AXES) or len(set(axes)) != len(axes):
            yield Problem(("supports", node), f'"{axes}" is not a choice of axes such as x, xy or xyz')


def _point_masses(structure: Structure) -> Iterator[Problem]:
    for node, mass in structure.point_masses.items():
        if node not in structure.nodes:
            yield Problem(("point_masses", node), f'no node "{node}"{suggestion(node, structure.nodes)}')
        yield from _number(("point_masses", node), mass, "kg")


def _constraint(structure: Structure, constraint: LinearConstraint) -> Iterator[Problem]:
    path = ("constraints", constraint.name)
    yield from _number((*path, "value"), constraint.value, "m", sign=False)
    whole: dict[tuple[str, str], float] = {}
    for node, axis, coefficient in constraint.terms:
        whole[node, axis] = whole.get((node, axis), 0.0) + coefficient
    if not any(whole.values()):
        yield Problem(path, "constrains nothing: its coefficients are zero, or cancel")
    elif wrong := size_problem(max(map(abs, whole.values())), least=SMALLEST):
        yield Problem(path, f"its largest coefficient {wrong}")
    for node, axis, coefficient in constraint.terms:
        if node not in structure.nodes:
            yield Problem(path, f'no node "{node}"{suggestion(node, structure.nodes)}')
        if axis not in tuple(AXES):
            yield Problem(path, f'"{axis}" is not an axis; say x, y or z')
        if not math.isfinite(coefficient):
            yield Problem(path, f"coefficient {coefficient} is not finite")


def _groups(structure: Structure) -> Iterator[Problem]:
    for group, members in structure.groups.items():
        for index, member in enumerate(members):
            if member.partition(":")[0] not in KINDS:
                yield Problem(
                    ("groups", group, index), f'"{member}" must start with one of {", ".join(KINDS)} and a colon'
                )
                continue
            try:
                select(structure, member)
            except SelectionError as error:
                yield Problem(("groups", group, index), str(error))
