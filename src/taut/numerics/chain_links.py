"""Which blocks of unknowns are links of a chain (see `taut.numerics.chains`), and in which order they go."""

from __future__ import annotations

from collections import deque
from typing import NamedTuple

import numpy as np

MANY = 16
"""With fewer loose ends than this, chains are taken from both ends: links of one chain wait for one another, those of
different ends do not."""


class Links(NamedTuple):
    """n links; those with which a chain begins come first, and each comes after the one behind it."""

    block: np.ndarray  # (n,) of unknowns
    child: np.ndarray  # (n,) the link behind it, or -1
    onto: np.ndarray  # (n,) the block it hangs on, or -1
    row: np.ndarray  # (n,) the row between, or -1


class Pattern(NamedTuple):
    """What touches what: entries of W above the diagonal, and of G, with the block and axis of every unknown."""

    sizes: np.ndarray  # of blocks
    block: np.ndarray
    axis: np.ndarray
    i: np.ndarray
    j: np.ndarray
    row_start: np.ndarray
    touched: np.ndarray

    @property
    def owner(self) -> np.ndarray:
        """The row of every entry of G."""
        return np.repeat(np.arange(self.row_start.size - 1), np.diff(self.row_start))


def links_of(p: Pattern) -> Links:
    """Peel chains off from their loose ends; what holds a block in any other way than links do makes it stay."""
    stays, rows, ends = _simple_rows(p)
    near: list[list[tuple[int, int]]] = [[] for _ in p.sizes]
    for row, (a, b) in zip(rows.tolist(), ends.tolist(), strict=True):
        near[a].append((b, row))
        near[b].append((a, row))
    degree = [len(others) for others in near]
    loose = [v for v in np.flatnonzero(~stays).tolist() if degree[v] <= 1]
    if len(loose) > MANY:
        loose = _one_of_two(loose, near, stays)
    waiting, number = deque(loose), np.full(p.sizes.size, -1)
    behind: list[list[int]] = [[] for _ in p.sizes]
    found: list[tuple[int, int, int, int]] = []
    level: list[int] = []
    while waiting:
        v = waiting.popleft()
        if number[v] >= 0 or len(behind[v]) > 1:
            continue
        child = behind[v][0] if behind[v] else -1
        number[v] = len(found)
        level.append(level[child] + 1 if child >= 0 else 0)
        onto, row = next(((b, row) for b, row in near[v] if number[b] < 0), (-1, -1))
        found.append((v, child, onto, row))
        if onto >= 0:
            behind[onto].append(int(number[v]))
            degree[onto] -= 1
            if degree[onto] <= 1 and not stays[onto]:
                waiting.append(onto)
    table = np.array(found, dtype=np.int64).reshape(-1, 4)
    order = np.argsort(np.array(level, dtype=np.int64), kind="stable")
    place = np.empty(order.size, dtype=np.int64)
    place[order] = np.arange(order.size)
    table = table[order]
    behind_it = np.where(table[:, 1] >= 0, place[table[:, 1]], -1) if order.size else table[:, 1]
    return Links(table[:, 0], behind_it, table[:, 2], table[:, 3])


def _simple_rows(p: Pattern) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Blocks that cannot be links; the rows that are all there is between two blocks of three, and these blocks."""
    stays = p.sizes != 3
    first = np.zeros(p.sizes.size, dtype=np.int64)
    first[p.block[p.axis == 0]] = np.flatnonzero(p.axis == 0)
    stays[p.block[np.arange(p.block.size) != first[p.block] + p.axis]] = True  # its unknowns lie apart
    a, b = p.block[p.i], p.block[p.j]
    within = (a == b) & (p.i != p.j)
    stays[a[within]] = True
    apart = a != b
    skew = apart & (p.axis[p.i] != p.axis[p.j])
    entries = np.diff(p.row_start)
    six = np.flatnonzero(entries == 6)
    touched = np.sort(p.block[p.touched[p.row_start[six, None] + np.arange(6)]], axis=1).reshape(-1, 6)
    first, last = touched[:, 0], touched[:, 5]
    fits = (touched[:, 2] == first) & (touched[:, 3] == last) & (first != last)
    fits &= (p.sizes[first] == 3) & (p.sizes[last] == 3)
    rows, ends = six[fits], np.stack([first, last], axis=1)[fits]
    count = p.sizes.size
    key, where, often = np.unique(ends[:, 0] * count + ends[:, 1], return_index=True, return_counts=True)
    single = often == 1
    for ones in (a[skew], b[skew], key[~single] // count, key[~single] % count):
        stays[ones] = True
    rows, ends, key = rows[where[single]], ends[where[single]], key[single]
    lone = apart & ~np.isin(np.minimum(a, b) * count + np.maximum(a, b), key)
    stays[a[lone]] = stays[b[lone]] = True
    others = np.ones(entries.size, dtype=bool)
    others[rows] = False
    stays[p.block[p.touched[np.repeat(others, entries)]]] = True
    return stays, rows, ends


def _one_of_two(loose: list[int], near: list[list[tuple[int, int]]], stays: np.ndarray) -> list[int]:
    """Without the second end of chains that hang on nothing: taken from one end, they end as they go."""
    skipped: set[int] = set()
    for v in loose:
        if v in skipped or not near[v]:
            continue
        before, here = v, near[v][0][0]
        while not stays[here] and len(near[here]) == 2:
            before, here = here, next(b for b, _ in near[here] if b != before)
        if not stays[here] and len(near[here]) == 1 and here != v:
            skipped.add(here)
    return [v for v in loose if v not in skipped]
