"""Environments of Gymnasium: its own checker, seeds, copies that move as one alone, what is refused."""

from __future__ import annotations

import subprocess
import sys
import warnings
from dataclasses import replace
from functools import cache

import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env
from gymnasium.utils.seeding import np_random

import taut
from taut import OptionError
from taut.learning import Randomisation, RobotEnv, RobotVectorEnv, Task
from taut.learning.quantities import OBSERVATIONS, REWARDS

VARIED = Randomisation(friction=(0.3, 0.9), mass=0.1, tilt=0.05, turn=3.0, phase=6.0)
TASK = Task(
    observations=tuple(OBSERVATIONS),
    rewards=dict.fromkeys(REWARDS, 1.0) | {"effort": -0.1},
    randomisation=VARIED,
    duration=0.3,
)


@cache
def alone() -> RobotEnv:
    return RobotEnv(TASK, "rgb_array", keep=True)


def actions(count: int, seed: int = 0) -> np.ndarray:
    return np.random.default_rng(seed).uniform(-1.0, 1.0, (count, 6)).astype(np.float32)


def test_gymnasium_accepts_it() -> None:
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message=".*(minimum|maximum) value is|.*not in the spec|.*spec.*")
        check_env(alone())


def test_a_seed_makes_a_trial() -> None:
    env, found = alone(), []
    for seed in (3, 3, 4):
        first, _ = env.reset(seed=seed)
        steps = [env.step(action) for action in actions(TASK.steps)]
        found.append((first, steps[-1][0], sum(step[1] for step in steps)))
        assert [step[3] for step in steps] == [False] * (TASK.steps - 1) + [True]
        assert not any(step[2] for step in steps)
    assert np.array_equal(found[0][1], found[1][1])
    assert found[0][2] == found[1][2]
    assert not np.allclose(found[0][0], found[2][0])
    run = env.trajectory()
    assert run.nodes.shape == (TASK.steps + 1, 12, 3)
    assert taut.locomotion.course_of(run).length > 0.0
    assert run.contact_force.shape == (TASK.steps + 1, 12, 3)
    weight = 9.81 * 3.0
    assert 0.3 * weight < run.contact_force[1:, :, 2].sum(axis=1).mean() < 3.0 * weight
    assert np.abs(run.energy_violation).max() < 0.5
    frame = env.render()
    assert frame.shape == (480, 640, 3)
    assert len(np.unique(frame.reshape(-1, 3), axis=0)) > 20, "something is drawn"


def test_copies_move_as_one_alone_does_whatever_the_threads() -> None:
    """And each begins its next trial by itself when the last is over."""
    many = [RobotVectorEnv(TASK, 3, threads=threads) for threads in (1, 2)]
    first = [env.reset(seed=7)[0] for env in many]
    assert np.array_equal(*first)
    seen = []
    for action in actions(TASK.steps):
        both = [env.step(np.tile(action, (3, 1))) for env in many]
        assert np.array_equal(both[0][0], both[1][0])
        seen.append(both[0])
    for k in range(3):
        observation, _ = alone().reset(seed=7 + k)
        assert np.array_equal(observation, first[0][k])
        for action, (observations, rewards, *_) in zip(actions(TASK.steps), seen, strict=True):
            observation, reward, *_ = alone().step(action)
            assert np.array_equal(observation, observations[k])
            assert reward == rewards[k]
    assert seen[-1][3].all()
    observations, rewards, _, over, _ = many[0].step(np.ones((3, 6)))
    assert not rewards.any()
    assert not over.any()
    fresh = alone().reset()[0]  # the next trial of the same generator
    assert np.array_equal(observations[2], fresh)
    assert not np.array_equal(observations[0], observations[1])


@pytest.mark.slow
def test_side_by_side_copies_move_as_one_alone_and_begin_again_by_themselves() -> None:
    """Of 18 copies 16 go in lanes; one whose trial ends before the others' goes by itself from then on."""
    many, count = RobotVectorEnv(TASK, 18, threads=1), TASK.steps
    many.reset(seed=20)
    given = np.random.default_rng(3).uniform(-1.0, 1.0, (count + 4, 18, 6)).astype(np.float32)
    seen = []
    for turn, action in enumerate(given):
        if turn == 5:
            many._trials.turns[4] = count - 1  # its trial is over with this step
        seen.append(many.step(action))
    assert many._trials.batch._workers[0]._lanes is not None
    assert [bool(step[3][4]) for step in seen[:7]] == [False] * 5 + [True, False]
    for k in (0, 15, 17):
        observation, _ = alone().reset(seed=20 + k)
        for action, (observations, rewards, *_) in zip(given[:count, k], seen, strict=False):
            observation, reward, *_ = alone().step(action)
            assert np.array_equal(observation, observations[k])
            assert reward == rewards[k]
        assert np.array_equal(alone().reset()[0], seen[count][0][k])
        observation = alone().step(given[count + 1, k])[0]
        assert np.array_equal(observation, seen[count + 1][0][k])
    alone().reset(seed=24)
    assert np.array_equal(alone().reset()[0], seen[6][0][4])
    for action, step in zip(given[7:, 4], seen[7:], strict=True):
        assert np.array_equal(alone().step(action)[0], step[0][4])


