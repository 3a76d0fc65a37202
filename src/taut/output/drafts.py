"""Drafts of run files: the parts of a run as they come, so that a run that was killed can go on.

A draft is only ever added to, record after record, each with its length and a checksum. What a kill cut off is dropped
with its record; all records up to the last one with a checkpoint are a run that can be continued to the last bit. An
HDF5 file that is killed while it is written may be unreadable as a whole, so the run file is made of the draft at the
end.
"""

from __future__ import annotations

import json
import os
import shlex
import struct
import time
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np

from taut.atomic_files import check_still_there, dead_drafts, new_draft, refused, target_of, unwritable
from taut.dynamics.trajectory import SAMPLED, Checkpoint, Trajectory, joined, of_samples
from taut.errors import FileError, WriteError
from taut.output.run_format import CHECKPOINT, structure_of
from taut.structure.events import Event
from taut.structure.files import model_text, parse_model

DRAFT = "draft"
"""How the names of drafts end."""

BEGINNING = b"taut draft 1\n"
HEADER = struct.Struct("<QQI")
"""Of a record: bytes of its words, bytes of its numbers, and their checksum."""

SYNC_EVERY = 10.0
"""Seconds after which what was written is brought onto the disk; a kill loses nothing of it, a loss of power may."""

NAMED = ("notes", "load_names", "drive_names", "sensor_names", "contact_names", "element_names")
CONSTANT = ("options", *NAMED, "model_text")
"""What the first part says for all."""


class Draft:
    """A draft in the making.

    reached: the time [s] until which it can be continued; negative where it cannot.
    """

    def __init__(self, shown: str | Path, path: Path, stream: BinaryIO) -> None:
        self.path, self.reached = path, -1.0
        self._shown, self._stream = shown, stream
        self._synced = time.monotonic()
        self._first = True

    def add(self, part: Trajectory) -> None:
        """Write a part of a run; where that fails, what was there before stays as it was."""
        end = self._stream.tell()
        try:
            check_still_there(self.path)
            try:
                self._write(_record(part, first=self._first))
            except OSError:
                self._stream.truncate(end)
                raise
        except OSError as error:
            raise WriteError(f"{unwritable(self._shown, error)}{self.advice}") from error
        self._first = False
        if part.checkpoint.y.size:
            self.reached = _time_of(part.checkpoint)

    @property
    def advice(self) -> str:
        """What to do where the run ends without its file."""
        if self.reached < 0.0 or not self.path.exists():
            return ""
        return f"; what was computed until {self.reached:.6g} s is kept, and {go_on(_near(self.path))} goes on with it"

    def parts(self) -> Iterator[Trajectory]:
        """What was added, part by part."""
        with open(self.path, "rb") as stream:
            yield from _parts(stream)

    def _write(self, record: list[bytes | memoryview]) -> None:
        for piece in record:
            left = memoryview(piece)
            while left:
                left = left[self._stream.write(left) :]
        if time.monotonic() - self._synced > SYNC_EVERY:
            os.fsync(self._stream.fileno())
            self._synced = time.monotonic()


@dataclass(frozen=True)
class LeftOver:
    """A draft whose writer is no more, and the time [s] until which it can be continued."""

    path: Path
    reached: float


@contextmanager
def drafting(path: str | Path) -> Iterator[Draft]:
    """Within, a draft of a run file; gone at the end, unless something failed before and it can be continued."""
    target, failed = target_of(path), True
    made: list[Draft] = []
    try:
        with (
            new_draft(target, DRAFT, keep=lambda: failed and bool(made) and made[0].reached >= 0.0) as draft,
            open(draft, "r+b", buffering=0) as stream,
        ):
            stream.write(BEGINNING)
            made.append(Draft(path, draft, stream))
            yield made[0]
            failed = False
    except OSError as error:
        if not made:
            raise refused(path, error) from error
        raise
    except KeyboardInterrupt:
        if made and made[0].advice:
            raise WriteError(f"{path}: interrupted{made[0].advice}") from None
        raise


def left_over(path: str | Path) -> list[LeftOver]:
    """Drafts of a run file that killed runs left and that can be continued, the longest first; others are removed."""
    found = []
    for draft in dead_drafts(Path(path).resolve(), DRAFT):
        reached = reach(draft)
        if reached < 0.0:
            draft.unlink(missing_ok=True)
        else:
            found.append(LeftOver(_near(draft), reached))
    return sorted(found, key=lambda draft: -draft.reached)


def remove_outdone(path: str | Path, end: float) -> None:
    """Remove the drafts that killed runs left of a run file which now reaches as far as they do."""
    for draft in left_over(path):
        if draft.reached <= end:
            draft.path.unlink(missing_ok=True)


def go_on(draft: Path) -> str:
    """The command that goes on with a draft."""
    return f"`taut run --from {shlex.quote(str(draft))}`"


def is_draft(path: Path) -> bool:
    return path.suffix == f".{DRAFT}"


