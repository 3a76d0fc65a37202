"""The `taut.mechanics.points.linearisation.Linearisation` of a `LagrangianPlant`.

First derivatives of its functions are complex steps. Forces are such derivatives already, of the potential and of the
mass matrix, and an imaginary part can be used only once; their own slopes are differences of eighth order of the exact
forces, whose error is (step / size)^8, below round-off at a hundredth of the plant's size.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from taut.errors import OptionError
from taut.mechanics.points.lagrangian_operations import Workspace, all_forces, along
from taut.mechanics.points.linearisation import Linearisation, solved
from taut.numerics.differences import jacobian

if TYPE_CHECKING:
    from taut.mechanics.points.lagrangian import LagrangianPlant

STEP = 0.01
"""Of a typical coordinate or rate."""


def lagrangian_linearisation(
    plant: LagrangianPlant, q: np.ndarray, v: np.ndarray, time: float, held: str
) -> Linearisation:
    """At coordinates and rates that the constraints allow."""
    if held != "rest_length":
        raise OptionError(f'held = "{held}" is for cables; a plant in coordinates of its own has "rest_length" only')
    space, every = Workspace(plant, False, (0.0, 0.0)), np.eye(q.size)
    mass, rows = np.asarray(plant.mass(q), dtype=float), np.asarray(plant.jacobian(q), dtype=float)

    def pushed(by: np.ndarray) -> np.ndarray:
        """d(G x)/dq of a constant x."""
        return np.stack([along(plant.jacobian, q, way) @ by for way in every], axis=1).reshape(rows.shape)

    def forces(places: np.ndarray, speeds: np.ndarray) -> np.ndarray:
        return all_forces(space, time, places, speeds)[0]

    def bent(places: np.ndarray) -> np.ndarray:
        return along(plant.jacobian, places, v) @ v

    rate = pushed(v)
    system, found = solved(mass, rows, forces(q, v), -(rate @ v))
    acceleration, multiplier = found[: q.size], found[q.size :]
    by_place = jacobian(lambda x: forces(x, v), q, STEP * plant.size)
    by_speed = jacobian(lambda x: forces(q, x), v, STEP * plant.size / plant.typical_time)
    by_place += np.stack([along(plant.jacobian, q, way).T @ multiplier for way in every], axis=1)
    by_place -= np.stack([along(plant.mass, q, way) @ acceleration for way in every], axis=1)
    moving, change = np.arange(q.size), pushed(acceleration) + jacobian(bent, q, STEP * plant.size)
    return Linearisation(
        moving,
        mass,
        rows,
        system,
        acceleration,
        multiplier,
        -by_place,
        -by_speed,
        rate,
        change,
        np.zeros((q.size, 0)),
    )
