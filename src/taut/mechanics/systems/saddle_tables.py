"""From a mass matrix and the pattern of G to the sparse saddle: its layout, and where everything goes in its values."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from taut.mechanics.inertia.cylinder_tables import touched_by, whole_blocks
from taut.mechanics.inertia.cylinders import Cylinders
from taut.mechanics.inertia.thin import Thin
from taut.numerics.saddle import Saddle, analyse

if TYPE_CHECKING:
    import scipy.sparse as sp


def numbered(size: int, free: np.ndarray) -> np.ndarray:
    """(3 n,) the place of every coordinate among the unknowns, -1 where it is held."""
    unknown = np.full(size, -1, dtype=np.int64)
    unknown[free] = np.arange(free.size)
    return unknown


def saddle_of(
    thin: Thin, cylinders: Cylinders, free: np.ndarray, start: np.ndarray, coordinate: np.ndarray, *, unit: bool = False
) -> tuple[Saddle, np.ndarray]:
    """[W G^T; G 0] over the free coordinates, and where the entries of G go.

    W is the mass matrix without what changes, or with `unit` the identity, of the same pattern.
    """
    import scipy.sparse as sp

    unknown = numbered(thin.diagonal.size, free)
    touched = touched_by(thin.first, thin.second, unknown)
    first, second = touched[:, :3], touched[:, 3:]
    linked = (first >= 0) & (second >= 0) & (thin.coupling != 0.0)[:, None]
    i, j = np.minimum(first, second)[linked], np.maximum(first, second)[linked]
    every = np.arange(free.size)
    block_i, block_j = whole_blocks(touched_by(cylinders.first, cylinders.second, unknown))
    diagonal = np.ones(free.size) if unit else thin.diagonal[free]
    coupling = np.broadcast_to(thin.coupling[:, None], linked.shape)[linked]
    weight = sp.coo_matrix(
        (
            np.concatenate([diagonal, 0.0 * coupling if unit else coupling, np.zeros(block_i.size)]),
            (np.concatenate([every, i, block_i]), np.concatenate([every, j, block_j])),
        ),
        shape=(free.size, free.size),
    )
    return bordered(weight, unknown, start, coordinate)


def bordered(
    weight: sp.spmatrix, unknown: np.ndarray, start: np.ndarray, coordinate: np.ndarray
) -> tuple[Saddle, np.ndarray]:
    """[W G^T; G 0], and where the entries of G go in its values: a last, idle place for held coordinates.

    start, coordinate: the pattern of G over all coordinates. unknown: (3 n,) the row of each in W, -1 where it is held.
    """
    touched = unknown[coordinate]
    moves = touched >= 0
    owner = np.repeat(np.arange(start.size - 1), np.diff(start))[moves]
    row_start = np.concatenate([[0], np.cumsum(np.bincount(owner, minlength=start.size - 1))]).astype(np.int64)
    saddle, places = analyse(weight, row_start, touched[moves], np.flatnonzero(unknown >= 0) // 3)
    place = np.full(coordinate.size, saddle.values.size, dtype=np.int64)
    place[moves] = places
    return saddle._replace(values=np.append(saddle.values, 0.0)), place
