"""Files that are whole or not there: written beside their final name, sealed with a checksum, then moved."""

from __future__ import annotations

import contextlib
import hashlib
import io
import os
import re
import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from taut.errors import FileError

_SEAL = re.compile(rb"\ntaut seal ([0-9a-f]{64})\n")
_SEAL_SIZE = len(b"\ntaut seal ") + 64 + len(b"\n")


def check_writable(path: str | Path) -> None:
    """Raise FileError if a file could not be written here; to be asked before a long run, not after it."""
    with _draft(path) as draft:
        draft.touch()


@contextmanager
def written_whole(path: str | Path) -> Iterator[Path]:
    """Within, write the draft whose path is given; at the end it takes the final name, or is gone where that failed."""
    with _draft(path) as draft:
        yield draft
        with open(draft, "r+b") as stream:
            os.fsync(stream.fileno())
        os.replace(draft, _target(path))


@contextmanager
def _draft(path: str | Path) -> Iterator[Path]:
    target = _target(path)
    drafts = f".{target.name}.{socket.gethostname()}-"
    draft = target.with_name(f"{drafts}{os.getpid()}-{threading.get_native_id()}.part")
    _remove_left_over(target.parent, drafts)
    try:
        yield draft
    except OSError as error:
        raise FileError(f"{path}: cannot be written: {error.strerror or error}") from error
    finally:
        with contextlib.suppress(OSError):
            draft.unlink()


def _target(path: str | Path) -> Path:
    """The file that a path means; a link is followed, so that it stays a link."""
    try:
        target = Path(path).resolve()
        if target.is_dir():
            raise FileError(f"{path}: is a folder; give the name of a file")
        if not target.parent.is_dir():
            what = "is not a folder" if target.parent.exists() else "does not exist"
            raise FileError(f"{path}: cannot be written: {target.parent} {what}")
        if target.exists() and not target.is_file():
            raise FileError(f"{path}: is not a file, and will not be replaced by one")
        if target.exists() and not os.access(target, os.W_OK):
            raise FileError(f"{path}: cannot be written: the file is read-only")
    except (OSError, ValueError, RuntimeError) as error:
        raise FileError(f"{path}: cannot be written: {error}") from error
    return target


def _remove_left_over(folder: Path, drafts: str) -> None:
    """Remove drafts for this file by processes of this machine that were killed while they wrote."""
    owner = re.compile(re.escape(drafts) + r"([0-9]+)-[0-9]+\.part")
    with contextlib.suppress(OSError):
        for name in os.listdir(folder):
            found = owner.fullmatch(name)
            if found and not _alive(int(found[1])):
                (folder / name).unlink()


def _alive(process: int) -> bool:
    if os.name != "posix":  # where signal 0 is not a question but a Ctrl-C
        return True
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except (OSError, OverflowError):
        pass
    return True


_write = io.FileIO.write


class Unfailing(io.FileIO):
    """A file for HDF5, which may crash where a write fails: `failure` keeps the first, and the rest goes nowhere."""

    failure: OSError | None = None

    def write(self, content: Any) -> int:
        try:
            return _write(self, content) if self.failure is None else len(content)
        except OSError as error:
            self.failure = error
            return len(content)

    def truncate(self, size: int | None = None) -> int:
        try:
            return super().truncate(size) if self.failure is None else size or 0
        except OSError as error:
            self.failure = error
            return size or 0


def seal(path: Path) -> None:
    """Add a checksum to a file. HDF5 knows its own end, so its readers do not mind what comes after it."""
    digest = _digest(path, path.stat().st_size)
    with open(path, "ab") as stream:
        stream.write(b"\ntaut seal " + digest + b"\n")


def seal_of(path: Path) -> str:
    """ "intact", "broken" where the content differs from what was sealed, or "none"."""
    size = path.stat().st_size - _SEAL_SIZE
    if size < 0:
        return "none"
    with open(path, "rb") as stream:
        stream.seek(size)
        found = _SEAL.fullmatch(stream.read())
    if found is None:
        return "none"
    return "intact" if found[1] == _digest(path, size) else "broken"


def _digest(path: Path, size: int) -> bytes:
    digest = hashlib.blake2b(digest_size=32)
    with open(path, "rb") as stream:
        while size > 0:
            block = stream.read(min(size, 1 << 20))
            if not block:
                break
            digest.update(block)
            size -= len(block)
    return digest.hexdigest().encode()
