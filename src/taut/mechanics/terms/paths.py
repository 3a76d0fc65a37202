"""The way of a cable over nodes: stretches between neighbouring nodes, and each of its nodes once."""

from __future__ import annotations

import math
from collections.abc import Iterable
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np

from taut.mechanics.kinds import Given
from taut.mechanics.terms.springs import NO_LENGTH
from taut.numerics.compiled import inlined
from taut.structure.records import Cable


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
