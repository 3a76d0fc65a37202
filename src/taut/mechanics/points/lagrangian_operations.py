"""What algorithms ask of a `LagrangianPlant`: the operations of `taut.dynamics.operations`, dense."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from taut.mechanics.tables import Layout, state_layout
from taut.numerics.dense_saddle import DenseSaddle, decompose, solve

if TYPE_CHECKING:
    from taut.mechanics.points.lagrangian import LagrangianPlant

TINY = 1e-100
"""A complex step: far below round-off, and its square is still no zero."""


class Workspace:
    """A plant and the work of one run: the system of accelerations and that of corrections."""

    def __init__(self, plant: LagrangianPlant, euclidean: bool, gains: tuple[float, float]) -> None:
        self.plant, self.euclidean, self.gains = plant, euclidean, gains
        self.n, self.rows = plant.coordinates, plant.rows
        self.independence = 1.0
        self.metric: DenseSaddle


def gradient(function: Callable[[np.ndarray], Any], q: np.ndarray) -> np.ndarray:
    """The derivative of a number with respect to every coordinate."""
    eye = np.eye(q.size) * TINY * 1j
    return np.array([np.imag(function(q + step)) for step in eye]) / TINY


def along(function: Callable[[np.ndarray], Any], q: np.ndarray, direction: np.ndarray) -> np.ndarray:
    """The derivative of anything along a direction."""
    return np.asarray(np.imag(function(q + TINY * 1j * direction)) / TINY)


def energies(d: Workspace, q: np.ndarray, v: np.ndarray) -> tuple[float, float]:
    """Kinetic and potential."""
    return float(0.5 * v @ d.plant.mass(q) @ v), float(d.plant.potential(q))


def all_forces(d: Workspace, t: float, q: np.ndarray, v: np.ndarray) -> tuple[np.ndarray, float]:
    """All that accelerates but constraints, velocity terms included; and the power of what is not conservative."""
    plant = d.plant
    out = gradient(lambda p: 0.5 * v @ plant.mass(p) @ v - plant.potential(p), q) - along(plant.mass, q, v) @ v
    if plant.load is None:
        return out, 0.0
    load = np.asarray(plant.load(t, q, v), dtype=float)
    return out + load, float(load @ v)


def motion(d: Workspace, t: float, y: np.ndarray) -> tuple[np.ndarray, np.ndarray, float]:
    """Accelerations, multipliers and power."""
    q, v = y[: d.n], y[d.n : 2 * d.n]
    force, watts = all_forces(d, t, q, v)
    rows = d.plant.jacobian(q)
    bent = along(d.plant.jacobian, q, v) @ v
    try:
        system = decompose(d.plant.mass(q), rows)
    except np.linalg.LinAlgError:  # no inertia left, or numbers that are none: let the state say so
        return np.full(d.n, np.nan), np.full(d.rows, np.nan), math.nan
    d.independence = min(d.independence, system.firmness)
    a, multiplier = solve(system, force, -bent - d.gains[0] * (rows @ v) - d.gains[1] * d.plant.residual(q))
    return a, multiplier, watts


# --- operations, as in taut.dynamics.operations


def rate(d: Workspace, t: float, y: np.ndarray, out: np.ndarray) -> None:
    out[d.n : 2 * d.n], _, out[2 * d.n] = motion(d, t, y)
    out[: d.n] = y[d.n : 2 * d.n]


def forces(d: Workspace, t: float, y: np.ndarray, out: np.ndarray) -> None:
    out[: d.n] = all_forces(d, t, y[: d.n], y[d.n : 2 * d.n])[0]


def power(d: Workspace, t: float, y: np.ndarray) -> float:
    return all_forces(d, t, y[: d.n], y[d.n : 2 * d.n])[1]


def drive_power(d: Workspace, t: float, y: np.ndarray) -> float:
    """Nothing is imposed."""
    return 0.0


def independence(d: Workspace) -> float:
    least, d.independence = d.independence, 1.0
    return least


def enter_piece(d: Workspace, inside: float) -> None:
    """Loads are smooth."""


def pass_break(d: Workspace, t: float, inside: float, y: np.ndarray, log: np.ndarray, filled: int) -> int:
    """There are none."""
    return filled


def error_size(d: Workspace, y: np.ndarray, trial: np.ndarray, error: np.ndarray, tolerance: float, h: float) -> float:
    """Errors relative to the plant's size, the largest speed, and the energy such speeds mean; round-off not known."""
    n, plant = d.n, d.plant
    speed = max(1e-3 * plant.size / plant.typical_time, *np.abs(y[n : 2 * n]), *np.abs(trial[n : 2 * n]))
    works = float(np.trace(plant.mass(y[:n]))) * speed**2 + max(abs(y[2 * n]), abs(trial[2 * n]))
    worst = max(np.abs(error[:n]).max() / plant.size, np.abs(error[n : 2 * n]).max() / speed, abs(error[2 * n]) / works)
    return float(worst / tolerance)


def residuals(d: Workspace, y: np.ndarray, residual: np.ndarray, rate: np.ndarray) -> tuple[float, float]:
    q, v = y[: d.n], y[d.n : 2 * d.n]
    residual[: d.rows] = d.plant.residual(q)
    rate[: d.rows] = d.plant.jacobian(q) @ v
    speed = max(d.plant.size / d.plant.typical_time, *np.abs(v))
    return float(np.abs(residual).max(initial=0.0) / d.plant.size), float(np.abs(rate).max(initial=0.0) / speed)


def prepare_projection(d: Workspace, y: np.ndarray) -> int:
    q = y[: d.n]
    try:
        d.metric = decompose(np.eye(d.n) if d.euclidean else d.plant.mass(q), d.plant.jacobian(q))
    except np.linalg.LinAlgError:
        return -1
    return d.metric.dropped


def project(d: Workspace, covector: np.ndarray, rates: np.ndarray, direction: np.ndarray) -> None:
    direction[: d.n] = solve(d.metric, covector[: d.n], rates[: d.rows])[0]


def jacobian_rate(d: Workspace, y: np.ndarray, direction: np.ndarray, rates: np.ndarray) -> None:
    rates[: d.rows] = along(d.plant.jacobian, y[: d.n], direction[: d.n]) @ y[d.n : 2 * d.n]


def energy(d: Workspace, y: np.ndarray) -> tuple[float, float]:
    kinetic, potential = energies(d, y[: d.n], y[d.n : 2 * d.n])
    return kinetic + potential, kinetic + abs(potential) + abs(float(y[2 * d.n]))


def energy_gradient(d: Workspace, y: np.ndarray, along_q: np.ndarray, along_v: np.ndarray) -> tuple[float, float]:
    q, v = y[: d.n], y[d.n : 2 * d.n]
    along_q[: d.n] = gradient(lambda p: 0.5 * v @ d.plant.mass(p) @ v + d.plant.potential(p), q)
    along_v[: d.n] = d.plant.mass(q) @ v
    return energy(d, y)


def keep_momentum(d: Workspace, y: np.ndarray, shift: np.ndarray, swing: np.ndarray) -> None:
    """No momentum is known to be kept."""


def layout(d: Workspace) -> Layout:
    return state_layout(d.n, 0, 0)


OPERATIONS: Mapping[str, Callable[..., Any]] = {
    operation.__name__: operation
    for operation in (
        layout,
        rate,
        forces,
        power,
        drive_power,
        independence,
        enter_piece,
        pass_break,
        error_size,
        residuals,
        prepare_projection,
        project,
        jacobian_rate,
        energy,
        energy_gradient,
        keep_momentum,
    )
}
