"""The same machines in minimal coordinates: equations of motion in angles, written by hand, nothing taken from taut.

Bars are rigid bodies here: a mass and a moment of inertia about the middle or about a pivot. All machines move in the
x-z plane with z up, except for the spherical pendulum.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from scipy.integrate import solve_ivp

Rate = Callable[[float, np.ndarray], np.ndarray]


def followed(rate: Rate, start: Sequence[float], times: np.ndarray, breaks: Sequence[float] = ()) -> np.ndarray:
    """States at the times, a row each, by DOP853 at 1e-13, started anew at every one of them and at the breaks.

    Anew, because its interpolation between steps is much worse than its steps. A rate may jump at a break; the pieces
    then ask for it only inside.
    """
    inner = [b for b in breaks if times[0] < b < times[-1]]
    edges, wanted = np.union1d(times, inner), set(times.tolist())
    state, rows = np.asarray(start, dtype=float), [np.asarray(start, dtype=float)]
    for left, right in pairwise(edges):
        low, high = left + 1e-12, right - 1e-12

        def inside(t: float, y: np.ndarray, low: float = low, high: float = high) -> np.ndarray:
            return rate(min(max(t, low), high) if inner else t, y)

        state = solve_ivp(inside, (left, right), state, method="DOP853", rtol=1e-13, atol=1e-14).y[:, -1]
        if right in wanted:
            rows.append(state)
    return np.array(rows)


@dataclass(frozen=True)
class Rod:
    """A uniform bar: mass [kg], length [m], radius [m] (zero for a thin rod)."""

    mass: float
    length: float
    radius: float = 0.0

    @property
    def about_middle(self) -> float:
        return self.mass * (self.length**2 + 3.0 * self.radius**2) / 12.0

    @property
    def about_end(self) -> float:
        return self.about_middle + self.mass * self.length**2 / 4.0


def compass(angle: complex) -> np.ndarray:
    """The unit vector (x, z) at an angle above x; complex angles pass through, for complex steps."""
    return np.array([np.cos(angle), np.sin(angle)])


def turned(angle: complex) -> np.ndarray:
    """The derivative of `compass`."""
    return np.array([-np.sin(angle), np.cos(angle)])


@dataclass(frozen=True)
class TBar:
    """Two bars on fixed pivots (0, 0) and (width, 0), their free ends n3 and n4 at angles a and b, springs between.

    State: a, b, their rates, and the work of loads and dampers. `load(t)` is the force on n3 and n4, (2, 2) [N].
    """

    rod: Rod
    width: float
    stiffness: float
    side_rest: float
    top_rest: float
    damping: float = 0.0
    gravity: float = 0.0
    load: Callable[[float], np.ndarray] = lambda t: np.zeros((2, 2))

    def ends(self, state: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Positions and velocities of n3 and n4 as x3 z3 x4 z4."""
        a, b, a_rate, b_rate = state[:4]
        length, pivot = self.rod.length, np.array([self.width, 0.0])
        places = [length * compass(a), pivot + length * compass(b)]
        speeds = [length * a_rate * turned(a), length * b_rate * turned(b)]
        return np.concatenate(places), np.concatenate(speeds)

    def rate(self, t: float, state: np.ndarray) -> np.ndarray:
        places, speeds = self.ends(state)
        (n3, n4), (v3, v4) = places.reshape(2, 2), speeds.reshape(2, 2)
        still, origin, pivot = np.zeros(2), np.zeros(2), np.array([self.width, 0.0])
        load = self.load(t)
        force = load.copy()
        power = float(np.sum(load * np.array([v3, v4])))
        # Each spring: its vector and the rate of it, and with which sign it pulls n3 and n4.
        for vector, change, on3, on4, rest in (
            (n3 - pivot, v3 - still, -1.0, 0.0, self.side_rest),
            (n4 - origin, v4 - still, 0.0, -1.0, self.side_rest),
            (n4 - n3, v4 - v3, 1.0, -1.0, self.top_rest),
        ):
            size = np.hypot(*vector)
            stretching = vector @ change / size
            pull = (self.stiffness * (size - rest) + self.damping * stretching) * vector / size
            force += np.outer([on3, on4], pull)
            power -= self.damping * stretching**2
        weight = np.array([0.0, -self.rod.mass * self.gravity / 2.0])  # half of a bar's weight is borne by its free end
        angles, rates = state[:2], state[2:4]
        torque = [self.rod.length * turned(angle) @ (force[i] + weight) for i, angle in enumerate(angles)]
        return np.array([*rates, *(np.array(torque) / self.rod.about_end), power])


