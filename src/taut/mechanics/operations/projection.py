"""What a correction needs of the constraints: residuals, their rates, and projections onto the constraints.

All of it in full coordinates; held ones stay zero in every direction.
"""

from __future__ import annotations

import numpy as np

from taut.mechanics.parts import (
    accept_step,
    prepare_system,
    row_jacobian_rate,
    row_residuals,
    solve_system,
    weakest_pivot,
)
from taut.mechanics.tables import constants_in, coordinate_count, jacobian_in, row_count, work_in
from taut.numerics.compiled import entry, inlined
from taut.numerics.lanes import most
from taut.numerics.packing import Pack
from taut.numerics.pointers import start_of

ALLOWANCE = 0.1
"""Of the largest coordinate, added to lengths that residuals are measured by."""


@inlined
def largest_of_three(values: np.ndarray, i: int) -> float:
    """A running maximum of single values would wait for itself at every one."""
    return max(abs(values[i]), max(abs(values[i + 1]), abs(values[i + 2])))


@entry
def residuals(p: Pack, y: np.ndarray, residual: np.ndarray, rate: np.ndarray) -> tuple[float, float]:
    """Fill the residuals [m] and their rates [m/s] of all constraints; returns the worst of each, without dimension.

    Residuals are relative to the bar, rates to the largest speed, with an allowance for structures much larger than
    their bars: far from the origin coordinates have fewer digits left for a bar's length.
    """
    return worst_residuals(p, start_of(y), start_of(residual), start_of(rate))


@inlined
def worst_residuals(p: Pack, state: np.ndarray, off: np.ndarray, moving: np.ndarray) -> tuple[float, float]:
    """The same by pointers."""
    scale, size, n = constants_in(p).scale, jacobian_in(p).size, coordinate_count(p)
    worst, worst_rate, speed, reach, sound = 0.0, 0.0, scale[0] / scale[1], 0.0, 0.0
    for i in range(0, n, 3):
        reach = max(reach, largest_of_three(state, i))
        speed = max(speed, largest_of_three(state, n + i))
    reach *= ALLOWANCE
    speed *= 1.0 + reach / scale[0]
    row_residuals(p, state, off, moving)
    for k in range(row_count(p)):
        worst = max(worst, abs(off[k]) / (size[k] + reach))
        worst_rate = max(worst_rate, abs(moving[k]))
        sound += 0.0 * (off[k] + moving[k])  # a maximum would lose what is not a number
    return most(worst + sound), most(worst_rate / speed + sound)


@entry
def prepare_projection(p: Pack, y: np.ndarray) -> int:
    """Make the metric's system ready at these positions; negative if that fails."""
    return prepare_system(p, constants_in(p).metric[0], start_of(y))


@entry
def project(p: Pack, force: np.ndarray, rates: np.ndarray, direction: np.ndarray) -> None:
    """direction = W^-1 (force - G^T l) with G direction = rates, after `prepare_projection`.

    With no force it is the shortest direction with those rates; with no rates, the force's gradient along the
    constraints.
    """
    metric, multiplier = constants_in(p).metric[0], work_in(p).multiplier
    solve_system(p, metric, start_of(force), start_of(rates), start_of(direction), multiplier)


@entry
def jacobian_rate(p: Pack, y: np.ndarray, direction: np.ndarray, rates: np.ndarray) -> None:
    """rates = d(G v)/dq . direction: how the rates of residuals change when only positions move."""
    row_jacobian_rate(p, start_of(y), start_of(direction), start_of(rates))


@entry
def independence(p: Pack) -> float:
    """How independent the constraints were at worst since the last call: 1 fully, 0 not at all.

    Called after every step that is kept.
    """
    accept_step(p)
    return weakest_pivot(p)
