"""How far a point is from a surface, or a bar from an edge, and along which normal."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from taut.numerics.compiled import inlined, kernel
from taut.numerics.pointers import shifted
from taut.structure.grounds import Box, Ground, Plane, Terrain

PLANE, BOX, TERRAIN, EDGE, STRING = range(5)
"""Kinds of surfaces; an edge of a box is one for the bars that lie across it, a cable held at a length one
for its nodes."""

LEVEL = 9
"""Of a plane: behind its normal and two directions along it stands how far along the normal it is [m]."""

FAR = 1e300
"""[m], of a bar that does not lie across an edge."""


class Surface(NamedTuple):
    """A surface as numbers."""

    kind: int
    data: np.ndarray


def surface_of(shape: Plane | Box | Terrain, radius: float = 0.0) -> Surface:
    """radius: of what touches it [m], by which a terrain is lifted, so that what touches that is a point."""
    if isinstance(shape, Plane):
        normal = np.array(shape.normal) / np.linalg.norm(shape.normal)
        along = np.eye(3)[0 if abs(normal[0]) < 0.6 else 1]
        along = along - (along @ normal) * normal
        along /= np.linalg.norm(along)
        return Surface(PLANE, np.array([*normal, *along, *np.cross(normal, along), float(normal @ shape.point)]))
    if isinstance(shape, Box):
        return Surface(BOX, np.array([*shape.centre, *(0.5 * np.array(shape.size)), *shape.axes.ravel()]))
    heights = lifted(np.array(shape.heights, dtype=float), shape.spacing, radius)
    return Surface(TERRAIN, np.array([*shape.corner, *shape.spacing, *heights.shape, *heights.ravel()]))


def lifted(heights: np.ndarray, spacing: tuple[float, float], radius: float) -> np.ndarray:
    """Where the middle of a ball of this radius is that rolls over heights [m], at the points of their grid.

    By the less steep of the two slopes beside a point along each axis, none on tops and in hollows: exact where the
    terrain is even, and nowhere higher. Straight between points, as the terrain is: nothing jumps where patches meet.
    """
    squared = np.zeros_like(heights)
    for axis, apart in enumerate(spacing):
        slope = np.diff(heights, axis=axis) / apart
        before = np.concatenate([np.take(slope, [0], axis), slope], axis)
        behind = np.concatenate([slope, np.take(slope, [-1], axis)], axis)
        squared += np.where(before * behind > 0.0, np.minimum(abs(before), abs(behind)), 0.0) ** 2
    return np.asarray(heights + radius * np.sqrt(1.0 + squared))


def left_of_radius(ground: Ground) -> float:
    """[m], of what touches a ground: none where it is a terrain, which is lifted by it."""
    return 0.0 if isinstance(ground.shape, Terrain) else ground.radius


def edges_of(shape: Plane | Box | Terrain) -> list[Surface]:
    """Those that bars can lie across."""
    if not isinstance(shape, Box):
        return []
    deepest = 0.5 * min(shape.size)
    return [Surface(EDGE, np.array([*one.ravel(), deepest])) for one in shape.edges]


@kernel
def distance_from(kind: int, data: np.ndarray, x: float, y: float, z: float) -> tuple[float, float, float, float]:
    """Of a point from a surface [m], negative inside, and the unit normal there; data: as a pointer."""
    if kind == PLANE:
        return data[0] * x + data[1] * y + data[2] * z - data[LEVEL], data[0], data[1], data[2]
    if kind == BOX:
        return _from_box(data, x, y, z)
    return _from_terrain(data, x, y, z)


@inlined
def _from_box(data: np.ndarray, x: float, y: float, z: float) -> tuple[float, float, float, float]:
    """Outside by the nearest point of the box, inside by the nearest face."""
    x, y, z = x - data[0], y - data[1], z - data[2]
    a = data[6] * x + data[7] * y + data[8] * z
    b = data[9] * x + data[10] * y + data[11] * z
    c = data[12] * x + data[13] * y + data[14] * z
    u, v, w = abs(a) - data[3], abs(b) - data[4], abs(c) - data[5]
    if u <= 0.0 and v <= 0.0 and w <= 0.0:
        distance, size = max(u, max(v, w)), 1.0
        u = 1.0 if u == distance else 0.0
        v = 1.0 if v == distance and u == 0.0 else 0.0
        w = 1.0 - u - v
    else:
        u, v, w = max(u, 0.0), max(v, 0.0), max(w, 0.0)
        distance = math.sqrt(u * u + v * v + w * w)
        size = distance
    u, v, w = math.copysign(u, a) / size, math.copysign(v, b) / size, math.copysign(w, c) / size
    return (
        distance,
        data[6] * u + data[9] * v + data[12] * w,
        data[7] * u + data[10] * v + data[13] * w,
        data[8] * u + data[11] * v + data[14] * w,
    )


@inlined
def _from_terrain(data: np.ndarray, x: float, y: float, z: float) -> tuple[float, float, float, float]:
    """From the tangent plane of the bilinear patch below; exact where the terrain is even."""
    rows, columns = int(data[4]), int(data[5])
    a, b = (x - data[0]) / data[2], (y - data[1]) / data[3]
    beyond_x, beyond_y = a < 0.0 or a > rows - 1.0, b < 0.0 or b > columns - 1.0
    a, b = min(max(a, 0.0), rows - 1.0), min(max(b, 0.0), columns - 1.0)
    i, j = min(int(a), rows - 2), min(int(b), columns - 2)
    a, b = a - i, b - j
    at = 6 + i * columns + j
    near, right, far, both = data[at], data[at + 1], data[at + columns], data[at + columns + 1]
    height = (1.0 - a) * ((1.0 - b) * near + b * right) + a * ((1.0 - b) * far + b * both)
    slope_x = 0.0 if beyond_x else ((1.0 - b) * (far - near) + b * (both - right)) / data[2]
    slope_y = 0.0 if beyond_y else ((1.0 - a) * (right - near) + a * (both - far)) / data[3]
    steep = 1.0 / math.sqrt(1.0 + slope_x * slope_x + slope_y * slope_y)
    return (z - height) * steep, -slope_x * steep, -slope_y * steep, steep


@kernel
def add_turning(kind: int, data: np.ndarray, x: float, y: float, z: float, push: float, out: np.ndarray) -> None:
    """Add to a 3 x 3 block a push times the second derivatives of how deep a point is: normals turn with it where a
    patch of a terrain is twisted, and around edges and corners of a box. The depth in a terrain is that along z."""
    if kind == TERRAIN:
        rows, columns = int(data[4]), int(data[5])
        a, b = (x - data[0]) / data[2], (y - data[1]) / data[3]
        if a < 0.0 or a > rows - 1.0 or b < 0.0 or b > columns - 1.0:
            return
        at = 6 + min(int(a), rows - 2) * columns + min(int(b), columns - 2)
        twist = (data[at] - data[at + 1] - data[at + columns] + data[at + columns + 1]) / (data[2] * data[3])
        out[1] += push * twist
        out[3] += push * twist
    if kind == BOX:
        distance, nx, ny, nz = _from_box(data, x, y, z)
        x, y, z = x - data[0], y - data[1], z - data[2]
        for axis in range(3):
            along = shifted(data, 6 + 3 * axis)
            if abs(along[0] * x + along[1] * y + along[2] * z) <= data[3 + axis]:
                continue
            for e in range(9):
                out[e] -= push / distance * along[e // 3] * along[e % 3]
        if distance > 0.0:
            for e in range(9):
                one, other = (nx, ny, nz)[e // 3], (nx, ny, nz)[e % 3]
                out[e] += push / distance * one * other


@inlined
def in_one_patch(data: np.ndarray, ax: float, ay: float, bx: float, by: float) -> bool:
    """Whether two points are above the same patch of a terrain, or beyond the same edge of it."""
    rows, columns, one = int(data[4]), int(data[5]), True
    for k in range(2):
        most = rows - 1.0 if k == 0 else columns - 1.0
        a, b = ((ax if k == 0 else ay) - data[k]) / data[2 + k], ((bx if k == 0 else by) - data[k]) / data[2 + k]
        one = one and math.floor(min(max(a, -1.0), most)) == math.floor(min(max(b, -1.0), most))
    return one


@kernel
def crosses_box(
    data: np.ndarray, ax: float, ay: float, az: float, bx: float, by: float, bz: float, small: float
) -> bool:
    """Whether the straight way from a to b goes through a box, deeper than `small` [m]."""
    low, high = 0.0, 1.0
    for k in range(3):
        axis, half = 6 + 3 * k, data[3 + k] - small
        a = data[axis] * (ax - data[0]) + data[axis + 1] * (ay - data[1]) + data[axis + 2] * (az - data[2])
        d = data[axis] * (bx - ax) + data[axis + 1] * (by - ay) + data[axis + 2] * (bz - az)
        if d == 0.0:
            if abs(a) >= half:
                return False
            continue
        one, other = (-half - a) / d, (half - a) / d
        low, high = max(low, min(one, other)), min(high, max(one, other))
    return low < high


@kernel
def distance_of_bar(
    data: np.ndarray, ax: float, ay: float, az: float, bx: float, by: float, bz: float
) -> tuple[float, float, float, float, float]:
    """Of a bar from an edge [m], negative where it has sunk in, the unit normal, and the share of the bar's second end.

    FAR where the nearest points are not inside both, where the way between them is that to a face, and deeper inside
    than half of the box, which is the other side of it: then a node, a face or another edge is nearer.
    """
    ex, ey, ez = data[3] - data[0], data[4] - data[1], data[5] - data[2]
    dx, dy, dz = bx - ax, by - ay, bz - az
    rx, ry, rz = ax - data[0], ay - data[1], az - data[2]
    dd, ee, de = dx * dx + dy * dy + dz * dz, ex * ex + ey * ey + ez * ez, dx * ex + dy * ey + dz * ez
    dr, er = dx * rx + dy * ry + dz * rz, ex * rx + ey * ry + ez * rz
    across = dd * ee - de * de
    if across <= 1e-12 * dd * ee:  # side by side: the ends of the bar touch the faces
        return FAR, 0.0, 0.0, 1.0, 0.0
    s, r = (de * er - ee * dr) / across, (dd * er - de * dr) / across
    if s <= 0.0 or s >= 1.0 or r <= 0.0 or r >= 1.0:
        return FAR, 0.0, 0.0, 1.0, 0.0
    nx, ny, nz = dy * ez - dz * ey, dz * ex - dx * ez, dx * ey - dy * ex
    one, other = nx * data[6] + ny * data[7] + nz * data[8], nx * data[9] + ny * data[10] + nz * data[11]
    size = math.copysign(math.sqrt(nx * nx + ny * ny + nz * nz), one + other)
    nx, ny, nz, small = nx / size, ny / size, nz / size, -1e-9 * abs(size)
    gap = nx * rx + ny * ry + nz * rz
    if one / size < small or other / size < small or gap < -data[12]:
        return FAR, 0.0, 0.0, 1.0, 0.0
    return gap, nx, ny, nz, s
