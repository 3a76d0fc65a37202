"""The equations of motion of a nodal plant: every coordinate of every node is an unknown, eq. (21).

    M a = force + G^T lambda,   G a = bias

Supports are not constraints here: a held coordinate never enters the unknowns. Where some of them are moved, with known
accelerations a_h, the system is solved for the rest, and the supports push with M a - force - G^T lambda:

    M x = force - M a_h + G^T lambda,   G x = bias - G a_h,   a = x + a_h

`n` is the number of coordinates, so that the velocity of coordinate i is y[n + i]. Numbers may be floats or lanes of
them (`taut.numerics.lanes`), hence `where` instead of `if`.
"""

from __future__ import annotations

import numpy as np

from taut.mechanics.parts import (
    add_velocity_force,
    applied_force,
    carry,
    find_multipliers,
    give_known,
    give_state_rates,
    impose,
    imposed_power,
    load_power,
    right_side,
    row_bias,
    row_power,
    row_residuals,
    row_values,
    solve_motion,
)
from taut.mechanics.rows.jacobian import add_product, add_transposed
from taut.mechanics.tables import (
    Layout,
    constants_in,
    coordinate_count,
    free_count,
    internal_count,
    jacobian_in,
    layout_of,
    nodes_in,
    row_count,
    work_in,
)
from taut.numerics.compiled import entry, inlined, kernel, woven
from taut.numerics.packing import Pack
from taut.numerics.pointers import shifted, start_of


@inlined
def all_forces(p: Pack, t: float, y: np.ndarray, out: np.ndarray) -> float:
    """out = all forces but those of constraints, velocity terms included; returns the power of what does work."""
    for i in range(coordinate_count(p)):
        out[i] = 0.0
    power = applied_force(p, t, y, out)
    add_velocity_force(p, y, out)
    return power


@woven
def _fill_bias(p: Pack, t: float, y: np.ndarray) -> None:
    """What G a must be, with Baumgarte's gains less residuals and their rates."""
    work, constants = work_in(p), constants_in(p)
    row_bias(p, t, y, work.bias)
    if constants.stabilised[0] == 1:
        row_residuals(p, y, work.residual, work.residual_rate)
        for k in range(row_count(p)):
            work.bias[k] -= constants.gains[0] * work.residual_rate[k] + constants.gains[1] * work.residual[k]


@woven
def _accelerate(p: Pack, t: float, y: np.ndarray, acceleration: np.ndarray) -> float:
    """Fill force, multiplier and acceleration at a state; returns the power of loads, dampers and what is imposed."""
    work = work_in(p)
    impose(p, t, y)
    power = all_forces(p, t, y, work.force)
    _fill_bias(p, t, y)
    right = right_side(p, y)
    solve_motion(p, y, right, work.bias, acceleration, work.multiplier)
    driven = imposed_power(p, t, y) + row_power(p, y, work.multiplier)
    return power + driven + give_known(p, y, acceleration)


@entry
def rate(p: Pack, t: float, y: np.ndarray, out: np.ndarray) -> None:
    """The state's rate."""
    state, rates, n = start_of(y), start_of(out), coordinate_count(p)
    rates[2 * n] = _accelerate(p, t, state, shifted(rates, n))
    for i in range(n):
        rates[i] = state[n + i]
    give_state_rates(p, rates)


@entry
def forces(p: Pack, t: float, y: np.ndarray, out: np.ndarray) -> float:
    """out = all forces but those of constraints, velocity terms included; returns the power of loads and dampers."""
    impose(p, t, start_of(y))
    return all_forces(p, t, start_of(y), start_of(out))


@entry
def power(p: Pack, t: float, y: np.ndarray) -> float:
    """Power of the loads at the velocities of y."""
    return load_power(p, t, start_of(y))


