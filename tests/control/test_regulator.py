"""LQR from a linear model holds up what falls by itself: the nonlinear plant, closed by loads that answer to it."""

from __future__ import annotations

import re

import numpy as np
import pytest
from test_norms import made

import taut
from taut import Bar, Cable, Feedback, Load, OptionError, Structure, assemble, linearise, simulate
from taut.control import lqr
from taut.control.controllability import reach

control = pytest.importorskip("control")


def mast(tilt: float = 0.0) -> Structure:
    """Two bars of 1 m on top of each other, hinged, between stays far too soft to hold them up."""
    knee, top = (np.sin(tilt), 0.0, np.cos(tilt)), (np.sin(tilt) - np.sin(tilt), 0.0, 2.0 * np.cos(tilt))
    return Structure(
        {"foot": (0.0, 0.0, 0.0), "knee": knee, "top": top, "west": (-2.0, 0.0, 0.0), "east": (2.0, 0.0, 0.0)},
        [Bar("lower", ("foot", "knee"), mass=2.0), Bar("upper", ("knee", "top"), mass=1.0)],
        [
            Cable("w", ("west", "top"), rest_length=2.5, stiffness=2.0, damping=0.1),
            Cable("e", ("east", "top"), rest_length=2.5, stiffness=2.0, damping=0.1),
        ],
        supports={"foot": "xyz", "west": "xyz", "east": "xyz", "knee": "y", "top": "y"},
    )


UPRIGHT = linearise(assemble(mast(), gravity=9.81), inputs="node:knee.x", outputs=["node:knee.x", "node:top.x"])
"""One force, below the upper bar's hinge: that bar must be balanced through the lower one."""


@pytest.mark.slow
def test_upright_it_falls_in_two_ways() -> None:
    assert UPRIGHT.notes == ()
    assert int(np.sum(UPRIGHT.poles.real > 0.1)) == 2
    run = simulate(assemble(mast(0.02), gravity=9.81), 2.0, every=0.01)
    assert np.abs(run.nodes[:, 2, 0]).max() > 0.5


def test_lqr_is_that_of_python_control_and_solves_its_equation() -> None:
    found = lqr(UPRIGHT, 10.0, 0.1, of="outputs")
    weight = 10.0 * UPRIGHT.C.T @ UPRIGHT.C
    gain, cost, poles = control.lqr(UPRIGHT.to_control(), weight, np.array([[0.1]]))
    np.testing.assert_allclose(found.gain, gain, rtol=1e-7)
    np.testing.assert_allclose(found.cost, cost, rtol=1e-6, atol=1e-7 * np.abs(cost).max())
    assert np.all(found.poles.real < 0.0)
    np.testing.assert_allclose(np.sort_complex(found.poles), np.sort_complex(poles), rtol=1e-6)


def test_the_linear_models_regulator_stands_the_nonlinear_mast_up() -> None:
    regulator = lqr(UPRIGHT, np.diag([100.0, 100.0]), 0.1, of="outputs")
    plant = assemble(mast(0.02), gravity=9.81, loads=regulator.loads())
    assert plant.load_names == ("regulator knee.x",)
    run = simulate(plant, 6.0, every=0.02, tolerance=1e-8)
    assert run.ok
    swing = np.abs(run.nodes[:, 1:3, 0]).max(axis=1)
    assert swing[0] == pytest.approx(0.02, rel=1e-3)
    assert swing[-1] < 1e-5
    assert np.abs(run.load_force[0, 0]) > 1.0
    # The same law read off the state, as the run recorded it.
    wanted = [regulator.inputs_at(q, v)[0] for q, v in zip(run.nodes, run.velocities, strict=True)]
    np.testing.assert_allclose(run.load_force[:, 0], wanted, atol=1e-9)


def test_the_closed_loop_linearised_has_the_regulators_poles() -> None:
    regulator = lqr(UPRIGHT, 10.0, 0.1, of="outputs")
    closed = linearise(assemble(mast(), gravity=9.81, loads=regulator.loads()))
    np.testing.assert_allclose(np.sort_complex(closed.poles), np.sort_complex(regulator.poles), rtol=1e-7)
    assert closed.stable


def test_a_regulator_of_a_plant_in_its_own_coordinates() -> None:
    # A pendulum upside down: load(t, q, v) closes the loop.
    def pendulum(load: object = None) -> taut.LagrangianPlant:
        start = np.array([0.3 if load else 0.0])
        return taut.LagrangianPlant(
            ("lean",), lambda q: np.eye(1), lambda q: 9.81 * np.cos(q[0]), start, np.zeros(1), load=load, damped=True
        )

    regulator = lqr(linearise(pendulum()), 10.0, 1.0)
    run = simulate(pendulum(lambda t, q, v: regulator.inputs_at(q, v)), 10.0)
    assert np.abs(run.coordinate[-1]).max() < 1e-6


