"""Orders of elimination: the better of two is taken, what belongs together lies together, blocks stay as they are."""

from __future__ import annotations

from itertools import pairwise, product

import numpy as np
import pytest
import scipy.sparse as sp

from taut.numerics import saddle_groups
from taut.numerics.elimination import WINDOW, by_subtrees, columns_of, orders_of, parents_of, products
from taut.numerics.saddle import Saddle, analyse, factorise, solve, weight_places

Pairs = list[tuple[int, int]]


def ladder(levels: int, between: int = 5) -> tuple[int, Pairs]:
    """Four chains side by side, tied in a ring at every level; so many nodes of each chain between two levels."""
    step, pairs = 4 * (between + 1), []
    for level in range(levels):
        ring = [level * step + k for k in range(4)]
        pairs += [*pairwise(ring), (ring[3], ring[0])]
        if level < levels - 1:
            pairs += [edge for node in ring for edge in pairwise(node + 4 * m for m in range(between + 2))]
    return (levels - 1) * step + 4, pairs


def grid(side: int) -> tuple[int, Pairs]:
    """A square of bars with a diagonal in every field."""
    pairs = []
    for i, j in product(range(side), repeat=2):
        pairs += [
            (side * i + j, side * (i + a) + j + b) for a, b in ((0, 1), (1, 0), (1, 1)) if max(i + a, j + b) < side
        ]
    return side * side, pairs


