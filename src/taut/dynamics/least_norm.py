"""The correction of the stedy paper as it is printed: eqs. (44) and (45), and Algorithm 1.

    [ G    0       0 ] [dq]   [ -residual            ]
    [ H    G       0 ] [dv] = [ -residual_rate       ]      H = d(G v)/dq
    [ E_q  (M v)^T -1] [dW]   [ -(E - E_0 - work)    ]

Its solution of least norm, by plain numbers of metres, metres a second and joules, is added for as long as the norm of
the residuals or the excess of energy is above a threshold. The matrix is made dense, column by column, from what every
plant can be asked for; that takes longer than the other corrections, and is there to be compared with them
(`docs/decisions/corrections.md`). Residuals are those of eq. (24) over twice the length of the bar, so [m].
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from taut.dynamics.correction import (
    CARRIED,
    FIRST,
    GRADIENT_Q,
    GRADIENT_V,
    RESIDUAL,
    RESIDUAL_RATE,
    SHIFT,
    STARTED,
    SWING,
)
from taut.dynamics.operations import (
    energy,
    energy_gradient,
    jacobian_rate,
    prepare_projection,
    project,
    residuals,
    row,
)
from taut.numerics.least_norm import add_least_norm
from taut.numerics.vectors import dot, number_at, put, put_number, scale


def fill_columns(plant: Any, y: np.ndarray, limits: Any, b: np.ndarray) -> None:
    """The columns of the matrix, one for each coordinate and its rate; zero for those that are held."""
    n, r = limits.coordinates, limits.rows
    v, spare, way, base, moving = y[n : 2 * n], row(b, SWING)[:n], row(b, SHIFT), row(b, CARRIED), row(b, RESIDUAL_RATE)
    # Held coordinates are zero in every direction, and no others in one at random.
    for k in range(n):
        put_number(spare, k, 0.5 + (k * 0.6180339887498949) % 1.0)
    for k in range(r):
        put_number(moving, k, 0.5 + (k * 0.4142135623730951) % 1.0)
    prepare_projection(plant, y)
    project(plant, row(b, SWING), moving, way)
    for k in range(n):
        put_number(row(b, FIRST + k), 2 * r, number_at(way, k))
    put(spare, v)
    scale(v, 0.0)
    residuals(plant, y, row(b, RESIDUAL), base)
    for k in range(n):
        put_number(v, k, 1.0)
        residuals(plant, y, row(b, RESIDUAL), moving)
        put_number(v, k, 0.0)
        place, speed = row(b, FIRST + k), row(b, FIRST + n + k)
        free = 1.0 if number_at(place, 2 * r) != 0.0 else 0.0
        for i in range(r):
            slope = free * (number_at(moving, i) - number_at(base, i))
            put_number(place, i, slope)
            put_number(speed, i, 0.0)
            put_number(speed, r + i, slope)
    put(v, spare)
    scale(way, 0.0)
    for k in range(n):
        put_number(way, k, 1.0)
        jacobian_rate(plant, y, way, moving)
        put_number(way, k, 0.0)
        place, speed = row(b, FIRST + k), row(b, FIRST + n + k)
        free = 1.0 if number_at(place, 2 * r) != 0.0 else 0.0
        for i in range(r):
            put_number(place, r + i, free * number_at(moving, i))
        put_number(place, 2 * r, free * number_at(row(b, GRADIENT_Q), k))
        put_number(speed, 2 * r, free * number_at(row(b, GRADIENT_V), k))


def least_norm(plant: Any, y: np.ndarray, limits: Any, b: np.ndarray) -> int:
    """Algorithm 1, with a cap; returns the iterations used, or minus that where it gave up."""
    n, r, reference = limits.coordinates, limits.rows, number_at(row(b, STARTED), 0)
    equations, unknowns = 2 * r + 1, 2 * n + 1
    residual, right = row(b, RESIDUAL), row(b, FIRST + unknowns + equations)
    for iteration in range(limits.iterations + 1):
        residuals(plant, y, residual, row(b, RESIDUAL_RATE))
        total, _ = energy(plant, y)
        beyond = total - reference - number_at(y, 2 * n)
        if math.sqrt(dot(residual[:r], residual)) <= limits.threshold and abs(beyond) <= limits.threshold:
            return iteration
        if iteration == limits.iterations:
            break
        for i in range(r):
            put_number(right, i, -number_at(residual, i))
            put_number(right, r + i, -number_at(row(b, RESIDUAL_RATE), i))
        put_number(right, 2 * r, -beyond)
        energy_gradient(plant, y, row(b, GRADIENT_Q), row(b, GRADIENT_V))
        fill_columns(plant, y, limits, b)
        put_number(row(b, FIRST + 2 * n), 2 * r, -1.0)
        add_least_norm(b, FIRST, unknowns, equations, y)
    return -limits.iterations  # type: ignore[no-any-return]
