"""A YAML text changed in a few places, with everything else, comments too, left as it was written."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from ruamel.yaml import YAML
from ruamel.yaml.events import (
    AliasEvent,
    MappingEndEvent,
    MappingStartEvent,
    ScalarEvent,
    SequenceEndEvent,
    SequenceStartEvent,
)

from taut.errors import ModelError
from taut.structure.format.lines import read_document

_PLAIN = re.compile(r"[-+]?(\.[0-9]|[A-Za-z0-9_])[A-Za-z0-9_.~+-]*")
_NOT_PLAIN = ("null", "Null", "NULL", "true", "false")


@dataclass
class _Span:
    """Where a part of the text stands: characters from start to end, and its entries."""

    start: int
    end: int
    column: int
    flow: bool = True
    entries: dict[str | int, _Span] = field(default_factory=dict)


def patched(text: str, before: Any, after: Any) -> str:
    """The text, whose data is `before`, changed to say `after`; data as `taut.structure.format.lines` reads it."""
    if before == after:
        return text
    edits: list[tuple[int, int, str]] = []
    _compare(text, _spans(text), before, after, edits)
    pieces, done = [], 0
    # Of two additions in one place the inner one was found first, and must stand first.
    for start, end, new in sorted(edits, key=lambda edit: edit[0]):
        pieces += [text[done:start], new]
        done = end
    changed = "".join([*pieces, text[done:]])
    # Anchors and odd layouts can make such a change mean something else; then the data is simply written anew.
    try:
        same = read_document(changed, "").data == after
    except ModelError:
        same = False
    return changed if same else "".join(f"{_scalar(key)}: {in_one_line(value)}\n" for key, value in after.items())


def in_one_line(value: Any) -> str:
    """Data as YAML on one line."""
    if isinstance(value, dict):
        return "{" + ", ".join(f"{_scalar(key)}: {in_one_line(item)}" for key, item in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(map(in_one_line, value)) + "]"
    return "null" if value is None else _scalar(value)


def _scalar(text: str) -> str:
    if _PLAIN.fullmatch(text) and text not in _NOT_PLAIN:
        return text
    return '"' + "".join(c if c.isprintable() and c not in '"\\' else f"\\U{ord(c):08x}" for c in text) + '"'


def _compare(text: str, span: _Span, before: Any, after: Any, edits: list[tuple[int, int, str]]) -> None:
    """Collect the edits (start, end, new text) that turn the one into the other."""
    if before == after:
        return
    kept = isinstance(before, dict) and isinstance(after, dict) and list(after)[: len(before)] == list(before)
    if span.entries and (kept or (isinstance(before, list) and isinstance(after, list) and len(before) == len(after))):
        for key in before if isinstance(before, dict) else range(len(before)):
            _compare(text, span.entries[key], before[key], after[key], edits)
        if isinstance(after, dict):
            edits += _additions(text, span, {key: after[key] for key in after if key not in before})
        return
    tight = span.start == span.end and text[span.start - 1 : span.start] == ":"
    edits.append((span.start, span.end, " " * tight + in_one_line(after)))


def _additions(text: str, span: _Span, added: dict[str, Any]) -> Iterator[tuple[int, int, str]]:
    """New entries at the end of a mapping that has some already."""
    last = list(span.entries.values())[-1].end
    if span.flow:
        place, glue = last, ", "
    else:
        while text[last - 1] in "\r\n":
            last -= 1
        line_end = text.find("\n", last)
        place, glue = line_end if line_end >= 0 else len(text), "\n" + " " * span.column
    written = "".join(f"{glue}{_scalar(key)}: {in_one_line(value)}" for key, value in added.items())
    if written:
        yield place, place, written


def _spans(text: str) -> _Span:
    events = YAML(typ="safe", pure=False).parse(text)
    parts = ScalarEvent, AliasEvent, MappingStartEvent, MappingEndEvent, SequenceStartEvent, SequenceEndEvent
    relevant = (event for event in events if isinstance(event, parts))
    return _span(next(relevant), relevant)


def _span(event: Any, later: Iterator[Any]) -> _Span:
    """The part that an event begins; the events of its entries are taken from the later ones."""
    span = _Span(event.start_mark.index, event.end_mark.index, event.start_mark.column)
    if not isinstance(event, MappingStartEvent | SequenceStartEvent):
        return span
    span.flow = bool(event.flow_style)
    keyed = isinstance(event, MappingStartEvent)
    for inner in later:
        if isinstance(inner, MappingEndEvent | SequenceEndEvent):
            # The parser ends a block where the next one begins; what counts is the end of its last entry.
            span.end = inner.end_mark.index if span.flow else list(span.entries.values())[-1].end
            break
        key = inner.value if keyed else len(span.entries)
        span.entries[key] = _span(next(later) if keyed else inner, later)
    return span
