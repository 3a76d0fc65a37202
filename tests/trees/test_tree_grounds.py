"""Bodies on grounds that give way, at contact points or at the places of a nodal plant's nodes."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import taut
from taut.trees import Body, ContactPoint, Tree, TreeJoint, in_bodies, tree_plant

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


def _box(place: tuple[float, float, float], rates: tuple[float, ...] = ()) -> Tree:
    sides = (0.2, 0.3, 0.1)
    values = (*place, *np.array([0.02, 0.03, 0.0, np.sqrt(1.0 - 0.02**2 - 0.03**2)]).tolist())
    free = TreeJoint("free", "floating", "world", Body.box("box", sides, 500.0), values=values, rates=rates)
    return Tree((free,), points=ContactPoint.corners("box", sides))


SOFT = taut.Ground("floor", friction=0.5, compliance=taut.Compliance(stiffness=1e5, damping=200.0))


def test_corners_in_a_soft_floor_push_a_box_out() -> None:
    tree = _box((0.0, 0.0, 0.035))
    plant, free = tree_plant(tree, ground=[SOFT]), tree_plant(tree)
    found = []
    for one in (plant, free):
        y = np.concatenate([*one.start(), [0.0], one.internal])
        out = np.zeros_like(y)
        one.operations()["rate"](one.own_tables(metric="mass", gains=(0.0, 0.0)), 0.0, y, out)
        found.append(out[one.coordinates : 2 * one.coordinates])
    depth = -plant.nodal.plant.positions.reshape(-1, 3)[:, 2]  # type: ignore[union-attr]
    pushed = 1e5 * depth[depth > 0.0].sum()
    assert np.count_nonzero(depth > 0.0) == 4
    np.testing.assert_allclose(found[0][:3] - found[1][:3], [0.0, 0.0, pushed / 3.0], rtol=1e-12, atol=1e-12)


@pytest.mark.slow
def test_a_box_falls_into_a_soft_floor_and_stands() -> None:
    plant = tree_plant(_box((0.0, 0.0, 0.08)), ground=[SOFT])
    fell = taut.simulate(plant, 0.1, method="dp8", every=0.02, verify=False)
    assert {event.change for event in fell.events} > {"touches down and slides", "lifts off"}
    assert np.abs(fell.energy_violation).max() < 1e-10
    stood = taut.simulate(plant, 1.0, method="rk4", step=5e-4, every=0.5, verify=False)
    low = stood.nodes[-1, 1::2, 2]
    np.testing.assert_allclose(low, -3.0 * 9.81 / 4e5, rtol=1e-9)
    assert (stood.contact_state[-1, ::2] == 1).all()


@pytest.mark.slow
def test_flight_over_a_soft_floor_is_that_without() -> None:
    tree = _box((0.0, 0.0, 1.0), (0.5, 0.0, 1.0, 4.0, -3.0, 2.0))
    one, other = (
        taut.simulate(tree_plant(tree, ground=ground), 0.1, method="rk4", step=1e-3, every=0.05, verify=False)
        for ground in ([SOFT], [])
    )
    assert np.array_equal(one.nodes, other.nodes)
