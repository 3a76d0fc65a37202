"""LQR from sample to sample: its equation, its cost between the samples, its limit, what it cannot reach."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest
from scipy.linalg import expm
from test_norms import made
from test_regulator import UPRIGHT, mast, posts

from taut import LinearModel, OptionError, assemble, linearise
from taut.control import closed_loop, lqr, sampled
from taut.control.controllability import reach
from taut.control.sampling import cost_over_period

control = pytest.importorskip("control")
HOLDS = [("zero", 0.0), ("zero", 0.007), ("first", 0.0), ("first", 0.027)]


def spent(model: LinearModel, hold: str, delay: float, seed: int) -> tuple[float, float, float]:
    """Cost of a period of 10 ms by the matrices, the same by quadrature, and that of the inputs in it alone."""
    found = sampled(model, 100.0, hold=hold, delay=delay)
    rng = np.random.default_rng(seed)
    x, u = rng.normal(size=len(found.states)), rng.normal(size=len(found.inputs))
    q, r = 3.0 * np.eye(len(model.states)), 0.2 * np.eye(len(model.inputs))
    square, crossed, direct = cost_over_period(found, q, r)
    inputs = {0: u} | {ago: x[found.plant_size + k :][:1] for k, (_, ago) in enumerate(found.memory)}
    count, fine = 2000, 0.01 / 2000
    step, place, states = expm(model.A * fine), x[: len(model.states)], []
    lag = round(delay / fine)

    def acting(n: int) -> np.ndarray:  # at the middle of the n-th fine step
        whole, part = divmod(n - lag + 0.5, count)
        ago = -int(whole)
        return inputs[ago] if hold == "zero" else inputs[ago + 1] + part / count * (inputs[ago] - inputs[ago + 1])

    inverse = np.linalg.solve(model.A, step - np.eye(len(model.A)))
    for n in range(count + 1):
        states.append(place)
        if n < count:
            place = step @ place + inverse @ model.B @ acting(n)
    squares = np.array([3.0 * s @ s for s in states])
    simpson = (squares[0] + squares[-1] + 4.0 * squares[1::2].sum() + 2.0 * squares[2:-1:2].sum()) * fine / 3.0
    ramp = [
        inputs[0] if hold == "zero" else inputs[1] + (n + 0.5) / count * (inputs[0] - inputs[1]) for n in range(count)
    ]
    pushed = sum(0.2 * float(u @ u) for u in ramp) * fine
    return float(x @ square @ x + 2.0 * x @ crossed @ u + u @ direct @ u), simpson, pushed


@pytest.mark.parametrize(("hold", "delay"), HOLDS)
def test_the_cost_of_a_period_is_the_integral(hold: str, delay: float) -> None:
    model = made([[0, 1, 0], [-400, -2, 1], [1, 0, -30]], [[0], [5], [1]], [[1, 0, 0]])
    for seed in range(3):
        found, states, inputs = spent(model, hold, delay, seed)
        assert found == pytest.approx(states + inputs, rel=1e-6)


def test_stiff_and_growing_costs_keep_their_digits() -> None:
    # x' = -a x: the integral of x^2 over T is (1 - e^{-2 a T}) / 2 a, also where e^{+a T} has no floating number.
    for a in (1e-6, 1.0, 1e5, -50.0):
        square, _, _ = cost_over_period(sampled(made([[-a]], [[1.0]], [[1.0]]), 10.0), np.eye(1), np.eye(1))
        assert square[0, 0] == pytest.approx(-np.expm1(-0.2 * a) / (2.0 * a), rel=1e-10)


def test_it_is_that_of_python_control_over_samples() -> None:
    model = sampled(UPRIGHT, 100.0, delay=0.01)
    found = lqr(model, 10.0, 0.1, over="samples")
    weight = np.diag([10.0] * 4 + [0.0])
    gain, _, poles = control.dlqr(model.A, model.B, weight, np.array([[0.1]]))
    np.testing.assert_allclose(found.gain, gain, rtol=1e-8)
    np.testing.assert_allclose(np.sort(np.abs(found.poles)), np.sort(np.abs(poles)), rtol=1e-6, atol=1e-9)
    np.testing.assert_allclose(np.abs(found.poles[-1]), 0.0, atol=1e-9)
    seen = lqr(model, np.diag([10.0, 20.0]), 0.1, of="outputs", over="samples")
    weight = np.zeros((5, 5))
    weight[:4, :4] = UPRIGHT.C.T @ np.diag([10.0, 20.0]) @ UPRIGHT.C
    np.testing.assert_allclose(seen.gain, control.dlqr(model.A, model.B, weight, np.array([[0.1]]))[0], rtol=1e-8)


@pytest.mark.parametrize("hold", ["zero", "first"])
def test_with_the_rate_it_becomes_the_continuous_one(hold: str) -> None:
    """The cost approaches that of the continuous regulator: with the square of the period for a hold of zero order."""
    wanted = lqr(UPRIGHT, 10.0, 0.1)
    x = np.array([1.0, 0.5, -1.0, 2.0])
    best = x @ wanted.cost @ x
    gaps, shifts = [], []
    for rate in (200.0, 400.0, 800.0):
        model = sampled(UPRIGHT, rate, hold=hold)
        found = lqr(model, 10.0, 0.1)
        gaps.append((x @ found.cost[:4, :4] @ x) / best - 1.0)
        poles = model.speeds(found.poles)[:4]
        shifts.append(np.abs(np.sort_complex(poles) - np.sort_complex(wanted.poles)).max())
    assert gaps[0] > gaps[1] > gaps[2] > 0.0, "no sampled input does better than the best of all"
    order = 4.0 if hold == "zero" else 2.0  # with u[-1] = 0 the first ramp costs a part of a period
    assert gaps[0] / gaps[1] == pytest.approx(order, rel=0.15)
    assert gaps[1] / gaps[2] == pytest.approx(order, rel=0.1)
    assert shifts[2] < 0.6 * shifts[1] < 0.4 * shifts[0]
    if hold == "zero":
        assert np.abs(found.gain / wanted.gain - 1.0).max() < 0.02


def test_a_delay_only_adds_poles_at_zero() -> None:
    """What is best with a delay predicts the state at which a command will act, and does there what is best without."""
    plain, late = lqr(sampled(UPRIGHT, 50.0), 10.0, 0.1), lqr(sampled(UPRIGHT, 50.0, delay=0.05), 10.0, 0.1)
    np.testing.assert_allclose(
        np.sort_complex(late.poles[:4]), np.sort_complex(plain.poles), rtol=1e-7, err_msg="other poles"
    )
    assert np.abs(late.poles[4:]).max() < 1e-4  # three of them upon one another, which round-off spreads


def test_motions_that_inputs_hardly_reach_are_told() -> None:
    for options in ({}, {"delay": 0.02}, {"hold": "first", "delay": 0.013}):
        assert lqr(sampled(posts(1.0), 100.0, **options)).notes == ()
        found = lqr(sampled(posts(1e-4), 100.0, **options))
        assert 'hardly reach the motion with the pole 3.36 rad/s (mostly "mode 2' in found.notes[0]
        with pytest.raises(OptionError, match=r"They do not reach the motion with the pole 3.36 rad/s \(mostly"):
            lqr(sampled(posts(1e-14), 100.0, **options))
    # A swing sampled once in half of its period stands still for a command: no rate was so unlucky before.
    swing = made([[0, 1], [-(np.pi**2), 0]], [[0], [1]], [[1, 0]])
    assert lqr(sampled(swing, 1.9)).notes == ()
    with pytest.raises(OptionError, match=r"no feedback through these inputs .* do not reach the motion"):
        lqr(sampled(swing, 0.5))


def test_how_well_a_motion_is_reached_does_not_depend_on_the_delay() -> None:
    plain = reach(sampled(UPRIGHT, 100.0)).measure
    for delay in (0.01, 0.05):
        late = sampled(UPRIGHT, 100.0, delay=delay)
        np.testing.assert_allclose(reach(late.without_memory(), late.acting).measure, plain, rtol=1e-9)
    near = sampled(UPRIGHT, 100.0, delay=0.004)
    np.testing.assert_allclose(reach(near.without_memory(), near.acting).measure, plain, rtol=0.1)
    np.testing.assert_allclose(plain, reach(UPRIGHT).measure, rtol=0.3)


def test_what_commands_that_grow_do_through_a_delay() -> None:
    model = sampled(UPRIGHT, 100.0, hold="first", delay=0.027)
    assert [ago for _, ago in model.memory] == [1, 2, 3, 4]
    grown = np.concatenate([np.zeros(4), [1.7**-ago for _, ago in model.memory]])
    np.testing.assert_allclose(model.acting(1.7)[:, 0], 1.7**4 * (model.A @ grown + model.B[:, 0])[:4], rtol=1e-12)


def test_what_it_cannot_do_is_told() -> None:
    model = sampled(UPRIGHT, 100.0, delay=0.01)
    with pytest.raises(OptionError, match=r'over = "steps" is not one of time, samples'):
        lqr(model, over="steps")
    with pytest.raises(
        OptionError, match=r'over = "samples": the model is continuous and has none; see taut.control.sa'
    ):
        lqr(UPRIGHT, over="samples")
    with pytest.raises(OptionError, match=r"state_cost of shape \(5, 5\) does not fit: give a number or \(4, 4\)"):
        lqr(model, np.eye(5))
    with pytest.raises(OptionError, match=r"the model has no inputs, so there is nothing to regulate"):
        lqr(sampled(UPRIGHT, 100.0, commands=[]))
    still = LinearModel(np.zeros((0, 0)), np.zeros((0, 1)), np.zeros((1, 0)), np.ones((1, 1)), (), ("u",), ("y",))
    for rigid in (still, sampled(still, 100.0)):
        with pytest.raises(OptionError, match=r"the model has no states, so there is nothing to regulate"):
            lqr(rigid)
    found = lqr(model)
    with pytest.raises(OptionError, match=r"acts every 0.01 s, and loads and drives .* make a compensator of it"):
        found.loads()
    with pytest.raises(OptionError, match=r"acts every 0.01 s, and loads"):
        found.drives()
    q, v = np.zeros((2, 15))
    with pytest.raises(OptionError, match=r'earlier commands too \("delayed node:knee.force.x, 1 sample"\)'):
        found.inputs_at(q, v)
    whole = sampled(full(), 100.0, delay=0.01)
    loop = closed_loop(whole, lqr(whole).compensator())
    with pytest.raises(OptionError, match=r"does not know what was sampled, .* take over=\"samples\""):
        lqr(loop)


@cache
def full() -> LinearModel:
    return linearise(
        assemble(mast(), gravity=9.81),
        inputs="node:knee.x",
        outputs=["node:knee.x", "node:top.x", "node:knee.velocity.x", "node:top.velocity.x"],
    )
