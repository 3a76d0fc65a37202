"""Sparse systems [A G^T; G 0] [x; y] = [top; bottom] with A symmetric and positive where G x = 0.

What is factored is [A + c G^T G, G^T; G, -d]: the same solution for x and y but for d, which is small. If A is positive
on the null space of G, this matrix is quasi-definite (Vanderbei 1995, "Symmetric quasidefinite matrices"): it can be
eliminated in any order without pivoting, rows of G may depend on one another, and it has one negative pivot for every
row of G. Pivots more negative than that count the directions in which A is negative on the null space of G, by
Sylvester's law of inertia.

`factored` is direct. `preconditioned` is conjugate gradients in the null space of G (Gould, Hribar and Nocedal 2001,
"On the solution of equality constrained quadratic programming problems"), for systems whose factors would not fit.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any, Protocol

import numpy as np
import scipy.sparse as sp

SLACK = 1e-3
"""The lower right block in units of 1 / c. Eliminated first, it costs as many digits; each refinement takes this
fraction of the error it makes."""

WEIGHT = 3.0
"""c in units of the largest stiffness: more than one, so that a negative diagonal is outweighed along the rows."""

REFINEMENTS = 3

STUCK = 1e-8
"""What refinements leave of the right side at most, where no row all but depends on others."""

SHRINKING = 0.98
"""Of two corrections the later is smaller by this at least, where there is something to be corrected."""

KRYLOV = 12
"""Directions that are kept where they leave more."""

DEPENDENT = 1e-10
"""Added to the diagonal of G D^-1 G^T against its largest, since rows may depend on one another."""

CURVATURE = 1e-14
"""Conjugate gradients take a direction for one without stiffness below this fraction of the largest seen."""


class Solver(Protocol):
    """Something that solves with one matrix again and again."""

    negative: int

    def solve(self, top: np.ndarray, bottom: np.ndarray | None = None) -> tuple[np.ndarray, np.ndarray]: ...


@dataclass
class Factored:
    """A factorisation. negative: directions in which A is negative on the null space of G; -1 if it broke down.

    weakest: the smallest pivot of A against the largest entry of its diagonal, a hint of singularity.
    pivots: of every unknown, then of every row; none if it broke down.
    """

    lu: Any
    matrix: sp.csc_matrix
    rows: sp.csr_matrix
    weight: float
    negative: int
    weakest: float
    pivots: np.ndarray

    @cached_property
    def _across(self) -> sp.csc_matrix:
        """G^T, which scipy takes as long to name as to multiply by where it is small."""
        return self.rows.T

    def solve(self, top: np.ndarray, bottom: np.ndarray | None = None) -> tuple[np.ndarray, np.ndarray]:
        """x and y, refined to the system without the slack; where rows depend on one another y is one of many.

        Right sides may be columns, (f, c) and (r, c).
        """
        size = self.matrix.shape[0]
        right = np.zeros((size + self.rows.shape[0], *top.shape[1:]))
        right[:size] = top
        if bottom is not None and bottom.size:
            right[:size] += self.weight * (self._across @ bottom)
            right[size:] = bottom
        found = self.lu.solve(right)
        sizes = []
        for _ in range(REFINEMENTS):
            more = self.lu.solve(right - self._times(found))
            found += more
            sizes.append(np.linalg.norm(more, axis=0))
        # Corrections of the same size again and again come from rows that contradict one another.
        shrinking = np.atleast_1d(sizes[-1] < SHRINKING * sizes[-2])
        if shrinking.any():
            left, wanted = (np.linalg.norm(part, axis=0) for part in (right - self._times(found), right))
            stuck = shrinking & np.isfinite(left) & (left > STUCK * wanted)
            columns, sides = found.reshape(len(found), -1), right.reshape(len(found), -1)
            for k in np.flatnonzero(stuck):
                columns[:, k] = self._unstuck(columns[:, k], sides[:, k])
        return found[:size], found[size:]

    def _times(self, found: np.ndarray) -> np.ndarray:
        """The system without the slack, times x and y."""
        x, y = np.split(found, [self.matrix.shape[0]])
        stretched = self.rows @ x
        return np.concatenate([self.matrix @ x + self._across @ (y + self.weight * stretched), stretched])

    def _unstuck(self, found: np.ndarray, right: np.ndarray) -> np.ndarray:
        """Where rows all but depend on one another refinements hardly move: a few directions that GMRES picks out."""
        from scipy.sparse.linalg import LinearOperator, gmres

        left = right - self._times(found)
        size = float(np.linalg.norm(left))
        shape = (right.size, right.size)
        system, solver = LinearOperator(shape, matvec=self._times), LinearOperator(shape, matvec=self.lu.solve)
        more, _ = gmres(system, left, M=solver, rtol=1e-6, atol=0.0, restart=KRYLOV, maxiter=1)
        better = found + more
        # Rows that contradict one another have no solution; then what was found stays.
        return better if float(np.linalg.norm(right - self._times(better))) < 0.01 * size else found


def factored(matrix: sp.csc_matrix, rows: sp.csr_matrix) -> Factored:
    """Factor; the same sparsity takes the same time, whatever the numbers."""
    from scipy.sparse.linalg import splu

    size = matrix.shape[0]
    diagonal = np.abs(matrix.diagonal())
    largest = float(diagonal.max(initial=0.0)) or 1.0
    weight = WEIGHT * largest
    whole = matrix
    if rows.shape[0]:
        whole = sp.bmat(
            [[matrix + weight * (rows.T @ rows), rows.T], [rows, -(SLACK / weight) * sp.eye(rows.shape[0])]],
            format="csc",
        )
    try:
        lu = splu(
            sp.csc_matrix(whole),
            permc_spec="MMD_AT_PLUS_A",
            diag_pivot_thresh=0.0,
            options={"SymmetricMode": True},
        )
    except RuntimeError:  # a pivot is zero to the last bit
        return Factored(None, matrix, rows, weight, -1, 0.0, np.zeros(0))
    pivots = lu.U.diagonal()
    broken = not np.array_equal(lu.perm_r, lu.perm_c) or not np.all(np.isfinite(pivots))
    negative = -1 if broken else int(np.sum(pivots < 0.0)) - rows.shape[0]
    own = np.ones(pivots.size, dtype=bool)
    own[lu.perm_c[size:]] = False
    weakest = float(np.min(np.abs(pivots[own]), initial=np.inf)) / largest
    return Factored(lu, matrix, rows, weight, negative, weakest, np.zeros(0) if broken else pivots[lu.perm_c])


@dataclass
class Diagonal:
    """[D G^T; G 0] with D diagonal, through G D^-1 G^T, which is as sparse as rows that share unknowns."""

    inverse: np.ndarray  # of the diagonal
    rows: sp.csr_matrix
    columns: sp.csr_matrix  # the transpose, kept by rows because products are faster so
    schur: Any
    negative: int = 0

    def solve(self, top: np.ndarray, bottom: np.ndarray | None = None) -> tuple[np.ndarray, np.ndarray]:
        """x and y; a second pass takes out what round-off and the small slack left of G x."""
        x, y = self.inverse * top, np.zeros(self.rows.shape[0])
        for _ in range(2 if y.size else 0):
            gap = self.rows @ x - (0.0 if bottom is None else bottom)
            more = self.schur.solve(gap)
            x, y = x - self.inverse * (self.columns @ more), y + more
        return x, y


def diagonal_system(diagonal: np.ndarray, rows: sp.csr_matrix) -> Diagonal:
    from scipy.sparse.linalg import splu

    inverse, columns, schur = 1.0 / diagonal, sp.csr_matrix(rows.T), None
    if rows.shape[0]:
        product = sp.csc_matrix(rows @ sp.diags(inverse) @ columns)
        slack = DEPENDENT * float(product.diagonal().max() or 1.0)  # all rows may be empty
        schur = splu(sp.csc_matrix(product + slack * sp.eye(rows.shape[0])), permc_spec="MMD_AT_PLUS_A")
    return Diagonal(inverse, rows, columns, schur)


@dataclass
class Preconditioned:
    """Conjugate gradients on the null space of G, preconditioned by the diagonal of A on it.

    negative: 1 once a direction of negative curvature was met; the solution then ends there, which still goes downhill.
    """

    matrix: sp.csr_matrix
    rows: sp.csr_matrix
    simple: Diagonal
    tolerance: float
    limit: int
    negative: int = 0
    iterations: int = 0

    def solve(self, top: np.ndarray, bottom: np.ndarray | None = None) -> tuple[np.ndarray, np.ndarray]:
        constrained = self.rows.shape[0] > 0
        x = np.zeros(self.matrix.shape[0])
        if constrained and bottom is not None and np.any(bottom):
            x = self.simple.solve(np.zeros_like(x), bottom)[0]
        residual = top - self.matrix @ x
        y = np.zeros(self.rows.shape[0])
        # The multipliers are kept within the residual: that of a constrained minimum is all multipliers, and small
        # differences of large numbers would end the iteration early.
        step, found = self.simple.solve(residual)
        y += found
        residual = residual - self.simple.columns @ found
        direction = step
        slope = _dot(residual, step)
        goal = self.tolerance**2 * slope
        stiffest = 0.0
        for _ in range(self.limit):
            if not slope > goal or slope == 0.0:
                break
            self.iterations += 1
            pushed = self.matrix @ direction
            curvature = _dot(direction, pushed)
            size = _dot(direction, direction)
            stiffest = max(stiffest, curvature / size)
            if curvature <= CURVATURE * stiffest * size:
                self.negative = 1
                x = x if np.any(x) else direction
                break
            length = slope / curvature
            x = x + length * direction
            residual = residual - length * pushed
            step, found = self.simple.solve(residual)
            y += found
            residual = residual - self.simple.columns @ found
            before, slope = slope, _dot(residual, step)
            direction = step + (slope / before) * direction
        return x, y


def _dot(a: np.ndarray, b: np.ndarray) -> float:
    """A sum of products without BLAS, whose threads wait for one another: most of the time on a busy machine."""
    return float((a * b).sum())


def preconditioned(
    matrix: sp.csc_matrix, rows: sp.csr_matrix, *, tolerance: float = 1e-8, limit: int = 20_000
) -> Preconditioned:
    """An iterative solver; tolerance: of the residual in the preconditioner's norm."""
    diagonal = np.abs(matrix.diagonal())
    floor = 1e-6 * (float(np.max(diagonal, initial=0.0)) or 1.0)
    simple = diagonal_system(np.maximum(diagonal, floor), rows)
    return Preconditioned(sp.csr_matrix(matrix), rows, simple, tolerance, limit)
