"""What a run keeps of gravity, grounds, drives and pulleys, for whoever asks later where down is, what was touched,
which members change their length because they are told to, and what is to be drawn."""

from __future__ import annotations

from typing import Any

from taut.dynamics.drive_limits import drive_facts
from taut.mechanics.plant_protocol import PlantProtocol
from taut.structure.ground_facts import facts_of


def surroundings(plant: PlantProtocol) -> dict[str, Any]:
    """As a file gives them back; of plants without nodes only trees of bodies have any: pulleys, and where these stand
    on grounds gravity and the grounds."""
    ground = {"ground": facts_of(plant.grounds)} if plant.grounds else {}
    if plant.points is not None:
        drives = {"drives": list(told)} if (told := drive_facts(plant)) else {}
        return {"gravity": list(plant.points.given.gravity), **drives, **ground}
    pulleys = {"pulleys": list(told)} if (told := getattr(plant, "pulleys", ())) else {}
    gravity = {"gravity": list(getattr(plant, "gravity", ()))} if ground else {}
    return {**gravity, **ground, **pulleys}
