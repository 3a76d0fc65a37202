"""The matrices of statics, sparse: what can move, balance of forces, force densities, motions as a whole.

Displacements are written in *motions*: coordinates of what supports and linear constraints leave free. Their unit
vectors are orthonormal combinations of node coordinates, so lengths of displacements are kept.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import scipy.sparse as sp
from scipy.sparse.csgraph import connected_components

from taut.numerics.link_blocks import pattern
from taut.numerics.subspaces import null_space
from taut.statics.elastic_members import blocks
from taut.statics.elements import elements_of
from taut.statics.network import Network


def motions(network: Network) -> sp.csr_matrix:
    """(3 n, p) orthonormal columns: the displacements that supports, linear constraints, plates and angles allow."""
    free = network.free
    select = sp.csr_matrix(
        (np.ones(free.size), (free, np.arange(free.size))), shape=(network.positions.size, free.size)
    )
    guides = held_rows(network)
    if guides.shape[0] == 0:
        return select
    rows = sp.csr_matrix(guides @ select)
    rows.eliminate_zeros()
    label = connected_components(abs(rows.T) @ abs(rows), directed=False)[1]
    tied = np.flatnonzero(np.diff(rows.tocsc().indptr))
    loose = np.setdiff1d(np.arange(free.size), tied)
    blocks, columns = [sp.identity(loose.size)], [loose]
    # Constraints rarely all hang together, so each group of coordinates gets a small basis of its own.
    for group in grouped(tied, label[tied]):
        own = rows[:, group]
        blocks.append(sp.csr_matrix(null_space(_unit_rows(own[np.flatnonzero(np.diff(own.indptr))]))))
        columns.append(group)
    stacked = sp.block_diag(blocks, format="coo")
    places = np.concatenate(columns)
    basis = sp.csr_matrix((stacked.data, (places[stacked.row], stacked.col)), shape=(free.size, stacked.shape[1]))
    return sp.csr_matrix(select @ basis)


def held_rows(network: Network) -> sp.csr_matrix:
    """(g + e, 3 n) linear constraints, and the gradients of what holds plates and angles."""
    bodies = elements_of(network.structure)
    return network.guides if bodies is None else sp.vstack([network.guides, bodies.jacobian(network.positions)], "csr")


def equilibrium_matrix(network: Network, allowed: sp.csr_matrix | None = None) -> sp.csr_matrix:
    """(p, m): the force that a unit tension of each member puts on each motion. Its transpose gives shortenings.

    Columns are made of unit vectors, so ranks do not depend on the unit of length. A cable over guides pulls at each of
    them along both segments that meet there.
    """
    allowed = motions(network) if allowed is None else allowed
    return sp.csr_matrix(allowed.T @ pulls(network, _directions(network)))


def _directions(network: Network) -> np.ndarray:
    return np.asarray(network.vectors() / network.spans()[:, None])


def pulls(network: Network, vectors: np.ndarray) -> sp.csr_matrix:
    """(3 n, m): each segment's vector (s, 3) at its first node and its opposite at its second, a column a member."""
    rows = np.concatenate([(3 * end[:, None] + np.arange(3)).ravel() for end in (network.first, network.second)])
    columns = np.tile(np.repeat(network.owner, 3), 2)
    values = np.concatenate([vectors.ravel(), -vectors.ravel()])
    return sp.csr_matrix((values, (rows, columns)), shape=(network.positions.size, network.members))


def geometric_stiffness(
    network: Network, force_density: np.ndarray, allowed: sp.csr_matrix | None = None
) -> sp.csr_matrix:
    """(p, p) second derivative of sum(force density * length^2) / 2 along motions [N/m].

    Of straight members that is the force-density matrix, the same for all three axes. Of a cable over guides it is not:
    its length is a sum, whose second derivative is taken segment by segment, and its gradient that of the whole.
    """
    allowed = motions(network) if allowed is None else allowed
    straight = np.where(network.routed, 0.0, force_density)[network.owner]
    branch = network.incidence
    every = sp.kron(branch.T @ sp.diags(straight) @ branch, sp.identity(3), format="csr")
    if network.routed.any():
        tension = force_density * network.lengths()
        bending = length_curvature(network, np.where(network.routed, tension, 0.0))
        gradient = pulls(network, _directions(network))[:, network.routed]
        every = every + bending + gradient @ sp.diags(force_density[network.routed]) @ gradient.T
    return sp.csr_matrix(allowed.T @ every @ allowed)


