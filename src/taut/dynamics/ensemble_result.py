"""An Ensemble: what many variants of one plant gave, arrays with a leading axis."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from taut.dynamics.samples import VARIABLES
from taut.dynamics.trajectory import SAMPLED, Trajectory, of_samples
from taut.errors import suggestion
from taut.labelled import Labelled, Tabular
from taut.structure.events import Event
from taut.structure.labels import labels_of
from taut.structure.structure import Structure, massed, with_masses

FIELDS = tuple(name for name in SAMPLED if name not in ("time", "coordinate", "coordinate_rate", "multiplier"))
"""What an Ensemble may keep of every variant."""


@dataclass(frozen=True, repr=False)
class Ensemble(Tabular):
    """N variants over time: the fields of a Trajectory with a leading axis, and a status, notes and events of each.

    Variants are not compared with other runs, as `simulate` compares a single one.

    What a variant that failed did not reach is NaN, and its status says why. `ensemble[k]` is variant k by itself.
    options: how all were made, as a Trajectory has them. varied: of a rollout, the numbers in which they differ, by
    address, with the noise of their seeds. plants: structures and surroundings, where plants of their own were given.
    """

    structure: Structure
    time: np.ndarray  # (T,)
    samples: Mapping[str, np.ndarray]  # (N, T, ...) each
    status: tuple[str, ...]
    notes: tuple[tuple[str, ...], ...]
    events: tuple[tuple[Event, ...], ...]
    sound: tuple[bool, ...]
    load_names: tuple[str, ...] = ()
    drive_names: tuple[str, ...] = ()
    sensor_names: tuple[str, ...] = ()
    contact_names: tuple[str, ...] = ()
    element_names: tuple[str, ...] = ()
    options: Mapping[str, Any] = field(default_factory=dict)
    varied: Mapping[str, np.ndarray] = field(default_factory=dict)
    seeds: tuple[int, ...] = ()
    plants: tuple[tuple[Structure, Mapping[str, Any]], ...] = ()  # of each that was given as a plant of its own

    def __getattr__(self, name: str) -> np.ndarray:
        """Any field of a Trajectory that has samples."""
        if name.startswith("_") or name not in FIELDS:
            raise AttributeError(f"an Ensemble has no {name!r}{suggestion(name, FIELDS)}")
        if name not in self.samples:
            raise AttributeError(f"this Ensemble was made without {name!r}; name it in `fields`")
        return self.samples[name]

    def __dir__(self) -> list[str]:
        return [*super().__dir__(), *self.samples]

    @property
    def ok(self) -> np.ndarray:
        """(N,) whether each variant finished, with its energy in balance."""
        return np.array([status.startswith("finished") for status in self.status]) & self.sound

    def labelled(self) -> Labelled:
        """One row a sample of a variant."""
        kept = {name: VARIABLES[name] for name in self.samples}
        return Labelled(
            ("variant", "time"),
            {
                "variant": range(len(self)),
                "time": self.time,
                **labels_of(self.structure),
                "loaded": self.load_names,
                "drive": self.drive_names,
                "sensor": self.sensor_names,
                "contact": self.contact_names,
                "element": self.element_names,
            },
            {name: one._replace(dimensions=("variant", *one.dimensions)) for name, one in kept.items()},
            self.samples,
        )

    def __len__(self) -> int:
        return len(self.status)

    def __getitem__(self, k: int) -> Trajectory:
        """Variant k, as far as it came; with the samples that were kept."""
        reached = np.isfinite(self.samples["nodes"][k].reshape(self.time.size, -1)).all(axis=1)
        taken = {name: values[k][reached] for name, values in self.samples.items()}
        return replace(
            of_samples(self.structure_of(k), {"time": self.time[reached], **taken}),
            status=self.status[k],
            sound=self.sound[k],
            notes=self.notes[k],
            events=self.events[k],
            load_names=self.load_names,
            drive_names=self.drive_names,
            sensor_names=self.sensor_names,
            contact_names=self.contact_names,
            element_names=self.element_names,
            options=self.options_of(k),
        )

    def structure_of(self, k: int) -> Structure:
        """That of variant k, with its own masses, or of the plant that it is."""
        own = structure = self.plants[k][0] if self.plants else self.structure
        for text, numbers in self.varied.items():
            if text.endswith(".mass"):
                structure = with_masses(structure, massed(own, text.removesuffix(".mass")), numbers[k])
        return structure

    def options_of(self, k: int) -> dict[str, Any]:
        """Those of variant k, with its own gravity."""
        own = {"gravity": self.varied["gravity"][k].tolist()} if "gravity" in self.varied else {}
        return {**self.options, **(self.plants[k][1] if self.plants else {}), **own}

    def __repr__(self) -> str:
        return f"<Ensemble of {len(self.status)} variants, {self.time.size} samples, {int(self.ok.sum())} finished>"
