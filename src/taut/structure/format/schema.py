"""The model file format `taut: 1`: what a file may say, as a schema. What it means is built in `building.py`."""

from __future__ import annotations

import math
from typing import Annotated, Any

from annotated_types import Len
from pydantic import BeforeValidator, model_validator

from taut.structure.format.entries import DirectionEntry, Entry, Name, Number, Vector, one_form, sentence
from taut.structure.format.scenario_schema import ScenarioEntry
from taut.structure.format.tree_schema import TreeEntry

VERSION = 1

REST_RULES = ("rest_length", "rest_ratio", "tension", "force_density")
CONSTRAINT_FORMS = {
    "on_plane": ("normal", "value"),
    "on_line": ("direction",),
    "tied": ("axes",),
    "terms": ("value",),
}
ACTING = ("mode", "stiffness", "damping", "torque")
ANGLE_FORMS = {
    "between": ("about", "value", *ACTING),
    "elbow": ("value", *ACTING),
    "hinge": ("about",),
    "universal_joint": (),
}


class MaterialEntry(Entry):
    density: Number | None = None
    youngs_modulus: Number | None = None
    yield_stress: Number | None = None
    thermal_expansion: Number | None = None
    poisson_ratio: Number | None = None


class BarFields(Entry):
    mass: Number | None = None
    length: Number | None = None
    material: Name | None = None
    radius: Number | None = None
    inner_radius: Number = 0.0
    inertia: Name = "thin"
    law: Name = "rigid"
    stiffness: Number | None = None
    damping: Number = 0.0
    force: Number | None = None


class BarEntry(BarFields):
    nodes: list[Name] | None = None

    @classmethod
    def long_form(cls, data: Any) -> Any:
        return {"nodes": data} if isinstance(data, list) else data


class CableFields(Entry):
    rest_length: Number | None = None
    rest_ratio: Number | None = None
    tension: Number | None = None
    force_density: Number | None = None
    stiffness: Number | None = None
    material: Name | None = None
    radius: Number | None = None
    damping: Number = 0.0
    mass: Number | None = None
    law: Name = "cable"
    segments: int = 1
    mode: Name = "spring"
    command: Number | None = None
    friction: Number = 0.0
    radii: list[Number] = []

    @model_validator(mode="after")
    def _one_rule(self) -> CableFields:
        rules = [rule for rule in REST_RULES if rule in self.model_fields_set]
        if len(rules) > 1:
            raise sentence(f"has more than one rule for the rest length ({', '.join(rules)}); keep one")
        return self


class CableEntry(CableFields):
    route: list[Name] | None = None

    @classmethod
    def long_form(cls, data: Any) -> Any:
        return {"route": data} if isinstance(data, list) else data


class PropertyEntry(Entry):
    """Fields for the members of one kind; the kind comes from the selector (see `_by_kind`)."""

    bar: BarFields | None = None
    cable: CableFields | None = None

    @classmethod
    def long_form(cls, data: Any) -> Any:
        if data == {}:
            raise sentence('the selector must start with "bar:" or "cable:", as in "cable:*" or "bar:top*"')
        return data


def _by_kind(properties: Any) -> Any:
    if not isinstance(properties, dict):
        return properties
    kinds = {selector: selector.partition(":")[0] for selector in properties if ":" in selector}
    return {
        selector: {kinds[selector]: {} if fields is None else fields} if kinds.get(selector) in ("bar", "cable") else {}
        for selector, fields in properties.items()
    }


class ConstraintEntry(Entry):
    on_plane: Name | None = None
    normal: Vector | None = None
    on_line: Name | None = None
    direction: Vector | None = None
    tied: Annotated[list[Name], Len(2, 2)] | None = None
    axes: Name | None = None
    terms: list[tuple[Name, Name, Number]] | None = None
    value: Number | None = None

    @model_validator(mode="after")
    def _one_form(self) -> ConstraintEntry:
        given = self.model_fields_set
        form = one_form(given, CONSTRAINT_FORMS)
        for vector, needed_by in (("normal", "on_plane"), ("direction", "on_line")):
            if form == needed_by and vector not in given:
                raise sentence(f'needs "{vector}", as in {vector}: [0, 0, 1]')
        if form == "on_line" and not 0.0 < math.hypot(*(self.direction or ())) < math.inf:
            raise sentence(f"the direction {self.direction} gives no line; its length must be more than zero")
        return self


class PlateEntry(Entry):
    nodes: list[Name] | None = None
    mass: Number | None = None
    centre: Vector | None = None
    inertia: list[Number] | None = None
    material: Name | None = None
    thickness: Number | None = None
    outline: list[Name] | None = None

    @classmethod
    def long_form(cls, data: Any) -> Any:
        return {"nodes": data} if isinstance(data, list) else data


class AngleEntry(Entry):
    between: Annotated[list[DirectionEntry], Len(2, 2)] | None = None
    elbow: Annotated[list[Name], Len(3, 3)] | None = None
    hinge: Annotated[list[DirectionEntry], Len(2, 2)] | None = None
    universal_joint: Annotated[list[DirectionEntry], Len(2, 2)] | None = None
    about: DirectionEntry | None = None
    value: Number | None = None
    mode: Name = "held"
    stiffness: Number = 0.0
    damping: Number = 0.0
    torque: Number = 0.0

    @model_validator(mode="after")
    def _one_form(self) -> AngleEntry:
        form = one_form(self.model_fields_set, ANGLE_FORMS)
        if form == "hinge" and self.about is None:
            raise sentence('needs "about", the axis that both keep their angle with, as in about: [a, b]')
        return self


class ModelEntry(Entry):
    """A whole file."""

    taut: Name
    name: Name = ""
    nodes: dict[Name, Vector] = {}
    materials: dict[Name, MaterialEntry] = {}
    bars: dict[Name, BarEntry] = {}
    cables: dict[Name, CableEntry] = {}
    properties: Annotated[dict[Name, PropertyEntry], BeforeValidator(_by_kind)] = {}
    supports: dict[Name, Name] = {}
    point_masses: dict[Name, Number] = {}
    plates: dict[Name, PlateEntry] = {}
    angles: dict[Name, AngleEntry] = {}
    constraints: dict[Name, ConstraintEntry] = {}
    groups: dict[Name, list[Name]] = {}
    generate: dict[Name, dict[Name, Any] | None] | None = None
    tree: TreeEntry | None = None
    scenario: ScenarioEntry = ScenarioEntry()
