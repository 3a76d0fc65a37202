"""Back onto the constraints and the energy after a step: one Gauss-Newton, written once for every plant.

The residuals and their derivative are those of eqs. (27), (32), (43):

    G dq                = -residual
    H dq + G dv         = -residual_rate         H = d(G v)/dq
    E_q dq + (M v) . dv = -(E - E_0 - work)

Of the many solutions it takes, in this order, the shortest dq that closes the residuals, the shortest dv that closes
their rates, and along the constraints the gradient of the energy. "Shortest" is by mass (or by plain coordinates, as
in the paper), and the last is the gradient in the Sasaki metric: a displacement d carries the velocity along with it,
dv = w with G w = -H d, and only what differs from that counts as a change of velocity. Every direction comes from one
factor of the same saddle-point system that gives accelerations. `time` says how many seconds make a change of
velocity count like a change of position; near 1 / frequency the energy is corrected without a shift of phase.

Beside it stand velocity filtering (`velocity_filter.py`) and the step of least norm as printed (`least_norm.py`).

Energies may be floats or lanes of them (`taut.numerics.lanes`); all lanes are corrected until the last is done.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from taut.dynamics.operations import (
    energy,
    energy_gradient,
    jacobian_rate,
    keep_momentum,
    prepare_projection,
    project,
    residuals,
    row,
)
from taut.numerics.lanes import most, where
from taut.numerics.vectors import add, dot, number_at, oppose, put_number, scale
from taut.structure.corrections import Correction as Correction

NONE, CONSTRAINTS, ENERGY, POSITIONS_FIRST, RATES_FIRST, AS_PRINTED, LEAST_NORM = range(7)
"""Levels: what is corrected, and in which order velocities are filtered."""
ROUND_OFF = 2.3e-16
YIELDING = 1e-3
"""The work takes half of an excess of energy where the motion has this fraction of the energies present."""
NEARNESS = 0.1
"""The energy is corrected where its excess is no more than this fraction of the energy of the motion itself."""


class Limits(NamedTuple):
    """The numbers of a Correction that the kernel reads."""

    level: int
    tolerance: float
    energy_tolerance: float
    iterations: int
    time: float
    yielding: float
    coordinates: int
    rows: int
    threshold: float


_LEVELS = {"constraints": CONSTRAINTS, "energy": ENERGY, "least-norm": LEAST_NORM}
_ORDERS = {"positions-first": POSITIONS_FIRST, "rates-first": RATES_FIRST, "as-printed": AS_PRINTED}


def limits_of(wish: Correction, coordinates: int, rows: int, typical_time: float, *, works: bool) -> Limits:
    """A correction as numbers for a plant of that many coordinates; round-off of a long sum widens the energy's."""
    return Limits(
        level=_ORDERS[wish.order] if wish.kind == "filter" else _LEVELS.get(wish.kind or "", NONE),
        tolerance=wish.tolerance,
        energy_tolerance=max(wish.energy_tolerance, ROUND_OFF * math.sqrt(4.0 * coordinates)),
        iterations=wish.iterations,
        time=wish.time or typical_time,
        yielding=YIELDING if works else 0.0,
        coordinates=coordinates,
        rows=rows,
        threshold=wish.threshold,
    )


FIRST = 12
RESIDUAL, RESIDUAL_RATE, STILL, NOTHING, GRADIENT_Q, GRADIENT_V = range(6)
SHIFT, SWING, CARRIED, STARTED, BEFORE, ASIDE = range(6, FIRST)
"""The rows of the work space of a correction: residuals and their rates, zeros for rates and for coordinates,
slopes of the energy, directions, the energy minus work at the start, positions at the beginning of the step, and
positions set aside; from FIRST on, for the correction of least norm, the columns of its matrix, its Gram matrix and its
right side. One array, because each one more that is handed from kernel to kernel takes its time; rows are as long as
the longest needs, with zeros at the end."""


def scratch(coordinates: int, rows: int, lanes: tuple[int, ...] = (), *, printed: bool = False) -> np.ndarray:
    """lanes: () for one plant, (WIDTH,) for as many in lanes. printed: with room for the correction of least norm."""
    if printed:
        equations = 2 * rows + 1
        return np.zeros((FIRST + 2 * coordinates + 1 + equations + 1, max(coordinates, equations)))
    return np.zeros((FIRST, max(coordinates, rows, 1), *lanes))


