"""How numba is used here: four decorators, and kernels made again with other functions in the place of some.

Numba's disk cache looks only at the file of the function that was called, so an edit to a kernel it calls would go
unseen and the old physics would run. Every entry's name in the cache therefore carries a hash of all code that it can
reach (`reachable_stamp`): an edit compiles again what it must, and a comment
nothing (but in the files of FOUNDATION).
"""

from __future__ import annotations

import hashlib
import inspect
from collections.abc import Callable, Iterable, Mapping
from functools import cache
from opcode import opmap
from pathlib import Path
from types import CodeType, FunctionType, ModuleType
from typing import Any, TypeVar

import numpy as np
from numba import config, njit, typeof
from numba.core.caching import NullCache, _Cache
from numba.core.compiler import Compiler
from numba.core.types import unliteral

from taut.numerics import shipped_code
from taut.numerics.code_cache import cache_of
from taut.numerics.code_libraries import KernelLibrary
from taut.numerics.compile_events import listen

Kernel = TypeVar("Kernel", bound=Callable[..., Any])

FOUNDATION = ("compiled", "code_libraries", "fours", "lanes", "packing", "pointers")
"""Files whose code is no kernel but writes machine code; an edit to one of them concerns every kernel."""

listen()


def kernel(function: Kernel) -> Kernel:
    """Compile a function over flat arrays and numbers that other kernels call."""
    return _compiled(kernel, function, no_cpython_wrapper=True, no_cfunc_wrapper=True)


def inlined(function: Kernel) -> Kernel:
    """Like `kernel`, for small functions that pay only when they dissolve into their caller."""
    return _compiled(inlined, function, forceinline=True, no_cpython_wrapper=True, no_cfunc_wrapper=True)


def woven(function: Kernel) -> Kernel:
    """Like `inlined`, for functions with one caller: they are never compiled by themselves."""
    return _compiled(woven, function, inline="always", no_cpython_wrapper=True, no_cfunc_wrapper=True)


def entry(function: Kernel) -> Kernel:
    """Like `kernel`, for functions that Python calls too; kept apart because the way in takes long to compile."""
    return _compiled(entry, function, no_cfunc_wrapper=True)


def direct(function: Callable[..., Any], *args: Any) -> Callable[..., Any]:
    """An entry compiled for arguments of these types, to be called with such and no others; a plain function as it is.

    Finding out the types of a plant's tables takes numba six microseconds a call, four times as long as handing them
    over.
    """
    if not is_kernel(function):
        return function
    kinds = tuple(map(typeof, args))
    function.compile(kinds)  # type: ignore[attr-defined]
    entry_point: Callable[..., Any] = function.overloads[kinds].entry_point  # type: ignore[attr-defined]
    return entry_point


def address_of(function: Callable[..., Any], *args: Any) -> int:
    """Where an entry stands that is compiled for arguments of these types, for kernels that call it by its address."""
    kinds = tuple(map(typeof, args))
    function.compile(kinds)  # type: ignore[attr-defined]
    made = function.overloads[kinds]  # type: ignore[attr-defined]
    return int(made.library.get_pointer_to_function(made.fndesc.llvm_func_name))


class _KernelCompiler(Compiler):  # type: ignore[misc]
    """Like numba's, but the same done to x, y and z becomes one instruction for two of them (LLVM's SLP vectoriser),
    and only entries become machine code (`code_libraries`).

    Only for kernels: how others' functions are compiled is not changed. It changes no bit of a result.
    """

    def compile_extra(self, function: Any) -> Any:
        if self.state.flags.no_cpython_wrapper:
            self.state.library = KernelLibrary(self.state.targetctx.codegen(), function.__qualname__)
        asked, config.SLP_VECTORIZE = config.SLP_VECTORIZE, 1
        try:
            return super().compile_extra(function)
        finally:
            config.SLP_VECTORIZE = asked


def _compiled(decorator: Callable[..., Any], function: Kernel, **options: bool | str) -> Kernel:
    """Without numba's run time (_nrt), which counts who holds an array: kernels allocate nothing and return no array to
    Python, so whoever called the first of them holds on to all they are handed."""
    function.decorator = decorator  # type: ignore[attr-defined]
    function.__signature__ = _signature_of(function)  # type: ignore[attr-defined]
    made = njit(nogil=True, error_model="numpy", pipeline_class=_KernelCompiler, _nrt=False, **options)(function)
    made._cache = (_LinkedOnly if options.get("no_cpython_wrapper") else _ReachableCache)(function)
    # Numba would compile a kernel once more for every number that a call of it spells out.
    made.get_call_template = lambda given, named: type(made).get_call_template(made, [*map(unliteral, given)], named)
    return made


def _signature_of(function: Callable[..., Any]) -> inspect.Signature:
    """As `inspect` finds it, less annotations; numba asks twice, which is half of what a kernel costs at import."""
    code = function.__code__
    if function.__defaults__ or code.co_kwonlyargcount or code.co_flags & (inspect.CO_VARARGS | inspect.CO_VARKEYWORDS):
        return inspect.signature(function)
    names = code.co_varnames[: code.co_argcount]
    return inspect.Signature([inspect.Parameter(name, inspect.Parameter.POSITIONAL_OR_KEYWORD) for name in names])


