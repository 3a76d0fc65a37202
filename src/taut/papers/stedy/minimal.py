"""The T-bar by another road, as the paper's benchmark: its two bar angles (minimum realisation), Gauss collocation.

Nothing is shared with taut's own equations and methods: moments are written out spring by spring, the six stages
(order 12) are iterated to round-off, sums are compensated. The error is estimated from two step sizes.
Many rest lengths of the verticals are followed at once, a row each.
"""

from __future__ import annotations

import functools
import math

import numpy as np

LENGTH, STIFFNESS = 5.0, 100.0
BASE = 5.0 / math.sqrt(2.0)
INERTIA = 6.25 * math.pi * LENGTH**2 / 3.0
"""Of a thin bar about its fixed end, as in the authors' code."""
STAGES = 6
MOST_ITERATIONS = 60


def accelerations(angles: np.ndarray, rest_ratios: np.ndarray) -> np.ndarray:
    """Second rates of the two angles, (..., R, 2): -dV/d(angle) / inertia, for R rest ratios."""
    a, b = angles[..., 0], angles[..., 1]
    x3, z3 = LENGTH * np.cos(a), LENGTH * np.sin(a)
    x4, z4 = BASE - LENGTH * np.cos(b), LENGTH * np.sin(b)
    slopes3 = (-z3, x3)
    slopes4 = (z4, BASE - x4)
    moments = [np.zeros_like(a), np.zeros_like(b)]
    for dx, dz, rest, ends in (
        (x3 - BASE, z3, rest_ratios * BASE, ((0, slopes3, 1.0),)),
        (x4, z4, rest_ratios * BASE, ((1, slopes4, 1.0),)),
        (x3 - x4, z3 - z4, BASE, ((0, slopes3, 1.0), (1, slopes4, -1.0))),
    ):
        density = STIFFNESS * (1.0 - rest / np.hypot(dx, dz))
        for which, (sx, sz), sign in ends:
            moments[which] = moments[which] - sign * density * (dx * sx + dz * sz)
    return np.stack(moments, axis=-1) / INERTIA


@functools.cache
def reference(duration: float, every: float, rest_ratios: tuple[float, ...]) -> tuple[np.ndarray, float]:
    """Positions x3 z3 x4 z4 on the grid, (R, T, 4) [m], and an estimate of their error, from longer steps."""
    # Samples a hundredth of a second apart need no steps between them.
    finer, coarser = (3, 2) if every > 0.03 else (2, 1)
    fine, coarse = (_places(_follow(duration, every, np.array(rest_ratios), count)) for count in (finer, coarser))
    return fine, float(np.abs(fine - coarse).max())


def _follow(duration: float, every: float, rest_ratios: np.ndarray, steps_per_sample: int) -> np.ndarray:
    """Angles at the samples, (T, R, 2)."""
    weights, matrix = _gauss()
    h = every / steps_per_sample
    angles, rates = np.full((rest_ratios.size, 2), math.pi / 4.0), np.zeros((rest_ratios.size, 2))
    low_angles, low_rates = np.zeros_like(angles), np.zeros_like(rates)
    samples = [angles.copy()]
    for _ in range(round(duration / every)):
        for _ in range(steps_per_sample):
            pulls = _stages(angles, rates, rest_ratios, h * matrix)
            speeds = rates + np.tensordot(h * matrix, pulls, axes=1)
            angles, low_angles = _summed(angles, low_angles + np.tensordot(h * weights, speeds, axes=1))
            rates, low_rates = _summed(rates, low_rates + np.tensordot(h * weights, pulls, axes=1))
        samples.append(angles.copy())
    return np.array(samples)


def _stages(angles: np.ndarray, rates: np.ndarray, rest_ratios: np.ndarray, scaled: np.ndarray) -> np.ndarray:
    """Accelerations at the stages, (6, R, 2), by iteration to round-off."""
    pulls = np.repeat(accelerations(angles, rest_ratios)[None], STAGES, axis=0)
    before = math.inf
    for _ in range(MOST_ITERATIONS):
        speeds = rates + np.tensordot(scaled, pulls, axes=1)
        new = accelerations(angles + np.tensordot(scaled, speeds, axes=1), rest_ratios)
        change = float(np.abs(new - pulls).max())
        pulls = new
        if change == 0.0 or (change < 1e-14 and change >= before):
            break
        before = change
    return pulls


def _gauss() -> tuple[np.ndarray, np.ndarray]:
    """Weights and integration matrix of the Gauss method with six stages."""
    roots, weights = np.polynomial.legendre.leggauss(STAGES)
    nodes = 0.5 * (roots + 1.0)
    powers = np.arange(STAGES)
    integrals = nodes[:, None] ** (powers + 1) / (powers + 1)
    matrix = np.linalg.solve((nodes[:, None] ** powers).T, integrals.T).T
    return 0.5 * weights, matrix


def _summed(total: np.ndarray, increment: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    new = total + increment
    return new, increment - (new - total)


def _places(angles: np.ndarray) -> np.ndarray:
    a, b = np.moveaxis(angles, 0, 1)[..., 0], np.moveaxis(angles, 0, 1)[..., 1]
    return np.stack([LENGTH * np.cos(a), LENGTH * np.sin(a), BASE - LENGTH * np.cos(b), LENGTH * np.sin(b)], axis=-1)
