"""The Structure: named nodes, bars, cables, supports. It never changes; edits return copies."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import Any, TypeVar

import numpy as np

from taut.errors import ModelError, OptionError, Problem, SelectionError
from taut.reprs import counted, titled
from taut.structure.angles import Angle, Direction
from taut.structure.plates import Plate, auxiliary_name
from taut.structure.records import AXES, Bar, Cable, LinearConstraint, Material
from taut.structure.rotations import rotation_problem
from taut.structure.selectors import select
from taut.type_checks import checked_arguments, conform, known_fields, unlike

Position = tuple[float, float, float]
ROUND_OFF = 1e-6
"""By which the axes of a rotation may be off unit length, and off being square to one another."""

Record = TypeVar("Record", Bar, Cable, LinearConstraint, Plate, Angle)

MEMBERS: dict[str, type[Any]] = {
    "bars": Bar,
    "cables": Cable,
    "constraints": LinearConstraint,
    "plates": Plate,
    "angles": Angle,
}


@known_fields
@dataclass(frozen=True)
class Structure:
    """A network of bars, cables and plates.

    nodes: name -> position [m]. supports: node -> held axes ("x", "xy", "xyz"). point_masses: node -> [kg].
    groups: name -> selectors of what belongs to it.
    """

    nodes: Mapping[str, Position]
    bars: Mapping[str, Bar] = field(default_factory=dict)
    cables: Mapping[str, Cable] = field(default_factory=dict)
    supports: Mapping[str, str] = field(default_factory=dict)
    point_masses: Mapping[str, float] = field(default_factory=dict)
    constraints: Mapping[str, LinearConstraint] = field(default_factory=dict)
    groups: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    name: str = ""
    plates: Mapping[str, Plate] = field(default_factory=dict)
    angles: Mapping[str, Angle] = field(default_factory=dict)

    def __post_init__(self) -> None:
        freeze = object.__setattr__
        for kind, record in MEMBERS.items():
            freeze(self, kind, MappingProxyType(_by_name(kind, record, getattr(self, kind))))
        try:
            nodes = {str(n): (float(x), float(y), float(z)) for n, (x, y, z) in self.nodes.items()}
        except (AttributeError, TypeError, ValueError):
            conform(self)  # which says what is wrong
            raise
        freeze(self, "nodes", MappingProxyType(nodes))
        conform(self)
        freeze(self, "supports", MappingProxyType(dict(self.supports)))
        freeze(self, "point_masses", MappingProxyType({n: float(m) for n, m in self.point_masses.items()}))
        freeze(self, "groups", MappingProxyType({g: tuple(members) for g, members in self.groups.items()}))

    def __reduce__(self) -> tuple[Any, ...]:
        parts = (self.nodes, self.bars, self.cables, self.supports, self.point_masses, self.constraints, self.groups)
        return type(self), (*(dict(part) for part in parts), self.name, dict(self.plates), dict(self.angles))

    def __repr__(self) -> str:
        parts = {"node": self.nodes, "bar": self.bars, "cable": self.cables, "support": self.supports}
        parts |= {"weight": self.point_masses, "constraint": self.constraints, "group": self.groups}
        parts |= {"plate": self.plates, "angle": self.angles}
        told = [counted(len(part), kind) for kind, part in parts.items()]
        return titled(f"Structure {self.name}".strip(), "", *told)

    # --- questions

    @property
    def positions(self) -> np.ndarray:
        """Node positions, (n, 3) [m], in the order of the nodes."""
        return np.array(list(self.nodes.values()), dtype=float).reshape(-1, 3)

    @property
    def supported_nodes(self) -> dict[str, int]:
        """Nodes that a support holds along some axis, in the order of the nodes, and their numbers."""
        return {node: i for i, node in enumerate(self.nodes) if node in self.supports}

    @checked_arguments
    def select(self, selector: str, kind: str = "") -> tuple[str, ...]:
        """Names that a selector means: "cable:top*", "bar:*", a group's name; see `taut.structure.selectors`."""
        return select(self, selector, kind)[1]

    def check(self) -> list[Problem]:
        """Every problem of this structure, none if it is sound."""
        from taut.structure.checks import problems

        return problems(self)

    def hints(self) -> list[Problem]:
        """Numbers that look as if they were in other units: millimetres, MPa. They may be meant.

        None of a structure with problems, whose lengths may not be known. Before form-finding a stiffness need not be.
        """
        from taut.structure.checks import problems
        from taut.structure.unit_hints import unit_hints

        return [] if problems(self, elastic=False) else unit_hints(self)

    # --- edits

    @checked_arguments
    def supported(self, selector: str, axes: str = AXES) -> Structure:
        """Hold the nodes along the axes; "" frees them."""
        held = dict(self.supports)
        for node in self.select(selector, "node"):
            if axes:
                held[node] = axes
            else:
                held.pop(node, None)
        return replace(self, supports=held)

    @checked_arguments
    def weighted(self, selector: str, mass: float) -> Structure:
        """Put a point mass [kg] on each of the nodes (0 takes it away)."""
        masses = {**self.point_masses, **dict.fromkeys(self.select(selector, "node"), mass)}
        return replace(self, point_masses={node: m for node, m in masses.items() if m != 0.0})

    @checked_arguments
    def grouped(self, name: str, *selectors: str) -> Structure:
        """Name a group of members or nodes."""
        return replace(self, groups={**self.groups, name: selectors})

    @checked_arguments
    def changed(self, selector: str, **fields: Any) -> Structure:
        """Set fields of the selected bars or cables; cables also take rest_ratio, tension or force_density."""
        kind, names = select(self, selector)
        if kind not in ("bar", "cable"):
            raise OptionError(f'changed("{selector}"): only bars and cables have fields; say "bar:..." or "cable:..."')
        from taut.structure.properties import with_fields

        members: dict[str, Any] = dict(self.bars if kind == "bar" else self.cables)
        for name in names:
            members[name] = with_fields(self, members[name], fields)
        return replace(self, bars=members) if kind == "bar" else replace(self, cables=members)

    @checked_arguments
    def with_nodes(self, places: Mapping[str, Position] | None = None, /, **nodes: Position) -> Structure:
        """Add nodes, or move those that are there: by name, or as a dict."""
        return replace(self, nodes={**self.nodes, **(places or {}), **nodes})

    @checked_arguments
    def with_bars(self, *bars: Bar) -> Structure:
        return replace(self, bars=_by_name("bars", Bar, [*self.bars.values(), *bars]))

    @checked_arguments
    def with_cables(self, *cables: Cable) -> Structure:
        return replace(self, cables=_by_name("cables", Cable, [*self.cables.values(), *cables]))

    @checked_arguments
    def with_constraints(self, *constraints: LinearConstraint | Sequence[LinearConstraint]) -> Structure:
        """Add constraints, or what `on_line` and `tied` return."""
        added = [one for given in constraints for one in ([given] if isinstance(given, LinearConstraint) else given)]
        return replace(
            self, constraints=_by_name("constraints", LinearConstraint, [*self.constraints.values(), *added])
        )

    @checked_arguments
    def with_plates(self, *plates: Plate) -> Structure:
        return replace(self, plates=_by_name("plates", Plate, [*self.plates.values(), *plates]))

    @checked_arguments
    def with_angles(self, *angles: Angle | Sequence[Angle]) -> Structure:
        """Add angles, or what `hinge` returns."""
        added = [one for given in angles for one in ([given] if isinstance(given, Angle) else given)]
        return replace(self, angles=_by_name("angles", Angle, [*self.angles.values(), *added]))

    @checked_arguments
    def without(self, selector: str) -> Structure:
        """Take members away, or nodes with everything that touches them."""
        kind, names = select(self, selector)
        gone = set(names)
        if kind == "node":
            return _regrouped(_without_nodes(self, gone), self)
        part = f"{kind}s"
        left: dict[str, Any] = {part: {n: r for n, r in getattr(self, part).items() if n not in gone}}
        if kind == "plate":  # with the points that they alone have
            points = {auxiliary_name(self.plates[name]) for name in names}
            left["nodes"] = {node: place for node, place in self.nodes.items() if node not in points}
        return _regrouped(without_loose_angles(replace(self, **left)), self)

    @checked_arguments
    def moved(self, rotation: np.ndarray | None = None, translation: Position = (0.0, 0.0, 0.0)) -> Structure:
        """Rotate about the origin (3 x 3 matrix; its rows for a quarter about x: (1, 0, 0), (0, 0, -1), (0, 1, 0)),
        then translate [m]. Mirror images are taken too, as diag(1, 1, -1) for one across the xy plane."""
        if rotation is not None and np.shape(rotation) != (3, 3):
            shape = np.shape(rotation)
            raise OptionError(
                f"moved: rotation has the shape {shape}, not (3, 3): the rows of a matrix, as in [(1, 0, 0), "
                "(0, 0, -1), (0, 1, 0)] for a quarter turn about x; a way to go is translation=(x, y, z)"
            )
        matrix = np.eye(3) if rotation is None else np.asarray(rotation, dtype=float)
        if wrong := rotation_problem(matrix, ROUND_OFF, mirror=True):
            raise OptionError(f"moved: rotation {wrong}; placed(...) is for what changes lengths")
        turned = self.positions if rotation is None else self.positions @ matrix.T
        return self.placed(turned + np.asarray(translation, dtype=float))

    @checked_arguments
    def placed(self, positions: np.ndarray) -> Structure:
        """The same structure with its nodes elsewhere, (n, 3) [m]."""
        places = np.asarray(positions, dtype=float)
        if places.shape != (len(self.nodes), 3):
            raise OptionError(
                f"positions must have shape ({len(self.nodes)}, 3), a row for each node, not {places.shape}"
            )
        return replace(self, nodes=dict(zip(self.nodes, map(tuple, places.tolist()), strict=True)))

    def ordered(self) -> Structure:
        """The same with neighbours next to each other: a large structure whose nodes come in no order steps faster."""
        from taut.structure.topology import ordered

        return ordered(self)

    @checked_arguments
    def prefixed(self, prefix: str) -> Structure:
        """Put a prefix before every name."""
        from taut.structure.joining import prefixed

        return prefixed(self, prefix)

    @checked_arguments
    def joined(self, other: Structure, prefix: str = "", onto: Mapping[str, str] | None = None) -> Structure:
        """This structure and another, whose names get the prefix; `onto` lays nodes of the other on nodes of this."""
        from taut.structure.joining import joined

        return joined(self, other, prefix, onto or {})


