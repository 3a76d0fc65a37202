"""The saddle-point system of a tree with loops, where the mass matrix alone may be singular.

    M a = f + K^T l,   K a = k

Massless ends of cables leave M singular while the loops say where these go. W = M + s K^T K is then still positive
definite, and W a = (f + s K^T k) + K^T l has the same solutions. Rows are weighed by what they do in W: the least
pivot of their correlations is 1 where they are independent and 0 where one depends on others.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from scipy.linalg import lapack

from taut.errors import MotionError, listed
from taut.numerics.dense_saddle import DenseSaddle, decompose
from taut.numerics.dense_saddle import solve as solve_decomposed

DEPENDENT = 1e-11
"""A pivot below this counts as a row that depends on others; round-off leaves about 1e-15."""


class Factored(NamedTuple):
    """W = L L^T, A = L^-1 K^T / lengths, A^T A = C C^T; `whole` instead where rows depend on one another."""

    root: np.ndarray
    columns: np.ndarray
    lengths: np.ndarray
    inner: np.ndarray
    independence: float
    whole: DenseSaddle | None


def weight_of(mass: np.ndarray, rows: np.ndarray) -> np.ndarray:
    """W, with s such that both parts are of one size."""
    if not len(rows):
        return mass
    squares = rows.T @ rows
    return np.asarray(mass + (np.trace(mass) / max(np.trace(squares), 1e-300)) * squares)


def factor(weight: np.ndarray, rows: np.ndarray) -> Factored:
    """Raises LinAlgError where a motion has neither inertia nor a loop that says where it goes."""
    root, failed = lapack.dpotrf(weight, lower=1, clean=1)
    if failed:
        raise np.linalg.LinAlgError("a motion without inertia")
    if not len(rows):
        none = np.zeros((len(weight), 0))
        return Factored(root, none, np.ones(0), np.zeros((0, 0)), 1.0, None)
    columns, _ = lapack.dtrtrs(root, rows.T, lower=1)
    lengths = np.sqrt(np.einsum("ij,ij->j", columns, columns))
    columns /= lengths
    inner, failed = lapack.dpotrf(columns.T @ columns, lower=1, clean=1)
    least = float(inner.diagonal().min()) ** 2 if not failed else 0.0
    whole = decompose(weight, rows) if not least > DEPENDENT else None
    return Factored(root, columns, lengths, inner, least if whole is None else 0.0, whole)


def solve(s: Factored, force: np.ndarray, right: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """x and l of W x = force + K^T l, K x = right."""
    if s.whole is not None:
        return solve_decomposed(s.whole, force, right)
    pull, _ = lapack.dtrtrs(s.root, force, lower=1)
    if not s.lengths.size:
        return lapack.dtrtrs(s.root, pull, lower=1, trans=1)[0], np.zeros(0)
    wanted = right / s.lengths - s.columns.T @ pull
    inner, _ = lapack.dpotrs(s.inner, wanted, lower=1)
    x, _ = lapack.dtrtrs(s.root, pull + s.columns @ inner, lower=1, trans=1)
    return x, inner / s.lengths


def accelerations(
    mass: np.ndarray, rows: np.ndarray, force: np.ndarray, right: np.ndarray
) -> tuple[np.ndarray, np.ndarray, float]:
    """a and l of M a = force + K^T l, K a = right; and how independent the rows are."""
    weight = weight_of(mass, rows)
    factored = factor(weight, rows)
    a, multiplier = solve(factored, force, right)
    # What W adds to M is K^T times s K a, so the multipliers of W are those of M and s K a more.
    if len(rows):
        scale = np.trace(mass) / max(np.einsum("ij,ij->", rows, rows), 1e-300)
        multiplier = multiplier - scale * right
    return a, multiplier, factored.independence


def without_inertia(weight: np.ndarray, names: tuple[str, ...]) -> MotionError:
    """The error that says which motion has neither inertia nor a loop."""
    vector = np.abs(np.linalg.eigh(weight)[1][:, 0])
    worst = [f'"{names[k]}"' for k in np.argsort(-vector) if vector[k] > 0.3 * vector.max()]
    return MotionError(
        f"a motion of {listed(worst)} has no inertia, and no loop says where it goes; give a body that moves there a "
        "mass and an inertia, or close the loop"
    )
