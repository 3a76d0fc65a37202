"""Cables and springs over a whole step: the mean tension that does the work by which their energy falls.

Of a spring that goes from length l0 to l1, with V its energy and s the vector along it,

    force = tension (s0 + s1) / (l0 + l1),   tension = (V(l1) - V(l0)) / (l1 - l0)

so that force . (s1 - s0) is minus the change of energy exactly, and nothing is turned or shifted by it (a discrete
gradient: Gonzalez 1996). A cable that goes slack or taut pulls for the share of the way on which it is taut. Its damper
has c times that share of the change of length over h: what it takes is never negative.
"""

from __future__ import annotations

import math

import numpy as np

from taut.mechanics.terms.paths import span
from taut.mechanics.terms.routes import DENSITY, SPRING, TENSION, Routes, route_count, routes_in
from taut.mechanics.terms.springs import (
    NO_LENGTH,
    Springs,
    spring_count,
    springs_in,
    stop_if_crushed,
)
from taut.numerics.compiled import inlined, kernel
from taut.numerics.packing import Pack


@inlined
def mean_tension(springs: Springs, k: int, before: float, after: float, h: float) -> tuple[float, float, float, float]:
    """Elastic and viscous tension [N] of a law over a step from one length to another, how the elastic one changes with
    the last length [N/m], and the share of the way on which it is taut."""
    firm, rest, least = springs.stiffness[k], springs.rest_length[k], springs.least[k]
    one, other = before - rest, after - rest
    if one > least and other > least:
        elastic, slope, share = 0.5 * firm * (one + other), 0.5 * firm, 1.0
    elif one <= least and other <= least:
        elastic, slope, share = 0.0, 0.0, 0.0
    else:
        taut = max(one, other)
        share = taut / abs(after - before)
        elastic = 0.5 * firm * taut * share
        slope = firm * share * (1.0 - 0.5 * share) if other > one else 0.5 * firm * share * share
    rate = (after - before) / h - springs.rest_rate[k]
    return elastic, max(springs.damping[k] * share * rate, least - elastic), slope, share


@inlined
def _length(x: float, y: float, z: float) -> float:
    return math.sqrt(x * x + y * y + z * z)


@inlined
def _pull(i: int, j: int, density: float, x: float, y: float, z: float, out: np.ndarray) -> None:
    out[i] += density * x
    out[i + 1] += density * y
    out[i + 2] += density * z
    out[j] -= density * x
    out[j + 1] -= density * y
    out[j + 2] -= density * z


@kernel
def spring_force(p: Pack, t: float, h: float, start: np.ndarray, end: np.ndarray, out: np.ndarray) -> float:
    """Of straight cables and compressible bars; returns the work of their dampers [J]."""
    springs, work = springs_in(p), 0.0
    for k in range(spring_count(p)):
        i, j = springs.first[k], springs.second[k]
        ax, ay, az = start[j] - start[i], start[j + 1] - start[i + 1], start[j + 2] - start[i + 2]
        bx, by, bz = end[j] - end[i], end[j + 1] - end[i + 1], end[j + 2] - end[i + 2]
        before, after = _length(ax, ay, az), _length(bx, by, bz)
        elastic, viscous, _, _ = mean_tension(springs, k, before, after, h)
        work -= viscous * (after - before)
        _pull(i, j, (elastic + viscous) / max(before + after, NO_LENGTH), ax + bx, ay + by, az + bz, out)
    stop_if_crushed(p, springs, end, out)
    return work


@kernel
def spring_stiffness(
    p: Pack,
    t: float,
    h: float,
    start: np.ndarray,
    end: np.ndarray,
    middle: np.ndarray,
    k: float,
    c: float,
    pushing: float,
    out: np.ndarray,
) -> int:
    springs = springs_in(p)
    for m in range(spring_count(p)):
        i, j, at = springs.first[m], springs.second[m], 9 * m
        ax, ay, az = start[j] - start[i], start[j + 1] - start[i + 1], start[j + 2] - start[i + 2]
        bx, by, bz = end[j] - end[i], end[j + 1] - end[i + 1], end[j + 2] - end[i + 2]
        before, after = _length(ax, ay, az), _length(bx, by, bz)
        elastic, viscous, slope, share = mean_tension(springs, m, before, after, h)
        ux, uy, uz = ax + bx, ay + by, az + bz
        size, tension = max(_length(ux, uy, uz), NO_LENGTH), elastic + viscous
        ux, uy, uz = ux / size, uy / size, uz / size
        across = 2.0 * k * tension / max(before + after, NO_LENGTH)
        along = 2.0 * k * slope + c * share * springs.damping[m] if tension > springs.least[m] else 0.0
        if across < 0.0:
            across *= pushing
        along -= across
        out[at] = along * ux * ux + across
        out[at + 1] = along * ux * uy
        out[at + 2] = along * uz * ux
        out[at + 3] = along * ux * uy
        out[at + 4] = along * uy * uy + across
        out[at + 5] = along * uy * uz
        out[at + 6] = along * uz * ux
        out[at + 7] = along * uy * uz
        out[at + 8] = along * uz * uz + across
    return 9 * spring_count(p)


@inlined
def _route_length(routes: Routes, r: int, y: np.ndarray) -> float:
    total = 0.0
    for s in range(routes.start[r], routes.start[r + 1]):
        x, z, w = span(routes, s, y, 0)
        total += _length(x, z, w)
    return total


@kernel
def route_force(p: Pack, t: float, h: float, start: np.ndarray, end: np.ndarray, out: np.ndarray) -> float:
    """Of cables over guides without friction, and of commanded ones; returns the work of dampers and commands [J]."""
    routes, springs, work = routes_in(p), springs_in(p), 0.0
    for r in range(route_count(p)):
        before, after = _route_length(routes, r, start), _route_length(routes, r, end)
        elastic, other = 0.0, 0.0
        if routes.mode[r] == SPRING:
            elastic, other, _, _ = mean_tension(springs, spring_count(p) + r, before, after, h)
        elif routes.mode[r] == TENSION:
            other = routes.command[r]
        elif routes.mode[r] == DENSITY:
            other = 0.5 * routes.command[r] * (before + after)
        work -= other * (after - before)
        for s in range(routes.start[r], routes.start[r + 1]):
            ax, ay, az = span(routes, s, start, 0)
            bx, by, bz = span(routes, s, end, 0)
            density = (elastic + other) / max(_length(ax, ay, az) + _length(bx, by, bz), NO_LENGTH)
            i, j = routes.own[routes.first[s]], routes.own[routes.second[s]]
            _pull(i, j, density, ax + bx, ay + by, az + bz, out)
    return work
