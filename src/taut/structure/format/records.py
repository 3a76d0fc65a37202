"""Records: signals kept in a text file of two columns beside the model file, put in its place as tables.

Whatever keeps the model's text then keeps the record with it, and needs the file no more.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

from pydantic import ValidationError

from taut.errors import FileError, Problem
from taut.structure.format.lines import Document, Path
from taut.structure.format.overriding import follow_lines
from taut.structure.format.scenario_schema import RecordEntry
from taut.structure.magnitudes import LARGEST, size_problem

Columns = tuple[list[float], list[float]]

SIGNALS = {"loads": ("signal",), "motions": ("displacement", "acceleration"), "drives": ("to", "by")}
"""Where a scenario holds signals."""


def columns_of(text: str, source: str) -> Columns:
    """Times [s] and values: two numbers a line, apart by commas, semicolons or blanks.

    Empty lines and those that begin with # or % are passed over, and so is a first line of words. What a file holds
    that is no record is not told: whoever wrote the model chose the file, and may not be the one who may read it.
    """
    times: list[float] = []
    values: list[float] = []
    rows = ((k, line.strip()) for k, line in enumerate(text.splitlines(), start=1))
    for place, (number, line) in enumerate((k, line) for k, line in rows if line and line[0] not in "#%"):
        words = re.split(r"\s*[,;\s]\s*", line)
        try:
            time, value = map(float, words)
        except ValueError:
            if place == 0 and not any(map(_is_number, words)):
                continue
            count = f"{len(words)} word{'s' if len(words) != 1 else ''}"
            raise FileError(f"{source}:{number}: needs two numbers, a time [s] and a value, not {count}") from None
        if size_problem(time) or size_problem(value):
            raise FileError(f"{source}:{number}: holds a number that is not finite, or beyond {LARGEST:g}")
        if times and time <= times[-1]:
            raise FileError(f"{source}:{number}: its time is not later than the one before; times must increase")
        times.append(time)
        values.append(value)
    if not times:
        raise FileError(f"{source}: holds no record; it needs lines of two numbers, a time [s] and a value")
    return times, values


def _is_number(word: str) -> bool:
    try:
        float(word)
    except ValueError:
        return False
    return True


def with_records(document: Document, source: str, read: Callable[[str], Columns]) -> tuple[Document, list[Problem]]:
    """The document with tables in the place of records, whose files are named relative to that of the model."""
    problems: list[Problem] = []
    data = document.data
    for path, told in list(_records(data)):
        try:
            entry = RecordEntry.model_validate(told)
        except ValidationError:
            continue  # the schema of the whole says what is wrong
        try:
            times, values = read(os.path.join(os.path.dirname(source), entry.file))
        except FileError as error:
            problems.append(Problem((*path, "file"), str(error)))
            continue
        table = {"times": [repr(t) for t in times], "values": [repr(entry.scale * v) for v in values]}
        data = _replaced(data, path[:-1], {"table": table})
    return replace(document, data=data, lines=follow_lines(data, document)), problems


def with_description(document: Document, source: str, read: Callable[[str], str]) -> tuple[Document, list[Problem]]:
    """The document with the text of a tree's robot description in the place of its file's name."""
    tree = document.data.get("tree") if isinstance(document.data, dict) else None
    told = tree.get("urdf") if isinstance(tree, dict) else None
    named = {"file": told} if isinstance(told, str) else told
    if not isinstance(named, dict) or not isinstance(named.get("file"), str) or "text" in named:
        return document, []
    try:
        text = read(os.path.join(os.path.dirname(source), named["file"]))
    except FileError as error:
        return document, [Problem(("tree", "urdf"), str(error))]
    rest = {key: value for key, value in named.items() if key != "file"}
    data = _replaced(document.data, ("tree", "urdf"), {**rest, "text": text})
    return replace(document, data=data, lines=follow_lines(data, document)), []


def _records(data: Any) -> Iterator[tuple[Path, dict[str, Any]]]:
    scenario = data.get("scenario") if isinstance(data, dict) else None
    for section, keys in SIGNALS.items():
        entries = scenario.get(section) if isinstance(scenario, dict) else None
        for name, entry in entries.items() if isinstance(entries, dict) else ():
            for key in keys:
                signal = entry.get(key) if isinstance(entry, dict) else None
                yield from _records_in(signal, ("scenario", section, name, key))


def _records_in(signal: Any, path: Path) -> Iterator[tuple[Path, dict[str, Any]]]:
    """Of a signal and of those that it holds."""
    if isinstance(signal, dict) and list(signal) == ["record"]:
        if isinstance(signal["record"], dict):
            yield (*path, "record"), signal["record"]
    elif isinstance(signal, dict | list):
        for key, inner in signal.items() if isinstance(signal, dict) else enumerate(signal):
            yield from _records_in(inner, (*path, key))


def _replaced(data: Any, path: Path, value: Any) -> Any:
    if not path:
        return value
    key, *rest = path
    new = _replaced(data[key], tuple(rest), value)
    return {**data, key: new} if isinstance(data, dict) else [*data[: int(key)], new, *data[int(key) + 1 :]]
