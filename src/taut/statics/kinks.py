"""Where cables slacken or tighten a path has a kink: its tangent jumps, however short the step.

On either side other members take part, and each side has a tangent of its own. The one beyond is known by two things:
the cable that changes goes on through its rest length (so it is clear which way to go, also where the load turns back
at the kink), and whatever other cable is at its rest length too goes to the side on which it is counted.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from taut.statics.continuation import Curve, Point
from taut.statics.slackening import resting

AT_REST = 1e-9
"""A cable stretched by less may be slack or taut."""

STILL = 1e-9
"""A stretch that changes at a smaller rate does not say to which side it goes."""

TRIES = 20
"""How often cables at their rest lengths are counted anew."""

FIRST = 1e-6
"""Of the case: what is taut after so little of it is taken for taut at its beginning."""


def begun(curve: Curve, positions: np.ndarray, multipliers: np.ndarray) -> Point | None:
    """The first point of a path, with the tangent along which the load rises; None where there is none."""
    upwards = np.zeros(curve.problem.free.size + 1)
    upwards[-1] = 1.0
    one_sided = curve.one_sided
    stretches = _standing(curve, positions, multipliers, 0.0)

    def with_taut(taut: np.ndarray) -> Point | None:
        point = curve.corrected(positions, multipliers, 0.0, upwards, upwards, taut)
        return None if point is None else _counted(curve, point, upwards, None)

    found = with_taut(~one_sided | (stretches >= -AT_REST))
    if found is not None or not np.any(one_sided & (np.abs(stretches) <= AT_REST)):
        return found
    ahead = resting(curve.problem, curve.setting(FIRST), positions, tolerance=curve.tolerance)
    if not ahead.converged:
        return None
    return with_taut(~one_sided | (_standing(curve, ahead.positions, ahead.multipliers, FIRST) >= 0.0))


def _standing(curve: Curve, positions: np.ndarray, multipliers: np.ndarray, factor: float) -> np.ndarray:
    """(m,) margins in a balance, where held cables hold if they pull."""
    slack = curve.problem.slackened(multipliers).slack
    return curve.margins(Point(positions, multipliers, factor, np.zeros(0), ~slack))


def beyond(curve: Curve, point: Point, member: int, others: np.ndarray) -> Point | None:
    """The point on a kink as seen from beyond it: a member that changes sides there, and others that do too."""
    for changed in (np.append(others, member), np.array([member])):
        taut = point.taut.copy()
        taut[changed] = ~taut[changed]
        found = _counted(curve, replace(point, taut=taut), point.tangent, member)
        if found is not None:
            return found
    return None


def wrong(curve: Curve, point: Point) -> np.ndarray:
    """(m,) which cables are counted on the side on which they are not."""
    margins = curve.margins(point)
    off = np.where(point.taut, margins < -AT_REST, margins > AT_REST)
    return np.asarray(curve.one_sided & off)


def _counted(curve: Curve, point: Point, before: np.ndarray, member: int | None) -> Point | None:
    """The point with every cable at its rest length on the side to which the tangent leads it."""
    at_rest = curve.one_sided & (np.abs(curve.margins(point)) <= AT_REST)
    seen = set()
    for _ in range(TRIES):
        tangent = _tangent(curve, point, before)
        if tangent is None:
            return None
        rates = curve.margin_rates(point, tangent)
        if member is not None and abs(rates[member]) > STILL:
            way = 1.0 if (rates[member] > 0.0) == bool(point.taut[member]) else -1.0
            tangent, rates = way * tangent, way * rates
        astray = at_rest & np.where(point.taut, rates < -STILL, rates > STILL)
        if not astray.any():
            # The tangent is its own normal here, so that a path may turn at right angles to where it came from.
            return curve.corrected(point.positions, point.multipliers, point.factor, tangent, tangent, point.taut)
        point = replace(point, taut=point.taut ^ astray)
        if point.taut.tobytes() in seen:
            return None
        seen.add(point.taut.tobytes())
    return None


def _tangent(curve: Curve, point: Point, before: np.ndarray) -> np.ndarray | None:
    """On the side of the tangent before where it has one; None where the point has no tangent."""
    piece = curve.piece(point.taut)
    upwards = np.zeros_like(before)
    upwards[-1] = 1.0
    for normal in (before, upwards):
        first = piece.tangent(point.positions, point.multipliers, point.factor, normal)
        if first is not None:
            return piece.tangent(point.positions, point.multipliers, point.factor, first)
    return None
