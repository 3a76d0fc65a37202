"""Which member a step of fixed size was too long for."""

from __future__ import annotations

import numpy as np

from taut.mechanics.plant_protocol import PlantProtocol

NOTABLE = 0.1
"""Of its length: how far the ends of a member pass each other in a step that is worth a word."""


def wildest_member(plant: PlantProtocol, y: np.ndarray, h: float) -> str:
    """The member whose ends pass each other farthest in a step of h at a state, in words; nothing where none does."""
    structure, n = plant.structure, plant.coordinates
    if y.ndim > 1 or n != 3 * len(structure.nodes) or not np.isfinite(y[: 2 * n]).all():
        return ""
    place = {node: k for k, node in enumerate(structure.nodes)}
    places, speeds = y[:n].reshape(-1, 3), y[n : 2 * n].reshape(-1, 3)
    worst, named = NOTABLE, ""
    members = {f'bar "{bar.name}"': (bar.nodes[0], bar.nodes[-1]) for bar in structure.bars.values()}
    members |= {f'cable "{cable.name}"': (cable.route[0], cable.route[-1]) for cable in structure.cables.values()}
    for what, (first, last) in members.items():
        i, j = place[first], place[last]
        with np.errstate(over="ignore"):  # a state may be finite, and its squares not
            length = float(np.linalg.norm(places[j] - places[i]))
            passed = h * float(np.linalg.norm(speeds[j] - speeds[i])) / max(length, 1e-300)
        if worst < passed < np.inf:
            worst, named = passed, f"the ends of {what} pass each other by {passed:.2g} of its length in it"
    return named
