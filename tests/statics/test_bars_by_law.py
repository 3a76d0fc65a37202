"""Prestress of compressible bars is kept by their natural lengths, whoever looks at the structure afterwards."""

from __future__ import annotations

import numpy as np
import pytest

import taut
from taut import Material, Structure

PVC = Material("pvc", density=1300.0, youngs_modulus=3e8, poisson_ratio=0.38)


def tower(*laws: str) -> Structure:
    """Thick bars, whose laws repeat."""
    made = taut.generators.tower(2, radius=0.5, height=1.0).supported("bottom*")
    made = made.changed("bar:*", material=PVC, radius=0.02, mass=None, inertia="cylinder")
    for k, name in enumerate(made.bars):
        made = made.changed(f"bar:{name}", law=laws[k % len(laws)])
    return made


@pytest.mark.parametrize("laws", [("compressible",), ("compressible", "rigid"), ("rigid", "rigid", "compressible")])
def test_prestress_survives_balancing_and_assembling(laws: tuple[str, ...]) -> None:
    tight = taut.prestress(tower(*laws), {"cable:vertical": 200.0})
    assert np.abs(tight.bar_force).max() > 100.0
    soft = {f"bar:{name}": "compressible" for name, bar in tight.structure.bars.items() if bar.law == "compressible"}
    for bars in (None, soft):
        again = taut.balance(tight.structure, bars=bars)
        np.testing.assert_allclose(again.structure.positions, tight.structure.positions, atol=1e-12)
        np.testing.assert_allclose(again.cable_tension, tight.cable_tension, rtol=1e-9)
        np.testing.assert_allclose(again.bar_force, tight.bar_force, rtol=1e-9)
        assert taut.stability(again).verdict == taut.stability(tight).verdict == "super-stable"
    run = taut.simulate(taut.assemble(tight.structure), 0.01, tolerance=1e-10)
    np.testing.assert_allclose(run.bar_force[-1], tight.bar_force, rtol=1e-8)
    np.testing.assert_allclose(run.cable_tension[-1], tight.cable_tension, rtol=1e-8)


def test_bars_taken_as_compressible_where_they_carry_forces_are_those_that_are_so() -> None:
    # Stiffness, mass and thickness too: E A / natural length, and a radius that goes with the natural length.
    by_law = taut.modes(taut.prestress(tower("compressible"), {"cable:vertical": 200.0}), count=27)
    taken = taut.modes(taut.prestress(tower("rigid"), {"cable:vertical": 200.0}), count=27, bars="compressible")
    np.testing.assert_allclose(taken.frequency, by_law.frequency, rtol=1e-10)
