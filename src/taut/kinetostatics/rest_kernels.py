"""Newton's method to rest, compiled: balance and constraints of a plant's own terms and rows, solved dense.

With forces f and multipliers l of a plant, rows c and G = dc/dq, over the free coordinates:

    [K  G^T] [  dq ]   [ f + G^T l ]
    [G   0 ] [ -dl ] = [    -c     ],     K = -d(f + G^T l)/dq

Every force, row and stiffness is that of the plant's composition, at velocities of zero. Nothing is allocated: all work
space is in the table. Stationary points of any kind are found, saddles of the energy too.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from taut.mechanics.operations.motion import all_forces
from taut.mechanics.parts import row_residuals, row_stiffness, row_values, term_stiffness
from taut.mechanics.rows.jacobian import add_transposed
from taut.mechanics.tables import coordinate_count, free_count, jacobian_in, nodes_in, part_of, row_count, slot, work_in
from taut.numerics.compiled import entry, inlined, kernel
from taut.numerics.packing import Integers, Pack, Reals, reader, size_of
from taut.numerics.pointers import shifted, start_of

SINGULAR = 1e-14
"""A pivot below this part of the largest entry: nothing says where to go."""


class Rest(NamedTuple):
    """m links of terms and rows, f free coordinates, r rows; s = f + r."""

    first: Integers  # (m,) nodes of links
    second: Integers  # (m,) or -1 for the ground
    one_way: Integers  # (m,)
    unknown: Integers  # (3 n,) the place of a coordinate among the free ones, -1 where it is held
    load: Reals  # (3 n,) constant forces [N]
    multiplier: Reals  # (r,) [N]
    block: Reals  # (9 m,)
    brace: Reals  # (r,)
    matrix: Reals  # (s s,) row after row; factored in place
    right: Reals  # (s,)
    order: Integers  # (s,) rows as they were exchanged
    unit: Reals  # (1,) [N/m] by which lengths are made forces while the matrix is factored


rest_in = reader(Rest, slot("rest"))
LINKS = part_of("rest", Rest, "first")
MULTIPLIER, LOAD, MATRIX, RIGHT = (part_of("rest", Rest, name) for name in ("multiplier", "load", "matrix", "right"))


@kernel
def fill_right(p: Pack, y: np.ndarray) -> tuple[float, float]:
    """Fill the right side at a place; returns the largest force [N] and the largest residual [m]."""
    rest, work, free, rows, n = rest_in(p), work_in(p), nodes_in(p).free, row_count(p), coordinate_count(p)
    all_forces(p, 0.0, y, work.force)
    row_values(p, y, jacobian_in(p).value)
    add_transposed(p, 1.0, rest.multiplier, work.force)
    row_residuals(p, y, work.residual, work.residual_rate)
    left, off = 0.0, 0.0
    for i in range(n):
        work.force[i] += rest.load[i]
    for m in range(free_count(p)):
        rest.right[m] = work.force[free[m]]
        left = max(left, abs(rest.right[m]))
    for k in range(rows):
        rest.right[free_count(p) + k] = -work.residual[k]
        off = max(off, abs(work.residual[k]))
    return left, off


@inlined
def _add_block(p: Pack, i: int, j: int, sign: float, block: np.ndarray) -> None:
    rest, size = rest_in(p), free_count(p) + row_count(p)
    for a in range(3):
        row = rest.unknown[i + a]
        if row >= 0:
            for b in range(3):
                column = rest.unknown[j + b]
                if column >= 0:
                    rest.matrix[row * size + column] += sign * block[3 * a + b]


@kernel
def fill_matrix(p: Pack, y: np.ndarray) -> None:
    """Fill the matrix at a place; after `fill_right`, which fills G."""
    rest, jacobian, count, rows = rest_in(p), jacobian_in(p), free_count(p), row_count(p)
    size = count + rows
    for e in range(size * size):
        rest.matrix[e] = 0.0
    for k in range(rows):
        rest.brace[k] = 0.0
    filled = term_stiffness(p, 0.0, y, 1.0, 0.0, 1.0, 1.0, rest.block)
    row_stiffness(p, y, rest.multiplier, 1.0, 1.0, rest.brace, shifted(rest.block, filled))
    for m in range(size_of(p, LINKS)):
        i, j, block = rest.first[m], rest.second[m], shifted(rest.block, 9 * m)
        _add_block(p, i, i, 1.0, block)
        if j >= 0:
            _add_block(p, i, j, -1.0, block)
            if rest.one_way[m] == 0:
                _add_block(p, j, i, -1.0, block)
                _add_block(p, j, j, 1.0, block)
    for k in range(rows):
        bare = True
        for e in range(jacobian.start[k], jacobian.start[k + 1]):
            column = rest.unknown[jacobian.coordinate[e]]
            if column >= 0 and jacobian.value[e] != 0.0:
                rest.matrix[(count + k) * size + column] += jacobian.value[e]
                rest.matrix[column * size + count + k] += jacobian.value[e]
                bare = False
        if bare:  # of a slack cable: its multiplier stays what it is
            rest.matrix[(count + k) * size + count + k] = 1.0


@inlined
def _balance_units(p: Pack) -> float:
    """Count G in the largest entry of K, or its pivots, one over K, are nothing beside K; returns the largest entry."""
    rest, count, size = rest_in(p), free_count(p), free_count(p) + row_count(p)
    unit, most = 0.0, 0.0
    for m in range(count):
        for e in range(count):
            unit = max(unit, abs(rest.matrix[m * size + e]))
    unit = unit if unit > 0.0 else 1.0
    for k in range(count, size):
        for m in range(count):
            rest.matrix[k * size + m] *= unit
            rest.matrix[m * size + k] *= unit
            most = max(most, abs(rest.matrix[k * size + m]))
        rest.matrix[k * size + k] *= unit * unit
    rest.unit[0] = unit
    return max(unit, most)


@kernel
def factor(p: Pack) -> bool:
    """L U in place, rows exchanged for the largest pivot; False where there is none."""
    rest, size = rest_in(p), free_count(p) + row_count(p)
    most = _balance_units(p)
    for c in range(size):
        best, at = 0.0, c
        for r in range(c, size):
            if abs(rest.matrix[r * size + c]) > best:
                best, at = abs(rest.matrix[r * size + c]), r
        rest.order[c] = at
        if not best > SINGULAR * most:
            return False
        if at != c:
            for e in range(size):
                rest.matrix[c * size + e], rest.matrix[at * size + e] = (
                    rest.matrix[at * size + e],
                    rest.matrix[c * size + e],
                )
        pivot = shifted(rest.matrix, c * size)
        for r in range(c + 1, size):
            row = shifted(rest.matrix, r * size)
            if row[c] != 0.0:
                ratio = row[c] / pivot[c]
                row[c] = ratio
                for e in range(c + 1, size):
                    row[e] -= ratio * pivot[e]
    return True


@kernel
def solve(p: Pack, right: np.ndarray) -> None:
    """In place, after `factor`."""
    rest, count, size = rest_in(p), free_count(p), free_count(p) + row_count(p)
    for k in range(count, size):
        right[k] *= rest.unit[0]
    for c in range(size):
        at = rest.order[c]
        right[c], right[at] = right[at], right[c]
    for r in range(size):
        total = right[r]
        for e in range(r):
            total -= rest.matrix[r * size + e] * right[e]
        right[r] = total
    for back in range(size):
        r = size - 1 - back
        total = right[r]
        for e in range(r + 1, size):
            total -= rest.matrix[r * size + e] * right[e]
        right[r] = total / rest.matrix[r * size + r]
    for k in range(count, size):
        right[k] *= rest.unit[0]


@kernel
def move(p: Pack, y: np.ndarray, share: float) -> None:
    """By a share of the step that stands in the right side."""
    rest, free, count = rest_in(p), nodes_in(p).free, free_count(p)
    for m in range(count):
        y[free[m]] += share * rest.right[m]
    for k in range(row_count(p)):
        rest.multiplier[k] -= share * rest.right[count + k]


@entry
def evaluate(p: Pack, y: np.ndarray) -> tuple[float, float]:
    """Fill matrix and right side at a place; returns the largest force [N] and residual [m] that are left."""
    state = start_of(y)
    left, off = fill_right(p, state)
    fill_matrix(p, state)
    return left, off


@entry
def unbalanced(p: Pack, y: np.ndarray) -> tuple[float, float]:
    """Fill the right side alone."""
    return fill_right(p, start_of(y))


@entry
def settle(p: Pack, y: np.ndarray, steps: int, tolerance: float) -> tuple[float, float, int]:
    """At most so many of Newton's steps, in full, from a place that is near; returns what is left [N], [m], and how
    many steps were made, or -1 where a matrix is singular."""
    state = start_of(y)
    left, off = fill_right(p, state)
    for made in range(steps):
        if (left <= tolerance and off <= tolerance) or not math.isfinite(left + off):
            return left, off, made
        fill_matrix(p, state)
        if not factor(p):
            return left, off, -1
        solve(p, rest_in(p).right)
        move(p, state, 1.0)
        left, off = fill_right(p, state)
    return left, off, steps
