"""`--set KEY=VALUE`: single entries of a model file changed from outside, before it is read.

A key is the path that error messages show: scenario.duration, cables.c2.rest_ratio, nodes.n1[2]. Names may hold dots:
at every step the longest name that is there wins. The value is YAML. A short form that the key enters is written out.
What comes out is again the text of a model file, so that whatever keeps the text can repeat the run.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import replace
from typing import Any, get_args, get_origin

from taut.errors import ModelError, Problem, TautError, suggestion
from taut.structure.format.complaints import entry_of
from taut.structure.format.control_schema import LAWS, SENSED
from taut.structure.format.entries import Entry
from taut.structure.format.lines import Document, Path, read_document
from taut.structure.format.patching import in_one_line, patched
from taut.structure.format.scenario_schema import ScenarioEntry, SignalEntry
from taut.structure.format.schema import REST_RULES, BarFields, CableFields, ModelEntry

ONE_OF = (
    *(frozenset(REST_RULES), frozenset(SignalEntry.model_fields), frozenset(("displacement", "acceleration"))),
    *(frozenset(SENSED), frozenset(LAWS)),
)
"""Keys of which a mapping holds one at most: setting one drives out the others."""

LONGEST_QUOTE = 80

_INDEX = re.compile(r"(?:\[([0-9]{1,9})\]|([0-9]{1,9}))(?:\.|$|(?=\[))")


class _Refused(TautError):
    """Why an assignment cannot be made."""


def overridden(text: str, assignments: Iterable[str], source: str = "model") -> str:
    """The text of a model file with some entries changed, as in "scenario.duration=2"."""
    document = read_document(text, source)
    changed, _ = override(document, assignments, source)
    if document.problems:
        raise ModelError(document.problems, source)
    return patched(text, document.data, changed.data)


def override(document: Document, assignments: Iterable[str], source: str) -> tuple[Document, dict[Path, str]]:
    """The document with entries changed but the lines of its text, and the assignments by the path they set.

    Raises ModelError with every assignment that cannot be made.
    """
    data, made, problems = document.data, dict[Path, str](), list[Problem]()
    for told in assignments:
        try:
            data, path = _assigned(data, told)
            made[path] = told
        except _Refused as error:
            problems.append(Problem((), f"{as_told(told)}: {error}"))
    if problems:
        raise ModelError([*document.problems, *problems], source)
    return replace(document, data=data, lines=follow_lines(data, document)), made


def follow_lines(data: Any, document: Document) -> dict[int, Any]:
    """The lines of a changed copy of a document's data: what is new stands where what it replaces stood."""
    lines = {**document.lines}
    _find_lines(data, document.data, 1, lines)
    return lines


def as_told(assignment: str) -> str:
    """An assignment as the user gave it, not too long."""
    return f"--set {assignment}" if len(assignment) <= LONGEST_QUOTE else f"--set {assignment[: LONGEST_QUOTE - 3]}..."


def _assigned(data: Any, told: str) -> tuple[Any, Path]:
    key, equals, written = told.partition("=")
    if not equals or not key.strip():
        raise _Refused("must be a key, an equals sign and a value, as in scenario.duration=2")
    try:
        value = read_document(written, "the value")
    except ModelError as error:
        raise _Refused(f"the value {error.problems[-1].message.partition(' while ')[0]}") from None
    if value.problems:
        raise _Refused(f"in the value, {value.problems[0].message}")
    if not isinstance(data, dict):
        raise _Refused("the file holds no entries that could be set")
    return _put(data, ModelEntry, (), key.strip(), value.data, generated=bool(data.get("generate")))


def _put(here: Any, kind: Any, path: Path, key: str, value: Any, *, generated: bool) -> tuple[Any, Path]:
    """A copy of `here`, which the format takes for a `kind`, with a value at the key; and the key as a path."""
    if not key:
        return value, path
    if _is_entry(kind):
        here = kind.long_form(here)
    if here is None and kind is not Any and get_origin(kind) is not dict and not _is_entry(kind):
        raise _Refused(f"{_where(path)} is not there yet; set it as a whole")
    here = {} if here is None else here
    if isinstance(here, list):
        index, rest = _index(here, path, key)
        item, whole = _put(here[index], _inside(kind, path, index), (*path, index), rest, value, generated=generated)
        return [*here[:index], item, *here[index + 1 :]], whole
    if not isinstance(here, dict):
        raise _Refused(f"{_where(path)} is the single value {in_one_line(here)}, with nothing inside it to set")
    name, rest = _name(here, kind, path, key, generated=generated)
    item, whole = _put(here.get(name), _inside(kind, path, name), (*path, name), rest, value, generated=generated)
    rivals = {key for keys in ONE_OF if name in keys for key in keys - {name}} if _is_entry(kind) else ()
    return {**{k: v for k, v in here.items() if k not in rivals}, name: item}, whole


