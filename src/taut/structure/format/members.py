"""The bars and cables of a model file: fields from the generator, then the properties in order, then their own."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from taut.errors import OptionError, Problem, SelectionError, suggestion
from taut.structure.format.lines import Path
from taut.structure.format.schema import REST_RULES, BarEntry, CableEntry, ModelEntry
from taut.structure.properties import axial_rigidity, cable_length, with_fields
from taut.structure.records import Bar, Cable, Material
from taut.structure.selectors import select
from taut.structure.structure import Structure

ENDS = {"bars": "nodes", "cables": "route"}


@dataclass(frozen=True)
class Style:
    """One line of `properties`: fields for every member that its selector means."""

    selector: str
    section: str
    names: frozenset[str]
    fields: Mapping[str, Any]


@dataclass(frozen=True)
class Members:
    """Which part of the file each field of each member comes from."""

    entry: ModelEntry
    styles: tuple[Style, ...]

    def place(self, section: str, name: str, field: str) -> Path:
        """The path in the file that gave a member this field."""
        wanted = REST_RULES if field == "rest_length" else (field,)
        written = getattr(self.entry, section).get(name)
        for key in wanted:
            if written is not None and key in written.model_fields_set:
                return (section, name, key)
        for style in reversed(self.styles):
            for key in wanted:
                if style.section == section and key in style.fields and name in style.names:
                    return ("properties", style.selector, key)
        return (section, name, field)


def bare_members(entry: ModelEntry, base: Structure) -> tuple[dict[str, Bar], dict[str, Cable], list[Problem]]:
    """Every member with its nodes and what a generator gave it, before properties and fields of its own."""
    bars, cables = dict(base.bars), dict(base.cables)
    problems: list[Problem] = []
    for name, bar in entry.bars.items():
        if bar.nodes is not None and len(bar.nodes) != 2:
            problems.append(Problem(("bars", name, "nodes"), f"a bar needs two nodes, not {len(bar.nodes)}"))
        if bar.nodes:
            ends: Any = (bar.nodes[0], bar.nodes[-1])
            bars[name] = replace(bars[name], nodes=ends) if name in bars else Bar(name, ends)
        elif bar.nodes is None and name not in bars:
            problems.append(Problem(("bars", name), 'needs "nodes", as in nodes: [a, b]'))
    for name, cable in entry.cables.items():
        if cable.route is not None:
            route = tuple(cable.route)
            cables[name] = replace(cables[name], route=route) if name in cables else Cable(name, route)
        elif name not in cables:
            problems.append(Problem(("cables", name), 'needs "route", as in route: [a, b]'))
    return bars, cables, problems


def styles_of(entry: ModelEntry, skeleton: Structure) -> tuple[tuple[Style, ...], list[Problem]]:
    """The properties with the members that each selects; a selector is matched once, whatever it means."""
    styles, problems = [], []
    for selector, item in entry.properties.items():
        fields = item.bar if item.bar is not None else item.cable
        try:
            kind, names = select(skeleton, selector)
        except SelectionError as error:
            problems.append(Problem(("properties", selector), str(error)))
            continue
        styles.append(Style(selector, f"{kind}s", frozenset(names), {} if fields is None else fields.own()))
    return tuple(styles), problems


def finished_members(
    members: Members, skeleton: Structure, materials: Mapping[str, Material]
) -> tuple[dict[str, Bar], dict[str, Cable], list[Problem]]:
    """The members with all their fields."""
    problems: list[Problem] = []
    bars: dict[str, Bar] = dict(skeleton.bars)
    for name, fields in _merged(members, "bars", bars, members.entry.bars).items():
        problems += _named_material(members, "bars", name, fields, materials)
        bars[name] = replace(bars[name], **fields)
    cables: dict[str, Cable] = dict(skeleton.cables)
    for name, fields in _merged(members, "cables", cables, members.entry.cables).items():
        problems += _named_material(members, "cables", name, fields, materials)
        rule = next((rule for rule in REST_RULES[1:] if rule in fields), None)
        if rule is None:
            cables[name] = replace(cables[name], **fields)
        else:
            target = float(fields.pop(rule))
            cables[name] = replace(cables[name], **fields)
            cables[name], found = _rested(members, skeleton, cables[name], rule, target)
            problems += found
    return bars, cables, problems


def _merged(
    members: Members, section: str, names: Iterable[str], entries: Mapping[str, BarEntry] | Mapping[str, CableEntry]
) -> dict[str, dict[str, Any]]:
    """The fields of every member that the file speaks of; later ones win, and a rest rule drives out an older one."""
    merged: dict[str, dict[str, Any]] = {name: {} for name in names}
    for style in members.styles:
        if style.section == section:
            for name in style.names:
                _lay(style.fields, merged[name])
    for name, entry in entries.items():
        if name in merged:
            own = entry.own()
            own.pop(ENDS[section], None)
            _lay(own, merged[name])
    return {name: fields for name, fields in merged.items() if fields}


def _lay(fields: Mapping[str, Any], onto: dict[str, Any]) -> None:
    if any(rule in fields for rule in REST_RULES):
        for rule in REST_RULES:
            onto.pop(rule, None)
    onto.update(fields)


def _named_material(
    members: Members, section: str, name: str, fields: dict[str, Any], materials: Mapping[str, Material]
) -> list[Problem]:
    """Put the material in the place of its name."""
    if "material" not in fields:
        return []
    wanted = fields["material"]
    if wanted in materials:
        fields["material"] = materials[wanted]
        return []
    del fields["material"]
    hint = suggestion(wanted, materials) or (f"; there are {', '.join(materials)}" if materials else "")
    return [Problem(members.place(section, name, "material"), f'no material "{wanted}"{hint}')]


def _rested(
    members: Members, skeleton: Structure, cable: Cable, rule: str, target: float
) -> tuple[Cable, list[Problem]]:
    """The cable with the rest length that a rule asks for; where that cannot be known, `check()` says what is
    missing."""
    if not all(node in skeleton.nodes for node in cable.route):
        return cable, []
    place = members.place("cables", cable.name, "rest_length")
    if rule == "rest_ratio" and target < 0.0:
        return cable, [Problem(place, f"{target:g} must be zero or more")]
    if rule != "rest_ratio":
        grip = cable.stiffness if cable.stiffness is not None else axial_rigidity(cable)
        if grip is None or grip <= 0.0:
            return cable, []
    try:
        rested = with_fields(skeleton, cable, {rule: target})
        rest = rested.rest_length
    except OptionError:
        rest = None
    if rest is None or not 0.0 <= rest < math.inf:
        length = cable_length(skeleton, cable)
        message = (
            f'{target:g} leaves cable "{cable.name}" of {length:g} m no rest length of zero or more; '
            f"lower the {rule} or raise the stiffness"
        )
        return cable, [Problem(place, message)]
    return rested, []
