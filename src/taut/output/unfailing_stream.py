"""A file for HDF5, which may crash where a write fails: it is told of no failure until it has stopped."""

from __future__ import annotations

import errno
import io
import os
from pathlib import Path
from typing import Any

_write = io.FileIO.write


class Unfailing(io.FileIO):
    """A file whose first failed write is kept as `failure`; from then on what is written stays in memory and can be
    read back."""

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
