"""Bodies on grounds that give way: those of the nodal plant, at the places of its nodes."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import taut
from taut.trees import in_bodies

EXAMPLES = Path(__file__).parents[2] / "examples"


def test_a_bar_in_a_soft_floor_is_pushed_out_by_both_ends() -> None:
    bar = taut.Structure({"a": (0.0, 0.0, -1e-3), "b": (1.0, 0.0, -2e-3)}, [taut.Bar("ab", ("a", "b"), mass=2.0)])
    floor = taut.Ground("floor", taut.Plane(), friction=0.0, compliance=taut.Compliance(stiffness=2e4, damping=20.0))
    plant = in_bodies(taut.assemble(bar, gravity=9.81, ground=[floor]))
    assert plant.contact_names == ("a on floor", "b on floor")
    space, n = plant.own_tables(metric="mass", gains=(0.0, 0.0)), plant.coordinates
    y = np.concatenate([*plant.start(), [0.0], plant.internal])
    out = np.zeros_like(y)
    plant.operations()["rate"](space, 0.0, y, out)
    acceleration = out[n : 2 * n]
    nodal = plant.nodal.plant  # type: ignore[union-attr]
    state = np.concatenate([*nodal.start(), [0.0], nodal.internal])
    force = np.zeros_like(state)
    nodal.operations()["forces"](nodal.own_tables(metric="mass", gains=(0.0, 0.0)), 0.0, state, force)
    assert acceleration[2] == pytest.approx(force[[2, 5]].sum() / 2.0, rel=1e-12)
    assert force[5] > force[2] > 0.0
    assert acceleration[2] > 9.81


@pytest.mark.slow
def test_six_struts_as_bodies_strike_a_soft_floor_as_nodes_do() -> None:
    robot = taut.read_model(EXAMPLES / "six_strut.yaml").structure
    lowered = robot.placed(robot.positions - np.array([0.0, 0.0, robot.positions[:, 2].min() - 0.01]))
    floor = taut.Ground("floor", taut.Plane(), friction=0.6, compliance=taut.Compliance(stiffness=2e4, damping=20.0))
    plant = taut.assemble(lowered, gravity=9.81, ground=[floor])
    options = {"every": 0.05, "method": "dp8", "tolerance": 1e-9, "verify": False}
    wanted, found = (taut.simulate(one, 0.15, **options) for one in (plant, in_bodies(plant)))
    assert len(wanted.events) > 3, "it touches down, slides and sticks"
    assert [event.name for event in found.events] == [event.name for event in wanted.events]
    np.testing.assert_allclose(found.nodes, wanted.nodes, rtol=0, atol=1e-10)
    np.testing.assert_allclose(found.contact_force, wanted.contact_force, atol=1e-6)
    np.testing.assert_allclose(found.work, wanted.work, atol=1e-9)
    assert np.abs(wanted.contact_force).max() > 10.0
