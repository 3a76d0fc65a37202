"""A nodal plant with a tangent: the same equations of motion, and what implicit steps need beside them."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, fields
from typing import Any

import numpy as np
import scipy.sparse as sp

from taut.errors import OptionError
from taut.mechanics.assembly import bordered
from taut.mechanics.machine import Machine
from taut.mechanics.plant import Plant
from taut.mechanics.tables import Nodal
from taut.numerics.packing import Pack, packed
from taut.numerics.saddle import Saddle, weight_places

DIAGONAL = ((0, 0), (0, 1), (0, 2), (1, 1), (1, 2), (2, 2))
"""The entries of a node's own block that are kept."""


@dataclass(frozen=True)
class YieldingPlant(Plant):
    """A Plant whose tables hold a tangent too; made by `yielding`."""

    @property
    def formulation(self) -> str:
        return f"{super().formulation}_implicit"

    @property
    def shortest_period(self) -> float:
        """None: steps that are stable whatever their length may pass over what is fast."""
        return math.inf

    def own_tables(self, *, metric: str, gains: tuple[float, float]) -> Pack:
        """By mass and without Baumgarte's gains: implicit steps meet the constraints themselves."""
        from taut.mechanics.nodal_tangent import Tangent

        tangent, saddle = _tangent(self.tables)
        return packed([*self.tables, Tangent(**tangent), saddle])[0]

    def verbs(self) -> dict[str, Callable[..., Any]]:
        from taut.mechanics.nodal_tangent import TANGENT_VERBS

        verbs: dict[str, Callable[..., Any]] = {**super().verbs(), **TANGENT_VERBS}
        if self.functions:
            verbs["imbalance"] = self._with_functions(verbs["imbalance"])
        return verbs


def yielding(plant: Machine) -> YieldingPlant:
    """The plant with its tangent; raises OptionError where there is none."""
    if not isinstance(plant, Plant):
        raise OptionError(
            "implicit methods need the tangent of a structure with nodes, bars and cables; use dp5 or dp8 for a plant "
            "in other coordinates"
        )
    if plant.motions or plant.thickens:
        what = "supports that move" if plant.motions else "compressible bars whose thickness counts (inertia: cylinder)"
        raise OptionError(f"implicit methods know nothing of {what}; use dp5 or dp8")
    return YieldingPlant(**{field.name: getattr(plant, field.name) for field in fields(Plant)})


def _tangent(tables: Nodal) -> tuple[dict[str, np.ndarray], Saddle]:
    """Where everything goes in the saddle [S G^T; G 0], by the names of a Tangent, and the saddle."""
    cables, bars, free = tables.cables, tables.bars, tables.nodes.free
    size = tables.nodes.mass.size
    unknown = np.full(size, -1, dtype=np.int64)
    unknown[free] = np.arange(free.size)
    axes = np.arange(3)
    first = np.concatenate([cables.first, bars.first])
    second = np.concatenate([cables.second, bars.second])
    link_i = np.repeat(unknown[first[:, None] + axes], 3, axis=1).ravel()  # xx xy xz yx ...
    link_j = np.tile(unknown[second[:, None] + axes], 3).ravel()
    start = np.arange(0, size, 3)[:, None]
    node_i, node_j = (unknown[start + np.array([entry[k] for entry in DIAGONAL])].ravel() for k in (0, 1))
    i, j = np.concatenate([node_i, link_i]), np.concatenate([node_j, link_j])
    moves = (i >= 0) & (j >= 0)
    low, high = np.minimum(i, j)[moves], np.maximum(i, j)[moves]
    weight = sp.csr_matrix((np.ones(low.size), (low, high)), shape=(free.size, free.size))
    rigid = tables.work.multiplier.size - tables.guides.value.size
    one, other = bars.first[:rigid], bars.second[:rigid]
    saddle, row = bordered(weight, (one, other), unknown, tables.guides)
    idle = saddle.values.size
    saddle = saddle._replace(values=np.append(saddle.values, 0.0))
    place = np.full(i.size, idle, dtype=np.int64)
    place[moves] = weight_places(saddle, low, high)
    ends, links = 6 * (size // 3), 9 * cables.first.size
    stiffness = np.zeros(size)
    for end in (cables.first, cables.second):
        np.add.at(stiffness, end, cables.stiffness)
    rows = tables.work.multiplier.size
    return {
        "entry": np.unique(place),
        "node": place[:ends],
        "cable": place[ends : ends + links],
        "bar": place[ends + links :],
        "row": np.where(row < 0, idle, row),
        "brace_mass": np.maximum(tables.nodes.mass[one], tables.nodes.mass[other]),
        "brace_stiffness": np.maximum(stiffness[one], stiffness[other]),
        "brace": np.zeros(rigid),
        "push": np.zeros(rows),
        "first_push": np.zeros(rows),
    }, saddle
