"""Plates: the points that a rigid body is known by keep their distances, and its other nodes are means of them.

Three base points keep their three distances. A fourth point p out of their plane stands by its foot o in it: the
residuals are (p - o).(b - a), (p - o).(c - a) and (|p - o|^2 - h^2) / 2, over lengths that make their rows of G of unit
size, however close p is. All these are weighted sums of squared distances, residual = 1/4 sum_ij w_ij |x_i - x_j|^2
less its value, so that their second derivatives -w_ij I are constant. Every further node is a weighted mean of the base
points, a linear row for each axis. No row depends on another.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from taut.mechanics.kinds import Given, Links, Rows
from taut.mechanics.tables import coordinate_count, part_of, slot
from taut.numerics.compiled import inlined
from taut.numerics.link_blocks import every_pair
from taut.numerics.packing import Integers, Pack, Reals, counter, reader
from taut.structure.plates import Span, places_of, span_of
from taut.structure.records import AXES


class Plates(NamedTuple):
    """d rows of distances with k points each, and l linear rows."""

    point: Integers  # first coordinates of the points of every row of distances, row after row
    start: Integers  # (d + 1,) where those of each begin
    weight: Reals  # w of every row, k x k each
    place: Integers  # (d,) where they begin
    value: Reals  # (d,) [m]
    length: Reals  # (d,) what its residual is small against [m]
    mean_start: Integers  # (l + 1,)
    mean_coordinate: Integers
    mean_weight: Reals
    means: Integers  # (l,) the axis of each linear row


plates_in = reader(Plates, slot("plates"))
distance_count = counter(part_of("plates", Plates, "value"))
mean_count = counter(part_of("plates", Plates, "means"))


@inlined
def residuals(p: Pack, y: np.ndarray, residual: np.ndarray, rate: np.ndarray) -> int:
    plates, count, n = plates_in(p), distance_count(p), coordinate_count(p)
    for k in range(count):
        begin, end, w = plates.start[k], plates.start[k + 1], plates.place[k]
        off, speed = -plates.value[k], 0.0
        for a in range(begin, end):
            for b in range(a + 1, end):
                i, j, weight = (
                    plates.point[a],
                    plates.point[b],
                    plates.weight[w + (a - begin) * (end - begin) + b - begin],
                )
                for axis in range(3):
                    apart = y[j + axis] - y[i + axis]
                    off += 0.5 * weight * apart * apart
                    speed += weight * apart * (y[n + j + axis] - y[n + i + axis])
        residual[k] = off
        rate[k] = speed
    for k in range(mean_count(p)):
        off, speed = 0.0, 0.0
        for m in range(plates.mean_start[k], plates.mean_start[k + 1]):
            i, c = plates.mean_coordinate[m], plates.mean_weight[m]
            off += c * y[i]
            speed += c * y[n + i]
        residual[count + k] = off
        rate[count + k] = speed
    return count + mean_count(p)


@inlined
def _gradient(plates: Plates, k: int, a: int, axis: int, x: np.ndarray) -> float:
    """Of row k at its point a: sum_j w_aj (x_a - x_j)."""
    begin, end, total = plates.start[k], plates.start[k + 1], 0.0
    w = plates.place[k] + (a - begin) * (end - begin) - begin
    for b in range(begin, end):
        total += plates.weight[w + b] * (x[plates.point[a] + axis] - x[plates.point[b] + axis])
    return total


@inlined
def values(p: Pack, y: np.ndarray, value: np.ndarray) -> int:
    plates, filled = plates_in(p), 0
    for k in range(distance_count(p)):
        for a in range(plates.start[k], plates.start[k + 1]):
            for axis in range(3):
                value[filled] = _gradient(plates, k, a, axis, y)
                filled += 1
    for m in range(plates.mean_start[mean_count(p)]):
        value[filled] = plates.mean_weight[m]
        filled += 1
    return filled


@inlined
def jacobian_rate(p: Pack, y: np.ndarray, direction: np.ndarray, out: np.ndarray) -> int:
    plates, count, n = plates_in(p), distance_count(p), coordinate_count(p)
    for k in range(count):
        total = 0.0
        for a in range(plates.start[k], plates.start[k + 1]):
            for axis in range(3):
                total += _gradient(plates, k, a, axis, direction) * y[n + plates.point[a] + axis]
        out[k] = total
    for k in range(mean_count(p)):
        out[count + k] = 0.0
    return count + mean_count(p)


@inlined
def bias(p: Pack, t: float, y: np.ndarray, out: np.ndarray) -> int:
    plates, count, n = plates_in(p), distance_count(p), coordinate_count(p)
    for k in range(count):
        begin, end, w, total = plates.start[k], plates.start[k + 1], plates.place[k], 0.0
        for a in range(begin, end):
            for b in range(a + 1, end):
                i, j = n + plates.point[a], n + plates.point[b]
                x, z, u = y[j] - y[i], y[j + 1] - y[i + 1], y[j + 2] - y[i + 2]
                total += plates.weight[w + (a - begin) * (end - begin) + b - begin] * (x * x + z * z + u * u)
        out[k] = -total
    for k in range(mean_count(p)):
        out[count + k] = 0.0
    return count + mean_count(p)


@inlined
def stiffness(
    p: Pack, y: np.ndarray, multiplier: np.ndarray, k: float, pushing: float, brace: np.ndarray, out: np.ndarray
) -> tuple[int, int]:
    """One-way links between all points of a row: k l w_ij takes away, as a bar that pushes does."""
    plates, count, filled = plates_in(p), distance_count(p), 0
    for m in range(count):
        begin, end, w, most = plates.start[m], plates.start[m + 1], plates.place[m], 0.0
        for e in range((end - begin) * (end - begin)):
            most = max(most, abs(k * multiplier[m] * plates.weight[w + e]))
        if brace[m] > 0.0:
            brace[m] += (end - begin) * most
        for a in range(begin, end):
            for b in range(begin, end):
                if a == b:
                    continue
                across = -k * multiplier[m] * plates.weight[w + (a - begin) * (end - begin) + b - begin]
                if across < 0.0:
                    across *= pushing
                for r in range(3):
                    for c in range(3):
                        along = 0.0
                        if brace[m] > 0.0:
                            along = brace[m] * _gradient(plates, m, a, r, y) * _gradient(plates, m, b, c, y)
                        out[filled + 3 * r + c] = (across if r == c else 0.0) - along
                filled += 9
    return count + mean_count(p), filled


# --- the table


def _weights(first: np.ndarray, second: np.ndarray) -> np.ndarray:
    """w of the product of two sums of positions, each with coefficients that add to zero."""
    return np.asarray(-(np.outer(first, second) + np.outer(second, first)))


def _distances(places: np.ndarray) -> list[tuple[list[int], np.ndarray, float]]:
    """Rows of the base points: which points, w, and the length a residual is small against."""
    found = []
    for i, j in ((0, 1), (0, 2), (1, 2)):
        length = float(np.linalg.norm(places[j] - places[i]))
        found.append(([i, j], np.array([[0.0, 1.0], [1.0, 0.0]]) / length, length))
    if len(places) == 3:
        return found
    # From the foot of the fourth point to it; the foot turns with the plate, and so do the multipliers.
    one, other = np.linalg.lstsq((places[1:3] - places[0]).T, places[3] - places[0], rcond=None)[0]
    up = np.array([one + other - 1.0, -one, -other, 1.0])
    height = float(np.linalg.norm(up @ places))
    for j in (1, 2):
        along = np.zeros(4)
        along[[0, j]] = -1.0, 1.0
        length = float(np.linalg.norm(along @ places))
        found.append(([0, 1, 2, 3], _weights(up, along) / length, length))
    reach = float(np.linalg.norm(np.ptp(places, axis=0)))  # the last one is a small difference of sums as large as this
    found.append(([0, 1, 2, 3], 0.5 * _weights(up, up) / height, reach * reach / height))
    return found


def _without_diagonal(weight: np.ndarray) -> np.ndarray:
    return np.asarray(weight - np.diag(np.diag(weight)))


def tabulate(given: Given) -> Plates:
    structure = given.structure
    points, starts, weights, places, values, lengths = list[int](), [0], list[float](), list[int](), [], []
    mean_starts, coordinates, shares, axes = [0], list[int](), list[float](), list[int]()
    for plate in structure.plates.values():
        span = span_of(structure, plate)
        where = places_of(structure, span.base)
        at = [given.coordinate[node] for node in span.base]
        for chosen, weight, length in _distances(where):
            weight = _without_diagonal(weight)
            apart = np.sum((where[chosen][:, None] - where[chosen]) ** 2, axis=2)
            places.append(len(weights))
            weights += weight.ravel().tolist()
            points += [at[i] for i in chosen]
            starts.append(len(points))
            values.append(0.25 * float(np.sum(weight * apart)))
            lengths.append(length)
        for node, row in zip(span.rest, span.weights, strict=True):
            norm = float(np.sqrt(1.0 + row @ row))
            for axis in range(3):
                coordinates += [given.coordinate[node] + axis, *(i + axis for i in at)]
                shares += [1.0 / norm, *(-row / norm).tolist()]
                mean_starts.append(len(coordinates))
                axes.append(axis)
    return Plates(
        np.array(points, dtype=np.int64),
        np.array(starts, dtype=np.int64),
        np.array(weights, dtype=float),
        np.array(places, dtype=np.int64),
        np.array(values, dtype=float),
        np.array(lengths, dtype=float),
        np.array(mean_starts, dtype=np.int64),
        np.array(coordinates, dtype=np.int64),
        np.array(shares, dtype=float),
        np.array(axes, dtype=np.int64),
    )


def pattern(plates: Plates) -> tuple[np.ndarray, np.ndarray]:
    counts = np.concatenate([3 * np.diff(plates.start), np.diff(plates.mean_start)])
    return counts, np.concatenate([(plates.point[:, None] + np.arange(3)).ravel(), plates.mean_coordinate])


def sizes(plates: Plates, typical: float) -> np.ndarray:
    return np.concatenate([plates.length, np.full(plates.means.size, typical)])


def labels(given: Given) -> tuple[str, ...]:
    shape, means = list[str](), list[str]()
    for plate in given.structure.plates.values():
        span: Span = span_of(given.structure, plate)
        a, b, c, *others = span.base
        shape += [f'plate "{plate.name}" from "{i}" to "{j}"' for i, j in ((a, b), (a, c), (b, c))]
        shape += [f'plate "{plate.name}" at "{point}", {k} of 3' for point in others for k in (1, 2, 3)]
        means += [f'node "{node}" of plate "{plate.name}" along {axis}' for node in span.rest for axis in AXES]
    return (*shape, *means)


def links(plates: Plates) -> Links:
    """From every point of a row to every other."""
    return every_pair(plates.start, plates.point)


PLATES = Rows(
    *("plates", Plates, tabulate, pattern, sizes, labels, residuals, values, bias, jacobian_rate, stiffness, links),
    one_way=True,
    internal=True,
    quadratic=True,
)
