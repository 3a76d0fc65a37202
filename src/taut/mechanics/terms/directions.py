"""The angle between two directions a and b, about an axis e or by itself: its value, its gradient, how that changes.

    alpha = atan2((a x b).e, a.b - (a.e)(b.e)),   e = (a x b) / |a x b| without an axis

With an axis it is regular at every angle; without one it has no direction at 0 and pi. A direction is x_j - x_i, or
(x_j - x_i) x (x_k - x_i) of a plate.

    d alpha/da = -(e x a) / |a'|^2,   d alpha/db = (e x b) / |b'|^2,   with a' = a - (a.e) e
    d alpha/de = (a.e)(e x a) / |a'|^2 - (b.e)(e x b) / |b'|^2

Tables of angles end with the columns of `Directions`; kernels are handed such a table.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Any, NamedTuple

import numpy as np

from taut.mechanics.kinds import Given
from taut.numerics.compiled import inlined, kernel
from taut.numerics.pointers import shifted
from taut.structure.angles import Angle, directions_of

MOST = 27
"""Coordinates that an angle depends on: three directions, three nodes each."""

SPEEDS, GRADIENT, CHANGE = MOST, 2 * MOST, 3 * MOST
"""Where they begin in the work space, over own nodes; positions stand first."""


class Directions(NamedTuple):
    """a angles of u own nodes in all."""

    nodes: np.ndarray  # (3 a,) how many say each direction: two, three of a plate, none for an axis that is not given
    local: np.ndarray  # (9 a,) which of its own nodes they are
    own: np.ndarray  # (u,) first coordinates of the nodes of every angle, each once
    start: np.ndarray  # (a + 1,) where those of each begin
    room: np.ndarray  # work space: positions, speeds, gradient and its change over own nodes; directions and the same


def directions_between(given: Given, angles: Iterable[Angle]) -> Directions:
    nodes, local, own, start = list[int](), list[int](), list[int](), [0]
    for angle in angles:
        directions = directions_of(given.structure, angle)
        mine = list(dict.fromkeys(node for direction in directions for node in direction))
        for m in range(3):
            named = directions[m] if m < len(directions) else ()
            nodes.append(len(named))
            local += [*(mine.index(node) for node in named), *(0,) * (3 - len(named))]
        own += [given.coordinate[node] for node in mine]
        start.append(len(own))
    whole = [np.array(numbers, dtype=np.int64) for numbers in (nodes, local, own, start)]
    return Directions(whole[0], whole[1], whole[2], whole[3], np.zeros(4 * MOST + 84))


@inlined
def _cross(a: np.ndarray, b: np.ndarray, factor: float, out: np.ndarray) -> None:
    """out += factor a x b."""
    out[0] += factor * (a[1] * b[2] - a[2] * b[1])
    out[1] += factor * (a[2] * b[0] - a[0] * b[2])
    out[2] += factor * (a[0] * b[1] - a[1] * b[0])


@inlined
def _dot(a: np.ndarray, b: np.ndarray) -> float:
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]


@inlined
def gather(angles: Any, k: int, x: np.ndarray, shift: int, out: np.ndarray) -> int:
    """The part of x that belongs to an angle's own nodes; returns how many coordinates."""
    begin, count = angles.start[k], angles.start[k + 1] - angles.start[k]
    for a in range(count):
        for axis in range(3):
            out[3 * a + axis] = x[shift + angles.own[begin + a] + axis]
    return 3 * count


@kernel
def follow(angles: Any, k: int) -> None:
    """Directions and their rates, from positions and speeds of own nodes; with it both ways P and Q of a plate."""
    x, v, d, dd = (
        angles.room,
        shifted(angles.room, MOST),
        shifted(angles.room, 4 * MOST),
        shifted(angles.room, 4 * MOST + 9),
    )
    ways, speeds = shifted(angles.room, 4 * MOST + 36), shifted(angles.room, 4 * MOST + 54)
    for e in range(18):
        d[e] = 0.0
        ways[e] = 0.0
        speeds[e] = 0.0
    for m in range(3):
        count, at = angles.nodes[3 * k + m], shifted(angles.local, 9 * k + 3 * m)
        own, rate = shifted(d, 3 * m), shifted(dd, 3 * m)
        for w in range(count - 1):
            for axis in range(3):
                ways[6 * m + 3 * w + axis] = x[3 * at[w + 1] + axis] - x[3 * at[0] + axis]
                speeds[6 * m + 3 * w + axis] = v[3 * at[w + 1] + axis] - v[3 * at[0] + axis]
        one, other = shifted(ways, 6 * m), shifted(ways, 6 * m + 3)
        one_rate, other_rate = shifted(speeds, 6 * m), shifted(speeds, 6 * m + 3)
        if count == 2:
            for axis in range(3):
                own[axis] = one[axis]
                rate[axis] = one_rate[axis]
        elif count == 3:
            _cross(one, other, 1.0, own)
            _cross(one_rate, other, 1.0, rate)
            _cross(one, other_rate, 1.0, rate)
        else:
            _cross(d, shifted(d, 3), 1.0, own)
            _cross(dd, shifted(d, 3), 1.0, rate)
            _cross(d, shifted(dd, 3), 1.0, rate)


