"""Equations of motion in any coordinates, from a mass matrix, a potential and constraints given as Python functions.

    M(q) a + c(q, v) = -dV/dq + load(t, q, v) + G(q)^T l,   residual(q) = 0,   G = d residual / dq

Nothing else has to be given: the velocity terms c = (dM/dt) v - d(v.M v / 2)/dq, the slopes of the energy and the
curvature of the constraints come from complex steps through the functions, which is exact to round-off. The functions
must therefore take complex coordinates: sums, products, powers, sin, cos, sqrt and exp do; abs and comparisons do not.

Small plants only: everything is dense and runs uncompiled, through the very same steppers, corrections and time loop
as nodal plants.
"""

from __future__ import annotations

import hashlib
import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from taut.errors import OptionError
from taut.mechanics.plant_protocol import changed_coordinates
from taut.mechanics.points.lagrangian_linearisation import lagrangian_linearisation
from taut.mechanics.points.lagrangian_operations import OPERATIONS, Workspace, energies, motion, residuals
from taut.mechanics.points.linearisation import Linearisation
from taut.reprs import brief
from taut.structure.grounds import Ground
from taut.structure.structure import Structure

Function = Callable[[np.ndarray], Any]


@dataclass(frozen=True)
class LagrangianPlant:
    """A `taut.mechanics.plant_protocol.PlantProtocol` in n coordinates of its own, with r constraints.

    names: of the coordinates. positions, velocities: at the start, (n,) each; brought onto the constraints by a run.
    mass: q -> (n, n). potential: q -> [J]. residual: q -> (r,), and jacobian: q -> (r, n), its derivative.
    load: (t, q, v) -> (n,), what is not conservative. damped: whether it damps.
    size, typical_time: a typical coordinate, which tolerances are relative to, and about how long a swing takes / 2 pi.
    """

    names: tuple[str, ...]
    mass: Function
    potential: Function
    positions: np.ndarray
    velocities: np.ndarray
    residual: Function = lambda q: np.zeros(0, dtype=q.dtype)
    jacobian: Function = lambda q: np.zeros((0, q.size), dtype=q.dtype)
    load: Callable[[float, np.ndarray, np.ndarray], np.ndarray] | None = None
    damped: bool = False
    size: float = 1.0
    typical_time: float = 1.0
    name: str = ""

    def __post_init__(self) -> None:
        n = len(self.names)
        for what, found in (("positions", np.shape(self.positions)), ("velocities", np.shape(self.velocities))):
            if found != (n,):
                raise OptionError(f"{what} of shape {found} do not fit {n} coordinates: give ({n},)")
        q = np.asarray(self.positions, dtype=float)
        rows = np.shape(self.residual(q))
        for what, shape, wanted in (
            ("mass", np.shape(self.mass(q)), (n, n)),
            ("jacobian", np.shape(self.jacobian(q)), (*rows, n)),
        ):
            if shape != wanted:
                raise OptionError(f"{what}(q) has the shape {shape}, not {wanted}")

    # --- what a run asks

    formulation = "lagrangian"
    compiled = False
    constant_mass = False
    shortest_period = math.inf
    watcher = None
    points = None
    lanes: tuple[int, ...] = ()
    load_names: tuple[str, ...] = ()
    drive_names: tuple[str, ...] = ()
    sensor_names: tuple[str, ...] = ()
    contact_names: tuple[str, ...] = ()
    grounds: tuple[Ground, ...] = ()
    ticks = False
    element_outputs: tuple[str, ...] = ()
    elements: tuple[dict[str, Any], ...] = ()

    __repr__ = brief

    @property
    def internal(self) -> np.ndarray:
        return np.zeros(0)

    def memory(self, tables: Workspace) -> np.ndarray:
        return np.zeros(0)

    def raise_stops(self) -> None:
        """It has no controllers."""

    def coming(self, tables: Workspace) -> np.ndarray:
        return np.zeros(0)

    @property
    def structure(self) -> Structure:
        return Structure({}, name=self.name)

    @property
    def coordinates(self) -> int:
        return len(self.names)

    @property
    def typical_length(self) -> float:
        return self.size

    @property
    def rows(self) -> int:
        return len(self.residual(np.asarray(self.positions, dtype=float)))

    @property
    def constraint_names(self) -> tuple[str, ...]:
        return tuple(f"constraint {k + 1}" for k in range(self.rows))

    @property
    def breaks(self) -> np.ndarray:
        return np.array([-math.inf, math.inf])

    @property
    def works(self) -> bool:
        return self.load is not None

    @property
    def dampers(self) -> tuple[str, ...]:
        return ("the load",) if self.damped else ()

    @property
    def moved(self) -> tuple[str, ...]:
        return ()

    @property
    def fingerprint(self) -> str:
        """By names and by the numbers at the start; the functions themselves cannot be compared."""
        q = np.asarray(self.positions, dtype=float)
        digest = hashlib.sha256("\n".join(self.names).encode())
        for part in (self.mass(q), self.potential(q), self.residual(q), self.jacobian(q)):
            digest.update((np.asarray(part, dtype=float) + 0.0).tobytes())
        return digest.hexdigest()[:16]

    def operations(self) -> Mapping[str, Callable[..., Any]]:
        return OPERATIONS

    def linearised(self, q: np.ndarray, v: np.ndarray, time: float, held: str) -> Linearisation:
        return lagrangian_linearisation(self, q, v, time, held)

    def own_tables(self, *, metric: str, gains: tuple[float, float]) -> Workspace:
        return Workspace(self, metric == "euclidean", gains)

    def start(self) -> tuple[np.ndarray, np.ndarray]:
        return np.array(self.positions, dtype=float), np.array(self.velocities, dtype=float)

    def changes(self, q: np.ndarray, v: np.ndarray) -> tuple[str, ...]:
        return changed_coordinates(self.names, (np.asarray(self.positions), np.asarray(self.velocities)), (q, v))

    def dependent(self, tables: Workspace, y: np.ndarray) -> np.ndarray:
        left, singular, _ = np.linalg.svd(self._rows_of_unit_length(y))
        rank = int(np.sum(singular > 1e-10 * np.max(singular, initial=0.0)))
        return np.asarray(left[:, rank:].T)

    def weakest(self, y: np.ndarray) -> np.ndarray:
        return np.asarray(np.linalg.svd(self._rows_of_unit_length(y), full_matrices=False)[0][:, -1])

    def _rows_of_unit_length(self, y: np.ndarray) -> np.ndarray:
        gradient = self.jacobian(y[: self.coordinates])
        lengths = np.linalg.norm(gradient, axis=1, keepdims=True)
        return np.asarray(gradient / np.where(lengths > 0.0, lengths, 1.0))

    def obstacle(self, tables: Workspace) -> str:
        return ""

    def observed(self, tables: Workspace, times: np.ndarray, states: np.ndarray) -> dict[str, np.ndarray]:
        """All potential energy counts as elastic."""
        n, count = self.coordinates, times.size
        multiplier, parts = np.zeros((count, self.rows)), np.zeros((count, 4))
        off, rate = np.zeros(self.rows), np.zeros(self.rows)
        for row in range(count):
            y = states[row]
            _, multiplier[row], _ = motion(tables, float(times[row]), y)
            parts[row, :2] = energies(tables, y[:n], y[n : 2 * n])
            residuals(tables, y, off, rate)
            parts[row, 2:] = np.abs(off).max(initial=0.0), np.abs(rate).max(initial=0.0)
        return {
            "nodes": np.zeros((count, 0, 3)),
            "velocities": np.zeros((count, 0, 3)),
            "reaction": np.zeros((count, 0, 3)),
            "coordinate": states[:, :n].copy(),
            "coordinate_rate": states[:, n : 2 * n].copy(),
            "multiplier": multiplier,
            "energy_kinetic": parts[:, 0].copy(),
            "energy_elastic": parts[:, 1].copy(),
            "energy_gravity": np.zeros(count),
            "length_violation": parts[:, 2].copy(),
            "rate_violation": parts[:, 3].copy(),
        }
