"""Two straight segments whose ends move along cubics: how far they are apart, and when they pass through one another.

Ends are given at two instants with their velocities and move along the cubic between them (Hermite's), t from 0 to 1.
Two segments a-b and c-d of no thickness pass through one another where the volume (b - a) x (d - c) . (c - a) changes
its sign while the common point is inside both; two of some thickness touch where their distance falls below it.
"""

from __future__ import annotations

import math

import numpy as np

from taut.numerics.compiled import inlined, kernel

PARTS = 8
"""Pieces of an interval in each of which the sign of a volume is looked at."""

PARABOLAS = 5
"""Steps to where a volume that keeps its sign over a piece may yet have the other one in between."""

LEAST_ADVANCE, LEAST_SHARE = 1.0 / 1024.0, 1e-3
"""Of an interval, and of the distance at which they touch: how far at least a search for a touch goes on, so that a
near miss does not hold it up."""

HALVINGS = 60
"""Of a bracket around an instant: to round-off."""

FLAT = 1e-9
"""Of a length: segments nearer than this to one plane, before and after, lie in it and pass through nothing."""


@kernel
def place_ends(p: np.ndarray, v: np.ndarray, k: int, h: float, t: float, nodes: np.ndarray, ends: np.ndarray) -> None:
    """Where four nodes are, t of the interval after sample k, of positions and velocities (T, n, 3)."""
    u = 1.0 - t
    a, b, c, d = u * u * (1.0 + 2.0 * t), u * u * t * h, t * t * (3.0 - 2.0 * t), -t * t * u * h
    for e in range(4):
        n = nodes[e]
        for i in range(3):
            ends[e, i] = a * p[k, n, i] + b * v[k, n, i] + c * p[k + 1, n, i] + d * v[k + 1, n, i]


@inlined
def dot(x: float, y: float, z: float, u: float, v: float, w: float) -> float:
    return x * u + y * v + z * w


@kernel
def volume(e: np.ndarray) -> float:
    """(b - a) x (d - c) . (c - a) of four ends (4, 3)."""
    ux, uy, uz = e[1, 0] - e[0, 0], e[1, 1] - e[0, 1], e[1, 2] - e[0, 2]
    wx, wy, wz = e[3, 0] - e[2, 0], e[3, 1] - e[2, 1], e[3, 2] - e[2, 2]
    rx, ry, rz = e[2, 0] - e[0, 0], e[2, 1] - e[0, 1], e[2, 2] - e[0, 2]
    return (uy * wz - uz * wy) * rx + (uz * wx - ux * wz) * ry + (ux * wy - uy * wx) * rz


@kernel
def closest(e: np.ndarray, part: np.ndarray, at: np.ndarray) -> float:
    """The distance of two segments, ends (4, 3); at: where. part: (4,) where of each the part begins and ends that
    counts, as shares of its length.

    After Ericson, Real-Time Collision Detection, section 5.1.9, with other bounds than his 0 and 1.
    """
    low, high, least, most = part[0], part[1], part[2], part[3]
    ux, uy, uz = e[1, 0] - e[0, 0], e[1, 1] - e[0, 1], e[1, 2] - e[0, 2]
    wx, wy, wz = e[3, 0] - e[2, 0], e[3, 1] - e[2, 1], e[3, 2] - e[2, 2]
    rx, ry, rz = e[0, 0] - e[2, 0], e[0, 1] - e[2, 1], e[0, 2] - e[2, 2]
    uu, ww, uw = dot(ux, uy, uz, ux, uy, uz), dot(wx, wy, wz, wx, wy, wz), dot(ux, uy, uz, wx, wy, wz)
    ur, wr = dot(ux, uy, uz, rx, ry, rz), dot(wx, wy, wz, rx, ry, rz)
    across = uu * ww - uw * uw
    s = low
    if across > 1e-14 * uu * ww:
        s = min(max((uw * wr - ur * ww) / across, low), high)
    q = (uw * s + wr) / ww if ww > 0.0 else least
    if q < least or q > most:
        q = min(max(q, least), most)
        s = min(max((uw * q - ur) / uu, low), high) if uu > 0.0 else low
    at[0], at[1] = s, q
    x, y, z = rx + s * ux - q * wx, ry + s * uy - q * wy, rz + s * uz - q * wz
    return math.sqrt(dot(x, y, z, x, y, z))


@kernel
def _inside(e: np.ndarray) -> bool:
    """Whether the lines of two segments that lie in one plane meet inside both."""
    ux, uy, uz = e[1, 0] - e[0, 0], e[1, 1] - e[0, 1], e[1, 2] - e[0, 2]
    wx, wy, wz = e[3, 0] - e[2, 0], e[3, 1] - e[2, 1], e[3, 2] - e[2, 2]
    rx, ry, rz = e[0, 0] - e[2, 0], e[0, 1] - e[2, 1], e[0, 2] - e[2, 2]
    uu, ww, uw = dot(ux, uy, uz, ux, uy, uz), dot(wx, wy, wz, wx, wy, wz), dot(ux, uy, uz, wx, wy, wz)
    ur, wr = dot(ux, uy, uz, rx, ry, rz), dot(wx, wy, wz, rx, ry, rz)
    across = uu * ww - uw * uw
    if not across > 1e-14 * uu * ww:
        return False
    s, q = (uw * wr - ur * ww) / across, (uu * wr - uw * ur) / across
    return 0.0 <= s <= 1.0 and 0.0 <= q <= 1.0


