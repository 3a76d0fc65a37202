"""Gravity: a constant force at every node, and its potential energy, eq. (11)."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from taut.mechanics.inertia.masses import inertia
from taut.mechanics.kinds import Given, Term
from taut.mechanics.tables import coordinate_count, slot
from taut.numerics.compiled import inlined
from taut.numerics.packing import Pack, Reals, reader


class Weight(NamedTuple):
    weight: Reals  # (3 n,) gravity's force [N]


weight_in = reader(Weight, slot("weight"))


@inlined
def force(p: Pack, t: float, y: np.ndarray, out: np.ndarray) -> float:
    weight = weight_in(p).weight
    for i in range(coordinate_count(p)):
        out[i] += weight[i]
    return 0.0


@inlined
def potential(p: Pack, y: np.ndarray) -> tuple[float, float, float]:
    weight, x, z, w = weight_in(p).weight, 0.0, 0.0, 0.0
    for i in range(0, coordinate_count(p), 3):  # three sums side by side: one alone would wait for itself
        x, z, w = x + weight[i] * y[i], z + weight[i + 1] * y[i + 1], w + weight[i + 2] * y[i + 2]
    return 0.0, -(x + z + w), 0.0


@inlined
def conservative_force(p: Pack, y: np.ndarray, out: np.ndarray) -> tuple[float, float, float]:
    force(p, 0.0, y, out)
    return potential(p, y)


@inlined
def secant_force(p: Pack, t: float, h: float, start: np.ndarray, end: np.ndarray, out: np.ndarray) -> float:
    return force(p, t, end, out)


def tabulate(given: Given) -> Weight:
    return Weight(np.outer(inertia(given.structure).weighing, given.gravity).ravel())


WEIGHT = Term(
    "weight",
    Weight,
    tabulate,
    force=force,
    conservative_force=conservative_force,
    potential=potential,
    secant_force=secant_force,
    lanes=True,
)
