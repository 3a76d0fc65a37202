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
damper acts by l0 D d(eps), and takes at most the tension that there is. Directions are counted against the bodies that
the joints stand on. A direction is known but for whole turns; how many there were, a state of the run says, which is
the integral of its rate (`turned`): only the nearest whole turn of it is used. Where a run begins elsewhere than spans
have their natural lengths, `turns.py` says what it begins with.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from taut.errors import ModelError, Problem
from taut.mechanics.trees.equations import TreeEquations
from taut.mechanics.trees.kernels import BOTH_WAYS, GONE, ONE_SIDED
from taut.mechanics.trees.loops import moving, places_of
from taut.mechanics.trees.spans.turns import EDGE, SAME, nearest, turning, unsaid
from taut.structure.bodies import ORIGIN
from taut.structure.span_cables import SIDES, SpanCable

FLAT = 1e-6
"""Of a radius, and [rad]: how far pulleys may be off one plane at the start."""
ASKEW = 1e-3
"""Likewise, later: guides would have to hold the cable there, with forces along the axes, which are not modelled."""


class Span(NamedTuple):
    """Where a span is."""

    length: float  # not a number where the pulleys are too near for a tangent
    natural: float
    unwound: tuple[float, float]
    axis: np.ndarray
    way: np.ndarray  # e, from centre to centre
    apart: float  # d
    aside: float  # b
    off: float  # how far out of plane


class Stretched(NamedTuple):
    """What all spans are at a state, a number each."""

    length: np.ndarray
    natural: np.ndarray
    strain: np.ndarray
    tension: np.ndarray  # [N]
    strain_rate: np.ndarray
    stretch_rate: np.ndarray  # of length less natural [m/s]


