"""Files that are whole or not there: written beside their final name, sealed with a checksum, then moved."""

from __future__ import annotations

import contextlib
import errno
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


def made_folder(path: Path) -> Path:
    """The folder, made if need be."""
    try:
        path.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise FileError(f"{path}: cannot be made: {error.strerror or error}") from error
    return path


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
    """A file for HDF5, which may crash where a write fails: `failure` keeps the first one, and from then on what is
    written stays in memory and can be read back, so that HDF5 notices nothing until it is told to stop."""

    PAGE = 1 << 16

    def __init__(self, path: str | Path, mode: str) -> None:
        super().__init__(path, mode)
        self.failure: OSError | None = None
        self._pages: dict[int, bytearray] = {}
        self._at = self._end = 0

    def write(self, content: Any) -> int:
        if self.failure is None:
            begin = self.tell()
            try:
                written = _write(self, content)
                if written == len(content):
                    return written
                raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
            except OSError as error:
                self._end = super().seek(0, os.SEEK_END)
                self.failure, self._at = error, begin
        data, at = memoryview(content).cast("B"), self._at
        while at < self._at + len(data):
            page, inside = divmod(at, self.PAGE)
            count = min(self.PAGE - inside, self._at + len(data) - at)
            self._page(page)[inside : inside + count] = data[at - self._at : at - self._at + count]
            at += count
        self._at, self._end = at, max(self._end, at)
        return len(data)

    def readinto(self, buffer: Any) -> int:
        if self.failure is None:
            return super().readinto(buffer) or 0
        out = memoryview(buffer).cast("B")
        count = max(0, min(len(out), self._end - self._at))
        done = 0
        while done < count:
            page, inside = divmod(self._at + done, self.PAGE)
            some = min(self.PAGE - inside, count - done)
            out[done : done + some] = self._page(page)[inside : inside + some]
            done += some
        self._at += count
        return count

    def seek(self, offset: int, whence: int = os.SEEK_SET) -> int:
        if self.failure is None:
            return super().seek(offset, whence)
        self._at = offset + {os.SEEK_SET: 0, os.SEEK_CUR: self._at, os.SEEK_END: self._end}[whence]
        return self._at

    def tell(self) -> int:
        return super().tell() if self.failure is None else self._at

    def truncate(self, size: int | None = None) -> int:
        if self.failure is None:
            try:
                return super().truncate(size)
            except OSError as error:
                self._end = super().seek(0, os.SEEK_END)
                self.failure = error
        self._end = self._at if size is None else size
        return self._end

    def _page(self, number: int) -> bytearray:
        """What stands there: as far as it got on disk, until it is written anew."""
        if number not in self._pages:
            self._pages[number] = bytearray(
                os.pread(self.fileno(), self.PAGE, number * self.PAGE).ljust(self.PAGE, b"\0")
            )
        return self._pages[number]


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
