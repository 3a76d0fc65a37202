"""Form-finding by lengths: cables keep theirs, and bars are made as long as they can be.

S. Pellegrino, "Mechanics of kinematically indeterminate structures", PhD thesis, University of Cambridge (1986). With
bars of lengths in given ratios w, maximise t under |cable| <= length and |bar|^2 >= t w^2. Written in halves of squares
the multipliers of the optimum are force densities: its condition in the nodes is the balance of every node, with cables
that pull and bars that push. SLSQP of scipy comes near the optimum, Newton's method on the optimality conditions of the
members that carry force goes the rest of the way.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import scipy.sparse as sp

from taut.errors import ModelError, OptionError, Problem
from taut.statics.by_selector import given_by_selector
from taut.statics.equilibrium import Equilibrium
from taut.statics.formfinding.inputs import free_axes, random_nodes, straight, whole
from taut.statics.formfinding.result import equilibrium, level, unbalanced
from taut.statics.formfinding.shape import collapsed
from taut.statics.network import Network, network
from taut.structure.structure import Structure

IDLE = 1e-6
"""A member with less than this part of the largest force density carries nothing."""

NEAR = 0.05
"""Newton's method may move nodes by this part of a cable's length: further it would leave for some other balance."""


def lengths(
    structure: Structure,
    *,
    cable_lengths: Mapping[str, float] | None = None,
    bar_ratios: Mapping[str, float] | None = None,
    rest_ratio: float = 0.95,
    seed: int | None = None,
    tolerance: float = 1e-12,
    iterations: int = 1000,
) -> Equilibrium:
    """The shape of a free-standing structure in which bars are longest, its cables being of given lengths.

    cable_lengths: selector of cables -> [m], under tension, where they differ from the distances of the given nodes.
    bar_ratios: selector of bars -> length relative to other bars; 1 where nothing is said, so all bars are alike.
    rest_ratio: rest length / length of the cable that is stretched most; sets the level of the forces.
    seed: start from random places of the nodes instead of the given ones. Cable lengths fix the size; place and
    orientation stay those of the start. There can be several optima: the start decides.
    tolerance: of the forces left over, relative to those in members. iterations: the most that SLSQP makes.
    """
    if iterations < 1 or not tolerance > 0.0:
        raise OptionError(f"iterations = {iterations!r} must be one or more, and tolerance = {tolerance!r} positive")
    net = network(structure)
    whole(net)
    straight(net, "lengths")
    axes = free_axes(net)
    _require_bounded(net)
    limits = _limits(net, cable_lengths, bar_ratios)
    start = net.positions.copy()
    if seed is not None:
        start[:, axes] = random_nodes(net, limits[: net.cables], seed)[:, axes]
    # The start is made as large as the cables allow.
    start[:, axes] *= (limits[: net.cables] / net.lengths(start)[: net.cables]).min()

    near, rounds = _near(net, limits, start, axes, iterations)
    positions, densities, history = _polished(net, limits, near, _multipliers(net, limits, near, axes), axes)
    moved = float(np.abs(positions - near).max())
    positions[:, axes] += net.positions[:, axes].mean(axis=0) - positions[:, axes].mean(axis=0)

    forces = np.abs(densities * net.lengths(positions)).max()
    left = float(np.abs(unbalanced(net, positions, densities)[:, axes]).max() / forces)
    status = collapsed(net, positions, axes)
    if moved > NEAR * limits[: net.cables].mean():
        status = f"no optimum found in {rounds} iterations; allow more, start nearer, or from another seed"
    elif not status and not left <= tolerance:
        status = (
            f"not balanced after {rounds} iterations: {left:.1e} of the forces is left over where {tolerance:g} is "
            "asked; start nearer, or from another seed"
        )
    idle = [net.names[i] for i in np.flatnonzero(densities == 0.0)]
    densities = level(net, positions, densities, rest_ratio)
    return equilibrium(
        net,
        positions,
        densities,
        method="lengths",
        iterations=rounds + len(history),
        status=status or "balanced",
        notes=(f"these carry nothing at the optimum: {', '.join(idle)}",) if idle else (),
        history=np.array(history),
    )


def _limits(
    net: Network, cable_lengths: Mapping[str, float] | None, bar_ratios: Mapping[str, float] | None
) -> np.ndarray:
    """Lengths of cables [m], then ratios of bars."""
    limits = np.concatenate([net.lengths()[: net.cables], np.ones(net.members - net.cables)])
    for option, values, kind in (("cable_lengths", cable_lengths, "cable"), ("bar_ratios", bar_ratios, "bar")):
        given = given_by_selector(net, option, values, kind)
        if np.any(given <= 0.0):
            raise OptionError(f"{option} = {dict(values or {})} must be numbers of more than zero")
        limits = np.where(np.isnan(given), limits, given)
    return limits


def _require_bounded(net: Network) -> None:
    from scipy.sparse.csgraph import connected_components

    count = len(net.positions)
    ends = net.first[: net.cables], net.second[: net.cables]
    _, label = connected_components(sp.coo_matrix((np.ones(net.cables), ends), shape=(count, count)), directed=False)
    bars = slice(net.cables, net.members)
    loose = np.flatnonzero(label[net.first[bars]] != label[net.second[bars]])
    if loose.size or net.cables == net.members:
        names = list(net.structure.bars)
        problem = (
            [
                Problem(
                    ("bars", names[i]),
                    "its ends are joined by no chain of cables, so nothing limits its length; "
                    "add cables, or use another method",
                )
                for i in loose
            ]
            if net.cables < net.members
            else [Problem(("bars",), 'there are none to make longer; use method "force_density" or "relaxation"')]
        )
        raise ModelError(problem)


def _residuals(net: Network, limits: np.ndarray, positions: np.ndarray, factor: float) -> np.ndarray:
    """What each member has left, in halves of squares; more than zero inside its limit."""
    squares = (net.vectors(positions) ** 2).sum(axis=1) / 2.0
    half = limits**2 / 2.0
    return np.concatenate([(half - squares)[: net.cables], (squares - factor * half)[net.cables :]])


def _slopes(net: Network, positions: np.ndarray, axes: list[int]) -> np.ndarray:
    """Derivatives of half the squared lengths by the coordinates, (m, n d), node by node."""
    vectors = net.vectors(positions)[:, axes]
    incidence = net.incidence.toarray()
    return np.asarray((incidence[:, :, None] * vectors[:, None, :]).reshape(net.members, -1))


def _still(start: np.ndarray, axes: list[int]) -> np.ndarray:
    """Rows that keep centre and orientation: sums of coordinates, and of moments against the start."""
    count, dimension = len(start), len(axes)
    centred = start[:, axes] - start[:, axes].mean(axis=0)
    rows = []
    for axis in range(dimension):
        row = np.zeros((count, dimension))
        row[:, axis] = 1.0
        rows.append(row.ravel())
    for first in range(dimension):
        for second in range(first + 1, dimension):
            row = np.zeros((count, dimension))
            row[:, first], row[:, second] = centred[:, second], -centred[:, first]
            rows.append(row.ravel())
    return np.array(rows)


def _near(
    net: Network, limits: np.ndarray, start: np.ndarray, axes: list[int], iterations: int
) -> tuple[np.ndarray, int]:
    """Positions near the optimum, and the number of iterations."""
    from scipy.optimize import minimize

    unit = limits[: net.cables].mean()
    limits = limits.copy()
    limits[: net.cables] /= unit
    base = start / unit
    signs = np.where(np.arange(net.members) < net.cables, -1.0, 1.0)[:, None]
    bars = slice(net.cables, net.members)
    still = _still(base, axes)

    def placed(unknowns: np.ndarray) -> np.ndarray:
        positions: np.ndarray = base.copy()
        positions[:, axes] = unknowns[:-1].reshape(-1, len(axes))
        return positions

    def residual_slopes(unknowns: np.ndarray) -> np.ndarray:
        by_factor = np.zeros((net.members, 1))
        by_factor[bars, 0] = -(limits[bars] ** 2) / 2.0
        return np.hstack([signs * _slopes(net, placed(unknowns), axes), by_factor])

    longest = np.zeros(base[:, axes].size + 1)
    longest[-1] = -1.0
    least = (net.lengths(base)[bars] / limits[bars]).min() ** 2
    found = minimize(
        lambda unknowns: -unknowns[-1],
        np.append(base[:, axes].ravel(), least),
        jac=lambda _: longest,
        method="SLSQP",
        constraints=[
            {"type": "ineq", "fun": lambda u: _residuals(net, limits, placed(u), u[-1]), "jac": residual_slopes},
            {
                "type": "eq",
                "fun": lambda u: still @ (u[:-1] - base[:, axes].ravel()),
                "jac": lambda _: np.hstack([still, np.zeros((len(still), 1))]),
            },
        ],
        options={"maxiter": iterations, "ftol": 1e-13},
    )
    return np.asarray(placed(found.x) * unit), int(found.nit)


def _multipliers(net: Network, limits: np.ndarray, positions: np.ndarray, axes: list[int]) -> np.ndarray:
    """Force densities, pulling in cables and pushing in bars, that balance the nodes best."""
    from scipy.optimize import nnls

    signs = np.where(np.arange(net.members) < net.cables, 1.0, -1.0)
    bars = slice(net.cables, net.members)
    slopes = _slopes(net, positions, axes).T * signs
    weight = np.zeros(net.members)
    weight[bars] = limits[bars] ** 2
    weight *= np.abs(slopes).max() / weight.sum()
    right = np.append(np.zeros(len(slopes)), np.abs(slopes).max())
    found, _ = nnls(np.vstack([slopes, weight]), right)
    found[found < IDLE * found.max()] = 0.0
    return np.asarray(found * signs)


def _polished(
    net: Network, limits: np.ndarray, positions: np.ndarray, densities: np.ndarray, axes: list[int], rounds: int = 20
) -> tuple[np.ndarray, np.ndarray, list[float]]:
    """Newton's method on balance and lengths of the members that carry force; least steps where it is open."""
    active = np.flatnonzero(densities)
    bars = active >= net.cables
    dimension = len(axes)
    positions, densities = positions.copy(), densities / np.abs(densities).max()
    reach = (net.lengths(positions)[net.cables :] / limits[net.cables :]).min() ** 2
    total = float(densities[active] @ (bars * limits[active] ** 2))
    incidence = net.incidence.toarray()
    history: list[float] = []
    for _ in range(rounds):
        stress = np.kron(incidence.T @ (densities[:, None] * incidence), np.eye(dimension))
        slopes = _slopes(net, positions, axes)[active]
        squares = (net.vectors(positions)[active] ** 2).sum(axis=1) / 2.0
        wanted = np.where(bars, reach, 1.0) * limits[active] ** 2 / 2.0
        by_reach = np.where(bars, limits[active] ** 2 / 2.0, 0.0)[:, None]
        count, members = len(stress), active.size
        matrix = np.block(
            [
                [stress, slopes.T, np.zeros((count, 1))],
                [slopes, np.zeros((members, members)), -by_reach],
                [np.zeros((1, count)), 2.0 * by_reach.T, np.zeros((1, 1))],
            ]
        )
        lack = np.concatenate(
            [
                slopes.T @ densities[active],
                squares - wanted,
                [float(densities[active] @ (bars * limits[active] ** 2)) - total],
            ]
        )
        history.append(float(np.abs(lack).max()))
        if len(history) > 2 and history[-1] >= history[-2] / 2.0 and history[-1] < 1e-12:
            break
        step = np.linalg.lstsq(matrix, -lack, rcond=1e-12)[0]
        positions[:, axes] += step[:count].reshape(-1, dimension)
        densities[active] += step[count:-1]
        reach += float(step[-1])
    return positions, densities, history
