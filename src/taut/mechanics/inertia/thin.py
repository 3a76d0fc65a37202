"""The constant part of the mass matrix: a diagonal, and couplings: between the ends of every bar, eq. (10), and
between the points that a plate is known by (`taut.structure.plates.mass_shares`)."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from taut.mechanics.inertia.masses import inertia
from taut.mechanics.kinds import Given
from taut.mechanics.tables import coordinate_count, part_of, slot
from taut.numerics.compiled import inlined
from taut.numerics.packing import Integers, Pack, Reals, counter, reader


class Thin(NamedTuple):
    """b pairs: the ends of rigid bars, the points of plates, the ends of compressible bars."""

    diagonal: Reals  # (3 n,) [kg]
    first: Integers  # (b,) nodes
    second: Integers  # (b,)
    coupling: Reals  # (b,) what M has between the two ends [kg]


thin_in = reader(Thin, slot("thin"))
RODS = part_of("thin", Thin, "first")


rod_count = counter(RODS)


@inlined
def carry(p: Pack, y: np.ndarray, v: np.ndarray, out: np.ndarray) -> None:
    thin = thin_in(p)
    for i in range(coordinate_count(p)):
        out[i] = thin.diagonal[i] * v[i]
    for k in range(rod_count(p)):
        i, j, c = thin.first[k], thin.second[k], thin.coupling[k]
        for axis in range(3):
            out[i + axis] += c * v[j + axis]
            out[j + axis] += c * v[i + axis]


@inlined
def kinetic(p: Pack, y: np.ndarray) -> float:
    thin, n, coupled = thin_in(p), coordinate_count(p), 0.0
    x, z, w = 0.0, 0.0, 0.0
    for i in range(0, n, 3):  # three sums side by side: one alone would wait for itself
        vx, vy, vz = y[n + i], y[n + i + 1], y[n + i + 2]
        x = x + thin.diagonal[i] * vx * vx
        z = z + thin.diagonal[i + 1] * vy * vy
        w = w + thin.diagonal[i + 2] * vz * vz
    for k in range(rod_count(p)):
        i, j = n + thin.first[k], n + thin.second[k]
        coupled += thin.coupling[k] * (y[i] * y[j] + y[i + 1] * y[j + 1] + y[i + 2] * y[j + 2])
    return 0.5 * (x + z + w) + coupled


@inlined
def turning_masses(
    p: Pack, y: np.ndarray, cx: float, cy: float, cz: float
) -> tuple[float, float, float, float, float, float]:
    thin, xx, yy, zz, xy, yz, zx = thin_in(p), 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
    for i in range(0, coordinate_count(p), 3):
        rx, ry, rz, m = y[i] - cx, y[i + 1] - cy, y[i + 2] - cz, thin.diagonal[i]
        xx, yy, zz = xx + m * rx * rx, yy + m * ry * ry, zz + m * rz * rz
        xy, yz, zx = xy + m * rx * ry, yz + m * ry * rz, zx + m * rz * rx
    for k in range(rod_count(p)):
        i, j, c = thin.first[k], thin.second[k], thin.coupling[k]
        ax, ay, az = y[i] - cx, y[i + 1] - cy, y[i + 2] - cz
        bx, by, bz = y[j] - cx, y[j + 1] - cy, y[j + 2] - cz
        xx, yy, zz = xx + 2.0 * c * ax * bx, yy + 2.0 * c * ay * by, zz + 2.0 * c * az * bz
        xy += c * (ax * by + ay * bx)
        yz += c * (ay * bz + az * by)
        zx += c * (az * bx + ax * bz)
    return xx, yy, zz, xy, yz, zx


def bar_order(given: Given) -> np.ndarray:
    """The places of bars in the structure: rigid ones as their rows stand, then driven ones, then pneumatic ones, then
    compressible ones."""
    ranked = (given.still_bars, given.driven_bars, given.pneumatic_bar, given.compressible_bar)
    rank = {name: k for k, names in enumerate(ranked) for name in names}
    return np.argsort([rank[name] for name in given.structure.bars], kind="stable")


def tabulate(given: Given) -> Thin:
    found = inertia(given.structure)
    order, nodes = bar_order(given), [bar.nodes for bar in given.structure.bars.values()]
    first, second = given.ends([nodes[k] for k in order])
    rigid = len(given.still_bars)
    return Thin(
        np.repeat(found.own, 3),
        np.insert(first, rigid, 3 * found.pairs[:, 0]),
        np.insert(second, rigid, 3 * found.pairs[:, 1]),
        np.insert(found.coupling[order], rigid, found.between),
    )
