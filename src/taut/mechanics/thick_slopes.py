"""What the thickness of compressible bars adds to the `taut.mechanics.slopes.Slopes` of a nodal plant.

The formulas are those of `taut.mechanics.thick`, written as functions of a bar's span b and the relative velocity w of
its ends, and of its length n without force, that take complex numbers, so that their slopes are complex steps.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from taut.mechanics.tables import Nodal

TINY = 1e-100


@dataclass(frozen=True)
class ThicknessSlopes:
    """Of t bars. A force acts on the second end, and its opposite on the first."""

    first: np.ndarray  # (t,) nodes
    second: np.ndarray  # (t,)
    inertia: np.ndarray  # (t, 3, 3) against relative motion of the ends [kg]
    force: np.ndarray  # (3 n,) velocity terms and what damping in proportion to the mass adds [N]
    damping: np.ndarray  # (t, 3, 3)
    span: np.ndarray  # (t, 3)
    natural: np.ndarray  # (t,)
    size: int  # 3 n
    pushed: Callable[[np.ndarray, np.ndarray, np.ndarray], np.ndarray]  # (b, a, n) -> force that an acceleration leaves

    def stiffness(self, acceleration: np.ndarray) -> np.ndarray:
        """(t, 3, 3): -d(force - inertia a)/d span; acceleration: (3 n,)."""
        relative = self._relative(acceleration)
        return -_slopes(lambda b: self.pushed(b, relative, self.natural), self.span)

    def by_natural(self, acceleration: np.ndarray) -> np.ndarray:
        """(t, 3 n): d(force - inertia a)/dn on all coordinates, with the mass and the radius without force as given."""
        found = np.zeros((self.natural.size, self.size // 3, 3))
        longer = self.natural + 1j * TINY
        push = np.imag(self.pushed(self.span, self._relative(acceleration), longer)) / TINY
        every = np.arange(self.natural.size)
        found[every, self.second] += push
        found[every, self.first] -= push
        return found.reshape(-1, self.size)

    def _relative(self, acceleration: np.ndarray) -> np.ndarray:
        a = acceleration.reshape(-1, 3)
        return np.asarray(a[self.second] - a[self.first])


def thickness_slopes(tables: Nodal, q: np.ndarray, v: np.ndarray) -> ThicknessSlopes:
    thick, bars = tables.thick, tables.bars
    first, second = bars.first[thick.bar] // 3, bars.second[thick.bar] // 3
    natural, turning = bars.length[thick.bar], thick.turning.reshape(-1, 4).T
    alpha = tables.constants.mass_damping[0]

    def parts(b: np.ndarray, w: np.ndarray, n: np.ndarray) -> tuple[np.ndarray, ...]:
        """Length, direction, e, and w along and across."""
        length = np.sqrt(np.sum(b * b, axis=1))
        unit = b / length[:, None]
        along = np.sum(unit * w, axis=1)
        e = thick.excess * (natural / n) ** 2 * (length / n) ** thick.power
        return length, unit, e, along, w - along[:, None] * unit

    def carried(b: np.ndarray, w: np.ndarray, n: np.ndarray) -> np.ndarray:
        _, unit, e, along, across = parts(b, w, n)
        return np.asarray(e[:, None] * across - (thick.axial * along)[:, None] * unit)

    def moved(b: np.ndarray, w: np.ndarray, n: np.ndarray) -> np.ndarray:
        length, unit, e, along, across = parts(b, w, n)
        sideways = -(turning[0] * e + turning[1]) * along / length
        lengthways = -(turning[2] * e + turning[3]) * np.sum(across * across, axis=1) / length
        return np.asarray(sideways[:, None] * across + lengthways[:, None] * unit - alpha * carried(b, w, n))

    places, speeds = q.reshape(-1, 3), v.reshape(-1, 3)
    span, rate = places[second] - places[first], speeds[second] - speeds[first]
    force, push = np.zeros_like(places), moved(span, rate, natural)
    np.add.at(force, second, push)
    np.add.at(force, first, -push)
    return ThicknessSlopes(
        first,
        second,
        _slopes(lambda w: carried(span, w, natural), rate),
        force.ravel(),
        -_slopes(lambda w: moved(span, w, natural), rate),
        span,
        natural,
        q.size,
        lambda b, a, n: moved(b, rate, n) - carried(b, a, n),
    )


def _slopes(function: Callable[[np.ndarray], np.ndarray], at: np.ndarray) -> np.ndarray:
    """(t, 3, 3) the derivative of (t, 3) vectors, each by its own row."""
    steps = 1j * TINY * np.eye(3)
    return np.stack([np.imag(function(at + step)) / TINY for step in steps], axis=2)
