"""What can be said of a structure before it moves: whether it can, its size, class, mass and degrees of freedom."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Any

from taut.errors import Problem, suggestion
from taut.structure.checks import mass_problems
from taut.structure.magnitudes import size_problem
from taut.structure.motions import motion_problems
from taut.structure.plates import plate_mass
from taut.structure.properties import bar_mass, total_mass
from taut.structure.records import AXES
from taut.structure.scenario import Damping, Load, Motion
from taut.structure.signal_checks import signal_problems
from taut.structure.structure import Structure
from taut.structure.topology import class_of, parts


def problems_of_motion(structure: Structure) -> list[Problem]:
    """Every reason why a structure cannot be simulated, beginning with those that make it unsound at all."""
    return structure.check() or [*mass_problems(structure), *_missing_masses(structure)]


def _missing_masses(structure: Structure) -> list[Problem]:
    found = [
        Problem(("bars", bar.name, "mass"), "is not known; give a mass, or a material with a density and a radius")
        for bar in structure.bars.values()
        if not bar_mass(structure, bar)
    ]
    return found + [
        Problem(("plates", one.name, "mass"), "is not known; give a mass, or a material with a density and a thickness")
        for one in structure.plates.values()
        if not plate_mass(structure, one)
    ]


def problems_of_scenario(
    structure: Structure,
    gravity: tuple[float, ...],
    loads: tuple[Load, ...],
    motions: tuple[Motion, ...],
    damping: Damping,
    velocities: Mapping[str, tuple[float, float, float]],
) -> list[Problem]:
    """Every problem of what is to happen to a structure."""
    found = []
    if len(gravity) != 3 or not all(map(math.isfinite, gravity)):
        found.append(Problem(("gravity",), f"{list(gravity)} is not three finite numbers"))
    found += _sizes(("gravity",), gravity, "m/s^2")
    for index, load in enumerate(loads):
        if load.node not in structure.nodes:
            message = f'no node "{load.node}"{suggestion(load.node, structure.nodes)}'
            found.append(Problem(("loads", index, "node"), message))
        if load.axis not in tuple(AXES):
            found.append(Problem(("loads", index, "axis"), f'"{load.axis}" is not an axis; say x, y or z'))
        for problem in signal_problems(load.signal):
            found.append(Problem(("loads", index, "signal", *problem.path), problem.message))
    for index, motion in enumerate(motions):
        for problem in motion_problems(structure, motion):
            found.append(Problem(("motions", index, *problem.path), problem.message))
    for name in ("node", "mass", "stiffness"):
        value = getattr(damping, name)
        if not value >= 0.0 or not math.isfinite(value):
            found.append(Problem(("damping", name), f"{value} must be a finite number, zero or more"))
        found += _sizes(("damping", name), [value])
    for node, speed in velocities.items():
        if node not in structure.nodes:
            found.append(Problem(("velocities", node), f'no node "{node}"{suggestion(node, structure.nodes)}'))
        if len(speed) != 3 or not all(map(math.isfinite, speed)):
            found.append(Problem(("velocities", node), f"{list(speed)} is not three finite numbers"))
        found += _sizes(("velocities", node), speed, "m/s")
    return found


def _sizes(path: tuple[str, ...], values: Iterable[float], unit: str = "") -> list[Problem]:
    """Which of the finite numbers are too large."""
    return [Problem(path, wrong) for value in values if math.isfinite(value) and (wrong := size_problem(value, unit))]


def facts(structure: Structure) -> dict[str, Any]:
    """Name, size, class, mass [kg] and degrees of freedom; the latter None where the structure cannot move yet."""
    pieces = parts(structure)
    inertias = Counter(bar.inertia for bar in structure.bars.values())
    laws = Counter(bar.law for bar in structure.bars.values())
    return {
        "name": structure.name or "-",
        "nodes": len(structure.nodes),
        "bars": len(structure.bars),
        "cables": len(structure.cables),
        **{kind: len(part) for kind, part in (("plates", structure.plates), ("angles", structure.angles)) if part},
        "members": len(structure.bars) + len(structure.cables),
        "class": class_of(structure),
        "parts": len(pieces),
        "mass": total_mass(structure),
        "bar_law": ", ".join(f"{count} {law}" for law, count in laws.items()) or "-",
        "bar_inertia": ", ".join(f"{count} {kind}" for kind, count in inertias.items()) or "-",
        **_freedom(structure),
    }


def _freedom(structure: Structure) -> dict[str, int | None]:
    """Degrees of freedom: coordinates that can move, less independent constraints, at the given shape."""
    if problems_of_motion(structure):
        return {
            "free_coordinates": None,
            "constraints": None,
            "redundant_constraints": None,
            "degrees_of_freedom": None,
        }
    import numpy as np

    from taut.mechanics.assemble import assemble

    plant = assemble(structure)
    redundant = len(plant.dependent(plant.pack, np.append(plant.positions.ravel(), np.zeros(plant.coordinates + 1))))
    free = int(plant.tables["nodes"].free.size)
    return {
        "free_coordinates": free,
        "constraints": plant.rows,
        "redundant_constraints": redundant,
        "degrees_of_freedom": free - plant.rows + redundant,
    }
