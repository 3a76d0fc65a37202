"""One point after another on a curve of equilibria: predictor, corrector on a plane, tangent.

A point is (x, y, s): free coordinates, multipliers, and how far what is imposed has gone from one setting to another.
The corrector is Newton's method on the balance, the residuals, and one more equation: n . (x, s) keeps its value, with
n the tangent (arc length, which passes limit points) or the direction of s alone (load control). The bordered matrix

    [K   C^T  dU/ds ]
    [C   0    dg/ds ]
    [n_x 0    n_s   ]

is regular at limit points, where K alone is not (Riks 1979; Crisfield 1981). Derivatives by s are complex steps.

Residuals are brought to zero before each of Newton's steps, by the least move on the plane. Solved together with the
balance, residuals of bars that depend on one another, which fit only to second order, would become multipliers of any
size.

Which cables take part is fixed on a piece of the curve, so that every piece is smooth; kinks.py joins the pieces.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import scipy.sparse as sp

from taut.numerics.bordered import Bordered, bordered
from taut.numerics.quasidefinite import factored
from taut.statics.balancing import falling
from taut.statics.elastic_members import lengths_at, lengths_of, spans_of
from taut.statics.equilibrium_equations import EquilibriumEquations, Setting
from taut.statics.newton import goal_of, moved

STEP = 1e-30
"""Of the complex step."""

CORRECTIONS = 12
"""A corrector that needs more has started too far away."""

CONTRACTION = 0.5
"""A correction longer than this share of the one before has started too far away too: what it would find may lie on
another branch."""

TURN = 0.4
"""The tangent turns by this angle [rad] in a step at most."""

DEFECT = 0.1
"""The chord of a step is off the mean of the tangents at its ends by this share at most. A curve keeps to that as steps
get shorter, a leap to another branch does not, even where both branches have the same direction."""

SLACK = 1e-6
"""Of the lower right block, in units of one over the stiffness: rows that depend on one another do no harm."""

CLOSING = 1e-12
"""The same where residuals are brought to zero: there the multipliers are not kept."""

SLANTED = 1e8
"""A plane that the curve meets at an angle smaller than one over this does not tell one point from the next."""


@dataclass(frozen=True)
class Point:
    """An equilibrium on the curve, and the tangent (x / scale, s) of unit length there.

    taut: which members take part from here on.
    """

    positions: np.ndarray  # (n, 3) [m]
    multipliers: np.ndarray
    factor: float
    tangent: np.ndarray  # (f + 1,)
    taut: np.ndarray  # (m,)


@dataclass(frozen=True)
class Curve:
    """The equilibria of a problem between two settings.

    scale: the length [m] that counts as much as all of s. stiffness: what forces are measured by [N/m], the same all
    along the curve, because where nothing is loaded the forces at hand are round-off. unit: how many ways from
    start to goal a factor of one is; many for a load that is small beside what the structure bears.
    """

    problem: EquilibriumEquations
    start: Setting
    goal: Setting
    scale: float
    stiffness: float
    tolerance: float
    unit: float = 1.0

    def setting(self, factor: complex) -> Setting:
        return self.start.towards(self.goal, self.unit * factor)

    def share(self, point: Point) -> float:
        """How far a point is from the start, 0, to the goal, 1, and beyond."""
        return self.unit * point.factor

    def piece(self, taut: np.ndarray) -> Curve:
        """The curve with these members at work, whatever their length, and no others."""
        members = self.problem.members
        idle = members.one_sided & ~taut
        pinned = members._replace(
            stiffness=np.where(idle, 0.0, members.stiffness), one_sided=np.zeros_like(members.one_sided)
        )
        rigidity = np.where(idle, np.nan, self.problem.rigidity)
        slack = self.problem.can_slacken & ~taut
        return replace(self, problem=replace(self.problem, members=pinned, rigidity=rigidity, slack=slack))

    @property
    def one_sided(self) -> np.ndarray:
        """(m,) which members slacken and tighten: cables with a rest length, and held ones."""
        return np.asarray(self.problem.members.one_sided | self.problem.can_slacken)

    def margins(self, point: Point) -> np.ndarray:
        """(m,) zero where a member slackens or tightens: length over rest length, less one; of a held cable that holds
        its tension, against the stiffness of the curve."""
        stretches = self._stretches(point.positions, point.factor)
        holding = self._holding(point.taut)
        tensions = self.problem.tensions(point.positions, point.multipliers, self.setting(point.factor))
        return np.asarray(np.where(holding, tensions / (self.stiffness * self.scale), stretches))

    def margin_rates(self, point: Point, tangent: np.ndarray) -> np.ndarray:
        """(m,) how margins change along a tangent."""
        factor = point.factor + 1j * STEP * tangent[-1]
        there = moved(self.problem, point.positions.astype(complex), 1j * STEP * self.scale * tangent[:-1])
        rates = self._stretches(self.problem.placed(there, self.setting(factor)), factor).imag / STEP
        holding = self._holding(point.taut)
        if holding.any():
            rigid = self.problem.rigid
            pulls = np.zeros(rates.size)
            pulls[rigid] = self._multiplier_rates(point, tangent)[: rigid.size]
            rates = np.where(holding, pulls / (self.stiffness * self.scale), rates)
        return np.asarray(rates)

    def _stretches(self, positions: np.ndarray, factor: complex) -> np.ndarray:
        return np.asarray(lengths_at(self.problem.members, positions) / self.setting(factor).rest_length - 1.0)

    def _holding(self, taut: np.ndarray) -> np.ndarray:
        return np.asarray(self.problem.can_slacken & taut)

    def _multiplier_rates(self, point: Point, tangent: np.ndarray) -> np.ndarray:
        """How multipliers change along a tangent, so that balance is kept."""
        piece, setting, free = self.piece(point.taut).problem, self.setting(point.factor), self.problem.free.size
        pushed = piece.stiffness(point.positions, point.multipliers, setting) @ (self.scale * tangent[:-1])
        by_factor = self.piece(point.taut).by_factor(point.positions, point.multipliers, point.factor)[:free]
        unit = factored(sp.csc_matrix(sp.eye(free)), piece.free_rows(point.positions, setting))
        return unit.solve(-pushed - tangent[-1] * by_factor)[1]

    def corrected(
        self,
        positions: np.ndarray,
        multipliers: np.ndarray,
        factor: float,
        normal: np.ndarray,
        before: np.ndarray,
        taut: np.ndarray,
    ) -> Point | None:
        """The equilibrium on the plane through here across the normal; None where there is none near.

        before: a tangent (x, s) that the new one must not turn back from. taut: the members at work on this piece.
        """
        piece = self.piece(taut)
        free, rows = piece.problem.free.size, piece.problem.rows
        last = np.inf
        for count in range(CORRECTIONS + 1):
            closed = piece._closed_up(positions, factor, normal)
            if closed is None:
                return None
            positions, factor = closed
            slope = piece._unbalance(positions, multipliers, factor)
            if not np.all(np.isfinite(slope)):
                return None
            if np.abs(slope).max(initial=0.0) <= piece._goal(positions, multipliers, factor):
                tangent = piece.tangent(positions, multipliers, factor, normal)
                if tangent is None:
                    return None
                idle = piece.problem.slack[piece.problem.rigid]
                held = np.where(np.append(idle, np.zeros(rows - idle.size, dtype=bool)), 0.0, multipliers)
                return Point(positions, held, factor, tangent * (1 if tangent @ before >= 0.0 else -1), taut)
            solver = piece._bordered(positions, multipliers, factor, normal) if count < CORRECTIONS else None
            if solver is None:
                return None
            step = solver.solve(np.concatenate([-slope, np.zeros(rows + 1)]))
            size = float(np.linalg.norm(np.append(step[:free] / self.scale, step[-1])))
            # Corrections at the level of round-off do not get any smaller.
            if not size <= max(CONTRACTION * last, 1e-10) or _distortion(piece.problem, positions, step[:free]) > 1.0:
                return None
            positions, factor, last = moved(self.problem, positions, step[:free]), factor + float(step[-1]), size
            multipliers = multipliers + step[free : free + rows]
        return None

    def tangent(
        self, positions: np.ndarray, multipliers: np.ndarray, factor: float, normal: np.ndarray
    ) -> np.ndarray | None:
        """Of unit length, towards the normal's side; None where there is not one, or where it lies in the plane."""
        solver = self._bordered(positions, multipliers, factor, normal)
        if solver is None:
            return None
        free = self.problem.free.size
        way = solver.solve(np.append(np.zeros(free + self.problem.rows), 1.0))
        found = np.append(way[:free] / self.scale, way[-1])
        size = float(np.linalg.norm(found))
        return found / size if 0.0 < size < SLANTED else None

    def predicted(self, point: Point, length: float) -> tuple[np.ndarray, float]:
        """Positions and factor that far along the tangent."""
        shift = length * point.tangent
        return moved(self.problem, point.positions, shift[:-1] * self.scale), point.factor + float(shift[-1])

    def distance(self, positions: np.ndarray, factor: float, point: Point) -> float:
        """From a place to a point, in lengths of the scale and factors."""
        return float(np.linalg.norm(self._way(positions, factor, point)))

    def bend(self, now: Point, after: Point) -> float:
        """How much the curve bends between two points, 1 where that is as much as a step may."""
        chord = self._way(now.positions, now.factor, after)
        size = float(np.linalg.norm(chord))
        if size == 0.0:
            return np.inf
        # Half the distance of two unit vectors is the sine of half their angle, also where the cosine is nearly one.
        turn = 2.0 * np.arcsin(min(1.0, 0.5 * float(np.linalg.norm(after.tangent - now.tangent))))
        defect = np.linalg.norm(chord / size - 0.5 * (now.tangent + after.tangent))
        return float(max(turn / TURN, defect / DEFECT))

    def negative(self, point: Point) -> int:
        """In how many directions the energy falls."""
        piece = self.piece(point.taut)
        return falling(piece.problem, self.setting(point.factor), point.positions, point.multipliers)

    def _way(self, positions: np.ndarray, factor: float, point: Point) -> np.ndarray:
        shift = (point.positions - positions).ravel()[self.problem.free] / self.scale
        return np.append(shift, point.factor - factor)

    def _unbalance(self, positions: np.ndarray, multipliers: np.ndarray, factor: complex) -> np.ndarray:
        return np.asarray(self.problem.unbalance(positions, multipliers, self.setting(factor))[self.problem.free])

    def _goal(self, positions: np.ndarray, multipliers: np.ndarray, factor: float) -> float:
        """The unbalance [N] to reach."""
        setting = self.setting(factor)
        tensions = self.problem.tensions(positions, multipliers, setting)
        rounding = 32.0 * np.finfo(float).eps * self.stiffness * float(np.abs(positions).max(initial=0.0))
        return max(goal_of(self.problem, positions, tensions, setting, self.tolerance), rounding)

    def _closed_up(self, positions: np.ndarray, factor: float, normal: np.ndarray) -> tuple[np.ndarray, float] | None:
        """The nearest place on the plane at which all residuals are zero; None where there is none near."""
        problem, free = self.problem, self.problem.free.size
        for _ in range(CORRECTIONS):
            setting = self.setting(factor)
            positions = problem.placed(positions, setting)
            residuals = problem.residuals(positions, setting)
            if np.abs(residuals).max(initial=0.0) <= 64.0 * np.finfo(float).eps * np.abs(positions).max() + 1e-14:
                return positions, factor
            if not np.all(np.isfinite(residuals)):
                return None
            by_factor = self.by_factor(positions, np.zeros(problem.rows), factor)[free:, None] / self.scale
            ways = sp.hstack([problem.free_rows(positions, setting), sp.csr_matrix(by_factor)])
            rows = sp.csr_matrix(sp.vstack([ways, sp.csr_matrix(normal[None, :])]))
            solver = bordered(sp.identity(free + 1, format="csc"), rows, CLOSING)
            if solver is None:
                return None
            right = np.concatenate([np.zeros(free + 1), -residuals / self.scale, [0.0]])
            step = solver.solve(right, refinements=0)[: free + 1]
            if not np.all(np.isfinite(step)) or _distortion(problem, positions, self.scale * step[:-1]) > 1.0:
                return None
            positions, factor = moved(problem, positions, self.scale * step[:-1]), factor + float(step[-1])
        return None

    def by_factor(self, positions: np.ndarray, multipliers: np.ndarray, factor: float) -> np.ndarray:
        """(f + r,) derivatives of unbalance and residuals by the factor, held coordinates moving along."""
        ahead = factor + 1j * STEP
        there = self.problem.placed(positions.astype(complex), self.setting(ahead))
        unbalance = self._unbalance(there, multipliers, ahead)
        return np.concatenate([unbalance, self.problem.residuals(there, self.setting(ahead))]).imag / STEP

    def _bordered(
        self, positions: np.ndarray, multipliers: np.ndarray, factor: float, normal: np.ndarray
    ) -> Bordered | None:
        problem, setting = self.problem, self.setting(factor)
        row = np.concatenate([normal[:-1] / self.scale, np.zeros(problem.rows), normal[-1:]])
        return bordered(
            problem.stiffness(positions, multipliers, setting),
            problem.free_rows(positions, setting),
            SLACK / self.stiffness,
            self.by_factor(positions, multipliers, factor),
            row,
        )


def curve_between(problem: EquilibriumEquations, start: Setting, goal: Setting, tolerance: float) -> Curve:
    """The curve, measured by the mean length and the largest stiffness, or by the loads where bars are all rigid."""
    scale = float(problem.network.lengths().mean())
    elastic = max(float(np.abs(problem.members_at(s).stiffness).max(initial=0.0)) for s in (start, goal))
    loads = max(float(np.abs(s.external).max(initial=0.0)) for s in (start, goal))
    return Curve(problem, start, goal, scale, max(elastic, loads / scale) or 1.0, tolerance)


def _distortion(problem: EquilibriumEquations, places: np.ndarray, step: np.ndarray) -> float:
    change = spans_of(problem.members, moved(problem, np.zeros_like(places), step))
    lengths = lengths_of(spans_of(problem.members, places))
    return float((lengths_of(change) / lengths).max(initial=0.0))