@kernel
def turned_from(angles: Any, k: int, value: float) -> float:
    """The angle less a value, between -pi and pi [rad], after `follow`."""
    a = shifted(angles.room, 4 * MOST)
    b, e = shifted(a, 3), shifted(a, 6)
    size = math.sqrt(_dot(e, e))
    turned = ((a[1] * b[2] - a[2] * b[1]) * e[0] + (a[2] * b[0] - a[0] * b[2]) * e[1]) / size
    turned += (a[0] * b[1] - a[1] * b[0]) * e[2] / size
    along = _dot(a, b) - _dot(a, e) * _dot(b, e) / (size * size)
    sine, cosine = math.sin(value), math.cos(value)
    return math.atan2(turned * cosine - along * sine, along * cosine + turned * sine)


@kernel
def fill_slopes(angles: Any, k: int) -> None:
    """The gradient of alpha over own nodes and how it changes at their speeds, after `follow`."""
    d = shifted(angles.room, 4 * MOST)
    dd, g, dg = shifted(d, 9), shifted(d, 18), shifted(d, 27)
    ways, speeds = shifted(d, 36), shifted(d, 54)
    work = shifted(d, 72)
    e, de, c, dc = work, shifted(work, 3), shifted(work, 6), shifted(work, 9)
    axis, axis_rate = shifted(d, 6), shifted(dd, 6)
    given = 1.0 if angles.nodes[3 * k + 2] > 0 else 0.0
    size = math.sqrt(_dot(axis, axis))
    for i in range(3):
        e[i] = axis[i] / size
    size_rate = _dot(e, axis_rate)
    for i in range(3):
        de[i] = (axis_rate[i] - e[i] * size_rate) / size
    for i in range(18):
        g[i] = 0.0
    for m in range(2):
        sign, a, da = 2.0 * m - 1.0, shifted(d, 3 * m), shifted(dd, 3 * m)
        along, along_rate = _dot(a, e), _dot(da, e) + _dot(a, de)
        square, square_rate = _dot(a, a) - along * along, 2.0 * (_dot(a, da) - along * along_rate)
        for i in range(6):
            c[i] = 0.0
        _cross(e, a, 1.0, c)
        _cross(de, a, 1.0, dc)
        _cross(e, da, 1.0, dc)
        for i in range(3):
            own = sign * c[i] / square
            change = (sign * dc[i] - own * square_rate) / square
            g[3 * m + i] = own
            dg[3 * m + i] = change
            g[6 + i] -= given * along * own / size
            dg[6 + i] -= given * (along_rate * own + along * change - along * own * size_rate / size) / size
    out, change = shifted(angles.room, 2 * MOST), shifted(angles.room, 3 * MOST)
    for i in range(MOST):
        out[i] = 0.0
        change[i] = 0.0
    for m in range(3):
        at, count = shifted(angles.local, 9 * k + 3 * m), angles.nodes[3 * k + m]
        own, own_rate = shifted(g, 3 * m), shifted(dg, 3 * m)
        for w in range(count - 1):
            for i in range(6):
                c[i] = 0.0
            if count == 2:
                for i in range(3):
                    c[i] = own[i]
                    dc[i] = own_rate[i]
            else:  # (dP x Q).g = dP.(Q x g), (P x dQ).g = dQ.(g x P)
                turn = 1.0 - 2.0 * w
                other, other_rate = shifted(ways, 6 * m + 3 - 3 * w), shifted(speeds, 6 * m + 3 - 3 * w)
                _cross(other, own, turn, c)
                _cross(other_rate, own, turn, dc)
                _cross(other, own_rate, turn, dc)
            for i in range(3):
                out[3 * at[w + 1] + i] += c[i]
                out[3 * at[0] + i] -= c[i]
                change[3 * at[w + 1] + i] += dc[i]
                change[3 * at[0] + i] -= dc[i]


@kernel
def stand(angles: Any, k: int, y: np.ndarray, n: int) -> tuple[int, float]:
    """Fill all of an angle at a state; returns how many coordinates it depends on, and its rate [rad/s]."""
    size = gather(angles, k, y, 0, angles.room)
    v, gradient, rate = shifted(angles.room, SPEEDS), shifted(angles.room, GRADIENT), 0.0
    gather(angles, k, y, n, v)
    follow(angles, k)
    fill_slopes(angles, k)
    for i in range(size):
        rate += gradient[i] * v[i]
    return size, rate


@kernel
def bend(angles: Any, k: int, size: int, column: int) -> None:
    """Fill, as the change of the gradient, a column of the second derivative at positions that are there already."""
    v = shifted(angles.room, SPEEDS)
    for i in range(size):
        v[i] = 0.0
    v[column] = 1.0
    follow(angles, k)
    fill_slopes(angles, k)
