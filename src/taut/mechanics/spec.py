"""Which kinds there are, taut's own and those that `register` makes known, and a Spec: those that a plant is made of.

Plants of one Spec share what is compiled for them. A cell of a notebook that is run once more registers its kind once
more: whatever is assembled from then on has the new one, and a plant keeps the one that it was assembled with, since
its Spec holds kinds from outside themselves (`Outside`) and not their names alone.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

from taut.errors import OptionError, listed, suggestion
from taut.mechanics.grounds.compliance_events import COMPLIANCES
from taut.mechanics.imposed.commands import COMMANDS
from taut.mechanics.imposed.controller_tables import CONTROLLERS
from taut.mechanics.imposed.drives import DRIVES
from taut.mechanics.imposed.supports import SUPPORTS
from taut.mechanics.kinds import EventSource, Imposed, Kind, Rows, Term
from taut.mechanics.rows.angles import ANGLES
from taut.mechanics.rows.bars import RIGID_BARS
from taut.mechanics.rows.driven_bars import DRIVEN_BARS
from taut.mechanics.rows.held_lengths import HELD_LENGTHS
from taut.mechanics.rows.linear import LINEAR
from taut.mechanics.rows.plates import PLATES
from taut.mechanics.tables import SLOTS
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


_REGISTERED: dict[str, Kind] = {}


def register(kind: Kind) -> Kind:
    """Make a kind from outside known, so that its records can be handed to `taut.assemble`.

    One of the same name and record takes the place of the one before it, as when a cell is run once more.
    """
    if kind.record is None:
        raise OptionError(f'the kind "{kind.name}" has no record: name the dataclass that its elements are given as')
    for one, other in (("stiffness", "links"), ("observe", "shows")):
        if (getattr(kind, one, None) is None) != (getattr(kind, other, None) is None) and isinstance(kind, Term):
            raise OptionError(f'the kind "{kind.name}" has to say both {one} and {other}, or neither')
    if isinstance(kind, Term) and kind.force and not kind.conservative_force and not kind.works:
        raise OptionError(
            f'the term "{kind.name}" has a force that no potential knows: say works=True, and dampers where it damps'
        )
    known = _REGISTERED.get(kind.name)
    if kind.name in SLOTS or (known is not None and not _same(known.record, kind.record)):
        raise OptionError(f'another kind is registered as "{kind.name}"; give yours another name')
    _REGISTERED[kind.name] = kind
    return kind


def _same(one: type | None, other: type | None) -> bool:
    """Whether two records are one, perhaps from a module that was loaded again, or a cell run once more."""
    return (
        one is not None
        and other is not None
        and (one.__module__, one.__qualname__) == (other.__module__, other.__qualname__)
    )


def registered(name: str) -> Kind:
    """The kind of this name; raises OptionError where it is not known here."""
    if name not in _REGISTERED:
        raise OptionError(
            f'the kind "{name}" is not registered here{suggestion(name, _REGISTERED)}; import the module that defines '
            "it, and call taut.register with it"
        )
    return _REGISTERED[name]


def kind_of(record: Any) -> Kind:
    """The kind whose elements are given as records of this type."""
    for kind in _REGISTERED.values():
        if kind.record is type(record):
            return kind
    for kind in _REGISTERED.values():
        _refuse_old(kind, record)
    raise OptionError(
        f"{record!r} is not an element of any registered kind (known: {', '.join(_REGISTERED) or 'none'}); "
        "call taut.register with its kind first"
    )


def _refuse_old(kind: Kind, record: Any) -> None:
    """Raise where a record is of a kind as it was before it was registered again: it may have other numbers."""
    if kind.record is not type(record) and _same(kind.record, type(record)):
        raise OptionError(
            f'{record!r} was made before the kind "{kind.name}" was registered again, with another '
            f"{type(record).__name__}; make it once more"
        )


def grouped(elements: Iterable[Any]) -> dict[str, tuple[Any, ...]]:
    """Records of kinds from outside, by the name of their kind."""
    found: dict[str, tuple[Any, ...]] = {}
    for record in elements:
        name = kind_of(record).name
        found[name] = (*found.get(name, ()), record)
    return found


@dataclass(frozen=True, eq=False, repr=False, slots=True)
class Outside:
    """Kinds from outside that a plant is made of; equal where they are the very same, whatever their names.

    What is composed for a Spec is found by it: by names alone a kind that is registered again would keep its old
    kernels. Another process has its own kinds, those that are registered there.
    """

    kinds: tuple[Kind, ...] = ()

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Outside) and [*map(id, self.kinds)] == [*map(id, other.kinds)]

    def __hash__(self) -> int:
        return hash(tuple(map(id, self.kinds)))

    def __repr__(self) -> str:
        return f"Outside({listed([kind.name for kind in self.kinds])})"

    def __reduce__(self) -> tuple[Any, ...]:
        return _outside_named, tuple(kind.name for kind in self.kinds)


def _outside_named(*names: str) -> Outside:
    return Outside(tuple(map(registered, names)))


def outside_of(elements: Mapping[str, tuple[Any, ...]] | None) -> Outside:
    """The kinds of records as they are registered now."""
    found = _outside_named(*(elements or {}))
    for kind in found.kinds:
        for record in (elements or {})[kind.name]:
            _refuse_old(kind, record)
    return found


class Spec(NamedTuple):
    """system: "pairs", "saddle" or "minres". inertia: "thin" or "cylinders". held: whether the whole cannot shift.

    outside: the kinds from outside among those that are named.
    """

    terms: tuple[str, ...] = ("weight", "damping", "springs", "loads")
    rows: tuple[str, ...] = ("bars",)
    inertia: str = "thin"
    imposed: tuple[str, ...] = ()
    system: str = "pairs"
    held: bool = False
    outside: Outside = Outside()

    def __repr__(self) -> str:
        """By names alone: it is a part of a plant's fingerprint, which is the same wherever kinds are registered."""
        told = ", ".join(f"{name}={value!r}" for name, value in zip(self._fields[:-1], self, strict=False))
        return f"Spec({told})"


