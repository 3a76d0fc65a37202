"""Contestants that take turns: who reaches an error at which setting, and what each turn costs beside taut's."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

TAUT = "taut"


@dataclass(frozen=True)
class Contestant:
    """Somebody who does the work. run: gives positions at the end, by a setting (a step or a tolerance).

    settings: the coarsest first. note: what is not like for like.
    """

    name: str
    run: Callable[[float], np.ndarray]
    settings: tuple[float, ...]
    note: str = ""

    @property
    def ours(self) -> bool:
        return self.name.startswith(TAUT)


@dataclass(frozen=True)
class Entry:
    """A contestant in a row. seconds: CPU time, the least of all turns, for one unit of the row.

    error: [m], or as the row has it. ratios: beside the row's first contestant of taut, turn by turn.
    """

    name: str
    seconds: float
    error: float | None = None
    setting: float | None = None
    ratios: tuple[float, ...] = ()
    memory: float | None = None  # [B] peak of a process of its own
    note: str = ""

    @property
    def quartiles(self) -> tuple[float, float, float]:
        """(1.0, 1.0, 1.0) for taut itself, beside which the others stand."""
        if not self.ratios:
            return (float("nan"),) * 3
        low, middle, high = np.quantile(self.ratios, (0.25, 0.5, 0.75))
        return float(low), float(middle), float(high)


@dataclass(frozen=True)
class Row:
    """One piece of work. key: in the history. unit: of `seconds` (CPU seconds of what)."""

    key: str
    what: str
    unit: str
    entries: tuple[Entry, ...]
    members: int = 0

    @property
    def ours(self) -> Entry:
        return next(entry for entry in self.entries if entry.name.startswith(TAUT))

    @property
    def peer(self) -> Entry | None:
        """The fastest that is not taut."""
        others = [entry for entry in self.entries if not entry.name.startswith(TAUT) and entry.ratios]
        return min(others, key=lambda entry: statistics.median(entry.ratios)) if others else None


def spent(work: Callable[[], object]) -> float:
    begun = time.process_time()
    work()
    return time.process_time() - begun


def in_turn(works: Sequence[Callable[[], object]], turns: int) -> list[list[float]]:
    """CPU seconds of each, turn by turn, after one that warms up."""
    for work in works:
        work()
    return [[spent(work) for work in works] for _ in range(turns)]


def beside(names: Sequence[str], times: Sequence[Sequence[float]], units: Sequence[float]) -> list[Entry]:
    """Entries without errors; the first is the one that all stand beside. units: how much each did in a turn."""
    table = np.array(times) / np.array(units)
    ratios = table / table[:, :1]
    return [
        Entry(name, float(table[:, k].min()), ratios=tuple(map(float, ratios[:, k]))) for k, name in enumerate(names)
    ]


def errors_of(one: Contestant, exact: np.ndarray) -> list[float]:
    """Of every setting, the largest coordinate [m]; NaN where it does not come to an end."""
    found = []
    for setting in one.settings:
        nodes = one.run(setting)
        found.append(float(np.abs(nodes - exact).max()) if nodes.shape == exact.shape else float("nan"))
    return found


def loosest(settings: Sequence[float], errors: Sequence[float], target: float) -> int | None:
    """The place of the coarsest setting from which on no error is larger; one that is right by luck does not count."""
    place = None
    for k in reversed(range(len(settings))):
        if not errors[k] <= target:
            break
        place = k
    return place


def at_equal_error(
    key: str, what: str, target: float, contest: Sequence[Contestant], errors: Sequence[Sequence[float]], turns: int
) -> Row:
    """The first contestant is taut's, and has to reach the target."""
    places = [loosest(one.settings, found, target) for one, found in zip(contest, errors, strict=True)]
    able = [
        (one, place, found[place])
        for one, place, found in zip(contest, places, errors, strict=True)
        if place is not None
    ]
    if not able or not able[0][0].ours:
        raise SystemExit(f"{key}: {contest[0].name} does not reach {target:g} m; nothing to stand beside")
    works = [(lambda one=one, place=place: one.run(one.settings[place])) for one, place, _ in able]
    times = in_turn(works, turns)
    entries = beside([one.name for one, _, _ in able], times, [1.0] * len(able))
    told = [
        Entry(e.name, e.seconds, error, one.settings[place], e.ratios, note=one.note)
        for e, (one, place, error) in zip(entries, able, strict=True)
    ]
    missing = [
        Entry(one.name, float("nan"), note=f"does not reach {target:g} m in its sweep. {one.note}".strip())
        for one, place in zip(contest, places, strict=True)
        if place is None
    ]
    return Row(key, what, "run", (*told, *missing))
