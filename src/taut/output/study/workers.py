"""The points of a study spread over processes; one that dies takes nothing with it but its try at one point.

Processes and not threads, since half the time of a small model is spent in Python, reading and assembling it: on two
idle cores a T-bar takes 8.5 ms alone, 8.6 ms in each of two processes and 11.8 ms in each of two threads; see
`python -m benchmarks.study_workers`. A process takes 1 s to start. Each has a pool of its own, so that it is known
which point a dead one was at. Results are the same bits everywhere.
"""

from __future__ import annotations

import multiprocessing
import os
import signal
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import FIRST_COMPLETED, Executor, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from typing import Any

from taut.dynamics.interrupts import INTERRUPTS
from taut.errors import OptionError
from taut.output.study.far_workers import by_executor
from taut.output.study.points import NOBODY, Variant, computed
from taut.output.study.quantities import Outcome, outcome

TRIES = 2
LATENCY = 0.1
"""Seconds until Ctrl-C is heard."""

DEAD = f"failed: its process died, {TRIES} times (killed, out of memory, or a crash of a library)"

_asked_to_stop: Callable[[], bool] = bool


def spread(
    variants: Iterator[tuple[int, Variant]],
    count: int,
    jobs: int,
    interrupted: Callable[[], bool],
    executor: Executor | None = None,
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
    with _deaf():  # the process that looks after what they share is started here
        stop = context.Event()
    lanes = [_Lane(context, stop) for _ in range(min(jobs, count))]
    try:
        _check_alive(lanes)
        yield from _everywhere(variants, lanes, interrupted, stop)
    finally:
        stop.set()
        for lane in lanes:
            lane.pool.shutdown(wait=True, cancel_futures=True)


def _here(variants: Iterator[tuple[int, Variant]], interrupted: Callable[[], bool]) -> Iterator[tuple[int, Outcome]]:
    for point, variant in variants:
        found = None if interrupted() else computed(variant, _heed(interrupted))
        if found is None:
            return
        yield point, found


class _Lane:
    """One process, replaced by another when it dies."""

    def __init__(self, context: Any, stop: Any) -> None:
        self._begin = {"max_workers": 1, "mp_context": context, "initializer": _begin, "initargs": (stop,)}
        self.pool = ProcessPoolExecutor(**self._begin)

    def submit(self, work: Callable[..., Any], *given: Any) -> Future[Any]:
        with _deaf():  # the process may be started here
            return self.pool.submit(work, *given)

    def renew(self) -> None:
        self.pool.shutdown(wait=False)
        self.pool = ProcessPoolExecutor(**self._begin)


@contextmanager
def _deaf() -> Iterator[None]:
    """Within, interrupts wait; a process that is started here never hears them, not even before its first line runs."""
    if not hasattr(signal, "pthread_sigmask"):  # Windows
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, INTERRUPTS)
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _check_alive(lanes: list[_Lane]) -> None:
    """Start the processes; a script that starts them as it is imported has them all die at once."""
    started = [lane.submit(os.getpid) for lane in lanes]
    try:
        for process in started:
            process.result()
    except BrokenProcessPool:
        raise OptionError(
            "the processes of this study died as they started; a script that calls taut.sweep with jobs above 1 "
            'must do so under `if __name__ == "__main__":`'
        ) from None


def _everywhere(
    waiting: Iterator[tuple[int, Variant]], lanes: list[_Lane], interrupted: Callable[[], bool], stop: Any
) -> Iterator[tuple[int, Outcome]]:
    busy: dict[Future[Outcome | None], tuple[_Lane, int, Variant, int]] = {}

    def stopping() -> bool:
        if interrupted():
            stop.set()
        return bool(stop.is_set())

    def give(lane: _Lane, point: int, variant: Variant, tries: int) -> None:
        try:
            busy[lane.submit(_work, variant)] = (lane, point, variant, tries)
        except BrokenProcessPool:  # it died while it had nothing to do
            lane.renew()
            busy[lane.submit(_work, variant)] = (lane, point, variant, tries)

    def give_next(lane: _Lane) -> None:
        following = None if stopping() else next(waiting, None)
        if following is not None:
            give(lane, *following, 1)

    for lane in lanes:
        give_next(lane)
    while busy:
        stopping()
        for future in wait(busy, LATENCY, FIRST_COMPLETED).done:
            lane, point, variant, tries = busy.pop(future)
            try:
                found = future.result()
            except BrokenProcessPool:
                found = None
                lane.renew()
            if found is None and not stopping():
                if tries < TRIES:
                    give(lane, point, variant, tries + 1)
                    continue
                found = outcome(DEAD, NOBODY, {})
            if found is not None:
                yield point, found
            give_next(lane)


def _begin(stop: Any) -> None:
    """In a new process: interrupts are the parent's to hear, and without a parent there is nothing to do."""
    global _asked_to_stop
    _asked_to_stop = stop.is_set
    for number in INTERRUPTS:
        signal.signal(number, signal.SIG_IGN)
    threading.Thread(target=_end_with_parent, daemon=True).start()


def _end_with_parent() -> None:
    parent = multiprocessing.parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)


def _work(variant: Variant) -> Outcome | None:
    return computed(variant, _heed(_asked_to_stop))


def _heed(asked: Callable[[], bool]) -> Callable[[float, float], None]:
    def heed(now: float, end: float) -> None:
        if asked():
            raise KeyboardInterrupt

    return heed
