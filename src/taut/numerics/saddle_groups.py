"""Groups of four in a saddle-point system: in which each block and row stands, and what the elimination fills.

Of the orders that `taut.numerics.elimination` has to offer, the one with the fewest products of blocks is taken.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from taut.numerics.chain_links import Links, Pattern
from taut.numerics.elimination import by_subtrees, columns_of, orders_of, parents_of, products

if TYPE_CHECKING:
    import scipy.sparse as sp

CROWD = 3
"""So many rows without room make a group of their own; fewer wait for the next block."""


class Groups(NamedTuple):
    """of_block, of_row: in which of the g groups each stands, -1 if in none; slot: of each row in its group."""

    of_block: np.ndarray
    of_row: np.ndarray
    slot: np.ndarray
    held: np.ndarray  # (g,) unknowns
    first_row: np.ndarray  # (g,)
    joined: np.ndarray  # sorted: g times the later and the earlier of two groups with a block between, or one twice
    columns: list[list[int]]  # the groups below the diagonal of every block column of L


class _Blocks(NamedTuple):
    """The blocks that are no links, and what joins them."""

    block: np.ndarray  # (m,) which they are
    graph: sp.csr_matrix  # between them, by W and G; both directions, no loops
    rows: np.ndarray  # of G that are not between two links
    owner: np.ndarray  # of every entry of G at one of these blocks its row ...
    number: np.ndarray  # ... and the block's number among these


def groups_of(p: Pattern, links: Links, link_of: np.ndarray) -> Groups:
    """Blocks that are no links in the better order; rows after all they touch, where blocks leave room."""
    blocks = _blocks_of(p, links, link_of)
    best, fewest = None, math.inf
    for rank in orders_of(blocks.graph):
        found = _arranged(p, blocks, rank, fewest)
        if found is not None:
            best, fewest = found, sum(map(products, found.columns))
    assert best is not None
    return best


def _blocks_of(p: Pattern, links: Links, link_of: np.ndarray) -> _Blocks:
    import scipy.sparse as sp

    stays = np.flatnonzero(link_of < 0)
    number = np.full(p.sizes.size, -1, dtype=np.int64)
    number[stays] = np.arange(stays.size)
    owner, block = p.owner, number[p.block[p.touched]]
    owner, block = owner[block >= 0], block[block >= 0]
    begins = np.flatnonzero(np.append(True, owner[1:] != owner[:-1])) if owner.size else np.zeros(0, dtype=int)
    hub = np.repeat(block[begins], np.diff(np.append(begins, owner.size)))
    i, j = number[p.block[p.i]], number[p.block[p.j]]
    both = (i >= 0) & (j >= 0)
    i, j = np.concatenate([i[both], hub]), np.concatenate([j[both], block])
    graph = sp.csr_matrix((np.ones(i.size), (i, j)), shape=(stays.size, stays.size))
    graph = sp.csr_matrix(graph + graph.T)
    graph.setdiag(0.0)
    graph.eliminate_zeros()
    graph.sort_indices()
    inner = np.zeros(p.row_start.size - 1, dtype=bool)
    onto = links.onto >= 0
    inner[links.row[onto][link_of[links.onto[onto]] >= 0]] = True
    return _Blocks(stays, graph, np.flatnonzero(~inner), owner, block)


def _arranged(p: Pattern, blocks: _Blocks, rank: np.ndarray, below: float) -> Groups | None:
    """The groups in an order of the blocks, or nothing where they have so many products or more."""
    i, j = blocks.graph.nonzero()
    columns = columns_of(rank.size, rank[i], rank[j], below)
    if columns is None:
        return None
    parent = parents_of(columns)
    moved = by_subtrees(parent)
    rank, parent[moved] = moved[rank], np.append(moved, -1)[parent]
    group, held, guests = _placed(p, blocks, rank, parent)
    count = p.row_start.size - 1
    of_row, slot = np.full(count, -1, dtype=np.int64), np.zeros(count, dtype=np.int64)
    first_row = 4 - np.array([len(inside) for inside in guests], dtype=np.int64)
    for k, inside in enumerate(guests):
        of_row[inside], slot[inside] = k, np.arange(first_row[k], 4)
    of_block = np.full(p.sizes.size, -1, dtype=np.int64)
    of_block[blocks.block] = group[rank]
    one = np.concatenate([of_block[p.block[p.i]], of_row[p.owner]])
    other = of_block[p.block[np.concatenate([p.j, p.touched])]]
    among, g = (one >= 0) & (other >= 0), first_row.size
    low = np.concatenate([np.minimum(one, other)[among], np.arange(g)])
    high = np.concatenate([np.maximum(one, other)[among], np.arange(g)])
    joined = np.unique(high * g + low)
    filled = columns_of(g, *divmod(joined, max(g, 1)), below)
    return None if filled is None else Groups(of_block, of_row, slot, held, first_row, joined, filled)


def _placed(
    p: Pattern, blocks: _Blocks, rank: np.ndarray, parent: np.ndarray
) -> tuple[np.ndarray, np.ndarray, list[list[int]]]:
    """By rank the group of every block; by group how many unknowns it holds, and its rows."""
    size, count = rank.size, p.row_start.size - 1
    last, first = np.full(count, -1, dtype=np.int64), np.full(count, size, dtype=np.int64)
    np.maximum.at(last, blocks.owner, rank[blocks.number])
    np.minimum.at(first, blocks.owner, rank[blocks.number])
    begun = first.tolist()  # rows that have been waiting longest stand in most columns and go first
    sizes = np.zeros(size, dtype=np.int64)
    sizes[rank] = p.sizes[blocks.block]
    waiting: list[list[int]] = [[] for _ in range(size + 1)]
    for row, at in zip(blocks.rows.tolist(), last[blocks.rows].tolist(), strict=True):
        waiting[at].append(row)  # those that touch nothing come last
    group = np.zeros(size, dtype=np.int64)
    held: list[int] = []
    guests: list[list[int]] = []
    for k, (unknowns, up) in enumerate(zip([*sizes.tolist(), 4], [*parent.tolist(), -1], strict=True)):
        here, room = sorted(waiting[k], key=begun.__getitem__), 4 - unknowns
        if k < size:
            group[k] = len(held)
            held.append(unknowns)
            guests.append(here[:room])
            here = here[room:]
        while len(here) >= CROWD or (here and up < 0):
            held.append(0)
            guests.append(here[:4])
            here = here[4:]
        if here:
            waiting[up] += here
    return group, np.array(held, dtype=np.int64), guests
