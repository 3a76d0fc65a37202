"""The modules that come with taut: for which plants there are any, what is in them, and whether they are of these
kernels."""

from __future__ import annotations

import hashlib
import json
import lzma
import sys
from functools import cache
from importlib.resources import files
from typing import Any

from taut.live.entries import Loop, entries
from taut.mechanics.spec import Spec
from taut.numerics.code_stamps import reachable_stamp

_ROWS = {"pairs": ("bars", "driven_bars"), "saddle": ("bars", "linear", "driven_bars")}
_TERMS = Spec().terms

LOOPS = {
    "class_1": Loop(Spec(rows=_ROWS["pairs"], imposed=("drives",)), "explicit", watches=True),
    "class_k": Loop(Spec(rows=_ROWS["saddle"], imposed=("drives",), system="saddle"), "explicit", watches=True),
    "class_1_on_ground": Loop(
        Spec((*_TERMS, "contacts"), _ROWS["pairs"], imposed=("drives",)), "impulses", watches=False
    ),
    "class_k_on_ground": Loop(
        Spec((*_TERMS, "contacts"), _ROWS["saddle"], imposed=("drives",), system="saddle"), "impulses", watches=False
    ),
}
"""What is shipped. A plant that has fewer kinds than one of these is assembled as that one, with tables that are empty:
no bit of its motion changes."""


ARCHIVE = "modules.xz"


def stamp_of(made: Loop) -> str:
    """A hash of all code that a module was made of, as this version of Python compiles it."""
    told = "".join(f"{name} {reachable_stamp(flat.function)}\n" for name, flat in sorted(entries(made).items()))
    return hashlib.sha256(told.encode()).hexdigest()[:16]


def python_version() -> str:
    """Stamps are of byte code, which differs from one to the next."""
    return f"{sys.version_info.major}.{sys.version_info.minor}"


def manifest() -> dict[str, Any]:
    """What the build said of every module: its stamp, the version of Python that was of, its size."""
    found: dict[str, Any] = json.loads((_folder() / "manifest.json").read_text(encoding="utf-8"))
    return found


def module(name: str) -> bytes:
    """A module as browsers run it."""
    return _modules()[name]


@cache
def _modules() -> dict[str, bytes]:
    """All of them: they stand in one archive, one after another, since what they share then takes its room once."""
    content, found, at = lzma.decompress((_folder() / ARCHIVE).read_bytes()), {}, 0
    for name, told in manifest().items():
        found[name] = content[at : at + told["bytes"]]
        at += told["bytes"]
    return found


def _folder() -> Any:
    return files("taut.live") / "kernels"
