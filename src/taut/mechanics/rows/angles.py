"""Angles: two directions a and b keep the angle between them, about an axis e or by itself.

    residual = alpha(q) - angle,   alpha = atan2((a x b).e, a.b - (a.e)(b.e)),   e = (a x b) / |a x b| without an axis

It is an angle [rad], so that the multiplier is the torque [N m] that turns b from a, and G does not depend on time:
where the angle is driven, G v = rate and G a = acceleration - (dG/dt) v. With an axis it is regular at every angle;
without one it has no direction at 0 and pi. A direction is x_j - x_i, or (x_j - x_i) x (x_k - x_i) of a plate.

    d alpha/da = -(e x a) / |a'|^2,   d alpha/db = (e x b) / |b'|^2,   with a' = a - (a.e) e
    d alpha/de = (a.e)(e x a) / |a'|^2 - (b.e)(e x b) / |b'|^2
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from taut.mechanics.kinds import Given, Links, Rows
from taut.mechanics.tables import coordinate_count, part_of, slot
from taut.numerics.compiled import inlined, kernel
from taut.numerics.link_blocks import every_pair
from taut.numerics.packing import Integers, Pack, Reals, counter, reader
from taut.numerics.pointers import shifted
from taut.structure.angles import angle_value, directions_of

MOST = 27
"""Coordinates that an angle depends on: three directions, three nodes each."""


class Angles(NamedTuple):
    """The columns angle, rate and acceleration are what time may decide."""

    angle: Reals  # (a,) [rad]
    rate: Reals  # (a,) [rad/s]
    acceleration: Reals  # (a,) [rad/s^2]
    nodes: Integers  # (3 a,) how many say each direction: two, three of a plate, none for an axis that is not given
    local: Integers  # (9 a,) which of its own nodes they are
    own: Integers  # first coordinates of the nodes of every angle, each once
    start: Integers  # (a + 1,) where those of each begin
    room: Reals  # work space: positions, speeds, gradient and its change over own nodes; directions and the same


angles_in = reader(Angles, slot("angles"))
angle_count = counter(part_of("angles", Angles, "angle"))


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
def _gather(angles: Angles, k: int, x: np.ndarray, shift: int, out: np.ndarray) -> int:
    """The part of x that belongs to the angle's own nodes; returns how many coordinates."""
    begin, count = angles.start[k], angles.start[k + 1] - angles.start[k]
    for a in range(count):
        for axis in range(3):
            out[3 * a + axis] = x[shift + angles.own[begin + a] + axis]
    return 3 * count


@kernel
def _follow(p: Pack, k: int) -> None:
    """Directions and their rates, from positions and speeds of own nodes; with it both ways P and Q of a plate."""
    angles = angles_in(p)
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
def _off(p: Pack, k: int) -> float:
    """The residual, after `_follow`."""
    angles = angles_in(p)
    a = shifted(angles.room, 4 * MOST)
    b, e = shifted(a, 3), shifted(a, 6)
    size = math.sqrt(_dot(e, e))
    turned = ((a[1] * b[2] - a[2] * b[1]) * e[0] + (a[2] * b[0] - a[0] * b[2]) * e[1]) / size
    turned += (a[0] * b[1] - a[1] * b[0]) * e[2] / size
    along = _dot(a, b) - _dot(a, e) * _dot(b, e) / (size * size)
    sine, cosine = math.sin(angles.angle[k]), math.cos(angles.angle[k])
    return math.atan2(turned * cosine - along * sine, along * cosine + turned * sine)


@kernel
def _slopes(p: Pack, k: int) -> None:
    """The gradient of alpha over own nodes and how it changes at their speeds, after `_follow`."""
    angles = angles_in(p)
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


@inlined
def residuals(p: Pack, y: np.ndarray, residual: np.ndarray, rate: np.ndarray) -> int:
    angles, n = angles_in(p), coordinate_count(p)
    v, gradient = shifted(angles.room, MOST), shifted(angles.room, 2 * MOST)
    for k in range(angle_count(p)):
        size = _gather(angles, k, y, 0, angles.room)
        _gather(angles, k, y, n, v)
        _follow(p, k)
        residual[k] = _off(p, k)
        _slopes(p, k)
        speed = -angles.rate[k]
        for i in range(size):
            speed += gradient[i] * v[i]
        rate[k] = speed
    return angle_count(p)


@inlined
def values(p: Pack, y: np.ndarray, value: np.ndarray) -> int:
    angles, filled = angles_in(p), 0
    v, gradient = shifted(angles.room, MOST), shifted(angles.room, 2 * MOST)
    for k in range(angle_count(p)):
        size = _gather(angles, k, y, 0, angles.room)
        for i in range(size):
            v[i] = 0.0
        _follow(p, k)
        _slopes(p, k)
        for i in range(size):
            value[filled + i] = gradient[i]
        filled += size
    return filled


