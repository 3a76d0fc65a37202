"""Many named arrays in two flat ones.

A kernel that is handed a plant with sixty arrays takes half a second to compile for the handing over alone, and so
does every kernel it calls. So a plant travels as a Pack: one array of whole numbers, one of reals, and a directory of
where each part begins. A table is a NamedTuple of parts, annotated as Integers or Reals: of arrays in Python, of
pointers in a kernel that reads it. Every table has a slot of the directory, so that what one table holds does not
move another, and a reader that is made from its annotations.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Any, NamedTuple, TypeVar, get_type_hints

import numpy as np
import numpy.typing as npt
from numba import types
from numba.extending import intrinsic

from taut.numerics.lanes import WIDTH, lane_pointer, one_lane_pointer

Integers = npt.NDArray[np.int64]
"""A part of whole numbers."""
Reals = npt.NDArray[np.float64]
"""A part of reals; a row of lanes for every entry where many plants travel in one pack."""

Table = TypeVar("Table", bound=tuple[Any, ...])

MOST_PARTS = 48
"""Of a table: the length of its slot in the directory."""


class Pack(NamedTuple):
    """The directory stands at the head of `integers`: begin and size of each part, in either array.

    With `reals` as a matrix it is a pack of many plants of one layout, a lane each (see `taut.numerics.lanes`).
    """

    integers: np.ndarray
    reals: np.ndarray


class OneLane(NamedTuple):
    """In kernels: one lane of a pack in lanes, read like a pack of one plant.

    Whole numbers are those of all lanes, but for the last ones: from `own` on each lane has as many as `count`.
    """

    integers: np.ndarray
    reals: np.ndarray
    lane: int
    own: int
    count: int


@cache
def kinds_of(table: type) -> tuple[int, ...]:
    """Of every part of a table the array it stands in: 0 for Integers, 1 for Reals, by its annotation."""
    hints = get_type_hints(table)
    return tuple((Integers, Reals).index(hints[field]) for field in table._fields)  # type: ignore[attr-defined]


def part(slot: int, table: type, field: str) -> int:
    """The place of a part in the directory."""
    if len(table._fields) > MOST_PARTS:  # type: ignore[attr-defined]
        raise TypeError(f"{table.__name__} has more than {MOST_PARTS} parts")
    return slot * MOST_PARTS + table._fields.index(field)  # type: ignore[attr-defined]


def _pointer(array: int, p: Any) -> Any:
    if array == 1 and p.instance_class is OneLane:
        return one_lane_pointer
    return lane_pointer if p.types[array].ndim == 2 else types.CPointer(p.types[array].dtype)


def _begin(context: Any, builder: Any, p: Any, pack: Any, array: int, number: Any) -> Any:
    """The address at which a part begins.

    A slice would do, but costs several times as much to compile and counts references at run time. A pointer can only
    be indexed, and lives no longer than the call that was handed the pack.
    """
    directory = context.make_array(p.types[0])(context, builder, builder.extract_value(pack, 0))
    source = context.make_array(p.types[array])(context, builder, builder.extract_value(pack, array))
    begin = builder.load(builder.gep(directory.data, [builder.shl(number, number.type(1))]))
    if p.types[array].ndim == 2:
        begin = builder.mul(begin, begin.type(WIDTH))
    if p.instance_class is OneLane:
        lane, own, count = (builder.extract_value(pack, k) for k in (2, 3, 4))
        first = builder.icmp_signed(">=", begin, own) if array == 0 else None
        further = builder.select(first, builder.mul(lane, count), lane.type(0)) if array == 0 else lane
        begin = builder.add(begin, further)
    return builder.gep(source.data, [begin])


def reader_at(table: type) -> Any:
    """In kernels: read(p, slot), the table that stands in a slot, its parts as pointers without checks."""
    kinds = kinds_of(table)

    @intrinsic  # type: ignore[untyped-decorator]
    def read(typing_context: Any, p: Any, slot: Any) -> Any:
        result = types.NamedTuple([_pointer(kind, p) for kind in kinds], table)

        def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
            pack, number = args
            first = builder.mul(number, number.type(MOST_PARTS))
            parts = [
                _begin(context, builder, p, pack, kind, builder.add(first, first.type(k)))
                for k, kind in enumerate(kinds)
            ]
            return context.make_tuple(builder, signature.return_type, parts)

        return result(p, types.int64), generate

    read.stamp, read.table = f"{table.__name__}{table._fields}{kinds}", table  # type: ignore[attr-defined]
    return read


def reader(table: type, slot: int) -> Any:
    """In kernels: read(p), the table that stands in this slot, its parts as pointers without checks."""
    kinds = kinds_of(table)

    @intrinsic  # type: ignore[untyped-decorator]
    def read(typing_context: Any, p: Any) -> Any:
        result = types.NamedTuple([_pointer(kind, p) for kind in kinds], table)

        def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
            integer = context.get_value_type(types.int64)
            parts = [
                _begin(context, builder, p, args[0], kind, integer(slot * MOST_PARTS + k))
                for k, kind in enumerate(kinds)
            ]
            return context.make_tuple(builder, signature.return_type, parts)

        return result(p), generate

    read.stamp, read.table, read.slot = f"{table.__name__}{table._fields}{kinds}{slot}", table, slot  # type: ignore[attr-defined]
    return read


def _size(context: Any, builder: Any, p: Any, pack: Any, number: Any) -> Any:
    directory = context.make_array(p.types[0])(context, builder, builder.extract_value(pack, 0))
    place = builder.add(builder.shl(number, number.type(1)), number.type(1))
    return builder.load(builder.gep(directory.data, [place]))


@intrinsic  # type: ignore[untyped-decorator]
def size_of(typing_context: Any, p: Any, part: Any) -> Any:
    """In kernels: size_of(p, part), how many entries a part has."""

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return _size(context, builder, p, *args)

    return types.int64(p, types.int64), generate


@intrinsic  # type: ignore[untyped-decorator]
def reals_at(typing_context: Any, p: Any, part: Any) -> Any:
    """In kernels: reals_at(p, part), a part of the reals as a pointer; the part may be known at run time only."""

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return _begin(context, builder, p, args[0], 1, args[1])

    return _pointer(1, p)(p, types.int64), generate


def counter(part: int) -> Any:
    """In kernels: count(p), how many entries this part has."""

    @intrinsic  # type: ignore[untyped-decorator]
    def count(typing_context: Any, p: Any) -> Any:
        def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
            return _size(context, builder, p, args[0], context.get_value_type(types.int64)(part))

        return types.int64(p), generate

    count.stamp, count.part = f"count{part}", part
    return count


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


def lane_of(pack: Pack, lane: int) -> Pack:
    """The pack of one plant of those that travel in lanes; a copy."""
    return Pack(pack.integers, np.ascontiguousarray(pack.reals[:, lane]))


def empty(table: type[Table]) -> Table:
    """A table of a plant that has nothing of its kind."""
    return table(*(np.empty(0, dtype=float if kind else np.int64) for kind in kinds_of(table)))


def packed(tables: Mapping[int, Table]) -> tuple[Pack, dict[int, Table]]:
    """Tables by slot as one Pack, and the same tables as views into it."""
    directory = np.zeros(2 * MOST_PARTS * (1 + max(tables, default=0)), dtype=np.int64)
    arrays: tuple[list[np.ndarray], list[np.ndarray]] = ([directory], [])
    begins = [directory.size, 0]
    for slot, table in tables.items():
        for k, (kind, values) in enumerate(zip(kinds_of(type(table)), table, strict=True)):
            if np.issubdtype(values.dtype, np.integer) != (kind == 0):
                name = f"{type(table).__name__}.{type(table)._fields[k]}"  # type: ignore[attr-defined]
                raise TypeError(f"{name} holds {values.dtype}, not {'Reals' if kind else 'Integers'} as annotated")
            at = 2 * (slot * MOST_PARTS + k)
            directory[at : at + 2] = begins[kind], values.size
            arrays[kind].append(values)
            begins[kind] += values.size
    pack = Pack(np.concatenate(arrays[0], dtype=np.int64), np.concatenate([np.empty(0), *arrays[1]], dtype=float))
    return pack, viewed(pack, tables)


def with_own_integers(pack: Pack, slot: int, table: type) -> Pack:
    """The same pack in lanes with the whole numbers of a table once more for each lane, behind all others."""
    directory = pack.integers.copy()
    parts = [slot * MOST_PARTS + k for k, kind in enumerate(kinds_of(table)) if kind == 0]
    own, begin = [], directory.size
    for k in parts:
        own.append(integers_of(pack, k))
        directory[2 * k] = begin
        begin += own[-1].size
    return Pack(np.concatenate([directory, *own * WIDTH]), pack.reals)


def viewed(pack: Pack, tables: Mapping[int, Table]) -> dict[int, Table]:
    """Tables shaped like these, as views into a pack of the same layout."""
    return {
        slot: type(table)(
            *(
                (reals_of if kind else integers_of)(pack, slot * MOST_PARTS + k)
                for k, kind in enumerate(kinds_of(type(table)))
            )
        )
        for slot, table in tables.items()
    }
