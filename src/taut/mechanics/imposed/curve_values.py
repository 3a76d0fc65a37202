"""Curves of moved supports as kernels evaluate them; `support_curves.py` says what they are, and makes them."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from taut.mechanics.signals import interval_of, signal_at
from taut.numerics.compiled import entry, inlined
from taut.numerics.lanes import one

PIECES, WAVE, SIGNAL, SERIES = 0, 1, 2, 3

DEGREE = 24
"""Of an acceleration's series: a wave over 2 rad, times the rises of two starts, is met to round-off."""

SIZE = DEGREE + 3
"""Numbers of each series; integrated twice it has two more."""


@inlined
def plain_curve_at(kind: int, data: Any, at: int, t: float, inside: float) -> tuple[float, float, float]:
    """Displacement, velocity and acceleration on pieces or a wave."""
    if kind == WAVE:
        size, w = data[at + 3], data[at + 4]
        angle = w * t + data[at + 5]
        swing, sway = size * math.sin(angle), size * math.cos(angle)
        d = data[at] + t * (data[at + 1] + 0.5 * t * data[at + 2]) + swing
        return d, data[at + 1] + t * data[at + 2] + w * sway, data[at + 2] - w * w * swing
    count = int(one(data[at]))
    at += 1
    at += interval_of(data, at, count, inside)
    s = t - data[at]
    d, v, a, j = data[at + count], data[at + 2 * count], data[at + 3 * count], data[at + 4 * count]
    return d + s * (v + s * (0.5 * a + s * j / 6.0)), v + s * (a + 0.5 * s * j), a + s * j


@inlined
def _chebyshev(data: Any, at: int, x: float) -> float:
    """The sum of a series at a place from -1 to 1, by Clenshaw's recurrence."""
    later, latest = 0.0, 0.0
    for k in range(SIZE - 1, 0, -1):
        later, latest = data[at + k] + 2.0 * x * later - latest, later
    return data[at] + x * later - latest


@inlined
def curve_at(kind: int, data: Any, at: int, t: float, inside: float) -> tuple[float, float, float]:
    """Displacement, velocity and acceleration at time t in the piece that holds the time `inside`."""
    if kind == SIGNAL:
        return signal_at(int(one(data[at])), data, at + 1, t, inside)
    if kind != SERIES:
        return plain_curve_at(kind, data, at, t, inside)
    until, count = data[at], int(one(data[at + 4]))
    series = at + 6 + count
    if inside >= until:
        d, v, a = plain_curve_at(int(one(data[at + 3])), data, series + 3 * SIZE * count, t, inside)
        return d + data[at + 1] + (t - until) * data[at + 2], v + data[at + 2], a
    k = interval_of(data, at + 5, count, inside)
    begin, end = data[at + 5 + k], data[at + 6 + k]
    half = 0.5 * (end - begin)
    x, series = (t - 0.5 * (begin + end)) / half, series + 3 * SIZE * k
    return _chebyshev(data, series, x), _chebyshev(data, series + SIZE, x), _chebyshev(data, series + 2 * SIZE, x)


@entry
def _evaluate(kind: int, data: np.ndarray, times: np.ndarray, inside: np.ndarray, out: np.ndarray) -> None:
    for k in range(times.size):
        out[k, 0], out[k, 1], out[k, 2] = curve_at(kind, data, 0, times[k], inside[k])


def curve_values(kind: int, numbers: list[float], times: np.ndarray, inside: np.ndarray) -> np.ndarray:
    """(times, 3): displacement, velocity and acceleration on a curve; inside: of each time, one in its smooth piece."""
    out = np.empty((times.size, 3))
    _evaluate(kind, np.array(numbers), times, inside, out)
    return out
