"""Many named arrays in two flat ones.

A kernel that is handed a plant with sixty arrays takes half a second to compile for the handing over alone, and so
does every kernel it calls. So a plant travels as a Pack: one array of whole numbers, one of reals, and a directory of
where each part begins. A table is a NamedTuple of parts: of arrays in Python, of pointers in a kernel that unpacks it.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple, TypeVar

import numpy as np
from numba import types
from numba.extending import intrinsic

from taut.numerics.compiled import inlined
from taut.numerics.lanes import WIDTH, lane_pointer

Table = TypeVar("Table", bound=tuple[Any, ...])


class Pack(NamedTuple):
    """The directory stands at the head of `integers`: begin and size of each part, in either array.

    With `reals` as a matrix it is a pack of many plants of one layout, a lane each (see `taut.numerics.lanes`).
    """

    integers: np.ndarray
    reals: np.ndarray


def _reader(array: int) -> Any:
    """An intrinsic that gives a part of one of the pack's arrays as a pointer.

    A slice would do, but costs several times as much to compile and counts references at run time. A pointer can only
    be indexed, and lives no longer than the call that was handed the pack.
    """

    @intrinsic  # type: ignore[untyped-decorator]
    def part_of(typing_context: Any, p: Any, part: Any) -> Any:
        def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
            pack, number = args
            directory = context.make_array(p.types[0])(context, builder, builder.extract_value(pack, 0))
            source = context.make_array(p.types[array])(context, builder, builder.extract_value(pack, array))
            begin = builder.load(builder.gep(directory.data, [builder.shl(number, number.type(1))]))
            if laned:
                begin = builder.mul(begin, begin.type(WIDTH))
            return builder.gep(source.data, [begin])

        laned = p.types[array].ndim == 2
        return (lane_pointer if laned else types.CPointer(p.types[array].dtype))(p, types.int64), generate

    return part_of


integers = _reader(0)
reals = _reader(1)
"""In kernels: integers(p, part), reals(p, part); to be indexed like arrays, without checks."""


@inlined
def size_of(p: Pack, part: int) -> int:
    return p.integers[2 * part + 1]  # type: ignore[no-any-return]


def integers_of(pack: Pack, part: int) -> np.ndarray:
    """A part of the whole numbers, in Python."""
    begin, size = pack.integers[2 * part : 2 * part + 2]
    return pack.integers[begin : begin + size]


def reals_of(pack: Pack, part: int) -> np.ndarray:
    """A part of the reals, in Python."""
    begin, size = pack.integers[2 * part : 2 * part + 2]
    return pack.reals[begin : begin + size]


def copied(pack: Pack) -> Pack:
    return Pack(pack.integers.copy(), pack.reals.copy())


def packed(tables: Sequence[Table]) -> tuple[Pack, list[Table]]:
    """Tables of integer and float vectors as one Pack, and the same tables as views into it."""
    parts = [part for table in tables for part in table]
    whole = [np.issubdtype(part.dtype, np.integer) for part in parts]
    directory = np.zeros(2 * len(parts), dtype=np.int64)
    begins = [directory.size, 0]
    for k, part in enumerate(parts):
        kind = 0 if whole[k] else 1
        directory[2 * k : 2 * k + 2] = begins[kind], part.size
        begins[kind] += part.size
    pack = Pack(
        np.concatenate([directory, *(part for k, part in enumerate(parts) if whole[k])], dtype=np.int64),
        np.concatenate([np.empty(0), *(part for k, part in enumerate(parts) if not whole[k])], dtype=float),
    )
    return pack, viewed(pack, whole, tables)


def viewed(pack: Pack, whole: Sequence[bool], tables: Sequence[Table]) -> list[Table]:
    """Tables shaped like these, as views into a pack of the same layout."""
    views, part = [], 0
    for table in tables:
        arrays = []
        for _ in table:
            begin, size = pack.integers[2 * part : 2 * part + 2]
            arrays.append((pack.integers if whole[part] else pack.reals)[begin : begin + size])
            part += 1
        views.append(type(table)(*arrays))
    return views
