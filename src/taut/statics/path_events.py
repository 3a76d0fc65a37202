"""What happens on an equilibrium path: cables slacken or tighten, bars reach Euler's load or yield, the load turns,
another branch leaves."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial

import numpy as np

from taut.statics.bifurcations import Bifurcation, bifurcations
from taut.statics.continuation import Curve, Point
from taut.statics.elastic_members import lengths_at
from taut.statics.equilibrium_equations import EquilibriumEquations
from taut.statics.kinks import AT_REST, wrong
from taut.statics.path_control import Control
from taut.statics.strengths import Strengths, strengths

BRANCHING = -1
"""In place of the number of a sign change: that of the tangent stiffness."""

LOCATED = 1e-12
"""Events are found to this fraction of a step."""


@dataclass(frozen=True)
class PathEvent:
    """kind: "slack", "taut", "euler", "yield", "limit point" or "bifurcation".

    member: its name, empty for a limit point or a bifurcation.
    node: at a bifurcation, the one that moves most where the other branch leaves.
    """

    factor: float
    kind: str
    member: str
    point: int  # its number on the path
    node: str = ""


@dataclass(frozen=True)
class Found:
    """A sign change at a point that far along a step; event: None where it is the end of the path."""

    reach: float
    point: Point
    event: PathEvent | None
    number: int
    bifurcation: Bifurcation | None = None

    @property
    def kink(self) -> bool:
        return self.event is not None and self.event.kind in ("slack", "taut")


@dataclass(frozen=True)
class PathWatch:
    """Numbers that change sign at an event, and at the end of the path."""

    problem: EquilibriumEquations
    control: Control
    limits: Strengths = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "limits", strengths(self.problem.network.structure))

    def signs(self, curve: Curve, point: Point) -> np.ndarray:
        """(4 m + 2,): margin, distances to Euler's load and yield (pulled, pushed), the tangent's rise, to the end."""
        forces = self.problem.tensions(point.positions, point.multipliers, curve.setting(point.factor))
        one_sided = np.where(curve.one_sided, curve.margins(point), 1.0)
        with np.errstate(invalid="ignore"):
            limits = self.limits.at(lengths_at(self.problem.members, point.positions))
            shares = [1.0 + forces / limits.buckling, 1.0 - forces / self.limits.yielding]
            shares.append(1.0 + forces / self.limits.yielding)
        return np.concatenate([one_sided, *shares, [point.tangent[-1], self.control.left(curve, point)]])

    def event(self, number: int, falling: bool, factor: float) -> PathEvent | None:
        """None for a sign change that is of no interest (a bar that recovers), and for the end."""
        count = self.problem.network.members
        part, member = divmod(number, count)
        if number >= 4 * count:
            return PathEvent(factor, "limit point", "", 0) if number == 4 * count else None
        name = self.problem.network.names[member]
        if part == 0:
            return PathEvent(factor, "slack" if falling else "taut", name, 0)
        return PathEvent(factor, "euler" if part == 1 else "yield", name, 0) if falling else None

    def branching(self, found: Bifurcation) -> PathEvent:
        motion = np.zeros(self.problem.unknown.size)
        motion[self.problem.free] = found.mode
        most = int(np.argmax(np.linalg.norm(motion.reshape(-1, 3), axis=1)))
        return PathEvent(found.point.factor, "bifurcation", "", 0, list(self.problem.network.structure.nodes)[most])


def located(
    watch: PathWatch, curve: Curve, now: Point, after: Point, along: Callable[[float], Point | None], length: float
) -> list[Found] | None:
    """What happens between two points, in order, up to the first kink or the end; None where it cannot be located."""
    branches = bifurcations(curve, now, after, along, length)
    if branches is None:
        return None
    before, behind = watch.signs(curve, now), watch.signs(curve, after)
    count = watch.problem.network.members
    end = before.size - 1
    # What lies on zero at the start has happened already, and a cable is where it is counted.
    crossed = (before * behind < 0.0) & (np.abs(before) > 1e-9)
    crossed[:count] = wrong(curve, after)
    crossed[end] = behind[end] <= 0.0
    rates = curve.margin_rates(now, now.tangent)
    found = [Found(b.reach, b.point, watch.branching(b), BRANCHING, b) for b in branches]
    for number in map(int, np.flatnonzero(crossed)):
        falling = bool(now.taut[number] if number < count else behind[number] < before[number])
        if number != end and watch.event(number, falling, 0.0) is None:
            continue
        place: tuple[float, Point] | None
        if number < count and (before[number] <= 0.0 if falling else before[number] >= 0.0):
            # It starts at its rest length: it leaves its side there, or comes back within a step that is too long.
            place = (0.0, now) if (rates[number] < 0.0) == falling else None
        else:
            place = _root(partial(_sign, watch, curve, number), now, after, along, length)
        if place is None:
            return None
        found.append(Found(*place, watch.event(number, falling, place[1].factor), number))
    found.sort(key=lambda item: item.reach)
    last = next((k for k, item in enumerate(found) if item.kink or item.event is None), len(found))
    return found[: last + 1]


def together(curve: Curve, kink: Found, after: Point) -> np.ndarray:
    """Numbers of the other cables that reach their rest lengths with the one of a kink, on the way to a point."""
    changing = (np.abs(curve.margins(kink.point)) <= AT_REST) & wrong(curve, after)
    changing[kink.number] = False
    return np.flatnonzero(changing)


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


def _sign(watch: PathWatch, curve: Curve, number: int, point: Point) -> float:
    return float(watch.signs(curve, point)[number])


class _Lost(Exception):
    """The corrector found no point."""
