"""The point that a plate has beside its nodes carries mass, and is no place that anything else acts on, in either order
of the nodes, which decides on which side of the plate it is."""

from __future__ import annotations

import numpy as np
import pytest

import taut
from taut import Compliance, Damping, Ground, Material, Plate, SelectionError, Structure
from taut.control.port_names import INPUTS, ports_of
from taut.dynamics.rollouts import rows_of
from taut.locomotion.faces import nodes_below
from taut.structure.joining import subdivided
from taut.structure.plates import rigid_motion

ORDERS = (("a", "b", "c", "d"), ("a", "d", "c", "b"))
HEAVY = Material("heavy", density=1000.0)


def slab(order: tuple[str, ...] = ORDERS[0], height: float = 0.0, thickness: float = 0.02) -> Structure:
    """A square of 1 m, of 20 kg where it is 20 mm thick."""
    nodes = {"a": (0.0, 0.0, height), "b": (1.0, 0.0, height), "c": (1.0, 1.0, height), "d": (0.0, 1.0, height)}
    return Structure(nodes, plates=[Plate("P", order, material=HEAVY, thickness=thickness)])


def test_patterns_do_not_mean_it_and_its_own_name_does() -> None:
    whole = subdivided(slab().grouped("all", "node:*"))
    assert list(whole.nodes) == ["a", "b", "c", "d", "P~"]
    for selector in ("node:*", "node:all", "node:[a-dP]*"):
        assert whole.select(selector) == ("a", "b", "c", "d")
    assert whole.select("node:P~") == ("P~",)
    assert whole.grouped("own", "node:P~").select("node:own") == ("P~",)
    with pytest.raises(SelectionError, match='"node:P[*]" selects no node'):
        whole.select("node:P*")
    assert list(whole.weighted("node:*", 2.0).point_masses) == ["a", "b", "c", "d"]
    assert {port.name for port in ports_of(whole, None, INPUTS, "input")} == {"a", "b", "c", "d"}


@pytest.mark.parametrize("order", ORDERS)
def test_it_touches_no_ground_unless_it_is_named(order: tuple[str, ...]) -> None:
    soft = Compliance(1e5)
    for grounds in ([Ground("f", friction=0.5)], [Ground("f", friction=0.5, compliance=soft)]):
        plant = taut.assemble(slab(order), gravity=9.81, ground=grounds)
        assert plant.contact_names == ("a on f", "b on f", "c on f", "d on f")
        named = Ground("f", touched_by=("node:*", "node:P~"), compliance=grounds[0].compliance)
        assert taut.assemble(plant.structure, ground=[named]).contact_names[-1] == "P~ on f"
    sensors = [taut.Sensor("s", "node:P~.contact_force")]
    with pytest.raises(taut.ModelError, match="may touch no ground"):
        taut.assemble(plant.structure, ground=[Ground("f")], sensors=sensors)


@pytest.mark.slow  # quick: which contacts there are, above
@pytest.mark.parametrize("method", ["impulses", "energy-momentum"])
@pytest.mark.parametrize(("order", "height"), [(ORDERS[0], 0.3), (ORDERS[1], 0.3), (ORDERS[1], 0.0)])
def test_a_slab_lies_flat_on_its_nodes_in_either_order(order: tuple[str, ...], height: float, method: str) -> None:
    plant = taut.assemble(slab(order, height), gravity=9.81, ground=[Ground("f", friction=0.5)])
    run = taut.simulate(plant, 1.0, method=method, step=2e-3, every=0.25, verify=False)
    assert run.nodes[-1, :4, 2] == pytest.approx(0.0, abs=1e-9)
    assert run.contact_force[-1][:, 2].sum() == pytest.approx(20.0 * 9.81, rel=1e-6)


def test_the_faces_of_a_run_are_spanned_without_it() -> None:
    run = taut.simulate(taut.assemble(slab(height=1.0), gravity=9.81), 0.1, every=0.05, method="dp8")
    assert run.nodes.shape[1] == 5
    assert not nodes_below(run).any()  # all nodes lie in one plane


@pytest.mark.parametrize("thickness", [2e-6, 0.02])
def test_nodal_damping_does_not_drag_it(thickness: float) -> None:
    """Four nodes of 1 N s/m: m v' = -4 c v. The linear model does not know it either."""
    plate = slab(thickness=thickness)
    mass = 1000.0 * thickness
    speeds = dict.fromkeys(plate.nodes, (1.0, 0.0, 0.0))
    plant = taut.assemble(plate, gravity=9.81, velocities=speeds, damping=Damping(node=0.25 * mass))
    assert list(plant.structure.nodes)[-1] == "P~"
    run = taut.simulate(plant, 1.0, every=0.5, method="dp8", tolerance=1e-10)
    assert run.velocities[-1, :, 0] == pytest.approx(np.exp(-1.0), rel=1e-8)
    slowing = np.sort(taut.linearise(plant).poles.real)
    assert slowing[slowing < -0.5][-3:] == pytest.approx(-1.0, rel=1e-6)


def test_noise_of_starts_takes_it_along_with_its_plate() -> None:
    plant = taut.assemble(slab(height=1.0))
    given = {"positions": 1e-3, "velocities": 0.1}
    rows, _, count = rows_of(plant, {}, [3, 4], given)
    assert count == 2
    for address, start in (("positions", plant.positions), ("velocities", plant.velocities)):
        for row in rows[address] - start:
            plate, place = plant.structure.plates["P"], np.array(plant.structure.nodes["P~"])
            carried = np.linalg.lstsq(rigid_motion(plant.structure, plate, place), row[:4].ravel(), rcond=None)[0]
            assert row[4] == pytest.approx(carried[:3], abs=1e-12)
            assert np.abs(row[:4]).max() > 0.5 * given[address]
