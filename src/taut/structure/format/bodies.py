"""The plates and angles of a model file."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

from taut.errors import Problem, suggestion
from taut.structure.angles import Angle, Direction
from taut.structure.format.lines import Path
from taut.structure.format.schema import ACTING, AngleEntry, ModelEntry
from taut.structure.plates import Plate
from taut.structure.records import Material
from taut.structure.structure import Structure


def plates_of(
    entry: ModelEntry, base: Structure, materials: Mapping[str, Material]
) -> tuple[dict[str, Plate], list[Problem]]:
    """Those of the generator and of the file, whose fields come on top."""
    plates, problems = dict(base.plates), list[Problem]()
    for name, item in entry.plates.items():
        fields: dict[str, Any] = {
            key: tuple(value) if isinstance(value, list) else value for key, value in item.own().items()
        }
        if "nodes" not in fields and name not in plates:
            problems.append(Problem(("plates", name), 'needs "nodes", as in nodes: [a, b, c]'))
            continue
        wanted = fields.pop("material", None)
        if wanted is not None and wanted not in materials:
            hint = suggestion(wanted, materials) or (f"; there are {', '.join(materials)}" if materials else "")
            problems.append(Problem(("plates", name, "material"), f'no material "{wanted}"{hint}'))
        elif wanted is not None:
            fields["material"] = materials[wanted]
        plates[name] = replace(plates.get(name) or Plate(name, fields["nodes"]), **fields)
    return plates, problems


def angles_of(entry: ModelEntry, base: Structure) -> tuple[dict[str, Angle], dict[Path, Path], list[Problem]]:
    """And where in the file each was written, where that is not under its own name."""
    found, origins, problems = dict(base.angles), dict[Path, Path](), list[Problem]()
    for name, item in entry.angles.items():
        for angle in _angles(name, item):
            if angle.name in found and angle.name not in base.angles:
                message = f'makes an angle named "{angle.name}", which is there already; rename one'
                problems.append(Problem(("angles", name), message))
            found[angle.name] = angle
            origins["angles", angle.name] = ("angles", name)
    return found, origins, problems


def _angles(name: str, item: AngleEntry) -> Iterator[Angle]:
    about = None if item.about is None else _direction(item.about)
    acting: dict[str, Any] = {key: getattr(item, key) for key in ("value", *ACTING)}
    if item.between is not None:
        yield Angle(name, _direction(item.between[0]), _direction(item.between[1]), about, **acting)
    elif item.elbow is not None:
        yield Angle.elbow(name, (item.elbow[0], item.elbow[1], item.elbow[2]), **acting)
    elif item.universal_joint is not None:
        yield Angle.universal_joint(name, *map(_direction, item.universal_joint))
    elif item.hinge is not None and about is not None:
        yield from Angle.hinge(name, _direction(item.hinge[0]), _direction(item.hinge[1]), about)


def _direction(given: list[str]) -> Direction:
    return given[0] if len(given) == 1 else tuple(given)
