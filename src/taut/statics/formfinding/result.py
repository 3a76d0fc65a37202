"""A found shape and its forces as an Equilibrium."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from taut.errors import OptionError
from taut.statics.carrying import carrying
from taut.statics.commands import pulling
from taut.statics.equilibrium import Equilibrium
from taut.statics.network import Network
from taut.structure import properties


def unbalanced(network: Network, positions: np.ndarray, force_density: np.ndarray) -> np.ndarray:
    """Force on every node that supports must take, (n, 3) [N]."""
    pull = force_density[network.owner][:, None] * network.density_vectors(positions)
    return np.asarray(network.external - network.incidence.T @ pull)


def equilibrium(
    network: Network,
    positions: np.ndarray,
    force_density: np.ndarray,
    rest_lengths: np.ndarray | None = None,
    **facts: Any,
) -> Equilibrium:
    """At the positions, with the force densities; cables get the rest lengths given or those that belong to them.

    facts: method, iterations, status, notes, history as in `Equilibrium`.
    """
    placed = network.structure.placed(positions)
    lengths = network.lengths(positions)
    forces = force_density * lengths
    cables = {}
    for i, cable in enumerate(placed.cables.values()):
        if rest_lengths is not None:
            rest = float(rest_lengths[i])
        elif lengths[i] == 0.0:
            rest = 0.0
        else:
            cables[cable.name] = pulling(placed, cable, float(forces[i]))
            continue
        cables[cable.name] = replace(cable, rest_length=rest)
    _require_rest_lengths(network, cables, force_density)
    bars = {
        bar.name: properties.fitted_bar(placed, bar, force)
        for bar, force in zip(placed.bars.values(), forces[network.cables :].tolist(), strict=True)
    }
    standing = replace(placed, cables=cables, bars=bars)
    return carrying(network.moved(positions), standing, force_density, **facts)


def level(network: Network, positions: np.ndarray, force_density: np.ndarray, rest_ratio: float) -> np.ndarray:
    """The force densities scaled so that the cable stretched most has this rest length over length."""
    if not 0.0 < rest_ratio < 1.0:
        raise OptionError(f"rest_ratio = {rest_ratio!r} must be more than 0 and less than 1")
    placed = network.structure.placed(positions)
    lengths = network.lengths(positions)
    factors = []
    for i, cable in enumerate(placed.cables.values()):
        if force_density[i] <= 0.0 or lengths[i] == 0.0:
            continue
        tight = replace(cable, rest_length=rest_ratio * lengths[i])
        stiffness = properties.stiffness(placed, tight)
        if stiffness is not None:
            factors.append(stiffness * (1.0 - rest_ratio) / force_density[i])
    return force_density * min(factors) if factors else force_density


def _require_rest_lengths(network: Network, cables: dict[str, Any], force_density: np.ndarray) -> None:
    wrong = [i for i, cable in enumerate(cables.values()) if cable.mode == "spring" and cable.rest_length < 0.0]
    if wrong:
        i = wrong[0]
        cable = network.structure.cables[network.names[i]]
        raise OptionError(
            f'cable "{cable.name}" would need a rest length below zero: its force density {force_density[i]:g} N/m is '
            f"not less than its stiffness {properties.stiffness(network.structure, cable):g} N/m; give smaller force "
            f"densities or stiffer cables ({len(wrong)} cables are too soft)"
        )
