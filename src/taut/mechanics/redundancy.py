"""Constraints that depend on one another: which, and forces that are unique all the same.

Where a row of G is a combination of others, the saddle drops it and gives it no force. The motion is unique, the
forces are not: they may be shifted along the null vectors of G^T. What is reported is the shift that makes them
smallest.
"""

from __future__ import annotations

import numpy as np
import scipy.sparse as sp

from taut.mechanics.systems import prepare_system, solve_system
from taut.mechanics.tables import DIRECT, SYSTEM, Nodal
from taut.mechanics.unpacking import bars_in, constants_in, guides_in, saddle_in, sizes_in
from taut.numerics.compiled import entry
from taut.numerics.packing import Pack
from taut.numerics.pointers import start_of


@entry
def null_vectors(p: Pack, y: np.ndarray) -> np.ndarray:
    """Orthonormal combinations of the constraints that say nothing at the positions of y: rows n with G^T n = 0."""
    sizes, bars, guides = sizes_in(p), bars_in(p), guides_in(p)
    rows = sizes.bars + sizes.guides
    if constants_in(p).solver[0] != DIRECT or prepare_system(p, SYSTEM, start_of(y)) <= 0:
        return np.zeros((0, rows))
    saddle = saddle_in(p, SYSTEM)
    dropped = [k for k in range(rows) if saddle.inverse_pivot[saddle.order[saddle.sizes[0] + k]] == 0.0]
    vectors = np.zeros((len(dropped), rows))
    covector, x, still = np.zeros(sizes.coordinates), np.zeros(sizes.coordinates), np.zeros(rows)
    for m in range(len(dropped)):
        k = dropped[m]
        covector[:] = 0.0
        if k < sizes.bars:
            i, j = bars.first[k], bars.second[k]
            for axis in range(3):
                u = (y[j + axis] - y[i + axis]) * bars.per_length[k]
                covector[i + axis] = -u
                covector[j + axis] = u
        else:
            for n in range(guides.start[k - sizes.bars], guides.start[k - sizes.bars + 1]):
                covector[guides.coordinate[n]] = guides.coefficient[n]
        # The forces in the other rows that hold this one's: together they do nothing.
        solve_system(p, SYSTEM, start_of(covector), start_of(still), start_of(x), start_of(vectors[m]))
        vectors[m, k] += 1.0
    for m in range(len(dropped)):
        for other in range(m):
            vectors[m] -= np.sum(vectors[m] * vectors[other]) * vectors[other]
        vectors[m] /= np.sqrt(np.sum(vectors[m] ** 2))
    return vectors


def idle_rows(tables: Nodal, y: np.ndarray) -> np.ndarray:
    """The same where no bar touches another: bars that cannot move along themselves, a unit vector each."""
    bars, moves = tables.bars, np.zeros(tables.nodes.mass.size, dtype=bool)
    moves[tables.nodes.free] = True
    rigid = int(np.count_nonzero(bars.per_length))
    first, second = (end[:rigid, None] + np.arange(3) for end in (bars.first, bars.second))
    idle = np.flatnonzero(~((moves[first] | moves[second]) & (y[second] != y[first])).any(axis=1))
    vectors = np.zeros((idle.size, rigid))
    vectors[np.arange(idle.size), idle] = 1.0
    return vectors


def smallest_forces(
    p: Pack,
    tables: Nodal,
    samples: np.ndarray,
    held: np.ndarray,
    bar_force: np.ndarray,
    guide_force: np.ndarray,
    reaction: np.ndarray,
) -> None:
    """Shift the forces of every sample and their reactions, in place, to the smallest that move it the same way."""
    rigid = tables.bars.column[tables.bars.per_length > 0.0]
    bars = rigid.size
    fixed = np.setdiff1d(np.arange(tables.nodes.mass.size), tables.nodes.free)
    for row, y in enumerate(samples):
        vectors = null_vectors(p, y)
        forces = np.concatenate([-bar_force[row, rigid], guide_force[row]])  # as multipliers: a bar's is its push
        shift = -vectors.T @ (vectors @ forces)
        forces += shift
        bar_force[row, rigid], guide_force[row] = -forces[:bars], forces[bars:]
        balance = np.zeros(tables.nodes.mass.size)
        balance[fixed] = (constraint_rows(tables, y).T @ shift)[fixed]
        reaction[row] -= balance.reshape(-1, 3)[held]


def constraint_rows(tables: Nodal, y: np.ndarray) -> sp.csr_matrix:
    """G at the positions of y, over all coordinates."""
    bars, guides = tables.bars, tables.guides
    axes, count = np.arange(3), int(np.count_nonzero(bars.per_length))
    first, second = bars.first[:count, None] + axes, bars.second[:count, None] + axes
    along = (y[second] - y[first]) * bars.per_length[:count, None]
    owner = np.repeat(np.arange(count), 3)
    owners = np.repeat(np.arange(guides.value.size), np.diff(guides.start)) + count
    return sp.csr_matrix(
        (
            np.concatenate([-along.ravel(), along.ravel(), guides.coefficient]),
            (
                np.concatenate([owner, owner, owners]),
                np.concatenate([first.ravel(), second.ravel(), guides.coordinate]),
            ),
        ),
        shape=(count + guides.value.size, tables.nodes.mass.size),
    )


def weakest_combination(tables: Nodal, y: np.ndarray) -> np.ndarray:
    """The combination of constraints that says least at the positions of y, as a unit vector over the constraints."""
    movable = constraint_rows(tables, y)[:, tables.nodes.free].toarray()
    return np.asarray(np.linalg.svd(movable, full_matrices=False)[0][:, -1])
