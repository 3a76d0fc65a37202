"""Robot steps (20 ms of control each) of the vectorised environment per CPU second, and what they are made of.

    python -m benchmarks.environment_steps

The steps of the time loop are the bound: a control period of 20 ms is 20 of them at 1 ms. What comes on top is Python
for all copies at once: commands, observations, rewards.
"""

from __future__ import annotations

import time

import numpy as np

from taut.learning import RobotVectorEnv, Task
from taut.learning.quantities import OBSERVATIONS, observed, rewarded

COPIES, PERIODS, TURNS = 64, 100, 3


def gait(periods: int) -> np.ndarray:
    """(periods, 6) actions of the gait of examples/rolling.yaml."""
    phase = np.array((2.91, 6.2, 3.93, 0.03, 5.87, 3.7))
    return np.sin(2.0 * np.pi * 0.95 * 0.02 * np.arange(periods)[:, None] + phase)


def measured(step: float, names: tuple[str, ...]) -> dict[str, float]:
    """CPU seconds of a robot step: all of it, and of its parts."""
    env = RobotVectorEnv(Task(step=step, observations=names), COPIES, threads=1)
    env.reset(seed=0)
    actions = np.repeat(gait(PERIODS)[:, None], COPIES, axis=1)
    found: dict[str, float] = {}
    for _ in range(TURNS):
        env.reset(seed=0)
        begun = time.process_time()
        for action in actions:
            env.step(action)
        whole = (time.process_time() - begun) / PERIODS / COPIES
        batch = env._trials._batch
        env.reset(seed=0)
        begun = time.process_time()
        for action in actions:
            batch.step(0.02, 0.1 * action * np.minimum(1.0, batch.time[:, None] / 1.0))
        loop = (time.process_time() - begun) / PERIODS / COPIES
        seen = env._trials.seen
        begun = time.process_time()
        for _ in range(PERIODS):
            observed(seen, names)
            rewarded(seen, env.task.rewards)
        look = (time.process_time() - begun) / PERIODS / COPIES
        for name, value in (("whole", whole), ("loop", loop), ("look", look)):
            found[name] = min(found.get(name, np.inf), value)
    return found


def main() -> None:
    few = ("clock", "face")
    for step in (1e-3, 2e-3):
        for names in (few, tuple(OBSERVATIONS)):
            cost = measured(step, names)
            told = "clock and face" if names == few else "all observations"
            print(
                f"steps of {1e3 * step:g} ms, {told}: {1.0 / cost['whole']:.0f} robot steps per CPU second; "
                f"{1e6 * cost['whole']:.1f} us each, of which stepping {1e6 * cost['loop']:.1f} us "
                f"({1e6 * cost['loop'] * step / 0.02:.2f} us a step of the method), "
                f"observations and reward {1e6 * cost['look']:.1f} us"
            )


if __name__ == "__main__":
    main()
