"""What a run keeps of its sensors beside their readings, and gives back."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from taut.dynamics.trajectory import Trajectory
from taut.mechanics.plant_protocol import PlantProtocol
from taut.structure.sensing import UNITS, quantities_of


class SensorFacts(NamedTuple):
    """unit: of its readings, "" where it is not known. rate: [Hz]; None: it measured at every sample."""

    name: str
    unit: str
    rate: float | None


def sensor_facts(plant: PlantProtocol) -> Sequence[Mapping[str, Any]]:
    """Of every sensor, as a file gives them back."""
    if plant.points is None:
        return ()
    given = plant.points.given
    structure = given.structure
    units = [
        UNITS[quantities_of(structure, one.quantity, given.grounds)[0].quantity]
        if isinstance(one.quantity, str)
        else "rad"
        for one in given.sensors
    ]
    return [SensorFacts(one.name, unit, one.rate)._asdict() for one, unit in zip(given.sensors, units, strict=True)]


def sensors_of(run: Trajectory) -> list[SensorFacts]:
    """Of every sensor of a run; runs that were stepped by hand know their names only."""
    known = {fact["name"]: SensorFacts(**fact) for fact in run.options.get("sensors", ())}
    return [known.get(name, SensorFacts(name, "", None)) for name in run.sensor_names]