class Spans:
    """All of a tree, for one run.

    law: what each cable's law is now, to be changed in place: a word of `kernels`. turned: (2 spans,) about how far the
    way from each pulley to the other has turned since the start [rad], of the state at hand; turning: its rates, as the
    last forces left them.
    """

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
        self.law = np.full(len(tree.spans), ONE_SIDED)
        self.turned, self.turning = np.zeros((2, 2 * len(tree.spans)))

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
            if at.axis @ self._axis(2 * number + 1) < 0.0:
                message = f'joins pulleys whose axes point opposite ways; turn the one of "{span.pulleys[1]}" round'
                problems.append(Problem(("spans", span.name), message))
            self._start[number] = at.unwound
            self._natural[number] = at.length if span.natural is None else span.natural
        if problems:
            raise ModelError(problems)

    def _frame(self, pulley: int) -> np.ndarray:
        """Axes of the joint of a pulley in the world, as columns; z of them is not its axis."""
        return np.asarray(self._points.turns[2 * len(self.cables) + pulley] @ self._frames[pulley])

    def _axis(self, pulley: int) -> np.ndarray:
        return np.asarray(self._frame(pulley) @ self._axes[pulley])

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
        axis, other = self._axis(first), self._axis(first + 1)
        between = place[first + 1] - place[first]
        off = max(abs(float(between @ axis)) / span.radii[0], float(np.linalg.norm(np.cross(axis, other))))
        way = between - (between @ axis) * axis
        apart = float(np.linalg.norm(way))
        one, two = _sides(span)
        aside = span.radii[0] * one - span.radii[1] * two
        far = apart > max(abs(aside), sum(span.radii) if span.crossed else 0.0)
        length = math.sqrt(apart**2 - aside**2) if far else math.nan
        tilt = math.atan2(aside, length)
        turned = []
        for end in (0, 1):
            angle = nearest(self._direction(number, end) - self._level[number][end], float(self.turned[first + end]))
            turned.append(angle - tilt - float(q[self._turns[first + end]]))
        unwound = (one * turned[0], -two * turned[1])
        started = self._start[number]
        natural = self._natural[number] + sum(
            r * (now - then) for r, now, then in zip(span.radii, unwound, started, strict=True)
        )
        return Span(length, natural, unwound, axis, way / apart if far else way, apart, aside, off)

    def turned_at(self, q: np.ndarray, known: np.ndarray, turned: np.ndarray) -> np.ndarray:
        """(2 spans,) how far ways have turned at positions q, from how far they had at others where that is known.

        Raises OptionError where positions do not say it.
        """
        said = [turning(self._equations, span, known) for span in self.cables]
        self._equations.places(q, self._points)
        out = np.zeros(2 * len(self.cables))
        for number, (span, one) in enumerate(zip(self.cables, said, strict=True)):
            if one.unsaid and np.abs(q - known)[one.between].max(initial=0.0) > SAME:
                raise unsaid(span, one.unsaid)
            for end in (0, 1):
                about = float(turned[2 * number + end] + one.by[end] @ (q - known))
                angle = nearest(self._direction(number, end) - self._level[number][end], about)
                if abs(angle - about) > math.pi - EDGE:
                    raise unsaid(span, "it has turned by half a turn, one way or the other")
                out[2 * number + end] = angle
        return out

    def followed(self, q: np.ndarray, turned: np.ndarray) -> np.ndarray:
        """(2 spans,) how far ways have turned at positions less than half a turn from those where they had so far."""
        self._equations.places(q, self._points)
        found = [self._direction(k // 2, k % 2) - self._level[k // 2][k % 2] for k in range(turned.size)]
        return np.array([nearest(angle, float(about)) for angle, about in zip(found, turned, strict=True)])

    def wrong(self, q: np.ndarray) -> str:
        """What no span can do; nothing where all is well."""
        self._equations.places(q, self._points)
        for number, span in enumerate(self.cables):
            at = self._at(number, q)
            if near := _too_near(span, at):
                return near
            if at.off > ASKEW:
                told = f'the pulleys of "{span.name}" have left their plane, by {at.off:.3g} of the first radius or rad'
                return f"{told}; let only joints that keep them in it be between them"
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

    def room(self, q: np.ndarray) -> float:
        """[m] the least that lies between a span and where it has no tangent, or no cable: forces bend with that."""
        self._equations.places(q, self._points)
        found = [self._at(number, q) for number in range(len(self.cables))]
        return min(min(one.apart - abs(one.aside), one.natural) for one in found)

    def energies(self, q: np.ndarray) -> np.ndarray:
        """(spans,) [J]."""
        length, natural = self.states(q)
        strain = length / natural - 1.0
        strain = np.where(self.law == GONE, 0.0, np.where(self.law == BOTH_WAYS, strain, np.maximum(strain, 0.0)))
        return np.asarray(0.5 * np.array([span.stiffness for span in self.cables]) * strain**2 * natural)

    def touching(
        self, q: np.ndarray, tree: tuple[np.ndarray, np.ndarray], w: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray]:
        """(2 spans, 3) where cables touch their pulleys, and how these places move, where the last terms left the
        tree. They lie at radius times left(t) from the centres, which turns as the way does and with the bodies."""
        found, sides = moving(self._points, *tree, w), list[tuple[np.ndarray, np.ndarray]]()
        for number, span in enumerate(self.cables):
            at, first = self._at(number, q), 2 * number
            turn, body = float(self._turns_of(at, found.jacobian, first) @ w), found.turn[first]
            tilt = math.atan2(at.aside, at.length)
            left = np.cross(at.axis, at.way) * math.cos(tilt) + at.way * math.sin(tilt)
            spin = at.axis * (turn - float(at.axis @ body)) + body
            for end, side in enumerate(_sides(span)):
                out = side * span.radii[end] * left
                sides.append((found.place[first + end] + out, found.rate[first + end] + np.cross(spin, out)))
        places, rates = zip(*sides, strict=True)
        return np.array(places), np.array(rates)

    def _turns_of(self, at: Span, jacobian: np.ndarray, first: int) -> np.ndarray:
        """Slopes of the angle of the cable's own way, beta, by Pinocchio's velocities."""
        apart = jacobian[first + 1] - jacobian[first]
        nearer = at.aside / (at.apart * at.length) * (at.way @ apart)
        return np.asarray(np.cross(at.axis, at.way) / at.apart @ apart + nearer)

    def act(
        self, q: np.ndarray, tree: tuple[np.ndarray, np.ndarray], w: np.ndarray
    ) -> tuple[np.ndarray, float, Stretched]:
        """Forces along Pinocchio's velocities, the power of dampers, and what the cables are, where the last terms left
        the tree. tree: J and dJ/dt of the whole tree."""
        found = moving(self._points, *tree, w)
        out, lost, shows = np.zeros(w.size), 0.0, np.zeros((6, len(self.cables)))
        for number, span in enumerate(self.cables):
            at, first = self._at(number, q), 2 * number
            if math.isnan(at.length):
                return np.full(w.size, math.nan), math.nan, Stretched(*np.full_like(shows, math.nan))
            apart = found.jacobian[first + 1] - found.jacobian[first]
            grows = at.apart / at.length * (at.way @ apart)
            turns = self._turns_of(at, found.jacobian, first)
            spins = [at.axis @ (tree[0][3:] * self._points.carried[first + end]) for end in (0, 1)]
            way_turns = float(np.cross(at.axis, at.way) / at.apart @ apart @ w)
            for end in (0, 1):
                carrier = found.turn[2 * len(self.cables) + first + end]
                self.turning[first + end] = way_turns - float(at.axis @ carrier)
            one, two = _sides(span)
            winds = span.radii[0] * one * (turns - spins[0]) - span.radii[1] * two * (turns - spins[1])
            strain = at.length / at.natural - 1.0
            rate = (grows - (1.0 + strain) * winds) / at.natural
            elastic, viscous, law = 0.0, 0.0, self.law[number]
            if law != GONE and (law == BOTH_WAYS or strain > 0.0):
                elastic, viscous = span.stiffness * strain, span.damping * float(rate @ w)
                if law == ONE_SIDED:
                    viscous = max(viscous, -elastic)  # a damper takes all of the tension at most
            out -= (elastic + viscous) * grows
            out += (elastic * (1.0 + 0.5 * strain) + viscous * (1.0 + strain)) * winds
            lost -= viscous * at.natural * float(rate @ w)
            shows[:4, number] = at.length, at.natural, strain, elastic + viscous
            shows[4:, number] = rate @ w, (grows - winds) @ w
        return out, lost, Stretched(*shows)


def _sides(span: SpanCable) -> tuple[float, float]:
    """s1, s2."""
    one = SIDES[span.side]
    return one, -one if span.crossed else one


def _too_near(span: SpanCable, at: Span) -> str:
    if not math.isnan(at.length):
        return ""
    return f'the pulleys of "{span.name}" are {at.apart:.4g} m apart, too near for its tangent; move them away'


def turned_names(spans: tuple[SpanCable, ...]) -> tuple[str, ...]:
    """Of how far the ways of spans have turned at both ends."""
    return tuple(f"{span.name}.turned at {pulley}" for span in spans for pulley in span.pulleys)


def span_names(spans: tuple[SpanCable, ...]) -> tuple[str, ...]:
    return (
        *turned_names(spans),
        *(f"{span.name}.strain" for span in spans),
        *(f"{span.name}.tension" for span in spans),
    )
