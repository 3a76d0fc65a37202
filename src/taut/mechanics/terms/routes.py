"""Cables over guides, and cables whose force is commanded: one tension along the whole route.

    length = sum of the lengths of all stretches between neighbouring nodes,   force on node a = -tension dlength/da

By its mode a route is a spring, with a row of its own among the laws of all springs, or its tension or force density is
commanded, whatever its length; such a command does work as a load does, -tension dlength/dt. A node that is passed
twice counts twice, and a route that ends where it begins is a loop. Pulleys of a radius at guides (`structure.pulleys`)
add to the length, and to its slopes and second derivatives.

With friction the tension changes at every guide by exp(mu phi s), with phi the angle by which the cable turns there and
s = tanh(flow / SLIP_SPEED), by how fast it slides over it (Euler, Eytelwein). Strain is taken to be the same all along,
and the mean of the tensions, weighted by length, is what the law says: then friction only ever takes energy.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from taut.mechanics.tables import coordinate_count, part_of, slot
from taut.mechanics.terms.paths import (
    add_pulley_bending,
    add_pulley_slopes,
    block_of,
    press,
    pulley_state,
    span,
    stretch_state,
)
from taut.mechanics.terms.springs import NO_LENGTH, elastic_tension, spring_count, spring_state, springs_in
from taut.numerics.compiled import inlined, kernel
from taut.numerics.packing import Integers, Pack, Reals, counter, reader
from taut.numerics.pointers import shifted

SPRING, TENSION, DENSITY = 0, 1, 2
"""What is given of a route."""

SLIP_SPEED = 1e-3
"""[m/s] About how fast a cable slides where friction is fully at work; below it sticking is smoothed to creeping."""


class Routes(NamedTuple):
    """r routes of s stretches and u own nodes in all, by the columns of `Paths`."""

    start: Integers
    first: Integers
    second: Integers
    own_start: Integers
    own: Integers
    mode: Integers  # (r,)
    command: Reals  # (r,) tension [N] or force density [N/m]
    friction: Reals  # (r,)
    bound: Reals  # (r,) a stiffness [N/m] that no node is held with more, for each time that it is passed
    length: Reals  # (s,) work space [m]
    pull: Reals  # (s,) work space: of each stretch its share of the tension
    slope: Reals  # (3 u,) work space: how the length, or its rate, changes with each node
    turn: Reals  # (3 u,) work space
    radius: Reals  # (s,) of the pulley between each stretch and the next; zero for none [m]
    bent: Reals  # (BEND,) work space


routes_in = reader(Routes, slot("routes"))
ROUTES = part_of("routes", Routes, "mode")
route_count = counter(ROUTES)


@kernel
def route_length(p: Pack, r: int, y: np.ndarray) -> tuple[float, float]:
    """Length [m] of a route and its rate [m/s]; keeps the length of every stretch."""
    routes, n, total, rate = routes_in(p), coordinate_count(p), 0.0, 0.0
    for s in range(routes.start[r], routes.start[r + 1]):
        length, parting = stretch_state(routes, s, y, n)
        routes.length[s] = length
        total += length
        rate += parting
        if routes.radius[s] > 0.0:
            extra, growth = pulley_state(routes, s, y, n)
            total += extra
            rate += growth
            if not extra == extra:  # noqa: SIM201 - it has no way round
                springs_in(p).crushed[0] = spring_count(p) + s
    return total, rate


@kernel
def route_state(p: Pack, r: int, y: np.ndarray) -> tuple[float, float, float, float]:
    """Length [m] of a route, the rate of its stretch [m/s], elastic or commanded tension, viscous tension [N]."""
    routes, springs = routes_in(p), springs_in(p)
    k = spring_count(p) + r
    length, rate = route_length(p, r, y)
    if not length == length:  # noqa: SIM201 - a pulley has no way round, and no step leads there
        return length, rate, math.nan, 0.0
    if routes.mode[r] == TENSION:
        return length, rate, routes.command[r], 0.0
    if routes.mode[r] == DENSITY:
        return length, rate, routes.command[r] * length, 0.0
    stretch, least, viscous = length - springs.rest_length[k], springs.least[k], 0.0
    elastic, rate = elastic_tension(springs.stiffness[k], stretch, least), rate - springs.rest_rate[k]
    if stretch > least:
        viscous = max(springs.damping[k] * rate, least - elastic)
    return length, rate, elastic, viscous


@kernel
def member_state(p: Pack, k: int, y: np.ndarray, damps: int) -> tuple[float, float, float, float]:
    """Of any row among the laws of springs, as `spring_state` says it."""
    if k >= spring_count(p):
        return route_state(p, k - spring_count(p), y)
    return spring_state(springs_in(p), k, y, coordinate_count(p), damps)


@kernel
def lost_energy(p: Pack, k: int, y: np.ndarray) -> float:
    """Cut a member of any row: what it had stored [J]; a command ends."""
    springs, r = springs_in(p), k - spring_count(p)
    length, _, elastic, _ = member_state(p, k, y, 0)
    if r >= 0 and routes_in(p).mode[r] != SPRING:
        routes_in(p).command[r] = 0.0
        return 0.0
    return 0.5 * elastic * (length - springs.rest_length[k])


@inlined
def _turning(routes: Routes, s: int, y: np.ndarray) -> float:
    """The angle [rad] by which a route turns between stretch s and the next."""
    ax, ay, az = span(routes, s, y, 0)
    bx, by, bz = span(routes, s + 1, y, 0)
    cx, cy, cz = ay * bz - az * by, az * bx - ax * bz, ax * by - ay * bx
    return math.atan2(math.sqrt(cx * cx + cy * cy + cz * cz), ax * bx + ay * by + az * bz)


@kernel
def share_tension(p: Pack, r: int, y: np.ndarray, total: float, growth: float) -> float:
    """Fill the tension of every stretch over the mean one; returns what friction takes, over that tension [m/s].

    Of stretches that grow by l_i', (growth is their sum) with strain the same all along, the cable flows over guide j
    at the rate q_j = -sum(l_i' - l_i growth / total) of those before it. With sum(c_i l_i) = total what friction takes
    is sum((c_j+1 - c_j) q_j), which is never negative.
    """
    routes, n = routes_in(p), coordinate_count(p)
    begin, end = routes.start[r], routes.start[r + 1]
    flow, share, weighted = 0.0, 1.0, 0.0
    for s in range(begin, end):
        routes.pull[s] = share
        weighted += share * routes.length[s]
        flow -= stretch_state(routes, s, y, n)[1] - routes.length[s] * growth / total
        if s + 1 < end:
            share *= math.exp(routes.friction[r] * _turning(routes, s, y) * math.tanh(flow / SLIP_SPEED))
    lost = -growth
    for s in range(begin, end):
        routes.pull[s] *= total / weighted
        lost += routes.pull[s] * stretch_state(routes, s, y, n)[1]
    return lost


@inlined
def _pull(p: Pack, r: int, y: np.ndarray, tension: float, out: np.ndarray) -> None:
    """Add what a route does to its nodes; the lengths of its stretches and their shares are known."""
    routes = routes_in(p)
    slides = routes.friction[r] > 0.0
    for s in range(routes.start[r], routes.start[r + 1]):
        density = tension / max(routes.length[s], NO_LENGTH)
        if slides:
            density *= routes.pull[s]
        i, j = routes.own[routes.first[s]], routes.own[routes.second[s]]
        for axis in range(3):
            pulled = density * (y[j + axis] - y[i + axis])
            out[i + axis] += pulled
            out[j + axis] -= pulled
        if routes.radius[s] > 0.0:
            press(routes, s, y, tension, out)


@kernel
def force(p: Pack, t: float, y: np.ndarray, out: np.ndarray) -> float:
    routes, springs, power = routes_in(p), springs_in(p), 0.0
    for r in range(route_count(p)):
        length, rate, elastic, viscous = route_state(p, r, y)
        tension = elastic + viscous
        power -= (viscous if routes.mode[r] == SPRING else tension) * rate
        if routes.friction[r] > 0.0:
            growth = rate + (springs.rest_rate[spring_count(p) + r] if routes.mode[r] == SPRING else 0.0)
            power -= tension * share_tension(p, r, y, length, growth)
        _pull(p, r, y, tension, out)
    return power


@kernel
def load_power(p: Pack, t: float, y: np.ndarray) -> float:
    """Of commanded tensions."""
    routes, power = routes_in(p), 0.0
    for r in range(route_count(p)):
        if routes.mode[r] != SPRING:
            _, rate, tension, _ = route_state(p, r, y)
            power -= tension * rate
    return power


@kernel
def potential(p: Pack, y: np.ndarray) -> tuple[float, float, float]:
    """Of springs; a command stores nothing."""
    routes, springs, stored, squared = routes_in(p), springs_in(p), 0.0, 0.0
    for r in range(route_count(p)):
        length, _, tension, _ = route_state(p, r, y)
        squared += tension * tension
        if routes.mode[r] == SPRING:
            stored += 0.5 * tension * (length - springs.rest_length[spring_count(p) + r])
    return stored, 0.0, squared


@kernel
def conservative_force(p: Pack, y: np.ndarray, out: np.ndarray) -> tuple[float, float, float]:
    routes, springs, stored, squared = routes_in(p), springs_in(p), 0.0, 0.0
    for r in range(route_count(p)):
        if routes.mode[r] == SPRING:
            length, _, tension, _ = route_state(p, r, y)
            stored += 0.5 * tension * (length - springs.rest_length[spring_count(p) + r])
            squared += tension * tension
            for s in range(routes.start[r], routes.start[r + 1]):
                routes.pull[s] = 1.0
            _pull(p, r, y, tension, out)
    return stored, 0.0, squared


# --- stiffness: a block for every pair of different own nodes of a route, one way and the other


@kernel
def _fill_slopes(p: Pack, r: int, y: np.ndarray) -> None:
    """How the length of a route changes with each of its nodes, and how the rate of its length does."""
    routes, n = routes_in(p), coordinate_count(p)
    for e in range(3 * routes.own_start[r], 3 * routes.own_start[r + 1]):
        routes.slope[e], routes.turn[e] = 0.0, 0.0
    for s in range(routes.start[r], routes.start[r + 1]):
        length, parting = max(routes.length[s], NO_LENGTH), stretch_state(routes, s, y, n)[1]
        a, b = routes.first[s], routes.second[s]
        i, j = routes.own[a], routes.own[b]
        for axis in range(3):
            along = (y[j + axis] - y[i + axis]) / length
            across = (y[n + j + axis] - y[n + i + axis] - parting * along) / length
            routes.slope[3 * a + axis] -= along
            routes.slope[3 * b + axis] += along
            routes.turn[3 * a + axis] -= across
            routes.turn[3 * b + axis] += across
        if routes.radius[s] > 0.0:
            add_pulley_slopes(routes, s, y, n)


@kernel
def _add_products(p: Pack, r: int, factor: float, left: np.ndarray, right: np.ndarray, out: np.ndarray) -> None:
    """Add factor times the product of two slopes to the stiffness; blocks hold it with the other sign."""
    routes = routes_in(p)
    for a in range(routes.own_start[r], routes.own_start[r + 1]):
        for b in range(routes.own_start[r], routes.own_start[r + 1]):
            if a != b:
                at = block_of(routes, r, a, b)
                for e in range(9):
                    out[at + e] -= factor * left[3 * a + e // 3] * right[3 * b + e % 3]


@kernel
def _add_bending(p: Pack, r: int, y: np.ndarray, tension: float, out: np.ndarray) -> None:
    """Add what tension across every stretch resists: tension / length (1 - u u^T)."""
    routes = routes_in(p)
    for s in range(routes.start[r], routes.start[r + 1]):
        length, a, b = max(routes.length[s], NO_LENGTH), routes.first[s], routes.second[s]
        i, j, there, back = routes.own[a], routes.own[b], block_of(routes, r, a, b), block_of(routes, r, b, a)
        for e in range(9):
            row, column = e // 3, e % 3
            unit = 1.0 if row == column else 0.0
            along = (y[j + row] - y[i + row]) * (y[j + column] - y[i + column]) / (length * length)
            resisted = tension / length * (unit - along)
            out[there + e] += resisted
            out[back + e] += resisted
        if routes.radius[s] > 0.0:
            add_pulley_bending(routes, r, s, y, tension, out)


@kernel
def _add_friction(p: Pack, r: int, y: np.ndarray, total: float, tension: float, out: np.ndarray) -> None:
    """Add the damping of guides, what is symmetric of it: tension mu phi s / flow of every guide along its flow."""
    routes, n, flow, passed = routes_in(p), coordinate_count(p), 0.0, 0.0
    begin, end = routes.start[r], routes.start[r + 1]
    growth = 0.0
    for s in range(begin, end):
        growth += stretch_state(routes, s, y, n)[1]
    share_tension(p, r, y, total, growth)
    for e in range(3 * routes.own_start[r], 3 * routes.own_start[r + 1]):
        routes.turn[e] = 0.0
    for s in range(begin, end - 1):
        length, a, b = max(routes.length[s], NO_LENGTH), routes.first[s], routes.second[s]
        i, j = routes.own[a], routes.own[b]
        flow -= stretch_state(routes, s, y, n)[1] - length * growth / total
        passed += length / total
        for axis in range(3):
            along = (y[j + axis] - y[i + axis]) / length
            routes.turn[3 * a + axis] += along
            routes.turn[3 * b + axis] -= along
        for e in range(3 * routes.own_start[r], 3 * routes.own_start[r + 1]):
            routes.turn[e] += passed * routes.slope[e]
        slid = abs(flow) / SLIP_SPEED
        eased = math.tanh(slid) / slid if slid > 1e-8 else 1.0
        grip = tension * routes.pull[s] * routes.friction[r] * _turning(routes, s, y) * eased / SLIP_SPEED
        _add_products(p, r, grip, routes.turn, routes.turn, out)
        for e in range(3 * routes.own_start[r], 3 * routes.own_start[r + 1]):
            routes.turn[e] -= passed * routes.slope[e]


@kernel
def stiffness(
    p: Pack, t: float, y: np.ndarray, k: float, c: float, pushing: float, exact: float, out: np.ndarray
) -> int:
    """With g and w the slopes of a route's length and of its rate, u along a stretch of length l, and tension f:

    K = stiffness g g^T + sum of f / l (1 - u u^T) + exact damping g w^T,   C = damping g g^T
    """
    routes, springs, filled = routes_in(p), springs_in(p), 0
    for r in range(route_count(p)):
        length, _, elastic, viscous = route_state(p, r, y)
        m, tension, own = spring_count(p) + r, elastic + viscous, routes.own_start[r + 1] - routes.own_start[r]
        size = 9 * own * (own - 1)
        for e in range(size):
            out[filled + e] = 0.0
        spring, least = routes.mode[r] == SPRING, springs.least[m]
        if not spring or (length - springs.rest_length[m] > least and tension > least):
            blocks = shifted(out, filled)
            _fill_slopes(p, r, y)
            along = k * springs.stiffness[m] + c * springs.damping[m]
            if not spring:
                along = k * routes.command[r] if routes.mode[r] == DENSITY else 0.0
            _add_products(p, r, along, routes.slope, routes.slope, blocks)
            turning = exact * k * springs.damping[m] if spring else 0.0
            if turning != 0.0:
                _add_products(p, r, turning, routes.slope, routes.turn, blocks)
            _add_bending(p, r, y, k * tension * (pushing if tension < 0.0 else 1.0), blocks)
            if routes.friction[r] > 0.0:
                _add_friction(p, r, y, length, c * tension, blocks)
        filled += size
    return filled
