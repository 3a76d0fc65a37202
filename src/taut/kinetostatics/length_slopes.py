"""How the lengths of members change with the nodes."""

from __future__ import annotations

import numpy as np

from taut.statics.equilibrium_equations import EquilibriumEquations


class LengthSlopes:
    """How the lengths of all members change with the nodes, (m, 3 n), of one set of equations."""

    def __init__(self, problem: EquilibriumEquations) -> None:
        net = problem.network
        self._first, self._second = net.first, net.second
        ends = np.zeros((net.members, len(net.positions), net.first.size))
        segments = np.arange(net.first.size)
        np.add.at(ends, (net.owner, net.first, segments), -1.0)
        np.add.at(ends, (net.owner, net.second, segments), 1.0)
        self._ends = ends.reshape(-1, net.first.size)
        self._shape = net.members, 3 * len(net.positions)

    def at(self, positions: np.ndarray) -> np.ndarray:
        spans = positions[self._second] - positions[self._first]
        unit = spans / np.sqrt((spans * spans).sum(axis=1))[:, None]
        return np.asarray((self._ends @ unit).reshape(self._shape))