def _by_name(kind: str, record: type[Record], records: Mapping[str, Record] | Iterable[Record]) -> dict[str, Record]:
    if isinstance(records, Iterable) and not isinstance(records, Mapping):
        records = list(records)
    each = records.values() if isinstance(records, Mapping) else records
    if not isinstance(each, Iterable) or not all(isinstance(one, record) for one in each):
        raise ModelError(unlike(records, Mapping[str, record] | Iterable[record], kind))  # type: ignore[valid-type]
    if isinstance(records, Mapping):
        wrong = [(key, r.name) for key, r in records.items() if key != r.name]
        if wrong:
            key, name = wrong[0]
            raise ModelError([Problem((kind, key), f'holds a record named "{name}"; key and name must agree')])
        return dict(records)
    named: dict[str, Record] = {}
    twice = []
    for one in records:
        if one.name in named:
            twice.append(Problem((kind, one.name), "this name is used twice; every member needs its own"))
        named[one.name] = one
    if twice:
        raise ModelError(twice)
    return named


def materials_of(structure: Structure) -> list[Material]:
    """Those of its members, each as often as it occurs."""
    members = (structure.bars, structure.cables, structure.plates)
    return [one.material for part in members for one in part.values() if one.material is not None]


def _regrouped(structure: Structure, before: Structure) -> Structure:
    """The structure with groups that no longer name what it has lost."""

    def known(selector: str, owner: Structure) -> bool:
        try:
            return bool(owner.select(selector))
        except SelectionError:
            return False

    groups = {
        group: tuple(m for m in members if known(m, structure) or not known(m, before))
        for group, members in structure.groups.items()
    }
    return replace(structure, groups=groups)


