"""What a step that conserves energy asks of a nodal plant (Simo and Tarnow 1992, Gonzalez 1996 and 1999).

A step of h from q0, v0 has a velocity v of the move, q1 = q0 + h v. Its first half is

    M (v - v0) = h / 2 (f + G^T l) + P / 2,   residuals(q1) = 0

with secant forces f (`secant_parts.py`), the Jacobian G in the middle of the step, which for residuals of second order
is a secant too, G (q1 - q0) = residuals(q1) - residuals(q0), and what grounds press with, P. The second half is the
same once more, so that it ends with 2 v - v0, and over the step

    kinetic energy after - before = f . (q1 - q0) + l . G (q1 - q0) + P . v

exactly: constraints that stand still do no work, whatever h is. Newton's method has the matrix of `newton_matrix.py`
with s = h / 2 and the stiffness of secant forces.
"""

from __future__ import annotations

import numpy as np

from taut.mechanics.conserving.secant_parts import (
    add_pressing,
    loses_energy,
    refresh_responses,
    secant_force,
    secant_stiffness,
    touches,
)
from taut.mechanics.operations.newton_matrix import NEWTON_SADDLE, begin_filling, end_filling, newton_in
from taut.mechanics.parts import carry, row_residuals, row_values, solve_system
from taut.mechanics.rows.jacobian import add_transposed
from taut.mechanics.systems.saddle import saddle_at
from taut.mechanics.tables import (
    constants_in,
    coordinate_count,
    free_count,
    jacobian_in,
    nodes_in,
    row_count,
    work_in,
)
from taut.mechanics.terms.damping import damping_in
from taut.mechanics.terms.springs import springs_in
from taut.numerics.compiled import entry, inlined, kernel
from taut.numerics.packing import Pack
from taut.numerics.pointers import shifted, start_of
from taut.numerics.saddle import factorise
from taut.numerics.saddle import solve as solve_factored

FARTHEST = 0.1
"""Of a typical length: moves that are shorter are measured by this, since round-off of positions is."""
MOST_ITERATIONS, UNCONVERGED, LEFT = range(3)
"""Places in the effort of Newton's method."""


@entry
def secant_residual(
    p: Pack, t: float, middle: np.ndarray, h: float, y: np.ndarray, trial: np.ndarray, out: np.ndarray
) -> float:
    """out = h / 2 (f + G^T l) + P / 2 - M (v - v0), what is left of the first half; returns the work of all that is not
    conservative over the step, contacts left out [J]. What time decides is that of t, in the middle."""
    work, newton, jacobian, n = work_in(p), newton_in(p), jacobian_in(p), coordinate_count(p)
    start, end, left, force = start_of(y), start_of(trial), start_of(out), work_in(p).force
    for i in range(n):
        force[i] = 0.0
        work.acceleration[i] = 0.0
    done = secant_force(p, t, h, start, end, force)
    row_values(p, start_of(middle), jacobian.value)
    add_transposed(p, 1.0, newton.multiplier, force)
    for k in range(row_count(p)):
        along = 0.0
        for m in range(jacobian.start[k], jacobian.start[k + 1]):
            along += jacobian.value[m] * end[n + jacobian.coordinate[m]]
        done += newton.multiplier[k] * along * h
    for m in range(free_count(p)):
        i = nodes_in(p).free[m]
        work.acceleration[i] = end[n + i] - start[n + i]
    carry(p, start_of(middle), work.acceleration, left)
    for i in range(n):
        left[i] = 0.5 * h * force[i] - left[i]
    add_pressing(p, left)
    return done


@kernel
def _fill(p: Pack, t: float, h: float, start: np.ndarray, end: np.ndarray, middle: np.ndarray, pushing: float) -> None:
    s, blocks = 0.5 * h, newton_in(p).block
    filled = begin_filling(p, middle, s)
    filled += secant_stiffness(p, t, h, start, end, middle, s * s, s, pushing, shifted(blocks, filled))
    end_filling(p, middle, s, pushing, filled)


@entry
def factor_secant(p: Pack, t: float, middle: np.ndarray, h: float, y: np.ndarray, trial: np.ndarray) -> int:
    """Factor the matrix of the first half; negative where it is not positive even without what pushing takes away."""
    start, end, between = start_of(y), start_of(trial), start_of(middle)
    _fill(p, t, h, start, end, between, 1.0)
    dropped = factorise(saddle_at(p, NEWTON_SADDLE))
    if dropped < 0:
        _fill(p, t, h, start, end, between, 0.0)
        dropped = factorise(saddle_at(p, NEWTON_SADDLE))
    refresh_responses(p)
    return dropped


@kernel
def respond_by_newton(p: Pack, force: np.ndarray, x: np.ndarray) -> None:
    """What an impulse does to the velocities of the move, with the forces that answer to it on the way."""
    work, free, count = work_in(p), nodes_in(p).free, free_count(p)
    for m in range(count):
        work.top[m] = force[free[m]]
    solve_factored(saddle_at(p, NEWTON_SADDLE), work.top, work.residual_rate, work.unknown, work.multiplier)
    for i in range(coordinate_count(p)):
        x[i] = 0.0
    for m in range(count):
        x[free[m]] = work.unknown[m]


@entry
def secant_change(p: Pack, h: float, before: np.ndarray, trial: np.ndarray) -> float:
    """The largest change of a velocity of the move, over the largest velocity; NaN where one is."""
    was, now, n = start_of(before), start_of(trial), coordinate_count(p)
    change, speed, sound = 0.0, FARTHEST * constants_in(p).scale[0] / h, 0.0
    for i in range(n):
        change = max(change, abs(now[n + i] - was[i]))
        speed = max(speed, abs(now[n + i]))
        sound += 0.0 * now[n + i]
    return change / speed + sound


@entry
def count_effort(p: Pack, iterations: int, left: float) -> None:
    """Remember how Newton's method went in a step; left: the last change where it did not converge, else 0."""
    effort = newton_in(p).effort
    effort[MOST_ITERATIONS] = max(effort[MOST_ITERATIONS], float(iterations))
    if left > 0.0:
        effort[UNCONVERGED] += 1.0
        effort[LEFT] = max(effort[LEFT], left)


@inlined
def damps(p: Pack) -> bool:
    return springs_in(p).damps[0] == 1 or damping_in(p).damps[0] == 1


@inlined
def always(p: Pack) -> bool:
    """Of plants that something drives."""
    return True


@entry
def gives_way(p: Pack, trial: np.ndarray) -> bool:
    """Whether velocities are to meet the constraints at the end of a step, which takes energy. A step that conserves
    it leaves them off by the square of h, first to one side and then to the other."""
    return loses_energy(p) or touches(p, start_of(trial))


@entry
def meet_rates(p: Pack, trial: np.ndarray) -> float:
    """Change the velocities of a state by as little as it takes for the constraints not to go on changing; returns the
    work of that [J]. The system has been prepared there."""
    work, state, n, done = work_in(p), start_of(trial), coordinate_count(p), 0.0
    row_residuals(p, state, work.residual, work.residual_rate)
    for k in range(row_count(p)):
        work.residual_rate[k] = -work.residual_rate[k]
    for i in range(n):
        work.balance[i] = 0.0
    solve_system(p, constants_in(p).metric[0], work.balance, work.residual_rate, work.acceleration, work.multiplier)
    carry(p, state, work.acceleration, work.balance)
    for i in range(n):
        done += work.balance[i] * (state[n + i] + 0.5 * work.acceleration[i])
        state[n + i] += work.acceleration[i]
    return done
