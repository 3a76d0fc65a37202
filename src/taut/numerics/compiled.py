"""How numba is used here: four decorators, and kernels made again with other functions in the place of some.

What is compiled is kept on disk under names that carry a hash of all code they can reach (`code_stamps`).
"""

from __future__ import annotations

import gc
import inspect
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from types import FunctionType
from typing import Any, TypeVar

from llvmlite import ir
from numba import config, njit, typeof
from numba.core.caching import _Cache
from numba.core.compiler import Compiler
from numba.core.registry import CPUDispatcher
from numba.core.types import unliteral, voidptr

from taut.numerics import shipped_code
from taut.numerics.code_cache import KernelCache, SealedCache, cache_of
from taut.numerics.code_libraries import KernelLibrary
from taut.numerics.code_stamps import callees, is_kernel, reachable_stamp, sources
from taut.numerics.compile_events import listen

Kernel = TypeVar("Kernel", bound=Callable[..., Any])

_HELD: list[Any] = []
"""Machine code of all entries. A kernel in several of them is loaded once, with the first, so none may be let go."""

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
    """Like `kernel`, for functions that Python calls too; kept apart because the way in takes long to compile.

    Kernels that call it do not want the way in, nor machine code of its own: they link a kernel of the same function.
    """
    made = _compiled(entry, function, no_cfunc_wrapper=True)
    made.get_call_template = lambda given, named: linked(made).get_call_template(given, named)
    made.get_overload = lambda kinds: linked(made).get_overload(kinds)

    def add(result: Any) -> None:
        _HELD.append(result.library)
        type(made).add_overload(made, result)

    made.add_overload = add
    return made


def linked(made: Any) -> Any:
    """What kernels link that call an entry: a kernel of the same function. Any other kernel is itself."""
    if made.py_func.decorator is not entry:
        return made
    if not hasattr(made, "behind"):
        made.behind = _compiled(entry, made.py_func, no_cpython_wrapper=True, no_cfunc_wrapper=True)
    return made.behind


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
    and only entries become machine code (`code_libraries`). Meanwhile nothing looks for garbage, which took a tenth of
    the time and found little.

    Only for kernels: how others' functions are compiled is not changed. It changes no bit of a result.
    """

    def compile_extra(self, function: Any) -> Any:
        if self.state.flags.no_cpython_wrapper:
            self.state.library = KernelLibrary(self.state.targetctx.codegen(), function.__qualname__)
        _leave_out_addresses(self.state.targetctx)
        asked, config.SLP_VECTORIZE = config.SLP_VECTORIZE, 1
        collects = gc.isenabled()
        gc.disable()
        try:
            return super().compile_extra(function)
        finally:
            config.SLP_VECTORIZE = asked
            if collects:
                gc.enable()


def _leave_out_addresses(context: Any) -> None:
    """Numba writes down where a function stands as a Python object. Nobody reads it, and LLVM takes it out again; but
    not yet of kernels' code that is kept, which would then be of no use to another process."""
    tell = context.add_dynamic_addr

    def told(builder: Any, address: int, info: str) -> Any:
        if info == CPUDispatcher.__name__:
            return ir.Constant(context.get_value_type(voidptr), None)
        return tell(builder, address, info)

    context.add_dynamic_addr = told


def _compiled(decorator: Callable[..., Any], function: Kernel, **options: bool | str) -> Kernel:
    """Without numba's run time (_nrt), which counts who holds an array: kernels allocate nothing and return no array to
    Python, so whoever called the first of them holds on to all they are handed."""
    function.decorator = decorator  # type: ignore[attr-defined]
    function.__signature__ = _signature_of(function)  # type: ignore[attr-defined]
    made = njit(nogil=True, error_model="numpy", pipeline_class=_KernelCompiler, _nrt=False, **options)(function)
    made._cache = _ReachableCache(function, KernelCache if options.get("no_cpython_wrapper") else SealedCache)
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


class _ReachableCache(_Cache):  # type: ignore[misc]
    """The disk cache under a name with the stamp of all reachable code, found out when it is first asked.

    Not before, since a kernel may call others that stand below it in its file. Where code is linked or loaded, two
    functions of one name are taken to be one: without the stamp a kernel made again with other words would be mistaken
    for the one it was made of.
    """

    def __init__(self, function: Callable[..., Any], kind: type[SealedCache]) -> None:
        self._function, self._kind = function, kind
        self._found: _Cache | None = None

    def _cache(self) -> _Cache:
        if self._found is None:
            self._found = cache_of(_stamped(self._function), self._kind)
        return self._found

    @property
    def cache_path(self) -> str:
        return str(self._cache().cache_path)

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        entry_of_wheel = self._kind is SealedCache
        shipped = shipped_code.load(_stamped(self._function), sig, target_context) if entry_of_wheel else None
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


def forget_others() -> int:
    """Delete what was compiled before the sources were last changed; returns how many files that were."""
    newest = max(source.stat().st_mtime for source in sources())
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
