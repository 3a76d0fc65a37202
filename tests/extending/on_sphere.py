"""A new kind of rows: a node on a sphere, with the residual (|x - centre|^2 - radius^2) / (2 radius)."""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from taut import extending as ex
from taut.extending import coordinate_count, inlined, shifted

KIND = "on_sphere"


@dataclass(frozen=True)
class OnSphere:
    node: str
    centre: tuple[float, float, float]
    radius: float


class Spheres(NamedTuple):
    node: ex.Integers
    centre: ex.Reals  # three numbers each
    radius: ex.Reals


spheres_in, sphere_count = ex.table(KIND, Spheres)


@inlined
def along(p, k, x, shift):
    s, i, c = spheres_in(p), spheres_in(p).node[k], 3 * k
    return x[i] - shift * s.centre[c], x[i + 1] - shift * s.centre[c + 1], x[i + 2] - shift * s.centre[c + 2]


@inlined
def residuals(p, y, residual, rate):
    radius, v = spheres_in(p).radius, shifted(y, coordinate_count(p))
    for k in range(sphere_count(p)):
        (rx, ry, rz), (vx, vy, vz) = along(p, k, y, 1.0), along(p, k, v, 0.0)
        residual[k] = 0.5 * (rx * rx + ry * ry + rz * rz - radius[k] * radius[k]) / radius[k]
        rate[k] = (rx * vx + ry * vy + rz * vz) / radius[k]
    return sphere_count(p)


@inlined
def values(p, y, value):
    for k in range(sphere_count(p)):
        for axis in range(3):
            value[3 * k + axis] = along(p, k, y, 1.0)[axis] / spheres_in(p).radius[k]
    return 3 * sphere_count(p)


@inlined
def jacobian_rate(p, y, direction, out):
    v = shifted(y, coordinate_count(p))
    for k in range(sphere_count(p)):
        (dx, dy, dz), (vx, vy, vz) = along(p, k, direction, 0.0), along(p, k, v, 0.0)
        out[k] = (dx * vx + dy * vy + dz * vz) / spheres_in(p).radius[k]
    return sphere_count(p)


@inlined
def bias(p, t, y, out):
    count = jacobian_rate(p, y, shifted(y, coordinate_count(p)), out)
    for k in range(count):
        out[k] = -out[k]
    return count


@inlined
def stiffness(p, y, multiplier, k, pushing, brace, out):
    for m in range(sphere_count(p)):
        across, r = -k * multiplier[m] / spheres_in(p).radius[m], along(p, m, y, 1.0)
        brace[m] += abs(across) if brace[m] > 0.0 else 0.0
        firm = brace[m] / (spheres_in(p).radius[m] * spheres_in(p).radius[m])
        for a in range(3):
            for b in range(3):
                same = (across if across > 0.0 else pushing * across) if a == b else 0.0
                out[9 * m + 3 * a + b] = firm * r[a] * r[b] + same
    return sphere_count(p), 9 * sphere_count(p)


def tabulate(given):
    table = np.array([(given.coordinate[r.node], *r.centre, r.radius) for r in given.records(KIND)]).reshape(-1, 5)
    return Spheres(table[:, 0].astype(np.int64), table[:, 1:4].ravel(), table[:, 4].copy())


ON_SPHERE = ex.Rows(
    *(KIND, Spheres, tabulate),
    pattern=lambda table: (np.full(table.node.size, 3), (table.node[:, None] + np.arange(3)).ravel()),
    sizes=lambda table, typical: table.radius,
    labels=lambda given: tuple(f'sphere of node "{r.node}"' for r in given.records(KIND)),
    links=lambda table: (table.node, np.full(table.node.size, -1)),
    **{f.py_func.__name__: f for f in (residuals, values, bias, jacobian_rate, stiffness)},
    record=OnSphere,
    quadratic=True,
    lanes=True,
)
ex.register(ON_SPHERE)
