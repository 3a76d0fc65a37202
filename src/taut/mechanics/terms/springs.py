"""Cables, and compressible bars, which are springs that push too: tension, energy, stiffness.

    tension = max(k (length - rest), least) + damper,   least = 0 for a cable, -inf for a spring   eqs. (12), (13), (17)

Nothing pulls while a cable is slack, and no damper can make it push. A compressible bar pressed to a twentieth of its
length is no bar any more: there is no force there but NaN, so that no step leads on.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from taut.mechanics.tables import coordinate_count, part_of, slot
from taut.numerics.compiled import inlined, kernel
from taut.numerics.lanes import some, where
from taut.numerics.packing import Integers, Pack, Reals, counter, reader, size_of

NO_LENGTH = 1e-150
"""[m] Stands in for a length of zero, where there is no direction to pull in."""

CRUSHED_LENGTH = 0.05
"""A compressible bar pressed to this fraction of its length is no bar any more, and the run ends."""


class Springs(NamedTuple):
    """s springs between two nodes: straight cables, then compressible bars; and the laws of all l springs: of these,
    then of routes (`routes.py`)."""

    first: Integers  # (s,) nodes
    second: Integers  # (s,)
    least: Reals  # (l,) the least stretch and tension: 0, or -inf for springs, which push too
    stiffness: Reals  # (l,) [N/m]
    rest_length: Reals  # (l,) [m]
    rest_rate: Reals  # (l,) how fast that is imposed to change, mostly not at all [m/s]
    damping: Reals  # (l,) [N s/m]
    shortest: Reals  # (compressible bars,) below which each is crushed [m]
    damps: Integers  # (1,) 1 where any spring does
    crushed: Integers  # (1,) the last spring found crushed, -1 if none was since a step
    density: Reals  # (s,) work space [N/m]


springs_in = reader(Springs, slot("springs"))
SPRINGS = part_of("springs", Springs, "first")
SHORTEST = part_of("springs", Springs, "shortest")
CRUSHED = part_of("springs", Springs, "crushed")
DAMPS = part_of("springs", Springs, "damps")
LAWS = part_of("springs", Springs, "stiffness")


spring_count = counter(SPRINGS)
"""Springs between two nodes."""
law_count = counter(LAWS)
"""All springs."""


@inlined
def elastic_tension(stiffness: float, stretch: float, least: float) -> float:
    """[N]"""
    return max(stiffness * stretch, least)


@inlined
def spring_state(springs: Springs, k: int, y: np.ndarray, n: int, damps: int) -> tuple[float, float, float, float]:
    """Length [m] of spring k, the rate of its stretch [m/s], elastic and viscous tension [N].

    The rate is only worked out where `damps` is 1, and zero otherwise.
    """
    i, j = springs.first[k], springs.second[k]
    sx, sy, sz = y[j] - y[i], y[j + 1] - y[i + 1], y[j + 2] - y[i + 2]
    length = math.sqrt(sx * sx + sy * sy + sz * sz)
    stretch = length - springs.rest_length[k]
    least = springs.least[k]
    elastic = elastic_tension(springs.stiffness[k], stretch, least)
    rate, viscous = 0.0 * elastic, 0.0 * elastic
    if damps == 1:
        i += n
        j += n
        along = sx * (y[j] - y[i]) + sy * (y[j + 1] - y[i + 1]) + sz * (y[j + 2] - y[i + 2])
        rate = along / max(length, NO_LENGTH) - springs.rest_rate[k]
        # A damper can let a cable go slack, but nothing can make it push.
        viscous = where(stretch > least, max(springs.damping[k] * rate, least - elastic), 0.0)
    return length, rate, elastic, viscous


@inlined
def member_state(p: Pack, k: int, y: np.ndarray, damps: int) -> tuple[float, float, float, float]:
    """The same of any row among the laws; `routes.py` has another where there are routes."""
    return spring_state(springs_in(p), k, y, coordinate_count(p), damps)


@inlined
def lost_energy(p: Pack, k: int, y: np.ndarray) -> float:
    """What a member of any row had stored [J], when it is cut."""
    length, _, elastic, _ = member_state(p, k, y, 0)
    return 0.5 * elastic * (length - springs_in(p).rest_length[k])


@inlined
def _pull(springs: Springs, k: int, y: np.ndarray, density: float, out: np.ndarray) -> None:
    """Add density times the span to the first node, and the opposite to the second, eq. (18)."""
    i, j = springs.first[k], springs.second[k]
    fx, fy, fz = density * (y[j] - y[i]), density * (y[j + 1] - y[i + 1]), density * (y[j + 2] - y[i + 2])
    out[i] += fx
    out[i + 1] += fy
    out[i + 2] += fz
    out[j] -= fx
    out[j + 1] -= fy
    out[j + 2] -= fz


@inlined
def _elastic(springs: Springs, count: int, y: np.ndarray) -> None:
    """Force densities without dampers, in two passes: the second, which has the root and the division, is one that the
    compiler does four or eight at a time, as long as it writes over one array only."""
    density = springs.density
    for k in range(count):
        i, j = springs.first[k], springs.second[k]
        sx, sy, sz = y[j] - y[i], y[j + 1] - y[i + 1], y[j + 2] - y[i + 2]
        density[k] = sx * sx + sy * sy + sz * sz
    for k in range(count):
        length = math.sqrt(density[k])
        tension = elastic_tension(springs.stiffness[k], length - springs.rest_length[k], springs.least[k])
        density[k] = tension / max(length, NO_LENGTH)


@inlined
def force(p: Pack, t: float, y: np.ndarray, out: np.ndarray) -> float:
    springs, count, n, power = springs_in(p), spring_count(p), coordinate_count(p), 0.0
    if springs.damps[0] == 1:
        for k in range(count):
            length, rate, elastic, viscous = spring_state(springs, k, y, n, 1)
            power -= viscous * rate
            _pull(springs, k, y, (elastic + viscous) / max(length, NO_LENGTH), out)
    else:
        _elastic(springs, count, y)
        for k in range(count):
            _pull(springs, k, y, springs.density[k], out)
    stop_if_crushed(p, springs, y, out)
    return power


@inlined
def stop_if_crushed(p: Pack, springs: Springs, y: np.ndarray, out: np.ndarray) -> None:
    """Where a compressible bar is pressed to nothing there is no force, so that no step leads there."""
    count, bars = spring_count(p), size_of(p, SHORTEST)
    for m in range(bars):
        k, least = count - bars + m, springs.shortest[m]
        i, j = springs.first[k], springs.second[k]
        bx, by, bz = y[j] - y[i], y[j + 1] - y[i + 1], y[j + 2] - y[i + 2]
        # Where it is cut it presses nothing and is no bar any more.
        short = where(springs.stiffness[k] > 0.0, bx * bx + by * by + bz * bz, np.inf) < least * least
        if some(short):
            springs.crushed[0] = k
            out[i] += where(short, np.nan, 0.0)
            out[j] += where(short, np.nan, 0.0)  # either end may be held


@inlined
def conservative_force(p: Pack, y: np.ndarray, out: np.ndarray) -> tuple[float, float, float]:
    springs, count, stored, squared = springs_in(p), spring_count(p), 0.0, 0.0
    n = coordinate_count(p)
    for k in range(count):
        length, _, elastic, _ = spring_state(springs, k, y, n, 0)
        stored += 0.5 * elastic * (length - springs.rest_length[k])
        squared += elastic * elastic
        _pull(springs, k, y, elastic / max(length, NO_LENGTH), out)
    return stored, 0.0, squared


@inlined
def potential(p: Pack, y: np.ndarray) -> tuple[float, float, float]:
    springs, n, stored, squared = springs_in(p), coordinate_count(p), 0.0, 0.0
    for k in range(spring_count(p)):
        length, _, tension, _ = spring_state(springs, k, y, n, 0)
        stored += 0.5 * tension * (length - springs.rest_length[k])
        squared += tension * tension
    return stored, 0.0, squared


@kernel
def stiffness(
    p: Pack, t: float, y: np.ndarray, k: float, c: float, pushing: float, exact: float, out: np.ndarray
) -> int:
    """Of a spring of length l and whole tension f that pulls, u along it and w its rate across:

    K = stiffness u u^T + f / l (1 - u u^T) + exact damping / l u w^T,   C = damping u u^T
    """
    springs, n, damps = springs_in(p), coordinate_count(p), springs_in(p).damps[0]
    for m in range(spring_count(p)):
        length, rate, elastic, viscous = spring_state(springs, m, y, n, damps)
        least, tension, at = springs.least[m], elastic + viscous, 9 * m
        if length > NO_LENGTH and length - springs.rest_length[m] > least and tension > least:
            i, j = springs.first[m], springs.second[m]
            across = k * tension / length
            along = k * springs.stiffness[m] + c * springs.damping[m]
            if across < 0.0:
                across *= pushing
            along -= across
            turning = exact * k * springs.damping[m] / length
            ux, uy, uz = (y[j] - y[i]) / length, (y[j + 1] - y[i + 1]) / length, (y[j + 2] - y[i + 2]) / length
            i += n
            j += n
            parting = rate + springs.rest_rate[m]
            wx = turning * (y[j] - y[i] - parting * ux)
            wy = turning * (y[j + 1] - y[i + 1] - parting * uy)
            wz = turning * (y[j + 2] - y[i + 2] - parting * uz)
            out[at] = along * ux * ux + across + ux * wx
            out[at + 1] = along * ux * uy + ux * wy
            out[at + 2] = along * uz * ux + ux * wz
            out[at + 3] = along * ux * uy + uy * wx
            out[at + 4] = along * uy * uy + across + uy * wy
            out[at + 5] = along * uy * uz + uy * wz
            out[at + 6] = along * uz * ux + uz * wx
            out[at + 7] = along * uy * uz + uz * wy
            out[at + 8] = along * uz * uz + across + uz * wz
        else:
            for e in range(9):
                out[at + e] = 0.0
    return 9 * spring_count(p)


@inlined
def accept_step(p: Pack) -> None:
    springs_in(p).crushed[0] = -1