def rows_by_presence(structure: Structure) -> tuple[str, ...]:
    """The kinds of rows that only a plant has whose structure has any of it."""
    held = any(angle.mode == "held" for angle in structure.angles.values())
    return tuple(name for name, there in (("plates", structure.plates), ("angles", held)) if there)


def terms_by_presence(structure: Structure) -> tuple[str, ...]:
    """The kinds of terms that a structure alone decides on, whatever else acts on it."""
    return ("torques",) if any(angle.mode == "free" for angle in structure.angles.values()) else ()


def kind_named(spec: Spec, name: str) -> Kind:
    return BUILT_IN.get(name) or {kind.name: kind for kind in spec.outside.kinds}[name]


def terms_of(spec: Spec) -> list[Term]:
    return [kind for name in spec.terms if isinstance(kind := kind_named(spec, name), Term)]


def rows_of(spec: Spec) -> list[Rows]:
    return [kind for name in spec.rows if isinstance(kind := kind_named(spec, name), Rows)]


def sources_of(spec: Spec) -> list[tuple[str, EventSource]]:
    """The kinds to which something can happen, in the order in which their events are numbered."""
    kinds: list[Any] = [*terms_of(spec), *rows_of(spec)]
    return [(kind.name, kind.events) for kind in kinds if kind.events is not None]


def imposed_of(spec: Spec) -> list[Imposed]:
    return [kind for name in spec.imposed if isinstance(kind := kind_named(spec, name), Imposed)]


def steps_go_on(spec: Spec) -> bool:
    """Whether nothing is imposed but rest lengths and lengths of bars, by time or by commands: no force of a step then
    hangs on how long the step is, and no load on what is imposed."""
    others = any(kind.driven for kind in rows_of(spec) if kind is not DRIVEN_BARS)
    return set(spec.imposed) <= {"drives", "commands"} and not others and not {"routes", "torques"} & set(spec.terms)