def draft_of(path: Path) -> Path:
    """The run file that a draft was to become."""
    return path.with_name(path.name.removeprefix(".").rsplit(".", 2)[0])


def load_draft(path: Path) -> Trajectory:
    """The run in a draft, up to its last checkpoint, as one that was interrupted there."""
    try:
        with open(path, "rb") as stream:
            parts = list(_parts(stream))
    except OSError as error:
        raise FileError(f"{path}: cannot be read: {error.strerror or error}") from error
    while parts and not parts[-1].checkpoint.y.size:
        parts.pop()
    if not parts:
        raise FileError(f"{path}: holds nothing that a run could go on from; start afresh")
    last = parts[-1]
    return replace(
        joined(parts),
        **{name: getattr(parts[0], name) for name in CONSTANT},
        status=f"interrupted at t = {_time_of(last.checkpoint):.6g} s",
        history=np.concatenate([part.history for part in parts]),
        events=tuple(event for part in parts for event in part.events),
    )


def _near(path: Path) -> Path:
    """A path as people would write it from here."""
    here = Path.cwd()
    return path.relative_to(here) if path.is_relative_to(here) else path


def _time_of(point: Checkpoint) -> float:
    from taut.dynamics.workspace import TIME  # which comes with the kernels

    return float(point.clock[TIME])


def _record(part: Trajectory, *, first: bool) -> list[bytes | memoryview]:
    """A part as it is written, in pieces: a copy of it as a whole would take as long as writing it."""
    arrays = {name: getattr(part, name) for name in SAMPLED}
    arrays |= {f"checkpoint_{name}": getattr(part.checkpoint, name) for name in CHECKPOINT}
    arrays["history"] = part.history
    words: dict[str, Any] = {
        "arrays": [[name, array.dtype.str, array.shape] for name, array in arrays.items()],
        "events": [asdict(event) for event in part.events],
        "counts": dict(part.counts),
        "wall_time": part.wall_time,
        "reached": _time_of(part.checkpoint) if part.checkpoint.y.size else -1.0,
    }
    if first:
        words |= {name: getattr(part, name) for name in CONSTANT}
        if structure_of(part.model_text) != part.structure:
            words["structure_text"] = model_text(part.structure)
    told = json.dumps(words).encode()
    numbers = [np.ascontiguousarray(array).data.cast("B") for array in arrays.values() if array.size]
    checksum = zlib.crc32(told)
    for some in numbers:
        checksum = zlib.crc32(some, checksum)
    return [HEADER.pack(len(told), sum(map(len, numbers)), checksum), told, *numbers]


def reach(draft: Path) -> float:
    """The time [s] until which a draft can be continued, from its words alone; negative where it cannot."""
    reached = -1.0
    try:
        with open(draft, "rb") as stream:
            for words, count, _ in _headers(stream):
                reached = max(reached, float(json.loads(stream.read(words))["reached"]))
                stream.seek(count, os.SEEK_CUR)
    except (OSError, ValueError, KeyError):
        pass  # as far as it can be read
    return reached


def _headers(stream: BinaryIO) -> Iterator[tuple[int, int, int]]:
    """The headers of records that are there to their end; whoever takes one reads on to the next."""
    if stream.read(len(BEGINNING)) != BEGINNING:
        return
    size = os.fstat(stream.fileno()).st_size
    while len(header := stream.read(HEADER.size)) == HEADER.size:
        words, count, checksum = HEADER.unpack(header)
        if words + count > size - stream.tell():
            return
        yield words, count, checksum


def _parts(stream: BinaryIO) -> Iterator[Trajectory]:
    """The whole records of a draft."""
    structure, constant = None, dict[str, Any]()
    for words, count, checksum in _headers(stream):
        told, numbers = stream.read(words), bytearray(count)
        stream.readinto(numbers)  # type: ignore[attr-defined]
        if zlib.crc32(numbers, zlib.crc32(told)) != checksum:
            return
        known = json.loads(told)
        if structure is None:
            constant = {name: known[name] for name in CONSTANT}
            constant |= {name: tuple(constant[name]) for name in NAMED}
            text = known.get("structure_text")
            structure = parse_model(text, limit=None).structure if text else structure_of(constant["model_text"])
        arrays, at = {}, 0
        for name, kind, shape in known["arrays"]:
            array = np.frombuffer(numbers, dtype=kind, count=int(np.prod(shape)), offset=at).reshape(shape)
            arrays[name], at = array, at + array.nbytes
        point = Checkpoint(**{name: arrays.pop(f"checkpoint_{name}") for name in CHECKPOINT})
        history = arrays.pop("history")
        yield replace(
            of_samples(structure, arrays),  # type: ignore[arg-type]
            checkpoint=point,
            history=history,
            events=tuple(Event(**event) for event in known["events"]),
            counts=known["counts"],
            wall_time=known["wall_time"],
            **constant,
        )
