"""Packs: many arrays in two, with views on both sides."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import njit

from taut.numerics.packing import Pack, integers, packed, reals, size_of


class Whole(NamedTuple):
    counts: np.ndarray
    empty: np.ndarray


class Mixed(NamedTuple):
    values: np.ndarray
    places: np.ndarray
    nothing: np.ndarray


def tables() -> tuple[Whole, Mixed]:
    return (
        Whole(np.array([3, 1, 2]), np.empty(0, dtype=np.int64)),
        Mixed(np.array([0.5, -1.5]), np.array([7, 8], dtype=np.int32), np.empty(0)),
    )


@njit
def add_one(p: Pack) -> float:
    """Parts 0 (whole), 2 (real) and 3 (whole) of `tables`."""
    integers(p, 0)[1] += 1
    values, places = reals(p, 2), integers(p, 3)
    values[0] += 1.0
    total = size_of(p, 4) + size_of(p, 1) + 0.0
    for i in range(size_of(p, 2)):
        total += values[i]
    for i in range(size_of(p, 3)):
        total += places[i]
    return total


def test_what_goes_in_comes_out_by_name_with_its_type() -> None:
    _, (whole, mixed) = packed(tables())
    assert isinstance(whole, Whole)
    assert isinstance(mixed, Mixed)
    for before, after in zip((*tables()[0], *tables()[1]), (*whole, *mixed), strict=True):
        assert np.array_equal(before, after)
        assert after.dtype in (np.int64, np.float64)
        assert np.issubdtype(before.dtype, np.integer) == np.issubdtype(after.dtype, np.integer)


def test_views_share_memory_with_the_pack_and_not_with_what_was_packed() -> None:
    source = tables()
    pack, (whole, mixed) = packed(source)
    assert np.shares_memory(whole.counts, pack.integers)
    assert np.shares_memory(mixed.places, pack.integers)
    assert np.shares_memory(mixed.values, pack.reals)
    mixed.values[1] = 9.0
    assert 9.0 in pack.reals
    pack.reals[:] = 4.0
    assert mixed.values.tolist() == [4.0, 4.0]
    assert source[1].values.tolist() == [0.5, -1.5]
    assert not np.shares_memory(whole.counts, mixed.places)


def test_a_kernel_sees_the_same_memory() -> None:
    pack, (whole, mixed) = packed(tables())
    assert add_one(pack) == 0.5 + 1.0 - 1.5 + 15
    assert whole.counts.tolist() == [3, 2, 2]
    assert mixed.values.tolist() == [1.5, -1.5]
    assert mixed.places.tolist() == [7, 8]


def test_packing_views_again_makes_a_copy_to_work_in() -> None:
    pack, views = packed(tables())
    other, (whole, _) = packed(views)
    whole.counts[0] = 100
    assert views[0].counts[0] == 3
    assert not np.shares_memory(pack.integers, other.integers)
    assert np.array_equal(np.delete(pack.integers, pack.integers[0]), np.delete(other.integers, other.integers[0]))