@kernel
def _size(e: np.ndarray) -> float:
    """What a volume is compared with: of segments that long, as far from one plane as they are long."""
    u, w = 0.0, 0.0
    for i in range(3):
        u += (e[1, i] - e[0, i]) ** 2
        w += (e[3, i] - e[2, i]) ** 2
    return math.sqrt(u * w) * (math.sqrt(u) + math.sqrt(w))


@kernel
def _other_side(
    p: np.ndarray,
    v: np.ndarray,
    k: int,
    h: float,
    nodes: np.ndarray,
    early: float,
    late: float,
    first: float,
    last: float,
    ends: np.ndarray,
) -> float:
    """When between two instants a volume that has one sign at both has the other; -1 where it has not.

    Its size is least at the vertex of a parabola, which is looked for with three instants, the middle one the least.
    """
    side = -1.0 if first < 0.0 else 1.0
    a, b, middle, fa, fb = early, late, 0.5 * (early + late), side * first, side * last
    place_ends(p, v, k, h, middle, nodes, ends)
    fm = side * volume(ends)
    for _ in range(PARABOLAS):
        if fm < 0.0:
            return middle
        up, down = (fb - fm) / (b - middle), (fm - fa) / (middle - a)
        bend = (up - down) / (b - a)
        if not bend > 0.0:
            return -1.0
        vertex = 0.5 * (a + middle) - 0.5 * down / bend
        if not a < vertex < b or vertex == middle:
            return -1.0
        place_ends(p, v, k, h, vertex, nodes, ends)
        fv = side * volume(ends)
        if fv < fm:
            if vertex < middle:
                b, fb = middle, fm
            else:
                a, fa = middle, fm
            middle, fm = vertex, fv
        elif vertex < middle:
            a, fa = vertex, fv
        else:
            b, fb = vertex, fv
    return middle if fm < 0.0 else -1.0


@kernel
def through(p: np.ndarray, v: np.ndarray, k: int, h: float, nodes: np.ndarray, begin: float, work: np.ndarray) -> float:
    """When in the interval after sample k, and after `begin`, two segments pass through one another; -1 for never.

    nodes: (4,) their ends. work: (3, 4, 3).
    """
    here, there, mixed = work[0], work[1], work[2]
    place_ends(p, v, k, h, begin, nodes, here)
    first = volume(here)
    width = (1.0 - begin) / PARTS
    for part in range(PARTS):
        early, late = begin + part * width, begin + (part + 1) * width
        place_ends(p, v, k, h, late, nodes, there)
        last = volume(there)
        if max(abs(first), abs(last)) > FLAT * _size(here):
            if (first < 0.0) != (last < 0.0):
                found = _vanishes(p, v, k, h, nodes, early, late, first < 0.0, mixed)
                if _inside(mixed):
                    return found
            else:
                middle = _other_side(p, v, k, h, nodes, early, late, first, last, mixed)
                if middle >= 0.0:  # there and back again
                    found = _vanishes(p, v, k, h, nodes, early, middle, first < 0.0, mixed)
                    if _inside(mixed):
                        return found
                    found = _vanishes(p, v, k, h, nodes, middle, late, last >= 0.0, mixed)
                    if _inside(mixed):
                        return found
        first = last
        for e in range(4):
            for i in range(3):
                here[e, i] = there[e, i]
    return -1.0


@kernel
def _vanishes(
    p: np.ndarray,
    v: np.ndarray,
    k: int,
    h: float,
    nodes: np.ndarray,
    early: float,
    late: float,
    negative: bool,
    ends: np.ndarray,
) -> float:
    """When a volume that is negative before and not after, or the other way, is zero; the ends are left as then."""
    for _ in range(HALVINGS):
        middle = 0.5 * (early + late)
        place_ends(p, v, k, h, middle, nodes, ends)
        if (volume(ends) < 0.0) == negative:
            early = middle
        else:
            late = middle
    return late


@kernel
def touch(
    p: np.ndarray,
    v: np.ndarray,
    k: int,
    h: float,
    nodes: np.ndarray,
    speed: float,
    apart: float,
    part: np.ndarray,
    ends: np.ndarray,
    at: np.ndarray,
) -> float:
    """When in the interval after sample k segments that are further apart come as near as `apart`; -1 for never.
    speed: by how much their distance changes at most over an interval, at the fastest. ends: (4, 3) to work in.

    It goes on by as much as cannot bring them together (conservative advancement), but for LEAST_ADVANCE.
    """
    early, speed = 0.0, max(speed, 1e-300)
    least = max(LEAST_ADVANCE, LEAST_SHARE * apart / speed)
    place_ends(p, v, k, h, early, nodes, ends)
    gap = closest(ends, part, at) - apart
    while early < 1.0:
        late = min(1.0, early + max(gap / speed, least))
        place_ends(p, v, k, h, late, nodes, ends)
        gap = closest(ends, part, at) - apart
        if gap <= 0.0:
            for _ in range(HALVINGS):
                middle = 0.5 * (early + late)
                place_ends(p, v, k, h, middle, nodes, ends)
                if closest(ends, part, at) > apart:
                    early = middle
                else:
                    late = middle
            return late
        early = late
    return -1.0
