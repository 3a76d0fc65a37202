"""A shape and the force densities in its members as an Equilibrium: what is left over, and what holds the rest."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp

from taut.numerics.subspaces import least_norm
from taut.statics.elements import elements_of
from taut.statics.equilibrium import Equilibrium
from taut.statics.matrices import pulls
from taut.statics.network import Network
from taut.structure.structure import Structure


def carrying(network: Network, structure: Structure, force_density: np.ndarray, **facts: Any) -> Equilibrium:
    """The network at its positions, with the force densities (m,) [N/m]; constraints, plates and angles take the rest.

    structure: the one that has these forces, with its rest lengths. facts: method, iterations, status, notes, history
    as in `Equilibrium`.
    """
    left = pulls(network, network.density_vectors()) @ force_density + network.external.ravel()
    free = network.free
    norms = np.sqrt(np.asarray(network.guides.multiply(network.guides).sum(axis=1)).ravel())
    rows = sp.diags(1.0 / np.where(norms > 0.0, norms, 1.0)) @ network.guides  # of unit length, as in a run
    bodies = elements_of(structure)
    if bodies is not None:
        rows = sp.vstack([rows, bodies.jacobian(network.positions)])
    multiplier = -least_norm(sp.csr_matrix(rows)[:, free].T, left[free])
    left = left + rows.T @ multiplier
    guides, others = np.split(multiplier, [network.guides.shape[0]])
    residual = float(np.abs(left[free]).max(initial=0.0))
    left[free] = 0.0
    supported = list(structure.supported_nodes.values())
    forces = force_density * network.lengths()
    return Equilibrium(
        structure=structure,
        cable_tension=forces[: network.cables],
        bar_force=forces[network.cables :],
        constraint_force=guides,
        element_force=others,
        angle_torque=np.zeros(0) if bodies is None else bodies.torques(network.positions, -others),
        reaction=-left.reshape(-1, 3)[supported],
        external=network.external,
        residual=residual,
        **facts,
    )