def _index(here: list[Any], path: Path, key: str) -> tuple[int, str]:
    found = _INDEX.match(key)
    index = int(found[1] or found[2]) if found else -1
    if found is None or index >= len(here):
        count = f"{len(here)} values" if len(here) != 1 else "one value"
        raise _Refused(f"{_where(path)} is a list of {count}, counted from {_where(path)}[0]")
    return index, key[found.end() :]


def _name(here: dict[str, Any], kind: Any, path: Path, key: str, *, generated: bool) -> tuple[str, str]:
    """The name that a key begins with, and the rest of the key."""
    if _is_entry(kind):
        name, rest = _split(key, re.search(r"[.\[]", key))
        if name not in kind.model_fields:
            known = list(kind.model_fields)
            if not path and name in ScenarioEntry.model_fields:
                raise _Refused(f'unknown key "{name}"; did you mean "scenario.{name}"?')
            raise _Refused(
                f'unknown key "{name}"{_under(path)}{suggestion(name, known) or "; known are " + ", ".join(known)}'
            )
        return name, rest
    if get_origin(kind) is dict and _inside(kind, path, key) in (float, int, str):
        return key, ""  # nothing can be inside such a value, so every dot is part of its name
    there = [name for name in here if key == name or key.startswith((f"{name}.", f"{name}["))]
    if there:
        name = max(there, key=len)
        return name, key[len(name) :].removeprefix(".")
    name, rest = _split(key, re.search(_seam(_inside(kind, path, key)), key))
    # A new selector, or a member that a generator made, may be begun with one field; elsewhere that is a slip.
    if rest and path != ("properties",) and not (generated and path in (("bars",), ("cables",))):
        whole = "[...]" if get_origin(_inside(kind, path, name)) is list else "{...}"
        hint = suggestion(name, here) or f'; to add it, set it as a whole, {_where((*path, name))}="{whole}"'
        raise _Refused(f'there is no "{name}"{_under(path)}{hint}')
    return name, rest


def _split(key: str, at: re.Match[str] | None) -> tuple[str, str]:
    return (key, "") if at is None else (key[: at.start()], key[at.start() :].removeprefix("."))


def _seam(kind: Any) -> str:
    """The pattern of what may follow the name of a new entry of a kind."""
    if _is_entry(kind):
        return rf"\.(?=({'|'.join(kind.model_fields)})([.\[]|$))"
    return {dict: r"\.", list: r"\[[0-9]+\]$"}.get(get_origin(kind) or kind, r"(?!)")


def _is_entry(kind: Any) -> bool:
    return isinstance(kind, type) and issubclass(kind, Entry)


def _inside(kind: Any, path: Path, part: str | int) -> Any:
    """What the format takes an entry of a kind for; Any where it does not say."""
    if path == ("properties",):
        return {"bar": BarFields, "cable": CableFields}.get(str(part).partition(":")[0], Any)
    if _is_entry(kind):
        return entry_of(kind.model_fields[str(part)].annotation)
    return entry_of(get_args(kind)[-1]) if get_origin(kind) in (dict, list) else Any


def _where(path: Path) -> str:
    return Problem(path, "").where


def _under(path: Path) -> str:
    return f" under {_where(path)}" if path else ""


def _find_lines(new: Any, old: Any, line: int, lines: dict[int, Any]) -> None:
    """Give the copies and the new parts the lines of what they stand for."""
    if not isinstance(new, dict | list) or id(new) in lines:
        return
    known = lines.get(id(old), {}) if isinstance(old, dict | list) else {}
    items = list(new.items() if isinstance(new, dict) else enumerate(new))
    lines[id(new)] = {key: known.get(key, line) for key, _ in items}
    for key, part in items:
        _find_lines(part, old[key] if key in known else None, known.get(key, line), lines)
