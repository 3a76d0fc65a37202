"""Tasks spread over executors: pools of processes, clusters, whatever is a `concurrent.futures.Executor`.

A process that dies breaks its pool, and all tasks that the pool had in hand are lost with it. They are given to a fresh
one, where it is known how to make one: together first, and then each alone, so that one that kills whoever takes it is
found out and takes no other with it.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import FIRST_COMPLETED, BrokenExecutor, CancelledError, Executor, Future, wait
from typing import Any, TypeVar

from taut.errors import OptionError

Key = TypeVar("Key")
Task = TypeVar("Task")
Found = TypeVar("Found")

LATENCY = 0.1
"""Seconds until an interruption is heard."""

IN_HAND = 4096
"""Tasks that a pool of unknown size is given at a time."""


class Lost:
    """What came of a task whose processes died every time it was tried."""

    def __init__(self, tries: int) -> None:
        self.tries = tries

    def __str__(self) -> str:
        return f"failed: its process died, {self.tries} times (killed, out of memory, or a crash of a library)"


class Lane:
    """An executor that has so many tasks in hand, replaced by another when it breaks.

    given: the executor itself, or a function that makes one; one that was made here is shut down here.
    """

    def __init__(self, given: Executor | Callable[[], Executor], most: int = IN_HAND) -> None:
        self._make = None if isinstance(given, Executor) else given
        self.pool = given if isinstance(given, Executor) else given()
        self.most, self.busy, self.alone, self.waiting = most, 0, False, deque[Any]()

    def renew(self, broken: Executor) -> None:
        """Another pool in the place of a broken one; raises OptionError where nobody knows how to make one."""
        if self._make is None:
            raise OptionError(
                "a process of the executor died (killed, out of memory, or a crash of a library), and with it all that "
                "it had in hand; give a function that makes an executor, as `lambda: ProcessPoolExecutor(2)`, and what "
                'was lost is computed again. Scripts start processes under `if __name__ == "__main__":` only'
            )
        if self.pool is broken:
            self.pool.shutdown(wait=False, cancel_futures=True)
            self.pool = self._make()

    def close(self) -> None:
        if self._make is not None:
            self.pool.shutdown(wait=True, cancel_futures=True)


def spread(
    tasks: Iterable[tuple[Key, Task]],
    lanes: list[Lane],
    work: Callable[[Task], Found],
    stopping: Callable[[], bool],
    *,
    tries: int,
) -> Iterator[tuple[Key, Found | Lost]]:
    """Keys of tasks and what came of them, in the order in which they are ready; ends early where it is to stop."""
    waiting = iter(tasks)
    busy: dict[Future[Found], tuple[Lane, Executor, Key, Task, int]] = {}

    def give(lane: Lane, key: Key, task: Task, count: int) -> None:
        pool = lane.pool
        try:
            future = pool.submit(work, task)
        except BrokenExecutor:  # it died while it had nothing to do
            lane.renew(pool)
            pool = lane.pool
            future = pool.submit(work, task)
        busy[future] = (lane, pool, key, task, count)
        lane.busy += 1

    def give_next(lane: Lane) -> None:
        """As many as it may have in hand; what is tried for the last time goes alone."""
        while not (stopping() or lane.alone) and lane.busy < lane.most:
            if lane.waiting:
                lane.alone = lane.waiting[0][-1] == tries
                if lane.alone and lane.busy:
                    lane.alone = False  # once the others are done
                    return
                give(lane, *lane.waiting.popleft())
                continue
            following = next(waiting, None)
            if following is None:
                return
            give(lane, *following, 1)

    for lane in lanes:
        give_next(lane)
    while busy:
        if stopping():
            for future in busy:
                future.cancel()
        for future in wait(busy, LATENCY, FIRST_COMPLETED).done:
            lane, pool, key, task, count = busy.pop(future)
            lane.busy -= 1
            lane.alone = False
            try:
                yield key, future.result()
            except CancelledError:
                if not stopping():
                    raise
            except BrokenExecutor:
                lane.renew(pool)
                if count < tries:
                    lane.waiting.append((key, task, count + 1))
                elif not stopping():
                    yield key, Lost(tries)
            give_next(lane)
