"""Machine code that comes with a wheel of taut: made when the wheel is built, looked up before anything is compiled.

It is code for any x86-64 processor with AVX2 and FMA, under names with the stamp of all reachable code, which know
nothing of paths and times of files. Where Python, numba, llvmlite, the system or the processor is another, a setting of
numba asks for other code, or a kernel was edited, it is left alone and things are compiled as in a checkout, which has
none. `shipping/compiled_code.py` makes it.
"""

from __future__ import annotations

import json
import os
import sys
import sysconfig
from collections.abc import Callable, Mapping
from functools import cache
from pathlib import Path
from typing import Any

import llvmlite
import numba
from llvmlite import binding
from numba import config
from numba.core.compiler import CompileResult
from numba.core.runtime.nrt import rtsys

from taut.numerics.code_cache import CodeFiles
from taut.numerics.compile_events import say_once

STORE = Path(__file__).parent / "shipped"
MANIFEST = "made_for.json"

PROCESSOR = "x86-64-v3"
FEATURES = (
    *("avx", "avx2", "bmi", "bmi2", "cmov", "crc32", "cx16", "cx8", "f16c", "fma", "fxsr", "lzcnt", "mmx", "movbe"),
    *("popcnt", "sahf", "sse", "sse2", "sse3", "sse4.1", "sse4.2", "ssse3", "xsave"),
)
"""What the code may use of a processor, in LLVM's words: Haswell (2013), Excavator (2015) and all since have it."""

REFUSAL = "TAUT_HOST_CODE"
"""The environment variable with which code is compiled for this processor alone, in the place of what was shipped."""

SETTINGS = {"CPU_NAME": None, "CPU_FEATURES": None, "OPT": 3, "ENABLE_AVX": True, "BOUNDSCHECK": None}
"""Numba's settings that change what is compiled, as they are unless somebody asks for others."""


def surroundings() -> dict[str, str]:
    """All that has to be the same here and where code was made."""
    return {
        "python": sys.implementation.cache_tag or "",
        "numba": numba.__version__,
        "llvmlite": llvmlite.__version__,
        "system": sysconfig.get_platform(),
    }


def compiler_settings() -> dict[str, str]:
    """The environment in which numba compiles code that can be shipped."""
    return {"NUMBA_CPU_NAME": PROCESSOR, "NUMBA_CPU_FEATURES": ",".join(f"+{name}" for name in FEATURES)}


def files_of(function: Callable[..., Any], store: Path) -> CodeFiles:
    """The files of a function whose name carries its stamp."""
    return CodeFiles(store, function.__qualname__.replace("<", "").replace(">", ""))


def key_of(function: Callable[..., Any], sig: Any) -> Any:
    return function.__qualname__, sig


def load(function: Callable[..., Any], sig: Any, target_context: Any) -> Any:
    """A function's code for arguments of these types; None if none was shipped that can be used here."""
    if why_not() is not None:
        return None
    try:
        data = files_of(function, STORE).load(key_of(function, sig))
        if data is None:
            return None
        rtsys.initialize(target_context)
        return CompileResult._rebuild(target_context, *data)
    except Exception as error:  # as many ways to fail as in the cache
        say_once("shipped", f"{STORE}: code of {function.__name__} cannot be used ({error}); it is compiled instead")
        return None


@cache
def why_not() -> str | None:
    """Why shipped code is not used here; None where it is."""
    try:
        made_for = json.loads((STORE / MANIFEST).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return "none was shipped"
    asked = [f"NUMBA_{name}" for name, usual in SETTINGS.items() if getattr(config, name) != usual]
    asked += [REFUSAL] if os.environ.get(REFUSAL) else []
    if asked:
        return f"{' and '.join(asked)} asks for other code"
    for name, here in surroundings().items():
        if made_for.get(name) != here:
            return f"it was made for {name} {made_for.get(name)}, and this is {here}"
    return lacking(binding.get_host_cpu_features())


def lacking(features: Mapping[str, bool]) -> str | None:
    """What a processor lacks to run shipped code; None if it has it all."""
    missing = [name for name in FEATURES if not features.get(name)]
    return f"this processor has no {', '.join(missing)}" if missing else None
