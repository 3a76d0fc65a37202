"""The linear system by iteration, for class-k structures that fill space.

There no order of elimination is good: the factor of a cube of n^3 nodes grows like n^4. Preconditioned MINRES (Paige
and Saunders 1975) needs a product with the matrix an iteration and a few vectors; the preconditioner is the diagonal of
W and of G diag(W)^-1 G^T. It begins from zero every time, so that a state alone says what its acceleration is, and a
run in two parts is still the same as one. Rows that depend on others do no harm: their multipliers are the smallest.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from taut.mechanics.inertia.thin import rod_count, thin_in
from taut.mechanics.parts import row_values
from taut.mechanics.rows.bars import bar_count
from taut.mechanics.tables import coordinate_count, jacobian_in, row_count, slot
from taut.numerics.compiled import inlined, kernel
from taut.numerics.fours import four, none_of, put
from taut.numerics.fours import total as total_of
from taut.numerics.lanes import some, where
from taut.numerics.packing import MOST_PARTS, Pack, Reals, reader_at, size_of
from taut.numerics.pointers import shifted


class Minres(NamedTuple):
    """Vectors are 3 n + r numbers long, and up to three zeros that make them v = 4, 8, 12, ..."""

    mass: Reals  # (3 n,) diagonal of W at free coordinates, zero at held ones [kg]
    coupling: Reals  # (b,) W between the ends of each bar [kg]
    scaling: Reals  # (v,) inverse diagonal of the preconditioner, zero at held coordinates, work space
    room: Reals  # (9 v,) vectors of the iteration, work space


MINRES = slot("minres")
SCALING = Minres._fields.index("scaling")
minres_at = reader_at(Minres)


def minres_of(mass: np.ndarray, coupling: np.ndarray, rows: int) -> Minres:
    """With room for vectors over all coordinates and rows."""
    size = -4 * (-(mass.size + rows) // 4)
    return Minres(mass, coupling, np.zeros(size), np.zeros(9 * size))


CLOSE = 1e-14
"""A residual of this fraction of the right-hand side, both in the preconditioner's norm, is as good as none."""
GIVEN_UP = 1e5
"""A residual so many times larger is no solution."""
ROUNDS, MOST = 3, 3000
"""Solutions are refined so often, with so many iterations at most."""


@inlined
def _inverse(number: float) -> float:
    """1 / number, or zero of zero."""
    return where(number > 0.0, 1.0, 0.0) / where(number > 0.0, number, 1.0)


@kernel
def prepare(p: Pack, metric: int, y: np.ndarray) -> int:
    """Fill G, and scale its rows by what the diagonal of W makes of them."""
    jacobian, minres, n = jacobian_in(p), minres_at(p, MINRES + metric), coordinate_count(p)
    scaling, value = minres.scaling, jacobian.value
    row_values(p, y, value)
    for i in range(n):
        scaling[i] = _inverse(minres.mass[i])
    for k in range(row_count(p)):
        soft = 0.0
        for m in range(jacobian.start[k], jacobian.start[k + 1]):
            soft += value[m] * value[m] * scaling[jacobian.coordinate[m]]
        scaling[n + k] = _inverse(soft)
    return 0


@inlined
def _multiply(p: Pack, minres: Minres, x: np.ndarray, out: np.ndarray) -> None:
    """out = [W G^T; G 0] x, where x is zero at held coordinates; what is there of `out` is to be left alone."""
    jacobian, thin, n = jacobian_in(p), thin_in(p), coordinate_count(p)
    for i in range(n):
        out[i] = minres.mass[i] * x[i]
    for k in range(bar_count(p)):  # a bar's coupling and its row at once
        i, j, c, force, at = thin.first[k], thin.second[k], minres.coupling[k], x[n + k], 6 * k + 3
        ax, ay, az, bx, by, bz = x[i], x[i + 1], x[i + 2], x[j], x[j + 1], x[j + 2]
        ux, uy, uz = jacobian.value[at], jacobian.value[at + 1], jacobian.value[at + 2]
        out[n + k] = ux * (bx - ax) + uy * (by - ay) + uz * (bz - az)
        px, py, pz = force * ux, force * uy, force * uz
        ax, ay, az, bx, by, bz = c * bx - px, c * by - py, c * bz - pz, c * ax + px, c * ay + py, c * az + pz
        out[i] += ax
        out[i + 1] += ay
        out[i + 2] += az
        out[j] += bx
        out[j + 1] += by
        out[j + 2] += bz
    for k in range(bar_count(p), rod_count(p)):
        i, j, c = thin.first[k], thin.second[k], minres.coupling[k]
        for axis in range(3):
            out[i + axis] += c * x[j + axis]
            out[j + axis] += c * x[i + axis]
    for k in range(bar_count(p), row_count(p)):
        force, rate = x[n + k], 0.0
        for m in range(jacobian.start[k], jacobian.start[k + 1]):
            i, g = jacobian.coordinate[m], jacobian.value[m]
            out[i] += force * g
            rate += g * x[i]
        out[n + k] = rate


