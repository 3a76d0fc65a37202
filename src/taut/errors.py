"""The errors taut raises: a sentence for people, the facts as attributes for programs."""

from __future__ import annotations

import difflib
import string
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass

MANY_WORDS = 200
"""Beyond this, comparing a word with every known one takes milliseconds: minutes for a big file with many mistakes."""


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
        return f"{self.where}: {self.message}" if self.path else self.message


class ModelError(TautError):
    """A structure or model file that cannot be used; lists every problem found."""

    def __init__(self, problems: Iterable[Problem], source: str = "") -> None:
        self.problems = tuple(problems)
        self.source = source
        super().__init__("\n".join(self._located(problem) for problem in self.problems))

    def _located(self, problem: Problem) -> str:
        if not self.source:
            return str(problem)
        place = self.source if problem.line is None else f"{self.source}:{problem.line}"
        return f"{place}: {problem}"


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


class FileError(TautError):
    """A file that cannot be read or written."""


def suggestion(word: str, known: Iterable[str]) -> str:
    """`; did you mean "d_4"?` when something known looks like the word, else an empty string."""
    words = known if isinstance(known, Collection) else list(known)
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
