"""How numba is used here: three decorators, and a way to compile plain Python against other functions.

Numba's disk cache looks only at the file of the function that was called, so an edit to a kernel it calls would go
unseen and the old physics would run. Every kernel's cache name therefore carries a hash of all kernel sources.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping
from pathlib import Path
from types import FunctionType
from typing import Any, TypeVar

from numba import njit

from taut.numerics.compile_events import listen

Kernel = TypeVar("Kernel", bound=Callable[..., Any])


def _stamp() -> str:
    package = Path(__file__).parent.parent
    digest = hashlib.sha256()
    for room in ("numerics", "mechanics", "dynamics"):
        for source in sorted((package / room).rglob("*.py")):
            digest.update(source.name.encode())
            digest.update(source.read_bytes())
    return digest.hexdigest()[:12]


STAMP = _stamp()
listen()


def kernel(function: Kernel) -> Kernel:
    """Compile a function over flat arrays and numbers that other kernels call."""
    return _compiled(function, no_cpython_wrapper=True, no_cfunc_wrapper=True)


def inlined(function: Kernel) -> Kernel:
    """Like `kernel`, for small functions that pay only when they dissolve into their caller."""
    return _compiled(function, forceinline=True, no_cpython_wrapper=True, no_cfunc_wrapper=True)


def woven(function: Kernel) -> Kernel:
    """Like `inlined`, for functions with one caller: they are never compiled by themselves."""
    return _compiled(function, inline="always", no_cpython_wrapper=True, no_cfunc_wrapper=True)


def entry(function: Kernel) -> Kernel:
    """Like `kernel`, for functions that Python calls too; kept apart because the way in takes long to compile."""
    return _compiled(function, no_cfunc_wrapper=True)


def _compiled(function: Kernel, **options: bool | str) -> Kernel:
    function.__qualname__ = f"{function.__qualname__}_{STAMP}"
    return njit(cache=True, nogil=True, error_model="numpy", **options)(function)  # type: ignore[no-any-return]


def forget_others() -> int:
    """Delete what was compiled from other versions of the sources; returns how many files that were."""
    stale = [path for path in Path(__file__).parent.parent.rglob("*.nb[ci]") if STAMP not in path.name]
    for path in stale:
        path.unlink(missing_ok=True)
    return len(stale)


def bound(function: Callable[..., Any], verbs: Mapping[str, Callable[..., Any]]) -> FunctionType:
    """The same code with some of its module's names meaning other functions.

    An algorithm is written once, in plain Python, against a few verbs. Bound to Python verbs it runs as it is; bound to
    kernels it can itself be compiled.
    """
    plain = getattr(function, "py_func", function)
    copy = FunctionType(plain.__code__, {**plain.__globals__, **verbs}, plain.__name__, plain.__defaults__)
    copy.__qualname__ = plain.__qualname__
    return copy


def again(
    decorate: Callable[..., Any], function: Callable[..., Any], words: Mapping[str, Callable[..., Any]], label: str
) -> Any:
    """A kernel once more with other words; the label tells it apart in the cache."""
    copy = bound(function, words)
    copy.__qualname__ += label
    return decorate(copy)
