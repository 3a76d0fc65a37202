"""The face of a convex hull that is met on the way straight down from a point inside, without the rest of the hull.

From any triangle of points around the way down, the point deepest below its plane takes the place of one of the three,
so that the way still goes through: where it meets the plane it comes down with every exchange, until no point is below.
"""

from __future__ import annotations

import math

import numpy as np

from taut.numerics.compiled import entry, inlined, kernel
from taut.numerics.pointers import row_of, start_of

ROUND_OFF = 1e-12
"""Of the largest coordinate: what is no deeper lies in the plane."""

EXCHANGES = 20
"""A point, at most; none is taken twice but where many lie in one plane."""


@inlined
def _turn(p: np.ndarray, a: int, b: int) -> float:
    """Twice the area of the triangle of the way down and two points, seen from above; positive counter-clockwise."""
    return p[3 * a] * p[3 * b + 1] - p[3 * a + 1] * p[3 * b]


@inlined
def _around(p: np.ndarray, count: int) -> tuple[int, int, int]:
    """Three points with the way down between them, counter-clockwise: the first, and those furthest round from it on
    either side; -1 where there are none."""
    left, right, least_left, least_right = -1, -1, 2.0, 2.0
    for m in range(1, count):
        turn, size = _turn(p, 0, m), math.hypot(p[3 * m], p[3 * m + 1])
        along = (p[0] * p[3 * m] + p[1] * p[3 * m + 1]) / max(size, 1e-300)
        if turn > 0.0 and (left < 0 or along < least_left):
            left, least_left = m, along
        if turn < 0.0 and (right < 0 or along < least_right):
            right, least_right = m, along
    return (0, left, right) if left >= 0 and right >= 0 and _turn(p, left, right) >= 0.0 else (-1, -1, -1)


@kernel
def _lowest(p: np.ndarray, count: int, small: float) -> tuple[float, float, float, float]:
    """The plane of the face below, as a unit normal that points down and how far below the plane is; zeros where the
    points lie in a plane through the way down."""
    a, b, c = _around(p, count)
    if a < 0:
        return 0.0, 0.0, 0.0, 0.0
    for _ in range(EXCHANGES * count):
        ux, uy, uz = p[3 * b] - p[3 * a], p[3 * b + 1] - p[3 * a + 1], p[3 * b + 2] - p[3 * a + 2]
        vx, vy, vz = p[3 * c] - p[3 * a], p[3 * c + 1] - p[3 * a + 1], p[3 * c + 2] - p[3 * a + 2]
        nx, ny, nz = uz * vy - uy * vz, ux * vz - uz * vx, uy * vx - ux * vy
        size = math.sqrt(nx * nx + ny * ny + nz * nz)
        if not size > 0.0:
            break
        nx, ny, nz = nx / size, ny / size, nz / size
        away = nx * p[3 * a] + ny * p[3 * a + 1] + nz * p[3 * a + 2]
        deepest, deep = -1, small
        for m in range(count):
            depth = nx * p[3 * m] + ny * p[3 * m + 1] + nz * p[3 * m + 2] - away
            if depth > deep:
                deepest, deep = m, depth
        if deepest < 0:
            return nx, ny, nz, away
        ab = min(_turn(p, b, deepest), _turn(p, deepest, a))
        bc = min(_turn(p, c, deepest), _turn(p, deepest, b))
        ca = min(_turn(p, a, deepest), _turn(p, deepest, c))
        if ab >= bc and ab >= ca:
            c = deepest
        elif bc >= ca:
            a = deepest
        else:
            b = deepest
    return 0.0, 0.0, 0.0, 0.0


@kernel
def mark_face_below(p: np.ndarray, count: int, even: float, out: np.ndarray) -> None:
    """The same for one set of points and numbers of zeros and ones, all lent by pointer."""
    reach = 0.0
    for k in range(3 * count):
        reach = max(reach, abs(p[k]))
    nx, ny, nz, away = _lowest(p, count, ROUND_OFF * reach)
    flat = 1
    for m in range(count):
        depth = nx * p[3 * m] + ny * p[3 * m + 1] + nz * p[3 * m + 2] - away
        out[m] = 1 if abs(depth) < even else 0
        flat = flat if out[m] == 1 else 0
    if flat == 1:
        for m in range(count):
            out[m] = 0


@entry
def fill_faces_below(points: np.ndarray, even: float, out: np.ndarray) -> None:
    """Mark the points of the face below the origin; none where all lie in one plane.

    points: (T, 3 n) of x, y and height, the way down along the last. even: how near a plane belongs to it.
    out: (T, n) of zeros and ones.
    """
    for row in range(points.shape[0]):
        mark_face_below(start_of(row_of(points, row)), points.shape[1] // 3, even, start_of(row_of(out, row)))
