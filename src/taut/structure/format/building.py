"""From the entries of a model file to a Structure and a Scenario, with every problem of their meaning."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, TypeVar

from taut.errors import Problem, SelectionError
from taut.structure.format.bodies import angles_of, plates_of
from taut.structure.format.generating import generated
from taut.structure.format.lines import Path
from taut.structure.format.members import Members, bare_members, finished_members, styles_of
from taut.structure.format.schema import ConstraintEntry, ModelEntry
from taut.structure.format.staging import staged
from taut.structure.records import AXES, LinearConstraint, Material, on_line, on_plane, tied
from taut.structure.scenario import Scenario
from taut.structure.structure import Structure, materials_of

Value = TypeVar("Value")


@dataclass
class _Origins:
    """Where in the file the named parts of the structure were written, if not under their own names."""

    problems: list[Problem] = field(default_factory=list)
    paths: dict[Path, Path] = field(default_factory=dict)


def build(entry: ModelEntry) -> tuple[Structure, Scenario, list[Problem]]:
    """What the file describes; usable only if there are no problems. Paths of problems are paths in the file."""
    base, problems = generated(entry.generate)
    if problems:
        # Without the generated part every other complaint would only be about its absence.
        return base, Scenario(), problems
    origins = _Origins()
    bars, cables, found = bare_members(entry, base)
    problems += found
    nodes = {**base.nodes, **{name: (p[0], p[1], p[2]) for name, p in entry.nodes.items()}}
    groups = {**base.groups, **{name: tuple(members) for name, members in entry.groups.items()}}
    materials = {**_materials_in(base), **{name: Material(name, **m.own()) for name, m in entry.materials.items()}}
    plates, found = plates_of(entry, base, materials)
    problems += found
    angles, origins.paths, found = angles_of(entry, base)
    problems += found
    skeleton = Structure(nodes, bars, cables, groups=groups, name=entry.name or base.name, plates=plates, angles=angles)
    styles, found = styles_of(entry, skeleton)
    problems += found
    members = Members(entry, styles)
    bars, cables, found = finished_members(members, skeleton, materials)
    problems += found
    structure = replace(
        skeleton,
        bars=bars,
        cables=cables,
        supports={**base.supports, **_by_node(skeleton, ("supports",), entry.supports, origins)},
        point_masses={**base.point_masses, **_by_node(skeleton, ("point_masses",), entry.point_masses, origins)},
        constraints={**base.constraints, **_constraints(entry, origins)},
    )
    velocities = _by_node(skeleton, ("scenario", "velocities"), entry.scenario.velocities, origins)
    problems += origins.problems
    problems += [_placed(problem, members, structure, origins) for problem in structure.check()]
    scenario, found = staged(entry.scenario, structure, velocities)
    # One bad property or material would otherwise be told once for each of its members.
    return structure, scenario, list(dict.fromkeys(problems + found))


def _materials_in(base: Structure) -> dict[str, Material]:
    """A generator's materials can be used by name too."""
    return {material.name: material for material in materials_of(base)}


def _by_node(structure: Structure, section: Path, values: Mapping[str, Value], origins: _Origins) -> dict[str, Value]:
    """Values by node, where a key may also be a selector such as "node:bottom*"; a node's own entry wins over it."""
    found: dict[str, Value] = {}
    for key, value in values.items():
        if key not in structure.nodes and set(key) & set("*?") and not key.startswith("node:"):
            origins.problems.append(Problem((*section, key), f'no node "{key}"; a pattern is written "node:{key}"'))
            continue
        if key in structure.nodes or not key.startswith("node:"):
            found[key] = value
            continue
        try:
            names = structure.select(key, "node")
        except SelectionError as error:
            origins.problems.append(Problem((*section, key), str(error)))
            continue
        for name in names:
            found[name] = values.get(name, value)
            if name not in values:
                origins.paths[(*section, name)] = (*section, key)
    return found


def _constraints(entry: ModelEntry, origins: _Origins) -> dict[str, LinearConstraint]:
    found: dict[str, LinearConstraint] = {}
    for name, item in entry.constraints.items():
        where = ("constraints", name)
        axes = item.axes or AXES
        if not set(axes) <= set(AXES) or len(set(axes)) != len(axes):
            origins.problems.append(Problem((*where, "axes"), f'"{axes}" is not a choice of axes such as x, xy or xyz'))
            continue
        for constraint in _equations(name, item, axes):
            if constraint.name in found:
                message = f'makes a constraint named "{constraint.name}", which is there already; rename one'
                origins.problems.append(Problem(where, message))
            found[constraint.name] = constraint
            origins.paths[("constraints", constraint.name)] = where
    return found


def _equations(name: str, item: ConstraintEntry, axes: str) -> Iterator[LinearConstraint]:
    if item.on_plane is not None and item.normal is not None:
        yield on_plane(name, item.on_plane, _triple(item.normal), item.value)
    elif item.on_line is not None and item.direction is not None:
        yield from on_line(name, item.on_line, _triple(item.direction))
    elif item.tied is not None:
        yield from tied(name, item.tied[0], item.tied[1], axes)
    elif item.terms is not None:
        yield LinearConstraint(name, tuple(item.terms), item.value)


def _triple(values: list[float]) -> tuple[float, float, float]:
    return (values[0], values[1], values[2])


def _placed(problem: Problem, members: Members, structure: Structure, origins: _Origins) -> Problem:
    """The problem with the path of what the file says, where that is not the path in the structure."""
    path: tuple[Any, ...] = problem.path
    if len(path) > 2 and path[0] in ("bars", "cables", "plates"):
        section, name, key = path[:3]
        if key == "material":
            material = getattr(structure, section)[name].material
            if material.name in members.entry.materials:
                path = ("materials", material.name, *path[3:])
        elif section != "plates":
            path = (*members.place(section, name, key), *path[3:])
    elif path[:2] in origins.paths:
        path = (*origins.paths[path[:2]], *path[2:])
    return replace(problem, path=path)
