"""Curves through points."""

from __future__ import annotations

import numpy as np

from taut.numerics.compiled import woven


def three_point_slopes(x: np.ndarray, y: np.ndarray) -> np.ndarray:
    """Slopes at the points of the parabolas through neighbouring points (exact for quadratics)."""
    if x.size == 1:
        return np.zeros(1)
    return np.asarray(np.gradient(y, x, edge_order=2 if x.size > 2 else 1))


@woven
def hermite(x: float, x0: float, x1: float, y0: float, y1: float, slope0: float, slope1: float) -> float:
    """The cubic on [x0, x1] with these end values and slopes."""
    width = x1 - x0
    s = (x - x0) / width
    r = 1.0 - s
    return r * r * ((1.0 + 2.0 * s) * y0 + s * width * slope0) + s * s * ((1.0 + 2.0 * r) * y1 - r * width * slope1)


@woven
def hermite_slopes(
    x: float, x0: float, x1: float, y0: float, y1: float, slope0: float, slope1: float
) -> tuple[float, float]:
    """First and second derivative of the same cubic."""
    width = x1 - x0
    s = (x - x0) / width
    r, climb = 1.0 - s, (y1 - y0) / width
    first = 6.0 * s * r * climb + r * (1.0 - 3.0 * s) * slope0 + s * (1.0 - 3.0 * r) * slope1
    second = ((6.0 - 12.0 * s) * climb + (6.0 * s - 4.0) * slope0 + (6.0 * s - 2.0) * slope1) / width
    return first, second


def hermite_third(
    x0: np.ndarray, x1: np.ndarray, y0: np.ndarray, y1: np.ndarray, slope0: np.ndarray, slope1: np.ndarray
) -> np.ndarray:
    """Third derivatives of such cubics, constants; all higher ones are zero."""
    width = x1 - x0
    return np.asarray((6.0 * (slope0 + slope1) - 12.0 * (y1 - y0) / width) / width**2)
