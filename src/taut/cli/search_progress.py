"""How a search for gaits shows how far it is: a table that grows on a terminal, a line a generation on a pipe."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from taut.search.goals import Goal
    from taut.search.searching import Standing

SHOWN = 12
"""Generations that a terminal shows, the last ones."""


class Shown(Protocol):
    """What is told while a search goes on."""

    def standing(self, now: Standing) -> None: ...

    def say(self, sentence: str) -> None: ...


@contextmanager
def search_progress(goal: Goal) -> Iterator[Shown]:
    if not sys.stderr.isatty():
        yield _Lines(goal)
        return
    from rich.console import Console
    from rich.live import Live

    with Live(console=Console(file=sys.stderr), transient=True, auto_refresh=False) as live:
        shown = _Table(goal, live)
        shown.say("getting ready")
        yield shown


def _cells(goal: Goal, now: Standing) -> tuple[str, ...]:
    left = (now.generations - now.generation) * now.seconds / now.generation
    return (
        f"{now.generation} of {now.generations}",
        f"{now.best} {goal.unit}",
        f"{now.mean:.3g}",
        f"{now.runs}",
        f"{now.rate:.3g}" if now.rate else "-",
        _minutes(now.seconds),
        _minutes(left),
    )


HEADS = ("generation", "best", "mean", "runs", "runs/s", "time", "left")


def _minutes(seconds: float) -> str:
    whole = round(seconds)
    return (
        f"{whole // 3600}:{whole // 60 % 60:02}:{whole % 60:02}" if whole >= 3600 else f"{whole // 60}:{whole % 60:02}"
    )


class _Lines:
    """For pipes and files: what came before is not written over. On stderr, since stdout has the summary."""

    def __init__(self, goal: Goal) -> None:
        self._goal = goal

    def standing(self, now: Standing) -> None:
        told = zip(HEADS, _cells(self._goal, now), strict=True)
        self.say(", ".join(f"{head} {cell}" for head, cell in told))

    def say(self, sentence: str) -> None:
        print(sentence, file=sys.stderr, flush=True)


class _Table:
    def __init__(self, goal: Goal, live: object) -> None:
        self._goal, self._live = goal, live
        self._rows: list[tuple[str, ...]] = []
        self._sentence = ""

    def standing(self, now: Standing) -> None:
        self._rows = [*self._rows[-SHOWN + 1 :], _cells(self._goal, now)]
        self._sentence = ""
        self._show()

    def say(self, sentence: str) -> None:
        self._sentence = sentence
        self._show()

    def _show(self) -> None:
        from rich.console import Group
        from rich.table import Table
        from rich.text import Text

        table = Table(box=None, pad_edge=False)
        for head in HEADS:
            table.add_column(head, justify="right")
        for row in self._rows:
            table.add_row(*map(Text, row))
        self._live.update(Group(table, Text(self._sentence)), refresh=True)  # type: ignore[attr-defined]
