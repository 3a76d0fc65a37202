"""Ctrl-C that waits for a good moment: the work in hand is finished before the interruption shows.

SIGTERM (kill, batch systems, a machine that shuts down) and SIGHUP (a terminal that is closed) are the same wish.
"""

from __future__ import annotations

import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType

INTERRUPTS = tuple(
    getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGHUP") if hasattr(signal, name)
)  # Windows has no SIGHUP


class _Held:
    """The handler within: notes the first signal; a second one interrupts at once."""

    def __init__(self) -> None:
        self.asked = False

    def __call__(self, number: int, frame: FrameType | None) -> None:
        if self.asked:
            raise KeyboardInterrupt
        self.asked = True


@contextmanager
def held_interrupts() -> Iterator[Callable[[], bool]]:
    """Within, an interrupt only makes the given function return True; a second one interrupts at once.

    A signal that is ignored (nohup, a job in the background) stays so, and one that the program has a handler for goes
    there. Outside the main thread, where Python cannot hear signals, nothing is changed.
    """
    if threading.current_thread() is not threading.main_thread():
        yield lambda: False
        return
    held = _Held()
    before = {number: signal.getsignal(number) for number in INTERRUPTS}
    ours = [number for number, handler in before.items() if _free(handler)]
    try:
        for number in ours:
            signal.signal(number, held)
        yield lambda: held.asked
    finally:
        for number in ours:
            signal.signal(number, before[number])


@contextmanager
def raised_interrupts() -> Iterator[None]:
    """Within, every interrupt raises KeyboardInterrupt as Ctrl-C does, so that whatever is in hand is put away."""
    deaf = threading.current_thread() is not threading.main_thread()
    ended = [n for n in INTERRUPTS if not deaf and signal.getsignal(n) is signal.SIG_DFL]
    for number in ended:
        signal.signal(number, signal.default_int_handler)
    try:
        yield
    finally:
        for number in ended:
            signal.signal(number, signal.SIG_DFL)


def _free(handler: object) -> bool:
    return handler in (signal.SIG_DFL, signal.default_int_handler) or isinstance(handler, _Held)
