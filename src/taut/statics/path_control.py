"""What a path is counted by, and where it ends: the share of a case, or how far a node has gone along an axis."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from taut.errors import OptionError, suggestion
from taut.statics.continuation import Curve, Point
from taut.statics.equilibrium_equations import EquilibriumEquations
from taut.structure.records import AXES

LARGEST_UNIT = 1e12
"""A control that moves less than one over this of what the load grows does not answer to it."""


@dataclass(frozen=True)
class Control:
    """coordinate: among the free ones, or -1 for the way to the case; way: -1 where it ends below where it began."""

    coordinate: int
    start: float
    end: float
    unit: float  # what a tangent counts it in: 1, or the length of a curve's scale [m]

    @property
    def way(self) -> float:
        return 1.0 if self.end > self.start else -1.0

    def normal(self, size: int) -> np.ndarray:
        """The direction (x, s) in which the control alone grows towards its end."""
        found = np.zeros(size)
        found[self.coordinate] = self.way
        return found

    def left(self, curve: Curve, point: Point) -> float:
        """How much there is to go at a point, in units of a tangent; negative beyond the end."""
        return self.way * (self.end - self._value(curve, point)) / self.unit

    def at_end(self, curve: Curve, point: Point) -> Point:
        """The point with its control at the end to the last bit, where the path does not turn just there."""
        places, factor = point.positions, point.factor
        if self.coordinate < 0:
            factor = self.end
        else:
            places = places.copy()
            places.reshape(-1)[curve.problem.free[self.coordinate]] = self.end
        normal = self.normal(point.tangent.size)
        last = curve.corrected(places, point.multipliers, factor, normal, point.tangent, point.taut)
        return point if last is None else last

    def _value(self, curve: Curve, point: Point) -> float:
        if self.coordinate < 0:
            return point.factor
        return float(point.positions.ravel()[curve.problem.free[self.coordinate]])


def way_to_case(until: float) -> Control:
    """Counted by the factor of a curve, from 0."""
    return Control(-1, 0.0, until, 1.0)


def displacement(
    problem: EquilibriumEquations, node: str, axis: str, by: float, positions: np.ndarray, scale: float
) -> Control:
    """Counted by how far a node goes along an axis from these positions, to `by` [m]."""
    names = list(problem.network.structure.nodes)
    if node not in names:
        raise OptionError(f'control: no node "{node}"{suggestion(node, names)}')
    if axis not in AXES:
        raise OptionError(f'control: "{axis}" is not an axis; say x, y or z')
    place = 3 * names.index(node) + AXES.index(axis)
    coordinate = int(problem.unknown[place])
    if coordinate < 0:
        raise OptionError(
            f'control: node "{node}" is held along {axis}; take one that can move, or settle it in the case'
        )
    begin = float(positions.ravel()[place])
    return Control(coordinate, begin, begin + by, scale)


def counted_by(control: Control, curve: Curve, begin: Point) -> Curve:
    """The curve with its load counted in what moves the control by the curve's scale where it begins, if that is more
    than the case: counted in cases, a path of many small ones turns at a limit point as in a hairpin."""
    loaded, moved = abs(begin.tangent[-1]), abs(begin.tangent[control.coordinate])
    return replace(curve, unit=float(loaded / moved)) if moved < loaded < LARGEST_UNIT * moved else curve
