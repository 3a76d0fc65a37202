"""The system of `taut.mechanics.systems` by iteration, for class-k structures that fill space.

There no order of elimination is good: the factor of a cube of n^3 nodes grows like n^4. Preconditioned MINRES (Paige
and Saunders 1975) needs a product with the matrix an iteration and a few vectors; the preconditioner is the diagonal of
W and of G diag(W)^-1 G^T. It begins from zero every time, so that a state alone says what its acceleration is, and a
run in two parts is still the same as one. Rows that depend on others do no harm: their multipliers are the smallest.
"""

from __future__ import annotations

import math

import numpy as np

from taut.mechanics.tables import Bars, Guides, Krylov
from taut.mechanics.unpacking import Sizes, bars_in, guides_in, krylov_in, sizes_in
from taut.numerics.compiled import inlined, kernel
from taut.numerics.lanes import some, where
from taut.numerics.packing import Pack
from taut.numerics.pointers import shifted

CLOSE = 1e-14
"""A residual of this fraction of the right-hand side, both in the preconditioner's norm, is as good as none."""
GIVEN_UP = 1e5
"""A residual so many times larger is no solution."""
ROUNDS, MOST = 3, 3000
"""Solutions are refined so often, with so many iterations at most."""


@inlined
def _inverse(number: float) -> float:
    """1 / number, or zero of zero."""
    return where(number > 0.0, 1.0, 0.0) / where(number > 0.0, number, 1.0)  # type: ignore[no-any-return]


@kernel
def prepare_iteration(p: Pack, at: int, y: np.ndarray) -> int:
    """Remember the positions and scale the rows of G by what the diagonal of W makes of them."""
    bars, guides, krylov, sizes = bars_in(p), guides_in(p), krylov_in(p, at), sizes_in(p)
    n = sizes.coordinates
    scaling = krylov.scaling
    for i in range(n):
        krylov.place[i] = y[i]
        scaling[i] = _inverse(krylov.mass[i])
    for k in range(sizes.bars):
        i, j = bars.first[k], bars.second[k]
        soft = 0.0
        for axis in range(3):
            u = (y[j + axis] - y[i + axis]) * bars.per_length[k]
            soft += u * u * (scaling[i + axis] + scaling[j + axis])
        scaling[n + k] = _inverse(soft)
    for k in range(sizes.guides):
        soft = 0.0
        for m in range(guides.start[k], guides.start[k + 1]):
            soft += guides.coefficient[m] * guides.coefficient[m] * scaling[guides.coordinate[m]]
        scaling[n + sizes.bars + k] = _inverse(soft)
    return 0


@inlined
def _multiply(bars: Bars, guides: Guides, krylov: Krylov, sizes: Sizes, x: np.ndarray, out: np.ndarray) -> None:
    """out = [W G^T; G 0] x, with nothing at held coordinates."""
    n, place = sizes.coordinates, krylov.place
    for i in range(n):
        out[i] = krylov.mass[i] * x[i]
    for k in range(sizes.rods):
        i, j, c = bars.first[k], bars.second[k], krylov.coupling[k]
        for axis in range(3):
            out[i + axis] += c * x[j + axis]
            out[j + axis] += c * x[i + axis]
    for k in range(sizes.bars):
        i, j = bars.first[k], bars.second[k]
        force, rate = x[n + k] * bars.per_length[k], 0.0
        for axis in range(3):
            u = place[j + axis] - place[i + axis]
            out[i + axis] -= force * u
            out[j + axis] += force * u
            rate += u * (x[j + axis] - x[i + axis])
        out[n + k] = rate * bars.per_length[k]
    for k in range(sizes.guides):
        row = n + sizes.bars + k
        out[row] = 0.0
        for m in range(guides.start[k], guides.start[k + 1]):
            i = guides.coordinate[m]
            out[i] += guides.coefficient[m] * x[row]
            out[row] += guides.coefficient[m] * x[i]
    for i in range(n):
        out[i] = where(krylov.mass[i] > 0.0, out[i], 0.0)


