"""The model file format `taut: 1`: what a file may say, as a schema. What it means is built in `building.py`.

Every value arrives as text (see `lines.py`) and gets its type here. A key without a value counts as left out.
"""

from __future__ import annotations

import math
from typing import Annotated, Any

from annotated_types import Len
from pydantic import BaseModel, BeforeValidator, ConfigDict, StringConstraints, model_validator
from pydantic_core import PydanticCustomError

VERSION = 1
NAME_LIMIT = 200
"""Characters in a name; YAML itself ends a key at 1024."""

REST_RULES = ("rest_length", "rest_ratio", "tension", "force_density")
CONSTRAINT_FORMS = {
    "on_plane": ("normal", "value"),
    "on_line": ("direction",),
    "tied": ("axes",),
    "terms": ("value",),
}
CORRECTIONS = ("none", "constraints", "energy", "baumgarte")

Name = Annotated[str, StringConstraints(max_length=NAME_LIMIT)]
Vector = Annotated[list[float], Len(3, 3)]


def sentence(text: str) -> PydanticCustomError:
    """An error that is already said in plain words."""
    return PydanticCustomError("sentence", "{text}", {"text": text})


class Entry(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, allow_inf_nan=False)

    @model_validator(mode="before")
    @classmethod
    def _given(cls, data: Any) -> Any:
        data = cls.long_form(data)
        return {key: value for key, value in data.items() if value is not None} if isinstance(data, dict) else data

    @classmethod
    def long_form(cls, data: Any) -> Any:
        """Write a short form out, such as the bare route of a cable."""
        return data

    def own(self) -> dict[str, Any]:
        """The fields that the file gives."""
        return {name: getattr(self, name) for name in self.model_fields_set}


class MaterialEntry(Entry):
    density: float | None = None
    youngs_modulus: float | None = None
    yield_stress: float | None = None
    thermal_expansion: float | None = None
    poisson_ratio: float | None = None


class BarFields(Entry):
    mass: float | None = None
    length: float | None = None
    material: Name | None = None
    radius: float | None = None
    inner_radius: float = 0.0
    inertia: Name = "thin"
    law: Name = "rigid"
    stiffness: float | None = None
    damping: float = 0.0


class BarEntry(BarFields):
    nodes: list[Name] | None = None

    @classmethod
    def long_form(cls, data: Any) -> Any:
        return {"nodes": data} if isinstance(data, list) else data


class CableFields(Entry):
    rest_length: float | None = None
    rest_ratio: float | None = None
    tension: float | None = None
    force_density: float | None = None
    stiffness: float | None = None
    material: Name | None = None
    radius: float | None = None
    damping: float = 0.0
    mass: float | None = None
    law: Name = "cable"
    segments: int = 1

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
    terms: list[tuple[Name, Name, float]] | None = None
    value: float | None = None

    @model_validator(mode="after")
    def _one_form(self) -> ConstraintEntry:
        given = self.model_fields_set
        forms = [form for form in CONSTRAINT_FORMS if form in given]
        if len(forms) != 1:
            raise sentence(
                f"must say one of {', '.join(CONSTRAINT_FORMS)}" + (f", not {' and '.join(forms)}" if forms else "")
            )
        (form,) = forms
        strays = sorted(given - {form, *CONSTRAINT_FORMS[form]})
        if strays:
            raise sentence(f'"{strays[0]}" does not go with {form}')
        for vector, needed_by in (("normal", "on_plane"), ("direction", "on_line")):
            if form == needed_by and vector not in given:
                raise sentence(f'needs "{vector}", as in {vector}: [0, 0, 1]')
        if form == "on_line" and not 0.0 < math.hypot(*(self.direction or ())) < math.inf:
            raise sentence(f"the direction {self.direction} gives no line; its length must be more than zero")
        return self


class ConstantEntry(Entry):
    value: float


class SinusoidEntry(Entry):
    amplitude: float
    frequency: float
    phase: float = 0.0
    mean: float = 0.0


class DoubletEntry(Entry):
    amplitude: float
    width: float
    start: float = 0.0


class TableEntry(Entry):
    times: list[float]
    values: list[float]
    slopes: list[float] | None = None


class RecordEntry(Entry):
    """A table in a file beside the model's; it is put in place before the schema sees it (`records.py`)."""

    file: Name
    scale: float = 1.0


class SignalEntry(Entry):
    constant: ConstantEntry | None = None
    sinusoid: SinusoidEntry | None = None
    doublet: DoubletEntry | None = None
    table: TableEntry | None = None
    record: RecordEntry | None = None

    @classmethod
    def long_form(cls, data: Any) -> Any:
        return {"constant": {"value": data}} if isinstance(data, str) else data

    @model_validator(mode="after")
    def _one_signal(self) -> SignalEntry:
        if len(self.model_fields_set) != 1:
            raise sentence("must be a number or one of constant, sinusoid, doublet, table, record")
        if self.record is not None:
            raise sentence("a record is read beside a model file; in a text alone write it out as a table")
        return self


class LoadEntry(Entry):
    node: Name
    axis: Name
    signal: SignalEntry


class WatchEntry(Entry):
    node: Name | None = None
    axis: Name | None = None
    normal: Vector | None = None
    level: float | None = None
    nodes: Annotated[list[Name], Len(2, 2)] | None = None
    length: float | None = None
    cable: Name | None = None
    tension: float | None = None
    time: float | None = None
    sense: Name | None = None
    then: Name = "record"
    cut: list[Name] = []

    @classmethod
    def long_form(cls, data: Any) -> Any:
        if isinstance(data, dict) and isinstance(data.get("cut"), str):
            return {**data, "cut": [data["cut"]]}
        return data


class MotionEntry(Entry):
    """Supports may be one selector or a list of them."""

    supports: list[Name] = ["*"]
    axis: Name
    displacement: SignalEntry | None = None
    acceleration: SignalEntry | None = None
    velocity: float = 0.0

    @classmethod
    def long_form(cls, data: Any) -> Any:
        one = isinstance(data, dict) and isinstance(data.get("supports"), str)
        return {**data, "supports": [data["supports"]]} if one else data


class DampingEntry(Entry):
    node: float = 0.0
    mass: float = 0.0
    stiffness: float = 0.0


def _downwards(gravity: Any) -> Any:
    """A number is gravity along -z."""
    if not isinstance(gravity, str):
        return gravity
    try:
        strength = float(gravity)
    except ValueError:
        raise sentence(f'"{gravity[:40]}" is not a number, nor a list of three') from None
    return [0.0, 0.0, -strength if strength else 0.0]


class ScenarioEntry(Entry):
    gravity: Annotated[Vector, BeforeValidator(_downwards)] = [0.0, 0.0, 0.0]
    loads: dict[Name, LoadEntry] = {}
    motions: dict[Name, MotionEntry] = {}
    damping: DampingEntry = DampingEntry()
    events: dict[Name, WatchEntry] = {}
    velocities: dict[Name, Vector] = {}
    duration: float = 1.0
    every: float | None = None
    method: Name = "dp5"
    tolerance: float = 1e-8
    step: float | None = None
    correction: Name | None = None
    locate: bool | None = None
    solver: Name = "direct"


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
    point_masses: dict[Name, float] = {}
    constraints: dict[Name, ConstraintEntry] = {}
    groups: dict[Name, list[Name]] = {}
    generate: dict[Name, dict[Name, Any] | None] | None = None
    scenario: ScenarioEntry = ScenarioEntry()
