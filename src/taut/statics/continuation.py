"""One point after another on a curve of equilibria: predictor, corrector on a plane, tangent.

A point is (x, y, s): free coordinates, multipliers, and how far what is imposed has gone from one setting to another.
The corrector is Newton's method on the balance, the gaps, and one more equation: n . (x, s) keeps its value, with n the
tangent (arc length, which passes limit points) or the direction of s alone (load control). The bordered matrix

    [K   C^T  dU/ds ]
    [C   0    dg/ds ]
    [n_x 0    n_s   ]

is regular at limit points, where K alone is not (Riks 1979; Crisfield 1981). Derivatives by s are complex steps.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp

from taut.mechanics.elastic_members import lengths_of, spans_of
from taut.numerics.quasidefinite import factored
from taut.statics.newton import goal_of, moved
from taut.statics.posed import Posed, Setting

STEP = 1e-30
"""Of the complex step."""

CORRECTIONS = 12
"""A corrector that needs more has started too far away."""

SLACK = 1e-12
"""Of the lower right block, so that rows that depend on one another do no harm."""


@dataclass(frozen=True)
class Point:
    """An equilibrium on the curve, and the tangent (x / scale, s) of unit length there."""

    positions: np.ndarray  # (n, 3) [m]
    multipliers: np.ndarray
    factor: float
    tangent: np.ndarray  # (f + 1,)
    corrections: int


@dataclass(frozen=True)
class Curve:
    """The equilibria of a problem between two settings. scale: the length [m] that counts as much as all of s."""

    problem: Posed
    start: Setting
    goal: Setting
    scale: float
    tolerance: float

    def setting(self, factor: complex) -> Setting:
        return self.start.towards(self.goal, factor)

    def corrected(
        self, positions: np.ndarray, multipliers: np.ndarray, factor: float, normal: np.ndarray, before: np.ndarray
    ) -> Point | None:
        """The equilibrium on the plane through here across the normal; None where there is none near.

        before: a tangent (x, s) that the new one must not turn back from.
        """
        problem, places = self.problem, positions
        free, rows = problem.free.size, problem.rows
        for count in range(CORRECTIONS + 1):
            setting = self.setting(factor)
            places = problem.placed(places, setting)
            unbalance = problem.unbalance(places, multipliers, setting)[problem.free]
            gaps = problem.gaps(places, setting)
            tensions = problem.tensions(places, multipliers, setting)
            if not np.all(np.isfinite(unbalance)):
                return None
            small = goal_of(problem, places, tensions, setting, self.tolerance)
            closed = 64.0 * np.finfo(float).eps * np.abs(places).max() + 1e-14
            done = np.abs(unbalance).max(initial=0.0) <= small and np.abs(gaps).max(initial=0.0) <= closed
            if count == CORRECTIONS and not done:
                return None
            solve = self._bordered(places, multipliers, factor, normal)
            if solve is None:
                return None
            if done:
                way = solve.solve(np.append(np.zeros(free + rows), 1.0))
                tangent = np.append(way[:free] / self.scale, way[-1])
                size = float(np.linalg.norm(tangent))
                if not np.isfinite(size) or size == 0.0:
                    return None
                tangent = tangent / size * (1.0 if tangent @ before >= 0.0 else -1.0)
                return Point(places, multipliers, factor, tangent, count)
            step = solve.solve(-np.concatenate([unbalance, gaps, [0.0]]))
            if not np.all(np.isfinite(step)) or _distortion(problem, places, step[:free]) > 1.0:
                return None
            places = moved(problem, places, step[:free])
            multipliers = multipliers + step[free : free + rows]
            factor = factor + float(step[-1])
        return None

    def predicted(self, point: Point, length: float) -> tuple[np.ndarray, float]:
        """Positions and factor that far along the tangent."""
        shift = length * point.tangent
        return moved(self.problem, point.positions, shift[:-1] * self.scale), point.factor + float(shift[-1])

    def negative(self, point: Point) -> int:
        """In how many directions the energy falls."""
        setting = self.setting(point.factor)
        matrix = self.problem.stiffness(point.positions, point.multipliers, setting)
        return factored(matrix, self.problem.free_rows(point.positions, setting)).negative

    def _bordered(self, places: np.ndarray, multipliers: np.ndarray, factor: float, normal: np.ndarray) -> Any:
        """A factorisation of the bordered matrix; None where it is singular."""
        from scipy.sparse.linalg import splu

        problem, setting = self.problem, self.setting(factor)
        ahead = self.setting(factor + 1j * STEP)
        there = problem.placed(places.astype(complex), ahead)
        by_factor = np.concatenate(
            [problem.unbalance(there, multipliers, ahead)[problem.free], problem.gaps(there, ahead)]
        )
        matrix = problem.stiffness(places, multipliers, setting)
        rows = problem.free_rows(places, setting)
        column = sp.csc_matrix((by_factor.imag / STEP)[:, None])
        stiffest = float(np.abs(matrix.diagonal()).max(initial=0.0)) or 1.0
        saddle = sp.bmat([[matrix, rows.T], [rows, -(SLACK / stiffest) * sp.eye(problem.rows)]])
        across = np.concatenate([normal[:-1] / self.scale, np.zeros(problem.rows)])
        whole = sp.bmat([[saddle, column], [sp.csr_matrix(across), sp.csr_matrix([[normal[-1]]])]], format="csc")
        try:
            return splu(whole)
        except RuntimeError:
            return None


def _distortion(problem: Posed, places: np.ndarray, step: np.ndarray) -> float:
    change = spans_of(problem.members, moved(problem, np.zeros_like(places), step))
    lengths = lengths_of(spans_of(problem.members, places))
    return float((lengths_of(change) / lengths).max(initial=0.0))
