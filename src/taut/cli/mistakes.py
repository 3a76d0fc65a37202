"""What nobody foresaw: said as a mistake in taut, with what those who mend it need to know."""

from __future__ import annotations

import os
import platform
import shlex
import sys
import traceback
from collections.abc import Sequence
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from taut import __version__

EXIT_CODE = 3

WHOLE = "TAUT_DEBUG"
"""The environment variable with which the traceback is shown, too."""

PACKAGE = Path(__file__).parents[1]


def mistake(error: Exception, arguments: Sequence[str] | None) -> str:
    """What to send: the error, where it was raised, versions and the command; with TAUT_DEBUG the whole traceback."""
    told = str(error).replace("\n", " ") or "without a word"
    asked = shlex.join(sys.argv[1:] if arguments is None else arguments)
    lines = [
        f"error: a mistake in taut, not in your input: {type(error).__name__}: {told}",
        f"at: {_place(error)}",
        f"command: taut {asked}",
        f"versions: {_versions()}",
        f"please send these lines and the model file to those who look after taut; {WHOLE}=1 shows the whole traceback",
    ]
    whole = traceback.format_exception(error) if os.environ.get(WHOLE) else []
    return "\n".join([*map(str.rstrip, whole), *lines])


def _place(error: Exception) -> str:
    """The last line of taut on the way to the error, and the one of another package that raised it."""
    frames = traceback.extract_tb(error.__traceback__)
    ours = [frame for frame in frames if PACKAGE in Path(frame.filename).parents]
    told = [f"taut/{Path(frame.filename).relative_to(PACKAGE)}:{frame.lineno} in {frame.name}" for frame in ours[-1:]]
    if frames and frames[-1] not in ours:
        told.append(f"{Path(frames[-1].filename).name}:{frames[-1].lineno} in {frames[-1].name}")
    return ", ".join(told) or "unknown"


def _versions() -> str:
    told = [f"taut {__version__}", f"Python {platform.python_version()}"]
    for package in ("numpy", "scipy", "numba", "pydantic"):
        try:
            told.append(f"{package} {version(package)}")
        except PackageNotFoundError:
            told.append(f"{package} missing")
    return ", ".join([*told, platform.platform()])
