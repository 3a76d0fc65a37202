"""Form-finding by given force densities: one linear solve, or a null space where nothing is held.

H.-J. Schek, "The force density method for form finding and computation of general networks", Computer Methods in
Applied Mechanics and Engineering 3 (1974) 115-134. With the incidence matrix C, force densities q and
D = C^T diag(q) C, balance along every axis is D x = p; with held nodes D_ff x_f = p_f - D_fh x_h.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import scipy.sparse as sp
from scipy.sparse.linalg import splu

from taut.errors import OptionError, listed
from taut.statics.by_selector import given_by_selector
from taut.statics.equilibrium import Equilibrium
from taut.statics.formfinding.inputs import free_axes, straight, whole
from taut.statics.formfinding.result import equilibrium
from taut.statics.formfinding.shape import collapsed, settled, spectrum, without_length
from taut.statics.network import Force, Network, network
from taut.structure.records import AXES
from taut.structure.structure import Structure

ZERO = 1e-10
"""An eigenvalue below this part of the largest is zero, and a system conditioned worse than its inverse is singular."""


def force_density(
    structure: Structure,
    *,
    force_densities: Mapping[str, float],
    loads: Mapping[str, Force] | None = None,
    shape: str = "nearest",
    size: Mapping[str, float] | None = None,
) -> Equilibrium:
    """The shape in which given force densities balance.

    force_densities: selector -> [N/m], tension positive, a value for every member; a later line wins.
    loads: node -> force [N].
    With supports, of any axes, the shape is unique. Without them, or with every node held along one axis, the
    structure stands alone: force densities must leave d + 1 zero eigenvalues in d dimensions (`adaptive` finds such),
    and the shape is open up to an affine map, which `shape` ("nearest", "round") and `size` settle: see
    `shape.settled`.
    """
    net = network(structure, loads=loads)
    whole(net)
    straight(net, "force_density")
    densities = _given(net, force_densities)
    matrix = (net.incidence.T @ sp.diags(densities) @ net.incidence).tocsc()
    held = np.ones((len(net.positions), 3), dtype=bool)
    held.ravel()[net.free] = False
    if all(column.all() or not column.any() for column in held.T):
        if net.external.any():
            raise OptionError("nothing would balance the loads: hold nodes with supported(...)")
        axes = free_axes(net)
        span = _balanced_span(matrix.toarray(), len(axes))
        positions = settled(net, span, axes, shape, size)
        status = collapsed(net, positions, axes)
    else:
        if size is not None:
            raise OptionError("size is for structures that stand alone; here the supports fix the size")
        positions = _between_supports(net, matrix, held)
        status = without_length(net, positions)
    return equilibrium(net, positions, densities, method="force_density", iterations=1, status=status or "balanced")


def _given(net: Network, force_densities: Mapping[str, float]) -> np.ndarray:
    densities = given_by_selector(net, "force_densities", force_densities)
    missing = [net.names[i] for i in np.flatnonzero(np.isnan(densities))]
    if missing:
        raise OptionError(f"force_densities gives none to {listed(missing)}; every member needs one [N/m]")
    pushing = [net.names[i] for i in np.flatnonzero(net.unilateral & (densities <= 0.0))]
    if pushing:
        raise OptionError(
            f"force_densities must be more than zero in cables, and are not in {listed(pushing)}: a cable only pulls"
        )
    return densities


def _balanced_span(matrix: np.ndarray, dimension: int) -> np.ndarray:
    """The coordinates that balance, beside the translation: (n, d)."""
    values, vectors = spectrum(matrix)
    sizes = np.abs(values) / np.abs(values).max()
    zero = sizes <= ZERO
    if zero.sum() < dimension:
        raise OptionError(
            f"these force densities carry no shape of {dimension} dimensions: their matrix has {zero.sum() + 1} zero "
            f"eigenvalues and needs {dimension + 1}, the next being {np.sort(sizes)[dimension - 1]:.1e} of the largest "
            f'(zero is below {ZERO:g}); give them to more digits, or let method "adaptive" find them from their signs'
        )
    return np.asarray(vectors[:, zero])


def _between_supports(net: Network, matrix: sp.csc_matrix, held: np.ndarray) -> np.ndarray:
    positions = net.positions.copy()
    loose = [name for name, column in zip(AXES, held.T, strict=True) if not column.any()]
    if loose:
        raise OptionError(
            f"no node is held along {loose[0]} while other axes have supports, so the shape can slide along it; "
            f'hold a node along {loose[0]}, or every node with supported("*", "{loose[0]}") if it is flat'
        )
    for axis in range(3):
        free, fixed = np.flatnonzero(~held[:, axis]), np.flatnonzero(held[:, axis])
        if not free.size:
            continue
        load = net.external[free, axis] - matrix[free][:, fixed] @ positions[fixed, axis]
        positions[free, axis] = _solved(matrix[free][:, free].tocsc(), load, AXES[axis])
    return positions


def _solved(matrix: sp.csc_matrix, load: np.ndarray, axis: str) -> np.ndarray:
    advice = (
        f"these force densities leave the shape open along {axis}: the bars' push cancels the cables' pull; "
        "give bars less or cables more, or hold further nodes"
    )
    try:
        factor = splu(matrix)
    except RuntimeError as error:
        raise OptionError(advice) from error
    pivots = np.abs(factor.U.diagonal())
    if pivots.min() <= ZERO * pivots.max():
        raise OptionError(advice)
    return np.asarray(factor.solve(load))
