"""Which of some gaits are better: what keeps the limits before what does not, then by cost, or by fronts of them."""

from __future__ import annotations

import numpy as np


def ranked(costs: np.ndarray, violations: np.ndarray) -> np.ndarray:
    """(N,) places, best first, of costs (N, goals), the less the better, and violations (N,), zero where all is kept.

    With several goals those come first that nothing dominates, the loneliest of them before the others.
    """
    known = np.where(np.isfinite(costs), costs, np.inf)
    if costs.shape[1] == 1:
        return np.lexsort((known[:, 0], violations))
    fronts = front_numbers(known, violations)
    return np.lexsort((-_loneliness(known, fronts), fronts))


def front_numbers(costs: np.ndarray, violations: np.ndarray) -> np.ndarray:
    """(N,) 0 for what nothing dominates, 1 for what only those do, and so on."""
    less = (costs[:, None] <= costs[None]).all(axis=2) & (costs[:, None] < costs[None]).any(axis=2)
    kept, same = violations[:, None] < violations[None], violations[:, None] == violations[None]
    dominates = kept | (same & less)
    found = np.full(len(costs), -1)
    for number in range(len(costs)):
        left = found < 0
        if not left.any():
            break
        found[left & ~(dominates & left[:, None]).any(axis=0)] = number
    return found


def _loneliness(costs: np.ndarray, fronts: np.ndarray) -> np.ndarray:
    """(N,) crowding distances, within each front (Deb et al. 2002)."""
    found = np.zeros(len(costs))
    for number in np.unique(fronts):
        front = np.flatnonzero(fronts == number)
        for column in costs[front].T:
            order = np.argsort(column, kind="stable")
            width = column[order[-1]] - column[order[0]]
            found[front[order[[0, -1]]]] = np.inf
            if 0.0 < width < np.inf:
                found[front[order[1:-1]]] += (column[order[2:]] - column[order[:-2]]) / width
    return found
