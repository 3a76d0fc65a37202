"""Numbers inside a page: arrays in few bytes, compressed, as letters and digits that HTML cannot misread.

A row of samples differs little from the one before it. So samples are stored as differences of their bit patterns,
byte by byte in planes, which deflate packs well and the browser undoes exactly (parts/data.js).
"""

from __future__ import annotations

import base64
import json
import zlib
from collections.abc import Mapping
from typing import Any

import numpy as np

MISSING = -32768
"""The 16-bit number that stands for a value that is not finite."""

LEVELS = 32767
"""The largest 16-bit number in use."""


class Arrays:
    """The arrays of a page, gathered one by one; a document refers to them by what `exact`, `sampled` and `coarse`
    return."""

    def __init__(self) -> None:
        self._heads: list[dict[str, Any]] = []
        self._parts: list[bytes] = []
        self._size = 0

    def exact(self, values: np.ndarray) -> dict[str, int]:
        """As 64-bit floats, or 32-bit integers where integers are given."""
        kind = "i4" if np.issubdtype(values.dtype, np.integer) else "f8"
        return self._add(values.astype(f"<{kind}"), kind, {})

    def raw(self, data: bytes) -> dict[str, int]:
        """Bytes as they are."""
        return self._add(np.frombuffer(data, dtype=np.uint8), "u1", {})

    def sampled(self, values: np.ndarray) -> dict[str, int]:
        """A row a sample, as 32-bit floats."""
        return self._add(_planes(rounded(values).view("<u4")), "f4", {"shape": values.shape})

    def coarse(self, values: np.ndarray, *, about_zero: bool) -> dict[str, int]:
        """A row a sample, as 16-bit integers with a scale for each axis; zero stays zero where that is asked for."""
        levels, scale, offset = quantised(values, about_zero=about_zero)
        head = {"shape": values.shape, "scale": scale.tolist(), "offset": offset.tolist()}
        return self._add(_planes(levels.view("<u2")), "i2", head)

    def _add(self, values: np.ndarray, kind: str, head: dict[str, Any]) -> dict[str, int]:
        self._heads.append({"kind": kind, "shape": values.shape, "at": self._size, **head})
        data = values.tobytes()
        padded = data + bytes(-len(data) % 8)
        self._parts.append(padded)
        self._size += len(padded)
        return {"array": len(self._heads) - 1}

    def document(self, content: Mapping[str, Any]) -> str:
        """The whole of it in base64: a length, the content with the places of all arrays as JSON, the arrays."""
        text = json.dumps({"content": content, "arrays": self._heads}, allow_nan=False).encode()
        text += b" " * (-(len(text) + 4) % 8)
        return base64.b64encode(
            zlib.compress(b"".join([len(text).to_bytes(4, "little"), text, *self._parts]), 6)
        ).decode()


def rounded(values: np.ndarray) -> np.ndarray:
    """As 32-bit floats; what is too large for them is not finite, which the page leaves out."""
    with np.errstate(over="ignore"):
        return np.ascontiguousarray(values, dtype="<f4")


def quantised(values: np.ndarray, *, about_zero: bool) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Levels of 16 bits, scale and offset: values are offset + scale * level, for each axis where rows are points."""
    rows = values.reshape(-1, 3) if values.ndim == 3 else values.reshape(-1, 1)
    known = np.where(np.isfinite(rows), rows, np.nan)
    empty = ~np.isfinite(known).any(axis=0)
    known[:, empty] = 0.0
    high, low = np.nanmax(known, axis=0, initial=-np.inf), np.nanmin(known, axis=0, initial=np.inf)
    if about_zero:
        high = np.full_like(high, np.maximum(np.abs(high), np.abs(low)).max(initial=0.0))
        low = -high
    offset = (high + low) / 2.0
    scale = (high - low) / (2.0 * LEVELS)
    scale[scale == 0.0] = 1.0
    levels = np.rint((known - offset) / scale)
    levels[~np.isfinite(rows)] = MISSING
    return levels.astype("<i2").reshape(values.shape), scale, offset


def _planes(words: np.ndarray) -> np.ndarray:
    """Differences from row to row (modulo the word), first all lowest bytes, then all second ones, and so on."""
    rows = words.reshape(len(words), -1)
    steps = np.diff(rows, axis=0, prepend=np.zeros((1, rows.shape[1]), dtype=rows.dtype))
    return np.ascontiguousarray(steps.reshape(-1, 1).view(np.uint8).T)
