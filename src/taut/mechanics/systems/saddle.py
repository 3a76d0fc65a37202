"""The linear system of structures in which bars meet, or with other constraints: one sparse factor of [W G^T; G 0]."""

from __future__ import annotations

import numpy as np

from taut.mechanics.parts import fill_inertia, row_values
from taut.mechanics.tables import JACOBIAN, coordinate_count, free_count, jacobian_in, nodes_in, slot, work_in
from taut.numerics.compiled import inlined, kernel, woven
from taut.numerics.lanes import most
from taut.numerics.packing import Pack, reader_at, size_of
from taut.numerics.saddle import Saddle, factorise
from taut.numerics.saddle import solve as solve_factored

SADDLE = slot("saddle")
saddle_at = reader_at(Saddle)


@kernel
def prepare(p: Pack, metric: int, y: np.ndarray) -> int:
    """Write G, and what of M changes, into the saddle and factor it."""
    jacobian, saddle = jacobian_in(p), saddle_at(p, SADDLE + metric)
    row_values(p, y, jacobian.value)
    for m in range(size_of(p, JACOBIAN)):
        saddle.values[jacobian.place[m]] = jacobian.value[m]
    if metric == 0:
        fill_inertia(p, y, saddle.values)
    return factorise(saddle)


@kernel
def solve(p: Pack, metric: int, force: np.ndarray, rates: np.ndarray, x: np.ndarray, multiplier: np.ndarray) -> None:
    free, work, count, coordinates = nodes_in(p).free, work_in(p), free_count(p), coordinate_count(p)
    given, found = work.top, work.unknown
    if count == coordinates:  # nothing is held: unknowns are coordinates
        given, found = force, x
    else:
        for m in range(count):
            given[m] = force[free[m]]
    solve_factored(saddle_at(p, SADDLE + metric), given, rates, found, multiplier)
    if count < coordinates:
        for i in range(coordinates):
            x[i] = 0.0
        for m in range(count):
            x[free[m]] = found[m]


@woven
def solve_motion(
    p: Pack, y: np.ndarray, force: np.ndarray, rates: np.ndarray, x: np.ndarray, multiplier: np.ndarray
) -> None:
    failed = prepare(p, 0, y) < 0
    solve(p, 0, force, rates, x, multiplier)
    if failed:
        x[nodes_in(p).free[0]] = np.nan  # no inertia left: let the state say so


@inlined
def weakest_pivot(p: Pack) -> float:
    """The smallest pivot of a row since the last call, relative to what it started from."""
    weakest = saddle_at(p, SADDLE).weakest
    least = -most(-weakest[0])
    weakest[0] = 1.0
    return least
