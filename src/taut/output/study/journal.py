"""Points of a study on disk as they come, one line of JSON each, so that a study that was stopped can go on.

The first line is the plan. A line that a kill cut off is dropped. Numbers are written so that they come back as they
were, to the last bit.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np

from taut.atomic_files import check_still_there, refused, unwritable
from taut.errors import FileError, WriteError
from taut.output.study.plan import Plan, plan_from
from taut.output.study.quantities import Names, Outcome

RESTART = "--restart (restart=True) begins anew"


class Journal:
    """A journal in use: what it holds, and where more goes."""

    def __init__(self, path: Path, stream: BinaryIO) -> None:
        self.outcomes: dict[int, Outcome] = {}
        self._path, self._stream = path, stream
        self._names: Names | None = None

    def add(self, point: int, found: Outcome) -> None:
        """Write a point; names are written where they are not those of the line before."""
        told = {"point": point, "status": found.status, "numbers": found.numbers.tolist()}
        if found.names != self._names:
            told["names"] = self._names = found.names
        else:
            found = replace(found, names=self._names)  # one copy of the names for all
        self.write(told)
        self.outcomes[point] = found

    def write(self, told: dict[str, Any]) -> None:
        end = self._stream.seek(0, os.SEEK_END)
        try:
            check_still_there(self._path)
            left = memoryview(json.dumps(told).encode() + b"\n")
            try:
                while left:
                    left = left[self._stream.write(left) :]
            except OSError:
                self._stream.truncate(end)
                raise
        except OSError as error:
            raise WriteError(unwritable(self._path, error)) from error

    def read(self, lines: list[bytes]) -> None:
        """Take over the points of earlier lines."""
        for number, line in enumerate(lines, 2):
            try:
                told = json.loads(line)
                if "names" in told:
                    self._names = tuple(map(tuple, told["names"]))
                found = Outcome(told["status"], self._names or (), np.array(told["numbers"], dtype=float))
                found.quantities()
                self.outcomes[int(told["point"])] = found
            except (ValueError, KeyError, TypeError) as error:
                raise FileError(f"{self._path}:{number}: is damaged ({error}); {RESTART}") from None


def journal_of(target: Path) -> Path:
    """The journal of the study that will be this file."""
    return target.with_name(f"{target.name}.journal")


@contextmanager
def opened_journal(path: Path, plan: Plan, *, restart: bool = False) -> Iterator[Journal]:
    """Within, a journal that holds the points of an earlier try at the same plan, and takes more of them."""
    try:
        stream = open(path, "a+b", buffering=0)  # noqa: SIM115 (closed below; what goes wrong within is not about opening it)
    except OSError as error:
        raise refused(path, error) from error
    with stream:
        _lock(path, stream)
        stream.seek(0)
        content = b"" if restart else stream.read()
        whole = content[: content.rfind(b"\n") + 1]
        lines = whole.splitlines()
        journal = Journal(path, stream)
        if lines:
            _check_same(path, lines[0], plan)
            journal.read(lines[1:])
        stream.truncate(len(whole))
        if not lines:
            journal.write(plan.data())
        yield journal


def _check_same(path: Path, line: bytes, plan: Plan) -> None:
    try:
        other = plan_from(json.loads(line))
    except (ValueError, KeyError, TypeError):
        raise FileError(f"{path}: is not the journal of a study; move it away, or {RESTART}") from None
    different = plan.differences(other)
    if different:
        raise FileError(f"{path}: holds points of a study with {different}; go on with that one, or {RESTART}")


def _lock(path: Path, stream: BinaryIO) -> None:
    try:
        import fcntl
    except ImportError:  # Windows: two at once would only compute everything twice
        return
    try:
        fcntl.flock(stream, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        raise FileError(f"{path}: another process is computing this study; wait for it") from None
    except OSError:  # a file system without locks
        return
