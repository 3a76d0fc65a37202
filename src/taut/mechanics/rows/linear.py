"""Linear constraints: a weighted sum of coordinates keeps its value. Rows of unit norm, so residuals are lengths."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from taut.mechanics.kinds import Given, Links, Rows
from taut.mechanics.tables import coordinate_count, part_of, slot
from taut.numerics.compiled import inlined
from taut.numerics.packing import Integers, Pack, Reals, reader, size_of
from taut.structure.records import AXES


class Linear(NamedTuple):
    start: Integers  # (g + 1,)
    coordinate: Integers
    coefficient: Reals
    value: Reals  # (g,) [m]


linear_in = reader(Linear, slot("linear"))
VALUE = part_of("linear", Linear, "value")
COEFFICIENT = part_of("linear", Linear, "coefficient")


@inlined
def residuals(p: Pack, y: np.ndarray, residual: np.ndarray, rate: np.ndarray) -> int:
    linear, count, n = linear_in(p), size_of(p, VALUE), coordinate_count(p)
    for k in range(count):
        off, speed = -linear.value[k], 0.0
        for m in range(linear.start[k], linear.start[k + 1]):
            i, c = linear.coordinate[m], linear.coefficient[m]
            off += c * y[i]
            speed += c * y[n + i]
        residual[k] = off
        rate[k] = speed
    return count


@inlined
def values(p: Pack, y: np.ndarray, value: np.ndarray) -> int:
    linear, count = linear_in(p), size_of(p, COEFFICIENT)
    for m in range(count):
        value[m] = linear.coefficient[m]
    return count


@inlined
def bias(p: Pack, t: float, y: np.ndarray, out: np.ndarray) -> int:
    count = size_of(p, VALUE)
    for k in range(count):
        out[k] = 0.0
    return count


@inlined
def jacobian_rate(p: Pack, y: np.ndarray, direction: np.ndarray, out: np.ndarray) -> int:
    return bias(p, 0.0, y, out)


@inlined
def stiffness(
    p: Pack, y: np.ndarray, multiplier: np.ndarray, k: float, pushing: float, brace: np.ndarray, out: np.ndarray
) -> tuple[int, int]:
    return size_of(p, VALUE), 0


def tabulate(given: Given) -> Linear:
    shape = given.structure.positions.ravel()
    starts, coordinates, coefficients, sums = [0], list[int](), list[float](), list[float]()
    for constraint in given.structure.constraints.values():
        merged: dict[int, float] = {}
        for node, axis, coefficient in constraint.terms:
            at = given.coordinate[node] + AXES.index(axis)
            merged[at] = merged.get(at, 0.0) + coefficient
        places, row = np.array(list(merged), dtype=np.int64), np.array(list(merged.values()))
        norm = float(np.linalg.norm(row))
        coordinates += places.tolist()
        coefficients += (row / norm).tolist()
        sums.append(float(row @ shape[places] if constraint.value is None else constraint.value) / norm)
        starts.append(len(coordinates))
    return Linear(
        np.array(starts, dtype=np.int64),
        np.array(coordinates, dtype=np.int64),
        np.array(coefficients, dtype=float),
        np.array(sums, dtype=float),
    )


def pattern(linear: Linear) -> tuple[np.ndarray, np.ndarray]:
    return np.diff(linear.start), linear.coordinate


def sizes(linear: Linear, typical: float) -> np.ndarray:
    return np.full(linear.value.size, typical)


def labels(given: Given) -> tuple[str, ...]:
    return tuple(f'constraint "{name}"' for name in given.structure.constraints)


def links(linear: Linear) -> Links:
    return np.empty(0, dtype=np.int64), np.empty(0, dtype=np.int64)


LINEAR = Rows(
    "linear",
    Linear,
    tabulate,
    pattern,
    sizes,
    labels,
    residuals,
    values,
    bias,
    jacobian_rate,
    stiffness,
    links,
    lanes=True,
    quadratic=True,
)
