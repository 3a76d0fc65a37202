"""Where another branch leaves a path: found by the signs of the tangent stiffness, told from limit points, switched to.

The stiffness K is singular along a mode v both at limit points and at bifurcations. What is imposed pushes along the
mode at a limit point, v . dU/ds != 0, so that the path turns there; at a bifurcation it does not, and the equations
let the path go along v as well (Riks 1979; Wagner and Wriggers 1988).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from taut.numerics.quasidefinite import factored
from taut.statics.continuation import Curve, Point
from taut.statics.kinks import wrong

NEAR = 1e-6
"""Of a step: signs are bisected down to this, and the stiffness of the mode says the rest."""

ALONG = 1e-4
"""A mode along which what is imposed pushes with less than this share of its size branches off."""

INVERSE_ITERATIONS = 6

SHORTEST_SWITCH = 1e-4
"""Of a step: a branch is looked for no nearer than that to where it leaves."""

Follower = Callable[[float], Point | None]


@dataclass(frozen=True)
class Bifurcation:
    """Where another branch leaves, that far along a step; mode: (f,) of unit length, its largest number positive."""

    reach: float
    point: Point
    mode: np.ndarray


def bifurcations(curve: Curve, now: Point, after: Point, along: Follower, length: float) -> list[Bifurcation] | None:
    """Those between two points on a piece of a curve; None where the step is too long to tell."""
    here, there = curve.negative(now), curve.negative(after)
    turns = now.tangent[-1] * after.tangent[-1] < 0.0
    if turns and here == there and length > 1e-3:
        return None
    if here == there or (turns and abs(there - here) == 1):
        return []
    found, start = [], (0.0, now, here)
    while start[2] != there:
        bracket = _bracket(curve, start, (length, after, there), along)
        if bracket is None:
            return None
        (low, first, _), start = bracket
        place, pushed = _located(curve, (low, first), start[:2], along, length)
        if pushed < ALONG:
            found.append(place)
    return found


def switched(curve: Curve, found: Bifurcation, side: float, step: float) -> Point | None:
    """A point on the branch that leaves along the mode, to one side of it; None where there is none near."""
    normal = np.append(side * found.mode, 0.0)
    point, reach = found.point, 0.1 * step
    while reach > SHORTEST_SWITCH * step:
        places = curve.predicted(replace(point, tangent=normal), reach)[0]
        there = curve.corrected(places, point.multipliers, point.factor, normal, normal, point.taut)
        near = there is not None and curve.distance(places, point.factor, there) <= 0.5 * reach
        if there is not None and near and not wrong(curve, there).any():
            return there
        reach *= 0.5
    return None


Place = tuple[float, Point, int]


def _bracket(curve: Curve, low: Place, high: Place, along: Follower) -> tuple[Place, Place] | None:
    """The first change of sign between two places that differ, narrowed down."""
    width = NEAR * high[0]
    while high[0] - low[0] > width:
        middle = 0.5 * (low[0] + high[0])
        point = along(middle)
        if point is None:
            return None
        between = (middle, point, curve.negative(point))
        low, high = (between, high) if between[2] == low[2] else (low, between)
    return low, high


def _located(
    curve: Curve, low: tuple[float, Point], high: tuple[float, Point], along: Follower, length: float
) -> tuple[Bifurcation, float]:
    """Where the stiffness of the mode is zero, by its values on either side; and how much is pushed along it there."""
    mode, second = _mode(curve, low[1]), _mode(curve, high[1])
    reach = high[0]
    if mode.stiffness != second.stiffness:
        guess = low[0] + (high[0] - low[0]) * mode.stiffness / (mode.stiffness - second.stiffness)
        reach = guess if abs(guess - low[0]) < 100.0 * (high[0] - low[0]) else reach
    reach = min(max(reach, 0.0), length)
    # Just there the equations of the path are singular, and the corrector may find nothing.
    for short in (0.0, 1e-10, 1e-9, 1e-8, 1e-7):
        point = along(reach - short * length) if reach > short * length else None
        if point is not None:
            return Bifurcation(reach, point, mode.motion), mode.pushed
    return Bifurcation(*low, mode.motion), mode.pushed


class _Mode(NamedTuple):
    """The motion (f,) with the stiffness nearest to zero; pushed: what share of all that is imposed acts along it."""

    motion: np.ndarray
    stiffness: float
    pushed: float


def _mode(curve: Curve, point: Point) -> _Mode:
    """By inverse iteration."""
    piece, setting = curve.piece(point.taut), curve.setting(point.factor)
    matrix = piece.problem.stiffness(point.positions, point.multipliers, setting)
    solver = factored(matrix, piece.problem.free_rows(point.positions, setting))
    motion, held = np.random.default_rng(0).standard_normal(piece.problem.free.size), np.zeros(piece.problem.rows)
    for _ in range(INVERSE_ITERATIONS if solver.lu is not None else 0):
        motion, held = solver.solve(motion)
        size = float(np.linalg.norm(motion))
        motion, held = motion / size, held / size
    sign = np.sign(motion[np.argmax(np.abs(motion))])
    forces, gaps = np.split(piece.by_factor(point.positions, point.multipliers, point.factor), [motion.size])
    whole = float(np.linalg.norm(forces) + np.linalg.norm(held) * np.linalg.norm(gaps))
    pushed = abs(float(motion @ forces + held @ gaps)) / whole if whole > 0.0 else 0.0
    return _Mode(sign * motion, float(motion @ (matrix @ motion)), pushed)