def close(plant: Any, y: np.ndarray, q: np.ndarray, v: np.ndarray, b: np.ndarray) -> None:
    """The shortest dq with G dq = -residual, then the shortest dv with G dv = -residual_rate - H dq."""
    residual, shift, swing = row(b, RESIDUAL), row(b, SHIFT), row(b, SWING)
    oppose(residual)
    project(plant, row(b, NOTHING), residual, shift)
    jacobian_rate(plant, y, shift, residual)
    add(residual, 1.0, row(b, RESIDUAL_RATE))
    oppose(residual)
    project(plant, row(b, NOTHING), residual, swing)
    add(q, 1.0, shift)
    add(v, 1.0, swing)


def rebalance(
    plant: Any, y: np.ndarray, q: np.ndarray, v: np.ndarray, reference: Any, limits: Any, b: np.ndarray
) -> bool:
    """Along the gradient of the energy on the constraints, as far as its linear part asks; returns whether it moved.

    Where loads or dampers work, the work is an integral with an error of its own and takes its share of the excess
    (eq. 38): next to nothing while the motion is lively, all of it near rest, where a damped state is right by itself.
    Nothing moves where the way is too far to be meant: next to an equilibrium at rest the energy hardly depends on the
    state, and an excess of round-off would throw it anywhere.
    """
    gradient_q, gradient_v, residual = row(b, GRADIENT_Q), row(b, GRADIENT_V), row(b, RESIDUAL)
    shift, carried, square = row(b, SHIFT), row(b, CARRIED), limits.time * limits.time
    total, terms = energy_gradient(plant, y, gradient_q, gradient_v)
    beyond = overshoot(total, terms, y, reference, limits)
    if most(abs(beyond)) == 0.0:
        return False
    project(plant, gradient_q, row(b, STILL), shift)
    jacobian_rate(plant, y, shift, residual)
    oppose(residual)
    scale(gradient_v, 1.0 / square)
    project(plant, gradient_v, residual, carried)
    keep_momentum(plant, y, shift, carried)
    share = limits.yielding * terms / square
    gain = dot(gradient_q, shift) + square * dot(gradient_v, carried) + share
    near = abs(beyond) <= NEARNESS * gain * square
    way = where(near, beyond, 0.0) / where(near, gain, 1.0)
    add(q, -way, shift)
    add(v, -way, carried)
    work = 2 * limits.coordinates
    put_number(y, work, number_at(y, work) + way * share)
    return bool(most(abs(way)) > 0.0)


def remember(plant: Any, y: np.ndarray, b: np.ndarray) -> None:
    """Keep the energy of a start, where no work has been done yet."""
    total, _ = energy(plant, y)
    put_number(row(b, STARTED), 0, total)


def held(plant: Any, y: np.ndarray, limits: Any, b: np.ndarray) -> bool:
    """Whether all residuals and their rates, which are filled in, are within the limits."""
    worst, worst_rate = residuals(plant, y, row(b, RESIDUAL), row(b, RESIDUAL_RATE))
    return bool(worst <= limits.tolerance and worst_rate <= limits.tolerance)


def overshoot(total: Any, terms: Any, y: np.ndarray, reference: Any, limits: Any) -> Any:
    """The energy beyond start and work, or zero where it is within the limits."""
    beyond = total - reference - number_at(y, 2 * limits.coordinates)
    return where(abs(beyond) <= limits.energy_tolerance * terms, 0.0, beyond)


def balanced(plant: Any, y: np.ndarray, reference: Any, limits: Any) -> bool:
    """Whether the energy is within the limits, or not to be corrected at all."""
    if limits.level < ENERGY:
        return True
    total, terms = energy(plant, y)
    return bool(most(abs(overshoot(total, terms, y, reference, limits))) == 0.0)


def correct(plant: Any, y: np.ndarray, reference: Any, limits: Any, b: np.ndarray, closed: bool) -> int:
    """Correct y in place; returns the iterations used, or minus that where it gave up.

    reference: the energy minus the work at the start. closed: what `held` says of y as it comes.
    """
    size = limits.coordinates
    q, v = y[:size], y[size : 2 * size]
    for iteration in range(1, limits.iterations + 1):
        if prepare_projection(plant, y) < 0:
            return -iteration
        moved = not closed
        if not closed:
            close(plant, y, q, v, b)
        if limits.level == ENERGY and rebalance(plant, y, q, v, reference, limits, b):
            moved = True
        closed = held(plant, y, limits, b)
        if closed and balanced(plant, y, reference, limits):
            return iteration
        if not moved:
            return -iteration
    return -limits.iterations  # type: ignore[no-any-return]
