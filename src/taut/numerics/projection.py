"""The closest x to a wanted one with rows x = right and x >= low, for sparse rows and many unknowns.

With a multiplier l for every row the closest x is max(rows^T l, low) about the wanted one, and l is where a convex
function, quadratic in pieces, is least. Newton's method on its slope, damped by the size of the slope and with a line
search, ends after a few dozen sparse factorisations (semismooth Newton; Qi and Sun 1993). Dense programs have a
library, see `taut.numerics.bounded`; for sparse ones none is among the dependencies.
"""

from __future__ import annotations

import numpy as np
import scipy.sparse as sp

from taut.numerics.subspaces import least_norm

STEPS = 200
TOLERANCE = 1e-10


def projected(
    rows: sp.csr_matrix, right: np.ndarray, low: np.ndarray, wanted: np.ndarray, share: np.ndarray
) -> np.ndarray | None:
    """The x with the least sum of (share (x - wanted))^2; None where no x was found."""
    from scipy.sparse.linalg import splu

    scaled = sp.csc_matrix(rows @ sp.diags(1.0 / share))
    turned = sp.csr_matrix(scaled.T)
    goal, floor = right - rows @ wanted, share * (low - wanted)
    multiplier = np.zeros(goal.size)
    above = turned @ multiplier
    for _ in range(STEPS):
        y = np.maximum(above, floor)
        slope = scaled @ y - goal
        size = float(np.abs(slope).max(initial=0.0))
        loose = above > floor
        if size <= TOLERANCE * (1.0 + float(np.abs(y).max(initial=0.0))):
            return _exact(scaled, goal, floor, loose, wanted, share)
        inner = scaled[:, loose]
        curved = sp.csc_matrix(inner @ inner.T + min(size, 1e-2) * sp.identity(goal.size))
        factor = splu(curved, permc_spec="MMD_AT_PLUS_A", diag_pivot_thresh=0.0, options={"SymmetricMode": True})
        step = -factor.solve(slope)
        across, fall = turned @ step, float(slope @ step)
        here, reach = _height(above, floor, goal @ multiplier), 1.0
        while _height(above + reach * across, floor, goal @ (multiplier + reach * step)) > here + 1e-4 * reach * fall:
            reach /= 2.0
            if reach < 1e-12:
                break
        multiplier = multiplier + reach * step
        above = turned @ multiplier
    return None


def _height(above: np.ndarray, floor: np.ndarray, along: float) -> float:
    """The convex function: a half square where the bound is not met, a tangent to it where it is; less goal . l."""
    free = above >= floor
    met, bound = above[~free], floor[~free]
    return float(0.5 * above[free] @ above[free] + np.sum(bound * (met - 0.5 * bound)) - along)


def _exact(
    scaled: sp.csc_matrix, goal: np.ndarray, floor: np.ndarray, loose: np.ndarray, wanted: np.ndarray, share: np.ndarray
) -> np.ndarray | None:
    """The closest x with these bounds met and the others not."""
    y = np.where(loose, 0.0, floor)
    y[loose] = least_norm(sp.csr_matrix(scaled[:, loose]), goal - scaled @ y)
    slack = 1e-7 * (1.0 + float(np.abs(y).max(initial=0.0)))
    return None if np.any(y < floor - slack) else np.asarray(wanted + np.maximum(y, floor - 1e-2 * slack) / share)
