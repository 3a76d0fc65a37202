"""Ctrl-C that waits for a good moment: the work in hand is finished before the interruption shows.

SIGTERM (kill, batch systems, a machine that shuts down) and SIGHUP (a terminal that is closed) are the same wish.
"""

from __future__ import annotations

import signal
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Any

INTERRUPTS = tuple(
    getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGHUP") if hasattr(signal, name)
)  # Windows has no SIGHUP


ONCE_MORE = (signal.SIGALRM,) if hasattr(signal, "SIGALRM") else ()
SOON = 0.01
"""Seconds after which an interrupt that was lost is raised again."""


class _Held:
    """The handler within: notes the first signal; a second one interrupts at once.

    passed_on: one that a handler inside this one noted, and did not raise.
    """

    def __init__(self) -> None:
        self.asked = self.passed_on = False

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
        yield lambda: held.asked or held.passed_on
    finally:
        for number in ours:
            signal.signal(number, before[number])
        for outer in before.values():
            if isinstance(outer, _Held) and (held.asked or held.passed_on):
                outer.passed_on = True


class _Raised:
    """The handler within a command: raises KeyboardInterrupt, and once more where Python could only ignore it.

    In a destructor or a callback of the garbage collector an exception goes nowhere: the interrupt would be lost. What
    destructors say of objects that it left half-made is of no use to anyone.
    """

    def __init__(self) -> None:
        self._before = sys.unraisablehook
        self._asked = self._deaf = False

    def __call__(self, number: int, frame: FrameType | None) -> None:
        self._asked = True
        if self._deaf:
            _once_more()
        else:
            raise KeyboardInterrupt

    def unraisable(self, ignored: Any) -> None:
        self._deaf = True  # whatever is raised here goes nowhere, too
        try:
            if not self._asked:
                self._before(ignored)
            elif issubclass(ignored.exc_type, KeyboardInterrupt):
                _once_more()
        finally:
            self._deaf = False


def _once_more() -> None:
    if hasattr(signal, "setitimer"):  # not on Windows
        signal.setitimer(signal.ITIMER_REAL, SOON)


@contextmanager
def raised_interrupts() -> Iterator[None]:
    """Within, every interrupt raises KeyboardInterrupt as Ctrl-C does, so that whatever is in hand is put away."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    raised, hook = _Raised(), sys.unraisablehook
    before = {number: signal.getsignal(number) for number in (*INTERRUPTS, *ONCE_MORE)}
    ours = [number for number, handler in before.items() if _free(handler)]
    try:
        sys.unraisablehook = raised.unraisable
        for number in ours:
            signal.signal(number, raised)
        yield
    finally:
        for number in ours:
            signal.signal(number, before[number])
        sys.unraisablehook = hook


def _free(handler: object) -> bool:
    return handler in (signal.SIG_DFL, signal.default_int_handler) or isinstance(handler, _Held | _Raised)
