"""What is to be said of contacts: what starts inside a ground, and how the search for their forces went."""

from __future__ import annotations

from typing import Any

import numpy as np

from taut.errors import listed
from taut.mechanics.batch import LanePlant
from taut.mechanics.contact.responses import ENTRIES, WORST
from taut.mechanics.grounds.compliances import touching_nodes
from taut.mechanics.plant import Plant
from taut.mechanics.plant_protocol import PlantProtocol
from taut.mechanics.points.generalised import GeneralisedPlant
from taut.mechanics.signals import pieces_of
from taut.mechanics.terms.contacts import NUMBERS, candidates
from taut.numerics.lanes import WIDTH
from taut.numerics.packing import integers_of, lane_of, reals_of
from taut.structure.grounds import Box

SUNK = 0.01
"""Of a typical length: how deep something may start in a ground that gives way without a word."""
INSIDE = 1e-9
"""Of a typical length: how deep something may start inside a ground, and be taken to touch it."""


def _nodes_of(plant: PlantProtocol, tables: Any, y: np.ndarray) -> tuple[Plant, Any, np.ndarray] | None:
    """The nodal plant of one in other coordinates, its tables, and its state; None where there is none."""
    if isinstance(plant, GeneralisedPlant):
        return plant.points, tables, plant.at_nodes(tables, np.zeros(1), y[None])[0]
    nodal = getattr(plant, "nodal", None)  # of a tree of bodies
    if nodal is None:
        return None
    return nodal.plant, tables.pushes.tables, tables.pushes.stand(*tables.nodal_rates(y))


def inside_grounds(plant: PlantProtocol, tables: Any, y: np.ndarray) -> tuple[str, ...]:
    """What is inside a ground at a state, in words; of plants in lanes, in the first in which something is."""
    if isinstance(plant, LanePlant):
        alone = plant.variants.plant
        lanes = (inside_grounds(alone, lane_of(tables, k), np.ascontiguousarray(y[:, k])) for k in range(WIDTH))
        return next(filter(None, lanes), ())
    if (nodes := _nodes_of(plant, tables, y)) is not None:
        return inside_grounds(*nodes)
    if not (isinstance(plant, Plant) and plant.given.rigid_grounds):
        return ()
    given, small = plant.given, INSIDE * plant.typical_length
    gaps = np.zeros(plant.tables["contacts"].first.size - len(given.held_cables))
    plant.composition.tools["fill_gaps"](tables, y, gaps)
    if not (gaps < -small).any() and not any(isinstance(ground.shape, Box) for ground in given.rigid_grounds):
        return ()
    found = candidates(given)
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


def sunk_notes(plant: PlantProtocol, tables: Any, y: np.ndarray) -> tuple[str, ...]:
    """What grounds that give way push out at the start, where that is more than they give by weight."""
    if (nodes := _nodes_of(plant, tables, y)) is not None:
        return sunk_notes(*nodes)
    if not (isinstance(plant, Plant) and plant.given.compliant_grounds):
        return ()
    found = touching_nodes(plant.given)
    pushed = np.zeros((1, NUMBERS * len(found)))
    pieces = pieces_of(plant.breaks, np.zeros(1))
    plant.composition.tools["observe_contacts"](tables, np.zeros(1), pieces, y[None, :], pushed)
    forces = np.linalg.norm(pushed.reshape(-1, NUMBERS)[:, :3], axis=1)
    deep = [
        f'{one.what} by "{one.ground.name}" with {force:.3g} N'
        for one, force in zip(found, forces, strict=True)
        if one.ground.compliance is not None and force > SUNK * plant.typical_length * one.ground.compliance.stiffness
    ]
    if not deep:
        return ()
    return (f"at the start deep inside a ground, and pushed out of it: {listed(deep, most=4)}; lift the structure",)


def contact_notes(plant: PlantProtocol, tables: Any) -> tuple[str, ...]:
    """How the search for contact forces went in a run, where that is worth a word."""
    if not any(ground.compliance is None for ground in plant.grounds):
        return ()
    nodal = getattr(plant, "nodal", None)  # of a tree of bodies
    tables = tables if nodal is None else tables.pushes.tables
    sweeps, residual, unconverged, left_out, deepest, forced = reals_of(tables, WORST)
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
    points = plant.points if nodal is None else nodal.plant
    if isinstance(points, Plant) and deepest > INSIDE * plant.typical_length:
        told.append(_forced(points, int(forced), deepest))
    return tuple(told)


def _forced(plant: Plant, contact: int, deepest: float) -> str:
    """What supports do to a ground, or to a cable."""
    found = candidates(plant.given)
    if contact >= len(found):
        cable = plant.given.held_cables[contact - len(found)]
        return (
            f'cable "{cable.name}" was {deepest:.3g} m longer than it is held at: supports hold all of its nodes, and '
            "it cannot stop them; change the motion"
        )
    one = found[contact]
    return (
        f'{one.what} was {deepest:.3g} m inside the ground "{one.ground.name}", where supports hold it and no '
        "ground can stop it; change the motion, or leave it out of touched_by"
    )