def _without_nodes(structure: Structure, gone: set[str]) -> Structure:
    lost = [plate for plate in structure.plates.values() if not gone.isdisjoint(plate.nodes)]
    gone = gone | {auxiliary_name(plate) for plate in lost}
    left = replace(
        structure,
        nodes={n: p for n, p in structure.nodes.items() if n not in gone},
        bars={b.name: b for b in structure.bars.values() if gone.isdisjoint(b.nodes)},
        cables={c.name: c for c in structure.cables.values() if gone.isdisjoint(c.route)},
        supports={n: a for n, a in structure.supports.items() if n not in gone},
        point_masses={n: m for n, m in structure.point_masses.items() if n not in gone},
        constraints={
            c.name: c for c in structure.constraints.values() if gone.isdisjoint(node for node, _, _ in c.terms)
        },
        plates={p.name: p for p in structure.plates.values() if gone.isdisjoint(p.nodes)},
    )
    return without_loose_angles(left)


def without_loose_angles(structure: Structure) -> Structure:
    """Without angles between what is no longer there."""

    def there(direction: Direction | None) -> bool:
        if direction is None:
            return True
        if not isinstance(direction, str):
            return all(node in structure.nodes for node in direction)
        kind, _, name = direction.partition(":")
        return name in (structure.bars if kind == "bar" else structure.plates)

    kept = {a.name: a for a in structure.angles.values() if all(map(there, (a.first, a.second, a.about)))}
    return replace(structure, angles=kept)


def massed(structure: Structure, selector: str) -> tuple[str, ...]:
    """What an address of masses means, as "bar:x1": of nodes those that have a point mass, or one by its own name."""
    kind, _, pattern = selector.partition(":")
    names = structure.select(selector)
    if kind == "node" and pattern not in structure.nodes:
        names = tuple(name for name in names if name in structure.point_masses)
        if not names:
            raise SelectionError(f'none of the nodes "{pattern}" has a point mass; give them some, or name one node')
    return tuple(f"{kind}:{name}" for name in names)


def with_masses(structure: Structure, members: Sequence[str], masses: np.ndarray) -> Structure:
    """Masses [kg] of members such as "bar:x1", one each; those of nodes are point masses."""
    for one, mass in zip(members, masses.tolist(), strict=True):
        on_node = one.startswith("node:")
        structure = structure.weighted(one, mass) if on_node else structure.changed(one, mass=mass)
    return structure
