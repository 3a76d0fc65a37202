"""The equations of motion in generalised coordinates q: nodes are a map x(q) of them, and everything acts on nodes.

    x = X(q),  x' = J v,  x'' = J a + b(q, v),   J = dX/dq,  b = d2X/dq2 (v, v)
    J^T M J a = J^T (force - M b) + (G J)^T lambda,   G J a = bias - G b

Forces, inertia and constraints are the parts that a nodal plant is made of (`taut.mechanics.parts`), at the state of
the nodes that a state of coordinates means. Rows that the map meets by itself, such as bars inside one body, are left
out. A state is y = [q, v, work, internal states].
"""

from __future__ import annotations

import math

import numpy as np

from taut.mechanics.operations.motion import all_forces
from taut.mechanics.parts import (
    carry,
    impose,
    imposed_power,
    row_bias,
    row_power,
    row_residuals,
    row_values,
)
from taut.mechanics.points.coordinate_terms import (
    coordinate_terms_in,
    impose_coordinates,
    imposed_count,
    imposing_power,
    push_coordinates,
)
from taut.mechanics.points.generalised_tables import BEGIN, generalised_in, kept_count
from taut.mechanics.points.joints import columns, generalised_count, place
from taut.mechanics.tables import (
    constants_in,
    coordinate_count,
    internal_count,
    jacobian_in,
    row_count,
    work_in,
)
from taut.numerics.compiled import inlined, kernel
from taut.numerics.dense_kernels import backward, factor, forward
from taut.numerics.packing import Pack
from taut.numerics.pointers import shifted


@kernel
def stand(p: Pack, y: np.ndarray, which: int) -> np.ndarray:
    """The state of the nodes, in one of two places, that a state of coordinates means."""
    made, n, m = generalised_in(p), coordinate_count(p), generalised_count(p)
    s = shifted(made.nodal, which * (2 * n + 1 + internal_count(p)))
    place(p, y, shifted(y, m), s, shifted(s, n), made.bias)
    for i in range(1 + internal_count(p)):
        s[2 * n + i] = y[2 * m + i]
    return s


@inlined
def dot(n: int, a: np.ndarray, b: np.ndarray) -> float:
    total = 0.0
    for i in range(n):
        total += a[i] * b[i]
    return total


@inlined
def all_rows(p: Pack) -> int:
    """Rows of nodes that are kept, and those of imposed coordinates."""
    return kept_count(p) + imposed_count(p)


@kernel
def fill_rows(p: Pack, s: np.ndarray) -> None:
    """Fill G J of the rows that are kept, after `columns`, and the rows of imposed coordinates."""
    made, jacobian, n, m = generalised_in(p), jacobian_in(p), coordinate_count(p), generalised_count(p)
    row_values(p, s, jacobian.value)
    for r in range(kept_count(p)):
        row = made.kept[r]
        for k in range(m):
            column, total = shifted(made.column, k * n), 0.0
            for e in range(jacobian.start[row], jacobian.start[row + 1]):
                total += jacobian.value[e] * column[jacobian.coordinate[e]]
            made.rows[r * m + k] = total
    for c in range(imposed_count(p)):
        row = shifted(made.rows, (kept_count(p) + c) * m)
        for k in range(m):
            row[k] = 0.0
        row[coordinate_terms_in(p).imposed[c]] = 1.0


@kernel
def fill_mass(p: Pack, s: np.ndarray, out: np.ndarray) -> None:
    """Fill J^T M J, after `columns`."""
    made, n, m, moved = generalised_in(p), coordinate_count(p), generalised_count(p), work_in(p).balance
    for k in range(m):
        carry(p, s, shifted(made.column, k * n), moved)
        for j in range(k + 1):
            out[k * m + j] = dot(n, shifted(made.column, j * n), moved)
            out[j * m + k] = out[k * m + j]


@kernel
def prepare_coordinates(p: Pack, s: np.ndarray, euclidean: bool) -> int:
    """Factor the system at the nodes of a state, after `place`; returns how many rows depend on others, -1 if there is
    a motion without inertia."""
    made, m, count = generalised_in(p), generalised_count(p), all_rows(p)
    columns(p, s, made.column)
    fill_rows(p, s)
    if euclidean:
        for k in range(m * m):
            made.mass[k] = 0.0
        for k in range(m):
            made.mass[k * m + k] = 1.0
    else:
        fill_mass(p, s, made.mass)
    made.weakest[1] = factor(made.mass, m)
    if made.weakest[1] <= 0.0:
        return -1
    dropped = 0
    for r in range(count):
        y = shifted(made.solved, r * m)
        for k in range(m):
            y[k] = made.rows[r * m + k]
        forward(made.mass, m, y)
        for j in range(r + 1):
            made.schur[r * count + j] = dot(m, y, shifted(made.solved, j * m))
            made.schur[j * count + r] = made.schur[r * count + j]
    least = factor(made.schur, count)
    made.weakest[0] = min(made.weakest[0], max(least, 0.0))
    for r in range(count):
        dropped += 1 if made.schur[r * count + r] == 0.0 else 0
    return dropped