def posts(stiffness: float) -> taut.LinearModel:
    """Two bars on end, pushed at the top of one; a spring to the other is all that reaches it."""
    structure = Structure(
        {"a": (0.0, 0.0, 0.0), "near": (0.0, 0.0, 1.0), "b": (2.0, 0.0, 0.0), "far": (2.0, 0.0, 1.3)},
        [Bar("pushed", ("a", "near"), mass=1.0), Bar("alone", ("b", "far"), mass=1.0)],
        [Cable("spring", ("near", "far"), stiffness=stiffness, rest_length=1.0)],
        supports={"a": "xyz", "b": "xyz", "near": "y", "far": "y"},
    )
    return linearise(assemble(structure, gravity=9.81), inputs="node:near.x")


def test_a_motion_that_inputs_hardly_reach_is_told() -> None:
    assert lqr(posts(1.0)).notes == ()
    found = lqr(posts(1e-4))
    assert np.abs(found.gain).max() > 1e6
    hardly = r'hardly reach the motion with the pole 3.36 rad/s \(mostly "mode 2", reached by '
    assert re.match(rf"the inputs {hardly}6.7e-05 of 1\), so small errors .* gains of up to 2.3e\+06", found.notes[0])
    with pytest.raises(OptionError, match=rf"makes the model stable .*\. They {hardly}6.7e-08 of 1\)"):
        lqr(posts(1e-7))
    with pytest.raises(
        OptionError, match=r"They do not reach the motion with the pole 3.36 rad/s .* reached by 6.7e-1"
    ):
        lqr(posts(1e-14))


def test_how_well_a_motion_is_reached_does_not_depend_on_units_nor_on_what_comes_twice() -> None:
    model = posts(1e-4)
    units = np.diag([1.0, 1.0, 64.0, 64.0])
    other = made(units @ model.A @ np.linalg.inv(units), 1e5 * units @ model.B, np.eye(4))
    np.testing.assert_allclose(reach(other).measure, reach(model).measure, rtol=1e-6)
    # Two like masses and one force: what they do against each other is not reached, whatever vectors describe it.
    twice = made(np.kron([[0, 1], [4, 0]], np.eye(2)), [[0], [0], [3], [1]], np.eye(4))
    np.testing.assert_allclose(reach(twice).measure, 0.0)
    each = made(twice.A, [[0, 0], [0, 0], [3, 1], [1, 3]], np.eye(4))
    assert np.all(reach(each).measure > 0.1)
    # A mass that nothing holds: its double pole at zero has one eigenvector only.
    np.testing.assert_allclose(reach(made([[0, 1], [0, 0]], [[0], [2]], [[1, 0]])).measure, 1.0)
    # What dies away by itself needs no input.
    assert lqr(made([[1, 0], [0, -2]], [[1], [0]], [[1, 1]])).notes == ()


def test_a_weight_whose_halves_differ_by_round_off_is_taken() -> None:
    falling = made([[0.0, 1.0], [9.0, 0.0]], [[0.0], [1.0]], [[1.0, 0.0]])
    weight = np.array([[2.0, 0.5 + 1e-10], [0.5, 1.0]])
    np.testing.assert_allclose(lqr(falling, weight).gain, lqr(falling, (weight + weight.T) / 2.0).gain, rtol=1e-12)
    with pytest.raises(OptionError, match="must be symmetric"):
        lqr(falling, 1e-9 * np.array([[2.0, 0.6], [0.5, 1.0]]))


def test_what_cannot_be_regulated_is_refused() -> None:
    with pytest.raises(
        OptionError, match=r'no feedback through these inputs makes the model stable .* "x2", reached by'
    ):
        lqr(made([[1, 0], [0, 2]], [[1], [0]], [[1, 1]]))
    with pytest.raises(OptionError, match=r"input_cost must be positive definite"):
        lqr(UPRIGHT, 1.0, 0.0)
    with pytest.raises(OptionError, match=r"state_cost of shape \(2, 2\) does not fit: give a number or \(4, 4\)"):
        lqr(UPRIGHT, np.eye(2))
    with pytest.raises(OptionError, match=r"state_cost must be symmetric and nowhere negative"):
        lqr(UPRIGHT, -1.0)
    with pytest.raises(OptionError, match=r"state_cost must have finite numbers only"):
        lqr(UPRIGHT, np.inf)
    unweighed = made([[-1, 0], [0, -2]], [[1], [1]], [[1, 1]]).chosen(outputs=[])
    assert not lqr(unweighed, of="outputs").gain.any(), "nothing is weighed, and nothing has to be held"
    with pytest.raises(OptionError, match=r'of = "inputs" is not one of states, outputs'):
        lqr(UPRIGHT, of="inputs")
    wound = linearise(assemble(mast(), gravity=9.81), inputs="cable:*.rest_length")
    with pytest.raises(OptionError, match=r'"cable:w.rest_length" is not a force at a node'):
        lqr(wound).loads()


def test_rattle_refuses_loads_that_answer_to_the_motion_and_files_cannot_hold_them() -> None:
    loads = [Load("knee", "x", Feedback(lambda t, nodes, velocities: -velocities[1, 0]))]
    plant = assemble(mast(), gravity=9.81, loads=loads)
    plain = assemble(mast().changed("cable:*", damping=0.0), gravity=9.81, loads=loads)
    assert plant.dampers[-1] == 'the feedback on node "knee"'
    with pytest.raises(OptionError, match=r'the feedback on node "knee" damps'):
        simulate(plain, 1.0, method="rattle4", step=1e-3)
