"""Ctrl-C that waits for a good moment: the work in hand is finished before the interruption shows."""

from __future__ import annotations

import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType


@contextmanager
def held_interrupts() -> Iterator[Callable[[], bool]]:
    """Within, Ctrl-C only makes the given function return True; a second one interrupts at once.

    Outside the main thread, where Python cannot hear signals, nothing is changed.
    """
    asked: list[int] = []

    def note(number: int, frame: FrameType | None) -> None:
        if asked:
            raise KeyboardInterrupt
        asked.append(number)

    if threading.current_thread() is not threading.main_thread():
        yield lambda: False
        return
    before = signal.signal(signal.SIGINT, note)
    try:
        yield lambda: bool(asked)
    finally:
        signal.signal(signal.SIGINT, before)
