"""Pointers into arrays, for kernels: nothing counted, nothing checked."""

from __future__ import annotations

from typing import Any

from numba import types
from numba.core import cgutils
from numba.extending import intrinsic
from numba.np.arrayobj import populate_array


@intrinsic  # type: ignore[untyped-decorator]
def start_of(typing_context: Any, vector: Any) -> Any:
    """A vector's own data as a pointer: indexing it costs no check for negative indices, a third of a force's time."""

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return context.make_array(vector)(context, builder, args[0]).data

    return types.CPointer(vector.dtype)(vector), generate


@intrinsic  # type: ignore[untyped-decorator]
def lent(typing_context: Any, array: Any) -> Any:
    """The same array, not counted: each call that is handed a counted one spends ten nanoseconds on the counting.

    Only for as long as someone else holds on to the array.
    """

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        view = context.make_array(array)(context, builder, args[0])
        view.meminfo = cgutils.get_null_value(view.meminfo.type)
        return view._getvalue()

    return array(array), generate


@intrinsic  # type: ignore[untyped-decorator]
def shifted(typing_context: Any, pointer: Any, places: Any) -> Any:
    """The pointer to what stands so many places further on."""

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return builder.gep(args[0], [args[1]])

    return pointer(pointer, types.int64), generate


@intrinsic  # type: ignore[untyped-decorator]
def row_of(typing_context: Any, matrix: Any, number: Any) -> Any:
    """A row of a matrix as a vector that is not counted; counting references costs ten nanoseconds a row."""
    vector = types.Array(matrix.dtype, 1, "C")

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        source = context.make_array(matrix)(context, builder, args[0])
        columns = builder.extract_value(source.shape, 1)
        view = context.make_array(vector)(context, builder)
        populate_array(
            view,
            data=builder.gep(source.data, [builder.mul(args[1], columns)]),
            shape=cgutils.pack_array(builder, [columns]),
            strides=cgutils.pack_array(builder, [source.itemsize]),
            itemsize=source.itemsize,
            meminfo=None,
        )
        return view._getvalue()

    return vector(matrix, types.int64), generate