@inlined
def jacobian_rate(p: Pack, y: np.ndarray, direction: np.ndarray, out: np.ndarray) -> int:
    angles, n = angles_in(p), coordinate_count(p)
    v, change = shifted(angles.room, MOST), shifted(angles.room, 3 * MOST)
    for k in range(angle_count(p)):
        size, begin, total = _gather(angles, k, y, 0, angles.room), angles.start[k], 0.0
        _gather(angles, k, y, n, v)
        _follow(p, k)
        _slopes(p, k)
        for i in range(size):
            total += change[i] * direction[angles.own[begin + i // 3] + i % 3]
        out[k] = total
    return angle_count(p)


@inlined
def bias(p: Pack, t: float, y: np.ndarray, out: np.ndarray) -> int:
    angles = angles_in(p)
    jacobian_rate(p, y, shifted(y, coordinate_count(p)), out)
    for k in range(angle_count(p)):
        out[k] = angles.acceleration[k] - out[k]
    return angle_count(p)


@inlined
def stiffness(
    p: Pack, y: np.ndarray, multiplier: np.ndarray, k: float, pushing: float, brace: np.ndarray, out: np.ndarray
) -> tuple[int, int]:
    """One-way links between all nodes of an angle, a column of its second derivative at a time."""
    angles, filled = angles_in(p), 0
    v, gradient, change = (
        shifted(angles.room, MOST),
        shifted(angles.room, 2 * MOST),
        shifted(angles.room, 3 * MOST),
    )
    for m in range(angle_count(p)):
        size = _gather(angles, m, y, 0, angles.room)
        count, largest, steepest = size // 3, 0.0, 0.0
        for column in range(size):
            for i in range(size):
                v[i] = 0.0
            v[column] = 1.0
            _follow(p, m)
            _slopes(p, m)
            b, c = column // 3, column % 3
            for row in range(size):
                a, r = row // 3, row % 3
                largest = max(largest, abs(change[row]))
                steepest = max(steepest, abs(gradient[row]))
                if a != b:
                    at = filled + 9 * (a * (count - 1) + b - (1 if b > a else 0))
                    out[at + 3 * r + c] = k * multiplier[m] * pushing * change[row]
        if brace[m] > 0.0:  # rows of an angle are in 1/m
            brace[m] = (brace[m] + size * abs(k * multiplier[m]) * largest) / (steepest * steepest)
            for a in range(count):
                for b in range(count):
                    if a != b:
                        at = filled + 9 * (a * (count - 1) + b - (1 if b > a else 0))
                        for e in range(9):
                            out[at + e] -= brace[m] * gradient[3 * a + e // 3] * gradient[3 * b + e % 3]
        filled += 9 * count * (count - 1)
    return angle_count(p), filled


# --- the table


def tabulate(given: Given) -> Angles:
    values, nodes, local, own, start = [], list[int](), list[int](), list[int](), [0]
    for angle in given.structure.angles.values():
        values.append(angle_value(given.structure, angle) if angle.value is None else angle.value)
        directions = directions_of(given.structure, angle)
        mine = list(dict.fromkeys(node for direction in directions for node in direction))
        for m in range(3):
            named = directions[m] if m < len(directions) else ()
            nodes.append(len(named))
            local += [*(mine.index(node) for node in named), *(0,) * (3 - len(named))]
        own += [given.coordinate[node] for node in mine]
        start.append(len(own))
    return Angles(
        np.array(values, dtype=float),
        np.zeros(len(values)),
        np.zeros(len(values)),
        np.array(nodes, dtype=np.int64),
        np.array(local, dtype=np.int64),
        np.array(own, dtype=np.int64),
        np.array(start, dtype=np.int64),
        np.zeros(4 * MOST + 84),
    )


def pattern(angles: Angles) -> tuple[np.ndarray, np.ndarray]:
    return 3 * np.diff(angles.start), (angles.own[:, None] + np.arange(3)).ravel()


def sizes(angles: Angles, typical: float) -> np.ndarray:
    return np.ones(angles.angle.size)  # a radian


def labels(given: Given) -> tuple[str, ...]:
    return tuple(f'angle "{name}"' for name in given.structure.angles)


def links(angles: Angles) -> Links:
    """From every node of an angle to every other."""
    return every_pair(angles.start, angles.own)


ANGLES = Rows(
    *("angles", Angles, tabulate, pattern, sizes, labels, residuals, values, bias, jacobian_rate, stiffness, links),
    one_way=True,
    internal=True,
    driven=True,
)
