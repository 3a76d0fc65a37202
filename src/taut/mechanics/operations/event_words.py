"""Events between a user and the kernels: from what is watched to its table, and from the log of a run to words."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from taut.errors import OptionError
from taut.mechanics.kinds import Given
from taut.mechanics.operations.event_table import AS_GIVEN, BAND, BURST, LAST, STATE
from taut.mechanics.operations.watches import (
    ABOVE,
    CUTS,
    DISTANCE,
    DONE,
    HELD_ROW,
    PLANE,
    RECORD,
    STOP,
    TENSION,
    TIME,
    Watches,
)
from taut.numerics.packing import Pack, integers_of, reals_of
from taut.structure.events import Event
from taut.structure.records import AXES
from taut.structure.scenario import Watch
from taut.structure.structure import Structure

NEVER = "never happened"

_ACTIONS = {"record": RECORD, "stop": STOP, "cut": CUTS}
_SENSES = {"rising": 1, "falling": -1, "both": 0}


@dataclass(frozen=True)
class Watched:
    """One thing to watch: a Watch for one member."""

    watch: Watch
    kind: int
    first: int
    second: int
    normal: tuple[float, float, float]
    level: float
    cut: tuple[int, ...]
    words: str
    """What it is, without what happened: 'cable "c7" 500 N'."""

    @property
    def is_time(self) -> bool:
        """Whether a time [s] is watched, its level; a run steps exactly onto it."""
        return self.kind == TIME


def watched_by(given: Given, watches: Iterable[Watch]) -> tuple[Watched, ...]:
    """Every single thing to watch in a nodal plant; of watches without problems."""
    cables = given.cable | {cable.name: HELD_ROW + k for k, cable in enumerate(given.held_cables)}
    bars = {name: -1 - k for name, k in given.still_bars.items()} | given.compressible_bar | given.pneumatic_bar
    return watched_in(given.structure, given.coordinate, cables, bars, watches)


def watched_in(
    structure: Structure,
    nodes: Mapping[str, int],
    cables: Mapping[str, int],
    bars: Mapping[str, int],
    watches: Iterable[Watch],
) -> tuple[Watched, ...]:
    """Every single thing to watch, with these numbers of nodes, cables and bars; of watches without problems."""
    found: list[Watched] = []
    for watch in watches:
        cut: list[int] = []
        for selector in watch.cut:
            members = cables if selector.startswith("cable:") else bars
            cut += [members[name] for name in structure.select(selector)]
        if watch.node is not None:
            normal = watch.normal or tuple(float(axis == watch.axis) for axis in AXES)
            along = watch.axis or f"{list(normal)}"
            words = f'node "{watch.node}" {along} = {watch.level:g} m'
            found.append(
                Watched(
                    watch,
                    PLANE,
                    nodes[watch.node],
                    0,
                    (normal[0], normal[1], normal[2]),
                    float(watch.level or 0.0),
                    tuple(cut),
                    words,
                )
            )
        elif watch.nodes is not None:
            a, b = watch.nodes
            words = f'nodes "{a}" and "{b}" {watch.length:g} m apart'
            found.append(
                Watched(
                    watch, DISTANCE, nodes[a], nodes[b], (0.0, 0.0, 0.0), float(watch.length or 0.0), tuple(cut), words
                )
            )
        elif watch.cable is not None:
            for name in structure.select(watch.cable, "cable"):
                k = cables[name]
                words = f'cable "{name}" {watch.tension:g} N'
                own = tuple(cut) or ((k,) if watch.then == "cut" else ())
                found.append(Watched(watch, TENSION, k, 0, (0.0, 0.0, 0.0), float(watch.tension or 0.0), own, words))
        else:
            time = float(watch.time or 0.0)
            found.append(Watched(watch, TIME, 0, 0, (0.0, 0.0, 0.0), time, tuple(cut), f"{time:g} s"))
    return tuple(found)


def watch_table(things: Sequence[Watched]) -> Watches:
    whole = np.int64
    sense = [1 if t.kind == TENSION and t.watch.sense is None else _SENSES[t.watch.sense or "both"] for t in things]
    sense = [1 if t.kind == TIME else s for t, s in zip(things, sense, strict=True)]
    return Watches(
        kind=np.array([t.kind for t in things], dtype=whole),
        first=np.array([t.first for t in things], dtype=whole),
        second=np.array([t.second for t in things], dtype=whole),
        normal=np.array([t.normal for t in things], dtype=float).ravel(),
        level=np.array([t.level for t in things], dtype=float),
        sense=np.array(sense, dtype=whole),
        action=np.array([_ACTIONS[t.watch.then] for t in things], dtype=whole),
        cut_start=np.cumsum([0, *(len(t.cut) for t in things)]).astype(whole),
        cut_member=np.array([k for t in things for k in t.cut], dtype=whole),
    )


@dataclass(frozen=True)
class Watcher:
    """What a run asks about events, of the tables that it runs with.

    tools: kernels of the plant. subjects: of what terms can change, kind, name, and what changes are called.
    things: what the user watches. Events are numbered in this order. size: of a state.
    """

    tools: Mapping[str, Any]
    subjects: tuple[tuple[str, str, Mapping[int, str]], ...]
    things: tuple[Watched, ...]
    size: int

    @property
    def count(self) -> int:
        return len(self.subjects) + len(self.things)

    @property
    def watched(self) -> tuple[Watched, ...]:
        """All that the user watches, whatever plant it is of."""
        return self.things

    def begin(self, tables: Pack, y: np.ndarray, *, locate: bool) -> None:
        """Say of every event where it stands at the start of a run; locate: of slackening cables too."""
        self.tools["begin_events"](tables, 0.0, y)
        if not locate:
            integers_of(tables, STATE)[: len(self.subjects)] = AS_GIVEN
        self.tools["freeze"](tables)

    def flags(self, tables: Pack) -> np.ndarray:
        """Where every event stands, as numbers."""
        parts = [integers_of(tables, STATE), integers_of(tables, BURST), reals_of(tables, LAST), reals_of(tables, BAND)]
        return np.concatenate(parts, dtype=float)

    def go_on(self, tables: Pack, flags: np.ndarray) -> None:
        """Begin where an earlier run ended, from the flags it had then."""
        if flags.size != 3 * self.count + 1:
            raise OptionError("the trajectory to continue was made without looking for events; start afresh")
        if reals_of(tables, BAND)[0] > 0.0:
            self.tools["release"](tables)  # a run in these tables has written into their laws
        self.tools["keep_given"](tables)
        state, burst, last = flags[:-1].reshape(3, -1)
        integers_of(tables, STATE)[:] = state
        integers_of(tables, BURST)[:] = burst
        reals_of(tables, LAST)[:] = last
        reals_of(tables, BAND)[:] = flags[-1]
        for k, thing in enumerate(self.things):
            if thing.watch.then == "cut" and state[len(self.subjects) + k] == DONE:
                self.cut(tables, len(self.subjects) + k, np.zeros(self.size))  # the work was done then
        self.tools["freeze"](tables)

    def cut(self, tables: Pack, event: int, y: np.ndarray) -> None:
        """Cut the members that an event cuts, at a state whose work pays for it."""
        self.tools["cut"](tables, event, y)

    def happened(self, log: np.ndarray) -> tuple[Event, ...]:
        """The log of a run (time, number of the event, what it is about does now) in words."""
        return tuple(self._event(float(time), int(event), int(state)) for time, event, state in log)

    def _event(self, time: float, event: int, state: int) -> Event:
        if event < len(self.subjects):
            kind, name, changes = self.subjects[event]
            change = changes.get(state, "changed")
            return Event(time, f'{kind} "{name}" {change}', name, change.partition(":")[0])
        thing = self.things[event - len(self.subjects)]
        watch = thing.watch
        if thing.kind == TIME:
            change = "came"
        elif state == DONE and watch.then != "cut":
            change = "chatters: no longer watched"
        elif state == DONE:
            change = watch.sense if watch.sense in ("rising", "falling") else _passing(thing)
        else:
            change = "rising" if state == ABOVE else "falling"
        what = f", {len(thing.cut)} cut" if watch.then == "cut" else ""
        told = f'event "{watch.name}": {thing.words} {change}{what}'
        return Event(time, told, watch.name, change.partition(":")[0])

    def missed(self, events: Iterable[Event]) -> tuple[str, ...]:
        """What is to be said of things that were watched and did not happen."""
        told = {event.subject for event in events}
        quiet = dict.fromkeys(thing.watch.name for thing in self.things if thing.watch.name not in told)
        return tuple(f'event "{name}" {NEVER}' for name in quiet)


def _passing(thing: Watched) -> str:
    return "rising" if thing.kind == TENSION and thing.watch.sense is None else "passed"
