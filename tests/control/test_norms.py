"""Norms and gramians against python-control, against the energy of impulse responses and against dense sweeps."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import assume, given, settings
from random_cases import Case, cases

import taut
from taut import Damping, Feedback, LinearModel, Load, OptionError, assemble, linearise
from taut.control import (
    controllability_gramian,
    frequency_response,
    h2_norm,
    hinf_norm,
    impulse_response,
    observability_gramian,
)

control = pytest.importorskip("control")
SOME = settings(max_examples=20, derandomize=True, deadline=None)


def made(a: list, b: list, c: list, d: list | None = None) -> LinearModel:
    """A model of matrices alone."""
    a, b, c = (np.array(m, dtype=float) for m in (a, b, c))
    direct = np.zeros((len(c), b.shape[1])) if d is None else np.array(d, dtype=float)
    names = [
        tuple(f"{letter}{k + 1}" for k in range(n))
        for letter, n in zip("xuy", (len(a), *b.shape[1:], len(c)), strict=True)
    ]
    return LinearModel(a, b, c, direct, *names)


def their_largest_gain(model: LinearModel) -> float:
    """By python-control, which wants as many inputs as outputs (0.10.2 stumbles over others): the rest is zero."""
    side = max(model.D.shape)
    b, c, d = np.zeros((len(model.A), side)), np.zeros((side, len(model.A))), np.zeros((side, side))
    b[:, : model.B.shape[1]], c[: len(model.C)], d[: len(model.C), : model.B.shape[1]] = model.B, model.C, model.D
    return float(control.norm(control.ss(model.A, b, c, d), "inf"))


def damped_tower() -> LinearModel:
    tower = taut.balance(taut.generators.tower(2).supported("bottom*"), gravity=9.81).structure.changed(
        "cable:*", damping=30.0
    )
    plant = assemble(tower, gravity=9.81, damping=Damping(node=3.0))
    return linearise(plant, inputs="node:top*.xz", outputs="node:top*")


def test_a_mass_on_a_spring_has_its_textbook_norms() -> None:
    # m = 1, k = w^2, c = 2 z w: H2^2 = 1 / (4 z w^3), Hinf = 1 / (2 z w^2 sqrt(1 - z^2)) at w sqrt(1 - 2 z^2).
    w, z = 5.0, 0.1
    model = made([[0, 1], [-(w**2), -2 * z * w]], [[0], [1]], [[1, 0]])
    assert h2_norm(model).value == pytest.approx(math.sqrt(1.0 / (4.0 * z * w**3)), rel=1e-12)
    largest = hinf_norm(model)
    assert largest.value == pytest.approx(1.0 / (2.0 * z * w**2 * math.sqrt(1.0 - z**2)), rel=1e-10)
    assert largest.frequency == pytest.approx(w * math.sqrt(1.0 - 2.0 * z**2) / (2.0 * math.pi), rel=1e-4)
    np.testing.assert_allclose(model.damping_ratio, z, rtol=1e-12)
    np.testing.assert_allclose(model.frequency, w / (2.0 * math.pi), rtol=1e-12)


def test_a_towers_norms_agree_with_python_control_impulses_and_a_sweep() -> None:
    model = damped_tower()
    assert model.stable
    system = model.to_control()
    energy, largest = h2_norm(model), hinf_norm(model)
    assert energy.value == pytest.approx(control.norm(system, 2), rel=1e-9)
    assert largest.value == pytest.approx(their_largest_gain(model), rel=1e-5)
    slowest = -model.poles.real.max()
    answer = impulse_response(model, 18.0 / slowest, every=0.02 / np.abs(model.poles).max())
    # Simpson's rule on an even number of equal intervals.
    squares = (answer.output**2).sum(axis=(1, 2))[: 2 * ((answer.time.size - 1) // 2) + 1]
    simpson = (squares[0] + squares[-1] + 4.0 * squares[1::2].sum() + 2.0 * squares[2:-1:2].sum()) / 3.0
    assert energy.value**2 == pytest.approx(simpson * answer.time[1], rel=1e-6)
    near = largest.frequency * np.linspace(0.9, 1.1, 201)
    wide = np.concatenate([[0.0], np.geomspace(1e-3, 10.0, 400) * np.abs(model.poles).max(), near])
    gains = np.linalg.norm(frequency_response(model, wide), 2, axis=(1, 2))
    assert gains.max() <= largest.value * (1.0 + 1e-9)
    assert gains.max() == pytest.approx(largest.value, rel=1e-4)


def test_an_output_that_feels_its_input_at_once() -> None:
    tower = taut.balance(taut.generators.tower(2).supported("bottom*"), gravity=9.81).structure
    plant = assemble(tower, gravity=9.81, damping=Damping(node=3.0))
    model = linearise(plant, inputs="cable:*.rest_length", outputs="cable:*.tension")
    found = h2_norm(model)
    assert found.value == math.inf
    assert "at once, so an impulse has infinite energy" in found.reason
    assert ".rest_length" in found.reason
    assert hinf_norm(model).value == pytest.approx(their_largest_gain(model), rel=1e-5)


@SOME
@given(cases(supports="nodes", springs_only=True))
def test_norms_of_random_structures(case: Case) -> None:
    # Every node on a spring of its own to the ground, as it were: a feedback, so that most of them stand.
    springs = [
        Load(node, axis, Feedback(lambda t, x, v, k=k, a=a: -400.0 * x[k, a]))
        for k, node in enumerate(case.structure.nodes)
        for a, axis in enumerate("xyz")
    ]
    plant = assemble(case.structure, loads=springs, damping=Damping(node=1.0, mass=0.5))
    assume(plant.tables["nodes"].free.size)
    model = linearise(plant)
    assume(model.stable)
    assume(model.poles.real.max() < -1e-3)
    system = model.to_control()
    assert h2_norm(model).value == pytest.approx(control.norm(system, 2), rel=1e-6)
    assert hinf_norm(model).value == pytest.approx(their_largest_gain(model), rel=1e-4)
    sweep = np.geomspace(1e-3, 10.0 * model.frequency.max(), 300)
    gains = np.linalg.norm(frequency_response(model, sweep), 2, axis=(1, 2))
    assert gains.max() <= hinf_norm(model).value * (1.0 + 1e-9)


def test_gramians_solve_their_equations() -> None:
    model = damped_tower()
    reach, show = controllability_gramian(model), observability_gramian(model)
    np.testing.assert_allclose(model.A @ reach + reach @ model.A.T, -model.B @ model.B.T, atol=1e-9)
    scale = np.abs(model.A.T @ show).max()
    np.testing.assert_allclose(model.A.T @ show + show @ model.A, -model.C.T @ model.C, atol=1e-9 * scale)
    assert np.trace(model.C @ reach @ model.C.T) == pytest.approx(h2_norm(model).value ** 2, rel=1e-9)
    assert np.trace(model.B.T @ show @ model.B) == pytest.approx(h2_norm(model).value ** 2, rel=1e-9)


# --- models that do not die away


def test_undamped_and_unstable_models_have_infinite_norms_and_say_why() -> None:
    undamped = linearise(taut.balance(taut.generators.tbar()))
    found = h2_norm(undamped)
    assert found.value == math.inf
    assert "(it swings at 0." in found.reason
    assert "does not die away, and an input reaches it and an output shows it" in found.reason
    assert hinf_norm(undamped).value == math.inf
    growing = made([[0, 1], [4, -1]], [[0], [1]], [[1, 0]])
    assert h2_norm(growing).reason.startswith("the pole 1.56+0j rad/s does not die away")
    assert hinf_norm(growing).value == math.inf
    with pytest.raises(
        OptionError, match=r"controllability gramian of a model that is not stable does not exist.*1.56"
    ):
        controllability_gramian(growing)


def test_a_motion_that_nobody_reaches_or_sees_is_left_out_and_said() -> None:
    # Two masses: one damped and driven, the other growing, not reached by u1 and not shown by y1; turned by a matrix.
    a = np.zeros((4, 4))
    a[:2, :2], a[2:, 2:] = [[0, 1], [-25, -1]], [[0, 1], [9, 0]]
    turn = np.random.default_rng(3).normal(size=(4, 4))
    b, c = np.array([[0], [1], [0], [0]]), np.array([[1, 0, 0, 0]])
    back = np.linalg.inv(turn)
    hidden = made(back @ a @ turn, back @ b, c @ turn)
    seen = made(a[:2, :2], b[:2], c[:, :2])
    assert not hidden.stable
    for norm in (h2_norm, hinf_norm):
        assert norm(hidden).value == pytest.approx(norm(seen).value, rel=1e-9)
        assert norm(hidden).reason.endswith("what does not die away in 1 state")
    # Reached but not shown, and shown but not reached: what dies away must be told apart from what comes with it.
    pushed = made(back @ a @ turn, back @ np.array([[0], [1], [0], [1]]), c @ turn)
    shown = made(back @ a @ turn, back @ b, np.array([[1, 0, 1, 0]]) @ turn)
    assert h2_norm(pushed).value == pytest.approx(h2_norm(seen).value, rel=1e-9)
    assert h2_norm(shown).value == pytest.approx(h2_norm(seen).value, rel=1e-9)
    reached = made(back @ a @ turn, back @ np.array([[0], [1], [0], [1]]), np.array([[1, 0, 1, 0]]) @ turn)
    assert h2_norm(reached).value == math.inf


def test_a_free_flight_is_not_stable_and_its_shape_may_be() -> None:
    # A six-strut robot that nothing holds drifts for ever; its cables' tensions forget that.
    robot = taut.generators.icosahedron(0.6, stiffness=600.0).changed("cable:*", damping=5.0)
    plant = assemble(robot)
    drifting = linearise(plant)
    assert not drifting.stable
    assert h2_norm(drifting).value == math.inf
    shape = linearise(plant, outputs="cable:*.tension")
    found = h2_norm(shape)
    assert math.isfinite(found.value)
    # Six rigid motions, and the one mechanism, in which to first order no cable changes its length.
    assert found.reason.endswith("what does not die away in 14 states")


def test_an_empty_model_has_no_gain() -> None:
    nothing = LinearModel(*(np.zeros(s) for s in ((0, 0), (0, 1), (1, 0), (1, 1))), (), ("u",), ("y",))
    assert (h2_norm(nothing).value, hinf_norm(nothing).value, nothing.stable) == (0.0, 0.0, True)