@kernel
def solve_coordinates(p: Pack, force: np.ndarray, rates: np.ndarray, x: np.ndarray, multiplier: np.ndarray) -> None:
    """W x = force + (G J)^T l, G J x = rates with what was prepared; multipliers of all rows."""
    made, m, count = generalised_in(p), generalised_count(p), all_rows(p)
    for k in range(m):
        x[k] = force[k]
    forward(made.mass, m, x)
    for r in range(count):
        multiplier[r] = rates[r] - dot(m, shifted(made.solved, r * m), x)
    forward(made.schur, count, multiplier)
    backward(made.schur, count, multiplier)
    for r in range(count):
        for k in range(m):
            x[k] += made.solved[r * m + k] * multiplier[r]
    backward(made.mass, m, x)


@kernel
def pull_back(p: Pack, s: np.ndarray, force: np.ndarray, out: np.ndarray) -> None:
    """out = J^T (force - M b), after `columns`."""
    made, n, moved = generalised_in(p), coordinate_count(p), work_in(p).balance
    carry(p, s, made.bias, moved)
    for i in range(n):
        moved[i] = force[i] - moved[i]
    for k in range(generalised_count(p)):
        out[k] = dot(n, shifted(made.column, k * n), moved)


@kernel
def fill_bias(p: Pack, t: float, y: np.ndarray, s: np.ndarray) -> None:
    """What G J a must be; with Baumgarte's gains less residuals and their rates."""
    made, work, constants, jacobian = generalised_in(p), work_in(p), constants_in(p), jacobian_in(p)
    row_bias(p, t, s, work.bias)
    if constants.stabilised[0] == 1:
        row_residuals(p, s, work.residual, work.residual_rate)
    for r in range(kept_count(p)):
        row = made.kept[r]
        wanted = work.bias[row]
        if constants.stabilised[0] == 1:
            wanted -= constants.gains[0] * work.residual_rate[row] + constants.gains[1] * work.residual[row]
        for e in range(jacobian.start[row], jacobian.start[row + 1]):
            wanted -= jacobian.value[e] * made.bias[jacobian.coordinate[e]]
        made.wanted[r] = wanted
    terms = coordinate_terms_in(p)
    for c in range(imposed_count(p)):
        k, wanted = terms.imposed[c], terms.now[3 * c + 2]
        if constants.stabilised[0] == 1:
            off, moving = y[k] - terms.now[3 * c], y[generalised_count(p) + k] - terms.now[3 * c + 1]
            wanted -= constants.gains[0] * moving + constants.gains[1] * off
        made.wanted[kept_count(p) + c] = wanted


@kernel
def accelerate(p: Pack, t: float, y: np.ndarray, acceleration: np.ndarray) -> float:
    """Fill accelerations of coordinates, and the multipliers of all rows, zero of those that the map meets by itself;
    returns the power of what is not conservative."""
    made, work = generalised_in(p), work_in(p)
    s = stand(p, y, BEGIN)
    impose(p, t, s)
    impose_coordinates(p, t)
    power = all_forces(p, t, s, work.force)
    failed = prepare_coordinates(p, s, False) < 0
    pull_back(p, s, work.force, made.force)
    power += push_coordinates(p, t, y, made.force)
    fill_bias(p, t, y, s)
    solve_coordinates(p, made.force, made.wanted, acceleration, made.multiplier)
    if failed:
        acceleration[0] = math.nan  # no inertia left: let the state say so
    for k in range(row_count(p)):
        work.multiplier[k] = 0.0
    for r in range(kept_count(p)):
        work.multiplier[made.kept[r]] = made.multiplier[r]
    return power + power_of_imposed(p, t, s)


@kernel
def power_of_imposed(p: Pack, t: float, s: np.ndarray) -> float:
    """After `accelerate`: power of drives, and of what imposes coordinates."""
    own = imposing_power(p, shifted(generalised_in(p).multiplier, kept_count(p)))
    return imposed_power(p, t, s) + row_power(p, s, work_in(p).multiplier) + own
