"""Compensators: state feedback and PD against their formulas, closed loops against the loop played step by step."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from scipy.linalg import expm
from test_driven_models import mast
from test_norms import made
from test_sampled_regulator import full

from taut import (
    Cable,
    Command,
    Controller,
    Damping,
    Load,
    OptionError,
    Structure,
    assemble,
    linearise,
    simulate,
)
from taut.control import Compensator, LinearLaw, SampledModel, closed_loop, lqr, pd, sampled


def looped(
    model: SampledModel, compensator: Compensator, start: np.ndarray, samples: int
) -> tuple[np.ndarray, np.ndarray]:
    """Outputs and commands of the two, one after the other."""
    x, z, outputs, commands = start, compensator.states, [], []
    drift = model.drift if model.drift.size else np.zeros(len(start))
    rows = [model.outputs.index(name) for name in compensator.measured]
    columns = [model.inputs.index(name) for name in compensator.driven]
    for _ in range(samples):
        y = model.C @ x
        offset = model.offset[rows] if model.offset.size else 0.0
        command, z = compensator.answer(z, y[rows] + offset)
        u = np.zeros(len(model.inputs))
        u[columns] = command
        outputs.append(y)
        commands.append(u)
        x = model.A @ x + model.B @ u + drift
    return np.array(outputs), np.array(commands)


@pytest.mark.parametrize(("hold", "delay"), [("zero", 0.0), ("zero", 0.01), ("zero", 0.026), ("first", 0.013)])
def test_state_feedback_through_outputs_is_the_regulator(hold: str, delay: float) -> None:
    model = sampled(full(), 100.0, hold=hold, delay=delay)
    regulator = lqr(model, 10.0, 0.1)
    compensator = regulator.compensator()
    assert compensator.measured == full().outputs
    assert len(compensator.a) == len(model.memory)
    start = np.concatenate([[0.1, -0.2, 0.3, 0.4], np.zeros(len(model.memory))])
    _, commands = looped(model, compensator, start, 30)
    x = start
    for u in commands:
        np.testing.assert_allclose(u, -regulator.gain @ x, rtol=1e-9, atol=1e-9 * np.abs(commands).max())
        x = model.A @ x + model.B @ u
    loop = closed_loop(model, compensator)
    assert loop.stable
    # What is kept twice, in the model and in the compensator, is gone after some samples: up to six poles at zero.
    lasting = int(np.sum(np.abs(regulator.poles) > 0.1))
    assert lasting == (5 if hold == "first" else 4), "a ramp goes on from the command before"
    found, wanted = loop.poles[:lasting], regulator.poles[:lasting]
    np.testing.assert_allclose(np.sort_complex(found), np.sort_complex(wanted), rtol=1e-8)
    assert np.abs(loop.poles[lasting:]).max(initial=0.0) < 5e-3


def test_tensions_that_feel_a_command_tell_states_too() -> None:
    """Two tensions and their winches: what they feel at once is taken off before the states are solved for."""
    seen = ["cable:l.tension", "node:top.velocity.x"]
    model = linearise(mast(even=True), inputs=["cable:l.rest_length", "cable:r.rest_length"], outputs=seen)
    assert model.D.any()
    discrete = sampled(model, 50.0)
    regulator = lqr(discrete, 50.0, 1e4)
    compensator = regulator.compensator()
    _, commands = looped(discrete, compensator, np.array([0.01, 0.1, 0.0]), 40)
    x = np.array([0.01, 0.1, 0.0])
    for u in commands:
        np.testing.assert_allclose(u, -regulator.gain @ x, rtol=1e-9, atol=1e-12)
        x = discrete.A @ x + discrete.B @ u
    assert np.abs(x).max() < 0.02


def test_a_loop_is_what_is_played() -> None:
    rng = np.random.default_rng(8)
    model = sampled(
        made(rng.normal(size=(5, 5)) - 2.0 * np.eye(5), rng.normal(size=(5, 3)), rng.normal(size=(4, 5))), 10.0
    )
    parts = (0.3 * rng.normal(size=s) for s in ((2, 2), (2, 2), (1, 2), (1, 2)))
    compensator = Compensator(*parts, ("y4", "y2"), ("u3",), np.zeros(2), np.zeros(1), 0.1)
    loop = closed_loop(model, compensator)
    assert loop.states[5:] == ("compensator 1", "compensator 2")
    start = rng.normal(size=5)
    outputs, _ = looped(model, compensator, start, 12)
    x = np.concatenate([start, np.zeros(2)])
    for wanted in outputs:
        np.testing.assert_allclose(loop.C @ x, wanted, rtol=1e-12, atol=1e-14)
        x = loop.A @ x
    # An input of the loop adds to what is commanded: a constant one, against the loop of a model that has it as drift.
    push = np.array([1.0, -2.0, 0.5])
    steady = closed_loop(replace(model, drift=model.B @ push), compensator)
    np.testing.assert_allclose(loop.B @ push, steady.drift, rtol=1e-12)


def test_a_loop_drifts_as_its_offsets_say() -> None:
    """Played: the compensator counts from elsewhere than the model is about, pushes, and begins with a state."""
    rng = np.random.default_rng(8)
    model = sampled(
        made(rng.normal(size=(5, 5)) - 2.0 * np.eye(5), rng.normal(size=(5, 3)), rng.normal(size=(4, 5))), 10.0
    )
    model = replace(model, drift=rng.normal(size=5), offset=rng.normal(size=4))
    parts = (0.3 * rng.normal(size=s) for s in ((2, 2), (2, 2), (1, 2), (1, 2)))
    offsets = rng.normal(size=2), rng.normal(size=1)
    compensator = Compensator(*parts, ("y4", "y2"), ("u3",), *offsets, 0.1, start=rng.normal(size=2))
    start = rng.normal(size=5)
    outputs, _ = looped(model, compensator, start, 12)
    loop = closed_loop(model, compensator)
    np.testing.assert_array_equal(loop.offset, model.offset)
    x = np.concatenate([start, compensator.states])
    for wanted in outputs:
        np.testing.assert_allclose(loop.C @ x, wanted, rtol=1e-12, atol=1e-14)
        x = loop.A @ x + loop.drift


@pytest.mark.slow
def test_a_loop_settles_where_its_run_does() -> None:
    """About x = 1 with 100 N/m, pushed to 0.95 by 20 N/m."""
    cable = Cable("c", ("a", "b"), stiffness=100.0, rest_length=0.9)
    nodes, supports = {"a": (0.0, 0.0, 0.0), "b": (1.0, 0.0, 0.0)}, {"a": "xyz", "b": "yz"}
    bead = Structure(nodes, cables=[cable], supports=supports, point_masses={"b": 2.0})
    options = {"loads": [Load("b", "x", 10.0), Load("b", "x", Command(), name="push")], "damping": Damping(node=30.0)}
    plant = assemble(bead, **options)
    model = sampled(linearise(plant, inputs=["node:b.force.x"], outputs=["node:b.position.x"]), 50.0)
    hand = pd(["node:b.position.x"], ["node:b.force.x"], 20.0, rate=50.0, measured_offset=np.array([0.95]))
    loop = closed_loop(model, hand)
    settled = loop.offset[0] + loop.C[0] @ np.linalg.solve(np.eye(len(loop.A)) - loop.A, loop.drift)
    assert settled == pytest.approx(1.0 - 20.0 * 0.05 / 120.0, rel=1e-9)
    law = LinearLaw(hand.d, measured_offset=hand.measured_offset)
    controller = Controller("hand", ("node:b.position.x",), ("push",), law, rate=50.0)
    run = simulate(assemble(bead, controllers=[controller], **options), 8.0, verify=False)
    assert run.nodes[-1, 1, 0] == pytest.approx(settled, abs=1e-7)


def test_a_loop_with_outputs_that_feel_inputs_at_once() -> None:
    """Of a model from elsewhere: allowed where the compensator does not answer at once to what it drives."""
    rng = np.random.default_rng(9)
    names = (("x1", "x2"), ("u1", "u2"), ("y1", "y2"))
    model = SampledModel(
        0.4 * np.eye(2), *rng.normal(size=(2, 2, 2)), np.array([[0.0, 1.0], [2.0, 0.0]]), *names, period=0.1
    )
    parts = (np.array([[0.5]]), np.array([[1.0]]), np.array([[0.2]]), np.array([[0.3]]))
    compensator = Compensator(*parts, ("y1",), ("u1",), np.array([0.7]), np.array([-0.4]), 0.1)
    loop = closed_loop(model, compensator)
    x, z, whole = rng.normal(size=2), np.zeros(1), None
    whole = np.concatenate([x, z])
    for push in rng.normal(size=(6, 2)):
        y1 = (model.C @ x)[:1] + push[1] - 0.7
        u = push + np.array([float(0.2 * z[0] + 0.3 * y1[0]) - 0.4, 0.0])
        shown = loop.offset + loop.C @ whole + loop.D @ push
        np.testing.assert_allclose(shown, model.C @ x + model.D @ u, rtol=1e-12)
        x, z, whole = model.A @ x + model.B @ u, 0.5 * z + y1, loop.A @ whole + loop.B @ push + loop.drift
        np.testing.assert_allclose(whole, np.concatenate([x, z]), rtol=1e-12)
    with pytest.raises(
        OptionError, match=r"answers at once to outputs that feel its command at once \(D is not zero\)"
    ):
        closed_loop(model, replace(compensator, measured=("y2",)))
    with pytest.raises(OptionError, match=r'"y2" feels the command "u1" of the same sample \(D is not zero\)'):
        lqr(model, over="samples").compensator()


# --- PD


@pytest.mark.parametrize("smooth", [0.0, 0.03])
def test_pd_is_its_formula(smooth: float) -> None:
    gains = np.array([[2.0, 0.5]]), np.array([[0.3, -0.1]])
    found = pd(["y1", "y2"], ["u1"], *gains, rate=50.0, filter=smooth, measured_offset=np.array([1.0, 0.0]))
    rng = np.random.default_rng(2)
    y, rate, z = np.zeros(2), np.zeros(2), np.zeros(2)
    for reading in rng.normal(size=(10, 2)):
        before, y = y, reading - [1.0, 0.0]
        rate = (y - before + smooth * rate) / (0.02 + smooth)
        command, z = found.answer(z, reading)
        np.testing.assert_allclose(command, -(gains[0] @ y + gains[1] @ rate), rtol=1e-12)
    assert found.period == 0.02
    assert pd(["y"], ["u"], 3.0, rate=50.0).a.size == 0, "without a derivative nothing is kept"


@pytest.mark.parametrize("smooth", [0.0, 0.03])
def test_pd_begins_without_a_kick_where_it_knows_what_was_before(smooth: float) -> None:
    offset, standing = np.array([0.5]), np.array([0.6])
    settings = {"rate": 100.0, "filter": smooth, "measured_offset": offset}
    unknown, known = pd(["y"], ["u"], 3.0, 1.0, **settings), pd(["y"], ["u"], 3.0, 1.0, **settings, start=standing)
    assert unknown.answer(unknown.states, standing)[0] == pytest.approx(-0.3 - 0.1 / (0.01 + smooth))
    z = known.states
    for _ in range(3):
        command, z = known.answer(z, standing)
        assert command == pytest.approx(-0.3)
    assert pd(["y"], ["u"], 3.0, **settings, start=standing).states.size == 0, "without a derivative nothing is kept"
    with pytest.raises(OptionError, match=r"start has the shape \(2,\); give one number for each measured .*\(1,\)"):
        pd(["y"], ["u"], 3.0, 1.0, **settings, start=np.zeros(2))
    with pytest.raises(OptionError, match=r"start of the compensator has the shape \(2,\), but 1 states"):
        replace(known, start=np.zeros(2))


@pytest.mark.slow
def test_pd_in_a_run_begins_without_a_kick() -> None:
    cable = Cable("c", ("a", "b"), stiffness=100.0, rest_length=0.9)
    nodes, supports = {"a": (0.0, 0.0, 0.0), "b": (1.0, 0.0, 0.0)}, {"a": "xyz", "b": "yz"}
    bead = Structure(nodes, cables=[cable], supports=supports, point_masses={"b": 2.0})
    loads = [Load("b", "x", Command(10.0), name="push")]
    first = []
    for start in (None, np.array([1.0])):
        hand = pd(["node:b.position.x"], ["node:b.force.x"], 5.0, 1.0, rate=100.0, start=start)
        controller = hand.controller("hand", assemble(bead, loads=loads))
        run = simulate(assemble(bead, loads=loads, controllers=[controller]), 0.01, every=0.005, verify=False)
        first.append(run.load_force[1, 0])
    assert first == pytest.approx([10.0 - 5.0 - 100.0, 10.0 - 5.0])


def test_pd_damps_a_mass_as_the_continuous_one_does_when_it_is_fast() -> None:
    mass = made([[0, 1], [0, 0]], [[0], [1]], [[1, 0]])
    wanted = np.linalg.eigvals([[0, 1], [-100.0, -8.0]])
    gaps = []
    for rate in (500.0, 1000.0, 2000.0):
        loop = closed_loop(sampled(mass, rate), pd(["y1"], ["u1"], 100.0, 8.0, rate=rate))
        gaps.append(np.abs(np.sort_complex(loop.equivalent_poles[:2]) - np.sort_complex(wanted)).max())
    assert gaps[0] / gaps[1] == pytest.approx(2.0, rel=0.1)
    assert gaps[1] / gaps[2] == pytest.approx(2.0, rel=0.1)
    assert gaps[2] < 0.1


def test_a_loop_decays_as_its_slowest_pole_says() -> None:
    """The continuous model played between the samples by exponentials, beside the loop's poles."""
    model = sampled(full(), 100.0, delay=0.01)
    compensator = lqr(model, 10.0, 0.1).compensator()
    loop = closed_loop(model, compensator)
    step = expm(np.block([[full().A, full().B], [np.zeros((1, 5))]]) * 0.01)
    x, z, held, sizes = np.array([1.0, 0.0, 0.0, 0.0]), np.zeros(len(compensator.a)), np.zeros(1), []
    for _ in range(1500):
        command, z = compensator.answer(z, full().C @ x + full().offset)
        x, held = (step @ np.concatenate([x, held]))[:4], command  # which acts one sample later
        sizes.append(np.linalg.norm(x))
    slow = loop.equivalent_poles[0]
    assert abs(slow.imag) < 1e-9, "the slowest does not swing, so its decay can be read off"
    assert np.log(sizes[1000] / sizes[1400]) / 4.0 == pytest.approx(-slow.real, rel=1e-6)


