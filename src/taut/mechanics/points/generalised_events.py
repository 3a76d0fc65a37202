"""Events of a plant in generalised coordinates: those of its nodes, at the states of the nodes that states mean.

Cables that are held at a length are rods here, unless impulses hold them: no event lets them go slack.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from taut.mechanics.operations.event_table import STATE
from taut.mechanics.operations.event_words import Watcher
from taut.mechanics.operations.events import begin_events as begin_nodal
from taut.mechanics.operations.events import crossing as crossing_of_nodes
from taut.mechanics.operations.events import cut as cut_nodal
from taut.mechanics.operations.events import due
from taut.mechanics.operations.events import margin as margin_of_nodes
from taut.mechanics.operations.events import overdue as overdue_of_nodes
from taut.mechanics.operations.events import switch as switch_of_nodes
from taut.mechanics.points.generalised_motion import stand
from taut.mechanics.points.generalised_tables import BEGIN, END
from taut.mechanics.points.joints import generalised_count
from taut.mechanics.rows.held_lengths import ROD
from taut.mechanics.tables import coordinate_count, internal_count
from taut.numerics.array_views import array_at
from taut.numerics.compiled import entry, inlined
from taut.numerics.packing import Pack, integers_of
from taut.numerics.pointers import start_of


@inlined
def _nodal_size(p: Pack) -> int:
    return 2 * coordinate_count(p) + 1 + internal_count(p)


@entry
def crossing(p: Pack, t: float, h: float, y: np.ndarray, trial: np.ndarray, skipped: int) -> tuple[int, float, float]:
    begin, end = stand(p, start_of(y), BEGIN), stand(p, start_of(trial), END)
    size = _nodal_size(p)
    return crossing_of_nodes(p, t, h, array_at(begin, size), array_at(end, size), skipped)


@entry
def margin(p: Pack, t: float, event: int, y: np.ndarray) -> tuple[float, float]:
    return margin_of_nodes(p, t, event, array_at(stand(p, start_of(y), BEGIN), _nodal_size(p)))


@entry
def switch(p: Pack, event: int, t: float, y: np.ndarray, log: np.ndarray, filled: int) -> tuple[int, int]:
    return switch_of_nodes(p, event, t, array_at(stand(p, start_of(y), BEGIN), _nodal_size(p)), log, filled)


@entry
def begin_events(p: Pack, t: float, y: np.ndarray) -> None:
    begin_nodal(p, t, array_at(stand(p, start_of(y), BEGIN), _nodal_size(p)))


@entry
def overdue(p: Pack, t: float, y: np.ndarray, after: int, acts: int) -> int:
    return overdue_of_nodes(p, t, array_at(stand(p, start_of(y), BEGIN), _nodal_size(p)), after, acts)


@entry
def cut(p: Pack, event: int, y: np.ndarray) -> None:
    """What a cable had stored is lost, and counts as work of the state."""
    s = stand(p, start_of(y), BEGIN)
    cut_nodal(p, event, array_at(s, _nodal_size(p)))
    y[2 * generalised_count(p)] = s[2 * coordinate_count(p)]


EVENTS = (crossing, margin, due, overdue, switch)
"""What the time loop asks of events."""


@dataclass(frozen=True)
class JointWatcher(Watcher):
    """rods: how many events before those of cables held at a length, and how many of those there are."""

    rods: tuple[int, int] = (0, 0)

    def begin(self, tables: Pack, y: np.ndarray, *, locate: bool) -> None:
        super().begin(tables, y, locate=locate)
        before, count = self.rods
        integers_of(tables, STATE)[before : before + count] = ROD
        self.tools["freeze"](tables)
