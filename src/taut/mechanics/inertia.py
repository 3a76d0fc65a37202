"""The masses of a structure in nodal coordinates: consistent rods, point masses, half of a cable at either end."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import scipy.sparse as sp

from taut.structure import properties
from taut.structure.structure import Structure


class Inertia(NamedTuple):
    """n nodes, b bars. The mass matrix has `own` on its diagonal and `coupling` between the ends of every bar."""

    own: np.ndarray  # (n,) [kg]
    weighing: np.ndarray  # (n,) what gravity acts on [kg]
    coupling: np.ndarray  # (b,) [kg]


def inertia(structure: Structure) -> Inertia:
    """Bars of unknown mass give NaN."""
    index = {name: i for i, name in enumerate(structure.nodes)}
    bars = list(structure.bars.values())
    mass = np.array([properties.bar_mass(structure, bar) for bar in bars], dtype=float)
    rotary = np.array([properties.bar_rotary_mass(structure, bar) for bar in bars], dtype=float)
    lumped = _lumped_masses(structure, index)
    own, weighing = lumped.copy(), lumped.copy()
    for end in (0, 1):
        at = np.array([index[bar.nodes[end]] for bar in bars], dtype=np.int64)
        np.add.at(own, at, mass / 4.0 + rotary)
        np.add.at(weighing, at, mass / 2.0)
    return Inertia(own, weighing, mass / 4.0 - rotary)


def mass_matrix(structure: Structure, free: np.ndarray) -> sp.csc_matrix:
    """Of the free coordinates, 3 * node + axis each [kg]."""
    index = {name: i for i, name in enumerate(structure.nodes)}
    masses = inertia(structure)
    ends = np.array([[index[node] for node in bar.nodes] for bar in structure.bars.values()], dtype=np.int64)
    first, second = ends.reshape(-1, 2).T
    every = np.arange(len(index))
    nodal = sp.coo_matrix(
        (
            np.concatenate([masses.own, masses.coupling, masses.coupling]),
            (np.concatenate([every, first, second]), np.concatenate([every, second, first])),
        ),
        shape=(len(index), len(index)),
    )
    return sp.csc_matrix(sp.csr_matrix(sp.kron(nodal, sp.eye(3)))[free][:, free])


def _lumped_masses(structure: Structure, index: dict[str, int]) -> np.ndarray:
    """Point masses, and half of every cable's mass at either end."""
    masses = np.zeros(len(index))
    for node, mass in structure.point_masses.items():
        masses[index[node]] += mass
    for cable in structure.cables.values():
        share = properties.cable_mass(structure, cable) / 2.0
        masses[index[cable.route[0]]] += share
        masses[index[cable.route[-1]]] += share
    return masses
