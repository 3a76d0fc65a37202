"""An array over what a pointer points at, for kernels that call others by arrays: nothing counted, nothing copied."""

from __future__ import annotations

from typing import Any

from numba import types
from numba.core import cgutils
from numba.extending import intrinsic


@intrinsic  # type: ignore[untyped-decorator]
def array_at(typing_context: Any, pointer: Any, size: Any) -> Any:
    """array_at(pointer, size): as many numbers from there on; lives no longer than what the pointer points into."""
    result = types.Array(pointer.dtype, 1, "C")

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        from numba.np.arrayobj import populate_array  # slow to import, and compiled code needs none of it

        view = context.make_array(result)(context, builder)
        step = args[1].type(context.get_abi_sizeof(context.get_data_type(pointer.dtype)))
        populate_array(
            view,
            data=args[0],
            shape=cgutils.pack_array(builder, [args[1]]),
            strides=cgutils.pack_array(builder, [step]),
            itemsize=step,
            meminfo=None,
        )
        return view._getvalue()

    return result(pointer, types.int64), generate


array_at.stamp = "array_at, 1"  # for the names of compiled code; another number for another way of writing it


@intrinsic  # type: ignore[untyped-decorator]
def matrix_at(typing_context: Any, pointer: Any, rows: Any, columns: Any) -> Any:
    """matrix_at(pointer, rows, columns): the same in rows."""
    result = types.Array(pointer.dtype, 2, "C")

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        from numba.np.arrayobj import populate_array  # slow to import, and compiled code needs none of it

        view = context.make_array(result)(context, builder)
        step = args[1].type(context.get_abi_sizeof(context.get_data_type(pointer.dtype)))
        populate_array(
            view,
            data=args[0],
            shape=cgutils.pack_array(builder, args[1:]),
            strides=cgutils.pack_array(builder, [builder.mul(args[2], step), step]),
            itemsize=step,
            meminfo=None,
        )
        return view._getvalue()

    return result(pointer, types.int64, types.int64), generate


matrix_at.stamp = "matrix_at, 1"