@kernel
def solve(p: Pack, metric: int, force: np.ndarray, rates: np.ndarray, x: np.ndarray, multiplier: np.ndarray) -> None:
    number = MINRES + metric
    minres, n, rows, size = (
        minres_at(p, number),
        coordinate_count(p),
        row_count(p),
        size_of(p, MOST_PARTS * number + SCALING),
    )
    total, rest, image = minres.room, shifted(minres.room, size), shifted(minres.room, 2 * size)
    for i in range(n):
        rest[i] = where(minres.mass[i] > 0.0, force[i], 0.0)
    for k in range(rows):
        rest[n + k] = rates[k]
    for i in range(size):
        total[i] = 0.0
    target = CLOSE * _norm(minres.scaling, rest, size)
    for _ in range(ROUNDS):
        if not some(_norm(minres.scaling, rest, size) > target):
            break
        found = _minres(p, minres, rest, target, size)
        for i in range(size):
            total[i] += found[i]
        _multiply(p, minres, total, image)
        for i in range(n):
            rest[i] = where(minres.mass[i] > 0.0, force[i], 0.0) - image[i]
        for k in range(rows):
            rest[n + k] = rates[k] - image[n + k]
    solved = _norm(minres.scaling, rest, size) <= GIVEN_UP * target
    for i in range(n):
        x[i] = where(solved, total[i], np.nan)  # no solution: let the state say so
    for k in range(rows):
        multiplier[k] = -total[n + k]


@inlined
def solve_motion(
    p: Pack, y: np.ndarray, force: np.ndarray, rates: np.ndarray, x: np.ndarray, multiplier: np.ndarray
) -> None:
    prepare(p, 0, y)
    solve(p, 0, force, rates, x, multiplier)


@inlined
def _norm(scaling: np.ndarray, vector: np.ndarray, size: int) -> float:
    """In the metric of the preconditioner."""
    sums = none_of(four(scaling, 0))  # four sums side by side: one alone would wait for itself
    for i in range(0, size, 4):
        v = four(vector, i)
        sums = sums + four(scaling, i) * v * v
    return math.sqrt(total_of(sums))


@inlined
def _minres(p: Pack, minres: Minres, given: np.ndarray, target: float, size: int) -> np.ndarray:
    """The solution for a right-hand side as far as the target asks; returns where it stands."""
    scaling, room = minres.scaling, minres.room
    found, older, old = shifted(room, 3 * size), shifted(room, 4 * size), shifted(room, 5 * size)
    z, before, last = shifted(room, 6 * size), shifted(room, 7 * size), shifted(room, 8 * size)
    image = shifted(room, 2 * size)
    gamma, gamma_before = _norm(scaling, given, size), 1.0
    eta, per_gamma = gamma, _inverse(gamma)
    none = none_of(four(scaling, 0))
    for i in range(0, size, 4):
        put(found, i, none)
        put(older, i, none)
        put(old, i, four(given, i))
        put(before, i, none)
        put(last, i, none)
        put(z, i, per_gamma * (four(scaling, i) * four(given, i)))
    s_before, s, c_before, c = 0.0, 0.0, 1.0, 1.0
    for _ in range(MOST):
        _multiply(p, minres, z, image)
        sums = none
        for i in range(0, size, 4):
            sums = sums + four(image, i) * four(z, i)
        delta = total_of(sums)
        step, back = delta * per_gamma, gamma * _inverse(gamma_before)
        sums = none
        for i in range(0, size, 4):
            v = four(image, i) - (step * four(old, i) + back * four(older, i))
            put(older, i, v)
            sums = sums + four(scaling, i) * v * v
        old, older = older, old
        gamma_next = math.sqrt(total_of(sums))
        a0 = c * delta - c_before * s * gamma
        a1 = math.sqrt(a0 * a0 + gamma_next * gamma_next)
        a2, a3 = s * delta + c_before * c * gamma, s_before * gamma
        per_a1, per_gamma = _inverse(a1), _inverse(gamma_next)
        c_before, s_before, c, s = c, s, a0 * per_a1, gamma_next * per_a1
        way = c * eta
        for i in range(0, size, 4):
            direction = per_a1 * (four(z, i) - a3 * four(before, i) - a2 * four(last, i))
            put(before, i, direction)
            put(found, i, four(found, i) + way * direction)
            put(z, i, per_gamma * (four(scaling, i) * four(old, i)))
        before, last = last, before
        eta = -s * eta
        gamma_before, gamma = gamma, gamma_next
        if not some(abs(eta) > target):
            break
    return found
