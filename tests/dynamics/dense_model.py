"""The equations of a structure with full matrices, after eqs. (1) to (25) of Hsu, Tadiparthi and Bhattacharya.

Written from the paper and the records alone, with Kronecker products and supports as constraints like any other, so
that it shares nothing with the kernels: no elimination of supports, no packed tables, no sparse factor. It is slow.
Positions and velocities may be complex, for complex steps.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

import numpy as np

from taut import Bar, Damping, Structure

AXES = "xyz"
Vector = tuple[float, float, float]
Force = tuple[str, str, Callable[[float], float]]
"""Node, axis, and the force [N] over time."""


class DenseModel:
    def __init__(
        self,
        structure: Structure,
        gravity: Vector = (0.0, 0.0, 0.0),
        forces: Sequence[Force] = (),
        damping: Damping | None = None,
    ) -> None:
        self.structure, self.gravity, self.forces = structure, np.array(gravity), forces
        self.damping = damping or Damping()
        self.names = list(structure.nodes)
        self.size = 3 * len(self.names)
        self.start = np.array(list(structure.nodes.values())).ravel()
        self.bars, self.cables = list(structure.bars.values()), list(structure.cables.values())
        self.bar_maps = [self._difference(*bar.nodes) for bar in self.bars]  # X_k, eq. (2)
        self.middle_maps = [self._mean(*bar.nodes) for bar in self.bars]  # Xbar_k, eq. (3)
        self.cable_maps = [self._difference(*cable.route) for cable in self.cables]  # Y_k, eq. (4)
        self.lengths = [float(np.linalg.norm(x @ self.start)) for x in self.bar_maps]
        self.rests = [
            float(np.linalg.norm(y @ self.start)) if cable.rest_length is None else cable.rest_length
            for cable, y in zip(self.cables, self.cable_maps, strict=True)
        ]
        self.point_mass = self._point_masses()
        self.mass = self._mass()
        self.held = [
            3 * self.names.index(node) + AXES.index(a) for node, axes in structure.supports.items() for a in axes
        ]
        self.free = np.setdiff1d(np.arange(self.size), self.held)

    # --- maps from coordinates to members

    def _unit(self, node: str) -> np.ndarray:
        return np.eye(len(self.names))[self.names.index(node)]

    def _difference(self, first: str, second: str) -> np.ndarray:
        return np.kron(self._unit(second) - self._unit(first), np.eye(3))

    def _mean(self, first: str, second: str) -> np.ndarray:
        return np.kron(0.5 * (self._unit(second) + self._unit(first)), np.eye(3))

    # --- inertia and weight

    def bar_mass(self, bar: Bar, length: float) -> float:
        if bar.mass is not None:
            return bar.mass
        assert bar.material is not None
        assert bar.material.density is not None
        assert bar.radius is not None
        return bar.material.density * math.pi * (bar.radius**2 - bar.inner_radius**2) * length

    def _point_masses(self) -> np.ndarray:
        masses = np.zeros(len(self.names))
        for node, mass in self.structure.point_masses.items():
            masses[self.names.index(node)] += mass
        for cable in self.cables:
            for node in cable.route:
                masses[self.names.index(node)] += (cable.mass or 0.0) / 2.0
        return masses

    def _mass(self) -> np.ndarray:
        """M of eq. (10): m Xbar'Xbar + I / l^2 X'X a bar, and the point masses."""
        total = np.kron(np.diag(self.point_mass), np.eye(3))
        for bar, x, middle, length in zip(self.bars, self.bar_maps, self.middle_maps, self.lengths, strict=True):
            mass = self.bar_mass(bar, length)
            outer, inner = bar.radius or 0.0, bar.inner_radius
            inertia = {
                "thin": mass * length**2 / 12.0,
                "cylinder": mass / 12.0 * (3.0 * (outer**2 + inner**2) + length**2),
                "lumped": mass * length**2 / 4.0,
            }[bar.inertia]
            total += mass * middle.T @ middle + inertia / length**2 * x.T @ x
        return total

    @property
    def weight(self) -> np.ndarray:
        """G of eq. (11)."""
        total = np.kron(self.point_mass, self.gravity)
        for bar, middle, length in zip(self.bars, self.middle_maps, self.lengths, strict=True):
            total += self.bar_mass(bar, length) * middle.T @ self.gravity
        return total

    # --- energy and forces

    def energy(self, q: np.ndarray, v: np.ndarray) -> complex:
        """Eqs. (10), (11), (12); a slack cable stores nothing."""
        total = 0.5 * v @ self.mass @ v - self.weight @ q
        for cable, y, rest in zip(self.cables, self.cable_maps, self.rests, strict=True):
            stretch = np.sqrt((y @ q) @ (y @ q)) - rest
            if stretch.real > 0.0 or cable.law == "spring":
                total += 0.5 * cable.stiffness * stretch**2
        return total

    def elastic_force(self, q: np.ndarray) -> np.ndarray:
        """Minus the left side of eq. (18)."""
        total = np.zeros(self.size)
        for cable, y, rest in zip(self.cables, self.cable_maps, self.rests, strict=True):
            length = np.linalg.norm(y @ q)
            if length > rest or cable.law == "spring":
                total -= cable.stiffness * (1.0 - rest / length) * y.T @ y @ q
        return total

    def damper_force(self, q: np.ndarray, v: np.ndarray) -> np.ndarray:
        """Eq. (17) along the cables that are taut and not so much that they push, and Damping on nodes and masses."""
        total = -self.damping.node * v - self.damping.mass * self.mass @ v
        for cable, y, rest in zip(self.cables, self.cable_maps, self.rests, strict=True):
            s, rate = y @ q, y @ v
            if np.linalg.norm(s) > rest or cable.law == "spring":
                coefficient = cable.damping + self.damping.stiffness * cable.stiffness
                length = np.linalg.norm(s)
                viscous = coefficient * (rate @ s) / length
                if cable.law == "cable":
                    viscous = max(viscous, -cable.stiffness * (length - rest))
                total -= viscous / length * y.T @ s
        return total

    def load_force(self, t: float) -> np.ndarray:
        total = np.zeros(self.size)
        for node, axis, force in self.forces:
            total[3 * self.names.index(node) + AXES.index(axis)] += force(t)
        return total

    # --- constraints: bars (eq. 24), supports and linear constraints

    def jacobian(self, q: np.ndarray) -> np.ndarray:
        """R_q of eq. (25), with rows of A for supports last."""
        rows = [2.0 * q @ x.T @ x for x in self.bar_maps]
        for constraint in self.structure.constraints.values():
            row = np.zeros(self.size)
            for node, axis, coefficient in constraint.terms:
                row[3 * self.names.index(node) + AXES.index(axis)] += coefficient
            rows.append(row)
        rows += list(np.eye(self.size)[self.held])
        return np.array(rows).reshape(-1, self.size)

    def bending(self, v: np.ndarray) -> np.ndarray:
        """xi_2: the second rate of the constraints that comes from speed alone."""
        bars = [2.0 * (x @ v) @ (x @ v) for x in self.bar_maps]
        return np.array([*bars, *np.zeros(len(self.structure.constraints) + len(self.held))])

    def admissible(self, q: np.ndarray, v: np.ndarray) -> np.ndarray:
        """The nearest velocity that no constraint opposes."""
        rows = self.jacobian(q)
        return v - np.linalg.pinv(rows) @ (rows @ v)

    def motion(self, t: float, q: np.ndarray, v: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Acceleration and multipliers by eq. (21)."""
        rows = self.jacobian(q)
        scale = np.linalg.norm(rows, axis=1)
        rows = rows / scale[:, None]
        force = self.elastic_force(q) + self.damper_force(q, v) + self.load_force(t) + self.weight
        none = np.zeros((len(rows), len(rows)))
        matrix = np.block([[self.mass, -rows.T], [-rows, none]])
        right = np.concatenate([force, self.bending(v) / scale])
        solution = np.linalg.lstsq(matrix, right, rcond=1e-13)[0]
        return solution[: self.size], solution[self.size :] / scale

    def reactions(self, multipliers: np.ndarray) -> np.ndarray:
        """Forces of the supports on the structure, (n, 3) [N]."""
        total = np.zeros(self.size)
        total[self.held] = multipliers[len(multipliers) - len(self.held) :]
        return total.reshape(-1, 3)
