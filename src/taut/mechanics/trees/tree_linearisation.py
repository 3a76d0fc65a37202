"""The `taut.mechanics.points.linearisation.Linearisation` of a tree: differences of eighth order of its exact terms."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from taut.errors import OptionError
from taut.mechanics import capabilities
from taut.mechanics.points.linearisation import Linearisation, by_differences
from taut.mechanics.signals import pieces_of
from taut.mechanics.trees import embedding as on_sphere
from taut.mechanics.trees.saddle import weight_of
from taut.mechanics.trees.tree_operations import Workspace, all_rows, bends, enter_piece, pushed, whole_mass_matrix

if TYPE_CHECKING:
    from taut.mechanics.trees.plant import TreePlant

STEP = 0.01
"""[rad], [m] of joints; eighth-order differences reach four of them to either side."""

SHARE = 0.05
"""Of its strain, by which a cable is stretched and let go: four of them leave it taut."""


ROOM = 0.02
"""Of what lies between a span and where it has no tangent: four of them are far from there."""


def tree_linearisation(plant: TreePlant, x: np.ndarray, rate: np.ndarray, time: float, held: str) -> Linearisation:
    """About a state with closed loops. Massless bodies leave the mass matrix singular, so that of the saddle point,
    M + s G^T G, is given, which is the same along the constraints."""
    if held != "rest_length":
        raise OptionError(f'held = "{held}" is for cables of nodal plants; a tree has "rest_length"')
    capabilities.check(capabilities.LINEAR, capabilities.features_of(plant))
    space = Workspace(plant, False, (0.0, 0.0))
    enter_piece(space, float(pieces_of(plant.breaks, np.array([time]))[0]))
    if space.pushes.spans is not None:
        space.pushes.spans.hold_laws(on_sphere.configuration(space.embedding, x))

    def terms_at(t: float, at: np.ndarray, moving: np.ndarray) -> tuple[np.ndarray, ...]:
        y = np.concatenate([at, moving, [0.0], plant.internal])
        _, _, q, v = space.split(y)
        terms = space.equations.terms(q, v)
        force, _ = pushed(space, t, y, q, v, terms)
        bias = on_sphere.velocity_bias(space.embedding, at, moving, v)
        turn = on_sphere.matrix(space.embedding, at)
        rows = all_rows(space, at, q)
        weight = weight_of(whole_mass_matrix(space, at, q), rows)
        return weight, rows, turn.T @ (force - terms.mass @ bias), -bends(space, at, moving)

    steps = _steps(plant, x)
    if space.pushes.spans is not None:
        room = space.pushes.spans.room(on_sphere.configuration(space.embedding, x))
        steps = np.minimum(steps, ROOM * max(room, 1e-6))
    return by_differences(terms_at, time, x, rate, (steps, np.full(x.size, STEP / plant.typical_time)))


def _steps(plant: TreePlant, x: np.ndarray) -> np.ndarray:
    """Of every coordinate: small beside the strain of cables, so that none that is taut goes slack on the way."""
    out, cables = np.full(x.size, STEP), plant.equations.cables
    if cables.names:
        strain, natural = plant.equations.strains(x), cables.radius * x[cables.angle]
        share = SHARE * np.where(strain > 0.0, strain, 0.02)
        out[cables.angle] = np.minimum(STEP, share * x[cables.angle])
        by_strain = cables.by[2] > 0.0
        out[cables.second] = (share * np.where(by_strain, 1.0, natural))[cables.compliant]
    return out
