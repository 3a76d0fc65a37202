"""The mass matrix of compressible bars by hand, with and without what section 3.1 drops."""

from __future__ import annotations

import numpy as np

from taut.structure.properties import bar_mass
from taut.structure.records import AXES
from taut.structure.structure import Structure


def printed_mass(structure: Structure, *, whole: bool = False) -> np.ndarray:
    """Of the coordinates that can move [kg], from bars with radius and material, and point masses.

    A bar's ends part with the velocity w: T = m |middle|^2 / 2 + (I / l^2) (|w|^2 - (u . w)^2) / 2, I with the radius.
    whole: and m / 12 (u . w)^2 / 2, the energy of a uniform bar that stretches.
    """
    index = {name: 3 * k for k, name in enumerate(structure.nodes)}
    mass = np.zeros((3 * len(index), 3 * len(index)))
    for bar in structure.bars.values():
        first, second = (slice(index[node], index[node] + 3) for node in bar.nodes)
        span = structure.positions.ravel()[second] - structure.positions.ravel()[first]
        length = float(np.linalg.norm(span))
        weight = bar_mass(structure, bar) or 0.0
        along = np.outer(span, span) / length**2
        turning = weight / 12.0 + weight * (bar.radius or 0.0) ** 2 / (4.0 * length**2)
        parting = turning * (np.eye(3) - along) + (weight / 12.0 * along if whole else 0.0)
        middle = weight / 4.0 * np.eye(3)
        mass[first, first] += middle + parting
        mass[second, second] += middle + parting
        mass[first, second] += middle - parting
        mass[second, first] += middle - parting
    for node, weight in structure.point_masses.items():
        place = slice(index[node], index[node] + 3)
        mass[place, place] += weight * np.eye(3)
    free = [
        index[node] + k
        for node in structure.nodes
        for k, axis in enumerate(AXES)
        if axis not in structure.supports.get(node, "")
    ]
    return np.asarray(mass[np.ix_(free, free)])


def smallest_over_largest(matrix: np.ndarray) -> float:
    """Of the eigenvalues of a symmetric matrix; zero where round-off makes the smallest negative."""
    values = np.linalg.eigvalsh(matrix)
    return float(max(values[0], 0.0) / values[-1])
