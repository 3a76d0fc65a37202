"""LQG in a run: the tower held by what noisy gauges of its stays tell, and estimates as good as was predicted."""

from __future__ import annotations

from functools import cache
from typing import NamedTuple

import hold_up_a_tower as example
import numpy as np
import pytest
from scipy.stats import chi2

import taut
from taut import Load, Sensor, StepSignal, assemble, linearise, simulate
from taut.control import Compensator, Estimator, kalman, loop_covariance, lqg, lqr, sampled

PERIOD = 0.01
GAUGE = 0.05  # [N] noise of a gauge
GUST = 0.05  # [N] noise of a push, new at every sample
PUSHED = [(f"top{k}", axis) for k in (1, 2, 3) for axis in "xy"]


class Design(NamedTuple):
    structure: taut.Structure
    estimator: Estimator
    compensator: Compensator
    spread: dict[str, float]


@cache
def design(gauge: float = GAUGE) -> Design:
    """gauge: the noise that it is designed for."""
    structure = example.on_soft_stays()
    winches = [f"cable:{stay}.rest_length" for stay in example.STAYS]
    gusts = [f"node:{node}.force.{axis}" for node, axis in PUSHED]
    tensions = [f"cable:{stay}.tension" for stay in example.STAYS]
    model = linearise(
        assemble(structure, gravity=9.81, drives=example.winches()),
        inputs=[*winches, *gusts],
        outputs=[*tensions, "node:top*.position", "node:top*.velocity"],
    )
    late = sampled(model, 1.0 / PERIOD, delay=PERIOD, commands=winches)
    # A push that holds from sample to sample moves the states by the B of a model that has it without delay.
    enters = sampled(model, 1.0 / PERIOD, commands=gusts).without_memory().B
    process = GUST**2 * enters @ enters.T
    noise = dict.fromkeys(tensions, gauge)
    estimator = kalman(late, process, noise)
    compensator = lqg(lqr(late, state_cost=100.0, input_cost=1e3), estimator)
    return Design(structure, estimator, compensator, loop_covariance(late, compensator, process, noise).deviations)


class Played(NamedTuple):
    error: np.ndarray  # (n, k) states less their estimate, after each reading
    surprise: np.ndarray  # (n, p) readings less what was foreseen
    top: np.ndarray  # (n, 3) of "top1", from the balance


def played(made: Design, seconds: float, seed: int) -> Played:
    """A run of the whole equations; its estimates are computed once more from what its sensors read."""
    rng, count = np.random.default_rng(seed), round(seconds / PERIOD)
    times = tuple((PERIOD * np.arange(count)).tolist())
    loads = [Load(n, a, StepSignal(times, tuple((GUST * rng.normal(size=count)).tolist()))) for n, a in PUSHED]
    gauges = [Sensor(f"gauge {s}", f"cable:{s}.tension", noise=GAUGE, seed=seed) for s in example.STAYS]
    setup = {"gravity": 9.81, "drives": example.winches(), "loads": loads, "sensors": gauges}
    plant = assemble(made.structure, **setup)
    controller = made.compensator.controller("hold", plant)
    assert controller.measured == tuple(f"gauge {s}" for s in example.STAYS)
    closed = assemble(made.structure, **setup, controllers=[controller])
    run = simulate(closed, seconds, every=0.5 * PERIOD, tolerance=1e-9, verify=False)
    assert run.finished, run.status
    estimator, model = made.estimator, made.estimator.model
    rows = model.places("outputs", estimator.measured)
    about, z = model.about.reshape(2, -1), np.zeros(len(model.states))
    # What is decided at a sample acts from the next one on. The estimate is led by what acted, since the compensator by
    # itself need not be stable: in the loop it is.
    acted = run.drive_value[3::2] - run.drive_value[0]
    error, surprise, gap = [], [], 0.0
    for k in range(count - 1):
        reading = run.reading[2 * k + 1]  # stands until the next sample
        unforeseen = reading - made.compensator.measured_offset - model.C[rows] @ z
        estimate = z + estimator.gain @ unforeseen
        state = np.concatenate([run.nodes[2 * k].ravel() - about[0], run.velocities[2 * k].ravel() - about[1]])
        error.append((model.reading @ state - estimate)[: model.plant_size])
        surprise.append(unforeseen)
        gap = max(gap, np.abs(made.compensator.answer(z, reading)[0] - acted[k]).max())
        z = model.A @ estimate + model.B @ acted[k]
    assert gap < 1e-9, "the run's own controller came to the same"
    return Played(np.array(error), np.array(surprise), run.node("top1")[::2] - made.structure.nodes["top1"])


