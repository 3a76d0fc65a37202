"""What a run of a tree asks about events, of the workspace that it runs with."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from taut.errors import ModelError, OptionError, Problem
from taut.mechanics.operations.event_table import AS_GIVEN
from taut.mechanics.operations.event_words import Watched, Watcher, watched_in
from taut.mechanics.operations.watches import DONE
from taut.mechanics.terms.slackening import CHANGES
from taut.mechanics.trees.events import tree_events as happens
from taut.mechanics.trees.events.cable_states import all_names, set_laws
from taut.mechanics.trees.kernels import GONE, ONE_SIDED
from taut.structure.events import Event
from taut.structure.scenario import Watch
from taut.structure.watches import problems_of_watches

if TYPE_CHECKING:
    from taut.mechanics.trees.plant import TreePlant
    from taut.mechanics.trees.tree_operations import Workspace


@dataclass(frozen=True)
class TreeWatcher(Watcher):
    """nodal: of the nodal plant whose nodes stand on bodies, if that has any; its events come last."""

    nodal: Watcher | None = None

    @property
    def own(self) -> int:
        return len(self.subjects) + len(self.things)

    @property
    def count(self) -> int:
        return self.own + (self.nodal.count if self.nodal else 0)

    @property
    def watched(self) -> tuple[Watched, ...]:
        return (*self.things, *(self.nodal.watched if self.nodal else ()))

    def begin(self, tables: Any, y: np.ndarray, *, locate: bool) -> None:
        space: Workspace = tables
        happens.begin(space, y)
        if not locate:
            space.events.state[: len(self.subjects)] = AS_GIVEN
        happens.freeze(space)
        if self.nodal:
            self.nodal.begin(space.pushes.tables, space.pushes.stand(*space.nodal_rates(y)), locate=locate)
            space.pushes.located = True

    def flags(self, tables: Any) -> np.ndarray:
        events = tables.events
        own = np.concatenate([events.state, events.burst, events.last, [events.band]], dtype=float)
        return np.concatenate([own, self.nodal.flags(tables.pushes.tables)]) if self.nodal else own

    def go_on(self, tables: Any, flags: np.ndarray) -> None:
        size = 3 * self.own + 1
        if flags.size != size + (3 * self.nodal.count + 1 if self.nodal else 0):
            raise OptionError("the trajectory to continue was made without looking for events; start afresh")
        space: Workspace = tables
        events = space.events
        events.state[:], events.burst[:], events.last[:] = flags[: size - 1].reshape(3, -1)
        events.band = float(flags[size - 1])
        happens.freeze(space)
        for e, thing in enumerate(self.things, len(self.subjects)):
            if thing.watch.then == "cut" and events.state[e] == DONE:
                set_laws(space, thing.cut, GONE)
        if self.nodal:
            self.nodal.go_on(space.pushes.tables, flags[size:])
            space.pushes.located = True

    def cut(self, tables: Any, event: int, y: np.ndarray) -> None:
        happens.cut(tables, event, y)

    def happened(self, log: np.ndarray) -> tuple[Event, ...]:
        found = list[Event]()
        for time, event, state in log:
            if self.nodal and event >= self.own:
                found += self.nodal.happened(np.array([[time, event - self.own, state]]))
            else:
                found += super().happened(np.array([[time, event, state]]))
        return tuple(found)

    def missed(self, events: Any) -> tuple[str, ...]:
        told = tuple(events)
        return (*super().missed(told), *(self.nodal.missed(told) if self.nodal else ()))


def tree_watcher(plant: TreePlant) -> TreeWatcher | None:
    """None where nothing can happen at an instant."""
    names = all_names(plant)
    subjects = tuple(("cable", names[k], CHANGES) for k in slackening(plant))
    nodal = plant.nodal.plant.watcher if plant.nodal is not None else None
    if not subjects and not plant.things and nodal is None:
        return None
    size = 2 * plant.coordinates + 1 + plant.internal.size
    return TreeWatcher({}, subjects, plant.things, size, nodal)


def slackening(plant: TreePlant) -> np.ndarray:
    """Numbers of the cables that can go slack."""
    cables = plant.equations.cables
    own = np.flatnonzero(cables.compliant & (cables.law == ONE_SIDED))
    return np.concatenate([own, np.arange(len(cables.names), len(all_names(plant)))])


def watched_by_tree(plant: TreePlant, watches: Sequence[Watch]) -> tuple[Watched, ...]:
    """Every single thing to watch; raises ModelError on what makes no sense."""
    if not watches:
        return ()
    structure = plant.structure
    problems = problems_of_watches(structure, watches)
    if not problems:
        problems = [*_problems(plant, watches)]
    if problems:
        raise ModelError(problems)
    nodes = {name: number for number, name in enumerate(structure.nodes)}
    cables = {name: number for number, name in enumerate(all_names(plant))}
    return watched_in(structure, nodes, cables, {}, watches)


def _problems(plant: TreePlant, watches: Sequence[Watch]) -> Iterator[Problem]:
    spans = [True] * len(plant.tree.spans)
    compliant = dict(zip(all_names(plant), [*plant.equations.cables.compliant, *spans], strict=True))
    for watch in watches:
        path = ("events", watch.name)
        for selector in watch.cut:
            if selector.startswith("bar:"):
                yield Problem((*path, "cut"), f'"{selector}" is a body of a tree, which cannot be cut; cut cables')
        chosen = [watch.cable] if watch.cable is not None else []
        for selector in (*chosen, *(one for one in watch.cut if one.startswith("cable:"))):
            for name in plant.structure.select(selector, "cable"):
                if not compliant[name]:
                    message = f'the cable of "{name}" is rigid: its tension comes from loops; give it a stiffness'
                    yield Problem(path, message)
