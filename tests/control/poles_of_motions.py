"""Poles of a motion from its samples alone: dynamic mode decomposition of delayed samples (a matrix pencil)."""

from __future__ import annotations

import numpy as np


def poles_of(samples: np.ndarray, *, period: float, order: int, delays: int) -> np.ndarray:
    """(order,) [rad/s], the slowest first, of samples (n, p) that are a sum of so many decaying exponentials."""
    count = len(samples) - delays
    stacked = np.concatenate([samples[k : k + count].T for k in range(delays + 1)])
    before, after = stacked[:, :-1], stacked[:, 1:]
    left, sizes, right = (part for part in np.linalg.svd(before, full_matrices=False))
    left, sizes, right = left[:, :order], sizes[:order], right[:order]
    poles = np.log(np.linalg.eigvals(left.T @ after @ right.T / sizes).astype(complex)) / period
    return poles[np.argsort(np.abs(poles))]


def nearest(found: np.ndarray, wanted: complex) -> float:
    """How far the nearest of some poles is, as a part of the wanted one."""
    return float(np.abs(found - wanted).min() / abs(wanted))