def spread_of_variance(made: Design, weights: np.ndarray, count: int) -> tuple[float, float]:
    """The predicted variance of a sum of errors, and of how many independent samples its mean square over so many
    samples is worth: with autocovariance c of a Gaussian signal, var(mean square) = 2 / n^2 sum_jk c(j - k)^2."""
    estimator, size = made.estimator, made.estimator.model.plant_size
    model = estimator.model.without_memory()
    rows = model.places("outputs", estimator.measured)
    after = estimator.filtered[:size, :size]
    step = (np.eye(size) - estimator.gain[:size] @ model.C[rows]) @ model.A  # of the error, from sample to sample
    moved, total, lags = after @ weights, 0.0, min(count, 3000)
    variance = float(weights @ moved)
    for lag in range(lags):
        total += (1.0 if lag == 0 else 2.0) * (1.0 - lag / count) * (float(weights @ moved) / variance) ** 2
        moved = step @ moved
    return variance, count / total


def judged(made: Design, found: Played, skip: int) -> dict[str, tuple[float, float]]:
    """Of the errors of some outputs: mean square by its prediction, and its probability by chi-square."""
    model = made.estimator.model
    told = {}
    for name in [f"node:top1.{q}.{axis}" for q in ("position", "velocity") for axis in "xyz"]:
        weights = model.C[model.outputs.index(name), : model.plant_size]
        error = found.error[skip:] @ weights
        variance, worth = spread_of_variance(made, weights, len(error))
        ratio = float(np.mean(error**2) / variance)
        told[name] = ratio, float(chi2.cdf(ratio * worth, worth))
    return told


@pytest.mark.slow
def test_the_tower_is_held_by_noisy_gauges_and_estimated_as_well_as_predicted() -> None:
    made = design()
    found = played(made, 40.0, seed=3)
    assert np.abs(found.top).max() < 0.05
    for name, (ratio, probability) in judged(made, found, 500).items():
        assert 1e-3 < probability < 1.0 - 1e-3, (name, ratio, probability)
    # Readings less what was foreseen are white: as many independent numbers as there are.
    model, rows = made.estimator.model, made.estimator.model.places("outputs", made.estimator.measured)
    foreseen = model.C[rows] @ made.estimator.predicted @ model.C[rows].T + GAUGE**2 * np.eye(len(rows))
    late = found.surprise[500:]
    total = float(np.einsum("ki,ij,kj->", late, np.linalg.inv(foreseen), late))
    assert 1e-3 < chi2.cdf(total, late.size) < 1.0 - 1e-3
    for k, axis in enumerate("xyz"):
        deviation = made.spread[f"node:top1.position.{axis}"]
        assert found.top[500:, k].std() == pytest.approx(deviation, rel=0.35), axis


@pytest.mark.slow
def test_an_estimator_that_is_told_of_other_noise_is_found_out() -> None:
    """The same judgement, of a filter that takes the gauges to be half as noisy as they are."""
    made = design(0.5 * GAUGE)
    probabilities = [p for _, p in judged(made, played(made, 40.0, seed=3), 500).values()]
    assert max(probabilities) > 1.0 - 1e-6


@pytest.mark.slow
def test_covariances_lie_in_their_intervals_as_often_as_they_should() -> None:
    made = design()
    probabilities = np.array(
        [[p for _, p in judged(made, played(made, 20.0, seed), 500).values()] for seed in range(25)]
    )
    inside = (probabilities > 0.025) & (probabilities < 0.975)
    assert inside.mean() == pytest.approx(0.95, abs=0.05), "150 intervals, those of one run not independent"
    assert 0.35 < np.median(probabilities) < 0.65
