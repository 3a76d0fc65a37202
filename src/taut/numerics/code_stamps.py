"""Stamps: hashes of code, by which compiled code is kept and found.

Numba's disk cache looks only at the file of the function that was called, so an edit to a kernel it calls would go
unseen and the old physics would run. Every function's name in the cache therefore carries a hash of all code that it
can reach (`reachable_stamp`): an edit compiles again what it must, and a comment nothing.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable
from functools import cache
from importlib.abc import InspectLoader
from importlib.util import find_spec
from opcode import opmap
from pathlib import Path
from types import CodeType, FunctionType, ModuleType
from typing import Any

import numpy as np

FOUNDATION = ("compiled", "code_libraries", "fours", "lanes", "packing", "pointers")
"""Files whose code is no kernel but writes machine code; an edit to one of them concerns every kernel."""


def is_kernel(value: Any) -> bool:
    return hasattr(value, "py_func")


def callees(function: Callable[..., Any]) -> dict[str, Any]:
    """The global names that a function mentions, and what they mean."""
    plain = getattr(function, "py_func", function)
    known = plain.__globals__
    return {name: known[name] for name in _globals_in(plain.__code__) if name in known}


@cache
def _globals_in(code: CodeType) -> tuple[str, ...]:
    """The names that code loads as globals; co_names has those of attributes too.

    Read off the bytes, since `dis` takes a hundred times as long and this stands before every run.
    """
    found, wide = dict[str, None](), 0
    for operation, argument in zip(code.co_code[::2], code.co_code[1::2], strict=True):
        wide |= argument
        if operation == opmap["LOAD_GLOBAL"]:
            found[code.co_names[wide >> 1]] = None  # the last bit says whether it is to be called
        wide = wide << 8 if operation == opmap["EXTENDED_ARG"] else 0
    return tuple(found)


def reachable_stamp(function: Callable[..., Any]) -> str:
    """A hash of a function's code, of all kernels it can reach and of the constants they mention."""
    return _stamp(getattr(function, "py_func", function))[:12]


@cache
def _stamp(function: FunctionType) -> str:
    digest = hashlib.sha256(_foundation())
    digest.update(getattr(getattr(function, "decorator", None), "__name__", "").encode())
    _add_code(digest, function.__code__)
    cells = zip(function.__code__.co_freevars, function.__closure__ or (), strict=True)
    known = {**callees(function), **{name: cell.cell_contents for name, cell in cells}}
    for name, value in (*known.items(), *enumerate(function.__defaults__ or ())):
        digest.update(f"\n{name}=".encode())
        _add_value(digest, value)
    return digest.hexdigest()


def _add_value(digest: Any, value: Any) -> None:
    """What a name means that a kernel mentions."""
    if is_kernel(value):
        digest.update(_stamp(value.py_func).encode())
    elif isinstance(value, FunctionType):
        _add_code(digest, value.__code__)
    elif isinstance(value, ModuleType):
        digest.update(value.__name__.encode())
    elif isinstance(value, type):
        digest.update(repr((value.__name__, getattr(value, "_fields", ()))).encode())
    elif isinstance(value, np.ndarray):
        digest.update(repr((value.dtype, value.shape)).encode() + value.tobytes())
    elif hasattr(value, "stamp"):  # an intrinsic made by a factory
        digest.update(str(value.stamp).encode())
    else:
        digest.update(repr(value if isinstance(value, int | float | str | tuple) else type(value)).encode())


def _add_code(digest: Any, code: CodeType) -> None:
    digest.update(code.co_code)
    digest.update(repr((code.co_names, code.co_varnames)).encode())
    for constant in code.co_consts[1:]:  # the first is the docstring
        if isinstance(constant, CodeType):
            _add_code(digest, constant)
        else:
            digest.update(repr(constant).encode())


@cache
def _foundation() -> bytes:
    digest = hashlib.sha256()
    for name in (f"{__package__}.{name}" for name in FOUNDATION):
        found = find_spec(name)
        code = found.loader.get_code(name) if found and isinstance(found.loader, InspectLoader) else None
        assert code is not None, name
        _add_code(digest, code)
    return digest.digest()


@cache
def sources_stamp() -> str:
    """A hash of all sources that a run's numbers come from."""
    digest = hashlib.sha256()
    for source in sources():
        digest.update(source.name.encode())
        digest.update(source.read_bytes())
    return digest.hexdigest()[:12]


def sources() -> Iterable[Path]:
    """The files that a run's numbers come from."""
    package = Path(__file__).parent.parent
    for part in ("numerics", "mechanics", "dynamics"):
        yield from sorted((package / part).rglob("*.py"))
