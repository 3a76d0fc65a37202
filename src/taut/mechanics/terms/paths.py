"""The way of a cable over nodes: stretches between neighbouring nodes, and each of its nodes once; and over pulleys."""

from __future__ import annotations

import math
from collections.abc import Iterable
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np

from taut.mechanics.kinds import Given
from taut.mechanics.terms.springs import NO_LENGTH
from taut.numerics.compiled import inlined
from taut.structure.pulleys import Numbers, over_pulley
from taut.structure.records import Cable

around = inlined(over_pulley)


class Paths(NamedTuple):
    """r paths of s stretches and u own nodes in all; tables of cables begin with these columns."""

    start: np.ndarray  # (r + 1,) where each begins among the stretches
    first: np.ndarray  # (s,) of every stretch: which of all own nodes it begins at ...
    second: np.ndarray  # (s,) ... and ends at
    own_start: np.ndarray  # (r + 1,) where each begins among the own nodes
    own: np.ndarray  # (u,) nodes


def paths_of(given: Given, cables: Iterable[Cable]) -> Paths:
    start, own_start = [0], [0]
    first, second, own = list[int](), list[int](), list[int]()
    for cable in cables:
        places = {node: len(own) + k for k, node in enumerate(dict.fromkeys(cable.route))}
        own += [given.coordinate[node] for node in places]
        for a, b in pairwise(cable.route):
            first.append(places[a])
            second.append(places[b])
        start.append(len(first))
        own_start.append(len(own))
    return Paths(*(np.array(numbers, dtype=np.int64) for numbers in (start, first, second, own_start, own)))


@inlined
def span(paths: Any, s: int, y: np.ndarray, at: int) -> tuple[float, float, float]:
    """From the first to the second node of a stretch: places where `at` is 0, velocities where it is n."""
    i, j = at + paths.own[paths.first[s]], at + paths.own[paths.second[s]]
    return y[j] - y[i], y[j + 1] - y[i + 1], y[j + 2] - y[i + 2]


@inlined
def stretch_state(paths: Any, s: int, y: np.ndarray, n: int) -> tuple[float, float]:
    """Length of a stretch [m], and how fast it grows [m/s]."""
    sx, sy, sz = span(paths, s, y, 0)
    vx, vy, vz = span(paths, s, y, n)
    length = math.sqrt(sx * sx + sy * sy + sz * sz)
    return length, (sx * vx + sy * vy + sz * vz) / max(length, NO_LENGTH)


@inlined
def path_state(paths: Any, r: int, y: np.ndarray, n: int) -> tuple[float, float]:
    """Length of a path [m], and how fast it grows [m/s]."""
    total, growth = 0.0, 0.0
    for s in range(paths.start[r], paths.start[r + 1]):
        length, parting = stretch_state(paths, s, y, n)
        total += length
        growth += parting
    return total, growth


@inlined
def block_of(paths: Any, r: int, a: int, b: int) -> int:
    """Where the block from one own node of a route to another begins, counted from the route's first."""
    count, first = paths.own_start[r + 1] - paths.own_start[r], paths.own_start[r]
    return 9 * ((a - first) * (count - 1) + b - first - (1 if b > a else 0))


# --- a pulley of radius[s] between stretch s and the next: A is where the first begins, B where the second ends


@inlined
def pulley(paths: Any, s: int, y: np.ndarray) -> Numbers:
    """What it adds to the length [m], and the slope of that by A and by B."""
    ax, ay, az = span(paths, s, y, 0)
    bx, by, bz = span(paths, s + 1, y, 0)
    return around(-ax, -ay, -az, bx, by, bz, paths.radius[s])


@inlined
def pulley_state(paths: Any, s: int, y: np.ndarray, n: int) -> tuple[float, float]:
    """What it adds to the length [m], and how fast that grows [m/s]."""
    extra, ax, ay, az, bx, by, bz = pulley(paths, s, y)
    vx, vy, vz = span(paths, s, y, n)
    wx, wy, wz = span(paths, s + 1, y, n)
    return extra, bx * wx + by * wy + bz * wz - ax * vx - ay * vy - az * vz


BEND = 19
"""Numbers that `fill_bend` leaves: e, v of A, of B, the normal m, and four scalars."""


