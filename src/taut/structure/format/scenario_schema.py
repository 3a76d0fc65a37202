"""What a model file may say under `scenario`, as a schema. What it means is built in `staging.py`."""

from __future__ import annotations

from typing import Annotated, Any

from annotated_types import Len
from pydantic import BeforeValidator, create_model, model_validator

from taut.errors import suggestion
from taut.structure.format.control_schema import ControllerEntry, SensorEntry
from taut.structure.format.entries import Entry, Name, Number, Vector, sentence
from taut.structure.signals import DEEPEST, too_deep


def _no_word(value: Any) -> Any:
    """The only word that a signal can be is `command`."""
    if isinstance(value, str) and (hint := suggestion(value, ["command"])):
        raise sentence(f'"{value}" is not a number{hint}')
    return value


class ConstantEntry(Entry):
    value: Annotated[Number, BeforeValidator(_no_word)]


class SinusoidEntry(Entry):
    amplitude: Number
    frequency: Number
    phase: Number = 0.0
    mean: Number = 0.0


class DoubletEntry(Entry):
    amplitude: Number
    width: Number
    start: Number = 0.0


class CosineRampEntry(create_model("_From", __base__=Entry, **{"from": (Number, ...)})):  # type: ignore[misc]
    """`from` is a word of Python's, which no class body can name."""

    to: Number
    start: Number
    end: Number


class TableEntry(Entry):
    times: list[Number]
    values: list[Number]
    slopes: list[Number] | None = None


class StepsEntry(Entry):
    times: list[Number]
    values: list[Number]


class CommandEntry(Entry):
    start: Number = 0.0

    @classmethod
    def long_form(cls, data: Any) -> Any:
        return {"start": data} if isinstance(data, str) else data


class RecordEntry(Entry):
    """A table in a file beside the model's; it is put in place before the schema sees it (`records.py`)."""

    file: Name
    scale: Number = 1.0


class SmoothStartEntry(Entry):
    signal: SignalEntry
    start: Number
    over: Number


class SignalEntry(Entry):
    constant: ConstantEntry | None = None
    sinusoid: SinusoidEntry | None = None
    doublet: DoubletEntry | None = None
    cosine_ramp: CosineRampEntry | None = None
    table: TableEntry | None = None
    steps: StepsEntry | None = None
    command: CommandEntry | None = None
    record: RecordEntry | None = None
    smooth_start: SmoothStartEntry | None = None
    sum: list[SignalEntry] | None = None

    @classmethod
    def long_form(cls, data: Any) -> Any:
        if data == "command":
            return {"command": {}}
        return {"constant": {"value": data}} if isinstance(data, str) else data

    @model_validator(mode="after")
    def _one_signal(self) -> SignalEntry:
        if len(self.model_fields_set) != 1:
            raise sentence(f"must be a number or one of {', '.join(type(self).model_fields)}")
        if self.record is not None:
            raise sentence("a record is read beside a model file; in a text alone write it out as a table")
        if self.depth > DEEPEST:
            raise sentence(too_deep())
        return self

    @property
    def depth(self) -> int:
        """Of sums and smooth starts inside one another."""
        inner = [self.smooth_start.signal] if self.smooth_start is not None else self.sum or []
        nests = self.smooth_start is not None or self.sum is not None
        return int(nests) + max((signal.depth for signal in inner), default=0)


class LoadEntry(Entry):
    node: Name
    axis: Name
    signal: SignalEntry


class WatchEntry(Entry):
    node: Name | None = None
    axis: Name | None = None
    normal: Vector | None = None
    level: Number | None = None
    nodes: Annotated[list[Name], Len(2, 2)] | None = None
    length: Number | None = None
    cable: Name | None = None
    tension: Number | None = None
    time: Number | None = None
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
    velocity: Number = 0.0

    @classmethod
    def long_form(cls, data: Any) -> Any:
        one = isinstance(data, dict) and isinstance(data.get("supports"), str)
        return {**data, "supports": [data["supports"]]} if one else data


class DriveEntry(Entry):
    member: Name
    quantity: Name
    to: SignalEntry | None = None
    by: SignalEntry | None = None
    drum_radius: Number | None = None
    speed_limit: Number | None = None
    force_limit: Number | None = None


class PlaneEntry(Entry):
    normal: Vector = [0.0, 0.0, 1.0]
    point: Vector = [0.0, 0.0, 0.0]


class BoxEntry(Entry):
    centre: Vector
    size: Vector
    turned: Number = 0.0


class TerrainEntry(Entry):
    heights: list[list[Number]]
    spacing: Annotated[list[Number], Len(2, 2)] = [1.0, 1.0]
    corner: Annotated[list[Number], Len(2, 2)] = [0.0, 0.0]


class ComplianceEntry(Entry):
    stiffness: Number = 1e5
    damping: Number = 50.0
    friction_law: Name = "bristle"
    tangential_stiffness: Number | None = None
    tangential_damping: Number | None = None
    threshold: Number = 0.01


class GroundEntry(Entry):
    plane: PlaneEntry | None = None
    box: BoxEntry | None = None
    terrain: TerrainEntry | None = None
    friction: Number = 0.5
    static_friction: Number | None = None
    restitution: Number = 0.0
    touched_by: list[Name] = ["node:*", "bar:*"]
    radius: Number = 0.0
    compliance: ComplianceEntry | None = None


class JointEntry(Entry):
    at: Vector | Name
    carries: list[Name] = []
    turns: list[Vector] = []
    slides: list[Vector] = []
    on: Name | None = None
    values: list[Number] = []
    rates: list[Number] = []
    stiffness: list[Number] = []
    damping: list[Number] = []
    rest: list[Number] = []


class DampingEntry(Entry):
    node: Number = 0.0
    mass: Number = 0.0
    stiffness: Number = 0.0


class CorrectionEntry(Entry):
    kind: Name | None = None
    tolerance: Number | None = None
    energy_tolerance: Number | None = None
    iterations: int | None = None
    metric: Name | None = None
    time: Number | None = None
    gains: Annotated[list[Number], Len(2, 2)] | None = None
    order: Name | None = None
    threshold: Number | None = None

    @classmethod
    def long_form(cls, data: Any) -> Any:
        return {"kind": data} if isinstance(data, str) else data


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
    drives: dict[Name, DriveEntry] = {}
    sensors: dict[Name, SensorEntry] = {}
    controllers: dict[Name, ControllerEntry] = {}
    ground: dict[Name, GroundEntry] = {}
    joints: dict[Name, JointEntry] = {}
    damping: DampingEntry = DampingEntry()
    events: dict[Name, WatchEntry] = {}
    velocities: dict[Name, Vector] = {}
    duration: Number = 1.0
    every: Number | None = None
    method: Name = "dp5"
    tolerance: Number = 1e-8
    step: Number | None = None
    correction: CorrectionEntry | None = None
    locate: bool | None = None
    on_collision: Name = "warn"
    clearance: Number = 0.0
    solver: Name = "direct"
