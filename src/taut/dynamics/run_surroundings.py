"""What a run keeps of gravity and grounds, for whoever asks later where down is and what was touched."""

from __future__ import annotations

from typing import Any

from taut.mechanics.plant_protocol import PlantProtocol
from taut.structure.ground_facts import facts_of


def surroundings(plant: PlantProtocol) -> dict[str, Any]:
    """As a file gives them back; a plant without nodes has neither, but for a tree of bodies that stands on grounds."""
    ground = {"ground": facts_of(plant.grounds)} if plant.grounds else {}
    if plant.points is not None:
        return {"gravity": list(plant.points.given.gravity), **ground}
    return {"gravity": list(getattr(plant, "gravity", ())), **ground} if ground else {}
