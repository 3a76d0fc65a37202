"""Gaits that come with taut: found by `taut gait search`, kept with their statistics, run by anyone.

They are in `examples/gaits.json`; `python -m benchmarks.gait_search --keep` writes it from the gait files of searches.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from taut.errors import FileError, OptionError, suggestion
from taut.locomotion.face_sequences import FaceSequence
from taut.locomotion.gait_spaces import Gait, gait_data, gait_from
from taut.output.gait_search.finding import sloped
from taut.output.gait_search.replaying import moved_by
from taut.reprs import brief
from taut.search.goals import Score
from taut.search.options import SearchOptions
from taut.structure.examples import example, examples
from taut.structure.files import Model, read_model

FILE = "gaits.json"

COLUMNS = (
    "gait", "symmetry", "slope [deg]", "in 10 s [m]", "at h/10 [m]", "cost of transport", "face changes",
    "different", "faces", "collided",
)  # fmt: skip
"""Of `ShippedGait.row`."""


@dataclass(frozen=True)
class ShippedGait:
    """A gait of an example, and what it came to.

    model: the example. slope: [degrees], uphill along `heading` [degrees from x towards y]. symmetry: its class, as
    `gait_symmetries` names it, or in words. goal: in words. distance: the goal over copies at `step` [s]; finer: at a
    tenth of it. cost: of transport. faces: that it stands on. collided: of those copies, how many had members that went
    through one another, which neither motion nor search feels. search: the command that found it.
    """

    name: str
    model: str
    slope: float
    heading: float
    symmetry: str
    goal: str
    gait: Gait
    duration: float
    step: float
    distance: Score
    finer: Score
    checks: Mapping[str, Score]
    cost: Score
    faces: FaceSequence
    collided: int
    search: str

    __repr__ = brief

    def row(self) -> tuple[str | float, ...]:
        faces = (self.faces.changes, self.faces.visited, self.faces.words())
        return (
            self.name,
            self.symmetry,
            self.slope,
            str(self.distance),
            str(self.finer),
            str(self.cost),
            *faces,
            self.collided,
        )

    def data(self) -> dict[str, Any]:
        """As JSON can hold it."""
        return {**asdict(self), "gait": gait_data(self.gait)}


def shipped_from(data: Mapping[str, Any]) -> ShippedGait:
    """The gait that `data` told."""
    told: dict[str, Any] = {name: tuple(value) if isinstance(value, list) else value for name, value in data.items()}
    stood = data["faces"]
    told["faces"] = FaceSequence(
        **{**stood, "faces": tuple(map(tuple, stood["faces"])), "kinds": tuple(stood["kinds"])}
    )
    for name in ("distance", "finer", "cost"):
        told[name] = Score(**data[name])
    told["gait"] = gait_from(data["gait"])
    told["checks"] = {what: Score(**one) for what, one in data["checks"].items()}
    return ShippedGait(**told)


def gaits_shipped() -> tuple[ShippedGait, ...]:
    """All that come with taut."""
    path = zoo_file()
    try:
        return tuple(map(shipped_from, json.loads(path.read_text())))
    except (OSError, ValueError, TypeError, KeyError) as error:
        raise FileError(f"{path}: is not a file of gaits ({error}); install taut anew") from None


def zoo_file() -> Path:
    """Where they are: beside the examples."""
    return examples()[0].with_name(FILE)


def gait_named(name: str) -> ShippedGait:
    known = {one.name: one for one in gaits_shipped()}
    if name not in known:
        raise OptionError(f'no gait "{name}"{suggestion(name, known) or "; `taut gait zoo` lists them"}')
    return known[name]


def zoo_model(one: ShippedGait) -> Model:
    """The model that runs by a gait."""
    model = sloped(read_model(example(one.model)), one.slope, one.heading)
    options = SearchOptions(duration=one.duration, step=one.step)
    return moved_by(model, one.gait, options, f"gait {one.name}")
