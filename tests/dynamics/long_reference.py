"""The T-bar over hundreds of seconds by another road: its two bar angles, Gauss collocation of order 12.

Fixed-point iteration to round-off and compensated sums; the error is estimated from two step sizes.
"""

from __future__ import annotations

import functools
import math

import numpy as np

LENGTH, STIFFNESS = 5.0, 100.0
BASE = 5.0 / math.sqrt(2.0)
INERTIA = 6.25 * math.pi * LENGTH**2 / 3.0
STAGES = 6


def accelerations(angles: np.ndarray, rest_ratio: float) -> np.ndarray:
    """Second rates of the two angles, (..., 2): -dV/d(angle) / inertia, written out spring by spring."""
    a, b = angles[..., 0], angles[..., 1]
    x3, z3 = LENGTH * np.cos(a), LENGTH * np.sin(a)
    x4, z4 = BASE - LENGTH * np.cos(b), LENGTH * np.sin(b)
    slopes3 = (-LENGTH * np.sin(a), LENGTH * np.cos(a))
    slopes4 = (LENGTH * np.sin(b), LENGTH * np.cos(b))
    moments = [np.zeros_like(a), np.zeros_like(b)]
    for dx, dz, rest, ends in (
        (x3 - BASE, z3, rest_ratio * BASE, ((0, slopes3, 1.0),)),
        (x4, z4, rest_ratio * BASE, ((1, slopes4, 1.0),)),
        (x3 - x4, z3 - z4, BASE, ((0, slopes3, 1.0), (1, slopes4, -1.0))),
    ):
        density = STIFFNESS * (1.0 - rest / np.hypot(dx, dz))
        for which, (sx, sz), sign in ends:
            moments[which] = moments[which] - sign * density * (dx * sx + dz * sz)
    return np.stack(moments, axis=-1) / INERTIA


def _gauss() -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Nodes, weights and integration matrix of the Gauss method with six stages."""
    roots, weights = np.polynomial.legendre.leggauss(STAGES)
    nodes = 0.5 * (roots + 1.0)
    powers = np.arange(STAGES)
    integrals = nodes[:, None] ** (powers + 1) / (powers + 1)
    matrix = np.linalg.solve((nodes[:, None] ** powers).T, integrals.T).T
    return nodes, 0.5 * weights, matrix


def _follow(duration: float, every: float, rest_ratio: float, steps_per_sample: int) -> np.ndarray:
    _, weights, matrix = _gauss()
    h = every / steps_per_sample
    angles, rates = np.full(2, math.pi / 4.0), np.zeros(2)
    low_angles, low_rates = np.zeros(2), np.zeros(2)
    samples = [angles.copy()]
    for _ in range(round(duration / every)):
        for _ in range(steps_per_sample):
            pulls = np.tile(accelerations(angles, rest_ratio), (STAGES, 1))
            before = math.inf
            for _ in range(60):
                speeds = rates + h * matrix @ pulls
                new = accelerations(angles + h * matrix @ speeds, rest_ratio)
                change = float(np.abs(new - pulls).max())
                pulls = new
                if change == 0.0 or (change < 1e-14 and change >= before):
                    break
                before = change
            speeds = rates + h * matrix @ pulls
            angles, low_angles = _summed(angles, low_angles + h * weights @ speeds)
            rates, low_rates = _summed(rates, low_rates + h * weights @ pulls)
        samples.append(angles.copy())
    return np.array(samples)


def _summed(total: np.ndarray, increment: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    new = total + increment
    return new, increment - (new - total)


@functools.cache
def reference(duration: float, every: float, rest_ratio: float) -> tuple[np.ndarray, float]:
    """Positions x3 z3 x4 z4 on the grid, and an estimate of their error [m] from steps half as long again."""
    fine, coarse = (_places(_follow(duration, every, rest_ratio, count)) for count in (3, 2))
    return fine, float(np.abs(fine - coarse).max())


def _places(angles: np.ndarray) -> np.ndarray:
    a, b = angles.T
    return np.stack([LENGTH * np.cos(a), LENGTH * np.sin(a), BASE - LENGTH * np.cos(b), LENGTH * np.sin(b)], axis=1)
