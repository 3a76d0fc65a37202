"""The errors taut raises: a sentence for people, the facts as attributes for programs."""

from __future__ import annotations

import difflib
import string
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

MANY_WORDS = 200
"""Beyond this, comparing a word with every known one takes milliseconds: minutes for a big file with many mistakes."""

MANY_ALIKE = 4
"""So many problems that differ in a name only are told in one line."""

FEW_NAMES = 5
"""So many of those names are told."""


_UNSEEN = (*range(0x20), *range(0x7F, 0xA0), *range(0x202A, 0x202F), *range(0x2066, 0x206A), 0x2028, 0x2029)
_WRITTEN_OUT = {code: f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}" for code in _UNSEEN}


def visible(text: str, *, keep: str = "") -> str:
    """The text with its control characters written out: a name must not clear a terminal, colour it or turn it around.

    keep: control characters that stay.
    """
    return text.translate({code: told for code, told in _WRITTEN_OUT.items() if chr(code) not in keep})


class TautError(Exception):
    """Base of every error that taut raises on purpose."""


@dataclass(frozen=True)
class Problem:
    """One thing wrong with a description: the path to it, what it is, and the line if it came from a file."""

    path: tuple[str | int, ...]
    message: str
    line: int | None = None

    @property
    def where(self) -> str:
        """The path as people write it: cables.c3.route[1]."""
        return "".join(f"[{part}]" if isinstance(part, int) else f".{part}" for part in self.path).lstrip(".")

    def __str__(self) -> str:
        return visible(f"{self.where}: {self.message}" if self.path else self.message)


class ModelError(TautError):
    """A structure or model file that cannot be used; lists every problem found."""

    def __init__(self, problems: Iterable[Problem], source: str = "") -> None:
        self.problems = tuple(problems)
        self.source = source
        super().__init__("\n".join(self._told(alike) for alike in _alike(self.problems)))

    def _told(self, alike: Sequence[Problem]) -> str:
        """One line for problems that differ in nothing but the name they are about."""
        first = self._located(alike[0])
        if len(alike) == 1:
            return first
        names = ", ".join(str(problem.path[1]) for problem in alike[1 : FEW_NAMES + 1])
        more = ", ..." if len(alike) > FEW_NAMES + 1 else ""
        return f"{first} ... and {len(alike) - 1} more like it: {names}{more}"

    def _located(self, problem: Problem) -> str:
        if not self.source:
            return str(problem)
        place = self.source if problem.line is None else f"{self.source}:{problem.line}"
        return f"{place}: {problem}"


def _alike(problems: Sequence[Problem]) -> Iterator[Sequence[Problem]]:
    """Problems in their order; many of one kind together, where the first is."""
    kinds: dict[tuple[Any, ...], list[Problem]] = {}
    for problem in problems:
        name = str(problem.path[1]) if len(problem.path) > 1 else ""
        kind = (problem.path[:1], problem.path[2:], problem.message.replace(f'"{name}"', '""'))
        kinds.setdefault(kind, []).append(problem)
    told = set[int]()
    several = {id(one): group for group in kinds.values() if len(group) >= MANY_ALIKE for one in group}
    for problem in problems:
        group = several.get(id(problem), [problem])
        if id(group[0]) not in told:
            yield group
        told.add(id(group[0]))


class SelectionError(TautError):
    """A selector that names nothing."""


class OptionError(TautError):
    """An option of a call that makes no sense: says its name, its value and what is allowed."""


class BalanceError(TautError):
    """A structure that no forces can hold as asked: the node that is left unbalanced, and the force left on it [N]."""

    def __init__(self, message: str, node: str = "", force: tuple[float, float, float] = (0.0, 0.0, 0.0)) -> None:
        self.node = node
        self.force = force
        super().__init__(message)


class MotionError(TautError):
    """A motion that could not be followed further: says until when, and why."""


class FileError(TautError):
    """A file that cannot be read or written."""


class WriteError(FileError):
    """A file that could not be written to its end after the work had begun: a full disk, a folder that is gone."""


OTHER_WORDS = {
    "nodes": "route",
    "area": "radius",
    "k": "stiffness",
    "c": "damping",
    **dict.fromkeys(("E", "modulus", "youngs_modulus"), "material"),
    **dict.fromkeys(("l0", "natural_length", "unstretched_length"), "rest_length"),
}
"""What people call a thing that has another name here, or follows from it."""


def suggestion(word: str, known: Iterable[str]) -> str:
    """`; did you mean "d_4"?` when something known looks like the word or is what others call so, else an empty
    string."""
    words = known if isinstance(known, Collection) else list(known)
    if OTHER_WORDS.get(word) in words:
        return f'; did you mean "{OTHER_WORDS[word]}"?'
    if len(words) > MANY_WORDS:
        close = next((near for near in _one_edit_away(word) if near in words), None)
    else:
        close = next(iter(difflib.get_close_matches(word, list(words), n=1, cutoff=0.6)), None)
    return f'; did you mean "{close}"?' if close else ""


def listed(names: Sequence[str], most: int = 4) -> str:
    """The first few names, and how many more there are."""
    return ", ".join(names[:most]) + (f" and {len(names) - most} more" if len(names) > most else "")


def _one_edit_away(word: str) -> Iterator[str]:
    """Every word that one mistake could have turned into this one."""
    letters = string.ascii_letters + string.digits + "_-.~"
    for i in range(len(word) + 1):
        head, tail = word[:i], word[i:]
        yield from (head + letter + tail for letter in letters)
        if tail:
            yield head + tail[1:]
            yield from (head + letter + tail[1:] for letter in letters)
        if len(tail) > 1:
            yield head + tail[1] + tail[0] + tail[2:]
