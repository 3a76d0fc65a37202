"""Vectors x with rows x = right and x >= low: the closest to a wanted one, the cheapest, and the least wrong one.

Low is -inf where an entry has no bound. Numbers should be of size one: tolerances are absolute. Where few x satisfy the
equations, they are written as a start plus states z and the program is one in z, dense (daqp). Otherwise it is solved
as it is, sparse (`taut.numerics.projection`, HiGHS).
"""

from __future__ import annotations

import numpy as np
import scipy.sparse as sp

from taut.numerics.projection import projected
from taut.numerics.subspaces import least_norm, narrow_null_space, null_space

TOLERANCE = 1e-9
"""Equations and bounds count as met to this."""

REDUCED = 1e-6
"""A reduced cost of more than this part of the largest cost is one; HiGHS has them to 1e-7."""

NARROW = 500
"""Up to this many states the program is one in states."""

PRIORITY = 1e-3
"""Where it is not, what comes second has this weight, squared in the sum, instead of a program of its own."""


TOUCHING = 1e-10
"""An entry of a unit vector below this is none."""


def closest(
    rows: sp.csr_matrix, right: np.ndarray, low: np.ndarray, wanted: np.ndarray, first: np.ndarray
) -> np.ndarray | None:
    """The one x with the least sum of (x - wanted)^2 over the entries marked in `first`, and among several of these
    the one with the least sum over all others; None where nothing satisfies equations and bounds."""
    x = wanted + least_norm(rows, right - rows @ wanted)
    if _off(rows, right, x):
        return None
    states = narrow_null_space(rows, NARROW)
    if states is None:
        share = np.where(first, 1.0, PRIORITY if first.any() else 1.0)
        return projected(rows, right, low, wanted, share)
    # States are orthonormal: where they hardly touch what is marked, there is nothing to choose but round-off.
    if first.any() and np.abs(states[first]).max(initial=0.0) > TOUCHING:
        inner = np.where(np.abs(states[first]) > TOUCHING, states[first], 0.0)
        best = _program(inner.T @ inner, inner.T @ (x - wanted)[first], states, low - x)
        if best is None:
            return None
        x = x + states @ best
        states = states @ null_space(sp.csr_matrix(inner))
        x -= states @ (states.T @ (x - wanted))
        low = np.where(first, -np.inf, low)  # these are chosen, within their bounds
    return _closest_of(x, states, low)


def cheapest(
    rows: sp.csr_matrix, right: np.ndarray, low: np.ndarray, cost: np.ndarray
) -> tuple[np.ndarray | None, bool]:
    """The x with the least cost . x, where several cost the same the shortest of these; None where there is none.

    By duality, what has a reduced cost stays at its bound in every optimal x, and all x that do so cost the same. With
    many states the shortest is not always found; then x is the one of the linear program, and False stands beside it.
    """
    from scipy.optimize import linprog

    x = least_norm(rows, right)
    if _off(rows, right, x):
        return None, True
    least = REDUCED * float(np.abs(cost).max(initial=0.0))
    states = narrow_null_space(rows, NARROW)
    if states is None:
        return _cheapest_wide(rows, right, low, cost, least)
    bounded = np.isfinite(low)
    if states.shape[1]:
        found = linprog(
            cost @ states, A_ub=-states[bounded], b_ub=(x - low)[bounded], bounds=(None, None), method="highs"
        )
        if found.status != 0:
            return None, True
        stuck = np.flatnonzero(bounded)[found.ineqlin.marginals < -least]
        x = x + states @ np.linalg.lstsq(states[stuck], (low - x)[stuck], rcond=TOLERANCE)[0]
        states = states @ null_space(sp.csr_matrix(states[stuck]))
        x -= states @ (states.T @ x)
    return _closest_of(x, states, low), True


def _cheapest_wide(
    rows: sp.csr_matrix, right: np.ndarray, low: np.ndarray, cost: np.ndarray, least: float
) -> tuple[np.ndarray | None, bool]:
    from scipy.optimize import linprog

    bounds = np.column_stack([low, np.full(low.size, np.inf)])
    found = linprog(cost, A_eq=rows, b_eq=right, bounds=bounds, method="highs")
    if found.status != 0:
        return None, True
    loose = found.lower.marginals <= least
    x = np.where(loose, 0.0, low)
    zero = np.zeros(int(loose.sum()))
    rest = closest(sp.csr_matrix(rows[:, loose]), right - rows @ x, low[loose], zero, zero > 0.0)
    if rest is not None:
        x[loose] = rest
        return x, True
    # Bounds that hold in all optimal x without a reduced cost leave no room for the search.
    x = found.x + least_norm(rows, right - rows @ found.x)
    return (None if _off(rows, right, x) or np.any(x < low - 1e2 * TOLERANCE) else x), False


def least_wrong(rows: sp.csr_matrix, right: np.ndarray, low: np.ndarray) -> np.ndarray:
    """What is left of the equations, rows x - right, where the bounds hold and the sum of sizes is least."""
    from scipy.optimize import linprog

    count, size = rows.shape
    eye = sp.identity(count, format="csr")
    cost = np.concatenate([np.zeros(size), np.ones(2 * count)])
    bounds = np.column_stack([np.concatenate([low, np.zeros(2 * count)]), np.full(size + 2 * count, np.inf)])
    found = linprog(cost, A_eq=sp.hstack([rows, -eye, eye], format="csr"), b_eq=right, bounds=bounds, method="highs")
    return np.asarray(found.x[size : size + count] - found.x[size + count :])


def _off(rows: sp.csr_matrix, right: np.ndarray, x: np.ndarray) -> bool:
    scale = 1.0 + float(np.abs(x).max(initial=0.0))
    return bool(np.abs(rows @ x - right).max(initial=0.0) > TOLERANCE * scale)


def _closest_of(x: np.ndarray, states: np.ndarray, low: np.ndarray) -> np.ndarray | None:
    """The shortest way from x along orthonormal states to where the bounds hold."""
    slack = TOLERANCE * (1.0 + float(np.abs(x).max(initial=0.0)))
    if np.all(x >= low - slack):
        return x
    step = _program(np.eye(states.shape[1]), np.zeros(states.shape[1]), states, low - x)
    return None if step is None else x + states @ step


def _program(matrix: np.ndarray, slope: np.ndarray, states: np.ndarray, low: np.ndarray) -> np.ndarray | None:
    """The z with the least z . matrix z / 2 + slope . z and states z >= low, by daqp."""
    import daqp

    sides = np.linalg.norm(states, axis=1)
    bounded = np.isfinite(low) & (sides > TOLERANCE)
    if np.any(low[sides <= TOLERANCE] > TOLERANCE):
        return None
    if not bounded.any():
        return np.asarray(-np.linalg.lstsq(matrix, slope, rcond=TOLERANCE)[0])
    # Rows of unit length: a bound on a state that hardly moves counts as much as any other.
    scale = 1.0 / sides[bounded]
    z, _, flag, _ = daqp.solve(
        np.ascontiguousarray(matrix),
        np.ascontiguousarray(slope),
        np.ascontiguousarray(states[bounded] * scale[:, None]),
        np.full(scale.size, 1e30),
        np.ascontiguousarray(low[bounded] * scale),
        np.zeros(scale.size, dtype=np.int32),
        primal_tol=TOLERANCE / 10.0,
    )
    return np.array(z) if flag > 0 else None
