"""Checksums at the end of files, so that damage is found before a reader trusts them."""

from __future__ import annotations

import hashlib
import re
from pathlib import Path

_SEAL = re.compile(rb"\ntaut seal ([0-9a-f]{64})\n")
_SEAL_SIZE = len(b"\ntaut seal ") + 64 + len(b"\n")


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
