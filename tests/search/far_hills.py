"""Work for other processes, which import it: hills climbed one by one, where a worker may die on the way."""

import os
import signal
from collections.abc import Callable
from concurrent.futures import Executor
from functools import partial
from pathlib import Path

import numpy as np
from hills import climbed

from taut.executors import Lane, spread
from taut.search.searching import Tried


def climbed_once(deadly: str, task: tuple[np.ndarray, np.ndarray]) -> np.ndarray:
    """Copies of one gait; the first worker that finds the file takes it away and is killed."""
    if deadly:
        try:
            Path(deadly).unlink()
        except FileNotFoundError:
            pass
        else:
            os.kill(os.getpid(), signal.SIGKILL)
    point, seeds = task
    return climbed(point[None], seeds).copies[0]


def climbed_far(executor: Executor | Callable[[], Executor], deadly: str = ""):
    """The same numbers as `hills.climbed`, by an executor."""

    def evaluate(points: np.ndarray, seeds: np.ndarray) -> Tried:
        tasks = enumerate(zip(points, seeds.reshape(len(points), -1), strict=True))
        lane, work = Lane(executor), partial(climbed_once, deadly)
        try:
            found = dict(spread(tasks, [lane], work, bool, tries=3))
        finally:
            lane.close()
        return Tried(np.array([found[k] for k in range(len(points))]))

    return evaluate
