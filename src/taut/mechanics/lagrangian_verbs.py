"""What algorithms ask of a `taut.mechanics.lagrangian.LagrangianPlant`: the verbs of `taut.dynamics.verbs`, dense."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from taut.numerics.dense_saddle import DenseSaddle, decompose, solve

if TYPE_CHECKING:
    from taut.mechanics.lagrangian import LagrangianPlant

TINY = 1e-100
"""A complex step: far below round-off, and its square is still no zero."""


class Desk:
    """A plant and the work of one run: the system of accelerations and that of corrections."""

    def __init__(self, plant: LagrangianPlant, euclidean: bool, gains: tuple[float, float]) -> None:
        self.plant, self.euclidean, self.gains = plant, euclidean, gains
        self.n, self.rows = plant.coordinates, plant.rows
        self.firmness = 1.0
        self.metric: DenseSaddle


def slope(function: Callable[[np.ndarray], Any], q: np.ndarray) -> np.ndarray:
    """The derivative of a number with respect to every coordinate."""
    eye = np.eye(q.size) * TINY * 1j
    return np.array([np.imag(function(q + step)) for step in eye]) / TINY


def along(function: Callable[[np.ndarray], Any], q: np.ndarray, direction: np.ndarray) -> np.ndarray:
    """The derivative of anything along a direction."""
    return np.asarray(np.imag(function(q + TINY * 1j * direction)) / TINY)


def energies(d: Desk, q: np.ndarray, v: np.ndarray) -> tuple[float, float]:
    """Kinetic and potential."""
    return float(0.5 * v @ d.plant.mass(q) @ v), float(d.plant.potential(q))


def all_forces(d: Desk, t: float, q: np.ndarray, v: np.ndarray) -> tuple[np.ndarray, float]:
    """All that accelerates but constraints, velocity terms included; and the power of what is not conservative."""
    plant = d.plant
    out = slope(lambda p: 0.5 * v @ plant.mass(p) @ v - plant.potential(p), q) - along(plant.mass, q, v) @ v
    if plant.load is None:
        return out, 0.0
    load = np.asarray(plant.load(t, q, v), dtype=float)
    return out + load, float(load @ v)


def motion(d: Desk, t: float, y: np.ndarray) -> tuple[np.ndarray, np.ndarray, float]:
    """Accelerations, multipliers and power."""
    q, v = y[: d.n], y[d.n : 2 * d.n]
    force, watts = all_forces(d, t, q, v)
    gradient = d.plant.jacobian(q)
    bent = along(d.plant.jacobian, q, v) @ v
    try:
        system = decompose(d.plant.mass(q), gradient)
    except np.linalg.LinAlgError:  # no inertia left, or numbers that are none: let the state say so
        return np.full(d.n, np.nan), np.full(d.rows, np.nan), math.nan
    d.firmness = min(d.firmness, system.firmness)
    a, multiplier = solve(system, force, -bent - d.gains[0] * (gradient @ v) - d.gains[1] * d.plant.gap(q))
    return a, multiplier, watts


# --- verbs, as in taut.dynamics.verbs


def rate(d: Desk, t: float, y: np.ndarray, out: np.ndarray) -> None:
    out[d.n : 2 * d.n], _, out[2 * d.n] = motion(d, t, y)
    out[: d.n] = y[d.n : 2 * d.n]


def forces(d: Desk, t: float, y: np.ndarray, out: np.ndarray) -> None:
    out[: d.n] = all_forces(d, t, y[: d.n], y[d.n : 2 * d.n])[0]


def power(d: Desk, t: float, y: np.ndarray) -> float:
    return all_forces(d, t, y[: d.n], y[d.n : 2 * d.n])[1]


def firmness(d: Desk) -> float:
    least, d.firmness = d.firmness, 1.0
    return least


def enter(d: Desk, inside: float) -> None:
    """Loads are smooth."""


def mismatch(d: Desk, y: np.ndarray, trial: np.ndarray, error: np.ndarray, tolerance: float) -> float:
    """Errors relative to the plant's size, the largest speed, and the energy such speeds mean."""
    n, plant = d.n, d.plant
    speed = max(1e-3 * plant.size / plant.typical_time, *np.abs(y[n : 2 * n]), *np.abs(trial[n : 2 * n]))
    works = float(np.trace(plant.mass(y[:n]))) * speed**2 + max(abs(y[2 * n]), abs(trial[2 * n]))
    worst = max(np.abs(error[:n]).max() / plant.size, np.abs(error[n : 2 * n]).max() / speed, abs(error[2 * n]) / works)
    return float(worst / tolerance)


def gaps(d: Desk, y: np.ndarray, gap: np.ndarray, gap_rate: np.ndarray) -> tuple[float, float]:
    q, v = y[: d.n], y[d.n : 2 * d.n]
    gap[: d.rows] = d.plant.gap(q)
    gap_rate[: d.rows] = d.plant.jacobian(q) @ v
    speed = max(d.plant.size / d.plant.typical_time, *np.abs(v))
    return float(np.abs(gap).max(initial=0.0) / d.plant.size), float(np.abs(gap_rate).max(initial=0.0) / speed)


def prepare(d: Desk, y: np.ndarray) -> int:
    q = y[: d.n]
    try:
        d.metric = decompose(np.eye(d.n) if d.euclidean else d.plant.mass(q), d.plant.jacobian(q))
    except np.linalg.LinAlgError:
        return -1
    return d.metric.dropped


def project(d: Desk, covector: np.ndarray, rates: np.ndarray, direction: np.ndarray) -> None:
    direction[: d.n] = solve(d.metric, covector[: d.n], rates[: d.rows])[0]


def bend(d: Desk, y: np.ndarray, direction: np.ndarray, rates: np.ndarray) -> None:
    rates[: d.rows] = along(d.plant.jacobian, y[: d.n], direction[: d.n]) @ y[d.n : 2 * d.n]


def energy(d: Desk, y: np.ndarray) -> tuple[float, float]:
    kinetic, potential = energies(d, y[: d.n], y[d.n : 2 * d.n])
    return kinetic + potential, kinetic + abs(potential) + abs(float(y[2 * d.n]))


def energy_slope(d: Desk, y: np.ndarray, along_q: np.ndarray, along_v: np.ndarray) -> tuple[float, float]:
    q, v = y[: d.n], y[d.n : 2 * d.n]
    along_q[: d.n] = slope(lambda p: 0.5 * v @ d.plant.mass(p) @ v + d.plant.potential(p), q)
    along_v[: d.n] = d.plant.mass(q) @ v
    return energy(d, y)


def keep_momentum(d: Desk, y: np.ndarray, shift: np.ndarray, swing: np.ndarray) -> None:
    """No momentum is known to be kept."""


VERBS: Mapping[str, Callable[..., Any]] = {
    verb.__name__: verb
    for verb in (
        rate,
        forces,
        power,
        firmness,
        enter,
        mismatch,
        gaps,
        prepare,
        project,
        bend,
        energy,
        energy_slope,
        keep_momentum,
    )
}
