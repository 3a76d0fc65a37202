"""Constraints that depend on one another: which, and forces that are unique all the same.

Where a row of G is a combination of others, the saddle drops it and gives it no force. The motion is unique, the
forces are not: they may be shifted along the null vectors of G^T. What is reported is the shift that makes them
smallest.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from taut.mechanics.parts import row_values
from taut.mechanics.systems.saddle import SADDLE
from taut.mechanics.tables import Constants, Jacobian, jacobian_in, part_of, slot
from taut.numerics.blocks import DROP
from taut.numerics.compiled import entry
from taut.numerics.packing import Pack, integers_of, reals_of, viewed
from taut.numerics.pointers import start_of

if TYPE_CHECKING:
    import scipy.sparse as sp

SPREAD = 1e4
"""Masses of nodes that differ more: then round-off of the lightest reaches DROP of what pivots of rows start from."""

JACOBIAN_VALUE = part_of("jacobian", Jacobian, "value")
METRIC = part_of("constants", Constants, "metric")


@entry
def fill_jacobian(p: Pack, y: np.ndarray) -> None:
    """Fill G at the positions of y."""
    row_values(p, start_of(y), jacobian_in(p).value)


def null_vectors(pack: Pack, tables: Any, motion: Mapping[str, Any], y: np.ndarray) -> np.ndarray:
    """Orthonormal combinations of the constraints that say nothing at the positions of y: rows n with G^T n = 0.

    Not compiled: a run asks for them once, with operations that it has compiled anyway.
    """
    rows, found = tables["work"].multiplier.size, list[np.ndarray]()
    if motion["prepare_projection"](pack, y) <= 0:
        return np.zeros((0, rows))
    place, (jacobian_place, work_place) = SADDLE + int(integers_of(pack, METRIC)[0]), map(slot, ("jacobian", "work"))
    known = {place: tables["saddle"], jacobian_place: tables["jacobian"], work_place: tables["work"]}
    saddle, jacobian, work = viewed(pack, known).values()
    force, way, still = np.zeros((3, max(rows, tables["thin"].diagonal.size)))
    for k in np.flatnonzero(saddle.inverse_pivot[saddle.order[saddle.sizes[0] :]] == 0.0):
        entries = slice(jacobian.start[k], jacobian.start[k + 1])
        force[:] = 0.0
        np.add.at(force, jacobian.coordinate[entries], jacobian.value[entries])
        # The forces in the other rows that hold this one's: together they do nothing.
        motion["project"](pack, force, still, way)
        vector = work.multiplier.copy()
        vector[k] += 1.0
        for other in found:
            vector -= (vector @ other) * other
        found.append(vector / np.linalg.norm(vector))
    return np.array(found)


def towards_smallest(vectors: np.ndarray, multiplier: np.ndarray) -> np.ndarray:
    """What is to be added to multipliers to make them the smallest that move it the same way."""
    return np.asarray(-vectors.T @ (vectors @ multiplier))


def reactions_to(jacobian: sp.csr_matrix, shift: np.ndarray, free: np.ndarray) -> np.ndarray:
    """(n, 3) what such a shift adds to the forces on held coordinates."""
    balance = jacobian.T @ shift
    balance[free] = 0.0
    return np.asarray(balance.reshape(-1, 3))


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
    kinds, moves = [tables["bars"]], np.zeros(tables["thin"].diagonal.size, dtype=bool)
    kinds += [tables["driven_bars"]] if "driven_bars" in tables else []  # in the order of rows
    moves[tables["nodes"].free] = True
    ends = (np.concatenate([getattr(kind, end) for kind in kinds]) for end in ("first", "second"))
    first, second = (end[:, None] + np.arange(3) for end in ends)
    idle = np.flatnonzero(~((moves[first] | moves[second]) & (y[second] != y[first])).any(axis=1))
    vectors = np.zeros((idle.size, len(first)))
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
