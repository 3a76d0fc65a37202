"""Linear model predictive control: against LQR over a long horizon, within bounds, and told where they do not hold."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.linalg import expm, solve_discrete_are

from taut import OptionError
from taut.control import SampledModel, predictive_control

PERIOD = 0.05


def cart(drift: float = 0.0) -> SampledModel:
    """A mass of 1 kg that a force pushes: place and speed."""
    whole = expm(np.array([[0.0, 1.0, 0.0], [0.0, 0.0, 1.0], [0.0, 0.0, 0.0]]) * PERIOD)
    return SampledModel(
        whole[:2, :2],
        whole[:2, 2:],
        np.eye(2),
        np.zeros((2, 1)),
        ("place", "speed"),
        ("force",),
        ("place", "speed"),
        drift=np.array([0.0, drift]) if drift else np.zeros(0),
        period=PERIOD,
    )


def test_over_a_long_horizon_it_is_lqr() -> None:
    model = cart()
    q, r = np.diag([3.0, 1.0]), np.array([[0.1]])
    p = solve_discrete_are(model.A, model.B, q, r)
    gain = np.linalg.solve(r + model.B.T @ p @ model.B, model.B.T @ p @ model.A)
    law = predictive_control(model, horizon=300, output_cost=q, input_cost=r)
    for x in np.random.default_rng(0).normal(size=(3, 2)):
        assert law.decide(x).command == pytest.approx(-gain @ x, rel=1e-6, abs=1e-9)


def test_what_is_expected_is_what_the_model_does() -> None:
    model = cart(drift=0.01)
    law = predictive_control(model, horizon=12, input_cost=0.01)
    wanted = np.tile([0.5, 0.0], (12, 1))
    plan = law.decide(np.array([0.1, -0.2]), wanted)
    x = np.array([0.1, -0.2])
    for k in range(12):
        x = model.A @ x + model.B @ plan.commands[k] + np.array([0.0, 0.01])
        assert plan.output[k] == pytest.approx(x, abs=1e-12)
    # No other plan is better.
    rng = np.random.default_rng(1)
    best = _cost(law, plan.commands, wanted)
    for _ in range(20):
        assert _cost(law, plan.commands + 1e-3 * rng.normal(size=(12, 1)), wanted) > best


def _cost(law, commands: np.ndarray, wanted: np.ndarray) -> float:
    y = law.by_state @ np.array([0.1, -0.2]) + law.by_drift + law.by_command @ commands.ravel()
    return float(np.sum((y - wanted.ravel()) ** 2) + 0.01 * np.sum(commands**2))


def test_bounds_hold_in_the_loop() -> None:
    """Half a metre away it pushes as hard as it may, and never faster than it may: then it stands there."""
    model = cart()
    law = predictive_control(
        model, horizon=25, output_cost=np.diag([1.0, 0.0]), input_cost=1e-4, lowest=-1.0, highest=1.0,
        output_bounds={"speed": (-0.2, 0.2)},
    )  # fmt: skip
    x, wanted, forces, speeds = np.zeros(2), np.tile([0.5, 0.0], (25, 1)), [], []
    for _ in range(120):
        plan = law.decide(x, wanted)
        assert plan.relaxed == ()
        x = model.A @ x + model.B @ plan.command
        forces.append(plan.command[0])
        speeds.append(x[1])
    assert max(np.abs(forces)) == pytest.approx(1.0, abs=1e-9)
    assert max(speeds) == pytest.approx(0.2, abs=1e-9)
    assert x == pytest.approx([0.5, 0.0], abs=1e-4)


def test_a_bound_that_nothing_keeps_is_told() -> None:
    law = predictive_control(
        cart(), horizon=5, input_cost=1.0, highest=1.0, lowest=-1.0, output_bounds={"speed": (-0.2, 0.2)}
    )
    plan = law.decide(np.array([0.0, 1.0]))
    told = {one.name: one for one in plan.relaxed}
    first = told['"speed" in 1 samples']
    assert first.bound == 0.2
    assert first.by == pytest.approx(1.0 - 0.2 - 0.05, abs=1e-6), "it cannot brake in one sample"
    assert plan.commands == pytest.approx(-np.ones((5, 1)), abs=1e-5)
    assert all(name.startswith('"speed"') for name in told), "the motor's own limit is firm"


def test_what_is_refused() -> None:
    with pytest.raises(OptionError, match="a horizon of 0 samples"):
        predictive_control(cart(), horizon=0, input_cost=1.0)
    with pytest.raises(OptionError, match=r"2 states and 3 wanted outputs do not fit: give \(2,\) and \(4, 2\)"):
        predictive_control(cart(), horizon=4, input_cost=1.0).decide(np.zeros(2), np.zeros(3))
    for wrong, message in (
        ({"lowest": 1.0, "highest": -1.0}, r"lowest, 1, is above highest, -1; nothing lies between"),
        ({"lowest": np.zeros(3)}, r"lowest of shape \(3,\) does not fit: give one number, or 1"),
        ({"highest": np.nan}, r"highest has no number \(NaN\)"),
        ({"output_bounds": {"speed": (1.0, -1.0)}}, r'the least of "speed", 1, is above its most, -1'),
    ):
        with pytest.raises(OptionError, match=message):
            predictive_control(cart(), horizon=4, input_cost=1.0, **wrong)
    with pytest.raises(OptionError, match="the state and wanted outputs must have finite numbers only"):
        predictive_control(cart(), horizon=4, input_cost=1.0).decide(np.array([np.nan, 0.0]))
    with pytest.raises(OptionError, match="the model has no outputs, so there is nothing to decide"):
        predictive_control(cart().chosen(outputs=[]), horizon=4, input_cost=1.0)