@kernel
def solve_iteration(
    p: Pack, at: int, covector: np.ndarray, rates: np.ndarray, x: np.ndarray, multiplier: np.ndarray
) -> None:
    """W x = covector + G^T l, G x = rates at the positions prepared."""
    bars, guides, krylov, sizes = bars_in(p), guides_in(p), krylov_in(p, at), sizes_in(p)
    n, rows, size = sizes.coordinates, sizes.bars + sizes.guides, sizes.coordinates + sizes.bars + sizes.guides
    total, rest, image = krylov.room, shifted(krylov.room, size), shifted(krylov.room, 2 * size)
    for i in range(n):
        rest[i] = where(krylov.mass[i] > 0.0, covector[i], 0.0)
    for k in range(rows):
        rest[n + k] = rates[k]
    for i in range(size):
        total[i] = 0.0
    target = CLOSE * _norm(krylov.scaling, rest, size)
    for _ in range(ROUNDS):
        if not some(_norm(krylov.scaling, rest, size) > target):
            break
        found = _minres(p, at, rest, target, size)
        for i in range(size):
            total[i] += found[i]
        _multiply(bars, guides, krylov, sizes, total, image)
        for i in range(n):
            rest[i] = where(krylov.mass[i] > 0.0, covector[i], 0.0) - image[i]
        for k in range(rows):
            rest[n + k] = rates[k] - image[n + k]
    solved = _norm(krylov.scaling, rest, size) <= GIVEN_UP * target
    for i in range(n):
        x[i] = where(solved, total[i], np.nan)  # no solution: let the state say so
    for k in range(rows):
        multiplier[k] = -total[n + k]


@inlined
def _norm(scaling: np.ndarray, vector: np.ndarray, size: int) -> float:
    """In the metric of the preconditioner."""
    total = 0.0
    for i in range(size):
        total += scaling[i] * vector[i] * vector[i]
    return math.sqrt(total)


@inlined
def _minres(p: Pack, at: int, given: np.ndarray, target: float, size: int) -> np.ndarray:
    """The solution for a right-hand side as far as the target asks; returns where it stands."""
    bars, guides, krylov, sizes = bars_in(p), guides_in(p), krylov_in(p, at), sizes_in(p)
    scaling, room = krylov.scaling, krylov.room
    found, older, old = shifted(room, 3 * size), shifted(room, 4 * size), shifted(room, 5 * size)
    z, before, last = shifted(room, 6 * size), shifted(room, 7 * size), shifted(room, 8 * size)
    image = shifted(room, 2 * size)
    for i in range(size):
        found[i] = 0.0
        older[i] = 0.0
        old[i] = given[i]
        before[i] = 0.0
        last[i] = 0.0
        z[i] = scaling[i] * given[i]
    gamma, gamma_before = _norm(scaling, given, size), 1.0
    eta = gamma
    s_before, s, c_before, c = 0.0, 0.0, 1.0, 1.0
    for _ in range(MOST):
        per_gamma = _inverse(gamma)
        for i in range(size):
            z[i] *= per_gamma
        _multiply(bars, guides, krylov, sizes, z, image)
        delta = 0.0
        for i in range(size):
            delta += image[i] * z[i]
        step, back = delta * per_gamma, gamma * _inverse(gamma_before)
        norm = 0.0
        for i in range(size):
            image[i] -= step * old[i] + back * older[i]
            norm += scaling[i] * image[i] * image[i]
        gamma_next = math.sqrt(norm)
        a0 = c * delta - c_before * s * gamma
        a1 = math.sqrt(a0 * a0 + gamma_next * gamma_next)
        a2, a3 = s * delta + c_before * c * gamma, s_before * gamma
        per_a1 = _inverse(a1)
        c_before, s_before, c, s = c, s, a0 * per_a1, gamma_next * per_a1
        way = c * eta
        for i in range(size):
            direction = (z[i] - a3 * before[i] - a2 * last[i]) * per_a1
            before[i] = last[i]
            last[i] = direction
            found[i] += way * direction
            older[i] = old[i]
            old[i] = image[i]
            z[i] = scaling[i] * image[i]
        eta = -s * eta
        gamma_before, gamma = gamma, gamma_next
        if not some(abs(eta) > target):
            break
    return found  # type: ignore[no-any-return]
