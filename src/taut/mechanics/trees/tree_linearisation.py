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
"""[rad] of joints, and of the plant's size where they slide; eighth-order differences reach four of them to either
side."""

SHARE = 1e-3
"""Strain by which a cable is stretched and let go, and the part of its angle by which it is wound."""

ALONE = "the controller is left out, since it decides at samples: the model is of the plant alone, without its torques"

ROOM = 0.02
"""Of what lies between a span and where it has no tangent: four of them are far from there."""


def tree_linearisation(plant: TreePlant, x: np.ndarray, rate: np.ndarray, time: float, held: str) -> Linearisation:
    """About a state with closed loops. Massless bodies leave the mass matrix singular, so that of the saddle point,
    M + s G^T G, is given, which is the same along the constraints. Every cable goes on as what it is there, so that no
    difference reaches over where it goes slack, or where its damper takes all of its tension."""
    if held != "rest_length":
        raise OptionError(f'held = "{held}" is for cables of nodal plants; a tree has "rest_length"')
    capabilities.check(capabilities.LINEAR, capabilities.features_of(plant))
    space = Workspace(plant, False, (0.0, 0.0))
    enter_piece(space, float(pieces_of(plant.breaks, np.array([time]))[0]))
    if plant.watcher is not None:
        plant.watcher.begin(space, np.concatenate([x, rate, [0.0], plant.internal]), locate=True)

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

    steps = _steps(space, x)
    if space.pushes.spans is not None:
        room = space.pushes.spans.room(on_sphere.configuration(space.embedding, x))
        steps = np.minimum(steps, ROOM * max(room, 1e-6))
    alike = STEP * plant.size / space.stage.reach
    notes = (ALONE,) if plant.ticks else ()
    return by_differences(terms_at, time, x, rate, (steps, alike / plant.typical_time))._replace(notes=notes)


def _steps(space: Workspace, x: np.ndarray) -> np.ndarray:
    """Of every coordinate: small beside what forces bend with."""
    out, cables = STEP * space.plant.size / space.stage.reach, space.equations.cables
    if cables.names:
        natural = cables.radius * x[cables.angle]
        out[cables.angle] = np.minimum(STEP, SHARE * x[cables.angle])
        out[cables.second] = (SHARE * np.where(cables.by[2] > 0.0, 1.0, natural))[cables.compliant]
    return out
