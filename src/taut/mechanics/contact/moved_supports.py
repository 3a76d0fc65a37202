"""Supports that move, in a step with impulses: they go evenly from where they are to where they are to be, and what
that takes of them is an impulse in each half of the step, like those of contacts."""

from __future__ import annotations

import numpy as np

from taut.mechanics.contact.closed_contacts import add_impulses
from taut.mechanics.contact.responses import responses_in
from taut.mechanics.parts import carry, impose, row_values, solve_system
from taut.mechanics.rows.jacobian import add_transposed
from taut.mechanics.tables import constants_in, coordinate_count, free_count, jacobian_in, nodes_in, row_count, work_in
from taut.numerics.compiled import entry, inlined
from taut.numerics.packing import Pack
from taut.numerics.pointers import shifted, start_of


@entry
def even_supports(p: Pack, end: float, h: float, y: np.ndarray, trial: np.ndarray) -> None:
    """Put supports where they are at the end of a step of h from y, and give them the velocity that leads there."""
    begun, ended, n, free, m = start_of(y), start_of(trial), coordinate_count(p), nodes_in(p).free, 0
    impose(p, end, ended)
    for i in range(n):
        if m < free_count(p) and free[m] == i:
            m += 1
        else:
            ended[n + i] = (ended[i] - begun[i]) / h


@inlined
def _change(p: Pack, before: np.ndarray, v: np.ndarray, held: bool, out: np.ndarray) -> None:
    """Of the velocities of held coordinates, or of free ones; zero for the others."""
    free, m = nodes_in(p).free, 0
    for i in range(coordinate_count(p)):
        is_free = m < free_count(p) and free[m] == i
        m += int(is_free)
        out[i] = v[i] - before[i] if is_free != held else 0.0


@entry
def lead_supports(p: Pack, h: float, before: np.ndarray, trial: np.ndarray, force: np.ndarray) -> None:
    """Take out of the force of half a step of h what the change of the supports' velocities asks of the masses."""
    work, out = work_in(p), start_of(force)
    _change(p, start_of(before), shifted(start_of(trial), coordinate_count(p)), True, responses_in(p).swept)
    carry(p, start_of(trial), responses_in(p).swept, work.balance)
    for i in range(coordinate_count(p)):
        out[i] -= 2.0 / h * work.balance[i]


@entry
def support_work(
    p: Pack, h: float, place: np.ndarray, before: np.ndarray, trial: np.ndarray, force: np.ndarray
) -> float:
    """Work of the supports in half a step of h [J], with the mean of the velocities before and after it.

    place: a state with the positions at which the system was prepared. force: as `lead_supports` left it. What changed
    the momentum of free coordinates beside forces and contacts came from bars, and tells with how much they pushed.
    """
    made, work, n = responses_in(p), work_in(p), coordinate_count(p)
    begun, v, pushed = start_of(before), shifted(start_of(trial), n), start_of(force)
    _change(p, begun, v, False, made.swept)
    carry(p, start_of(place), made.swept, work.balance)
    for i in range(n):
        work.balance[i] -= 0.5 * h * pushed[i]
    add_impulses(p, -1.0, work.balance)
    for k in range(row_count(p)):
        work.residual_rate[k] = 0.0
    solve_system(p, constants_in(p).metric[0], work.balance, work.residual_rate, made.swept, work.multiplier)
    row_values(p, start_of(place), jacobian_in(p).value)
    add_transposed(p, 1.0, work.multiplier, work.balance)
    total, free, m = 0.0, nodes_in(p).free, 0
    for i in range(n):
        if m < free_count(p) and free[m] == i:
            m += 1
        else:
            total += 0.5 * work.balance[i] * (begun[i] + v[i])
    return total
