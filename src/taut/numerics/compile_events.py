"""While numba compiles: a word to whoever waits, a clock that stands still, and a line where its cache is in trouble.

What is in the cache on disk is loaded, not compiled, and is no event.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Callable
from typing import Any

_tell: list[Callable[[], None]] = []
_timings: list[Any] = []
_said: set[str] = set()


def tell_once(tell: Callable[[], None]) -> None:
    """Call this when something is compiled for the first time from now on. It takes no numba to ask for it."""
    _tell[:] = [tell]


def say_once(kind: str, line: str) -> None:
    """A line of a kind, the first time in this process; on stderr, unless whoever uses logging sends it elsewhere."""
    if kind not in _said:
        _said.add(kind)
        logging.getLogger("taut").warning(line)


def working_time() -> float:
    """Seconds as `time.perf_counter` counts them, but for those in which numba compiled."""
    compiling: float = sum(timing.duration for timing in _timings if timing.done)
    return time.perf_counter() - compiling


def compiled_anything() -> bool:
    """Whether anything was compiled in this process."""
    return any(timing.done for timing in _timings)


def listen() -> None:
    """Begin to hear of compilations; asked for once, where numba is used."""
    from numba.core import event

    class Compilations(event.TimingListener):  # type: ignore[misc]
        """The time they take, and the word when the first begins."""

        def on_start(self, happened: Any) -> None:
            while _tell:
                _tell.pop()()
            super().on_start(happened)

    _timings.append(Compilations())
    event.register("numba:compile", _timings[-1])
