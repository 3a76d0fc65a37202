"""Angles: two directions keep the angle between them, about an axis or by itself (`terms/directions.py`).

    residual = alpha(q) - angle

It is an angle [rad], so that the multiplier is the torque [N m] that turns the second direction from the first, and G
does not depend on time: where the angle is driven, G v = rate and G a = acceleration - (dG/dt) v. Angles that are not
held are a term (`terms/torques.py`).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from taut.mechanics.kinds import Given, Links, Rows
from taut.mechanics.tables import coordinate_count, part_of, slot
from taut.mechanics.terms.directions import (
    CHANGE,
    GRADIENT,
    SPEEDS,
    bend,
    directions_between,
    fill_slopes,
    follow,
    gather,
    stand,
    turned_from,
)
from taut.numerics.compiled import inlined
from taut.numerics.link_blocks import every_pair
from taut.numerics.packing import Integers, Pack, Reals, counter, reader
from taut.numerics.pointers import shifted
from taut.structure.angles import rest_value


class Angles(NamedTuple):
    """Columns of its own, then those of `Directions`. Angle, rate and acceleration are what time may decide."""

    angle: Reals  # (a,) [rad]
    rate: Reals  # (a,) [rad/s]
    acceleration: Reals  # (a,) [rad/s^2]
    nodes: Integers
    local: Integers
    own: Integers
    start: Integers
    room: Reals


angles_in = reader(Angles, slot("angles"))
angle_count = counter(part_of("angles", Angles, "angle"))


@inlined
def residuals(p: Pack, y: np.ndarray, residual: np.ndarray, rate: np.ndarray) -> int:
    angles, n = angles_in(p), coordinate_count(p)
    for k in range(angle_count(p)):
        _, rate[k] = stand(angles, k, y, n)
        rate[k] -= angles.rate[k]
        residual[k] = turned_from(angles, k, angles.angle[k])
    return angle_count(p)


@inlined
def values(p: Pack, y: np.ndarray, value: np.ndarray) -> int:
    angles, filled = angles_in(p), 0
    v, gradient = shifted(angles.room, SPEEDS), shifted(angles.room, GRADIENT)
    for k in range(angle_count(p)):
        size = gather(angles, k, y, 0, angles.room)
        for i in range(size):
            v[i] = 0.0
        follow(angles, k)
        fill_slopes(angles, k)
        for i in range(size):
            value[filled + i] = gradient[i]
        filled += size
    return filled


@inlined
def jacobian_rate(p: Pack, y: np.ndarray, direction: np.ndarray, out: np.ndarray) -> int:
    angles, n = angles_in(p), coordinate_count(p)
    change = shifted(angles.room, CHANGE)
    for k in range(angle_count(p)):
        begin, total = angles.start[k], 0.0
        size, _ = stand(angles, k, y, n)
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
    gradient, change = shifted(angles.room, GRADIENT), shifted(angles.room, CHANGE)
    for m in range(angle_count(p)):
        size = gather(angles, m, y, 0, angles.room)
        count, largest, steepest = size // 3, 0.0, 0.0
        for column in range(size):
            bend(angles, m, size, column)
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
    held = given.held_angles
    values = [rest_value(given.structure, angle) for angle in held]
    still = np.zeros(len(held))
    return Angles(np.array(values, dtype=float), still, still.copy(), *directions_between(given, held))


def pattern(angles: Angles) -> tuple[np.ndarray, np.ndarray]:
    return 3 * np.diff(angles.start), (angles.own[:, None] + np.arange(3)).ravel()


def sizes(angles: Angles, typical: float) -> np.ndarray:
    return np.ones(angles.angle.size)  # a radian


def labels(given: Given) -> tuple[str, ...]:
    return tuple(f'angle "{angle.name}"' for angle in given.held_angles)


def links(angles: Angles) -> Links:
    """From every node of an angle to every other."""
    return every_pair(angles.start, angles.own)


ANGLES = Rows(
    *("angles", Angles, tabulate, pattern, sizes, labels, residuals, values, bias, jacobian_rate, stiffness, links),
    one_way=True,
    internal=True,
    driven=True,
)
