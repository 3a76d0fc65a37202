"""Constraints that depend on one another: which, and forces that are unique all the same.

Where a row of G is a combination of others, the saddle drops it and gives it no force. The motion is unique, the
forces are not: they may be shifted along the null vectors of G^T. What is reported is the shift that makes them
smallest.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from taut.mechanics.parts import prepare_system, row_values, solve_system
from taut.mechanics.systems.saddle import SADDLE, saddle_at
from taut.mechanics.tables import Jacobian, coordinate_count, jacobian_in, part_of, row_count
from taut.numerics.blocks import DROP
from taut.numerics.compiled import entry
from taut.numerics.packing import Pack, reals_of
from taut.numerics.pointers import start_of

if TYPE_CHECKING:
    import scipy.sparse as sp

SPREAD = 1e4
"""Masses of nodes that differ more: then round-off of the lightest reaches DROP of what pivots of rows start from."""

JACOBIAN_VALUE = part_of("jacobian", Jacobian, "value")


@entry
def fill_jacobian(p: Pack, y: np.ndarray) -> None:
    """Fill G at the positions of y."""
    row_values(p, start_of(y), jacobian_in(p).value)


@entry
def null_vectors(p: Pack, y: np.ndarray) -> np.ndarray:
    """Orthonormal combinations of the constraints that say nothing at the positions of y: rows n with G^T n = 0."""
    rows, n, jacobian, saddle = row_count(p), coordinate_count(p), jacobian_in(p), saddle_at(p, SADDLE)
    if prepare_system(p, 0, start_of(y)) <= 0:
        return np.zeros((0, rows))
    dropped = [k for k in range(rows) if saddle.inverse_pivot[saddle.order[saddle.sizes[0] + k]] == 0.0]
    vectors = np.zeros((len(dropped), rows))
    force, x, still = np.zeros(n), np.zeros(n), np.zeros(rows)
    for m in range(len(dropped)):
        k = dropped[m]
        force[:] = 0.0
        for e in range(jacobian.start[k], jacobian.start[k + 1]):
            force[jacobian.coordinate[e]] += jacobian.value[e]
        # The forces in the other rows that hold this one's: together they do nothing.
        solve_system(p, 0, start_of(force), start_of(still), start_of(x), start_of(vectors[m]))
        vectors[m, k] += 1.0
    for m in range(len(dropped)):
        for other in range(m):
            vectors[m] -= np.sum(vectors[m] * vectors[other]) * vectors[other]
        vectors[m] /= np.sqrt(np.sum(vectors[m] ** 2))
    return vectors


def masses_spread(tables: Any) -> bool:
    """Whether pivots are a poor measure of dependence: what light nodes leave of them drowns that of heavy ones."""
    mass = tables["thin"].diagonal[tables["nodes"].free]
    return bool(mass.max(initial=0.0) > SPREAD * mass.min(initial=np.inf))


def null_vectors_by_shape(tools: Mapping[str, Any], tables: Any, p: Pack, y: np.ndarray) -> np.ndarray:
    """The same as `null_vectors` from G alone, in which masses do not occur: by its singular values."""
    left, singular, _ = np.linalg.svd(_movable(tools, tables, p, y))
    return np.asarray(left[:, int(np.sum(singular**2 > DROP * singular.max(initial=0.0) ** 2)) :].T)


def jacobian_at(tools: Mapping[str, Any], tables: Any, p: Pack, y: np.ndarray) -> sp.csr_matrix:
    """G at the positions of y over all coordinates; p: a pack of the plant that has these tables."""
    tools["fill_jacobian"](p, y)
    return csr_of(tables["jacobian"]._replace(value=reals_of(p, JACOBIAN_VALUE)), tables["thin"].diagonal.size)


def _movable(tools: Mapping[str, Any], tables: Any, p: Pack, y: np.ndarray) -> np.ndarray:
    """(r, u) G over the coordinates that can move, dense."""
    return np.asarray(jacobian_at(tools, tables, p, y)[:, tables["nodes"].free].toarray())


def idle_bars(tables: Any, y: np.ndarray) -> np.ndarray:
    """The same where no bar touches another: bars that cannot move along themselves, a unit vector each."""
    bars, moves = tables["bars"], np.zeros(tables["thin"].diagonal.size, dtype=bool)
    moves[tables["nodes"].free] = True
    first, second = (end[:, None] + np.arange(3) for end in (bars.first, bars.second))
    idle = np.flatnonzero(~((moves[first] | moves[second]) & (y[second] != y[first])).any(axis=1))
    vectors = np.zeros((idle.size, bars.first.size))
    vectors[np.arange(idle.size), idle] = 1.0
    return vectors


def csr_of(jacobian: Jacobian, size: int) -> sp.csr_matrix:
    """(r, size) G as it was last filled."""
    import scipy.sparse as sp

    shape = (jacobian.start.size - 1, size)
    return sp.csr_matrix((jacobian.value, jacobian.coordinate, jacobian.start), shape=shape)


def jacobian_matrix(tables: Any) -> sp.csr_matrix:
    """G as it was last filled, over all coordinates."""
    return csr_of(tables["jacobian"], tables["thin"].diagonal.size)


def weakest_combination(tools: Mapping[str, Any], tables: Any, p: Pack, y: np.ndarray) -> np.ndarray:
    """The combination of constraints that says least at the positions of y, as a unit vector over them."""
    return np.asarray(np.linalg.svd(_movable(tools, tables, p, y), full_matrices=False)[0][:, -1])
