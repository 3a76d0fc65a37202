"""Form-finding from signs alone: force densities and coordinates are improved in turn until they balance.

G. G. Estrada, H.-J. Bungartz and C. Mohrdieck, "Numerical form-finding of tensegrity structures", Int. J. Solids and
Structures 43 (2006) 6855-6868; H. C. Tran and J. Lee, "Advanced form-finding of tensegrity structures", Computers and
Structures 88 (2010) 237-246. In d dimensions the matrix D(q) of the force densities must have d + 1 zero eigenvalues,
and the equilibrium matrix A(x) a null vector. In turn, x are eigenvectors of D(q), and q is the vector nearest to the
signs among the right singular vectors of A(x) with the least singular values, as few of them as give every member its
sign. The eigenvectors are those of the lowest eigenvalues, so that D ends positive semidefinite, as super-stability
asks; where that leads nowhere, those of the eigenvalues nearest to zero.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import NamedTuple

import numpy as np

from taut.errors import OptionError
from taut.statics.by_selector import given_by_selector, sharing
from taut.statics.equilibrium import Equilibrium
from taut.statics.formfinding.inputs import free_axes, straight, whole
from taut.statics.formfinding.result import equilibrium, level
from taut.statics.formfinding.shape import collapsed, settled, spectrum
from taut.statics.network import Network, network
from taut.structure.structure import Structure


class Found(NamedTuple):
    """Force densities (m,), balanced coordinates (n, d), and the part of the forces left over by iteration."""

    densities: np.ndarray
    span: np.ndarray
    history: list[float]


def adaptive(
    structure: Structure,
    *,
    groups: Iterable[str] = (),
    guess: Mapping[str, float] | None = None,
    shape: str = "nearest",
    size: Mapping[str, float] | None = None,
    rest_ratio: float = 0.95,
    tolerance: float = 1e-12,
    iterations: int = 1000,
) -> Equilibrium:
    """Shape and force densities of a free-standing structure, from what is joined to what and what pulls or pushes.

    groups: selectors; the members of each share one force density.
    guess: selector -> force density to start from, relative to the others; 1 in cables and -1 in bars where not given.
    shape, size: settle the affine map that is left open, see `shape.settled`. The given nodes play no other part.
    rest_ratio: rest length / length of the cable that is stretched most; sets the level of the forces.
    tolerance: of the forces left over, relative to those in members. iterations: the most that are made.
    """
    if iterations < 1 or not tolerance > 0.0:
        raise OptionError(f"iterations = {iterations!r} must be one or more, and tolerance = {tolerance!r} positive")
    net = network(structure)
    whole(net)
    straight(net, "adaptive")
    axes = free_axes(net)
    dimension = len(axes)
    if len(net.positions) < dimension + 2:
        raise OptionError(
            f"{len(net.positions)} nodes carry no self-stress in {dimension} dimensions; {dimension + 2} or more can"
        )
    first = _first(net, guess)
    joined = _joined(net, sharing(net, groups))
    tried = []
    for lowest in (True, False):
        found = _in_turn(net, joined, joined.T @ first, dimension, tolerance, iterations, lowest=lowest)
        positions = settled(net, found.span, axes, shape, size)
        status = collapsed(net, positions, axes)
        if not status and found.history[-1] > tolerance:
            status = (
                f"not balanced after {iterations} iterations: {found.history[-1]:.1e} of the forces is left over where "
                f"{tolerance:g} is asked; allow more, give a guess, or let members share force densities by groups"
            )
        tried.append((status, found, positions))
        if not status:
            break
    status, found, positions = tried[-1] if not status else tried[0]
    densities = level(net, positions, found.densities, rest_ratio)
    sure = "the force density matrix is not positive semidefinite: the form is not super-stable"
    return equilibrium(
        net,
        positions,
        densities,
        method="adaptive",
        iterations=len(found.history),
        status=status or "balanced",
        notes=(sure,) if not status and len(tried) > 1 else (),
        history=np.array(found.history) * float(np.linalg.norm(densities * net.lengths(positions))),
    )


def _first(net: Network, guess: Mapping[str, float] | None) -> np.ndarray:
    """The force densities to start from, with the signs that are kept."""
    signs = np.where(np.arange(net.members) < net.cables, 1.0, -1.0)
    given = given_by_selector(net, "guess", guess)
    wrong = np.flatnonzero(given * signs <= 0.0)
    if wrong.size:
        raise OptionError(
            f'guess = {given[wrong[0]]:g} in "{net.names[wrong[0]]}": cables pull (> 0) and bars push (< 0)'
        )
    return np.where(np.isnan(given), signs, given)


def _joined(net: Network, share: np.ndarray) -> np.ndarray:
    """Force densities of members by those of groups, (m, groups).

    Columns are of unit length, so that the norm of what is sought is that of the force densities.
    """
    joined = np.zeros((net.members, share.max() + 1))
    joined[np.arange(net.members), share] = 1.0 / np.sqrt(np.bincount(share))[share]
    return joined


def _in_turn(
    net: Network,
    joined: np.ndarray,
    wanted: np.ndarray,
    dimension: int,
    tolerance: float,
    iterations: int,
    *,
    lowest: bool,
) -> Found:
    incidence = net.incidence.toarray()
    shares = wanted
    history: list[float] = []
    span = np.zeros((len(net.positions), dimension))
    while True:
        densities = joined @ shares
        values, vectors = spectrum(incidence.T @ (densities[:, None] * incidence))
        span = vectors[:, np.argsort(values if lowest else np.abs(values), kind="stable")[:dimension]]
        along = incidence @ span
        balance = np.vstack([incidence.T @ (along[:, [i]] * joined) for i in range(dimension)])
        history.append(float(np.linalg.norm(balance @ shares) / np.linalg.norm(densities[:, None] * along)))
        if history[-1] <= tolerance or len(history) >= iterations:
            return Found(densities, span, history)
        shares = _nearest_to_signs(balance, wanted)


def _nearest_to_signs(balance: np.ndarray, wanted: np.ndarray) -> np.ndarray:
    """Of the combinations of right singular vectors from the least upwards, the first that has the signs wanted."""
    tall = balance.shape[0] > balance.shape[1]
    square = np.asarray(np.linalg.qr(balance, mode="r")) if tall else balance
    _, _, vectors = np.linalg.svd(square)
    found = np.zeros(wanted.size)
    for vector in vectors[::-1]:
        found = found + vector * (vector @ wanted)
        if np.all(found * wanted > 0.0):
            break
    return np.asarray(found * (np.linalg.norm(wanted) / np.linalg.norm(found)))
