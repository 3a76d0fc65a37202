"""Packs: many arrays in two, by the slots of their tables, with views on both sides."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import pytest
from numba import njit

from taut.numerics.packing import (
    MOST_PARTS,
    Integers,
    Pack,
    Reals,
    copied,
    counter,
    empty,
    integers_of,
    packed,
    part,
    reader,
    reader_at,
    reals_of,
    size_of,
    viewed,
)


class Whole(NamedTuple):
    counts: Integers
    nothing: Integers


class Mixed(NamedTuple):
    values: Reals
    places: Integers
    nothing: Reals


WHOLE, MIXED, AGAIN = 4, 1, 6
"""Slots, neither in order nor without holes."""


def tables() -> dict[int, tuple]:
    return {
        WHOLE: Whole(np.array([3, 1, 2]), np.empty(0, dtype=np.int64)),
        MIXED: Mixed(np.array([0.5, -1.5]), np.array([7, 8], dtype=np.int32), np.empty(0)),
        AGAIN: Mixed(np.array([2.0, 4.0, 6.0]), np.array([5]), np.array([9.0])),
    }


whole_in, mixed_in, mixed_at = reader(Whole, WHOLE), reader(Mixed, MIXED), reader_at(Mixed)
VALUES, PLACES, NOTHING = (part(MIXED, Mixed, field) for field in Mixed._fields)
count_values, count_nothing = counter(VALUES), counter(part(WHOLE, Whole, "nothing"))


@njit
def add_one(p: Pack) -> float:
    whole, mixed = whole_in(p), mixed_in(p)
    whole.counts[1] += 1
    mixed.values[0] += 1.0
    total = size_of(p, NOTHING) + count_nothing(p) + 0.0
    for i in range(count_values(p)):
        total += mixed.values[i]
    for i in range(size_of(p, PLACES)):
        total += mixed.places[i]
    return total


@njit
def last_of(p: Pack, slot: int) -> float:
    table, size = mixed_at(p, slot), size_of(p, MOST_PARTS * slot)
    return table.values[size - 1] + 100.0 * table.places[0]


def test_what_goes_in_comes_out_by_slot_and_name_with_its_type() -> None:
    _, views = packed(tables())
    assert list(views) == [WHOLE, MIXED, AGAIN]
    for slot, table in tables().items():
        assert type(views[slot]) is type(table)
        for before, after in zip(table, views[slot], strict=True):
            assert np.array_equal(before, after)
            assert after.size == before.size
            assert after.dtype in (np.int64, np.float64)
            assert np.issubdtype(before.dtype, np.integer) == np.issubdtype(after.dtype, np.integer)


def test_parts_stand_in_the_order_of_tables_and_fields_behind_a_directory_by_slot() -> None:
    pack, _ = packed(tables())
    assert pack.integers.dtype == np.int64
    assert pack.reals.dtype == np.float64
    head = 2 * MOST_PARTS * (1 + max(WHOLE, MIXED, AGAIN))
    assert pack.integers[head:].tolist() == [3, 1, 2, 7, 8, 5]
    assert pack.reals.tolist() == [0.5, -1.5, 2.0, 4.0, 6.0, 9.0]
    directory = pack.integers[:head].reshape(-1, 2)
    assert directory[[part(WHOLE, Whole, field) for field in Whole._fields]].tolist() == [[head, 3], [head + 3, 0]]
    assert directory[[VALUES, PLACES, NOTHING]].tolist() == [[0, 2], [head + 3, 2], [2, 0]]
    assert directory[[part(AGAIN, Mixed, field) for field in Mixed._fields]].tolist() == [[2, 3], [head + 5, 1], [5, 1]]
    assert integers_of(pack, PLACES).tolist() == [7, 8]
    assert reals_of(pack, VALUES).tolist() == [0.5, -1.5]
    for slot in (0, 2, 3, 5):
        assert not directory[MOST_PARTS * slot : MOST_PARTS * (slot + 1)].any(), "a slot without table has no parts"


def test_what_one_table_holds_does_not_move_the_directory_of_another() -> None:
    longer = tables() | {WHOLE: Whole(np.arange(100), np.arange(5))}
    pack, views = packed(longer)
    assert add_one(pack) == 5 + 0.5 + 1.0 - 1.5 + 15
    assert views[WHOLE].counts[1] == 2
    assert last_of(pack, AGAIN) == 506.0


@pytest.mark.parametrize(
    ("table", "said"),
    [
        (Whole(np.array([1.0]), np.empty(0, dtype=np.int64)), "Whole.counts holds float64, not Integers as annotated"),
        (Whole(np.array([1]), np.empty(0)), "Whole.nothing holds float64, not Integers as annotated"),
        (Mixed(np.array([1]), np.array([1]), np.empty(0)), "Mixed.values holds int64, not Reals as annotated"),
    ],
)
def test_an_array_that_is_not_as_annotated_is_refused(table: tuple, said: str) -> None:
    with pytest.raises(TypeError, match=said):
        packed({WHOLE: table})


def test_an_empty_table_has_no_entries_and_the_right_types() -> None:
    table = empty(Mixed)
    assert isinstance(table, Mixed)
    assert [(column.size, column.dtype) for column in table] == [(0, np.float64), (0, np.int64), (0, np.float64)]
    _, views = packed({MIXED: table})
    assert all(column.size == 0 for column in views[MIXED])


def test_views_share_memory_with_the_pack_and_not_with_what_was_packed() -> None:
    source = tables()
    pack, views = packed(source)
    whole, mixed = views[WHOLE], views[MIXED]
    assert np.shares_memory(whole.counts, pack.integers)
    assert np.shares_memory(mixed.places, pack.integers)
    assert np.shares_memory(mixed.values, pack.reals)
    mixed.values[1] = 9.5
    assert 9.5 in pack.reals
    pack.reals[:] = 4.0
    assert mixed.values.tolist() == [4.0, 4.0]
    assert source[MIXED].values.tolist() == [0.5, -1.5]
    assert not np.shares_memory(whole.counts, mixed.places)


def test_a_kernel_sees_the_same_memory() -> None:
    pack, views = packed(tables())
    assert add_one(pack) == 0.5 + 1.0 - 1.5 + 15
    assert views[WHOLE].counts.tolist() == [3, 2, 2]
    assert views[MIXED].values.tolist() == [1.5, -1.5]
    assert views[MIXED].places.tolist() == [7, 8]
    assert views[AGAIN].values.tolist() == [2.0, 4.0, 6.0]


def test_one_reader_reads_the_same_table_from_several_slots() -> None:
    pack, _ = packed(tables())
    assert last_of(pack, MIXED) == 698.5
    assert last_of(pack, AGAIN) == 506.0


def test_packing_views_again_makes_a_copy_to_work_in() -> None:
    pack, views = packed(tables())
    other, again = packed(views)
    assert np.array_equal(pack.integers, other.integers)
    assert np.array_equal(pack.reals, other.reals)
    again[WHOLE].counts[0] = 100
    assert views[WHOLE].counts[0] == 3
    assert not np.shares_memory(pack.integers, other.integers)
    changed = pack.integers != other.integers
    assert changed.sum() == 1, "nothing else has changed"


def test_a_copied_pack_can_be_viewed_by_the_same_names() -> None:
    pack, views = packed(tables())
    other = copied(pack)
    mine = viewed(other, views)
    mine[MIXED].values[0] = 11.0
    assert views[MIXED].values[0] == 0.5
    assert 11.0 in other.reals
    assert np.shares_memory(mine[AGAIN].places, other.integers)
