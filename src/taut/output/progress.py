"""A bar for those who watch long work: simulated time and the time left, or how many of how many are done."""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, TextIO, cast


class _Terminal:
    """stderr, which may be closed while long work goes on; that nobody watches any more is no reason to end it."""

    def __init__(self) -> None:
        self._stream = sys.stderr

    def write(self, text: str) -> int:
        with contextlib.suppress(OSError):
            self._stream.write(text)
        return len(text)

    def flush(self) -> None:
        with contextlib.suppress(OSError):
            self._stream.flush()

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)


@contextmanager
def progress_bar(
    begin: float, end: float, done: str = "simulated", unit: str = "s"
) -> Iterator[Callable[[float, float], None] | None]:
    """Gives the function to report how far it is and the end to; None where stderr is no terminal.

    done: what was done, in what unit.
    """
    if not sys.stderr.isatty():
        yield None
        return
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn

    columns = (
        TextColumn("{task.description} {task.completed:9.4g} of {task.total:g} " + unit),
        BarColumn(),
        TimeRemainingColumn(),
    )
    with Progress(*columns, console=Console(file=cast(TextIO, _Terminal())), transient=True) as bar:
        # Nothing is reported until the equations are compiled, which takes a while the first time.
        task = bar.add_task("getting ready", total=end)
        bar.update(task, completed=begin)
        yield lambda now, _: bar.update(task, description=done, completed=now)


@contextmanager
def counting_bar(total: int, what: str) -> Iterator[Callable[[int, str], None] | None]:
    """Gives the function to report to: how many are done, and what comes next; None where stderr is no terminal."""
    if not sys.stderr.isatty():
        yield None
        return
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

    columns = (
        TextColumn("{task.completed:g} of {task.total:g} " + what),
        BarColumn(),
        TimeElapsedColumn(),
        TextColumn("{task.description}", markup=False),
    )
    with Progress(*columns, console=Console(file=cast(TextIO, _Terminal())), transient=True) as bar:
        task = bar.add_task("getting ready", total=total)
        yield lambda done, now: bar.update(task, description=now, completed=done)
