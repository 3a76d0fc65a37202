"""Things made by several processes at once, by name; interrupts end them soon, and what was made by then is kept."""

from __future__ import annotations

import multiprocessing
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import Executor
from typing import Any

from taut.dynamics.interrupts import held_interrupts
from taut.executors import Lane, Lost, spread
from taut.output.worker_processes import DeafPool, asked_to_stop, begin_work, deaf

TRIES = 2
"""Of what a process is at that dies."""


def made_together(work: Mapping[str, Callable[[], Any]], jobs: int) -> Iterator[tuple[str, Any]]:
    """Names and what was made, in the order in which it is ready; what fails is left out.

    An interrupt, or being asked to stop where this is such a process itself, raises KeyboardInterrupt. Work that takes
    long asks `asked_to_stop` itself.
    """
    context = multiprocessing.get_context("spawn")
    with deaf():
        stop = context.Event()

    def process() -> Executor:
        return DeafPool(max_workers=1, mp_context=context, initializer=begin_work, initargs=(stop,))

    with held_interrupts() as interrupted:

        def stopping() -> bool:
            if interrupted() or asked_to_stop():
                stop.set()
            return bool(stop.is_set())

        lanes = [Lane(process, most=1) for _ in range(jobs)]
        try:
            for name, found in spread(work.items(), lanes, _made, stopping, tries=TRIES):
                if not isinstance(found, (Lost, _Failed)):
                    yield name, found
            if stopping():
                raise KeyboardInterrupt
        finally:
            stop.set()
            for lane in lanes:
                lane.close()


class _Failed:
    """What came of work that cannot be done."""


def _made(make: Callable[[], Any]) -> Any:
    """In another process."""
    try:
        return make()
    except (Exception, KeyboardInterrupt):  # whoever asks for it makes it again, and is told
        return _Failed()
