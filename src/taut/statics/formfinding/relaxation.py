"""Form-finding by dynamic relaxation: a fictitious motion from the given nodes that is stopped whenever it is fastest.

A. S. Day, "An introduction to dynamic relaxation", The Engineer 219 (1965) 218-221; kinetic damping as in M. R. Barnes,
"Form finding and analysis of tension structures by dynamic relaxation", Int. J. Space Structures 14 (1999) 89-104.
Masses are fictitious, each node's the sum of the stiffnesses that meet there: twice what keeps a time step of one
stable. Bars are springs stiffer than any cable; at a stop where forces are nearer to balance than bars to their
lengths, the natural length of each is moved by what it lacks, so that at the end a bar is as long as asked.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import scipy.sparse as sp

from taut.errors import OptionError
from taut.statics.by_selector import given_by_selector
from taut.statics.equilibrium import Equilibrium
from taut.statics.formfinding.inputs import random_nodes, sprung, whole
from taut.statics.formfinding.result import equilibrium
from taut.statics.formfinding.shape import collapsed, without_length
from taut.statics.network import Force, Network, network
from taut.structure import properties
from taut.structure.structure import Structure

BAR_STIFFNESS = 10.0
"""Of a bar, over the largest of any cable."""

SLACK = 1e-9
"""Tensions below this part of stiffness times length are none."""


@dataclass(frozen=True)
class Springs:
    """Natural lengths [m] and stiffnesses [N/m] of all members, cables first."""

    lengths: np.ndarray
    stiffness: np.ndarray


def relaxation(
    structure: Structure,
    *,
    rest_lengths: Mapping[str, float] | None = None,
    bar_lengths: Mapping[str, float] | None = None,
    loads: Mapping[str, Force] | None = None,
    seed: int | None = None,
    tolerance: float = 1e-11,
    iterations: int = 200_000,
) -> Equilibrium:
    """Where the structure comes to rest, with cables of given rest lengths and stiffnesses and bars of given lengths.

    rest_lengths: selector of cables -> [m], where they differ from those of the structure.
    bar_lengths: selector of bars -> [m], where they differ from the distances of the given nodes.
    loads: node -> force [N]. Supports hold, of any axes; without any the structure stands alone, sized by its lengths.
    seed: start from random places of the nodes that are not held, instead of the given ones.
    tolerance: of the largest force left over, relative to the largest in a member, and of bar lengths to their own.
    iterations: the most steps that are made.
    """
    if iterations < 1 or not tolerance > 0.0:
        raise OptionError(f"iterations = {iterations!r} must be one or more, and tolerance = {tolerance!r} positive")
    net = network(structure, loads=loads)
    whole(net)
    sprung(net, "relaxation")
    springs = _springs(net, rest_lengths, bar_lengths)
    free = np.zeros(net.positions.shape, dtype=bool)
    free.ravel()[net.free] = True
    start = net.positions if seed is None else np.where(free, random_nodes(net, springs.lengths, seed), net.positions)
    positions, densities, history, steps = _relaxed(net, springs, start, free, tolerance, iterations)

    alone = [axis for axis in range(3) if free[:, axis].all()]
    stretch = np.abs(densities * net.lengths(positions)).max()
    if len(alone) + int((~free.any(axis=0)).sum()) == 3:
        status = collapsed(net, positions, alone)
    else:
        status = without_length(net, positions)
    if not status and stretch <= SLACK * (springs.stiffness * springs.lengths).max():
        status = "slack: no cable pulls, so no shape is held; give shorter rest lengths or longer bars"
    elif not status and history[-1] > tolerance:
        status = (
            f"not at rest after {steps} steps: {history[-1]:.1e} of the forces is left over where {tolerance:g} is "
            "asked; allow more iterations, or start nearer"
        )
    slack = int(np.count_nonzero(densities[: net.cables] == 0.0))
    return equilibrium(
        net,
        positions,
        densities,
        springs.lengths[: net.cables],
        method="relaxation",
        iterations=steps,
        status=status or "balanced",
        notes=(f"{slack} of {net.cables} cables are slack",) if slack else (),
        history=np.array(history) * stretch,
    )


def _springs(
    net: Network, rest_lengths: Mapping[str, float] | None, bar_lengths: Mapping[str, float] | None
) -> Springs:
    cables = list(net.structure.cables.values())
    lengths = np.concatenate(
        [
            [properties.rest_length(net.structure, cable) for cable in cables],
            net.lengths()[net.cables :],
        ]
    )
    for option, values, kind in (("rest_lengths", rest_lengths, "cable"), ("bar_lengths", bar_lengths, "bar")):
        given = given_by_selector(net, option, values, kind)
        if np.any(given < 0.0) or (kind == "bar" and np.any(given == 0.0)):
            raise OptionError(f"{option} = {dict(values or {})} must be lengths of more than zero [m]")
        lengths = np.where(np.isnan(given), lengths, given)
    rests = {cable.name: length for cable, length in zip(cables, lengths[: net.cables].tolist(), strict=True)}
    stiffness = []
    for cable in cables:
        rigidity = properties.axial_rigidity(cable)
        if cable.stiffness is not None:
            stiffness.append(cable.stiffness)
        elif rigidity is not None and rests[cable.name] > 0.0:
            stiffness.append(rigidity / rests[cable.name])
        else:
            raise OptionError(f'rest_lengths: cable "{cable.name}" of zero rest length needs a stiffness [N/m]')
    firm = BAR_STIFFNESS * max(stiffness, default=1.0)
    return Springs(lengths, np.array(stiffness + [firm] * (net.members - net.cables)))


def _densities(net: Network, springs: Springs, natural: np.ndarray, lengths: np.ndarray) -> np.ndarray:
    """Force over length of every member [N/m]; a cable that is too long has none."""
    forces = springs.stiffness * (lengths - natural)
    forces[net.unilateral & (forces < 0.0)] = 0.0
    return np.asarray(forces / np.maximum(lengths, 1e-300))


def _meeting(net: Network) -> sp.csr_matrix:
    """(n, m) how often a member's stiffness counts at a node: once at each end of a segment. All nodes of a route pull
    on each of them, so there it counts as often as there are segments."""
    segments = np.arange(net.owner.size)
    count = np.bincount(net.owner, minlength=net.members)[net.owner].astype(float)
    whole_routes = sp.csr_matrix((count, (segments, net.owner)), shape=(segments.size, net.members))
    return sp.csr_matrix(abs(net.incidence.T) @ whole_routes)


def _relaxed(
    net: Network, springs: Springs, start: np.ndarray, free: np.ndarray, tolerance: float, iterations: int
) -> tuple[np.ndarray, np.ndarray, list[float], int]:
    """Positions, force densities, the relative force left over at every stop, and the number of steps."""
    natural = springs.lengths.copy()
    bars = slice(net.cables, net.members)
    incidence, spread = net.incidence, net.incidence.T.tocsr()
    meeting = _meeting(net)
    over = np.flatnonzero(net.routed[net.owner])
    positions, velocity = start.copy(), np.zeros_like(start)
    history: list[float] = []
    energy_before = 0.0
    mass = np.ones((len(start), 1))
    stopped = True
    densities = np.zeros(net.members)
    for step in range(iterations):
        vectors = incidence @ positions
        apart = np.sqrt(np.einsum("ij,ij->i", vectors, vectors))
        lengths = np.bincount(net.owner, apart, net.members)
        densities = _densities(net, springs, natural, lengths)
        pulls = densities[net.owner]
        pulls[over] *= lengths[net.owner[over]] / apart[over]  # one tension in all segments of a route
        force = np.where(free, net.external - spread @ (pulls[:, None] * vectors), 0.0)
        if stopped:
            largest = np.abs(densities * lengths).max()
            lacking = np.abs(springs.lengths - lengths)[bars] / springs.lengths[bars]
            left = np.abs(force).max() / largest if largest > 0.0 else 0.0
            history.append(float(max(left, lacking.max(initial=0.0))))
            if history[-1] <= tolerance:
                return positions, densities, history, step + 1
            if left < lacking.max(initial=0.0):
                # Bounded, or a bar that is caught between slack cables early on would be wound up without end.
                moved = natural[bars] + springs.lengths[bars] - lengths[bars]
                natural[bars] = np.clip(moved, springs.lengths[bars] / 2.0, springs.lengths[bars] * 2.0)
            # A spring's own stiffness, or more where it is pressed to less than half its length.
            mass = (meeting @ np.maximum(springs.stiffness, np.abs(densities)))[:, None]
            velocity = force / mass / 2.0
            energy_before, stopped = 0.0, False
        else:
            velocity += force / mass
        energy = float((mass * velocity**2).sum())
        if energy < energy_before:
            # It was fastest about the middle of the step before: go back there and stop.
            positions -= (velocity - force / mass) / 2.0
            stopped = True
            continue
        energy_before = energy
        positions += velocity
    return positions, densities, history, iterations
