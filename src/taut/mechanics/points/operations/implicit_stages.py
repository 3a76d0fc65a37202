"""What an implicit stage asks of a plant in generalised coordinates: how far it is from balance, and the matrix that
mends it.

A stage has coordinates q = q0 + s v and rates v = v0 + s a, with s a time and q0, v0 known. With nodes x(q), J and b as
in `generalised_motion`, and e what acts on coordinates themselves, Newton's method solves

    r = s^2 [J^T (f + G^T l - M (b + J (v - v0) / s)) + e]
    [ S    -(G J)^T ] [  dq  ]   [ r ]
    [ G J     0     ] [s^2 dl] = [ what residuals or their rates ask ]      S = -dr/dq where dv = dq / s

S is a central difference of r, coordinate by coordinate, since coordinates are few: so it has the bend of the map times
all forces, inertia that changes, velocity terms, and whatever any term does, with the states of terms that follow the
stage. r is exact, and only the speed of convergence depends on S. A difference across a kink, where a cable slackens,
would be of neither side, and Newton's method would stall: where it asks for another matrix, coordinates are moved by
less than the last change, so that S is of the side on which the stage comes to stand.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from taut.mechanics.operations.motion import all_forces
from taut.mechanics.parts import carry, impose, row_values, set_stage
from taut.mechanics.points.coordinate_terms import (
    coordinate_terms_in,
    impose_coordinates,
    imposed_count,
    push_coordinates,
)
from taut.mechanics.points.generalised_motion import (
    all_rows,
    dot,
    fill_rows,
    power_of_imposed,
    pull_back,
    stand,
)
from taut.mechanics.points.generalised_operations import states_begin
from taut.mechanics.points.generalised_tables import BEGIN, generalised_in, kept_count
from taut.mechanics.points.joints import columns, generalised_count
from taut.mechanics.points.operations.singularities import LATEST, passing_in
from taut.mechanics.rows.jacobian import add_transposed
from taut.mechanics.tables import (
    constants_in,
    coordinate_count,
    internal_count,
    jacobian_in,
    row_count,
    slot,
    term_state_count,
    term_states_in,
    work_in,
)
from taut.numerics.compiled import entry, inlined, kernel
from taut.numerics.dense_pivoting import factor_pivoted, solve_pivoted
from taut.numerics.packing import Integers, Pack, Reals, reader
from taut.numerics.pointers import shifted, start_of

KIND = "stages"
APART = 1e-6
"""How far a coordinate is moved for its difference: nodes by this fraction of a typical length at most, and their
speeds of a typical speed. What is left out is the square of it, and round-off is 1e-10 of the stiffest."""
BESIDE, LEAST = 0.1, 1e-4
"""Of the last change, how far a coordinate is moved where that is less; and how much less at most."""


class Stages(NamedTuple):
    """m coordinates, r rows, k = m + r unknowns."""

    order: Integers  # (2 k,) rows and columns that pivots were taken from
    matrix: Reals  # (k k,) scaled, and factored
    scale: Reals  # (k,) of unknowns and of equations
    unknown: Reals  # (k,)
    multiplier: Reals  # (r,) of the stage
    first_multiplier: Reals  # (r,) those at the start of the step
    reach: Reals  # (m,) how far each coordinate moves a node, at most along an axis
    change: Reals  # (1,) how far the last iteration moved nodes so [m]
    probe: Reals  # a state beside that of the stage
    ahead: Reals  # (m,) r at one side of it ...
    behind: Reals  # (m,) ... and at the other


stages_in = reader(Stages, slot(KIND))


def stage_space(coordinates: int, rows: int, state: int) -> Stages:
    """state: the size of one of coordinates."""
    m, k, zeros = coordinates, coordinates + rows, np.zeros
    return Stages(
        order=zeros(2 * k, dtype=np.int64),
        matrix=zeros(k * k),
        scale=zeros(k),
        unknown=zeros(k),
        multiplier=zeros(rows),
        first_multiplier=zeros(rows),
        reach=zeros(m),
        change=zeros(1),
        probe=zeros(state),
        ahead=zeros(m),
        behind=zeros(m),
    )


@kernel
def _unbalanced(p: Pack, t: float, y: np.ndarray, base: np.ndarray, s: float, out: np.ndarray) -> float:
    """out = r at a state, with v0 from `base`; returns the power of what does work."""
    made, work, pushed = generalised_in(p), work_in(p), stages_in(p).multiplier
    n, m, kept = coordinate_count(p), generalised_count(p), kept_count(p)
    nodal = stand(p, y, BEGIN)
    impose(p, t, nodal)
    impose_coordinates(p, t)
    set_stage(p, s)
    power = all_forces(p, t, nodal, work.force)
    set_stage(p, 0.0)
    columns(p, nodal, made.column)
    for k in range(row_count(p)):
        work.multiplier[k] = 0.0
    for r in range(all_rows(p)):
        made.multiplier[r] = pushed[r]
        if r < kept:
            work.multiplier[made.kept[r]] = pushed[r]
    row_values(p, nodal, jacobian_in(p).value)
    add_transposed(p, 1.0, work.multiplier, work.force)
    for k in range(m):
        column, change = shifted(made.column, k * n), (y[m + k] - base[m + k]) / s
        for i in range(n):
            made.bias[i] += column[i] * change  # what nodes are accelerated by at the stage
    pull_back(p, nodal, work.force, out)
    power += push_coordinates(p, t, y, out) + power_of_imposed(p, t, nodal)
    for c in range(imposed_count(p)):
        out[coordinate_terms_in(p).imposed[c]] += pushed[kept + c]
    for k in range(m):
        out[k] *= s * s
    return power


@inlined
def _reach(n: int, column: np.ndarray) -> float:
    """How far a coordinate moves a node, at most along an axis."""
    most = 0.0
    for i in range(n):
        most = max(most, abs(column[i]))
    return most


@kernel
def _fill_differences(p: Pack, t: float, y: np.ndarray, base: np.ndarray, s: float) -> None:
    """Fill S, with how far each coordinate is to be moved in `scale`."""
    stages, m, size = stages_in(p), generalised_count(p), generalised_count(p) + all_rows(p)
    for i in range(2 * m + 1 + internal_count(p)):
        stages.probe[i] = y[i]
    for k in range(m):
        there = y[k] + stages.scale[k]
        apart = there - y[k]  # what is left of it where coordinates are rounded
        stages.probe[k], stages.probe[m + k] = there, y[m + k] + apart / s
        _unbalanced(p, t, stages.probe, base, s, stages.ahead)
        stages.probe[k], stages.probe[m + k] = y[k] - apart, y[m + k] - apart / s
        _unbalanced(p, t, stages.probe, base, s, stages.behind)
        stages.probe[k], stages.probe[m + k] = y[k], y[m + k]
        for j in range(m):
            stages.matrix[j * size + k] = 0.5 * (stages.behind[j] - stages.ahead[j]) / apart


@entry
def factor_newton(p: Pack, t: float, y: np.ndarray, base: np.ndarray, s: float) -> int:
    """Factor the matrix at a state and for a time s [s], with the stage's multipliers; returns how many unknowns have
    no equation left."""
    made, stages, state, work = generalised_in(p), stages_in(p), start_of(y), work_in(p)
    n, m, count = coordinate_count(p), generalised_count(p), all_rows(p)
    size, typical = m + count, constants_in(p).scale
    nodal = stand(p, state, BEGIN)
    impose(p, t, nodal)
    columns(p, nodal, made.column)
    fill_rows(p, nodal)
    far = APART * typical[0] * min(1.0, s / typical[1])
    far = max(min(far, BESIDE * stages.change[0]), LEAST * far)
    for k in range(m):
        column = shifted(made.column, k * n)
        stages.reach[k] = max(_reach(n, column), 1e-300)
        stages.scale[k] = max(far / stages.reach[k], 1e-11 * abs(state[k]))
        carry(p, nodal, column, work.balance)
        made.speeds[k] = dot(n, column, work.balance)  # what it moves
    _fill_differences(p, t, state, start_of(base), s)
    for k in range(m):
        stages.scale[k] = 1.0 / math.sqrt(max(abs(stages.matrix[k * size + k]), made.speeds[k]))
    for r in range(count):
        row, length = shifted(made.rows, r * m), 0.0
        for k in range(m):
            length += row[k] * row[k] * stages.scale[k] * stages.scale[k]
        stages.scale[m + r] = 1.0 / math.sqrt(length) if length > 0.0 else 1.0
        for k in range(m):
            stages.matrix[(m + r) * size + k] = row[k]
            stages.matrix[k * size + m + r] = -row[k]
        for q in range(count):
            stages.matrix[(m + r) * size + m + q] = 0.0
    for i in range(size):
        for j in range(size):
            stages.matrix[i * size + j] *= stages.scale[i] * stages.scale[j]
    return factor_pivoted(stages.matrix, size, stages.order)


@entry
def newton_residual(p: Pack, t: float, y: np.ndarray, base: np.ndarray, s: float, out: np.ndarray) -> float:
    """out = r; returns the power of what does work."""
    passing = passing_in(p)
    passing.time[LATEST] = max(passing.time[LATEST], t)
    return _unbalanced(p, t, start_of(y), start_of(base), s, start_of(out))


@entry
def solve_newton(p: Pack, force: np.ndarray, rates: np.ndarray, direction: np.ndarray, gain: float) -> None:
    """direction = S^-1 (force + (G J)^T l) with G J direction = rates, after `factor_newton`; multipliers += gain l."""
    stages, m, count = stages_in(p), generalised_count(p), all_rows(p)
    given, wanted, out, x = start_of(force), start_of(rates), start_of(direction), stages.unknown
    for k in range(m):
        x[k] = stages.scale[k] * given[k]
    for r in range(count):
        x[m + r] = stages.scale[m + r] * wanted[r]
    solve_pivoted(stages.matrix, m + count, stages.order, x)
    change = 0.0
    for k in range(m):
        out[k] = stages.scale[k] * x[k]
        change = max(change, stages.reach[k] * abs(out[k]))
    if gain > 0.0:
        stages.change[0] = change
    for r in range(count):
        stages.multiplier[r] += gain * stages.scale[m + r] * x[m + r]


@entry
def finish_states(p: Pack, s: float, y: np.ndarray, rates: np.ndarray) -> None:
    """The end of a stage: y = z0 + s z' for the states of terms, and z' in the stage's rates."""
    states, state, out, begin = term_states_in(p), start_of(y), start_of(rates), states_begin(p)
    for k in range(term_state_count(p)):
        state[begin + k] += s * states.rate[k]
        out[begin + k] = states.rate[k]


@entry
def keep_multipliers(p: Pack) -> None:
    """Keep the multipliers that `rate` just found, as those from which every try of this step begins."""
    stages, found = stages_in(p), generalised_in(p).multiplier
    for r in range(all_rows(p)):
        stages.first_multiplier[r] = found[r]


@entry
def recall_multipliers(p: Pack) -> None:
    """Begin with the multipliers at the start of the step."""
    stages = stages_in(p)
    stages.change[0] = math.inf
    for r in range(all_rows(p)):
        stages.multiplier[r] = stages.first_multiplier[r]


STAGES = (factor_newton, newton_residual, solve_newton, finish_states, keep_multipliers, recall_multipliers)
"""What implicit steps ask beside motion."""
