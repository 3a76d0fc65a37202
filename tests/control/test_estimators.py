"""Kalman filters and LQG: against python-control and scipy's equations, and against the model played with noise."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from typing import Any

import numpy as np
import pytest
from scipy.integrate import quad_vec
from scipy.linalg import expm, solve_discrete_lyapunov
from scipy.stats import chi2
from test_driven_models import mast
from test_norms import damped_tower, made
from test_sampled_regulator import full

from taut import LinearModel, OptionError, linearise
from taut.control import (
    Compensator,
    Estimator,
    SampledModel,
    closed_loop,
    kalman,
    loop_covariance,
    lqg,
    lqr,
    pd,
    sampled,
)
from taut.control.noise import noise_of

control = pytest.importorskip("control")


@cache
def wound() -> LinearModel:
    return linearise(
        mast(even=True),
        inputs=["cable:l.rest_length", "cable:r.rest_length", "node:top.x"],
        outputs=["cable:l.tension", "cable:r.tension", "node:top.x"],
    )


WINCHES = ["cable:l.rest_length", "cable:r.rest_length"]
GUST = {"node:top.force.x": 0.5}
GAUGES = {"cable:l.tension": 2.0, "cable:r.tension": 3.0}


def test_noise_is_integrated_over_the_period() -> None:
    model = sampled(full(), 100.0)
    found = noise_of(model, {"node:knee.force.x": 0.7}, {"node:top.position.x": 0.1}).process
    spread = 0.7 * full().B @ full().B.T
    wanted, _ = quad_vec(lambda t: expm(full().A * t) @ spread @ expm(full().A.T * t), 0.0, 0.01, epsrel=1e-12)
    np.testing.assert_allclose(found, wanted, rtol=1e-9, atol=1e-12 * np.abs(wanted).max())
    # A free mass: intensity times T^3 / 3, T^2 / 2, T; and one that is stiff, whose noise settles at 1 / 2 a.
    free = noise_of(sampled(made([[0, 1], [0, 0]], [[0], [1]], [[1, 0]]), 2.0), {"u1": 1.0}, {"y1": 1.0}).process
    np.testing.assert_allclose(free, [[0.5**3 / 3, 0.5**2 / 2], [0.5**2 / 2, 0.5]], rtol=1e-14)
    stiff = noise_of(sampled(made([[-1e5]], [[1.0]], [[1.0]]), 1.0), {"u1": 1.0}, {"y1": 1.0}).process
    assert stiff[0, 0] == pytest.approx(1.0 / 2e5, rel=1e-10)


def test_it_is_that_of_python_control_and_solves_its_equation() -> None:
    model = sampled(damped_tower(), 500.0)
    noise = {"node:top1.force.x": 2.0, "node:top2.force.z": 0.5}
    found = kalman(model, noise, dict.fromkeys(model.outputs, 1e-3))
    process = noise_of(model, noise, {model.outputs[0]: 1.0}).process
    reading = 1e-6 * np.eye(9)
    _, before, poles = control.dlqe(model.A, np.eye(42), model.C, process, reading)
    np.testing.assert_allclose(found.predicted, before, rtol=1e-6, atol=1e-8 * np.abs(before).max())
    seen = model.C @ found.predicted @ model.C.T + reading
    drop = found.predicted @ model.C.T @ np.linalg.solve(seen, model.C @ found.predicted)
    size = np.abs(found.predicted).max()
    np.testing.assert_allclose(found.filtered, found.predicted - drop, atol=1e-10 * size)
    np.testing.assert_allclose(model.A @ found.filtered @ model.A.T + process, found.predicted, atol=1e-9 * size)
    np.testing.assert_allclose(found.gain, found.predicted @ model.C.T @ np.linalg.inv(seen), atol=1e-9)
    assert np.all(np.abs(found.poles) < 1.0)
    np.testing.assert_allclose(np.sort(np.abs(found.poles)), np.sort(np.abs(poles)), rtol=1e-4)


def test_a_reading_of_a_wandering_number_has_its_textbook_gain() -> None:
    # x[k+1] = x[k] + w, variance 1; y = x + v, variance 2: P = 2 before a reading, 1 after it, gain 1/2.
    model = sampled(made([[0.0]], [[1.0]], [[1.0]]), 1.0)
    found = kalman(model, np.eye(1), {"y1": np.sqrt(2.0)})
    assert (found.predicted[0, 0], found.filtered[0, 0], found.gain[0, 0]) == pytest.approx((2.0, 1.0, 0.5))
    assert found.poles == pytest.approx([0.5])


def test_earlier_commands_are_known_and_only_some_outputs_are_read() -> None:
    model = sampled(wound(), 100.0, delay=0.016, commands=WINCHES)
    found = kalman(model, GUST, GAUGES)
    assert found.measured == tuple(GAUGES)
    assert len(model.memory) == 4
    for part in (found.gain, found.predicted, found.filtered):
        assert not part[2:].any()
    assert found.gain.shape == (6, 2)
    # With the covariances of all outputs instead: the position too, but so badly that it does not count.
    whole = kalman(model, GUST, np.diag([4.0, 9.0, 1e12]))
    np.testing.assert_allclose(whole.gain[:, :2], found.gain, rtol=1e-6, atol=1e-12)


def design(delay: float = 0.01) -> tuple[SampledModel, Estimator, Any]:
    model = sampled(wound(), 100.0, delay=delay, commands=WINCHES)
    estimator = kalman(model, GUST, GAUGES)
    return model, estimator, lqg(lqr(model, 50.0, 1e4), estimator)


@pytest.mark.parametrize("delay", [0.0, 0.01, 0.016])
def test_the_loop_has_the_poles_of_both(delay: float) -> None:
    model, estimator, compensator = design(delay)
    loop = closed_loop(model, compensator)
    wanted = np.concatenate([lqr(model, 50.0, 1e4).poles[:2], estimator.poles])
    np.testing.assert_allclose(np.sort_complex(loop.poles[:4]), np.sort_complex(wanted), rtol=1e-7)
    assert np.abs(loop.poles[4:]).max() < 1e-3
    np.testing.assert_array_equal(compensator.measured_offset, wound().offset[:2])


def test_the_error_of_the_estimate_in_the_loop_is_that_of_the_filter() -> None:
    model, estimator, compensator = design()
    found = loop_covariance(model, compensator, GUST, GAUGES)
    size = len(model.states)
    apart = np.concatenate([np.eye(size), -np.eye(size)], axis=1)  # z is the estimate before the reading
    np.testing.assert_allclose(
        apart @ found.joint @ apart.T, estimator.predicted, atol=1e-9 * np.abs(estimator.predicted).max()
    )
    assert list(found.deviations) == [*wound().outputs, *WINCHES]
    assert found.deviations["node:top.position.x"] == pytest.approx(np.sqrt(found.output[2, 2]))
    assert found.loop.stable


@pytest.mark.parametrize("delay", [0.0, 0.016])
def test_noise_that_is_played_has_the_predicted_covariance(delay: float) -> None:
    """400 loops of 300 samples, with seeds: squared sizes at the end are chi-square, to 99.9 percent."""
    model, estimator, compensator = design(delay)
    wanted = loop_covariance(model, compensator, GUST, GAUGES)
    process, reading, rows = noise_of(model, GUST, GAUGES)
    rng, count, samples = np.random.default_rng(15), 400, 300
    size, inside = len(model.states), len(compensator.a)
    x, z = np.zeros((count, size)), np.zeros((count, inside))
    for k in range(samples):
        noise = rng.multivariate_normal(np.zeros(2), process, count, method="eigh")
        y = x @ model.C[rows].T + rng.multivariate_normal(np.zeros(2), reading, count)
        if k == samples - 1:
            after = z + (y - z @ model.C[rows].T) @ estimator.gain.T
            break
        u = z @ compensator.c.T + y @ compensator.d.T
        z = z @ compensator.a.T + y @ compensator.b.T
        x = x @ model.A.T + u @ model.B.T
        x[:, :2] += noise
    u = z @ compensator.c.T + y @ compensator.d.T
    command = u[:, :1], wanted.command[:1, :1]
    cases = [
        ((x - z)[:, :2], estimator.predicted[:2, :2]),
        ((x - after)[:, :2], estimator.filtered[:2, :2]),
        (x[:, :2], wanted.joint[:2, :2]),
        (x @ model.C[2:].T, wanted.output[2:, 2:]),
        command,
    ]
    for drawn, covariance in cases:
        squares = np.einsum("ni,ij,nj->n", drawn, np.linalg.inv(covariance), drawn)
        low, high = chi2.ppf([0.0005, 0.9995], count * drawn.shape[1])
        assert low < squares.sum() < high
        for turned in np.linalg.solve(np.linalg.cholesky(covariance), drawn.T):  # each direction by itself
            assert chi2.ppf(0.0005, count) < turned @ turned < chi2.ppf(0.9995, count)


def test_no_filter_estimates_better() -> None:
    """The variance of the error with another gain, by Lyapunov, is larger in every direction."""
    model, estimator, _ = design(0.0)
    process, reading, rows = noise_of(model, GUST, GAUGES)
    plant, gain = model.without_memory().chosen(outputs=list(GAUGES)), estimator.gain[:2]
    rng = np.random.default_rng(5)
    for scale in (0.02, 0.1):
        other = gain * (1.0 + scale * rng.normal(size=gain.shape))
        left = plant.A @ (np.eye(2) - other @ plant.C)
        worse = solve_discrete_lyapunov(left, process + plant.A @ other @ reading @ other.T @ plant.A.T)
        assert np.linalg.eigvalsh(worse - estimator.predicted[:2, :2]).min() > 0.0
    assert rows == [0, 1]


def test_a_pd_loop_has_a_covariance_too() -> None:
    # A mass with a damped spring, shaken: the continuous variance is intensity / (2 c k) for m = 1.
    model = sampled(made([[0, 1], [-100, -2]], [[0], [1]], [[1, 0]]), 1000.0)
    nothing = pd(["y1"], ["u1"], 0.0, rate=1000.0)
    found = loop_covariance(model, nothing, {"u1": 3.0}, {"y1": 1e-3})
    assert found.output[0, 0] == pytest.approx(3.0 / (2.0 * 2.0 * 100.0), rel=1e-9)
    held = loop_covariance(model, pd(["y1"], ["u1"], 300.0, 5.0, rate=1000.0), {"u1": 3.0}, {"y1": 1e-9})
    assert held.output[0, 0] == pytest.approx(3.0 / (2.0 * 7.0 * 400.0), rel=0.03)
    # A command in proportion to a reading has the variance of what is read and that of reading it.
    plain = loop_covariance(model, pd(["y1"], ["u1"], 30.0, rate=1000.0), {"u1": 3.0}, {"y1": 0.2})
    assert plain.command[0, 0] == pytest.approx(30.0**2 * (plain.output[0, 0] + 0.2**2), rel=1e-9)


def test_noise_of_a_reading_that_a_command_takes_to_another_output_at_once_is_counted() -> None:
    """A number that forgets is read and commanded; what is commanded is read too, and summed up by the controller."""
    d, b = np.array([[-0.4, 0.0]]), np.array([[0.0, 1.0]])
    model = SampledModel(
        np.array([[0.8]]), np.array([[0.5]]), np.array([[1.0], [0.0]]), np.array([[0.0], [1.0]]),
        ("x",), ("u",), ("x", "sent"), period=0.1,
    )  # fmt: skip
    one = Compensator(
        np.array([[0.5]]), b, np.array([[0.1]]), d, ("x", "sent"), ("u",), np.zeros(2), np.zeros(1), period=0.1
    )
    found = loop_covariance(model, one, np.array([[0.09]]), {"x": 0.3, "sent": 0.1})
    # x' = 0.8 x + 0.5 u + w and z' = 0.5 z + u + n2, with u = 0.1 z - 0.4 (x + n1) in both.
    whole, noise = np.array([[0.6, 0.05], [-0.4, 0.6]]), np.array([[1.0, -0.2, 0.0], [0.0, -0.4, 1.0]])
    joint = solve_discrete_lyapunov(whole, noise @ np.diag([0.09, 0.09, 0.01]) @ noise.T)
    assert found.joint == pytest.approx(joint, rel=1e-12)
    sent = np.array([-0.4, 0.1])
    assert found.command[0, 0] == pytest.approx(sent @ joint @ sent + 0.4**2 * 0.09, rel=1e-12)
    assert found.output[1, 1] == pytest.approx(found.command[0, 0], rel=1e-12), "what is sent is what is read of it"


# --- what cannot be


def test_what_cannot_be_estimated_is_told() -> None:
    model = sampled(full(), 100.0)
    seen = {"node:top.position.x": 1e-3}
    with pytest.raises(OptionError, match=r'the model has no output "node:top.x"; did you mean'):
        kalman(model, np.eye(4), {"node:top.x": 1e-3})
    with pytest.raises(OptionError, match=r'the model has no input "gust"; there are node:knee.force.x'):
        kalman(model, {"gust": 1.0}, seen)
    with pytest.raises(OptionError, match=r'the deviation 0 of "node:top.position.x" must be .*: no reading is exact'):
        kalman(model, np.eye(4), {"node:top.position.x": 0.0})
    with pytest.raises(OptionError, match=r'the intensity -1 of the noise at "node:knee.force.x" must be finite, zero'):
        kalman(model, {"node:knee.force.x": -1.0}, seen)
    with pytest.raises(OptionError, match=r"process_noise of shape \(3, 3\) does not fit .*: give \(4, 4\), or names"):
        kalman(model, np.eye(3), seen)
    with pytest.raises(OptionError, match=r"process_noise must be symmetric and nowhere negative"):
        kalman(model, -np.eye(4), seen)
    with pytest.raises(OptionError, match=r"process_noise must have finite numbers only"):
        kalman(model, np.full((4, 4), np.nan), seen)
    with pytest.raises(OptionError, match=r"measurement_noise must be positive definite: no reading is exact"):
        kalman(model, np.eye(4), np.zeros((4, 4)))
    with pytest.raises(OptionError, match=r"measurement_noise names no output"):
        kalman(model, np.eye(4), {})
    with pytest.raises(OptionError, match=r'"cable:l.tension" feels "cable:l.rest_length" at once, so white noise'):
        kalman(sampled(wound(), 100.0), {"cable:l.rest_length": 1.0}, GAUGES)
    rigid = LinearModel(np.zeros((0, 0)), np.zeros((0, 1)), np.zeros((1, 0)), np.ones((1, 1)), (), ("u",), ("y",))
    with pytest.raises(OptionError, match=r"no states but its commands, so there is nothing to estimate"):
        kalman(sampled(rigid, 100.0), np.zeros((0, 0)), {"y": 1.0})
    # Two masses: the second grows and nothing shows it; the second swings for ever and no noise reaches it.
    grows = sampled(made(np.diag([-1.0, 2.0]), np.eye(2), [[1, 0]]), 10.0)
    with pytest.raises(
        OptionError, match=r'do not show the motion with the pole 2 rad/s \(mostly "x2", shown by 0.0e\+00'
    ):
        kalman(grows, np.eye(2), {"y1": 1.0})
    swings = np.zeros((3, 3))
    swings[0, 0], swings[1:, 1:] = -1.0, [[0, 6], [-6, 0]]
    alone = sampled(made(swings, np.eye(3), [[1, 1, 0]]), 10.0)
    with pytest.raises(
        OptionError, match=r"process noise does not reach the motion at 0.955 Hz .* which neither dies away"
    ):
        kalman(alone, {"u1": 1.0}, {"y1": 1.0})
    assert np.all(np.abs(kalman(alone, {"u1": 1.0, "u2": 1e-6}, {"y1": 1.0}).poles) < 1.0)


def test_what_does_not_belong_together_is_told() -> None:
    model, estimator, compensator = design()
    with pytest.raises(OptionError, match=r"the regulator is of .* and the estimator of .*; make both of one sampled"):
        lqg(lqr(sampled(wound(), 100.0, commands=WINCHES), 50.0, 1e4), estimator)
    with pytest.raises(OptionError, match=r"the regulator is of <LinearModel"):
        lqg(lqr(wound()), estimator)
    with pytest.raises(
        OptionError, match=r'the compensator measures "cable:r.tension", for which measurement_noise says'
    ):
        loop_covariance(model, compensator, GUST, {"cable:l.tension": 1.0})
    with pytest.raises(OptionError, match=r"the loop is not stable, so its covariance grows for ever: the pole "):
        loop_covariance(model, replace(compensator, c=-compensator.c, d=-compensator.d), GUST, GAUGES)
    with pytest.raises(OptionError, match=r"does not know what was sampled, .* give process_noise as the covariance"):
        kalman(closed_loop(model, compensator), GUST, GAUGES)
