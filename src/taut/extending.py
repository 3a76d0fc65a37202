"""All that a new kind of term, rows or imposed quantity is written with, in one place.

A kind is a NamedTuple of kernels and a table (`Term`, `Rows`, `Imposed`), made known by `register` under its name. Its
elements are records, frozen dataclasses of names and numbers, handed to `taut.assemble(..., elements=[...])`.
CONTRIBUTING.md shows three that work; `taut.mechanics.parts` says what each kernel has to do.
"""

from __future__ import annotations

from typing import Any

from taut.mechanics.kinds import EventSource, Given, Imposed, Rows, Term
from taut.mechanics.operations.event_table import AS_GIVEN, FOLLOWED, events_in
from taut.mechanics.signals import signal_at, signal_value, tabulated
from taut.mechanics.spec import register
from taut.mechanics.tables import constants_in, coordinate_count, part_of, slot, term_states_begin, term_states_in
from taut.mechanics.terms.springs import spring_state, springs_in
from taut.numerics.compiled import inlined, kernel
from taut.numerics.lanes import one, some, where
from taut.numerics.packing import Integers, Pack, Reals, counter, reader, size_of
from taut.numerics.packing import part as _part
from taut.numerics.pointers import shifted

__all__ = [
    "AS_GIVEN",
    "FOLLOWED",
    "EventSource",
    "Given",
    "Imposed",
    "Integers",
    "Pack",
    "Reals",
    "Rows",
    "Term",
    "constants_in",
    "coordinate_count",
    "events_in",
    "inlined",
    "kernel",
    "one",
    "part_of",
    "register",
    "shifted",
    "signal_at",
    "signal_value",
    "size_of",
    "some",
    "spring_state",
    "springs_in",
    "table",
    "tabulated",
    "term_states_begin",
    "term_states_in",
    "where",
]


def table(name: str, columns: type) -> tuple[Any, Any]:
    """For kernels of the kind of this name: read(p), its table, and count(p), the entries of the table's first part."""
    return reader(columns, slot(name)), counter(_part(slot(name), columns, columns._fields[0]))  # type: ignore[attr-defined]
