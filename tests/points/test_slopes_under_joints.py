"""Slopes of the energy by coordinates of joints, which corrections follow, against differences."""

from __future__ import annotations

import numpy as np

from taut import Bar, Structure, assemble
from taut.mechanisms import Joint, in_coordinates


def test_slopes_of_the_energy_know_that_cylinders_change_their_mass_matrix() -> None:
    """A thick bar that gives way, on a pivot at one end; its other end is free."""
    nodes = {"o": (0.0, 0.0, 0.0), "a": (0.5, 0.1, -0.4), "b": (0.9, 0.5, -0.6)}
    bars = [
        Bar("oa", ("o", "a"), mass=1.0),
        Bar("ab", ("a", "b"), mass=2.0, law="compressible", stiffness=500.0, radius=0.2, inertia="cylinder"),
    ]
    joints = [Joint.universal("hip", "o", ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0)), ("a",))]
    plant = in_coordinates(assemble(Structure(nodes, bars, supports={"o": "xyz"}), gravity=9.81), joints)
    operations, tables = plant.operations(), plant.own_tables(metric="mass", gains=(0.0, 0.0))
    m, draw = plant.coordinates, np.random.default_rng(5)
    state = np.concatenate([plant.positions + 0.05 * draw.normal(size=m), 3.0 * draw.normal(size=m), [0.0]])
    slopes, step = np.zeros((2, m)), 1e-5
    operations["energy_gradient"](tables, state, *slopes)
    for k in range(2 * m):
        ends = [operations["energy"](tables, state + way * np.eye(state.size)[k])[0] for way in (step, -step)]
        np.testing.assert_allclose(slopes.ravel()[k], (ends[0] - ends[1]) / (2.0 * step), rtol=1e-6, atol=1e-6)
