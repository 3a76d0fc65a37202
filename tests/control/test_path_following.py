"""Feed-forward: against dense least squares, on models that fall, and in a run of the tower along a circle."""

from __future__ import annotations

from dataclasses import replace

import hold_up_a_tower as example
import numpy as np
import pytest
from test_norms import made
from test_tower_under_control import tower

from taut import Command, OptionError, SignalSum, StepSignal, Trajectory, assemble, simulate
from taut.control import FeedForward, SampledModel, closed_loop, feed_forward, pd, sampled

RNG = np.random.default_rng(4)
RANDOM = made(RNG.normal(size=(4, 4)) - np.eye(4), RNG.normal(size=(4, 2)), RNG.normal(size=(3, 4)))


def dense(
    model: SampledModel, rows: list[int], path: np.ndarray, q: np.ndarray, r: np.ndarray, x: np.ndarray
) -> np.ndarray:
    """The same least squares as one large system, by powers of A."""
    count, inputs = len(path), len(model.inputs)
    drift = model.drift if model.drift.size else np.zeros(len(x))
    show, free = np.zeros((count, len(rows), count * inputs)), np.zeros((count, len(rows)))
    by_input = np.zeros((len(x), count * inputs))
    for k in range(count):
        show[k], free[k] = model.C[rows] @ by_input, model.C[rows] @ x
        by_input, x = model.A @ by_input, model.A @ x + drift
        by_input[:, k * inputs : (k + 1) * inputs] += model.B
    root_q, root_r = np.linalg.cholesky(q).T, np.linalg.cholesky(r).T
    tall = np.concatenate([(root_q @ show).reshape(-1, count * inputs), np.kron(np.eye(count), root_r)])
    wanted = np.concatenate([((path - free) @ root_q.T).ravel(), np.zeros(count * inputs)])
    return np.linalg.lstsq(tall, wanted, rcond=None)[0].reshape(count, inputs)


@pytest.mark.parametrize(("hold", "delay"), [("zero", 0.0), ("zero", 0.25), ("first", 0.13)])
def test_commands_are_those_of_least_squares(hold: str, delay: float) -> None:
    model = replace(sampled(RANDOM, 10.0, hold=hold, delay=delay))
    model = replace(model, drift=0.1 * np.arange(len(model.states)))
    path = np.random.default_rng(5).normal(size=(25, 2))
    q, r = np.array([[2.0, 0.3], [0.3, 1.0]]), np.array([[0.05, 0.01], [0.01, 0.02]])
    start = np.random.default_rng(6).normal(size=len(model.states))
    found = feed_forward(model, {"y3": path[:, 0], "y1": path[:, 1]}, input_cost=r, output_cost=q, start=start)
    np.testing.assert_allclose(found.command, dense(model, [2, 0], path, q, r, start), rtol=1e-8, atol=1e-9)
    x = start
    for command, output in zip(found.command, found.output, strict=True):
        np.testing.assert_allclose(output, model.C @ x, rtol=1e-9, atol=1e-10)
        x = model.A @ x + model.B @ command + model.drift
    np.testing.assert_allclose(found.time, 0.1 * np.arange(25))


def test_a_loop_is_followed_by_what_is_added_to_its_commands() -> None:
    model = sampled(RANDOM, 10.0)
    compensator = pd(["y1", "y2"], ["u1", "u2"], 0.05, rate=10.0)
    loop, path = closed_loop(model, compensator), np.sin(0.3 * np.arange(60))
    added = feed_forward(loop, {"y1": path}, input_cost=1e-6)
    np.testing.assert_allclose(added.output[:-5, 0], path[:-5], atol=2e-3)
    x = np.zeros(4)
    for command, output in zip(added.command, added.output, strict=True):
        np.testing.assert_allclose(model.C @ x, output, atol=1e-10)
        answered, _ = compensator.answer(np.zeros(0), output[:2])
        x = model.A @ x + model.B @ (answered + command)


def test_signals_act_when_the_commands_of_the_model_do() -> None:
    plan = feed_forward(sampled(RANDOM, 10.0, delay=0.05), {"y1": [0.0, 1.0, 1.0]}, input_cost=0.1)
    signal = plan.signal("u2")
    assert isinstance(signal, StepSignal)
    np.testing.assert_allclose(signal.times, [0.0, 0.05, 0.15, 0.25])
    np.testing.assert_array_equal(signal.values, [0.0, *plan.command[:, 1]])
    prompt = feed_forward(sampled(RANDOM, 10.0), {"y1": [0.0, 1.0]}, input_cost=0.1).signal("u1")
    assert prompt.times == (0.0, 0.1)


