"""What hardly moves must not be pushed about by corrections: near rest the energy says nothing about the state."""

from __future__ import annotations

import math

import numpy as np
import pytest
from minimal_models import Rod, TBar, followed

from taut import Doublet, Load, Structure, assemble, simulate
from taut.generators import icosahedron, tbar

CORRECTIONS = ("none", "constraints", "energy")


@pytest.mark.parametrize("correction", CORRECTIONS)
def test_a_balanced_structure_at_rest_stays_at_rest(correction: str) -> None:
    structure = icosahedron()
    run = simulate(assemble(structure), 1.0, tolerance=1e-10, correction=correction)
    assert np.abs(run.nodes - structure.positions).max() <= 1e-10


@pytest.mark.parametrize("correction", CORRECTIONS)
@pytest.mark.parametrize("tolerance", [1e-6, 1e-11])
def test_a_damped_structure_comes_to_rest_and_stays_there(tolerance: float, correction: str) -> None:
    damping, height = 30.0, 5.0 / math.sqrt(2.0)
    plant = assemble(tbar().changed("cable:*", damping=damping))
    run = simulate(plant, 20.0, every=0.1, tolerance=tolerance, correction=correction)
    model = TBar(Rod(6.25 * math.pi, 5.0), height, 100.0, 0.9 * height, height, damping)
    states = followed(model.rate, [math.pi / 4.0, 3.0 * math.pi / 4.0, 0.0, 0.0, 0.0], run.time)
    places = np.array([model.ends(state)[0] for state in states])
    assert np.abs(run.nodes[:, 2:, ::2].reshape(-1, 4) - places).max() <= max(tolerance, 1e-11) * 5.0


@pytest.mark.parametrize("correction", CORRECTIONS)
@pytest.mark.parametrize("options", [{}, {"method": "rk4", "step": 0.1}], ids=["dp5", "rk4"])
def test_a_doublet_leaves_a_free_mass_at_rest_elsewhere(options: dict, correction: str) -> None:
    # 3 N on 2 kg for 0.2 s forth and 0.2 s back: 0.06 m further on, and no speed left.
    structure = Structure({"m": (0, 0, 0)}, supports={"m": "yz"}, point_masses={"m": 2.0})
    plant = assemble(structure, loads=[Load("m", "x", Doublet(3.0, width=0.2, start=0.3))])
    run = simulate(plant, 2.0, every=0.1, correction=correction, **options)
    assert run.ok
    assert run.nodes[-1, 0, 0] == pytest.approx(0.06, abs=1e-9)
    assert run.velocities[-1, 0, 0] == pytest.approx(0.0, abs=1e-9)
