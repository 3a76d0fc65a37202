"""The points of a study spread over processes; one that dies takes nothing with it but its try at one point.

Processes and not threads, since half the time of a small model is spent in Python, reading and assembling it: on two
idle cores a T-bar takes 8.5 ms alone, 8.6 ms in each of two processes and 11.8 ms in each of two threads; see
`python -m benchmarks.study_workers`. A process takes 1 s to start. Each has a pool of its own, so that it is known
which point a dead one was at. Results are the same bits everywhere.
"""

from __future__ import annotations

import multiprocessing
import os
from collections.abc import Callable, Iterator
from concurrent.futures import Executor
from concurrent.futures.process import BrokenProcessPool

from taut.errors import OptionError
from taut.executors import Lane, Lost
from taut.executors import spread as everywhere
from taut.output.study.far_workers import by_executor
from taut.output.study.points import NOBODY, Variant, computed
from taut.output.study.quantities import Outcome, outcome
from taut.output.worker_processes import DeafPool, asked_to_stop, begin_work, deaf

TRIES = 2


def spread(
    variants: Iterator[tuple[int, Variant]],
    count: int,
    jobs: int,
    interrupted: Callable[[], bool],
    executor: Executor | Callable[[], Executor] | None = None,
) -> Iterator[tuple[int, Outcome]]:
    """Points and what came of them, in the order in which they are ready; ends early where the user interrupts it.

    count: of the variants. jobs: how many processes at most; with one everything is computed in this one. executor:
    computes them instead, wherever that is.
    """
    if executor is not None:
        yield from by_executor(variants, count, executor, interrupted)
        return
    if jobs == 1:
        yield from _here(variants, interrupted)
        return
    context = multiprocessing.get_context("spawn")
    with deaf():  # the process that looks after what they share is started here
        stop = context.Event()

    def process() -> Executor:
        return DeafPool(max_workers=1, mp_context=context, initializer=begin_work, initargs=(stop,))

    def stopping() -> bool:
        if interrupted():
            stop.set()
        return bool(stop.is_set())

    lanes = [Lane(process, most=1) for _ in range(min(jobs, count))]
    try:
        _check_alive(lanes)
        for point, found in everywhere(variants, lanes, _work, stopping, tries=TRIES):
            if isinstance(found, Lost):
                yield point, outcome(str(found), NOBODY, {})
            elif found is not None:
                yield point, found
    finally:
        stop.set()
        for lane in lanes:
            lane.close()


def _here(variants: Iterator[tuple[int, Variant]], interrupted: Callable[[], bool]) -> Iterator[tuple[int, Outcome]]:
    for point, variant in variants:
        found = None if interrupted() else computed(variant, _heed(interrupted))
        if found is None:
            return
        yield point, found


def _check_alive(lanes: list[Lane]) -> None:
    """Start the processes; a script that starts them as it is imported has them all die at once."""
    started = [lane.pool.submit(os.getpid) for lane in lanes]
    try:
        for process in started:
            process.result()
    except BrokenProcessPool:
        raise OptionError(
            "the processes of this study died as they started; a script that calls taut.sweep with jobs above 1 "
            'must do so under `if __name__ == "__main__":`'
        ) from None


def _work(variant: Variant) -> Outcome | None:
    return computed(variant, _heed(asked_to_stop))


def _heed(asked: Callable[[], bool]) -> Callable[[float, float], None]:
    def heed(now: float, end: float) -> None:
        if asked():
            raise KeyboardInterrupt

    return heed
