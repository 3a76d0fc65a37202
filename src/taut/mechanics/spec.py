"""A Spec: the names of the kinds a plant is made of. Plants of one Spec share what is compiled for them."""

from __future__ import annotations

from typing import Any, NamedTuple

from taut.mechanics.grounds.compliance_events import COMPLIANCES
from taut.mechanics.imposed.commands import COMMANDS
from taut.mechanics.imposed.controller_tables import CONTROLLERS
from taut.mechanics.imposed.drives import DRIVES
from taut.mechanics.imposed.supports import SUPPORTS
from taut.mechanics.kinds import EventSource, Imposed, Kind, Rows, Term, registered
from taut.mechanics.rows.angles import ANGLES
from taut.mechanics.rows.bars import RIGID_BARS
from taut.mechanics.rows.driven_bars import DRIVEN_BARS
from taut.mechanics.rows.held_lengths import HELD_LENGTHS
from taut.mechanics.rows.linear import LINEAR
from taut.mechanics.rows.plates import PLATES
from taut.mechanics.terms.contacts import CONTACTS
from taut.mechanics.terms.damping import DAMPING
from taut.mechanics.terms.loads import LOADS_TERM
from taut.mechanics.terms.members import SPRINGS_TERM
from taut.mechanics.terms.route_tables import ROUTES_TERM
from taut.mechanics.terms.torques import TORQUES
from taut.mechanics.terms.weight import WEIGHT
from taut.structure.structure import Structure

BUILT_IN: dict[str, Kind] = {
    kind.name: kind
    for kind in (
        *(WEIGHT, DAMPING, SPRINGS_TERM, ROUTES_TERM, TORQUES, LOADS_TERM, CONTACTS, COMPLIANCES),
        *(RIGID_BARS, LINEAR, HELD_LENGTHS, DRIVEN_BARS, PLATES, ANGLES),
        *(SUPPORTS, COMMANDS, CONTROLLERS, DRIVES),
    )
}
"""In the order in which their forces are summed. What is cheap is in every plant, whether it has any of it or not."""


class Spec(NamedTuple):
    """system: "pairs", "saddle" or "minres". inertia: "thin" or "cylinders". held: whether the whole cannot shift."""

    terms: tuple[str, ...] = ("weight", "damping", "springs", "loads")
    rows: tuple[str, ...] = ("bars",)
    inertia: str = "thin"
    imposed: tuple[str, ...] = ()
    system: str = "pairs"
    held: bool = False


def rows_by_presence(structure: Structure) -> tuple[str, ...]:
    """The kinds of rows that only a plant has whose structure has any of it."""
    held = any(angle.mode == "held" for angle in structure.angles.values())
    return tuple(name for name, there in (("plates", structure.plates), ("angles", held)) if there)


def terms_by_presence(structure: Structure) -> tuple[str, ...]:
    """The kinds of terms that a structure alone decides on, whatever else acts on it."""
    return ("torques",) if any(angle.mode == "free" for angle in structure.angles.values()) else ()


def kind_named(name: str) -> Kind:
    return BUILT_IN.get(name) or registered(name)


def terms_of(spec: Spec) -> list[Term]:
    return [kind for name in spec.terms if isinstance(kind := kind_named(name), Term)]


def rows_of(spec: Spec) -> list[Rows]:
    return [kind for name in spec.rows if isinstance(kind := kind_named(name), Rows)]


def sources_of(spec: Spec) -> list[tuple[str, EventSource]]:
    """The kinds to which something can happen, in the order in which their events are numbered."""
    kinds: list[Any] = [*terms_of(spec), *rows_of(spec)]
    return [(kind.name, kind.events) for kind in kinds if kind.events is not None]


def imposed_of(spec: Spec) -> list[Imposed]:
    return [kind for name in spec.imposed if isinstance(kind := kind_named(name), Imposed)]


def steps_go_on(spec: Spec) -> bool:
    """Whether nothing is imposed but rest lengths and lengths of bars, by time or by commands: no force of a step then
    hangs on how long the step is, and no load on what is imposed."""
    others = any(kind.driven for kind in rows_of(spec) if kind is not DRIVEN_BARS)
    return set(spec.imposed) <= {"drives", "commands"} and not others and not {"routes", "torques"} & set(spec.terms)