@entry
def drive_power(p: Pack, t: float, y: np.ndarray) -> float:
    """Power of what is imposed, where things stand at this time."""
    state = start_of(y)
    impose(p, t, state)
    find_multipliers(p, t, state)
    return imposed_power(p, t, state) + row_power(p, state, work_in(p).multiplier)


@kernel
def multipliers_of(p: Pack, t: float, y: np.ndarray) -> None:
    _accelerate(p, t, y, work_in(p).acceleration)


@kernel
def power_of_driven_rows(p: Pack, y: np.ndarray, multiplier: np.ndarray) -> float:
    """Multipliers times what time asks of G v: G v less the rate of the residual."""
    jacobian, work, n, total = jacobian_in(p), work_in(p), coordinate_count(p), 0.0
    row_values(p, y, jacobian.value)
    row_residuals(p, y, work.residual, work.residual_rate)
    for k in range(row_count(p)):
        asked = -work.residual_rate[k]
        for m in range(jacobian.start[k], jacobian.start[k + 1]):
            asked += jacobian.value[m] * y[n + jacobian.coordinate[m]]
        total += multiplier[k] * asked
    return total


@inlined
def reactions(p: Pack, acceleration: np.ndarray, y: np.ndarray, out: np.ndarray) -> None:
    """out = M a - force - G^T lambda: what supports add at held coordinates, zero at free ones. G is as last filled."""
    nodes, work = nodes_in(p), work_in(p)
    carry(p, y, acceleration, out)
    for i in range(coordinate_count(p)):
        out[i] -= work.force[i]
    add_transposed(p, -1.0, work.multiplier, out)
    for m in range(free_count(p)):
        out[nodes.free[m]] = 0.0  # equal to round-off already; a support adds nothing where it does not hold


@kernel
def right_side_of_known(p: Pack, y: np.ndarray) -> np.ndarray:
    """force - M a_h; G a_h is taken out of the bias."""
    work = work_in(p)
    carry(p, y, work.known, work.balance)
    for i in range(coordinate_count(p)):
        work.balance[i] = work.force[i] - work.balance[i]
    row_values(p, y, jacobian_in(p).value)
    add_product(p, -1.0, work.known, work.bias)
    return work.balance


@kernel
def give_what_is_known(p: Pack, y: np.ndarray, acceleration: np.ndarray) -> float:
    """a = x + a_h; the power of the supports that move."""
    work, n, total = work_in(p), coordinate_count(p), 0.0
    for i in range(n):
        acceleration[i] += work.known[i]
    reactions(p, acceleration, y, work.balance)
    for i in range(n):
        total += work.balance[i] * y[n + i]
    return total


@kernel
def power_of_moved(p: Pack, y: np.ndarray, factor: float, reaction: np.ndarray) -> float:
    free, n, total, m = nodes_in(p).free, coordinate_count(p), 0.0, 0
    for i in range(n):
        if m < free_count(p) and free[m] == i:
            m += 1
        else:
            total += factor * reaction[i] * y[n + i]
    return total


@entry
def impose_on(p: Pack, t: float, y: np.ndarray) -> None:
    """Put into a state, and into the tables, what time alone decides."""
    impose(p, t, start_of(y))


@entry
def imposes_something(p: Pack) -> bool:
    """Whether forces or loads hang on what is imposed in a step."""
    return True


@entry
def enter_piece(p: Pack, inside: float) -> None:
    """Say in which smooth piece of the signals the run is, by a time inside it."""
    constants_in(p).piece[0] = inside


@entry
def pass_break(p: Pack, t: float, inside: float, y: np.ndarray, log: np.ndarray, filled: int) -> int:
    """The next piece begins, and nothing is imposed that could jump; `events.pass_imposed_break` else."""
    constants_in(p).piece[0] = inside
    return filled


@entry
def layout(p: Pack) -> Layout:
    """Where things stand in a state; remainders are those of RATTLE, which knows them to be there."""
    return layout_of(coordinate_count(p), internal_count(p), 0)
