"""What a model file may say of sensors and controllers, as a schema. What it means is built in `controlling.py`."""

from __future__ import annotations

from typing import Annotated, Any

from annotated_types import Len
from pydantic import AfterValidator, BeforeValidator, Discriminator, Field, Tag, model_validator

from taut.structure.format.entries import DirectionEntry, Entry, Name, Number, one_form, sentence

SENSED = ("quantity", "angle")
LAWS = ("linear", "pd")


def _rows(matrix: Any) -> Any:
    """A number is a matrix of one, and a list one row."""
    if isinstance(matrix, str):
        return [[matrix]]
    flat = isinstance(matrix, list) and not any(isinstance(row, list) for row in matrix)
    return [matrix] if flat else matrix


def _even(matrix: list[list[float]]) -> list[list[float]]:
    counts = sorted({len(row) for row in matrix})
    if len(counts) > 1:
        raise sentence(f"has rows of {' and '.join(map(str, counts))} numbers; all rows of a matrix have as many")
    return matrix


def _listed(names: Any) -> Any:
    return [names] if isinstance(names, str) else names


def _form(value: Any) -> str:
    return "list" if isinstance(value, list) else "number"


Matrix = Annotated[list[list[Number]], BeforeValidator(_rows), AfterValidator(_even)]
Names = Annotated[list[Name], BeforeValidator(_listed)]
Limit = Annotated[float, Field(allow_inf_nan=True)]
Gain = Annotated[Annotated[Matrix, Tag("list")] | Annotated[Number, Tag("number")], Discriminator(_form)]
Several = Annotated[Annotated[list[Number], Tag("list")] | Annotated[Number, Tag("number")], Discriminator(_form)]
Limits = Annotated[Annotated[list[Limit], Tag("list")] | Annotated[Limit, Tag("number")], Discriminator(_form)]


class MeasuredAngleEntry(Entry):
    between: Annotated[list[DirectionEntry], Len(2, 2)] | None = None
    elbow: Annotated[list[Name], Len(3, 3)] | None = None
    about: DirectionEntry | None = None

    @model_validator(mode="after")
    def _one_form(self) -> MeasuredAngleEntry:
        one_form(self.model_fields_set, {"between": ("about",), "elbow": ()})
        return self


class SensorEntry(Entry):
    quantity: Name | None = None
    angle: MeasuredAngleEntry | None = None
    rate: Number | None = None
    noise: Number = 0.0
    bias: Number = 0.0
    resolution: Number = 0.0
    delay: Number = 0.0
    seed: int = 0

    @classmethod
    def long_form(cls, data: Any) -> Any:
        return {"quantity": data} if isinstance(data, str) else data

    @model_validator(mode="after")
    def _one_thing(self) -> SensorEntry:
        one_form(self.model_fields_set & {*SENSED}, dict.fromkeys(SENSED, ()))
        return self


class LinearEntry(Entry):
    d: Matrix
    a: Matrix | None = None
    b: Matrix | None = None
    c: Matrix | None = None
    measured_offset: Several = 0.0
    command_offset: Several = 0.0


class PdEntry(Entry):
    proportional: Gain
    derivative: Gain = 0.0
    setpoint: Several = 0.0
    command_offset: Several = 0.0
    filter: Number = 0.0


class LawEntry(Entry):
    linear: LinearEntry | None = None
    pd: PdEntry | None = None

    @model_validator(mode="after")
    def _one_law(self) -> LawEntry:
        one_form(self.model_fields_set, dict.fromkeys(LAWS, ()))
        return self


class ControllerEntry(Entry):
    measured: Names
    commands: Names
    law: LawEntry
    rate: Number | None = None
    delay: Number = 0.0
    hold: Name = "zero"
    lowest: Limits | None = None
    highest: Limits | None = None
    fastest: Limits | None = None
    state: list[Number] = []
    deadline: Number | None = None