class _LinkedOnly(NullCache):  # type: ignore[misc]
    """In the place of a cache, for kernels, which are only linked into others.

    Their names too carry the stamp of what they reach: where code is linked or loaded, two functions of the same name
    are taken to be one, and a kernel made again with other words would be mistaken for the one it was made of.
    """

    def __init__(self, function: Callable[..., Any]) -> None:
        self._function = function

    def load_overload(self, sig: Any, target_context: Any) -> None:
        _stamped(self._function)


class _ReachableCache(_Cache):  # type: ignore[misc]
    """The disk cache under a name with the stamp of all reachable code, found out when it is first asked.

    Not before, since a kernel may call others that stand below it in its file.
    """

    def __init__(self, function: Callable[..., Any]) -> None:
        self._function = function
        self._found: _Cache | None = None

    def _cache(self) -> _Cache:
        if self._found is None:
            self._found = cache_of(_stamped(self._function))
        return self._found

    @property
    def cache_path(self) -> str:
        return str(self._cache().cache_path)

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        shipped = shipped_code.load(_stamped(self._function), sig, target_context)
        return shipped or self._cache().load_overload(sig, target_context)

    def save_overload(self, sig: Any, data: Any) -> None:
        self._cache().save_overload(sig, data)

    def enable(self) -> None:
        self._cache().enable()

    def disable(self) -> None:
        self._cache().disable()

    def flush(self) -> None:
        self._cache().flush()


def _stamped(function: Callable[..., Any]) -> Callable[..., Any]:
    """The function, whose name carries the stamp of what it reaches from now on."""
    if not hasattr(function, "named"):
        function.named = True  # type: ignore[attr-defined]
        function.__qualname__ += f"_{reachable_stamp(function)}"
    return function


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
    here = Path(__file__).parent
    return b"".join((here / f"{name}.py").read_bytes() for name in FOUNDATION)


@cache
def sources_stamp() -> str:
    """A hash of all sources that a run's numbers come from."""
    digest = hashlib.sha256()
    for source in _sources():
        digest.update(source.name.encode())
        digest.update(source.read_bytes())
    return digest.hexdigest()[:12]


def _sources() -> Iterable[Path]:
    package = Path(__file__).parent.parent
    for part in ("numerics", "mechanics", "dynamics"):
        yield from sorted((package / part).rglob("*.py"))


def forget_others() -> int:
    """Delete what was compiled before the sources were last changed; returns how many files that were."""
    newest = max(source.stat().st_mtime for source in _sources())
    package = Path(__file__).parent.parent
    # Drafts of those who were killed as they wrote, and index files of numba's own, go with the code.
    compiled = [path for kind in ("*.nbc", "*.nbi", ".*.nbc.*.part") for path in package.rglob(kind)]
    stale = [path for path in compiled if path.parent != shipped_code.STORE and path.stat().st_mtime < newest]
    for path in stale:
        path.unlink(missing_ok=True)
    return len(stale)


def bound(function: Callable[..., Any], words: Mapping[str, Any]) -> FunctionType:
    """The same code with some of its module's names meaning other functions.

    An algorithm is written once, in plain Python, against a few operations. Bound to Python functions it runs as it
    is; bound to kernels it can itself be compiled.
    """
    plain = getattr(function, "py_func", function)
    copy = FunctionType(plain.__code__, {**plain.__globals__, **words}, plain.__name__, plain.__defaults__)
    copy.__qualname__ = plain.__name__
    copy.__module__ = plain.__module__
    return copy


def again(decorate: Callable[..., Any], function: Callable[..., Any], words: Mapping[str, Any]) -> Any:
    """A kernel once more with other words; the stamp of what it reaches then tells it apart in the cache."""
    return decorate(bound(function, words))


class Rebinding:
    """Kernels made again, each once, with other kernels in the place of some that they reach.

    parts: what stands in the place of each kernel; these are made again in turn, since they may reach others.
    A kernel that reaches none of the parts stays as it is.
    """

    def __init__(self, parts: Mapping[Any, Any]) -> None:
        self._parts = dict(parts)
        self._made: dict[Any, Any] = {}

    def __call__(self, root: Any) -> Any:
        if not is_kernel(root):
            return root
        if root not in self._made:
            part = self._parts.get(root, root)
            self._made[root] = self._again(root) if part is root else self(part)
        return self._made[root]

    def _again(self, root: Any) -> Any:
        reached = {name: (value, self(value)) for name, value in callees(root).items() if is_kernel(value)}
        changed = {name: made for name, (value, made) in reached.items() if made is not value}
        return again(root.py_func.decorator, root, changed) if changed else root


def folded(template: Callable[..., Any], kernels: Iterable[Any]) -> Any:
    """Kernels of one kind as one: a template that calls `first` and `second`, bound pair by pair. One is itself."""
    total, *others = kernels
    for following in others:
        total = again(woven, template, {"first": total, "second": following})
    return total