def saddle_of(nodes: int, pairs: Pairs) -> tuple[Saddle, sp.csr_matrix, sp.csr_matrix]:
    """Bars of unit mass between places at random, with W and G."""
    places = np.random.default_rng(5).normal(size=(nodes, 3))
    i, j = np.array(pairs).T
    unit = (places[j] - places[i]) / np.linalg.norm(places[j] - places[i], axis=1)[:, None]
    own = np.bincount(np.concatenate([i, j]), minlength=nodes) / 3.0 + 0.1
    coupling = sp.coo_matrix((np.full(i.size, 1 / 6), (i, j)), shape=(nodes, nodes))
    mass = sp.kron(sp.diags(own) + coupling + coupling.T, sp.eye(3)).tocsr()
    axes = np.arange(3)
    touched = np.concatenate([3 * i[:, None] + axes, 3 * j[:, None] + axes], axis=1)
    start = 6 * np.arange(i.size + 1)
    values = np.concatenate([-unit, unit], axis=1).ravel()
    saddle, where = analyse(mass, start, touched.ravel(), np.arange(3 * nodes) // 3)
    saddle.values[where] = values
    return saddle, mass, sp.csr_matrix((values, touched.ravel(), start), shape=(i.size, 3 * nodes))


def products_of(saddle: Saddle) -> int:
    count = np.diff(saddle.factor_start)
    return int((count * (count + 1) // 2).sum())


@pytest.mark.parametrize(("made", "better"), [(ladder(40), 1), (grid(20), 0)], ids=["long", "wide"])
def test_the_order_with_fewer_products_is_taken(
    made: tuple[int, Pairs], better: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    taken = products_of(saddle_of(*made)[0])
    each = []
    for k in range(2):
        monkeypatch.setattr(saddle_groups, "orders_of", lambda graph, k=k: [list(orders_of(graph))[k]])
        each.append(products_of(saddle_of(*made)[0]))
    assert taken == each[better]
    assert taken < 0.8 * each[1 - better]


def test_a_long_structure_is_solved_to_round_off() -> None:
    saddle, weight, rows = saddle_of(*ladder(200))
    assert saddle.first_row.size > 4 * WINDOW
    assert factorise(saddle) == 0
    random = np.random.default_rng(6)
    top, bottom = random.normal(size=weight.shape[0]), random.normal(size=rows.shape[0])
    x, push = np.empty_like(top), np.empty_like(bottom)
    solve(saddle, top, bottom, x, push)
    off = weight @ x - rows.T @ push - top, rows @ x - bottom
    terms = abs(weight) @ abs(x) + abs(rows).T @ abs(push) + abs(top), abs(rows) @ abs(x) + abs(bottom)
    assert max((abs(a) / b).max() for a, b in zip(off, terms, strict=True)) < 2e-14


def test_blocks_are_left_as_they_were_whatever_hangs_on_them() -> None:
    nodes, pairs = grid(3)
    for _ in range(3):  # three chains on the one node, two links each
        pairs += [(4, nodes), (nodes, nodes + 1)]
        nodes += 2
    saddle, weight, rows = saddle_of(nodes, pairs)
    hung = saddle.hanging.reshape(-1, 4)[:, 1]
    assert hung.size == 3
    assert np.unique(hung).size == 1
    upper = sp.triu(weight).tocoo()
    found = []
    for _ in range(2):
        assert factorise(saddle) == 0
        assert np.array_equal(saddle.values[weight_places(saddle, upper.row, upper.col)], upper.data)
        x, push = np.empty(3 * nodes), np.empty(len(pairs))
        solve(saddle, np.ones(3 * nodes), np.zeros(len(pairs)), x, push)
        found.append((x, push))
    assert np.array_equal(found[0][0], found[1][0])
    assert np.array_equal(found[0][1], found[1][1])
    dense = np.block([[weight.toarray(), rows.toarray().T], [rows.toarray(), np.zeros((len(pairs),) * 2)]])
    expected = np.linalg.solve(dense, np.concatenate([np.ones(3 * nodes), np.zeros(len(pairs))]))
    np.testing.assert_allclose(np.concatenate([x, -push]), expected, rtol=0.0, atol=1e-11 * np.abs(expected).max())


def random_tree(random: np.random.Generator, size: int) -> np.ndarray:
    """Parents that come after their children; now and then none."""
    parent = np.array([random.integers(k + 1, min(size, k + 400) + 1) for k in range(size)])
    parent[parent >= size] = -1
    return parent


def test_subtrees_lie_together_and_fill_the_same() -> None:
    random = np.random.default_rng(7)
    size = 5 * WINDOW
    parent = random_tree(random, size)
    child = np.flatnonzero(parent >= 0)
    extra = child[np.append(parent, -1)[parent[child]] >= 0]  # entries at grandparents, too
    i, j = np.concatenate([child, extra]), np.concatenate([parent[child], parent[parent[extra]]])
    before = columns_of(size, i, j)
    assert before is not None
    tree = parents_of(before)
    rank = by_subtrees(tree)
    assert np.array_equal(np.sort(rank), np.arange(size))
    assert (rank[tree[tree >= 0]] > rank[np.flatnonzero(tree >= 0)]).all()
    after = columns_of(size, rank[i], rank[j])
    assert after is not None
    assert [sorted(rank[rows].tolist()) for rows in before] == [after[k] for k in rank]
    below = [{k} for k in range(size)]
    for k in np.flatnonzero(tree >= 0):
        below[tree[k]] |= below[k]
    small = [rank[list(subtree)] for subtree in below if 1 < len(subtree) <= WINDOW]
    assert max(ranks.max() - ranks.min() for ranks in small) < 2 * WINDOW
    assert max(np.ptp(list(subtree)) for subtree in below if 1 < len(subtree) <= WINDOW) > 2 * WINDOW, "as it was"


def test_what_fits_into_a_window_stays_in_order() -> None:
    parent = random_tree(np.random.default_rng(8), WINDOW)
    assert np.array_equal(by_subtrees(parent), np.arange(WINDOW))


def test_columns_with_too_many_products_are_not_found() -> None:
    i, j = np.array(grid(6)[1]).T
    columns = columns_of(36, i, j)
    assert columns is not None
    count = sum(map(products, columns))
    assert columns_of(36, i, j, count + 1) == columns
    assert columns_of(36, i, j, count) is None
