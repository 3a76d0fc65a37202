"""Rigid bars: each keeps the distance of its two nodes.

The residual is (b.b - l^2) / (2 l), eq. (24) over 2 l, with b the vector along the bar and l its length, so that its
row of G is a unit vector and its multiplier the force [N] with which the bar pushes; of a thick bar that turns, less
what `turning_push` of `operations/outputs.py` says.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from taut.mechanics.kinds import Given, Links, Rows
from taut.mechanics.tables import coordinate_count, part_of, slot
from taut.numerics.compiled import inlined
from taut.numerics.packing import Integers, Pack, Reals, counter, reader
from taut.structure.properties import bar_length
from taut.structure.records import Bar


class Bars(NamedTuple):
    first: Integers  # (b,) nodes
    second: Integers  # (b,)
    length: Reals  # (b,) [m]
    per_length: Reals  # (b,) [1/m], zero where a bar is cut
    column: Integers  # (b,) the bar's place in the structure


bars_in = reader(Bars, slot("bars"))
BARS = part_of("bars", Bars, "first")
PER_LENGTH = part_of("bars", Bars, "per_length")


bar_count = counter(BARS)


@inlined
def kept_count(p: Pack) -> int:
    """How many bars keep a length. This and the next two are asked where no bar meets another, for what is explicit
    then; where some are driven, `driven_bars.py` answers."""
    return bar_count(p)


@inlined
def kept_bar(p: Pack, k: int) -> tuple[int, int, float, float]:
    """Both nodes of one of them, its length [m], and one over it, zero where it is cut."""
    bars = bars_in(p)
    return bars.first[k], bars.second[k], bars.length[k], bars.per_length[k]


@inlined
def length_growth(p: Pack, k: int) -> float:
    """Its length times the rate of it [m^2/s]."""
    return 0.0


@inlined
def residuals(p: Pack, y: np.ndarray, residual: np.ndarray, rate: np.ndarray) -> int:
    bars, count, n = bars_in(p), bar_count(p), coordinate_count(p)
    for k in range(count):
        i, j = bars.first[k], bars.second[k]
        bx, by, bz = y[j] - y[i], y[j + 1] - y[i + 1], y[j + 2] - y[i + 2]
        i += n
        j += n
        vx, vy, vz = y[j] - y[i], y[j + 1] - y[i + 1], y[j + 2] - y[i + 2]
        length, per_length = bars.length[k], bars.per_length[k]
        residual[k] = 0.5 * (bx * bx + by * by + bz * bz - length * length) * per_length
        rate[k] = (bx * vx + by * vy + bz * vz) * per_length
    return count


@inlined
def values(p: Pack, y: np.ndarray, value: np.ndarray) -> int:
    """Eq. (25): minus the unit vector at the first node, itself at the second."""
    bars, count = bars_in(p), bar_count(p)
    for k in range(count):
        i, j, per_length = bars.first[k], bars.second[k], bars.per_length[k]
        for axis in range(3):
            u = (y[j + axis] - y[i + axis]) * per_length
            value[6 * k + axis] = -u
            value[6 * k + 3 + axis] = u
    return 6 * count


@inlined
def bias(p: Pack, t: float, y: np.ndarray, out: np.ndarray) -> int:
    """Less the part of the second rate of each residual that comes from its speed alone, eq. (20)."""
    bars, count, n = bars_in(p), bar_count(p), coordinate_count(p)
    for k in range(count):
        i, j = n + bars.first[k], n + bars.second[k]
        vx, vy, vz = y[j] - y[i], y[j + 1] - y[i + 1], y[j + 2] - y[i + 2]
        out[k] = -((vx * vx + vy * vy + vz * vz) * bars.per_length[k])
    return count


@inlined
def jacobian_rate(p: Pack, y: np.ndarray, direction: np.ndarray, out: np.ndarray) -> int:
    """The matrix Q of eq. (32) times a direction."""
    bars, count, n = bars_in(p), bar_count(p), coordinate_count(p)
    for k in range(count):
        i, j, total = bars.first[k], bars.second[k], 0.0
        for axis in range(3):
            total += (y[n + j + axis] - y[n + i + axis]) * (direction[j + axis] - direction[i + axis])
        out[k] = total * bars.per_length[k]
    return count


@inlined
def stiffness(
    p: Pack, y: np.ndarray, multiplier: np.ndarray, k: float, pushing: float, brace: np.ndarray, out: np.ndarray
) -> tuple[int, int]:
    """A bar that pushes with l takes l / length away across and along, from the second derivative of its residual."""
    bars, count = bars_in(p), bar_count(p)
    for m in range(count):
        i, j, per_length, at = bars.first[m], bars.second[m], bars.per_length[m], 9 * m
        ux, uy, uz = (y[j] - y[i]) * per_length, (y[j + 1] - y[i + 1]) * per_length, (y[j + 2] - y[i + 2]) * per_length
        across = -k * multiplier[m] * per_length
        if brace[m] > 0.0:
            brace[m] += abs(across)
        along = brace[m]
        if across < 0.0:
            across *= pushing
        out[at] = along * ux * ux + across
        out[at + 1] = along * ux * uy
        out[at + 2] = along * uz * ux
        out[at + 3] = along * ux * uy
        out[at + 4] = along * uy * uy + across
        out[at + 5] = along * uy * uz
        out[at + 6] = along * uz * ux
        out[at + 7] = along * uy * uz
        out[at + 8] = along * uz * uz + across
    return count, 9 * count


def _still(given: Given, bar: Bar) -> bool:
    """Rigid, and of a length that nothing drives (`driven_bars.py`)."""
    return bar.law == "rigid" and bar.name not in given.driven_bars


def tabulate(given: Given) -> Bars:
    chosen = [(k, bar) for k, bar in enumerate(given.structure.bars.values()) if _still(given, bar)]
    length = np.array([bar_length(given.structure, bar) for _, bar in chosen], dtype=float)
    column = np.array([k for k, _ in chosen], dtype=np.int64)
    return Bars(*given.ends([bar.nodes for _, bar in chosen]), length, 1.0 / length, column)


def pattern(bars: Bars) -> tuple[np.ndarray, np.ndarray]:
    axes = np.arange(3)
    touched = np.concatenate([bars.first[:, None] + axes, bars.second[:, None] + axes], axis=1)
    return np.full(bars.first.size, 6), touched.ravel()


def sizes(bars: Bars, typical: float) -> np.ndarray:
    return bars.length


def labels(given: Given) -> tuple[str, ...]:
    return tuple(f'bar "{bar.name}"' for bar in given.structure.bars.values() if _still(given, bar))


def links(bars: Bars) -> Links:
    return bars.first, bars.second


RIGID_BARS = Rows(
    *("bars", Bars, tabulate, pattern, sizes, labels, residuals, values, bias, jacobian_rate, stiffness, links),
    lanes=True,
    internal=True,
    quadratic=True,
)