@inlined
def fill_bend(paths: Any, s: int, y: np.ndarray, out: np.ndarray) -> None:
    """Directions of the second derivative of the whole length: with v at a right angle to the cable in its plane,

    AA: v v^T / s(a) + (s(a) - r cot(gamma)) / a^2 m m^T,   AB: r / (a b sin(gamma)) m m^T
    """
    r, a, b, cosine, sine = paths.radius[s], 0.0, 0.0, 0.0, 0.0
    i, c, j = paths.own[paths.first[s]], paths.own[paths.second[s]], paths.own[paths.second[s + 1]]
    for axis in range(3):
        out[axis], out[6 + axis] = y[i + axis] - y[c + axis], y[j + axis] - y[c + axis]
        a += out[axis] * out[axis]
        b += out[6 + axis] * out[6 + axis]
    a, b = math.sqrt(a), math.sqrt(b)
    for axis in range(3):
        out[axis] /= a
        out[6 + axis] /= b
        cosine += out[axis] * out[6 + axis]
    for axis in range(3):
        k, m = (axis + 1) % 3, (axis + 2) % 3
        out[12 + axis] = out[k] * out[6 + m] - out[m] * out[6 + k]
        sine += out[12 + axis] * out[12 + axis]
    sine = math.sqrt(sine)
    for axis in range(3):
        out[12 + axis] /= sine
        e, f = out[axis], out[6 + axis]
        out[3 + axis] = r / a * e + math.sqrt(1.0 - r * r / (a * a)) * (cosine * e - f) / sine
        out[9 + axis] = r / b * f + math.sqrt(1.0 - r * r / (b * b)) * (cosine * f - e) / sine
    out[15], out[16] = a, b
    out[17], out[18] = r * cosine / sine, r / (a * b * sine)


@inlined
def bend(values: np.ndarray, r: float, end: int, row: int, column: int) -> float:
    """An entry of AA (end 0), BB (end 1) or AB (end 2) of what a pulley adds to the second derivative of the length."""
    normal = values[12 + row] * values[12 + column]
    if end == 2:
        return values[18] * normal
    e, d = 6 * end, values[15 + end]
    straight = math.sqrt(d * d - r * r)
    unit = 1.0 if row == column else 0.0
    whole = values[e + 3 + row] * values[e + 3 + column] / straight + (straight - values[17]) / (d * d) * normal
    return whole - (unit - values[e + row] * values[e + column]) / d


@inlined
def press(paths: Any, s: int, y: np.ndarray, tension: float, out: np.ndarray) -> None:
    """Add what a pulley changes: at its centre, and at both nodes beside it."""
    _, ax, ay, az, bx, by, bz = pulley(paths, s, y)
    i, c, j = paths.own[paths.first[s]], paths.own[paths.second[s]], paths.own[paths.second[s + 1]]
    for axis, a, b in ((0, ax, bx), (1, ay, by), (2, az, bz)):
        out[i + axis] -= tension * a
        out[j + axis] -= tension * b
        out[c + axis] += tension * (a + b)


@inlined
def add_pulley_slopes(paths: Any, s: int, y: np.ndarray, n: int) -> None:
    """Add what a pulley changes of the slope of the length by its nodes, and of that of its rate."""
    i, c, j = paths.first[s], paths.second[s], paths.second[s + 1]
    _, ax, ay, az, bx, by, bz = pulley(paths, s, y)
    vx, vy, vz = span(paths, s, y, n)
    wx, wy, wz = span(paths, s + 1, y, n)
    fill_bend(paths, s, y, paths.bent)
    for row, a, b in ((0, ax, bx), (1, ay, by), (2, az, bz)):
        at_a, at_b = 0.0, 0.0
        for column, v, w in ((0, -vx, wx), (1, -vy, wy), (2, -vz, wz)):
            both = bend(paths.bent, paths.radius[s], 2, row, column)
            at_a += bend(paths.bent, paths.radius[s], 0, row, column) * v + both * w
            at_b += bend(paths.bent, paths.radius[s], 1, row, column) * w + both * v
        for node, slope, turn in ((i, a, at_a), (j, b, at_b), (c, -a - b, -at_a - at_b)):
            paths.slope[3 * node + row] += slope
            paths.turn[3 * node + row] += turn


@inlined
def add_pulley_bending(paths: Any, r: int, s: int, y: np.ndarray, tension: float, out: np.ndarray) -> None:
    """Add tension times what a pulley changes of the second derivative of the length; blocks have the other sign."""
    i, c, j = paths.first[s], paths.second[s], paths.second[s + 1]
    fill_bend(paths, s, y, paths.bent)
    for e in range(9):
        aa = tension * bend(paths.bent, paths.radius[s], 0, e // 3, e % 3)
        bb = tension * bend(paths.bent, paths.radius[s], 1, e // 3, e % 3)
        ab = tension * bend(paths.bent, paths.radius[s], 2, e // 3, e % 3)
        for one, other, resisted in ((i, j, -ab), (i, c, aa + ab), (j, c, bb + ab)):
            out[block_of(paths, r, one, other) + e] += resisted
            out[block_of(paths, r, other, one) + e] += resisted
