"""Structures put together, renamed, and cut into finer pieces."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from itertools import count, takewhile

from taut.errors import ModelError, Problem, SelectionError, suggestion
from taut.structure import properties
from taut.structure.angles import Angle, Direction
from taut.structure.plates import Plate, auxiliary_name, auxiliary_point
from taut.structure.records import Cable
from taut.structure.structure import Structure


def prefixed(structure: Structure, prefix: str) -> Structure:
    """Put a prefix before every name."""
    return _renamed(structure, {node: prefix + node for node in structure.nodes}, prefix)


def joined(base: Structure, other: Structure, prefix: str, onto: Mapping[str, str]) -> Structure:
    """Both structures as one; nodes of the other named in `onto` become the nodes of the base they are laid on."""
    for theirs, ours in onto.items():
        for name, owner in ((theirs, other), (ours, base)):
            if name not in owner.nodes:
                raise ModelError([Problem(("onto",), f'no node "{name}"{suggestion(name, owner.nodes)}')])
    names = {node: onto.get(node, prefix + node) for node in other.nodes}
    renamed = _renamed(other, names, prefix)
    added = {names[node]: other.nodes[node] for node in other.nodes if node not in onto}
    for part, here, there in (
        ("nodes", base.nodes, added),
        ("bars", base.bars, renamed.bars),
        ("cables", base.cables, renamed.cables),
        ("constraints", base.constraints, renamed.constraints),
        ("plates", base.plates, renamed.plates),
        ("angles", base.angles, renamed.angles),
        ("groups", base.groups, renamed.groups),
    ):
        _refuse_clashes(part, here, there)
    masses = dict(base.point_masses)
    for node, mass in renamed.point_masses.items():
        masses[node] = masses.get(node, 0.0) + mass
    supports = dict(base.supports)
    for node, axes in renamed.supports.items():
        supports[node] = "".join(a for a in "xyz" if a in axes or a in supports.get(node, ""))
    return replace(
        base,
        nodes={**base.nodes, **added},
        bars={**base.bars, **renamed.bars},
        cables={**base.cables, **renamed.cables},
        supports=supports,
        point_masses=masses,
        constraints={**base.constraints, **renamed.constraints},
        plates={**base.plates, **renamed.plates},
        angles={**base.angles, **renamed.angles},
        groups={**base.groups, **renamed.groups},
    )


def subdivided(structure: Structure) -> Structure:
    """Cut every cable that asks for segments into that many equal cables with nodes "cable~1", "cable~2", ... between;
    give every plate whose mass is not in the plane of its nodes a point "plate~" out of it."""
    structure = with_auxiliary_points(structure, structure.plates.values())
    coarse = [cable for cable in structure.cables.values() if cable.segments > 1]
    if not coarse:
        return structure
    nodes, groups = dict(structure.nodes), dict(structure.groups)
    cables: dict[str, Cable] = {}
    for cable in structure.cables.values():
        if cable.segments == 1:
            cables[cable.name] = cable
            continue
        pieces = _pieces(structure, cable)
        _refuse_clashes("cables", structure.cables, {piece.name: 0 for piece in pieces})
        _refuse_clashes("nodes", structure.nodes, {piece.route[0]: 0 for piece in pieces[1:]})
        for index, piece in enumerate(pieces):
            cables[piece.name] = piece
            if index:
                share = index / len(pieces)
                a, b = (structure.nodes[cable.route[end]] for end in (0, 1))
                x, y, z = ((1 - share) * p + share * q for p, q in zip(a, b, strict=True))
                nodes[piece.route[0]] = (x, y, z)
        named = structure.groups.get(cable.name, ())  # a group may have the name of a cable
        groups[cable.name] = (*(f"cable:{piece.name}" for piece in pieces), *named)
    return replace(structure, nodes=nodes, cables=cables, groups=groups)


def cut_cables(structure: Structure) -> dict[str, tuple[str, ...]]:
    """The segments of every cable that `subdivided` has cut: what is left of its name is a group of them."""

    def pieces(name: str, members: frozenset[str]) -> tuple[str, ...]:
        numbered = (f"{name}~{i}" for i in count(1))
        return tuple(takewhile(lambda piece: f"cable:{piece}" in members, numbered))

    groups = {name: frozenset(held) for name, held in structure.groups.items() if name not in structure.cables}
    found = {name: pieces(name, members) for name, members in groups.items()}
    return {name: segments for name, segments in found.items() if len(segments) > 1}


def with_whole_cables(structure: Structure) -> Structure:
    """The structure with every cut cable as one again, straight between its ends, for selectors as they were meant."""
    cut = cut_cables(structure)
    if not cut:
        return structure
    cables, groups = dict(structure.cables), dict(structure.groups)
    for name, segments in cut.items():
        pieces = [cables.pop(segment) for segment in segments]
        cables[name] = replace(pieces[0], name=name, route=(pieces[0].route[0], pieces[-1].route[-1]))
        groups[name] = groups[name][len(segments) :]
    return replace(structure, cables=cables, groups=groups)


def with_auxiliary_points(structure: Structure, plates: Iterable[Plate]) -> Structure:
    """With the points that plates need beside their nodes; those that are there stay where they are."""
    added: dict[str, tuple[float, float, float]] = {}
    for plate in plates:
        name = auxiliary_name(plate)
        place = auxiliary_point(structure, plate) if name not in structure.nodes else None
        if place is not None:
            added[name] = (float(place[0]), float(place[1]), float(place[2]))
    return replace(structure, nodes={**structure.nodes, **added}) if added else structure


def _pieces(structure: Structure, cable: Cable) -> list[Cable]:
    count = cable.segments
    if len(cable.route) != 2:
        raise ModelError(
            [Problem(("cables", cable.name, "segments"), "only a straight cable can be cut into segments")]
        )
    between = [f"{cable.name}~{i}" for i in range(1, count)]
    places = [cable.route[0], *between, cable.route[1]]
    whole = cable.stiffness  # that of a material follows the length of each piece, as it follows that of a whole cable
    return [
        replace(
            cable,
            name=f"{cable.name}~{i + 1}",
            route=(places[i], places[i + 1]),
            rest_length=properties.rest_length(structure, cable) / count,
            stiffness=None if whole is None else whole * count,
            damping=cable.damping * count,
            mass=properties.cable_mass(structure, cable) / count,
            segments=1,
        )
        for i in range(count)
    ]


def _renamed(structure: Structure, names: Mapping[str, str], prefix: str) -> Structure:
    def reselected(selector: str) -> list[str]:
        kind, _, pattern = selector.partition(":")
        if kind != "node":
            return [f"{kind}:{prefix}{pattern}"]
        # Nodes laid on others have names that no prefixed pattern fits: they are written out.
        meant = _selected(structure, selector)
        laid = [names[node] for node in meant if names[node] != prefix + node]
        return [
            *([] if meant and len(laid) == len(meant) else [f"node:{prefix}{pattern}"]),
            *(f"node:{n}" for n in laid),
        ]

    return replace(
        structure,
        nodes={names[node]: place for node, place in structure.nodes.items()},
        bars={
            prefix + bar.name: replace(bar, name=prefix + bar.name, nodes=(names[bar.nodes[0]], names[bar.nodes[1]]))
            for bar in structure.bars.values()
        },
        cables={
            prefix + c.name: replace(c, name=prefix + c.name, route=tuple(names[node] for node in c.route))
            for c in structure.cables.values()
        },
        supports={names[node]: axes for node, axes in structure.supports.items()},
        point_masses={names[node]: mass for node, mass in structure.point_masses.items()},
        constraints={
            prefix + c.name: replace(
                c, name=prefix + c.name, terms=tuple((names[n], axis, k) for n, axis, k in c.terms)
            )
            for c in structure.constraints.values()
        },
        plates={
            prefix + p.name: replace(
                p,
                name=prefix + p.name,
                nodes=tuple(names[node] for node in p.nodes),
                outline=p.outline and tuple(names[node] for node in p.outline),
            )
            for p in structure.plates.values()
        },
        angles={prefix + a.name: _renamed_angle(a, names, prefix) for a in structure.angles.values()},
        groups={
            prefix + group: tuple(new for selector in members for new in reselected(selector))
            for group, members in structure.groups.items()
        },
    )


def _renamed_angle(angle: Angle, names: Mapping[str, str], prefix: str) -> Angle:
    def renamed(direction: Direction) -> Direction:
        if not isinstance(direction, str):
            return tuple(names[node] for node in direction)
        kind, _, name = direction.partition(":")
        return f"{kind}:{prefix}{name}"

    about = None if angle.about is None else renamed(angle.about)
    return replace(
        angle, name=prefix + angle.name, first=renamed(angle.first), second=renamed(angle.second), about=about
    )


def _selected(structure: Structure, selector: str) -> tuple[str, ...]:
    try:
        return structure.select(selector)
    except SelectionError:
        return ()


def _refuse_clashes(part: str, here: Mapping[str, object], there: Mapping[str, object]) -> None:
    clashes = [name for name in there if name in here]
    if clashes:
        message = "this name is in both structures; join with a prefix"
        raise ModelError([Problem((part, name), message) for name in clashes])
