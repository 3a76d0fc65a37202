"""How fast a plant can tremble, from its tables alone: what bounds an explicit step."""

from __future__ import annotations

import math

import numpy as np

from taut.mechanics.tables import Nodal


def shortest_period(tables: Nodal, cables: int) -> float:
    """[s] of the node that its cables hold stiffest, if its neighbours stood still, or of the stiffest bar by itself.

    cables: how many of the springs are cables; the others are compressible bars.
    """
    stiffness = np.zeros(tables.nodes.mass.size)
    for end in (tables.cables.first, tables.cables.second):
        np.add.at(stiffness, end[:cables], tables.cables.stiffness[:cables])
    free = tables.nodes.free
    swinging = stiffness[free // 3 * 3] / tables.nodes.mass[free]
    trembling = tables.cables.stiffness[cables:, None] * _softness(tables)
    fastest = max(float(np.max(swinging, initial=0.0)), float(np.max(trembling, initial=0.0)))
    return math.inf if fastest == 0.0 else 2.0 * math.pi / math.sqrt(fastest)


def _softness(tables: Nodal) -> np.ndarray:
    """(compressible bars, 3) how readily the ends of each part along each axis, its neighbours at rest [1/kg]."""
    movable = np.zeros(tables.nodes.mass.size, dtype=bool)
    movable[tables.nodes.free] = True
    soft = tables.bars.per_length == 0.0
    i, j = (end[soft, None] + np.arange(3) for end in (tables.bars.first, tables.bars.second))
    own, other, between = tables.nodes.mass[i], tables.nodes.mass[j], tables.bars.coupling[soft, None]
    both = movable[i] & movable[j]
    alone = np.where(movable[i], 1.0 / own, np.where(movable[j], 1.0 / other, 0.0))
    return np.asarray(np.where(both, (own + other + 2.0 * between) / (own * other - between**2), alone))