def length_curvature(network: Network, tension: np.ndarray) -> sp.csr_matrix:
    """(3 n, 3 n) second derivative of sum(tension * length), tensions (m,) constant [N/m]."""
    size = network.positions.size
    none = np.zeros(network.first.size)
    spans = network.spans()
    across = blocks(network.vectors(), spans, none, tension[network.owner] / spans)
    return sp.csr_matrix(pattern(network.first, network.second, np.arange(size), size).matrix(across))


def parts(network: Network) -> np.ndarray:
    """(n,) a number for each node; nodes have the same where members or constraints join them."""
    links = [abs(network.incidence)]
    guides = held_rows(network)
    if guides.shape[0]:
        to_node = sp.kron(sp.identity(len(network.positions)), np.ones((3, 1)), format="csr")
        links.append(abs(guides) @ to_node)
    rows = sp.csr_matrix(sp.vstack(links))
    return np.asarray(connected_components(rows.T @ rows, directed=False)[1])


def moving_parts(network: Network) -> int:
    """How many parts have coordinates that can move."""
    return int(np.unique(parts(network)[network.free // 3]).size)


def rigid_motions(network: Network, allowed: sp.csr_matrix | None = None) -> sp.csr_matrix:
    """(p, r) orthonormal columns: in motions, those in which a part moves as a whole, each part by itself."""
    allowed = motions(network) if allowed is None else allowed
    return _part_fields(network, allowed, _rigid_fields)


def affine_motions(network: Network, allowed: sp.csr_matrix | None = None) -> sp.csr_matrix:
    """(p, a) orthonormal columns: in motions, the affine displacements x -> B x + c of the parts."""
    allowed = motions(network) if allowed is None else allowed
    return _part_fields(network, allowed, _affine_fields)


def _part_fields(
    network: Network, allowed: sp.csr_matrix, fields_of: Callable[[np.ndarray], np.ndarray]
) -> sp.csr_matrix:
    """Displacement fields of each part that supports and constraints allow, orthonormal in motions."""
    label = parts(network)
    rows, columns, values, count = [np.zeros(0, dtype=np.int64)], [np.zeros(0, dtype=np.int64)], [np.zeros(0)], 0
    for nodes in grouped(np.arange(label.size), label):
        own = allowed[(3 * nodes[:, None] + np.arange(3)).ravel()]
        touched = np.unique(own.indices)
        own = own[:, touched]
        fields = _orthonormal(fields_of(network.positions[nodes]))
        # A field is allowed where taking it to motions and back loses nothing.
        lost = own @ (own.T @ fields) - fields
        found = own.T @ (fields @ null_space(sp.csr_matrix(np.where(np.abs(lost) < 1e-12, 0.0, lost))))
        rows.append(np.repeat(touched, found.shape[1]))
        columns.append(np.tile(np.arange(count, count + found.shape[1]), touched.size))
        values.append(found.ravel())
        count += found.shape[1]
    shape = (allowed.shape[1], count)
    return sp.csr_matrix((np.concatenate(values), (np.concatenate(rows), np.concatenate(columns))), shape=shape)


def grouped(numbers: np.ndarray, label: np.ndarray) -> list[np.ndarray]:
    """The numbers, split by label."""
    order = np.argsort(label, kind="stable")
    return np.split(numbers[order], np.flatnonzero(np.diff(label[order])) + 1) if numbers.size else []


def _rigid_fields(places: np.ndarray) -> np.ndarray:
    x, y, z = (places - places.mean(axis=0)).T
    still, one = np.zeros(x.size), np.ones(x.size)
    turns = [(still, -z, y), (z, still, -x), (-y, x, still)]
    shifts = [(one, still, still), (still, one, still), (still, still, one)]
    return np.stack([np.stack(field, axis=1).ravel() for field in (*shifts, *turns)], axis=1)


def _affine_fields(places: np.ndarray) -> np.ndarray:
    scalars = np.column_stack([np.ones(len(places)), places - places.mean(axis=0)])
    return np.asarray(np.kron(scalars, np.eye(3)))


def _orthonormal(fields: np.ndarray) -> np.ndarray:
    """Orthonormal columns that span the same; columns are scaled first so that metres do not matter."""
    sizes = np.linalg.norm(fields, axis=0)
    scaled = fields[:, sizes > 0.0] / sizes[sizes > 0.0]
    left, values, _ = np.linalg.svd(scaled, full_matrices=False)
    return np.asarray(left[:, values > 1e-9 * values[0]])


def _unit_rows(rows: sp.csr_matrix) -> sp.csr_matrix:
    sizes = np.sqrt(np.asarray(rows.multiply(rows).sum(axis=1)).ravel())
    return sp.csr_matrix(sp.diags(1.0 / sizes) @ rows)