# --- what cannot be


def test_what_does_not_fit_is_told() -> None:
    model = sampled(full(), 100.0)
    few = lqr(model).compensator
    with pytest.raises(
        OptionError, match=r'2 outputs tell 2 of 4 states, and nothing of what is mostly "mode \d rate"'
    ):
        few(["node:knee.position.x", "node:top.position.x"])
    with pytest.raises(OptionError, match=r'the model has no output "node:knee.z"'):
        few(["node:knee.z"])
    with pytest.raises(OptionError, match=r"acts from sample to sample; design it on taut.control.sampled"):
        lqr(full()).compensator()
    with pytest.raises(OptionError, match=r"acts every 0.02 s and the model is sampled every 0.01 s"):
        closed_loop(model, pd(["node:top.position.x"], ["node:knee.force.x"], 1.0, rate=50.0))
    with pytest.raises(OptionError, match=r'the model has no input "node:knee.x"; did you mean "node:knee.force.x"'):
        closed_loop(model, pd(["node:top.position.x"], ["node:knee.x"], 1.0, rate=100.0))
    with pytest.raises(OptionError, match=r"rate -1 must be a finite number more than zero"):
        pd(["y"], ["u"], 1.0, rate=-1.0)
    with pytest.raises(OptionError, match=r"filter -1 must be a finite number, zero or more \[s\]"):
        pd(["y"], ["u"], 1.0, rate=1.0, filter=-1.0)
    with pytest.raises(
        OptionError, match=r"proportional as a number is for one driven input each, and there are 2 measured"
    ):
        pd(["y", "w"], ["u"], 1.0, rate=1.0)
    with pytest.raises(OptionError, match=r"derivative of shape \(2, 1\) does not fit: give a number or \(1, 2\)"):
        pd(["y", "w"], ["u"], np.ones((1, 2)), np.ones((2, 1)), rate=1.0)
    with pytest.raises(
        OptionError, match=r"b of the compensator has the shape \(1, 1\), but 1 states, 2 measured and 1"
    ):
        Compensator(np.eye(1), np.eye(1), np.eye(1), np.ones((1, 2)), ("y", "w"), ("u",), np.zeros(2), np.zeros(1), 0.1)
    with pytest.raises(OptionError, match=r"d of the compensator must have finite numbers only"):
        replace(pd(["y"], ["u"], 1.0, rate=1.0), d=np.array([[np.nan]]))
    with pytest.raises(OptionError, match=r"period 0 of the compensator must be"):
        replace(pd(["y"], ["u"], 1.0, rate=1.0), period=0.0)
    with pytest.raises(OptionError, match=r"measured_offset of the compensator has the shape \(3,\)"):
        pd(["y"], ["u"], 1.0, rate=1.0, measured_offset=np.zeros(3))


def test_notes_of_the_design_go_along() -> None:
    model = sampled(replace(full(), notes=("as it is",)), 100.0)
    regulator = replace(lqr(model), notes=("hardly",))
    assert regulator.compensator().notes == ("as it is", "hardly")
