"""Rigid bars whose length s is driven: telescoping struts. Each keeps the distance that time says.

The residual is (b.b - s^2) / (2 s), as of other rigid bars. Where it is zero its rate is b.v / s - s', and

    G a = s'' + s'^2 / s - v.v / s

with v the relative velocity of the ends. The multiplier is the force with which the bar pushes, and that times s' its
power. The mass of the bar spreads evenly over its length as it telescopes, as that of a compressible bar does.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from taut.mechanics.kinds import Given, Rows
from taut.mechanics.rows import bars as rigid
from taut.mechanics.tables import coordinate_count, part_of, slot
from taut.numerics.compiled import again, inlined
from taut.numerics.packing import Integers, Pack, Reals, counter, reader
from taut.structure.properties import bar_length

KIND = "driven_bars"


class DrivenBars(NamedTuple):
    """The first five as of other rigid bars."""

    first: Integers  # (b,) nodes
    second: Integers  # (b,)
    length: Reals  # (b,) [m]
    per_length: Reals  # (b,) [1/m]
    column: Integers  # (b,) the bar's place in the structure
    rate: Reals  # (b,) of the length [m/s]
    acceleration: Reals  # (b,) its second rate [m/s^2]


driven_bars_in = reader(DrivenBars, slot(KIND))
driven_bar_count = counter(part_of(KIND, DrivenBars, "first"))


@inlined
def residuals(p: Pack, y: np.ndarray, residual: np.ndarray, rate: np.ndarray) -> int:
    count, bars = _residuals(p, y, residual, rate), driven_bars_in(p)
    for k in range(count):
        rate[k] -= bars.rate[k]
    return count


@inlined
def bias(p: Pack, t: float, y: np.ndarray, out: np.ndarray) -> int:
    bars, count, n = driven_bars_in(p), driven_bar_count(p), coordinate_count(p)
    for k in range(count):
        i, j, rate = n + bars.first[k], n + bars.second[k], bars.rate[k]
        vx, vy, vz = y[j] - y[i], y[j + 1] - y[i + 1], y[j + 2] - y[i + 2]
        out[k] = bars.acceleration[k] + (rate * rate - (vx * vx + vy * vy + vz * vz)) * bars.per_length[k]
    return count


_OWN = {"bars_in": driven_bars_in, "bar_count": driven_bar_count}
_residuals, values, jacobian_rate, stiffness = (
    again(inlined, kernel, _OWN) for kernel in (rigid.residuals, rigid.values, rigid.jacobian_rate, rigid.stiffness)
)
"""As of other rigid bars, on this table."""


@inlined
def kept_count(p: Pack) -> int:
    """Of the bars that keep a length those that are driven stand behind those that are not."""
    return rigid.bar_count(p) + driven_bar_count(p)


@inlined
def kept_bar(p: Pack, k: int) -> tuple[int, int, float, float]:
    still, bars = rigid.bars_in(p), driven_bars_in(p)
    m = k - rigid.bar_count(p)
    if m < 0:
        return still.first[k], still.second[k], still.length[k], still.per_length[k]
    return bars.first[m], bars.second[m], bars.length[m], bars.per_length[m]


@inlined
def length_growth(p: Pack, k: int) -> float:
    bars, m = driven_bars_in(p), k - rigid.bar_count(p)
    return bars.length[m] * bars.rate[m] if m >= 0 else 0.0 * bars.length[0]


def tabulate(given: Given) -> DrivenBars:
    chosen = [(k, bar) for k, bar in enumerate(given.structure.bars.values()) if bar.name in given.driven_bars]
    length = np.array([bar_length(given.structure, bar) for _, bar in chosen], dtype=float)
    column = np.array([k for k, _ in chosen], dtype=np.int64)
    rates = np.zeros((2, length.size))
    return DrivenBars(*given.ends([bar.nodes for _, bar in chosen]), length, 1.0 / length, column, *rates)


def labels(given: Given) -> tuple[str, ...]:
    return tuple(f'bar "{name}"' for name in given.structure.bars if name in given.driven_bars)


DRIVEN_BARS = Rows(
    KIND,
    DrivenBars,
    tabulate,
    rigid.pattern,
    rigid.sizes,
    labels,
    residuals,
    values,
    bias,
    jacobian_rate,
    stiffness,
    rigid.links,
    internal=True,
    driven=True,
    quadratic=True,
    lanes=True,
)
