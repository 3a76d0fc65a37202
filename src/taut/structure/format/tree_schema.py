"""What a model file may say under `tree`, as a schema. What it means is built in `tree_building.py`."""

from __future__ import annotations

from typing import Annotated, Any

from annotated_types import Len
from pydantic import model_validator

from taut.structure.format.entries import Entry, Name, Number, Vector, one_form, sentence
from taut.structure.format.scenario_schema import SignalEntry

MatrixEntry = Annotated[list[Vector], Len(3, 3)]

SOURCES = {"generate": (), "urdf": (), "joints": ("loops", "wrenches", "spans")}
"""Where a tree comes from, and what else may be said with it."""


class CylinderEntry(Entry):
    radius: Number
    height: Number
    density: Number
    centre: Vector = [0.0, 0.0, 0.0]
    axis: Vector = [0.0, 0.0, 1.0]


class TubeEntry(Entry):
    outer_diameter: Number
    inner_diameter: Number
    length: Number
    density: Number
    centre: Vector = [0.0, 0.0, 0.0]
    axis: Vector = [0.0, 0.0, 1.0]


class CubeEntry(Entry):
    side: Number
    density: Number
    centre: Vector = [0.0, 0.0, 0.0]


class SolidEntry(Entry):
    """A box."""

    sides: Vector
    density: Number
    centre: Vector = [0.0, 0.0, 0.0]


class RigidBodyEntry(Entry):
    """One primitive, or mass, centre and inertia; a text alone names a body without mass."""

    name: Name | None = None
    cylinder: CylinderEntry | None = None
    tube: TubeEntry | None = None
    cube: CubeEntry | None = None
    box: SolidEntry | None = None
    mass: Number = 0.0
    centre: Vector = [0.0, 0.0, 0.0]
    inertia: MatrixEntry | None = None

    @classmethod
    def long_form(cls, data: Any) -> Any:
        return {"name": data} if isinstance(data, str) else data

    @model_validator(mode="after")
    def _one_shape(self) -> RigidBodyEntry:
        shapes: dict[str, tuple[str, ...]] = dict.fromkeys(("cylinder", "tube", "cube", "box"), ("name",))
        if self.model_fields_set & set(shapes):
            one_form(set(self.model_fields_set), shapes)
        return self


class TurnEntry(Entry):
    about: Vector
    by: Number

    @model_validator(mode="after")
    def _has_axis(self) -> TurnEntry:
        if not any(self.about):
            raise sentence("turns about no axis; give one, as in about: [0, 0, 1]")
        return self


class PulleyCableEntry(Entry):
    radius: Number
    stiffness: Number = 0.0
    damping: Number = 0.0
    variant: Name = "strain"
    law: Name = "energy-consistent"
    pushes: bool = False
    longest: Number | None = None


class TreeJointEntry(Entry):
    kind: Name
    parent: Name = "world"
    body: RigidBodyEntry = RigidBodyEntry()
    at: Vector = [0.0, 0.0, 0.0]
    rotation: MatrixEntry | None = None
    turned: TurnEntry | None = None
    axes: list[Vector] = []
    values: list[Number] = []
    rates: list[Number] = []
    driven: bool = False
    damping: Number = 0.0
    cable: PulleyCableEntry | None = None

    @model_validator(mode="after")
    def _one_rotation(self) -> TreeJointEntry:
        if self.rotation is not None and self.turned is not None:
            raise sentence("has a rotation and is turned; say one of them")
        return self


class LoopEntry(Entry):
    predecessor: Name
    successor: Name
    kind: Name = "point"
    at: Vector = [0.0, 0.0, 0.0]
    to: Vector = [0.0, 0.0, 0.0]
    rotation: MatrixEntry | None = None
    to_rotation: MatrixEntry | None = None
    torque: SignalEntry | None = None
    damping: Number = 0.0


class WrenchEntry(Entry):
    body: Name
    force: Vector = [0.0, 0.0, 0.0]
    torque: Vector = [0.0, 0.0, 0.0]
    at: Vector = [0.0, 0.0, 0.0]
    signal: SignalEntry | None = None


class ContactPointEntry(Entry):
    body: Name
    at: Vector = [0.0, 0.0, 0.0]


class SpanEntry(Entry):
    pulleys: Annotated[list[Name], Len(2, 2)]
    radii: Annotated[list[Number], Len(2, 2)]
    stiffness: Number
    damping: Number = 0.0
    natural: Number | None = None
    side: Name = "left"
    crossed: bool = False
    wound: Annotated[list[Number | None], Len(2, 2)] = [None, None]


class UrdfEntry(Entry):
    """A file beside the model's; its text is put in place before the schema sees it (`records.py`)."""

    file: Name | None = None
    text: str | None = None
    floating: bool = False

    @classmethod
    def long_form(cls, data: Any) -> Any:
        return {"file": data} if isinstance(data, str) else data

    @model_validator(mode="after")
    def _has_text(self) -> UrdfEntry:
        if self.text is None and self.file is None:
            raise sentence("needs a file, as in urdf: arm.urdf")
        if self.text is None:
            raise sentence("a robot description is read beside a model file; in a text alone give its text")
        if not self.text.strip():
            raise sentence("is empty; give the description of a robot, which begins with <robot")
        return self


class StartEntry(Entry):
    values: list[Number] | None = None
    rates: list[Number] | None = None


class TreeEntry(Entry):
    generate: dict[Name, dict[Name, Any] | None] | None = None
    urdf: UrdfEntry | None = None
    joints: dict[Name, TreeJointEntry] | None = None
    loops: dict[Name, LoopEntry] = {}
    wrenches: dict[Name, WrenchEntry] = {}
    points: dict[Name, ContactPointEntry] = {}
    spans: dict[Name, SpanEntry] = {}
    start: dict[Name, StartEntry] = {}
    torques: dict[Name, SignalEntry] = {}

    @model_validator(mode="after")
    def _one_source(self) -> TreeEntry:
        one_form(set(self.model_fields_set) - {"start", "torques", "points"}, SOURCES)
        return self
