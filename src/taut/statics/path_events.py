"""What happens on an equilibrium path: cables slacken or tighten, bars reach Euler's load or yield, the load turns."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace

import numpy as np

from taut.mechanics.elastic_members import lengths_of, spans_of
from taut.statics.continuation import Curve, Point
from taut.statics.posed import Posed
from taut.statics.strengths import Strengths, strengths

LOCATED = 1e-12
"""Events are found to this fraction of a step."""


@dataclass(frozen=True)
class Event:
    """kind: "slack", "taut", "euler", "yield" or "limit point"; member: its name, empty for a limit point."""

    factor: float
    kind: str
    member: str
    point: int  # its number on the path


@dataclass(frozen=True)
class Watch:
    """Numbers that change sign at an event."""

    problem: Posed
    limits: Strengths = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "limits", strengths(self.problem.network.structure))

    def signs(self, curve: Curve, point: Point) -> np.ndarray:
        """(4 m + 1,): stretch, distances to Euler's load and to yield, pulled and pushed, and the tangent's rise."""
        setting = curve.setting(point.factor)
        members = self.problem.members
        stretch = lengths_of(spans_of(members, point.positions)) / setting.rest_length - 1.0
        forces = self.problem.tensions(point.positions, point.multipliers, setting)
        one_sided = np.where(members.one_sided, stretch, 1.0)
        with np.errstate(invalid="ignore"):
            shares = [1.0 + forces / self.limits.buckling, 1.0 - forces / self.limits.yielding]
            shares.append(1.0 + forces / self.limits.yielding)
        return np.concatenate([one_sided, *shares, [point.tangent[-1]]])

    def said(self, number: int, falling: bool) -> tuple[str, str] | None:
        """Kind and member of a sign change; None for one that is of no interest (a bar that recovers)."""
        count = self.problem.network.members
        part, member = divmod(number, count)
        if number == 4 * count:
            return "limit point", ""
        name = self.problem.network.names[member]
        if part == 0:
            return ("slack" if falling else "taut"), name
        if not falling:
            return None
        return ("euler" if part == 1 else "yield"), name


def located(
    watch: Watch,
    curve: Curve,
    now: Point,
    after: Point,
    along: Callable[[float], Point | None],
    length: float,
    first: int,
) -> list[tuple[Event, Point]]:
    """The events between two points, in order, each with the point at which it happens; numbered from `first`."""
    before, behind = watch.signs(curve, now), watch.signs(curve, after)
    # What lies on zero at the start has happened already.
    crossed = np.flatnonzero((before * behind < 0.0) & (np.abs(before) > 1e-9))
    found = []
    for number in crossed:
        words = watch.said(int(number), falling=bool(behind[number] < before[number]))
        if words is None:
            continue

        def value(point: Point, number: int = int(number)) -> float:
            return float(watch.signs(curve, point)[number])

        place = _root(value, now, after, along, length)
        if place is not None:
            found.append((place[0], Event(place[1].factor, *words, 0), place[1]))
    found.sort(key=lambda item: item[0])
    return [(replace(event, point=first + k), point) for k, (_, event, point) in enumerate(found)]


def _root(
    value: Callable[[Point], float],
    now: Point,
    after: Point,
    along: Callable[[float], Point | None],
    length: float,
) -> tuple[float, Point] | None:
    """Where along the step the value is zero, and the point there; None where the path cannot be followed to it."""
    from scipy.optimize import brentq

    def at(reach: float) -> float:
        if reach == 0.0:
            return value(now)
        point = after if reach == length else along(reach)
        if point is None:
            raise _Lost
        return value(point)

    try:
        reach = float(brentq(at, 0.0, length, xtol=LOCATED * length, rtol=1e-13))
    except (_Lost, ValueError):
        return None
    point = along(reach)
    return None if point is None else (reach, point)


class _Lost(Exception):
    """The corrector found no point."""
