"""The linear system of structures in which bars meet, or with other constraints: one sparse factor of [W G^T; G 0]."""

from __future__ import annotations

import numpy as np

from taut.mechanics.parts import fill_inertia, row_values
from taut.mechanics.tables import JACOBIAN, TRIPLES, coordinate_count, free_count, jacobian_in, nodes_in, slot, work_in
from taut.numerics.compiled import inlined, kernel, woven
from taut.numerics.lanes import most
from taut.numerics.packing import Pack, reader_at, size_of
from taut.numerics.saddle import Saddle, factorise_for, solve_begun

SADDLE = slot("saddle")
saddle_at = reader_at(Saddle)


@inlined
def prepare(p: Pack, metric: int, y: np.ndarray) -> int:
    """Write G, and what of M changes, into the saddle and factor it."""
    return _prepare_for(p, metric, y, work_in(p).top, work_in(p).bias, 0)


@kernel
def _prepare_for(p: Pack, metric: int, y: np.ndarray, top: np.ndarray, bottom: np.ndarray, begins: int) -> int:
    """The same; begins: 1 where a solve with this right-hand side is to be begun on the way."""
    jacobian, saddle, count = jacobian_in(p), saddle_at(p, SADDLE + metric), size_of(p, JACOBIAN)
    row_values(p, y, jacobian.value)
    for k in range(size_of(p, TRIPLES)):
        m, to = 3 * k, jacobian.triple[k]
        if to >= 0:  # the three axes of a node, mostly
            ux, uy, uz = jacobian.value[m], jacobian.value[m + 1], jacobian.value[m + 2]
            saddle.values[to], saddle.values[to + 1], saddle.values[to + 2] = ux, uy, uz
        else:
            for e in range(m, min(m + 3, count)):
                saddle.values[jacobian.place[e]] = jacobian.value[e]
    if metric == 0:
        fill_inertia(p, y, saddle.values)
    return factorise_for(saddle, top, bottom, begins)


@inlined
def _top(p: Pack, force: np.ndarray) -> np.ndarray:
    """Forces by unknowns, which are coordinates where nothing is held."""
    free, count, given = nodes_in(p).free, free_count(p), work_in(p).top
    if count == coordinate_count(p):
        given = force
    else:
        for m in range(count):
            given[m] = force[free[m]]
    return given


@kernel
def _solve_for(
    p: Pack, metric: int, given: np.ndarray, rates: np.ndarray, x: np.ndarray, multiplier: np.ndarray, begun: int
) -> None:
    """given: forces by unknowns. begun: 1 where this solve is begun already."""
    free, count, coordinates, found = nodes_in(p).free, free_count(p), coordinate_count(p), work_in(p).unknown
    if count == coordinates:
        found = x
    solve_begun(saddle_at(p, SADDLE + metric), given, rates, found, multiplier, begun)
    if count < coordinates:
        for i in range(coordinates):
            x[i] = 0.0
        for m in range(count):
            x[free[m]] = found[m]


@inlined
def solve(p: Pack, metric: int, force: np.ndarray, rates: np.ndarray, x: np.ndarray, multiplier: np.ndarray) -> None:
    _solve_for(p, metric, _top(p, force), rates, x, multiplier, 0)


@woven
def solve_motion(
    p: Pack, y: np.ndarray, force: np.ndarray, rates: np.ndarray, x: np.ndarray, multiplier: np.ndarray
) -> None:
    given = _top(p, force)
    failed = _prepare_for(p, 0, y, given, rates, 1) < 0
    _solve_for(p, 0, given, rates, x, multiplier, 1)
    if failed:
        x[nodes_in(p).free[0]] = np.nan  # no inertia left: let the state say so


@inlined
def weakest_pivot(p: Pack) -> float:
    """The smallest pivot of a row since the last call, relative to what it started from."""
    weakest = saddle_at(p, SADDLE).weakest
    least = -most(-weakest[0])
    weakest[0] = 1.0
    return least
