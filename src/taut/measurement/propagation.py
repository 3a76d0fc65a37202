"""Scatter of an equilibrium by its derivatives: covariance = S diag(variances) S^T, first order in what scatters."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from taut.measurement.scatter import Scatter
from taut.statics.equilibrium import Equilibrium
from taut.statics.equilibrium_equations import BarChoice
from taut.statics.linearised import Linearised
from taut.statics.sensitivities import derivatives

CHOSEN = "~scattered"
"""A group of what scatters, which no file can name so."""


class LinearScatter(NamedTuple):
    tension: np.ndarray  # (m,) standard deviation [N]
    nodes: np.ndarray  # (n, 3) [m]


def linear_scatter(
    equilibrium: Equilibrium, view: Linearised, scatter: Scatter, bars: BarChoice = None
) -> LinearScatter:
    """Standard deviations of tensions and places by linear propagation."""
    tension, nodes = np.zeros(view.problem.network.members), np.zeros_like(view.positions)
    for of, kind, names, deviations in _parameters(view, scatter):
        groups = {**equilibrium.structure.groups, CHOSEN: tuple(f"{kind}:{name}" for name in names)}
        grouped = replace(equilibrium, structure=replace(equilibrium.structure, groups=groups))
        found = derivatives(grouped, of, f"{kind}:{CHOSEN}", bars=bars)
        tension += ((found.member_force * deviations[:, None]) ** 2).sum(axis=0)
        nodes += ((found.nodes * deviations[:, None, None]) ** 2).sum(axis=0)
    return LinearScatter(np.sqrt(tension), np.sqrt(nodes))


def _parameters(view: Linearised, scatter: Scatter) -> Iterator[tuple[str, str, list[str], np.ndarray]]:
    """What derivatives are asked for, of which members or nodes, and the standard deviation of each parameter."""
    problem, network = view.problem, view.problem.network
    length, stiffness, supports = scatter.deviations
    firm = problem.members_at(view.setting).stiffness
    cable = np.arange(network.members) < network.cables
    held = problem.modes == "length"
    names = np.array(network.names, dtype=object)
    for kind, here in (("cable", cable), ("bar", ~cable)):
        for of, which, deviation in (
            ("rest_length", here & ~held, length),
            ("command", here & held, length),
            ("stiffness", here, stiffness * firm),
        ):
            chosen = which & (deviation > 0.0)
            if chosen.any():
                yield of, kind, names[chosen].tolist(), deviation[chosen]
    structure = network.structure
    moved = [name for name, width in zip(structure.nodes, supports, strict=True) if width.any()]
    if moved:
        yield "position", "node", moved, supports[supports > 0.0]
