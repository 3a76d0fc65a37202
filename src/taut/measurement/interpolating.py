"""What was computed, at any time: a run between its samples, or a structure at rest.

Nodes go along cubics that have the places and velocities of the samples on either side (Hermite); forces, which bend
where cables slacken, along straight lines.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from taut.dynamics.trajectory import Trajectory
from taut.reprs import brief
from taut.statics.equilibrium import Equilibrium
from taut.structure.structure import Structure


@dataclass(frozen=True)
class Course:
    """n nodes and m members over S samples; a single sample where it is at rest, at all times."""

    structure: Structure
    time: np.ndarray  # (S,) [s]
    nodes: np.ndarray  # (S, n, 3) [m]
    velocities: np.ndarray  # (S, n, 3) [m/s]
    force: np.ndarray  # (S, m) cables first, NaN where forces are not known [N]

    __repr__ = brief

    @property
    def at_rest(self) -> bool:
        return self.time.size == 1

    def covers(self, time: np.ndarray) -> np.ndarray:
        """(T,) which times it knows about; a last bit beyond either end is within."""
        if self.at_rest:
            return np.ones(time.size, dtype=bool)
        beyond = 1e-12 * max(abs(self.time[0]), abs(self.time[-1]))
        return np.asarray((time >= self.time[0] - beyond) & (time <= self.time[-1] + beyond))

    def nodes_at(self, time: np.ndarray, chosen: np.ndarray) -> np.ndarray:
        """(T, k, 3) places of chosen nodes [m]."""
        if self.at_rest:
            return np.broadcast_to(self.nodes[0, chosen], (time.size, chosen.size, 3))
        before, share, step = self._between(time)
        share, step = share[:, None, None], step[:, None, None]
        first, second = (self.nodes[before + k][:, chosen] for k in (0, 1))
        leaving, arriving = (step * self.velocities[before + k][:, chosen] for k in (0, 1))
        way = second - first
        return np.asarray(
            first
            + share * leaving
            + share**2 * (3.0 * way - 2.0 * leaving - arriving)
            + share**3 * (leaving + arriving - 2.0 * way)
        )

    def force_at(self, time: np.ndarray, chosen: np.ndarray) -> np.ndarray:
        """(T, k) forces of chosen members [N]."""
        if self.at_rest:
            return np.broadcast_to(self.force[0, chosen], (time.size, chosen.size))
        before, share, _ = self._between(time)
        first, second = (self.force[before + k][:, chosen] for k in (0, 1))
        return np.asarray(first + share[:, None] * (second - first))

    def _between(self, time: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """The sample before each time, how far it is on the way to the next, and how far that is [s]."""
        before = np.clip(np.searchsorted(self.time, time, side="right") - 1, 0, self.time.size - 2)
        step = self.time[before + 1] - self.time[before]
        share = np.divide(time - self.time[before], step, out=np.zeros(time.size), where=step > 0.0)
        return before, np.clip(share, 0.0, 1.0), step


def course_of(computed: Trajectory | Equilibrium | Structure) -> Course:
    """A run, an equilibrium, or a structure at its given shape, of which forces are not known."""
    if isinstance(computed, Trajectory):
        force = np.concatenate([computed.cable_tension, computed.bar_force], axis=1)
        return Course(computed.structure, computed.time, computed.nodes, computed.velocities, force)
    structure = computed.structure if isinstance(computed, Equilibrium) else computed
    places = structure.positions[None]
    unknown = np.full(len(structure.cables) + len(structure.bars), np.nan)
    force = computed.member_force if isinstance(computed, Equilibrium) else unknown
    return Course(structure, np.zeros(1), places, np.zeros_like(places), force[None])
