"""What a column of a measured file holds: a time, a coordinate of a node, or the tension of a member."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import NamedTuple

from taut.errors import OptionError, Problem, listed, suggestion
from taut.measurement.units import UNITS, bare_name, factor_of
from taut.structure.labels import member_names
from taut.structure.records import AXES
from taut.structure.structure import Structure

FORMS = '"time", "node:NAME.x", "cable:NAME.tension" or "bar:NAME.force"'

FORCE = {"cable": "tension", "bar": "force"}
"""What the force of a member is called, as in tables of runs."""

OTHERS = (".velocity", ".reaction")
"""What tables of runs have of nodes beside their places."""


class Column(NamedTuple):
    """place: in the file. kind: "time", "position" or "tension". name: of the node or member. factor: to SI."""

    place: int
    title: str
    kind: str
    name: str = ""
    axis: int = 0
    factor: float = 1.0
    scaled: bool = False  # whether its unit was told

    @property
    def holds(self) -> tuple[str, str, int]:
        return self.kind, self.name, self.axis


def columns_of(
    header: Sequence[str],
    told: Mapping[str, str],
    scale: Mapping[str, float | str],
    structure: Structure | None,
) -> tuple[list[Column], list[Problem]]:
    """The columns that are understood, and what is wrong with the names.

    told: title of a column -> what it holds; others are understood where they have such a name themselves.
    """
    problems = [
        Problem((), f'there is no column "{title}", which is to hold {what}{_near(title, header)}')
        for title, what in told.items()
        if title not in header
    ]
    known = Names.of(structure)
    found = list[Column]()
    for place, title in enumerate(header):
        bare, unit = bare_name(title)
        held = _held(told.get(title, bare))
        if held is None:
            if title in told:
                wrong = f'columns["{title}"] = "{told[title]}" is nothing that is measured; write {FORMS}'
                problems.append(Problem((), wrong))
            continue
        kind, name, axis = held
        if title not in told and kind == "position" and name.endswith(OTHERS) and name not in known.nodes:
            continue
        if title not in told and kind == "time" and unit and not _kinds(unit):
            continue  # "time (UTC)" may stand beside the one that is meant
        problems += known.missing(title, kind, name)
        if title not in scale:
            problems += _odd_unit(title, unit, kind, meant=title not in told)
        said = unit if unit in UNITS[kind] else scale.get(kind)
        own = scale.get(title, said)
        factor = 1.0 if own is None else factor_of(own, kind, title if title in scale else kind)
        found.append(Column(place, title, kind, name, axis, factor, own is not None))
    problems += _doubled(found)
    return found, problems


def check_scale(scale: Mapping[str, float | str], header: Sequence[str]) -> None:
    """Raise where a scale is for nothing."""
    for key in scale:
        if key not in UNITS and key not in header:
            hint = suggestion(key, [*UNITS, *header]) or f"; write a column, or one of {', '.join(UNITS)}"
            raise OptionError(f'scale["{key}"] is for no column of the file{hint}')


class Names(NamedTuple):
    """What a structure has; None where there is none to look at."""

    nodes: Collection[str]
    members: Collection[str] | None

    @staticmethod
    def of(structure: Structure | None) -> Names:
        return Names((), None) if structure is None else Names(structure.nodes, set(member_names(structure)))

    def missing(self, title: str, kind: str, name: str) -> Iterator[Problem]:
        known = self.nodes if kind == "position" else self.members
        if self.members is None or known is None or kind == "time" or name in known:
            return
        what = f'node "{name}"' if kind == "position" else f'{name.partition(":")[0]} "{name.partition(":")[2]}"'
        hint = suggestion(name, known)
        yield Problem((), f'column "{title}": the structure has no {what}{hint or f"; it has {listed(list(known))}"}')


def _held(text: str) -> tuple[str, str, int] | None:
    """What a text of our own form means: kind, name, axis."""
    if text == "time":
        return "time", "", 0
    kind, _, rest = text.partition(":")
    name, _, last = rest.rpartition(".")
    if kind == "node" and name and last in AXES:
        return "position", name, AXES.index(last)
    if FORCE.get(kind) == last and name:
        return "tension", f"{kind}:{name}", 0
    return None


def _kinds(unit: str) -> list[str]:
    """Of what it is a unit."""
    return [kind for kind, words in UNITS.items() if unit in words]


def _odd_unit(title: str, unit: str, kind: str, *, meant: bool) -> Iterator[Problem]:
    """meant: the title is of our own form, so that what it has in brackets is meant for a unit."""
    of = _kinds(unit)
    if kind in of or not (of or (meant and unit)):
        return
    wrong = f"is a unit of {of[0]}, and it holds a {kind}" if of else f"is no unit of {kind} that is known"
    hint = suggestion(unit, UNITS[kind]) or f"; there are {', '.join(UNITS[kind])}"
    yield Problem((), f'column "{title}": "{unit}" {wrong}{hint}; or say scale={{"{title}": ...}}')


def _near(title: str, header: Sequence[str]) -> str:
    return suggestion(title, header) or f"; the file has {listed([f'{name!r}' for name in header], 6)}"


def _doubled(columns: Sequence[Column]) -> Iterator[Problem]:
    first: dict[tuple[str, str, int], str] = {}
    for column in columns:
        if column.holds in first:
            also = first[column.holds]
            yield Problem((), f'columns "{also}" and "{column.title}" hold the same quantity; leave one of them out')
        first.setdefault(column.holds, column.title)
