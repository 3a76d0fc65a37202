"""What is to be said of contacts: what starts inside a ground, and how the search for their forces went."""

from __future__ import annotations

from typing import Any

import numpy as np

from taut.mechanics.contact.responses import ENTRIES, WORST
from taut.mechanics.plant import Plant
from taut.mechanics.plant_protocol import PlantProtocol
from taut.mechanics.terms.contacts import candidates
from taut.numerics.packing import integers_of, reals_of
from taut.structure.grounds import Box

INSIDE = 1e-9
"""Of a typical length: how deep something may start inside a ground, and be taken to touch it."""


def inside_grounds(plant: PlantProtocol, tables: Any, y: np.ndarray) -> tuple[str, ...]:
    """What is inside a ground at a state, in words."""
    if not (isinstance(plant, Plant) and plant.grounds):
        return ()
    found, small = candidates(plant.given), INSIDE * plant.typical_length
    gaps = np.zeros(len(found))
    plant.composition.tools["fill_gaps"](tables, y, gaps)
    told = {
        (one.what, one.ground.name): f'{one.what} is {-gap:.3g} m inside the ground "{one.ground.name}"'
        for one, gap in zip(found, gaps, strict=True)
        if gap < -small
    }
    places = dict(zip(plant.structure.nodes, y[: plant.coordinates].reshape(-1, 3), strict=True))
    for one in found:
        if one.bar and isinstance(one.ground.shape, Box) and (one.what, one.ground.name) not in told:
            first, second = (places[node] for node in one.nodes)
            if one.ground.shape.meets(first, second, small):
                told[one.what, one.ground.name] = f'{one.what} goes through the ground "{one.ground.name}"'
    return tuple(told.values())


def contact_notes(plant: PlantProtocol, tables: Any) -> tuple[str, ...]:
    """How the search for contact forces went in a run, where that is worth a word."""
    if not plant.grounds:
        return ()
    sweeps, residual, unconverged, left_out = reals_of(tables, WORST)
    told = []
    if unconverged:
        told.append(
            f"contact forces did not converge in {unconverged:.0f} searches of {sweeps:.0f} sweeps: velocities still "
            f"changed by {residual:.1g} m/s; take a shorter step, or do not trust forces where grounds jam"
        )
    if left_out:
        told.append(
            f"more than {integers_of(tables, ENTRIES).size} contacts were closed at once, and {left_out:.0f} times one "
            "was left out: what touches then may sink in; name fewer nodes in touched_by"
        )
    return tuple(told)
