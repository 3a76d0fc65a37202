"""The analysis of a saddle-point system: where every unknown, row and number goes (see `taut.numerics.saddle`)."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import scipy.sparse as sp

from taut.numerics.blocks import BLOCK
from taut.numerics.chain_links import Links, Pattern, links_of
from taut.numerics.chains import COUPLING, FOUND, GIVEN, NEXT, OWN
from taut.numerics.elimination import columns_of, order_of, parents_of
from taut.numerics.saddle_table import Saddle

CROWD = 3
"""So many rows without room make a group of their own; fewer wait for the next block."""


def analyse(
    weight: sp.spmatrix, row_start: np.ndarray, touched: np.ndarray, blocks: np.ndarray
) -> tuple[Saddle, np.ndarray]:
    """Order and symbolic factor for W = `weight` (u x u) and rows of G given by the unknowns they touch.

    row_start, touched: row i touches the unknowns touched[row_start[i] : row_start[i + 1]].
    blocks: (u,) a label for each unknown; unknowns of one label (the axes of a node) stay together in the order.
    Returns the system and where the entries of G, row after row, live in its `values`.
    """
    upper = sp.triu(sp.csr_matrix(weight)).tocoo()
    unknowns, count = weight.shape[0], row_start.size - 1
    touched = np.asarray(touched, dtype=np.int64)
    block, axis = _blocks(blocks)
    sizes = np.bincount(block)
    pattern = Pattern(sizes, block, axis, upper.row, upper.col, row_start, touched)
    links = links_of(pattern)
    n = links.block.size
    link_of = np.full(sizes.size, -1, dtype=np.int64)
    link_of[links.block] = np.arange(n)
    groups = _groups(pattern, links, link_of, count)
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
    owner = np.repeat(np.arange(count), np.diff(row_start))
    one = np.concatenate([order[upper.row], order[unknowns + owner]]) // 4 - n
    other = np.concatenate([order[upper.col], order[touched]]) // 4 - n
    hangs = np.flatnonzero((links.onto >= 0) & ~linked)
    among = (one >= 0) & (other >= 0)
    every = np.arange(g)
    low = np.concatenate([np.minimum(one, other)[among], every])
    high = np.concatenate([np.maximum(one, other)[among], every])
    key = np.unique(high * g + low)
    block_start = np.searchsorted(key, np.arange(g + 1) * g).astype(np.int64)
    block_index = (key % g if g else key).astype(np.int64)
    columns = columns_of(g, key // max(g, 1), block_index)
    factor_start = np.cumsum([0, *map(len, columns)])
    factor_index = np.array([row for column in columns for row in column], dtype=np.int64)
    by_row = np.argsort(factor_index, kind="stable")
    row_pattern = np.repeat(every, np.diff(factor_start))[by_row]
    hanging = np.zeros((hangs.size, 4), dtype=np.int64)
    if hangs.size:
        at, row = group_of[links.onto[hangs]], links.row[hangs]
        behind, slot = groups.of_row[row], groups.slot[row]
        hanging[:, 0] = hangs
        hanging[:, 1] = BLOCK * np.searchsorted(key, at * g + at)
        hanging[:, 2] = BLOCK * np.searchsorted(key, behind * g + at) + slot
        hanging[:, 3] = BLOCK * np.searchsorted(key, behind * g + behind) + 5 * slot
    saddle = Saddle(
        order=order,
        child=links.child,
        onto=onto.astype(np.int64),
        link_row=link_row.astype(np.int64),
        hanging=hanging.ravel(),
        block_start=block_start,
        block_index=block_index,
        first_row=groups.first_row,
        pattern_start=np.searchsorted(factor_index[by_row], np.arange(g + 1)).astype(np.int64),
        pattern=row_pattern,
        factor_start=factor_start,
        factor_index=factor_index,
        filled=np.empty(g, dtype=np.int64),
        sizes=np.array([unknowns, count, n, np.count_nonzero(links.child < 0), hangs.size, g], dtype=np.int64),
        values=np.zeros(GIVEN * n + BLOCK * key.size),
        found=np.zeros(FOUND * n),
        entry=np.zeros(BLOCK * key.size),
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
    return saddle, _row_places(saddle, links, owner, touched, block, axis)


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


class _Groups(NamedTuple):
    """of_block, of_row: in which group each stands, -1 if in none; slot: of each row in its group."""

    of_block: np.ndarray
    of_row: np.ndarray
    slot: np.ndarray
    held: np.ndarray  # (g,) unknowns
    first_row: np.ndarray  # (g,)


def _groups(p: Pattern, links: Links, link_of: np.ndarray, count: int) -> _Groups:
    """Blocks that are no links by minimum degree; rows after all they touch, where blocks leave room."""
    stays = np.flatnonzero(link_of < 0)
    number = np.full(p.sizes.size, -1, dtype=np.int64)
    number[stays] = np.arange(stays.size)
    owner = np.repeat(np.arange(count), np.diff(p.row_start))
    block = number[p.block[p.touched]]
    there = block >= 0
    rank, parent = _minimum_degree(p, number, stays.size, owner[there], block[there])
    last = np.full(count, -1, dtype=np.int64)
    np.maximum.at(last, owner[there], rank[block[there]])
    inner = np.zeros(count, dtype=bool)  # rows between links
    onto = links.onto >= 0
    inner[links.row[onto][link_of[links.onto[onto]] >= 0]] = True
    rows = np.flatnonzero(~inner)
    first = np.full(count, stays.size, dtype=np.int64)
    np.minimum.at(first, owner[there], rank[block[there]])
    begun = first.tolist()  # rows that have been waiting longest stand in most columns and go first
    sizes = np.zeros(stays.size, dtype=np.int64)
    sizes[rank] = p.sizes[stays]
    waiting: list[list[int]] = [[] for _ in range(stays.size + 1)]
    for row, at in zip(rows.tolist(), last[rows].tolist(), strict=True):
        waiting[at].append(row)  # those that touch nothing come last
    group = np.zeros(stays.size, dtype=np.int64)
    held: list[int] = []
    guests: list[list[int]] = []
    for k, (size, up) in enumerate(zip([*sizes.tolist(), 4], [*parent.tolist(), -1], strict=True)):
        here, room = sorted(waiting[k], key=begun.__getitem__), 4 - size
        if k < stays.size:
            group[k] = len(held)
            held.append(size)
            guests.append(here[:room])
            here = here[room:]
        while len(here) >= CROWD or (here and up < 0):
            held.append(0)
            guests.append(here[:4])
            here = here[4:]
        if here:
            waiting[up] += here
    of_row, slot = np.full(count, -1, dtype=np.int64), np.zeros(count, dtype=np.int64)
    first_row = 4 - np.array([len(inside) for inside in guests], dtype=np.int64)
    for k, inside in enumerate(guests):
        of_row[inside], slot[inside] = k, np.arange(first_row[k], 4)
    of_block = np.full(p.sizes.size, -1, dtype=np.int64)
    of_block[stays] = group[rank]
    return _Groups(of_block, of_row, slot, np.array(held, dtype=np.int64), first_row)


def _minimum_degree(
    p: Pattern, number: np.ndarray, size: int, owner: np.ndarray, block: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """The rank of every block that is no link, by what W and G join; by rank, parents in the elimination tree."""
    if size == 0:
        return np.zeros(0, dtype=np.int64), np.zeros(0, dtype=np.int64)
    begins = np.flatnonzero(np.append(True, owner[1:] != owner[:-1])) if owner.size else np.zeros(0, dtype=int)
    hub = np.repeat(block[begins], np.diff(np.append(begins, owner.size)))
    i, j = number[p.block[p.i]], number[p.block[p.j]]
    both = (i >= 0) & (j >= 0)
    i, j = np.concatenate([i[both], hub]), np.concatenate([j[both], block])
    graph = sp.csr_matrix((np.ones(i.size), (i, j)), shape=(size, size))
    graph = sp.csr_matrix(graph + graph.T)
    graph.setdiag(0.0)
    graph.eliminate_zeros()
    graph.sort_indices()
    rank = order_of(graph)
    graph = sp.coo_matrix(graph)
    return rank, parents_of(columns_of(size, rank[graph.row], rank[graph.col]))
