"""Environments of Gymnasium: its own checker, seeds, copies that move as one alone, what is refused."""

from __future__ import annotations

import subprocess
import sys
import warnings
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


def test_without_gymnasium_the_extra_is_named() -> None:
    look = (
        "import sys; sys.modules['gymnasium'] = None; import taut.learning; taut.learning.Task; taut.learning.RobotEnv"
    )
    found = subprocess.run([sys.executable, "-c", look], capture_output=True, text=True)
    assert 'environments need gymnasium; install it with: pip install "taut[learn]"' in found.stderr
