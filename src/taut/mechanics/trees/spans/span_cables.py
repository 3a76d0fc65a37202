"""Cables between two pulleys: lengths from where the pulleys are, and forces that are slopes of an energy.

With the way t from the first pulley to the second, and sides s = +-1 of t on which it touches them:

    c2 - c1 = l t + b left(t),   b = r1 s1 - r2 s2,   l = sqrt(d^2 - b^2),   beta = alpha - atan(b / l)
    phi1 = s1 (beta - theta1),   phi2 = -s2 (beta - theta2),   l0 = natural + r1 (phi1 - start) + r2 (phi2 - start)

| symbol | meaning |
|---|---|
| d, alpha | distance of the centres, direction of c2 - c1 in their plane |
| theta | turns of the pulleys, by the coordinates of their joints, which have no end |
| phi | angles unwound, as in `involutes.py` |
| F, D | E A eps and mu A d(eps)/dt, eps = l / l0 - 1 |

The energy E A eps^2 l0 / 2 has the slopes F by l and -F (1 + eps / 2) by l0: winding in takes strained cable along. A
damper acts by l0 D d(eps), and takes at most the tension that there is. Directions turn with the bodies that the joints
stand on, by less than half a turn from where they are at the start.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from taut.errors import ModelError, Problem
from taut.mechanics.trees.equations import TreeEquations
from taut.mechanics.trees.loops import moving, places_of
from taut.structure.bodies import ORIGIN
from taut.structure.span_cables import SIDES, SpanCable

FLAT = 1e-6
"""Of a radius, and [rad]: how far pulleys may be off one plane."""


class Span(NamedTuple):
    """What a span is at a state."""

    length: float  # not a number where the pulleys are too near for a tangent
    natural: float
    unwound: tuple[float, float]
    axis: np.ndarray
    way: np.ndarray  # e, from centre to centre
    apart: float  # d
    aside: float  # b
    off: float  # how far out of plane


class Spans:
    """All of a tree, for one run."""

    def __init__(self, equations: TreeEquations) -> None:
        tree = equations.tree
        self._equations, self.cables = equations, tree.spans
        joints = {joint.name: joint for joint in tree.joints}
        chosen = [joints[name] for span in tree.spans for name in span.pulleys]
        bodies = [joint.body.name for joint in chosen] + [joint.parent for joint in chosen]
        self._points = equations.points_at(bodies, [ORIGIN] * len(bodies))
        self._frames = [np.array(joint.rotation) for joint in chosen]
        self._axes = [np.array(joint.axes[0]) / np.linalg.norm(joint.axes[0]) for joint in chosen]
        self._turns = [equations.position_names.index(joint.name) for joint in chosen]
        self._start = [(0.0, 0.0)] * len(tree.spans)
        self._level = [(0.0, 0.0)] * len(tree.spans)
        self._natural = [0.0] * len(tree.spans)

    def begin(self, q: np.ndarray) -> None:
        """Count what is unwound, and natural lengths, from where the tree starts."""
        self._equations.places(q, self._points)
        problems = []
        for number, span in enumerate(self.cables):
            self._level[number] = (self._direction(number, 0), self._direction(number, 1))
            at = self._at(number, q)
            if near := _too_near(span, at):
                problems.append(Problem(("spans", span.name), near))
                continue
            if at.off > FLAT:
                message = f"joins pulleys that are off one plane by {at.off:.3g} of the first's radius, or in rad"
                problems.append(Problem(("spans", span.name), f"{message}; put their centres and axes in line"))
            self._start[number] = at.unwound
            self._natural[number] = at.length if span.natural is None else span.natural
        if problems:
            raise ModelError(problems)

    def _frame(self, pulley: int) -> np.ndarray:
        """Axes of the joint of a pulley in the world, as columns; z of them is not its axis."""
        return np.asarray(self._points.turns[2 * len(self.cables) + pulley] @ self._frames[pulley])

    def _direction(self, number: int, end: int) -> float:
        """[rad] of the way between centres, about the axis of a pulley's joint and against its frame."""
        pulley = 2 * number + end
        place = places_of(self._points)
        frame, axis = self._frame(pulley), self._axes[pulley]
        local = frame.T @ (place[2 * number + 1] - place[2 * number])
        mark = np.eye(3)[int(np.argmin(np.abs(axis)))]
        x = mark - (mark @ axis) * axis
        return math.atan2(float(np.cross(axis, x) @ local), float(x @ local))

    def _at(self, number: int, q: np.ndarray) -> Span:
        """At Pinocchio's placements."""
        span, first = self.cables[number], 2 * number
        place = places_of(self._points)
        axis = self._frame(first) @ self._axes[first]
        other = self._frame(first + 1) @ self._axes[first + 1]
        between = place[first + 1] - place[first]
        off = max(abs(float(between @ axis)) / span.radii[0], float(np.linalg.norm(np.cross(axis, other))))
        way = between - (between @ axis) * axis
        apart = float(np.linalg.norm(way))
        one = SIDES[span.side]
        two = -one if span.crossed else one
        aside = span.radii[0] * one - span.radii[1] * two
        far = apart > max(abs(aside), sum(span.radii) if span.crossed else 0.0)
        length = math.sqrt(apart**2 - aside**2) if far else math.nan
        tilt = math.atan2(aside, length)
        turned = []
        for end in (0, 1):
            angle = self._direction(number, end) - self._level[number][end]
            angle = (angle + math.pi) % (2.0 * math.pi) - math.pi  # less than half a turn from the start
            turned.append(angle - tilt - float(q[self._turns[first + end]]))
        unwound = (one * turned[0], -two * turned[1])
        started = self._start[number]
        natural = self._natural[number] + sum(
            r * (now - then) for r, now, then in zip(span.radii, unwound, started, strict=True)
        )
        return Span(length, natural, unwound, axis, way / apart if far else way, apart, aside, off)

    def wrong(self, q: np.ndarray) -> str:
        """What no span can do; nothing where all is well."""
        self._equations.places(q, self._points)
        for number, span in enumerate(self.cables):
            at = self._at(number, q)
            if near := _too_near(span, at):
                return near
            if not at.natural > 0.0:
                return f'the span "{span.name}" is wound in past its end: {at.natural:.3g} m would be left'
            for end in (0, 1):
                there, gone = span.wound[end], span.radii[end] * (at.unwound[end] - self._start[number][end])
                if there is not None and gone > there:
                    told = f'the span "{span.name}" is unwound past its end at "{span.pulleys[end]}"'
                    return f"{told}: {gone:.3g} m went off, of {there:g} m; give it more, or wind less out"
        return ""

    def states(self, q: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """(spans,) lengths and natural lengths [m]."""
        self._equations.places(q, self._points)
        found = [self._at(number, q) for number in range(len(self.cables))]
        return np.array([one.length for one in found]), np.array([one.natural for one in found])

    def energy(self, q: np.ndarray) -> float:
        """[J] of all."""
        length, natural = self.states(q)
        strain = np.maximum(length / natural - 1.0, 0.0)
        return float(0.5 * np.array([span.stiffness for span in self.cables]) @ (strain**2 * natural))

    def act(
        self, q: np.ndarray, tree: tuple[np.ndarray, np.ndarray], w: np.ndarray
    ) -> tuple[np.ndarray, float, np.ndarray]:
        """Forces along Pinocchio's velocities, the power of dampers, and (2, spans) strains and tensions, where the
        last terms left the tree. tree: J and dJ/dt of the whole tree."""
        found = moving(self._points, *tree, w)
        out, lost, shows = np.zeros(w.size), 0.0, np.zeros((2, len(self.cables)))
        for number, span in enumerate(self.cables):
            at, first = self._at(number, q), 2 * number
            if math.isnan(at.length):
                return np.full(w.size, math.nan), math.nan, np.full_like(shows, math.nan)
            nearer = at.way @ (found.jacobian[first + 1] - found.jacobian[first])
            grows = at.apart / at.length * nearer
            turns = np.cross(at.axis, at.way) / at.apart @ (found.jacobian[first + 1] - found.jacobian[first])
            turns = turns + at.aside / (at.apart * at.length) * nearer
            spins = [at.axis @ (tree[0][3:] * self._points.carried[first + end]) for end in (0, 1)]
            one = SIDES[span.side]
            two = -one if span.crossed else one
            winds = span.radii[0] * one * (turns - spins[0]) - span.radii[1] * two * (turns - spins[1])
            strain = at.length / at.natural - 1.0
            rate = (grows - (1.0 + strain) * winds) / at.natural
            elastic = span.stiffness * max(strain, 0.0)
            viscous = max(span.damping * float(rate @ w), -elastic) if strain > 0.0 else 0.0
            out -= (elastic + viscous) * grows
            out += (elastic * (1.0 + 0.5 * strain) + viscous * (1.0 + strain)) * winds
            lost -= viscous * at.natural * float(rate @ w)
            shows[:, number] = strain, elastic + viscous
        return out, lost, shows


def _too_near(span: SpanCable, at: Span) -> str:
    if not math.isnan(at.length):
        return ""
    return f'the pulleys of "{span.name}" are {at.apart:.4g} m apart, too near for its tangent; move them away'


def span_names(spans: tuple[SpanCable, ...]) -> tuple[str, ...]:
    return (*(f"{span.name}.strain" for span in spans), *(f"{span.name}.tension" for span in spans))
