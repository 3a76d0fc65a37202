"""The saddle-point system of a tree with loops, where the mass matrix alone may be singular.

    M a = f + K^T l,   K a = k

Massless ends of cables leave M singular while the loops say where these go. W = M + s K^T K is then still positive
definite, and W a = (f + s K^T k) + K^T l has the same solutions. Rows are weighed by what they do in W: the least
pivot of their products, as a part of what it started from, is 1 where they are independent and 0 where one depends on
others. Rows that always do, as in every planar loop, do not count; and a row that has become short, as where a
parallelogram lies flat, is held against the longest that it was.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from scipy.linalg import lapack

from taut.errors import MotionError, listed
from taut.numerics.dense_saddle import NOTHING, RANK, DenseSaddle, decompose
from taut.numerics.dense_saddle import solve as solve_decomposed

DEPENDENT = 1e-11
"""A pivot below this counts as a row that depends on others; round-off leaves about 1e-15."""


class Factored(NamedTuple):
    """W = L L^T, A = L^-1 K^T, A^T A = C C^T; `whole` instead where rows depend on one another."""

    root: np.ndarray
    columns: np.ndarray
    inner: np.ndarray
    independence: float
    whole: DenseSaddle | None


def weight_of(mass: np.ndarray, rows: np.ndarray) -> np.ndarray:
    """W, with s such that both parts are of one size."""
    return _weighed(mass, rows)[0]


def _weighed(mass: np.ndarray, rows: np.ndarray) -> tuple[np.ndarray, float]:
    """W and s."""
    if not len(rows):
        return mass, 0.0
    squares = rows.T @ rows
    scale = float(mass.trace()) / max(float(squares.trace()), 1e-300)
    squares *= scale
    squares += mass
    return squares, scale


def of_unit_length(rows: np.ndarray) -> np.ndarray:
    """Rows that say something scaled, and others zero."""
    lengths = np.linalg.norm(rows, axis=1, keepdims=True)
    says = lengths > NOTHING * lengths.max(initial=0.0)
    return np.asarray(np.where(says, rows, 0.0) / np.where(says, lengths, 1.0))


def weakest(rows: np.ndarray, before: np.ndarray) -> np.ndarray:
    """(rows,) the combination of rows that says least, each held against what it said before; of those that do not
    depend on one another but for round-off."""
    if not len(rows):
        return np.zeros(0)
    lengths = np.linalg.norm(before, axis=1, keepdims=True)
    says = lengths > NOTHING * lengths.max()
    left, singular, _ = np.linalg.svd(np.where(says, rows, 0.0) / np.where(says, lengths, 1.0), full_matrices=False)
    return np.asarray(left[:, max(int(np.sum(singular > RANK * singular[0])) - 1, 0)])


def factor(weight: np.ndarray, rows: np.ndarray, longest: np.ndarray | None = None) -> Factored:
    """longest: (rows,) squared lengths in W that rows had at most so far; kept up to date.

    Raises LinAlgError where a motion has neither inertia nor a loop that says where it goes."""
    root, failed = lapack.dpotrf(weight.T, lower=1, clean=0)
    if failed:
        raise np.linalg.LinAlgError("a motion without inertia")
    if not len(rows):
        return Factored(root, np.zeros((len(weight), 0)), np.zeros((0, 0)), 1.0, None)
    columns, _ = lapack.dtrtrs(root, rows.T, lower=1)
    products = columns.T @ columns
    inner, failed = lapack.dpotrf(products.T, lower=1, clean=0)
    squares = products.diagonal()
    known = squares if longest is None else np.maximum(longest, squares, out=longest)
    if not failed and squares.min() > NOTHING**2 * squares.max():
        pivots = inner.diagonal() ** 2
        if (pivots / squares).min() > DEPENDENT:
            return Factored(root, columns, inner, float((pivots / known).min()), None)
    return Factored(root, columns, inner, _firmness(columns, known), decompose(weight, rows))


def _firmness(columns: np.ndarray, known: np.ndarray) -> float:
    """How independent rows are that do not depend on one another but for round-off."""
    says = known > NOTHING**2 * known.max()
    singular = np.linalg.svd(columns[:, says] / np.sqrt(known[says]), compute_uv=False)
    counting = singular[singular > RANK * singular.max(initial=0.0)]
    return float((counting[-1] / counting[0]) ** 2) if counting.size else 1.0


def solve(s: Factored, force: np.ndarray, right: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """x and l of W x = force + K^T l, K x = right."""
    if s.whole is not None:
        return solve_decomposed(s.whole, force, right)
    pull, _ = lapack.dtrtrs(s.root, force, lower=1)
    if not s.inner.size:
        return lapack.dtrtrs(s.root, pull, lower=1, trans=1)[0], np.zeros(0)
    multiplier, _ = lapack.dpotrs(s.inner, right - s.columns.T @ pull, lower=1)
    x, _ = lapack.dtrtrs(s.root, pull + s.columns @ multiplier, lower=1, trans=1)
    return x, multiplier


def accelerations(
    mass: np.ndarray, rows: np.ndarray, force: np.ndarray, right: np.ndarray, longest: np.ndarray | None = None
) -> tuple[np.ndarray, np.ndarray, float]:
    """a and l of M a = force + K^T l, K a = right; and how independent the rows are, as in `factor`."""
    weight, scale = _weighed(mass, rows)
    factored = factor(weight, rows, longest)
    a, multiplier = solve(factored, force, right)
    # What W adds to M is K^T times s K a, so the multipliers of W are those of M and s K a more.
    return a, multiplier - scale * right, factored.independence


def without_inertia(weight: np.ndarray, names: tuple[str, ...]) -> MotionError:
    """The error that says which motion has neither inertia nor a loop."""
    vector = np.abs(np.linalg.eigh(weight)[1][:, 0])
    worst = [f'"{names[k]}"' for k in np.argsort(-vector) if vector[k] > 0.3 * vector.max()]
    return MotionError(
        f"a motion of {listed(worst)} has no inertia, and no loop says where it goes; give a body that moves there a "
        "mass and an inertia, or close the loop"
    )
