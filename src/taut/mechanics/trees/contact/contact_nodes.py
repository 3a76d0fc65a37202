"""Contact points of a tree as the nodes of a plant that has nothing but grounds."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from taut.errors import ModelError, Problem
from taut.mechanics.assemble import assemble
from taut.mechanics.trees import embedding as on_sphere
from taut.mechanics.trees.pushes import Nodal
from taut.structure.grounds import Ground
from taut.structure.structure import Structure

if TYPE_CHECKING:
    from taut.mechanics.trees.plant import TreePlant


def on_grounds(plant: TreePlant, grounds: tuple[Ground, ...]) -> Nodal:
    """The points where they are at the start, each of one kilogram that nothing feels, on these grounds."""
    points = plant.tree.points
    if not points:
        told = "the tree has no points that could touch it; give it some, as in points=[ContactPoint(...)]"
        raise ModelError([Problem(("ground", grounds[0].name), told)])
    bodies, places = tuple(point.body for point in points), tuple(point.at for point in points)
    equations, q = plant.equations, on_sphere.configuration(plant.embedding, plant.positions)
    found = equations.places(q, equations.points_at(bodies, places))
    nodes = {point.name: _three(place) for point, place in zip(points, found, strict=True)}
    made = assemble(Structure(nodes, point_masses=dict.fromkeys(nodes, 1.0)), ground=grounds)
    made.tables["constants"].scale[:] = plant.typical_length, plant.typical_time  # views into the plant's own numbers
    if "term_states" in made.tables:
        made.tables["term_states"].size[:] = plant.typical_length  # of bristles
    return Nodal(made, bodies, places)


def _three(place: np.ndarray) -> tuple[float, float, float]:
    return float(place[0]), float(place[1]), float(place[2])
