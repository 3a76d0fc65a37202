"""What drives were asked for beyond what they can do: speeds and forces against their limits, told in a run's notes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from taut.dynamics.trajectory import Trajectory
from taut.mechanics.imposed.drive_checks import fastest
from taut.mechanics.plant_protocol import PlantProtocol
from taut.structure.drives import limit_unit

LIMITS = {"speed_limit": "drive_rate", "force_limit": "drive_force"}
"""Each limit, and what is held against it; of a torque what is commanded, since springs and dampers are no motor's."""


BEYOND = "beyond its limit of"
"""What a note on a limit has in it."""


class DriveLimits:
    """The largest speeds and forces of a run's drives, chunk after chunk."""

    def __init__(self, plant: PlantProtocol) -> None:
        self._plant, self.drives = plant, drive_facts(plant)
        self._worst: dict[tuple[str, int], tuple[float, float]] = {}

    def look(self, part: Trajectory) -> None:
        """At samples."""
        for limit, name in LIMITS.items():
            values = np.abs(getattr(part, name))
            if limit == "force_limit":
                turning = [drive["quantity"] == "torque" for drive in self.drives]
                values = np.where(turning, np.abs(part.drive_value), values)
            for k in range(values.shape[1] if len(values) else 0):
                at = int(np.argmax(values[:, k]))
                self._take(limit, k, float(values[at, k]), float(part.time[at]))

    def _take(self, limit: str, k: int, value: float, time: float) -> None:
        if value > self._worst.get((limit, k), (0.0, 0.0))[0]:
            self._worst[limit, k] = value, time

    def notes(self, until: float) -> tuple[str, ...]:
        """Where a limit was passed; speeds by the signals themselves up to that time, forces at samples."""
        if self._plant.points is not None:
            for k, driven in enumerate(self._plant.points.given.driven):
                if driven.drive.speed_limit is not None:  # a signal of many steps takes long to look through
                    self._take("speed_limit", k, *fastest(driven, until))
        told = []
        for (limit, k), (value, time) in sorted(self._worst.items()):
            most, unit = self.drives[k].get(limit), limit_unit(limit, self.drives[k]["unit"])
            if most is not None and value > most * (1.0 + 1e-9):
                what = limit.removesuffix("_limit")
                told.append(
                    f'the drive "{self.drives[k]["name"]}" needs a {what} of {value:.4g} {unit} at t = {time:.6g} s, '
                    f"{100.0 * (value / most - 1.0):.3g} % {BEYOND} {most:g} {unit}"
                )
        return tuple(told)


def drive_facts(plant: PlantProtocol) -> Sequence[Mapping[str, Any]]:
    """Of every driven member: names, quantity, unit, radius of the drum and limits; as a file gives them back."""
    if plant.points is None:
        return ()
    return [
        {
            "name": driven.label,
            "member": f"{driven.kind}:{driven.member}",
            "quantity": driven.drive.quantity,
            "unit": driven.unit,
            "drum_radius": driven.drive.drum_radius,
            "speed_limit": driven.drive.speed_limit,
            "force_limit": driven.drive.force_limit,
        }
        for driven in plant.points.given.driven
    ]
