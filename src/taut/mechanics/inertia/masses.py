"""The masses of a structure in nodal coordinates: consistent rods, point masses, cables lumped along their routes."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from taut.errors import ModelError, Problem
from taut.structure import properties
from taut.structure.plates import Plate, body_of, mass_shares, rigid_motion
from taut.structure.structure import Structure

if TYPE_CHECKING:
    import scipy.sparse as sp


class Inertia(NamedTuple):
    """n nodes, b bars, p pairs of points of plates. The mass matrix has `own` on its diagonal, `coupling` between the
    ends of every bar, `between` between those of a pair.

    The thickness of compressible bars comes on top: their mass matrix changes with them (`inertia/cylinders.py`).
    """

    own: np.ndarray  # (n,) [kg]
    weighing: np.ndarray  # (n,) what gravity acts on [kg]
    coupling: np.ndarray  # (b,) [kg]
    pairs: np.ndarray  # (p, 2) nodes
    between: np.ndarray  # (p,) the coupling of each pair [kg]
    thickness: np.ndarray  # (b,) what it adds to I / l^2 of a compressible bar without force, zero for rigid ones [kg]


def inertia(structure: Structure) -> Inertia:
    """Bars and plates of unknown mass give NaN."""
    index = {name: i for i, name in enumerate(structure.nodes)}
    bars = list(structure.bars.values())
    mass = np.array([properties.bar_mass(structure, bar) for bar in bars], dtype=float)
    soft = np.array([bar.law == "compressible" for bar in bars], dtype=bool)
    thickness = np.array([properties.bar_thickness_mass(structure, bar) for bar in bars], dtype=float)
    thickness[~soft] = 0.0
    rotary = np.array([properties.bar_rotary_mass(structure, bar) for bar in bars], dtype=float) - thickness
    lumped = lumped_masses(structure)
    own, weighing = lumped.copy(), lumped.copy()
    for end in (0, 1):
        at = np.array([index[bar.nodes[end]] for bar in bars], dtype=np.int64)
        np.add.at(own, at, mass / 4.0 + rotary)
        np.add.at(weighing, at, mass / 2.0)
    shares = [mass_shares(structure, plate) for plate in structure.plates.values()]
    for share in shares:
        for total, part in ((own, share.own), (weighing, share.weighing)):
            for node, one in part.items():
                total[index[node]] += one
    pairs = np.array([[index[a], index[b]] for share in shares for a, b in share.pairs], dtype=np.int64).reshape(-1, 2)
    between = np.array([one for share in shares for one in share.pairs.values()], dtype=float)
    return Inertia(own, weighing, mass / 4.0 - rotary, pairs, between, thickness)


def rigid_thickness(structure: Structure, bars: np.ndarray) -> np.ndarray:
    """(r,) what thickness adds to I / l^2 of rigid bars [kg], by their places in the structure.

    It resists turning only. In M it stands against every relative motion of a bar's ends, so that M stays constant;
    along the bar, where they move as the row says, its share comes out as a push that no cross-section feels.
    """
    every = list(structure.bars.values())
    return np.array([properties.bar_thickness_mass(structure, every[k]) for k in bars], dtype=float)


def poisson_power(structure: Structure) -> np.ndarray:
    """(b,) the power of l / l0 with which r^2 / l^2 goes as a bar stretches, r = r0 (l / l0)^-nu: -2 (1 + nu)."""
    ratios = [bar.material and bar.material.poisson_ratio for bar in structure.bars.values()]
    return np.array([-2.0 * (1.0 + (ratio or 0.0)) for ratio in ratios], dtype=float)


def mass_matrix(structure: Structure, free: np.ndarray) -> sp.csc_matrix:
    """Of the free coordinates, 3 * node + axis each, where the nodes are [kg].

    Plates have the mass of their own motions as bodies, and none for what their rows do not let them do.
    """
    import scipy.sparse as sp

    index = {name: i for i, name in enumerate(structure.nodes)}
    masses = inertia(replace(structure, plates={}, angles={}))
    bars = list(structure.bars.values())
    ends = np.array([[index[node] for node in bar.nodes] for bar in bars], dtype=np.int64)
    first, second = ends.reshape(-1, 2).T
    every = np.arange(len(index))
    nodal = sp.coo_matrix(
        (
            np.concatenate([masses.own, masses.coupling, masses.coupling]),
            (np.concatenate([every, first, second]), np.concatenate([every, second, first])),
        ),
        shape=(len(index), len(index)),
    )
    whole = sp.csr_matrix(sp.kron(nodal, sp.eye(3)))
    if masses.thickness.any():
        whole = whole + _thick_part(structure, masses.thickness, first, second)
    for plate in structure.plates.values():
        whole = whole + _plate_part(structure, plate, index)
    return sp.csc_matrix(sp.csr_matrix(whole)[free][:, free])


def _plate_part(structure: Structure, plate: Plate, index: dict[str, int]) -> sp.csr_matrix:
    """The mass matrix of a body over its nodes: of the rigid motion that is nearest to theirs."""
    import scipy.sparse as sp

    size, body = 3 * len(index), body_of(structure, plate)
    if body is None:
        message = "is not known, and modes need it; give a mass, or a material with a density and a thickness"
        raise ModelError([Problem(("plates", plate.name, "mass"), message)])
    own = np.zeros((6, 6))
    own[:3, :3], own[3:, 3:] = body.mass * np.eye(3), body.inertia
    nearest = np.linalg.pinv(rigid_motion(structure, plate, body.centre))
    at = np.array([3 * index[node] + axis for node in plate.nodes for axis in range(3)], dtype=np.int64)
    rows, columns = np.meshgrid(at, at, indexing="ij")
    block = nearest.T @ own @ nearest
    return sp.csr_matrix((block.ravel(), (rows.ravel(), columns.ravel())), shape=(size, size))


def _thick_part(structure: Structure, thickness: np.ndarray, first: np.ndarray, second: np.ndarray) -> sp.csr_matrix:
    """What the thickness of compressible bars adds: e (I - u u^T) against the ends' relative motion."""
    import scipy.sparse as sp

    places = structure.positions
    spans = places[second] - places[first]
    lengths = np.linalg.norm(spans, axis=1)
    natural = np.array([properties.bar_length(structure, bar) for bar in structure.bars.values()])
    unit = spans / lengths[:, None]
    excess = thickness * (lengths / natural) ** poisson_power(structure)
    blocks = excess[:, None, None] * (np.eye(3) - unit[:, :, None] * unit[:, None, :])
    rows, columns, values = [], [], []
    for a, b, sign in ((first, first, 1.0), (second, second, 1.0), (first, second, -1.0), (second, first, -1.0)):
        rows.append(np.broadcast_to((3 * a[:, None] + np.arange(3))[:, :, None], blocks.shape).ravel())
        columns.append(np.broadcast_to((3 * b[:, None] + np.arange(3))[:, None, :], blocks.shape).ravel())
        values.append(sign * blocks.ravel())
    size = places.size
    entries = (np.concatenate(rows), np.concatenate(columns))
    return sp.csr_matrix((np.concatenate(values), entries), shape=(size, size))


def lumped_masses(structure: Structure) -> np.ndarray:
    """(n,) point masses, and those of cables, lumped along their routes [kg]."""
    index = {name: i for i, name in enumerate(structure.nodes)}
    masses = np.zeros(len(index))
    for node, mass in structure.point_masses.items():
        masses[index[node]] += mass
    for cable in structure.cables.values():
        for node, share in properties.lumped_mass(structure, cable).items():
            masses[index[node]] += share
    return masses
