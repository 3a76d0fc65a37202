"""Pointers into arrays, for kernels: nothing counted, nothing checked."""

from __future__ import annotations

from typing import Any

from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic

from taut.numerics.lanes import WIDTH, lane_pointer, one_lane_pointer


@intrinsic  # type: ignore[untyped-decorator]
def start_of(typing_context: Any, array: Any) -> Any:
    """An array's own data as a pointer: indexing it costs no check for negative indices, a third of a force's time.

    A matrix has a row of lanes for every entry (see `taut.numerics.lanes`).
    """

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return context.make_array(array)(context, builder, args[0]).data

    return (lane_pointer if array.ndim == 2 else types.CPointer(array.dtype))(array), generate


@intrinsic  # type: ignore[untyped-decorator]
def all_of(typing_context: Any, array: Any) -> Any:
    """All numbers of an array of any shape, one after the other, as a pointer."""

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return context.make_array(array)(context, builder, args[0]).data

    return types.CPointer(array.dtype)(array), generate


@intrinsic  # type: ignore[untyped-decorator]
def shifted(typing_context: Any, pointer: Any, places: Any) -> Any:
    """The pointer to what stands so many places further on."""

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        wide = pointer in (lane_pointer, one_lane_pointer)
        step = builder.mul(args[1], args[1].type(WIDTH)) if wide else args[1]
        return builder.gep(args[0], [step])

    return pointer(pointer, types.int64), generate


@intrinsic  # type: ignore[untyped-decorator]
def lane_at(typing_context: Any, pointer: Any, lane: Any) -> Any:
    """Of rows of lanes one lane, as a pointer to floats."""

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return builder.gep(args[0], [args[1]])

    return one_lane_pointer(lane_pointer, types.int64), generate


@intrinsic  # type: ignore[untyped-decorator]
def row_of(typing_context: Any, array: Any, number: Any) -> Any:
    """The array at a place of the first axis, not counted; counting references costs ten nanoseconds a row."""
    row = types.Array(array.dtype, array.ndim - 1, "C")

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        from numba.np.arrayobj import populate_array  # slow to import, and compiled code needs none of it

        source = context.make_array(array)(context, builder, args[0])
        shape = cgutils.unpack_tuple(builder, source.shape)
        strides = cgutils.unpack_tuple(builder, source.strides)
        first = builder.ptrtoint(source.data, args[1].type)
        view = context.make_array(row)(context, builder)
        populate_array(
            view,
            data=builder.inttoptr(builder.add(first, builder.mul(args[1], strides[0])), source.data.type),
            shape=cgutils.pack_array(builder, shape[1:]),
            strides=cgutils.pack_array(builder, strides[1:]),
            itemsize=source.itemsize,
            meminfo=None,
        )
        return view._getvalue()

    return row(array, types.int64), generate


@intrinsic  # type: ignore[untyped-decorator]
def call_at(
    typing_context: Any, address: Any, t: Any, measured: Any, m: Any, state: Any, s: Any, command: Any, c: Any
) -> Any:
    """Call the C function at an address, long f(double, double*, long, double*, long, double*, long).

    An address is data, so that a kernel need not be compiled again for another function.
    """
    pointer = types.CPointer(types.float64)
    wanted = types.int64(types.int64, types.float64, pointer, types.int64, pointer, types.int64, pointer, types.int64)

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        returned, *given = (context.get_value_type(one) for one in (wanted.return_type, *wanted.args[1:]))
        function = builder.inttoptr(args[0], ir.FunctionType(returned, given).as_pointer())
        return builder.call(function, args[1:])

    return wanted, generate


def _calling(result: Any) -> Any:
    """In kernels: call(address, arguments), a compiled kernel by the address that `taut.numerics.compiled.address_of`
    tells, with a tuple of arguments of exactly the types that it was compiled for.

    A kernel that calls another by its name holds a copy of it, compiled once more.
    """

    @intrinsic  # type: ignore[untyped-decorator]
    def call(typing_context: Any, address: Any, given: Any) -> Any:
        def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
            kinds = list(given.types)
            function = context.call_conv.get_function_type(result, kinds)
            pointer = builder.inttoptr(args[0], function.as_pointer())
            values = cgutils.unpack_tuple(builder, args[1])
            status, found = context.call_conv.call_function(builder, pointer, result, kinds, values)
            with cgutils.if_unlikely(builder, status.is_error):  # kernels of kinds from outside may raise
                context.call_conv.return_status_propagate(builder, status)
            return found

        return result(types.int64, given), generate

    call.stamp = f"call{result}"
    return call


number_by_kernel_at, done_by_kernel_at = _calling(types.int64), _calling(types.none)
"""Those of kernels that return a whole number, and of those that return nothing."""
