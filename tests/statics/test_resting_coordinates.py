"""Where plants in generalised coordinates are at rest: against statics of nodes, closed forms and runs."""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import pytest

sys.path.insert(0, str(Path(__file__).parent.parent / "points"))
from test_joints import Y, pendulum

from taut import Bar, Constant, CosineRamp, Load, Structure, assemble, linearise
from taut.mechanisms import CoordinateDrive, Joint, coordinate_equilibrium, in_coordinates
from taut.papers.mechanism.model import AT_END, AT_START, LEGS, at_rest, in_joints, platform, static_torque
from taut.statics import balance


def rod(angle: float = 0.4) -> Structure:
    """On a hinge at o, so far from hanging down."""
    return Structure(
        {"o": (0.0, 0.0, 0.0), "tip": (float(np.sin(angle)), 0.0, -float(np.cos(angle)))},
        [Bar("rod", ("o", "tip"), mass=2.0)],
        supports={"o": "xyz"},
    )


def hinge(stiffness: float = 0.0, rest: float = 0.0) -> Joint:
    return Joint("hinge", "o", ("tip",), ((0.0, -1.0, 0.0),), values=(0.4,), stiffness=(stiffness,), rest=(rest,))


def test_a_rod_hangs_down_and_swings_as_a_pendulum() -> None:
    found = coordinate_equilibrium(in_coordinates(assemble(rod(), gravity=9.81), [hinge()]))
    assert found.ok
    assert found.stable
    assert found.coordinate[0] == pytest.approx(0.0, abs=1e-12)
    assert found.squared_rates == pytest.approx([1.5 * 9.81], rel=1e-9)
    assert found.plant.start()[0] == pytest.approx(found.coordinate)


def test_a_rod_that_stands_is_at_rest_and_not_stable() -> None:
    found = coordinate_equilibrium(in_coordinates(assemble(rod(np.pi), gravity=9.81), [hinge()]))
    assert found.ok
    assert not found.stable
    assert found.squared_rates == pytest.approx([-1.5 * 9.81], rel=1e-9)


def test_a_spring_at_a_joint_and_a_load_hold_a_rod() -> None:
    """2 * 9.81 / 2 sin q - 3 cos q + 8 (q - 1) = 0."""
    plant = assemble(rod(), gravity=9.81, loads=[Load("tip", "x", Constant(3.0))])
    found = coordinate_equilibrium(in_coordinates(plant, [hinge(8.0, 1.0)]))
    q = found.coordinate[0]
    assert found.ok
    assert 9.81 * np.sin(q) - 3.0 * np.cos(q) + 8.0 * (q - 1.0) == pytest.approx(0.0, abs=1e-11)


@pytest.mark.slow
@pytest.mark.parametrize("kept", [2, 1])
def test_a_double_pendulum_hangs_where_its_nodes_do(kept: int) -> None:
    """With both bars kept by joints, and with the second as a loop, whose force is that of statics."""
    structure, joints = pendulum()
    found = coordinate_equilibrium(in_coordinates(assemble(structure, gravity=9.81), joints[2 - kept :]))
    wanted = balance(structure, gravity=9.81)
    assert found.ok
    assert found.stable
    seen = found.plant.observed(
        found.plant.own_tables(metric="mass", gains=(0.0, 0.0)),
        np.zeros(1),
        np.concatenate([found.coordinate, 0.0 * found.coordinate, [0.0]])[None],
    )
    assert seen["nodes"][0] == pytest.approx(wanted.structure.positions, abs=1e-9)
    assert seen["cable_tension"][0] == pytest.approx(wanted.cable_tension, abs=1e-8)
    assert found.multiplier == pytest.approx(-wanted.bar_force[kept:], abs=1e-8)
    poles = linearise(found.plant).poles
    assert np.sort(np.abs(poles.imag))[-1] ** 2 == pytest.approx(found.squared_rates[-1], rel=1e-2), "hardly damped"


@pytest.mark.slow
def test_the_mechanism_stands_where_its_paper_has_it() -> None:
    """At psi_F, and led from there to psi_0; eq. (39) for the torques."""
    structure, joints = in_joints(AT_END)
    drives = [
        CoordinateDrive(f"theta{leg}", "value", CosineRamp(float(a), float(b), 0.0, 1.0))
        for leg, a, b in zip(LEGS, AT_END, AT_START, strict=True)
    ]
    free = Structure(structure.nodes, structure.bars.values(), structure.cables.values(), supports=structure.supports)
    plant = in_coordinates(assemble(free), joints, drives=drives)
    for time, theta in ((0.0, AT_END), (1.0, AT_START)):
        found = coordinate_equilibrium(plant, time=time)
        assert found.ok
        assert found.stable
        y = np.concatenate([found.coordinate, 0.0 * found.coordinate, [0.0]])
        seen = plant.observed(plant.own_tables(metric="mass", gains=(0.0, 0.0)), np.array([time]), y[None])
        assert platform(seen["nodes"][0], free) == pytest.approx(at_rest(theta), abs=1e-9)
        assert found.multiplier[3:] == pytest.approx(static_torque(theta), rel=1e-9)


def test_what_nothing_holds_is_told() -> None:
    """A rod on a hinge without gravity, pushed along by a load: it turns to where the load pulls; without it, anywhere
    is rest, and none of it stable."""
    loads = [Load("tip", "x", Constant(3.0))]
    joints = [Joint.revolute("j", "o", Y, ("tip",))]
    turned = coordinate_equilibrium(in_coordinates(assemble(rod(), loads=loads), joints))
    assert turned.ok
    assert turned.stable
    loose = coordinate_equilibrium(in_coordinates(assemble(rod()), joints))
    assert loose.ok
    assert not loose.stable
