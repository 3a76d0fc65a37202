"""Self-stress states and mechanisms: what members can carry without load, and what moves without any changing length.

The rank rule is that of `taut.numerics.subspaces`: singular values of the equilibrium matrix (its columns made of unit
vectors) below 1e-9 of the largest are zero. Counts are of small displacements from the shape as it is.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import scipy.sparse as sp

from taut.errors import OptionError
from taut.numerics.subspaces import TOLERANCE, null_space, rank_of
from taut.statics.matrices import equilibrium_matrix, motions, parts, rigid_motions
from taut.statics.network import Network, network
from taut.structure.structure import Structure
from taut.type_checks import checked_arguments


@dataclass(frozen=True)
class StaticCounts:
    """How a structure is held together, to first order in small displacements.

    free_coordinates: what supports and linear constraints leave free, of the three that every node has. A flat
        structure counts its motions out of the plane too, unless they are held.
    rank: of the equilibrium matrix (free_coordinates, members).
    self_stress_states: members - rank; independent sets of member forces in balance without load.
    rigid_motions: independent motions of a part as a whole (six where nothing holds it); each of the `parts` that
        nothing joins has its own.
    mechanisms: free_coordinates - rank - rigid_motions; independent motions beside these in which no member changes
        its length to first order.
    between_supports: members of which no end can move; each is a self-stress state by itself.
    flat: the nodes lie in a plane (or on a line).
    smallest_kept, largest_dropped: singular values on either side of the rank decision, relative to the largest.
    """

    members: int
    free_coordinates: int
    rank: int
    self_stress_states: int
    mechanisms: int
    rigid_motions: int
    parts: int
    between_supports: int
    flat: bool
    smallest_kept: float
    largest_dropped: float
    tolerance: float

    @property
    def maxwell(self) -> int:
        """Maxwell's count in Calladine's form: members - free_coordinates + rigid_motions = states - mechanisms."""
        return self.members - self.free_coordinates + self.rigid_motions

    @property
    def doubtful(self) -> bool:
        """A singular value lies within a factor of ten of the tolerance: a slightly other shape counts differently."""
        return self.smallest_kept < 10.0 * self.tolerance or self.largest_dropped > 0.1 * self.tolerance

    @property
    def sentence(self) -> str:
        """The counts in words."""
        states = plural(self.self_stress_states, "self-stress state")
        if self.between_supports:
            states += f" ({self.between_supports} of them of a member between supports)"
        text = (
            f"{plural(self.members, 'member')} on {plural(self.free_coordinates, 'free coordinate')}: {states}, "
            f"{plural(self.mechanisms, 'mechanism')} and {plural(self.rigid_motions, 'rigid motion')}; "
            f"rank {self.rank}, Maxwell-Calladine {self.members} - {self.free_coordinates} + {self.rigid_motions} = "
            f"{self.maxwell}."
        )
        if self.parts > 1:
            text += f" It falls into {self.parts} parts that nothing joins."
        if self.flat and self.mechanisms:
            text += " All nodes lie in a plane; motions out of it count unless supports hold them."
        if self.doubtful:
            text += (
                f" The rank is doubtful: singular values of {self.smallest_kept:.1e} counted and "
                f"{self.largest_dropped:.1e} not, at a tolerance of {self.tolerance:.1e} of the largest."
            )
        return text


@checked_arguments
def counts(structure: Structure, *, tolerance: float = TOLERANCE) -> StaticCounts:
    """Self-stress states, mechanisms and rigid motions of a structure at its shape; forces and stiffness play no part.

    tolerance: singular values of the equilibrium matrix below this part of the largest are zero.
    """
    _require_tolerance(tolerance)
    net = network(structure, elastic=False)
    return counts_of(net, tolerance=tolerance)


def counts_of(net: Network, *, tolerance: float = TOLERANCE) -> StaticCounts:
    """`counts` of a structure whose arrays are there already."""
    allowed = motions(net)
    matrix = equilibrium_matrix(net, allowed)
    found = rank_of(matrix, tolerance)
    rigid = rigid_motions(net, allowed).shape[1]
    centred = net.positions - net.positions.mean(axis=0)
    spread = np.linalg.svd(centred, compute_uv=False)
    return StaticCounts(
        members=net.members,
        free_coordinates=matrix.shape[0],
        rank=found.rank,
        self_stress_states=net.members - found.rank,
        mechanisms=matrix.shape[0] - found.rank - rigid,
        rigid_motions=rigid,
        parts=int(parts(net).max()) + 1,
        between_supports=int(np.count_nonzero(np.diff(matrix.tocsc().indptr) == 0)),
        flat=bool(spread.size < 3 or spread[2] <= tolerance * spread[0]),
        smallest_kept=found.smallest_kept,
        largest_dropped=found.largest_dropped,
        tolerance=tolerance,
    )


@checked_arguments
def self_stress_basis(structure: Structure, *, tolerance: float = TOLERANCE) -> np.ndarray:
    """(members, states) orthonormal columns: forces in balance without load, cables first, tension positive."""
    _require_tolerance(tolerance)
    return null_space(equilibrium_matrix(network(structure, elastic=False)), tolerance)


@checked_arguments
def mechanism_basis(structure: Structure, *, tolerance: float = TOLERANCE) -> np.ndarray:
    """(mechanisms, nodes, 3) orthonormal displacements that change no length to first order, none of them rigid."""
    _require_tolerance(tolerance)
    net = network(structure, elastic=False)
    allowed = motions(net)
    basis = mechanism_motions(net, allowed, tolerance=tolerance)
    return np.asarray(allowed @ basis).T.reshape(basis.shape[1], len(net.positions), 3)


def mechanism_motions(net: Network, allowed: sp.csr_matrix, *, tolerance: float = TOLERANCE) -> np.ndarray:
    """(p, mechanisms) the same in motions."""
    still = null_space(equilibrium_matrix(net, allowed).T.tocsr(), tolerance)
    rigid = rigid_motions(net, allowed).toarray()
    if not rigid.shape[1]:
        return still
    # Rigid motions are among the still ones: what is left of these beside them.
    left, _, _ = np.linalg.svd(still.T @ rigid, full_matrices=True)
    return np.asarray(still @ left[:, rigid.shape[1] :])


def _require_tolerance(tolerance: float) -> None:
    if not 0.0 < tolerance < 1.0:
        raise OptionError(
            f"tolerance = {tolerance!r} must be more than 0 and less than 1 (of the largest singular value)"
        )


def plural(count: int, word: str) -> str:
    """As in: no mechanisms, 1 mechanism, 2 mechanisms."""
    return f"{count if count else 'no'} {word}{'' if count == 1 else 's'}"
