"""The analysis of a saddle-point system: where every unknown, row and number goes (see `taut.numerics.saddle`)."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from taut.numerics.blocks import BLOCK
from taut.numerics.chain_links import Links, Pattern, links_of
from taut.numerics.chains import COUPLING, FOUND, GIVEN, NEXT, OWN
from taut.numerics.saddle_groups import groups_of
from taut.numerics.saddle_table import Saddle

if TYPE_CHECKING:
    import scipy.sparse as sp


def analyse(
    weight: sp.spmatrix, row_start: np.ndarray, touched: np.ndarray, blocks: np.ndarray
) -> tuple[Saddle, np.ndarray]:
    """Order and symbolic factor for W = `weight` (u x u) and rows of G given by the unknowns they touch.

    row_start, touched: row i touches the unknowns touched[row_start[i] : row_start[i + 1]].
    blocks: (u,) a label for each unknown; unknowns of one label (the axes of a node) stay together in the order.
    Returns the system and where the entries of G, row after row, live in its `values`.
    """
    import scipy.sparse as sp

    upper = sp.triu(sp.csr_matrix(weight)).tocoo()
    unknowns, count = weight.shape[0], row_start.size - 1
    touched = np.asarray(touched, dtype=np.int64)
    block, axis = _blocks(blocks)
    sizes = np.bincount(block)
    first = np.zeros(sizes.size, dtype=np.int64)  # unknown of every block
    first[block[axis == 0]] = np.flatnonzero(axis == 0)
    pattern = Pattern(sizes, block, axis, upper.row, upper.col, row_start, touched)
    links = links_of(pattern)
    n = links.block.size
    link_of = np.full(sizes.size, -1, dtype=np.int64)
    link_of[links.block] = np.arange(n)
    groups = groups_of(pattern, links, link_of)
    group_of, g = groups.of_block, groups.first_row.size
    # places
    home = np.where(link_of >= 0, 4 * link_of, 4 * (n + group_of))
    place = home[block] + axis
    row_place = 4 * (n + groups.of_row) + groups.slot
    ahead = np.append(link_of, -1)[links.onto]  # the link that each hangs on, -1 if none
    linked = ahead >= 0
    row_place[links.row[linked]] = 4 * ahead[linked] + 3
    order = np.concatenate([place, row_place]).astype(np.int64)
    idle = 4 * (n + g)
    onto = np.where(links.onto >= 0, np.append(home, 0)[links.onto], idle)
    link_row = np.where(links.row >= 0, np.append(row_place, 0)[links.row], idle + 3)
    # blocks between groups
    hangs = np.flatnonzero((links.onto >= 0) & ~linked)
    every, key = np.arange(g), groups.joined
    block_start = np.searchsorted(key, np.arange(g + 1) * g).astype(np.int64)
    block_index = (key % g if g else key).astype(np.int64)
    factor_start = np.cumsum([0, *map(len, groups.columns)])
    factor_index = np.array([row for column in groups.columns for row in column], dtype=np.int64)
    by_row = np.argsort(factor_index, kind="stable")
    row_pattern = np.repeat(every, np.diff(factor_start))[by_row]
    hanging = np.zeros((hangs.size, 4), dtype=np.int64)
    if hangs.size:
        at, row = group_of[links.onto[hangs]], links.row[hangs]
        behind, slot = groups.of_row[row], groups.slot[row]
        hanging[:, 0] = hangs
        hanging[:, 1] = GIVEN * n + BLOCK * np.searchsorted(key, at * g + at)
        hanging[:, 2] = GIVEN * n + BLOCK * np.searchsorted(key, behind * g + at) + slot
        hanging[:, 3] = GIVEN * n + BLOCK * np.searchsorted(key, behind * g + behind) + 5 * slot
    spans = _runs(np.flatnonzero(place >= 4 * n)), unknowns + _runs(np.flatnonzero(row_place >= 4 * n))
    saddle = Saddle(
        order=order,
        child=links.child,
        onto=onto.astype(np.int64),
        link_row=link_row.astype(np.int64),
        unknown=first[links.block],
        row=np.where(links.child >= 0, links.row[links.child], -1),
        spans=np.concatenate(spans).ravel(),
        hanging=hanging.ravel(),
        block_start=block_start,
        block_index=block_index,
        first_row=groups.first_row,
        pattern_start=np.searchsorted(factor_index[by_row], np.arange(g + 1)).astype(np.int64),
        pattern=row_pattern,
        factor_start=factor_start,
        factor_index=factor_index,
        filled=np.empty(g, dtype=np.int64),
        sizes=np.array(
            [unknowns, count, n, np.count_nonzero(links.child < 0), hangs.size, g, len(spans[0]), sum(map(len, spans))],
            dtype=np.int64,
        ),
        values=np.zeros(GIVEN * n + BLOCK * key.size),
        found=np.zeros(FOUND * n),
        alone=np.zeros(6 * hangs.size),
        factor=np.empty(BLOCK * factor_start[-1]),
        inner=np.empty(6 * g),
        inverse_pivot=np.zeros(idle + 4),
        work=np.zeros(BLOCK * g),
        scale=np.empty(4),
        vector=np.zeros(idle + 4),
        weakest=np.ones(1),
    )
    for axis_ in range(4):  # what is left over in a group
        left = every[(axis_ >= groups.held) & (axis_ < groups.first_row)]
        saddle.values[GIVEN * n + BLOCK * (block_start[left + 1] - 1) + 5 * axis_] = 1.0
    saddle.values[weight_places(saddle, upper.row, upper.col)] = upper.data
    return saddle, _row_places(saddle, links, pattern.owner, touched, block, axis)


def weight_places(saddle: Saddle, i: np.ndarray, j: np.ndarray) -> np.ndarray:
    """Where the entries (i, j) of W, all of them in its pattern, live in the `values` of a system."""
    first, second = saddle.order[i], saddle.order[j]
    n = int(saddle.sizes[2])
    found = _block_places(saddle, first, second)
    one, other, axis = first // 4, second // 4, first % 4
    own = (one == other) & (one < n)
    found[own] = (GIVEN * one + axis)[own]
    # Between a link and what it hangs on; of two links the one hangs on the other.
    onto = np.append(saddle.onto, -1)
    for a, b in ((one, other), (other, one)):
        hangs = (a < n) & (onto[np.minimum(a, n)] == 4 * b) & ~own
        found[hangs] = (GIVEN * a + COUPLING + axis)[hangs]
    return found


def _block_places(saddle: Saddle, first: np.ndarray, second: np.ndarray) -> np.ndarray:
    """Where the numbers at these pairs of places are kept, if both are in groups."""
    n, g = int(saddle.sizes[2]), int(saddle.sizes[5])
    low, high = np.minimum(first, second) - 4 * n, np.maximum(first, second) - 4 * n
    key = np.repeat(np.arange(g), np.diff(saddle.block_start)) * g + saddle.block_index
    number = np.searchsorted(key, (high // 4) * g + low // 4)
    return np.asarray(GIVEN * n + BLOCK * number + 4 * (low % 4) + high % 4)


def _row_places(
    saddle: Saddle, links: Links, owner: np.ndarray, touched: np.ndarray, block: np.ndarray, axis: np.ndarray
) -> np.ndarray:
    """Where the entries of G live."""
    unknowns, count = int(saddle.sizes[0]), int(saddle.sizes[1])
    places = _block_places(saddle, saddle.order[unknowns + owner], saddle.order[touched])
    link = np.full(count + 1, -1, dtype=np.int64)
    link[links.row] = np.arange(links.row.size)
    mine = link[:count][owner]
    linked = mine >= 0
    own = np.append(links.block, -1)[mine] == block[touched]
    return np.where(linked, GIVEN * mine + np.where(own, OWN, NEXT) + axis[touched], places)


def _runs(numbers: np.ndarray) -> np.ndarray:
    """(runs, 2) begin and end of all runs of whole numbers in order that follow one another."""
    ends = np.flatnonzero(np.diff(numbers) != 1)
    begins = numbers[np.concatenate([np.zeros(min(numbers.size, 1), dtype=np.int64), ends + 1])]
    lasts = numbers[np.concatenate([ends, np.full(min(numbers.size, 1), numbers.size - 1)])]
    return np.stack([begins, lasts + 1], axis=1).astype(np.int64)


def _blocks(labels: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The block of every unknown, of four at most, and its number there."""
    order = np.argsort(labels, kind="stable")
    ordered = np.asarray(labels)[order]
    begins = np.flatnonzero(np.append(True, ordered[1:] != ordered[:-1])) if order.size else np.zeros(0, dtype=int)
    number = np.arange(order.size) - np.repeat(begins, np.diff(np.append(begins, order.size)))
    block, axis = np.empty(order.size, dtype=np.int64), np.empty(order.size, dtype=np.int64)
    block[order] = np.cumsum(number % 4 == 0) - 1
    axis[order] = number % 4
    return block, axis
