"""YAML text to plain data, and the line of every part of it.

The data is mappings, lists, texts and None; whether a text is a number or a name is for the schema to say, so a node
may be called 1, no or 1e5. One pass over the parser's events does it all: measured on a model of 10,000 members this
takes a fifth of the time of ruamel's own safe loader, knows every line without a second reading, sees repeated
keys, and never builds what a hostile file asks for (tags, endless nesting, aliases of aliases of aliases).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, NoReturn

from ruamel.yaml import YAML
from ruamel.yaml.error import MarkedYAMLError, YAMLError
from ruamel.yaml.events import (
    AliasEvent,
    DocumentStartEvent,
    MappingEndEvent,
    MappingStartEvent,
    ScalarEvent,
    SequenceEndEvent,
    SequenceStartEvent,
)
from ruamel.yaml.reader import ReaderError

from taut.errors import ModelError, Problem

NESTING_LIMIT = 32
"""A model is at most six deep; more is a mistake or an attack."""

REPEAT_LIMIT = 100_000
"""Values that aliases (*name) may repeat in one file."""

NOTHING = ("", "~", "null", "Null", "NULL")

Path = tuple[str | int, ...]


@dataclass(frozen=True)
class Document:
    """What a text says: its data, where each part stands, and the repeated keys and tags met on the way."""

    data: Any
    problems: tuple[Problem, ...]
    lines: Mapping[int, Mapping[str | int, int]]
    """By the id() of each mapping and list: the line of each of its entries."""

    def line(self, path: Path) -> int:
        """The line of a path, or of the nearest part around it that the text has."""
        return [1, *(line for _, line in self._walk(path))][-1]

    def trimmed(self, path: Path) -> Path:
        """The path with the parts that the text really has."""
        return tuple(part for part, _ in self._walk(path))

    def _walk(self, path: Path) -> Iterator[tuple[str | int, int]]:
        """Follow the path, passing over parts that a short form leaves out: nodes in `b1: [n1, n2]`."""
        here = self.data
        for part in path:
            entries = self.lines[id(here)] if isinstance(here, dict | list) else {}
            if part in entries:
                yield part, entries[part]
                here = here[part]


def read_document(text: str, source: str) -> Document:
    """Read a text with one YAML document; raises where it is not YAML or not fit to be read on."""
    reader = _Reader(source)
    try:
        for event in YAML(typ="safe", pure=False).parse(text):
            reader.take(event)
    except YAMLError as error:
        raise ModelError([*reader.problems, _syntax_problem(error, text)], source) from None
    except UnicodeError as error:
        raise ModelError([Problem((), f"is not text that can be stored as UTF-8 ({error})")], source) from None
    return Document(reader.root, tuple(reader.problems), reader.lines)


@dataclass
class _Open:
    """A mapping or list that has begun and not ended."""

    value: dict[str, Any] | list[Any]
    lines: dict[str | int, int]
    anchor: str | None
    key: str | None = None
    dropped: bool = False
    size: int = 1


@dataclass
class _Reader:
    source: str
    root: Any = None
    problems: list[Problem] = field(default_factory=list)
    lines: dict[int, dict[str | int, int]] = field(default_factory=dict)
    stack: list[_Open] = field(default_factory=list)
    anchors: dict[str, tuple[Any, int] | None] = field(default_factory=dict)
    documents: int = 0
    repeated: int = 0

    def take(self, event: Any) -> None:
        if isinstance(event, ScalarEvent):
            top = self.stack[-1] if self.stack else None
            if top is not None and isinstance(top.value, dict) and top.key is None:
                self._key(top, event)
            else:
                plain = event.implicit[0] and event.tag is None
                self._tag(event)
                value = None if plain and event.value in NOTHING else event.value
                if event.anchor:
                    self.anchors[event.anchor] = (value, 1)
                self._put(value, event, 1)
        elif isinstance(event, MappingStartEvent | SequenceStartEvent):
            self._open(event)
        elif isinstance(event, MappingEndEvent | SequenceEndEvent):
            done = self.stack.pop()
            if done.anchor:
                self.anchors[done.anchor] = (done.value, done.size)
            if self.stack:
                self._finish(done.size)
        elif isinstance(event, AliasEvent):
            self._alias(event)
        elif isinstance(event, DocumentStartEvent):
            self.documents += 1
            if self.documents > 1:
                self._refuse(event, "a second document starts here (---); a model file holds one")

    def _key(self, top: _Open, event: Any) -> None:
        key, line = event.value, event.start_mark.line + 1
        top.key, top.dropped = key, False
        self._tag(event)
        if key == "<<" and event.implicit[0]:
            top.dropped = True
            message = 'merge keys are not part of the format; say shared fields once, under "properties"'
            self._report(event, message)
        elif key in top.lines:
            top.dropped = True
            self._report(event, f'"{key}" is already at line {top.lines[key]}; a name may appear only once')
        else:
            top.lines[key] = line

    def _open(self, event: Any) -> None:
        if len(self.stack) >= NESTING_LIMIT:
            self._refuse(event, f"is nested more than {NESTING_LIMIT} deep; no model needs that")
        self._tag(event)
        value: dict[str, Any] | list[Any] = {} if isinstance(event, MappingStartEvent) else []
        lines = self.lines[id(value)] = {}
        if event.anchor:
            self.anchors[event.anchor] = None
        self._put(value, event, 0)
        self.stack.append(_Open(value, lines, event.anchor))

    def _put(self, value: Any, event: Any, size: int) -> None:
        """Store a value where it belongs; a container is finished, and counted, at its end."""
        if not self.stack:
            self.root = value
            return
        top = self.stack[-1]
        if isinstance(top.value, list):
            top.lines[len(top.value)] = event.start_mark.line + 1
            top.value.append(value)
        elif top.key is None:
            self._refuse(event, "a key must be a plain name, not a list, a mapping or an alias")
        elif not top.dropped:
            top.value[top.key] = value
        if size:
            self._finish(size)

    def _finish(self, size: int) -> None:
        self.stack[-1].size += size
        self.stack[-1].key = None

    def _alias(self, event: Any) -> None:
        if event.anchor not in self.anchors:
            self._refuse(
                event, f'the alias *{event.anchor} repeats nothing; there is no anchor "&{event.anchor}" above'
            )
        anchored = self.anchors[event.anchor]
        if anchored is None:
            self._refuse(event, f"the alias *{event.anchor} contains itself")
        value, size = anchored
        self.repeated += size
        if self.repeated > REPEAT_LIMIT:
            message = f"aliases repeat more than {REPEAT_LIMIT} values up to here; write the model out, or use generate"
            self._refuse(event, message)
        self._put(value, event, size)

    def _tag(self, event: Any) -> None:
        if event.tag is not None:
            tag = _shown(str(event.tag).replace("tag:yaml.org,2002:", "!!"))
            self._report(
                event, f"the tag {tag} is not allowed; a model holds plain names and numbers, nothing is executed"
            )

    def _report(self, event: Any, message: str) -> None:
        # The entries around this one are stored already, only its own is still to come.
        inside = [1] * (len(self.stack) - 1) + [0]
        steps = [
            len(part.value) - stored if isinstance(part.value, list) else part.key
            for part, stored in zip(self.stack, inside, strict=False)
        ]
        path = tuple(step for step in steps if step is not None)
        self.problems.append(Problem(path, message, event.start_mark.line + 1))

    def _refuse(self, event: Any, message: str) -> NoReturn:
        self._report(event, message)
        raise ModelError(self.problems, self.source)


def _shown(text: str) -> str:
    return text if len(text) <= 60 else text[:57] + "..."


def _syntax_problem(error: YAMLError, text: str) -> Problem:
    if isinstance(error, ReaderError):
        line = text.count("\n", 0, error.position) + 1
        return Problem((), "holds a control character, which no text file has; is this a model file?", line)
    if not isinstance(error, MarkedYAMLError) or error.problem_mark is None:
        return Problem((), f"is not valid YAML: {error}")
    # At the end of a text the mark can be one line beyond the last.
    lines = text.splitlines()
    last = max(len(lines), 1)
    said = str(error.problem)
    if error.context:
        said = f"{said} {error.context}"
        if error.context_mark is not None:
            said += f" that starts at line {min(error.context_mark.line + 1, last)}"
    wrong = lines[error.problem_mark.line] if error.problem_mark.line < len(lines) else ""
    # Between brackets a line may begin with a tab, so it is to blame only where the parser stopped at it.
    if not wrong[: error.problem_mark.column].strip() and wrong[error.problem_mark.column :].startswith("\t"):
        said = "the line begins with a tab; indent with spaces"
    if "unexpected ':'" in said:
        said += '; between brackets, text with a colon needs quotes, as in "cable:c1"'
    ended = error.problem_mark.index >= len(text.rstrip())
    hint = "; the text ends there: is the file cut off, or a bracket or quote not closed?" if ended else ""
    return Problem((), f"is not valid YAML: {said}{hint}", min(error.problem_mark.line + 1, last))