def test_what_is_seen_is_what_numpy_says() -> None:
    env = RobotVectorEnv(TASK, 2, threads=1)
    env.reset(seed=1)
    before = env._trials.centre.copy()
    commanded = env._trials._commands.copy()
    seen, rewards, *_ = env.step(actions(2))
    batch, shares = env._trials.batch, env._trials._asked.shares
    nodes, rates = batch.nodes, batch.velocities
    centre, way = np.einsum("kni,n->ki", nodes, shares), np.einsum("kni,n->ki", nodes, shares) - before
    moved = batch.command - commanded
    clock = env._trials._offset + 2.0 * np.pi * TASK.period
    cuts = np.cumsum([36, 36, 3, 3, 12, 12, 12, 6])
    found = dict(zip(OBSERVATIONS, np.split(seen, cuts, axis=1), strict=True))
    expected = {
        "nodes": (nodes - centre[:, None]).reshape(2, -1),
        "velocities": rates.reshape(2, -1),
        "centre": centre,
        "centre_velocity": np.einsum("kni,n->ki", rates, shares),
        "heights": nodes[:, :, 2],
        "touch": (nodes[:, :, 2] < 1e-4).astype(float),
        "commands": batch.command,
        "clock": np.stack([np.sin(clock), np.cos(clock)], axis=1),
    }
    for name, value in expected.items():
        assert found[name] == pytest.approx(value, rel=1e-6, abs=1e-7), name
    faces = [{k for k, mark in enumerate(row) if mark} for row in found["face"]]
    lowest = [set(np.argsort(heights)[:3].tolist()) for heights in nodes[:, :, 2]]
    assert faces == lowest, "a robot that has just begun to move stands on its three lowest nodes"
    told = way[:, 0] + np.abs(way[:, 1]) + np.linalg.norm(way[:, :2], axis=1) + centre[:, 2]
    assert rewards == pytest.approx(told - 0.1 * np.abs(moved).sum(axis=1), rel=1e-12)


def test_a_heavier_robot_moves_as_one_that_is_built_so() -> None:
    """The factor that a seed draws, against a robot with such masses."""
    factor = float(np.exp(0.3 * np_random(5)[0].normal(size=2)[1]))
    assert abs(factor - 1.0) > 0.05
    moved = []
    for built, drawn in ((1.0, 0.3), (factor, 0.0), (1.0, 0.0)):
        robot = taut.generators.six_strut_robot(mass=3.0 * built)
        env = RobotEnv(Task(robot, observations=("nodes",), randomisation=Randomisation(mass=drawn), duration=0.3))
        env.reset(seed=5)
        for action in actions(15):
            seen = env.step(action)[0]
        moved.append(seen)
    assert np.allclose(moved[0], moved[1], atol=1e-6)
    assert not np.allclose(moved[0], moved[2], atol=1e-4)


def test_masses_vary_where_stiffness_follows_from_a_material() -> None:
    """600 N/m as E A / L: a robot of such cables moves as one whose cables have these numbers."""
    robot = TASK.robot
    rubber = {
        name: taut.Material(f"of {name}", youngs_modulus=cable.stiffness * cable.rest_length / (np.pi * 0.01**2))
        for name, cable in robot.cables.items()
    }
    cables = {
        name: replace(cable, stiffness=None, material=rubber[name], radius=0.01, mass=0.0)
        for name, cable in robot.cables.items()
    }
    seen = []
    for made in (robot, replace(robot, cables=cables)):
        env = RobotEnv(Task(made, observations=("nodes",), randomisation=Randomisation(mass=0.3), duration=0.3))
        env.reset(seed=5)
        for action in actions(15):
            told = env.step(action)[0]
        seen.append(told)
    assert np.isfinite(seen[1]).all()
    assert np.allclose(seen[0], seen[1], atol=1e-5)
    soft = replace(
        robot, bars={name: replace(bar, law="compressible", stiffness=1e5) for name, bar in robot.bars.items()}
    )
    with pytest.raises(OptionError, match='bars "x1", .* would stay as stiff as they are; leave mass out'):
        Task(soft, randomisation=Randomisation(mass=0.1))


def test_what_makes_no_sense_is_refused() -> None:
    with pytest.raises(OptionError, match='observations: "node" is none; did you mean "nodes"'):
        Task(observations=("node",))
    with pytest.raises(OptionError, match="rewards: name at least one of forward"):
        Task(rewards={})
    with pytest.raises(OptionError, match="period = 0 must be more than zero"):
        Task(period=0.0)
    with pytest.raises(OptionError, match="a period of 2 s does not go into 1 s"):
        Task(period=2.0, duration=1.0)
    with pytest.raises(OptionError, match="friction = .* must be a lowest and a highest"):
        Randomisation(friction=(0.5, 0.1))
    with pytest.raises(OptionError, match="tilt = -1 must be zero or more"):
        Randomisation(tilt=-1.0)
    with pytest.raises(OptionError, match='render_mode "human" is not one of rgb_array'):
        RobotEnv(TASK, "human")
    with pytest.raises(OptionError, match="num_envs = 0 must be one or more"):
        RobotVectorEnv(TASK, 0)
    with pytest.raises(OptionError, match="make it with keep=True"):
        RobotEnv(TASK).trajectory()
    env = alone()
    env.reset(seed=1)
    for wrong, told in ((np.zeros((6, 1)), "do not fit"), (np.zeros(1), "do not fit"), (np.full(6, np.nan), "NaN")):
        with pytest.raises(OptionError, match=told):
            env.step(wrong)
    assert np.isfinite(env.step(np.zeros(6))[0]).all(), "nothing is left of them"


def test_without_gymnasium_the_extra_is_named() -> None:
    look = (
        "import sys; sys.modules['gymnasium'] = None; import taut.learning; taut.learning.Task; taut.learning.RobotEnv"
    )
    found = subprocess.run([sys.executable, "-c", look], capture_output=True, text=True)
    assert 'environments need gymnasium; install it with: pip install "taut[learn]"' in found.stderr
