"""Kernels that are called by their addresses, as data: whoever calls them is compiled once for all of them.

A kernel that calls another by its name holds a copy of it. The time loop so held a copy of the equations of every kind
of plant, and was compiled once more for each of them. Called by address, the functions of a plant are compiled for it,
and the loop is compiled once. A call takes some ten nanoseconds longer; no bit of a result changes.
"""

from __future__ import annotations

import hashlib
import inspect
from collections.abc import Callable, Iterable
from functools import cache
from pathlib import Path
from typing import Annotated, Any, NamedTuple, get_args, get_origin, get_type_hints

import numpy as np
from numba import typeof, types
from numba.core import cgutils
from numba.core.errors import TypingError
from numba.core.types import unliteral
from numba.extending import intrinsic

from taut.numerics.code_stamps import reachable_stamp
from taut.numerics.compiled import again, entry, linked
from taut.numerics.packing import Pack

Matrix = Annotated[np.ndarray, 2]
"""An array of two axes, where annotations say what a function is called with; others have one."""


class Called(NamedTuple):
    """A pack, and where the kernels stand that are called with it; kernels read it as they read a pack."""

    integers: np.ndarray
    reals: np.ndarray
    addresses: np.ndarray


PACK = typeof(Pack(np.zeros(0, dtype=np.int64), np.zeros(0)))


@cache
def signature_of(function: Callable[..., Any]) -> Any:
    """The types of numba that a function's annotations mean, its first argument being a pack."""
    hints = get_type_hints(function, include_extras=True)
    result = hints.pop("return")
    _, *arguments = inspect.signature(function).parameters
    return _type_of(result)(PACK, *(_type_of(hints[name]) for name in arguments))


def _type_of(hint: Any) -> Any:
    plain = {float: types.float64, int: types.int64, bool: types.boolean, type(None): types.none}
    if hint in plain:
        return plain[hint]
    if hint is np.ndarray or hint is Matrix:
        return types.Array(types.float64, 2 if hint is Matrix else 1, "C")
    if get_origin(hint) is tuple:
        return types.BaseTuple.from_types([_type_of(part) for part in get_args(hint)])
    raise TypeError(f"{hint} has no type in kernels that are called by address")


@cache
def calling(function: Callable[..., Any], number: int) -> Any:
    """In kernels: call(plant, ...), the kernel at an address of a `Called`; its types are those of annotations."""
    wanted = signature_of(function)

    def call(typing_context: Any, plant: Any, *others: Any) -> Any:
        if tuple(plant.types[:2]) != tuple(PACK.types):
            raise TypingError(f"{function.__name__} is called with {plant}, which holds no pack of one plant")

        def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
            parts = cgutils.unpack_tuple(builder, args[0])
            addresses = context.make_array(plant.types[2])(context, builder, parts[2])
            address = builder.load(builder.gep(addresses.data, [context.get_constant(types.int64, number)]))
            kind = context.call_conv.get_function_type(wanted.return_type, wanted.args)
            kernel = builder.inttoptr(address, kind.as_pointer())
            given = [context.make_tuple(builder, PACK, parts[:2]), *args[1:]]
            status, found = context.call_conv.call_function(builder, kernel, wanted.return_type, wanted.args, given)
            with cgutils.if_unlikely(builder, status.is_error):  # kernels of kinds from outside may raise
                context.call_conv.return_status_propagate(builder, status)
            return found

        return wanted.return_type(plant, *wanted.args[1:]), generate

    names = ("typing_context", "plant", *list(inspect.signature(function).parameters)[1:])
    order = inspect.Parameter.POSITIONAL_OR_KEYWORD
    call.__signature__ = inspect.Signature([inspect.Parameter(name, order) for name in names])  # type: ignore[attr-defined]
    made = intrinsic(call)
    made.stamp = f"call {number} {wanted} {_written()}"
    return made


@cache
def _written() -> str:
    """A hash of this file, which writes machine code: an edit to it concerns all who call."""
    return hashlib.sha256(Path(__file__).read_bytes()).hexdigest()[:12]


def addresses_of(kernels: Iterable[tuple[int, Callable[..., Any], Any]], count: int) -> np.ndarray:
    """Where kernels stand, each at its number: (number, the function whose annotations say its types, the kernel).

    They are compiled together, and kept together in one file. A kernel of other types would be called with what is none
    of its arguments, so it is refused.
    """
    found = np.zeros(count, dtype=np.int64)
    _telling(tuple((number, function, linked(kernel)) for number, function, kernel in kernels))(found)
    return found


@cache
def _telling(kernels: tuple[tuple[int, Callable[..., Any], Any], ...]) -> Any:
    """An entry that writes the addresses of kernels into a table; it holds their machine code, and is never let go."""
    return again(entry, _tell, {"tell_addresses": _addresses_inside(kernels)})


def tell_addresses(table: np.ndarray) -> None:
    """Of kernels, in the code of which this one stands, too."""
    raise NotImplementedError


def _tell(table: np.ndarray) -> None:
    tell_addresses(table)


def _addresses_inside(kernels: tuple[tuple[int, Callable[..., Any], Any], ...]) -> Any:
    def tell(typing_context: Any, table: Any) -> Any:
        made = [(number, _compiled_for(function, kernel)) for number, function, kernel in kernels]

        def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
            addresses = context.make_array(table)(context, builder, args[0])
            for number, one in made:
                context.active_code_library.add_linking_library(one.library)
                stands = context.declare_function(builder.module, one.fndesc)
                place = builder.gep(addresses.data, [context.get_constant(types.int64, number)])
                builder.store(builder.ptrtoint(stands, cgutils.intp_t), place)
            return context.get_dummy_value()

        return types.none(table), generate

    told = intrinsic(tell)
    names = [(number, signature_of(function), reachable_stamp(kernel)) for number, function, kernel in kernels]
    told.stamp = f"addresses {names} {_written()}"
    return told


def _compiled_for(function: Callable[..., Any], kernel: Any) -> Any:
    """A kernel compiled for the types that a function's annotations mean."""
    wanted = signature_of(function)
    kernel.compile(wanted.args)
    made = kernel.overloads[wanted.args]
    if unliteral(made.signature.return_type) != wanted.return_type:
        told = f"{made.signature.return_type}, not {wanted.return_type} as annotated"
        raise TypeError(f"{function.__name__} returns {told}")
    return made


@cache
def handed_on(function: Callable[..., Any], number: int) -> Any:
    """For Python: call(plant, ...) as in kernels, the plant being a `Called`; compiled once for all plants."""
    return again(entry, _hand_on, {"operation": calling(function, number)})


def operation(plant: Any, *given: Any) -> Any:
    """What stands at an address."""
    raise NotImplementedError


def _hand_on(plant: Any, *given: Any) -> Any:
    return operation(plant, *given)