@pytest.mark.parametrize(
    ("wanted", "options", "message"),
    [
        ({}, {}, "nothing is wanted; name an output"),
        ({"y9": [1.0]}, {}, 'the model has no output "y9"'),
        ({"y1": [1.0], "y2": [1.0, 2.0]}, {}, r'wanted of "y2" has the shape \(2,\); .* as many as for "y1", \(1,\)'),
        ({"y1": []}, {}, r'"y1" has the shape \(0,\); give one number for each sample'),
        ({"y1": [1.0, np.nan]}, {}, 'wanted of "y1" must be finite numbers'),
        ({"y1": np.zeros(100_001)}, {}, "100001 samples are more than the 100000 that can be followed"),
        ({"y1": [1.0]}, {"input_cost": 0.0}, "input_cost must be positive definite: every input must cost something"),
        ({"y1": [1.0]}, {"output_cost": -1.0}, "output_cost must be symmetric and nowhere negative"),
        ({"y1": [1.0]}, {"start": np.zeros(3)}, r"start of shape \(3,\) does not fit: give \(4,\)"),
        ({"y1": [1.0]}, {"start": np.full(4, np.nan)}, "start must have finite numbers only"),
    ],
)
def test_paths_that_make_no_sense(wanted: dict[str, list[float]], options: dict[str, float], message: str) -> None:
    with pytest.raises(OptionError, match=message):
        feed_forward(sampled(RANDOM, 10.0), wanted, **{"input_cost": 1.0, **options})


def test_ramps_are_no_signals() -> None:
    plan = feed_forward(sampled(RANDOM, 10.0, hold="first"), {"y1": [0.0, 1.0]}, input_cost=1.0)
    with pytest.raises(OptionError, match=r'"u1" go along straight lines \(hold = "first"\), and no signal does'):
        plan.signal("u1")
    with pytest.raises(OptionError, match="the model has no inputs, so nothing can be followed"):
        feed_forward(sampled(RANDOM, 10.0, commands=[]), {"y1": [0.0]}, input_cost=1.0)


# --- in a run


def circle(samples: int) -> tuple[np.ndarray, np.ndarray]:
    """x and y [m] of the middle of the top: a circle of 2 cm in 2 s, after a rest."""
    turn = 2.0 * np.pi * np.clip((0.01 * np.arange(samples) - 0.5) / 2.0, 0.0, 1.0)
    turn -= np.sin(turn)  # from rest to rest
    return 0.02 * (1.0 - np.cos(turn)), 0.02 * np.sin(turn)


def followed(plan: FeedForward, *, ahead: bool) -> Trajectory:
    """The tower with a feedback about the planned motion, and with or without the commands of the plan."""
    compensator = tower().regulator.compensator()

    def law(t: float, measured: np.ndarray, state: np.ndarray) -> np.ndarray:
        planned = plan.output[min(round(t / 0.01), len(plan.output) - 1)]
        command, state[:] = compensator.answer(state, measured - planned)
        return command

    drives = example.winches()
    if ahead:
        drives = [
            replace(drive, by=SignalSum((plan.signal(f"{drive.member}.rest_length"), Command()))) for drive in drives
        ]
    setup = {**tower().setup, "drives": drives}
    controller = compensator.controller("follow", assemble(**setup))
    controller = replace(controller, law=law, state=(0.0,) * len(compensator.a))
    return simulate(assemble(**setup, controllers=[controller]), 3.0, every=0.01, tolerance=1e-8, verify=False)


@pytest.mark.slow
def test_a_tower_that_would_fall_follows_a_circle_better_with_commands_computed_ahead() -> None:
    samples = 301
    x, y = circle(samples)
    names = {f"node:top{k}.position.{axis}": way for k in (1, 2, 3) for axis, way in (("x", x), ("y", y))}
    plan = feed_forward(tower().regulator.model, names, input_cost=1e-6)
    worst = max(
        np.abs(plan.output[:, tower().regulator.model.outputs.index(n)] - way).max() for n, way in names.items()
    )
    assert worst < 2e-3
    errors = {}
    for ahead in (False, True):
        run = followed(plan, ahead=ahead)
        assert run.finished, run.status
        middle = np.mean([run.node(f"top{k}") for k in (1, 2, 3)], axis=0)[:, :2]
        errors[ahead] = np.abs(middle - middle[0] - np.column_stack([x, y])).max()
    assert errors[True] < 2e-3 < 5e-3 < errors[False], errors
    assert errors[True] < 0.1 * errors[False], errors
