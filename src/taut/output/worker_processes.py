"""Processes that compute for this one: deaf to Ctrl-C, which is its to hear; asked to stop by it, and gone with it."""

from __future__ import annotations

import multiprocessing
import os
import signal
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ProcessPoolExecutor
from contextlib import contextmanager
from typing import Any

from taut.dynamics.interrupts import INTERRUPTS

_stopping: Callable[[], bool] = bool


class DeafPool(ProcessPoolExecutor):
    """One whose processes never hear interrupts."""

    def submit(self, work: Callable[..., Any], /, *given: Any, **named: Any) -> Future[Any]:
        with deaf():  # the process may be started here
            return super().submit(work, *given, **named)


@contextmanager
def deaf() -> Iterator[None]:
    """Within, interrupts wait; a process that is started here never hears them, not even before its first line runs."""
    if not hasattr(signal, "pthread_sigmask"):  # Windows
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, INTERRUPTS)
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def begin_work(stop: Any) -> None:
    """In a new process: interrupts are the parent's to hear, and without a parent there is nothing to do."""
    global _stopping
    _stopping = stop.is_set
    for number in INTERRUPTS:
        signal.signal(number, signal.SIG_IGN)
    threading.Thread(target=_end_with_parent, daemon=True).start()


def _end_with_parent() -> None:
    parent = multiprocessing.parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)


def asked_to_stop() -> bool:
    """In such a process: whether the parent wants it to end."""
    return _stopping()
