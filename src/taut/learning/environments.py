"""Environments of Gymnasium on a Task: one robot, or many that are stepped by one compiled call."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from taut.dynamics.trajectory import Trajectory
from taut.errors import OptionError
from taut.learning.frames import frame_of
from taut.learning.tasks import Task
from taut.learning.trials import Trials

try:
    import gymnasium
    from gymnasium.vector import AutoresetMode, VectorEnv
    from gymnasium.vector.utils import batch_space
except ImportError:
    raise OptionError('environments need gymnasium; install it with: pip install "taut[learn]"') from None


def _spaces(task: Task, trials: Trials) -> tuple[gymnasium.spaces.Box, gymnasium.spaces.Box]:
    """Of observations and actions of one copy."""
    return (
        gymnasium.spaces.Box(-np.inf, np.inf, (trials.size,), np.float32),
        gymnasium.spaces.Box(-1.0, 1.0, (len(task.actuators),), np.float32),
    )


def _check_mode(render_mode: str | None) -> None:
    if render_mode not in (None, "rgb_array"):
        raise OptionError(f'render_mode "{render_mode}" is not one of rgb_array, or None')


class RobotEnv(gymnasium.Env[np.ndarray, np.ndarray]):
    """One robot. A trial ends by time (truncated), or where it cannot be followed (terminated).

    task: what it is, see `Task`. render_mode: None, or "rgb_array" for frames. keep: whether a trial is kept as a run
    for `trajectory`.
    """

    metadata: dict[str, Any] = {"render_modes": ["rgb_array"], "render_fps": 50}  # noqa: RUF012

    def __init__(self, task: Task | None = None, render_mode: str | None = None, *, keep: bool = False) -> None:
        _check_mode(render_mode)
        self.task, self.render_mode, self.keep = task or Task(), render_mode, keep
        self.metadata = {**self.metadata, "render_fps": round(1.0 / self.task.period)}
        self._trials = Trials(self.task, 1, 1)
        self.observation_space, self.action_space = _spaces(self.task, self._trials)
        self._kept: list[tuple[float, np.ndarray]] = []

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[np.ndarray, dict[str, Any]]:
        """A new trial, drawn by the seed; without one it goes on from the last."""
        super().reset(seed=seed)
        self._trials.begin(np.array([0]), [self.np_random])
        self._kept = []
        self._note()
        return self._trials.look()[0][0], {}

    def step(self, action: np.ndarray) -> tuple[np.ndarray, float, bool, bool, dict[str, Any]]:
        """One period on."""
        self._trials.step(np.asarray(action)[None])
        self._note()
        (seen,), (reward,) = self._trials.look()
        ended = bool(self._trials.failed[0])
        over = int(self._trials.turns[0]) >= self.task.steps
        return seen, float(reward), ended, over, {"centre": self._trials.centre[0].copy()}

    def render(self) -> Any:
        """(height, width, 3) the robot now."""
        if self.render_mode is None:
            return None
        return frame_of(self._trials.batch.run_of(0, [self._now()]))

    def __repr__(self) -> str:
        return f"<RobotEnv of {self.task.robot.name or 'structure'}: {len(self.task.actuators)} actuators>"

    __str__ = __repr__

    def trajectory(self) -> Trajectory:
        """The trial so far, for `taut.page`, `taut.film` and `taut.locomotion`."""
        if not self.keep:
            raise OptionError("this environment keeps nothing; make it with keep=True")
        return self._trials.batch.run_of(0, self._kept)

    def _now(self) -> tuple[float, np.ndarray]:
        return float(self._trials.time[0]), self._trials.batch.states[0].copy()

    def _note(self) -> None:
        if self.keep:
            self._kept.append(self._now())


class RobotVectorEnv(VectorEnv[np.ndarray, np.ndarray, np.ndarray]):
    """Many robots, stepped by one compiled call on all processors; each moves as one of `RobotEnv` does.

    A copy whose trial has ended begins the next one at the next step, whose action it ignores. Copy k of `reset(seed)`
    starts as `RobotEnv.reset(seed + k)`.
    threads: as many as there are processors by default; what comes of it does not depend on them.
    """

    metadata: dict[str, Any] = {  # noqa: RUF012
        "render_modes": ["rgb_array"],
        "autoreset_mode": AutoresetMode.NEXT_STEP,
    }

    def __init__(
        self,
        task: Task | None = None,
        num_envs: int = 16,
        render_mode: str | None = None,
        *,
        threads: int | None = None,
    ) -> None:
        _check_mode(render_mode)
        if num_envs < 1:
            raise OptionError(f"num_envs = {num_envs} must be one or more")
        self.task, self.num_envs, self.render_mode = task or Task(), num_envs, render_mode
        self._trials = Trials(self.task, num_envs, threads)
        self.single_observation_space, self.single_action_space = _spaces(self.task, self._trials)
        self.observation_space = batch_space(self.single_observation_space, num_envs)
        self.action_space = batch_space(self.single_action_space, num_envs)
        self._draws: list[np.random.Generator] = []
        self._over = np.zeros(num_envs, dtype=bool)

    def reset(
        self, *, seed: int | list[int | None] | None = None, options: dict[str, Any] | None = None
    ) -> tuple[np.ndarray, dict[str, Any]]:
        """New trials of all copies."""
        seeds: Sequence[int | None] | None = [seed + k for k in range(self.num_envs)] if isinstance(seed, int) else seed
        if seeds is None and not self._draws:
            seeds = [None] * self.num_envs
        if seeds is not None:
            if len(seeds) != self.num_envs:
                raise OptionError(f"seed: give one for each of the {self.num_envs} copies, not {len(seeds)}")
            self._draws = [gymnasium.utils.seeding.np_random(one)[0] for one in seeds]
        self._trials.begin(np.arange(self.num_envs), self._draws)
        self._over[:] = False
        return self._trials.look()[0], {}

    def step(self, actions: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray, dict[str, Any]]:
        """One period on; where a trial was over, the next begins."""
        again = np.flatnonzero(self._over)
        self._trials.step(actions)
        if again.size:
            self._trials.begin(again, [self._draws[k] for k in again])
        seen, rewards = self._trials.look()
        rewards[again] = 0.0
        ended, over = self._trials.failed, self._trials.turns >= self.task.steps
        self._over = ended | over
        return seen, rewards, ended, over, {"centre": self._trials.centre.copy()}

    def __repr__(self) -> str:
        return f"<RobotVectorEnv of {self.num_envs} copies of {self.task.robot.name or 'structure'}>"

    __str__ = __repr__

    def render(self) -> tuple[Any, ...] | None:
        """A frame of every copy."""
        if self.render_mode is None:
            return None
        batch = self._trials.batch
        now = zip(batch.time.tolist(), batch.states, strict=True)
        return tuple(frame_of(batch.run_of(k, [sample])) for k, sample in enumerate(now))
