"""Robot steps (20 ms of control each) of the vectorised environment per CPU second, and what they are made of.

    python -m benchmarks.environment_steps

The steps of the time loop are the bound: a control period of 20 ms is 20 of them at 1 ms. What comes on top is Python
for all copies at once, commands above all, and one kernel for observations and rewards. Times are CPU microseconds a
robot step on one thread, medians of several turns, the ways in turn.
"""

from __future__ import annotations

import time
from collections.abc import Callable

import numpy as np

from taut.learning import RobotVectorEnv, Task
from taut.learning.quantities import OBSERVATIONS

COPIES, PERIODS, TURNS = 64, 100, 7
STEPS = (1e-3, 2e-3, 5e-3)
FEW = ("clock", "face")


def gait(periods: int) -> np.ndarray:
    """(periods, 6) actions of the gait of examples/rolling.yaml."""
    phase = np.array((2.91, 6.2, 3.93, 0.03, 5.87, 3.7))
    return np.sin(2.0 * np.pi * 0.95 * 0.02 * np.arange(periods)[:, None] + phase)


def spent(work: Callable[[], object], copies: int) -> float:
    """CPU microseconds a robot step."""
    begun = time.process_time()
    work()
    return 1e6 * (time.process_time() - begun) / PERIODS / copies


def measured(step: float, names: tuple[str, ...], copies: int = COPIES) -> dict[str, float]:
    """All of a robot step; its stepping alone, side by side and one by one; and the look at it."""
    env = RobotVectorEnv(Task(step=step, observations=names), copies, threads=1)
    trials, batch = env._trials, env._trials.batch
    # Each a little different, so that they do not all touch the ground at once.
    actions = gait(PERIODS)[:, None] * np.linspace(0.8, 1.0, copies)[None, :, None]

    def whole() -> None:
        for action in actions:
            env.step(action)

    def stepping() -> None:
        for action in actions:
            batch.step(0.02, 0.1 * action * min(1.0, batch.time[0]))

    def look() -> None:
        for _ in range(PERIODS):
            trials.look()

    found: dict[str, list[float]] = {"whole": [], "side by side": [], "one by one": [], "look": []}
    env.reset(seed=0)
    env.step(actions[0])
    for _ in range(TURNS):
        for name, work in (("whole", whole), ("side by side", stepping), ("one by one", stepping), ("look", look)):
            env.reset(seed=0)
            batch._side_by_side = name != "one by one"
            found[name].append(spent(work, copies))
        batch._side_by_side = True
    return {name: float(np.median(values)) for name, values in found.items()}


def main() -> None:
    for step, names in [*((step, FEW) for step in STEPS), (STEPS[1], OBSERVATIONS)]:
        cost = measured(step, names)
        told = "clock and face" if names == FEW else "all observations"
        print(
            f"steps of {1e3 * step:g} ms, {told}: {1e6 / cost['whole']:.0f} robot steps per CPU second; "
            f"{cost['whole']:.1f} us each, of which stepping {cost['side by side']:.1f} us "
            f"({cost['side by side'] * step / 0.02:.2f} us a step of the method), observations and reward "
            f"{cost['look']:.1f} us; one by one stepping takes {cost['one by one']:.1f} us"
        )


if __name__ == "__main__":
    main()
