"""Which ways a structure can be displaced, or move, at the start: those that supports, bars and guides allow."""

from __future__ import annotations

import numpy as np

from taut.numerics.subspaces import null_space
from taut.statics.equilibrium_equations import equations_of
from taut.statics.network import network
from taut.structure.structure import Structure


def free_starts(structure: Structure) -> np.ndarray:
    """(3 n, d) orthonormal displacements of all nodes that keep to every constraint, to first order."""
    problem = equations_of(network(structure))
    rows = problem.free_rows(problem.network.positions, problem.setting)
    inner = null_space(rows) if rows.shape[0] else np.eye(problem.free.size)
    found = np.zeros((problem.unknown.size, inner.shape[1]))
    found[problem.free] = inner
    return found
