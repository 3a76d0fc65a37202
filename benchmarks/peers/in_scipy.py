"""The same equations by scipy: as a user writes them in numpy, and with taut's own compiled accelerations."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from scipy.integrate import solve_ivp

import taut
from benchmarks.tbar_against_scipy import PlainNumpy

Rate = Callable[[float, np.ndarray], np.ndarray]


class InScipy:
    """Free coordinates and their rates of a plant. positions, velocities: (n, 3) at the start, on the constraints.

    compiled: with taut's accelerations; otherwise in numpy.
    """

    def __init__(self, plant: taut.Plant, positions: np.ndarray, velocities: np.ndarray, *, compiled: bool) -> None:
        self.positions = positions
        self.free = plant.tables["nodes"].free
        self.begin = np.concatenate([positions.ravel()[self.free], velocities.ravel()[self.free]])
        self.rate: Rate = _compiled(plant) if compiled else PlainNumpy(plant.structure).rate

    def follow(self, method: str, duration: float, tolerance: float) -> np.ndarray:
        """Positions (n, 3) of the nodes at the end."""
        found = solve_ivp(self.rate, (0.0, duration), self.begin, method=method, rtol=tolerance, atol=tolerance)
        nodes = self.positions.ravel().copy()
        nodes[self.free] = found.y[: self.free.size, -1]
        return nodes.reshape(-1, 3)


def _compiled(plant: taut.Plant) -> Rate:
    tables, size = plant.own_tables(metric="mass", gains=(0.0, 0.0)), plant.coordinates
    rate, state, out = plant.operations()["rate"], np.zeros(2 * size + 1), np.zeros(2 * size + 1)
    free = plant.tables["nodes"].free
    moving = np.concatenate([free, size + free])
    state[:size], state[size : 2 * size] = plant.start()

    def flow(t: float, y: np.ndarray) -> np.ndarray:
        state[moving] = y
        rate(tables, t, state, out)
        return out[moving]

    return flow
