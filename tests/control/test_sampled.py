"""Sampled models against integrations of the continuous one, closed forms, scipy, and runs of the plant itself."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.integrate import solve_ivp
from scipy.linalg import expm
from scipy.signal import cont2discrete
from test_driven_models import mast
from test_norms import damped_tower, made

from taut import Doublet, Drive, Feedback, LinearModel, OptionError, SignalSum, linearise, simulate
from taut.control import SampledModel, sampled

PERIOD = 0.1
RNG = np.random.default_rng(4)
COMMANDS = RNG.normal(size=(9, 2))
MODELS = {
    "random": made(RNG.normal(size=(4, 4)) - 3.0 * np.eye(4), *(RNG.normal(size=s) for s in ((4, 2), (3, 4), (3, 2)))),
    "free": made([[0, 1, 0], [0, 0, 0], [0, 0, -1]], [[0, 0], [1, 0], [2, 1]], np.eye(3), np.ones((3, 2))),
    "growing": made([[0, 1], [30, 1]], [[0, 1], [1, 0]], [[1, 1]], [[0, 2]]),
    "stiff": made([[-5e3, 3e3], [0, -1]], [[1, 2], [3, 4]], [[1, 1]], [[1, 0]]),
}


def played(model: SampledModel, start: np.ndarray, commands: np.ndarray) -> np.ndarray:
    """(T, p) outputs at the samples."""
    x, rows = np.concatenate([start, np.zeros(len(model.memory))]), []
    for u in commands:
        rows.append(model.C @ x + model.D @ u)
        x = model.A @ x + model.B @ u + model.drift
    return np.array(rows)


def acting(t: float, hold: str, delay: float, commands: np.ndarray) -> np.ndarray:
    """The input at a time by the words of the docstring: no command acts before t = delay."""
    place = (t - delay) / PERIOD
    k = math.floor(place)
    given = [commands[j] if 0 <= j < len(commands) else np.zeros(commands.shape[1]) for j in (k - 1, k)]
    return given[1] if hold == "zero" else given[0] + (place - k) * (given[1] - given[0])


def integrated(model: LinearModel, start: np.ndarray, hold: str, delay: float) -> np.ndarray:
    """The same by integrating the continuous model from jump to jump, read just before each sample."""
    edges = np.unique(np.round([PERIOD * k + s for k in range(-4, 10) for s in (0.0, delay)], 12))
    x, rows, drift = start, [], model.drift if model.drift.size else 0.0
    for k in range(len(COMMANDS)):
        early = k * PERIOD - 1e-12
        rows.append(model.C @ x + model.D @ acting(early, hold, delay, COMMANDS))
        inside = edges[(edges > k * PERIOD + 1e-9) & (edges < (k + 1) * PERIOD - 1e-9)]
        for begin, end in zip((k * PERIOD, *inside), (*inside, (k + 1) * PERIOD), strict=True):
            half = 0.5 * (end - begin)

            def rate(t: float, x: np.ndarray, middle: float = begin + half, half: float = half) -> np.ndarray:
                shrunk = middle + (t - middle) * (1.0 - 1e-9 * PERIOD / half)  # so that a jump at an end is not seen
                return model.A @ x + model.B @ acting(shrunk, hold, delay, COMMANDS) + drift

            slope = {"jac": model.A, "method": "Radau"} if np.abs(model.A).max() > 1e3 else {"method": "DOP853"}
            x = solve_ivp(rate, (begin, end), x, rtol=1e-11, atol=1e-13, **slope).y[:, -1]
    return np.array(rows)


@pytest.mark.slow
@pytest.mark.parametrize("name", MODELS)
@pytest.mark.parametrize("hold", ["zero", "first"])
@pytest.mark.parametrize("delay", [0.0, 0.03, 0.1, 0.27])
def test_it_is_the_continuous_model_at_the_samples(name: str, hold: str, delay: float) -> None:
    model = MODELS[name]
    start = np.linspace(1.0, 2.0, len(model.states))
    found = sampled(model, 1.0 / PERIOD, hold=hold, delay=delay)
    wanted = integrated(model, start, hold, delay)
    np.testing.assert_allclose(played(found, start, COMMANDS), wanted, rtol=2e-7, atol=1e-8 * np.abs(wanted).max())
    assert not found.D.any()


def test_a_hold_of_zero_order_is_that_of_scipy() -> None:
    model = damped_tower()
    found = sampled(model, 200.0)
    a, b, _, _, _ = cont2discrete((model.A, model.B, model.C, model.D), 1.0 / 200.0)
    np.testing.assert_allclose(found.A, a, atol=1e-11 * np.abs(a).max())
    np.testing.assert_allclose(found.B, b, atol=1e-11 * np.abs(b).max())
    assert np.array_equal(found.C, model.C)
    assert (found.states, found.inputs, found.outputs) == (model.states, model.inputs, model.outputs)
    assert np.array_equal(found.reading, model.reading)
    assert np.array_equal(found.offset, model.offset)


def test_a_mass_that_nothing_holds_has_its_closed_form() -> None:
    free, t = made([[0, 1], [0, 0]], [[0], [1]], [[1, 0]]), 0.2
    zero, first = sampled(free, 5.0), sampled(free, 5.0, hold="first")
    np.testing.assert_allclose(zero.A, [[1, t], [0, 1]], rtol=1e-15)
    np.testing.assert_allclose(zero.B, [[t**2 / 2], [t]], rtol=1e-15)
    np.testing.assert_allclose(first.A, [[1, t, t**2 / 3], [0, 1, t / 2], [0, 0, 0]], rtol=1e-14)
    np.testing.assert_allclose(first.B, [[t**2 / 6], [t / 2], [1]], rtol=1e-14)
    assert first.states == ("x1", "x2", "delayed u1, 1 sample")
    late = sampled(free, 5.0, delay=0.25)
    # A quarter of a period after the next sample: 0.05 s of the command before, 0.15 s of this.
    np.testing.assert_allclose(late.A[0, 2:], [0.15**2 / 2, 0.05 * 0.15 + 0.05**2 / 2], rtol=1e-13)
    assert late.states[2:] == ("delayed u1, 1 sample", "delayed u1, 2 samples")
    np.testing.assert_allclose(late.A[2:, 2:], [[0, 0], [1, 0]])


@pytest.mark.parametrize("size", [1e-3, 1.0, 1e4, 1e8])
def test_what_dies_away_fast_or_swings_fast_keeps_its_digits(size: float) -> None:
    lag = sampled(made([[-size]], [[3.0]], [[1.0]]), 10.0)
    assert lag.B[0, 0] == pytest.approx(-3.0 * math.expm1(-size / 10.0) / size, rel=1e-12)
    turn = size / 10.0
    swing = sampled(made([[0, 1], [-(size**2), 0]], [[0], [1]], [[1, 0]]), 10.0)
    wanted = [[math.cos(turn), math.sin(turn) / size], [-size * math.sin(turn), math.cos(turn)]]
    even = np.array([[1.0, size], [1.0 / size, 1.0]])
    np.testing.assert_allclose(swing.A * even, wanted * even, atol=1e-13 * max(turn, 1.0))


@pytest.mark.parametrize("name", MODELS)
def test_a_period_is_two_halves(name: str) -> None:
    whole, half = sampled(MODELS[name], 10.0), sampled(MODELS[name], 20.0)
    size = whole.plant_size
    inner, push = half.A[:size, :size], half.B[:size]
    np.testing.assert_allclose(whole.A[:size, :size], inner @ inner, rtol=1e-11, atol=1e-13)
    np.testing.assert_allclose(whole.B[:size], inner @ push + push, rtol=1e-11, atol=1e-13)
    np.testing.assert_allclose(whole.A[size:], 0.0)
    shifted = sampled(MODELS[name], 10.0, delay=0.1)
    np.testing.assert_allclose(shifted.A[:size, size : size + 2], whole.B[:size], rtol=1e-12, atol=1e-16)


def test_drift_and_what_is_not_balanced() -> None:
    tilted = linearise(mast(), inputs=["cable:r.rest_length"], outputs=["node:top.x"])
    assert np.abs(tilted.drift).max() > 0.1
    found = sampled(tilted, 50.0)
    size = len(tilted.states)
    whole = np.zeros((size + 1, size + 1))
    whole[:size, :size], whole[:size, size] = tilted.A, tilted.drift
    np.testing.assert_allclose(found.drift, expm(whole / 50.0)[:size, size], rtol=1e-12)


def test_poles_are_those_of_the_continuous_model() -> None:
    model = damped_tower()
    found = sampled(model, 20.0 * model.frequency.max(), delay=1e-4)
    order = np.argsort(np.abs(found.equivalent_poles))[: len(model.states)]
    np.testing.assert_allclose(
        np.sort_complex(found.equivalent_poles[order]), np.sort_complex(model.poles), rtol=1e-8, atol=1e-9
    )
    assert found.stable
    assert np.all(np.isneginf(found.equivalent_poles[len(model.states) :].real)), "what was commanded is gone"
    assert repr(found) == "<SampledModel: 48 states, 6 inputs, 9 outputs, stable>"
    assert not sampled(MODELS["growing"], 10.0).stable
    assert not sampled(MODELS["free"], 1e4).stable, "a mass that nothing holds does not come back"
    assert sampled(made([[0, 1], [-1, -1e-3]], [[0], [1]], [[1, 0]]), 1e3).stable
    assert found.to_control().dt == found.period


# --- beside the plant itself


def winch(amplitude: float, hold: str, delay: float, commands: np.ndarray) -> Drive:
    if hold == "first":
        law = Feedback(lambda t, nodes, velocities: amplitude * float(acting(t, hold, delay, commands)[0]))
        return Drive("winch", "cable:r", "rest_length", by=law)
    # +a for a period and -a for the next one: u[k] = a[k] - a[k-1].
    parts = amplitude * np.cumsum(commands[:, 0])
    steps = SignalSum(tuple(Doublet(a, PERIOD, k * PERIOD + delay) for k, a in enumerate(parts)))
    return Drive("winch", "cable:r", "rest_length", by=steps)


@pytest.mark.parametrize(
    ("hold", "delay"),
    [("zero", 0.0), ("zero", 0.14), *(pytest.param("first", delay, marks=pytest.mark.slow) for delay in (0.0, 0.14))],
)
def test_small_steps_of_a_winch_move_the_plant_as_the_model_says(hold: str, delay: float) -> None:
    commands = np.array([[1.0], [-0.5], [0.2], [0.8], [-1.0], [0.0], [0.4], [0.1], [0.0], [0.0]])
    seen = ["node:top.x", "node:top.velocity.x", "cable:l.tension", "cable:r.tension"]
    model = linearise(
        mast([Drive("winch", "cable:r", "rest_length", by=0.0)], even=True), inputs="drive:winch", outputs=seen
    )
    # A tension jumps with its rest length: it is read where nothing jumps at the sample, or just before.
    rows = slice(0, 2) if (hold, delay) == ("zero", 0.0) else slice(0, 4)
    wanted = played(sampled(model, 1.0 / PERIOD, hold=hold, delay=delay), np.zeros(len(model.states)), commands)[:8]
    errors = []
    for amplitude in (5e-4, 2.5e-4):
        plant = mast([winch(amplitude, hold, delay, commands)], even=True)
        run = simulate(plant, 0.7, every=PERIOD, method="dp5", tolerance=1e-11, verify=False)
        top, speed = run.node("top")[:, 0], run.velocities[:, 1, 0]
        found = np.column_stack([top, speed, run.cable_tension]) - model.offset
        size = np.abs(wanted).max(axis=0)
        errors.append(np.abs((found / amplitude - wanted) / size)[:, rows].max())
    assert errors[1] < 1e-3
    assert errors[0] / errors[1] == pytest.approx(2.0, abs=0.05), "relative, so the error itself falls by four"


def test_a_tension_is_read_before_the_command_of_the_same_sample_acts() -> None:
    model = linearise(mast(even=True), inputs=["cable:r.rest_length", "node:top.x"], outputs="cable:r.tension")
    found = sampled(model, 100.0)
    assert found.states[-1] == "delayed cable:r.rest_length, 1 sample"
    assert found.memory == (("cable:r.rest_length", 1),), "nobody feels the force at once"
    assert found.C[0, -1] == model.D[0, 0] != 0.0
    assert not found.D.any()


# --- what cannot be


def test_what_cannot_be_sampled_is_told() -> None:
    model = MODELS["free"]
    with pytest.raises(OptionError, match=r"rate 0 must be a finite number more than zero \[Hz\]"):
        sampled(model, 0.0)
    with pytest.raises(OptionError, match=r"rate inf must be"):
        sampled(model, math.inf)
    with pytest.raises(OptionError, match=r"delay -0.1 must be .* a command cannot act before it is given"):
        sampled(model, 10.0, delay=-0.1)
    with pytest.raises(OptionError, match=r'hold = "frist" is not one of zero, first; did you mean "first"'):
        sampled(model, 10.0, hold="frist")
    with pytest.raises(OptionError, match=r"a delay of 2 s is 2000 samples at 1000 Hz, .* sample more slowly"):
        sampled(model, 1000.0, delay=2.0)
    with pytest.raises(OptionError, match=r'the model has no input "u3"'):
        sampled(model, 1000.0, commands=["u3"])
    with pytest.raises(OptionError, match=r'commands of "u2" are states of this model, .* with commands='):
        sampled(model, 10.0, delay=0.1).chosen(inputs=["u1"])
    with pytest.raises(OptionError, match=r"model: is a SampledModel, where a LinearModel is wanted"):
        sampled(sampled(model, 10.0), 10.0)


def test_some_inputs_are_commands_and_the_others_stay_known() -> None:
    found = sampled(MODELS["free"], 10.0, delay=0.1, commands=["u2"])
    assert found.inputs == ("u2",)
    assert found.states[3:] == ("delayed u2, 1 sample", "delayed u2, 2 samples")
    assert found.continuous is not None
    assert found.continuous.inputs == ("u1", "u2")
    assert found.chosen(outputs=["y3"]).C.shape == (1, 5)
