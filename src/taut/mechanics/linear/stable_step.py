"""How fast a plant can tremble, from its tables alone: what bounds an explicit step."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from taut.mechanics.kinds import Given
from taut.mechanics.spec import Spec, imposed_of, terms_of

SHARE_OF_A_WAVE = 0.125
"""Of a period of what is imposed: no step is longer, since what moves by itself has no error that could tell."""


def longest_step(given: Given, spec: Spec, tables: Any) -> float:
    """[s] The shortest period of the plant itself, or a share of that of what is imposed."""
    periods = [kind.shortest_period(given) for kind in imposed_of(spec) if kind.shortest_period is not None]
    return min([shortest_period(spec, tables), *(SHARE_OF_A_WAVE * period for period in periods)])


def shortest_period(spec: Spec, tables: Any) -> float:
    """[s] of the node that its cables and other terms hold stiffest, if its neighbours stood still, or of the stiffest
    compressible bar by itself; or 2 pi times what the fastest state of a term relaxes in."""
    thin, springs, free = tables["thin"], tables["springs"], tables["nodes"].free
    mass, bars = thin.diagonal, springs.shortest.size
    held = np.zeros(mass.size)
    for term in terms_of(spec):
        if term.node_stiffness is not None:
            held += term.node_stiffness(tables[term.name], mass.size)
    swinging = held[free] / mass[free]
    trembling = springs.stiffness[springs.first.size - bars : springs.first.size, None] * _softness(thin, free, bars)
    fastest = math.sqrt(max(float(np.max(swinging, initial=0.0)), float(np.max(trembling, initial=0.0))))
    relaxing = [term.relaxation(tables[term.name]) for term in terms_of(spec) if term.relaxation is not None]
    fastest = max([fastest, *(1.0 / time for time in relaxing)])
    return math.inf if fastest == 0.0 else 2.0 * math.pi / fastest


def _softness(thin: Any, free: np.ndarray, bars: int) -> np.ndarray:
    """(bars, 3) how readily the ends of each compressible bar part along each axis, its neighbours at rest [1/kg]."""
    movable = np.zeros(thin.diagonal.size, dtype=bool)
    movable[free] = True
    soft = np.arange(thin.first.size - bars, thin.first.size)
    i, j = (end[soft, None] + np.arange(3) for end in (thin.first, thin.second))
    own, other, between = thin.diagonal[i], thin.diagonal[j], thin.coupling[soft, None]
    both = movable[i] & movable[j]
    alone = np.where(movable[i], 1.0 / own, np.where(movable[j], 1.0 / other, 0.0))
    return np.asarray(np.where(both, (own + other + 2.0 * between) / (own * other - between**2), alone))
