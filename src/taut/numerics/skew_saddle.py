"""Saddle-point systems, small and dense, whose block is neither symmetric nor positive, nor regular by itself.

    S x = f + G^T l,   G x = b

L U of the whole, with unknowns and rows scaled by sizes that are given, so that units do not matter. Rows that depend
on others are found by themselves, whatever S is: what is kept are as many orthonormal combinations of rows of unit
length as say something, and multipliers lie along these.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from scipy.linalg import lapack

from taut.numerics.dense_saddle import NOTHING, RANK


class SkewSaddle(NamedTuple):
    factors: np.ndarray  # L and U of the scaled whole
    pivots: np.ndarray
    scale: np.ndarray  # (n,) of unknowns
    combined: np.ndarray  # (kept, rows): what is kept of them, scaled


def factor(block: np.ndarray, rows: np.ndarray, sizes: np.ndarray) -> SkewSaddle | None:
    """None where nothing solves it. sizes: (n,) of the diagonal of something like S that is positive everywhere."""
    if not (np.isfinite(block).all() and np.isfinite(rows).all()):
        return None
    scale = 1.0 / np.sqrt(np.maximum(np.abs(block.diagonal()), sizes))
    combined = _kept(rows)
    kept = combined @ rows * scale
    lengths = np.linalg.norm(kept, axis=1, keepdims=True)
    kept, combined = kept / lengths, combined / lengths
    n, count = scale.size, len(kept)
    whole = np.zeros((n + count, n + count))
    whole[:n, :n] = block * scale * scale[:, None]
    whole[:n, n:], whole[n:, :n] = -kept.T, kept
    if not np.isfinite(whole).all():
        return None
    factors, pivots, failed = lapack.dgetrf(whole, overwrite_a=1)
    return SkewSaddle(factors, pivots, scale, combined) if failed == 0 else None


def _kept(rows: np.ndarray) -> np.ndarray:
    """(kept, rows) combinations of rows that say something, orthonormal by rows of unit length."""
    lengths = np.linalg.norm(rows, axis=1)
    says = lengths > NOTHING * lengths.max(initial=0.0)
    weights = np.where(says, 1.0, 0.0) / np.where(says, lengths, 1.0)
    left, singular, _ = np.linalg.svd(rows * weights[:, None], full_matrices=False)
    rank = int(np.sum(singular > RANK * singular.max(initial=0.0)))
    return np.asarray(left[:, :rank].T * weights)


def solve(s: SkewSaddle, force: np.ndarray, right: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """x and l."""
    n = s.scale.size
    found = lapack.dgetrs(s.factors, s.pivots, np.concatenate([s.scale * force, s.combined @ right]))[0]
    return s.scale * found[:n], found[n:] @ s.combined
