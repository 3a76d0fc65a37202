"""Where loads that are Python functions of time jump: a step that does not end there cannot see it."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

LOOKS = 1 << 15
"""At so many times a function is looked at; a pulse shorter than their distance can be missed."""

STEEP = 0.05
"""A change between two looks by more than this fraction of all a function does is a jump, or as good as one."""

MOST = 256
"""More changes than this are no jumps: the function swings faster than it is looked at."""

APART = 4e-12
"""How far from a jump its two sides are taken, relative to the time [s]; nearer they would count as one break."""


def jumps(function: Callable[[float], float], begin: float, end: float) -> list[float]:
    """Times just before and just after every jump of a function between two times."""
    times = np.linspace(begin, end, LOOKS)
    values = np.array([float(function(t)) for t in times.tolist()])
    reach = float(np.ptp(values)) if values.size else 0.0
    steep = np.flatnonzero(np.abs(np.diff(values)) > STEEP * reach)
    if not np.isfinite(reach) or steep.size > MOST:
        return []
    return [side for k in steep for side in _sides(function, times[k], times[k + 1])]


def _sides(function: Callable[[float], float], low: float, high: float) -> tuple[float, float]:
    """The two sides of the steepest change between two times, by bisection."""
    apart = APART * max(1.0, abs(high))
    left, right = float(function(low)), float(function(high))
    while high - low > apart:
        middle = 0.5 * (low + high)
        value = float(function(middle))
        if abs(value - left) >= abs(right - value):
            high, right = middle, value
        else:
            low, left = middle, value
    return float(low), float(high)