@dataclass(frozen=True)
class DoublePendulum:
    """Two rods from the origin, angles from straight down, a point mass at the tip. State: angles and their rates."""

    upper: Rod
    lower: Rod
    tip_mass: float
    gravity: float

    def nodes(self, state: np.ndarray) -> np.ndarray:
        """x and z of the two free nodes."""
        down = [length * np.array([np.sin(t), -np.cos(t)]) for length, t in zip(self._lengths, state[:2], strict=True)]
        return np.concatenate([down[0], down[0] + down[1]])

    @property
    def _lengths(self) -> tuple[float, float]:
        return self.upper.length, self.lower.length

    def rate(self, t: float, state: np.ndarray) -> np.ndarray:
        first, second, first_rate, second_rate = state
        l1, l2 = self._lengths
        cross = (self.lower.mass / 2.0 + self.tip_mass) * l1 * l2
        between = first - second
        inertia = np.array(
            [
                [self.upper.about_end + (self.lower.mass + self.tip_mass) * l1**2, cross * np.cos(between)],
                [cross * np.cos(between), self.lower.about_end + self.tip_mass * l2**2],
            ]
        )
        moment = np.array(
            [
                (self.upper.mass / 2.0 + self.lower.mass + self.tip_mass) * l1 * np.sin(first),
                (self.lower.mass / 2.0 + self.tip_mass) * l2 * np.sin(second),
            ]
        )
        swing = cross * np.sin(between) * np.array([-(second_rate**2), first_rate**2])
        return np.array([first_rate, second_rate, *np.linalg.solve(inertia, swing - self.gravity * moment)])


@dataclass(frozen=True)
class OneAngle:
    """Any machine of one angle: J(angle) rate^2 / 2 is its kinetic energy and V(angle) its potential, both analytic.

    Lagrange: J angle'' = -J' rate^2 / 2 - V', the derivatives by complex step, exact to round-off.
    """

    inertia: Callable[[complex], complex]
    potential: Callable[[complex], complex]

    def rate(self, t: float, state: np.ndarray) -> np.ndarray:
        angle, speed = state
        tiny = 1e-30
        inertia = self.inertia(angle + tiny * 1j)
        slope = self.potential(angle + tiny * 1j).imag / tiny
        return np.array([speed, (-0.5 * inertia.imag / tiny * speed**2 - slope) / inertia.real])


@dataclass(frozen=True)
class FourBar:
    """Crank from (0, 0), coupler, rocker to (ground, 0); a spring from the crank's end to the rocker's pivot."""

    crank: Rod
    coupler: Rod
    rocker: Rod
    ground: float
    gravity: float
    stiffness: float
    rest: float

    def angles(self, crank: complex) -> tuple[complex, complex]:
        """Of the coupler and of the rocker, by the loop: crank + coupler = ground + rocker, elbow up."""
        end = self.crank.length * compass(crank)
        gap = np.array([self.ground, 0.0]) - end
        squared = gap @ gap
        distance = np.sqrt(squared)
        along = (squared + self.coupler.length**2 - self.rocker.length**2) / (2.0 * distance)
        across = np.sqrt(self.coupler.length**2 - along**2)
        joint = end + (along * gap + across * np.array([-gap[1], gap[0]])) / distance
        arm, leg = joint - end, joint - np.array([self.ground, 0.0])
        return _angle(arm / self.coupler.length), _angle(leg / self.rocker.length)

    def nodes(self, crank: float) -> np.ndarray:
        coupler, _ = self.angles(crank)
        end = self.crank.length * compass(crank)
        return np.concatenate([end, end + self.coupler.length * compass(coupler)]).real

    def inertia(self, crank: complex) -> complex:
        coupler, rocker = self.angles(crank)
        a, b, c = self.crank.length, self.coupler.length, self.rocker.length
        # Rates of the other two angles for a unit rate of the crank, from the derivative of the loop.
        turn = -a * np.sin(crank - rocker) / (b * np.sin(coupler - rocker))
        lean = a * np.sin(crank - coupler) / (c * np.sin(rocker - coupler))
        middle = a * turned(crank) + turn * b / 2.0 * turned(coupler)
        return (
            self.crank.about_end
            + self.coupler.mass * (middle @ middle)
            + self.coupler.about_middle * turn**2
            + self.rocker.about_end * lean**2
        )

    def potential(self, crank: complex) -> complex:
        coupler, rocker = self.angles(crank)
        end = self.crank.length * compass(crank)
        height = (
            self.crank.mass * end[1] / 2.0
            + self.coupler.mass * (end[1] + self.coupler.length / 2.0 * np.sin(coupler))
            + self.rocker.mass * self.rocker.length / 2.0 * np.sin(rocker)
        )
        gap = np.array([self.ground, 0.0]) - end
        return self.gravity * height + 0.5 * self.stiffness * (np.sqrt(gap @ gap) - self.rest) ** 2


def _angle(unit: np.ndarray) -> complex:
    """The angle of a unit vector, analytic where it points up or to the right."""
    return 2.0 * np.arctan(unit[1] / (1.0 + unit[0]))


def spherical_pendulum(rod: Rod, gravity: float) -> Rate:
    """State: angle from straight down, azimuth, their rates. The bar does not spin about its own axis."""
    pull = rod.mass * gravity * rod.length / 2.0 / rod.about_end

    def rate(t: float, state: np.ndarray) -> np.ndarray:
        tilt, _, tilt_rate, turn = state
        return np.array(
            [
                tilt_rate,
                turn,
                turn**2 * np.sin(tilt) * np.cos(tilt) - pull * np.sin(tilt),
                -2.0 * tilt_rate * turn / np.tan(tilt),
            ]
        )

    return rate
