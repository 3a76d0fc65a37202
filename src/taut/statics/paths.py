"""Equilibrium paths: a load case put on little by little, past limit points, with what happens on the way."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from taut.errors import OptionError
from taut.labelled import Labelled, Tabular, Variable
from taut.reprs import titled
from taut.statics.balancing import refuse_adrift
from taut.statics.bifurcations import switched
from taut.statics.continuation import Curve, Point, curve_between
from taut.statics.equilibrium_equations import BarChoice, equations_of
from taut.statics.kinks import begun, beyond
from taut.statics.load_case import LoadCase, imposed
from taut.statics.network import network
from taut.statics.path_control import counted_by, displacement, way_to_case
from taut.statics.path_events import Found, PathEvent, PathWatch, located, together
from taut.statics.slackening import stepped
from taut.structure.joining import subdivided
from taut.structure.labels import labels_of, member_names
from taut.structure.structure import Structure
from taut.type_checks import checked_arguments

METHODS = ("arc-length", "load", "displacement")
SHORTEST = 1e-8
"""Steps are not cut below this fraction of the first."""

FARTHEST = 0.5
"""A point farther from where it was predicted, against the step, may lie on another branch."""

AIM = 0.6
"""How much a step is meant to bend, of what it may."""


VARIABLES = {
    "factor": Variable(("point",), "1", "how far from the start, 0, to the case, 1"),
    "unstable": Variable(("point",), "1", "in how many directions the energy falls"),
    "event": Variable(("point",), "", "what happens there"),
    "nodes": Variable(("point", "node", "axis"), "m", "position of each node", "node:{node}.{axis}"),
    "member_force": Variable(("point", "member"), "N", "force of each member, positive in tension", "{member}.force"),
    "reaction": Variable(
        ("point", "support", "axis"), "N", "force of each support on the structure", "node:{support}.reaction.{axis}"
    ),
}
"""What `LoadPath.to_xarray` and tables of paths have."""


@dataclass(frozen=True, repr=False)
class LoadPath(Tabular):
    """k points of n nodes, m members (cables first), s supports; events lie on points of their own.

    factor: how far it is from the start, 0, to the case, 1. unstable: in how many directions the energy falls.
    status: "reached" the factor asked for, or a sentence.
    """

    structure: Structure
    factor: np.ndarray  # (k,)
    nodes: np.ndarray  # (k, n, 3) [m]
    member_force: np.ndarray  # (k, m) [N]
    reaction: np.ndarray  # (k, s, 3) [N]
    unstable: np.ndarray  # (k,)
    events: tuple[PathEvent, ...]
    status: str

    @property
    def ok(self) -> bool:
        return self.status == "reached"

    def labelled(self) -> Labelled:
        """One row a point."""
        count = self.factor.size
        met = [[f"{e.kind} {e.member}".strip() for e in self.events if e.point == k] for k in range(count)]
        labels = {"point": range(count), **labels_of(self.structure), "member": member_names(self.structure)}
        own = {"event": np.array(["; ".join(told) for told in met], dtype=str)}
        values = {name: own[name] if name in own else getattr(self, name) for name in VARIABLES}
        return Labelled(("point",), labels, VARIABLES, values, {"status": self.status})

    def __repr__(self) -> str:
        reach = f" to {self.factor[-1]:g}" if self.factor.size else ""
        return titled("LoadPath", f"{self.factor.size} points{reach}, {len(self.events)} events", self.status)


@checked_arguments
def path(
    structure: Structure,
    case: LoadCase,
    *,
    start: LoadCase | None = None,
    until: float = 1.0,
    method: str = "arc-length",
    control: tuple[str, str] | None = None,
    switch: int = 0,
    step: float = 0.05,
    points: int = 500,
    bars: BarChoice = None,
    tolerance: float = 1e-10,
) -> LoadPath:
    """Follow the equilibria from `start` (nothing, by default) to `case`, and straight on to `until` times that way.

    At a factor s what acts is start + s (case - start). What is to stay, such as weight, is told in both.

    method: "arc-length" goes on past limit points, where the load must fall for balance to be kept (snap-through);
        "load" only raises the load, and says where no balance is near any more; "displacement" moves the `control`, a
        node and an axis as ("top", "z"), by `until` metres, and the load is what balance needs for it.
    switch: 1 leaves the path at its first bifurcation and goes on along the branch that leaves there, to the side to
        which the event's node moves along its largest axis, -1 to the other side; 2 at the second, and so on.
    step: the first step, and the longest, as a share of the way (to the case, or to `until` beyond it) or of a member's
        length, whichever is larger; steps are shorter where the path bends.
    points: the path ends after so many.
    """
    if method not in METHODS:
        raise OptionError(f'method = "{method}" is not one of {", ".join(METHODS)}')
    if not 0.0 < step < np.inf or not 0.0 < (abs(until) if method == "displacement" else until) < np.inf:
        raise OptionError(f"step = {step!r} and until = {until!r} must be finite and more than zero")
    if (method == "displacement") != (control is not None):
        raise OptionError('method="displacement" and control=("node", "axis") go together; give both or neither')
    if int(switch) != switch:
        raise OptionError(f"switch = {switch!r} must be a whole number, as 1 or -1 for the first bifurcation")
    problem = equations_of(network(subdivided(structure)), bars)
    if not problem.network.members:
        raise OptionError("there are no cables and no bars, so nothing answers to a case; add some")
    begin, end = (imposed(problem, one) for one in (start or LoadCase(), case))
    refuse_adrift(problem.network, end.external)
    bare = begin._replace(external=np.zeros_like(begin.external))
    first, _ = stepped(problem, bare, begin, problem.network.positions, tolerance=tolerance)
    curve = curve_between(problem, begin, end, tolerance)
    if control is None:
        curve = replace(curve, unit=max(1.0, until))
        counted = way_to_case(until / curve.unit)
    else:
        counted = displacement(problem, *control, until, first.positions, curve.scale)
    if not first.converged:
        return _path(curve, [], (), "the start is not balanced; balance it first and see its status", first.positions)
    now = begun(curve, first.positions, first.multipliers)
    if now is not None and control is not None:
        curve = counted_by(counted, curve, now)
        now = begun(curve, first.positions, first.multipliers)
    if now is None:
        message = "the start is singular: it can move freely or is at a limit point; support or prestress it"
        return _path(curve, [], (), message, first.positions)
    way = _Way(curve, PathWatch(problem, counted), method, step, switch)
    found, events, status = way.followed(now, points)
    told = tuple(replace(event, factor=curve.unit * event.factor) for event in events)
    return _path(curve, found, told, status, first.positions)


@dataclass(frozen=True)
class _Way:
    """How a curve is followed."""

    curve: Curve
    watch: PathWatch
    method: str
    step: float
    switch: int

    def followed(self, now: Point, points: int) -> tuple[list[Point], list[PathEvent], str]:
        """Points from the first on, events, and how it ended."""
        curve, watch = self.curve, self.watch
        now = self._towards_end(now)
        found, events, size, branches = [now], list[PathEvent](), self.step, 0
        while len(found) < points:
            if size < SHORTEST * self.step or self._turned(now):
                return found, events, _stuck(curve.share(now), self.method)
            length = size if self.method == "arc-length" else min(size, watch.control.left(curve, now))
            along = self._follower(now)
            after = along(length)
            bend = np.inf if after is None else curve.bend(now, after)
            met = None if after is None or bend > 1.0 else _met(watch, curve, now, after, along, length)
            if after is None or met is None:
                size = length * min(0.5, max(0.1, AIM / bend))
                continue
            left = None
            for item in met:
                if item.event is None:
                    found.append(watch.control.at_end(curve, item.point))
                    return found, events, "reached"
                events.append(replace(item.event, point=len(found)))
                found.append(item.point)
                branches += item.bifurcation is not None
                if item.bifurcation is not None and branches == abs(self.switch):
                    left = item.bifurcation
                    break
            size = min(self.step, length * min(2.0, AIM / max(bend, 1e-9)))
            if left is not None:
                switched_to = switched(curve, left, float(np.sign(self.switch)), self.step)
                if switched_to is None:
                    return found, events, f"no branch was found that leaves at {_way(curve.share(left.point))}"
                now, size = switched_to, 0.1 * self.step
                found.append(now)
            elif not met or not met[-1].kink:
                now = after
                found.append(now)
            else:
                turned = beyond(curve, met[-1].point, met[-1].number, together(curve, met[-1], after))
                if turned is None:
                    return found, events, _stuck(curve.share(met[-1].point), self.method)
                events[-1:] = _at_kink(curve, watch, met[-1], turned, len(found) - 1)
                now = found[-1] = turned
        return found, events, f"ended after {points} points at {curve.share(now):g}; give more points or a longer step"

    def _towards_end(self, now: Point) -> Point:
        """The first point with its tangent to the side on which the control ends: its load may have to fall."""
        if self.method != "displacement" or now.tangent @ self.watch.control.normal(now.tangent.size) >= 0.0:
            return now
        return replace(now, tangent=-now.tangent)

    def _turned(self, now: Point) -> bool:
        """Whether what the path is counted by does not grow any more where it has to."""
        return self.method != "arc-length" and bool(now.tangent @ self.watch.control.normal(now.tangent.size) <= 0.0)

    def _follower(self, now: Point) -> Callable[[float], Point | None]:
        """The point that far along from here: on the tangent, or by so much of the control."""
        normal, rate = now.tangent, 1.0
        if self.method != "arc-length":
            normal = self.watch.control.normal(now.tangent.size)
            rate = float(now.tangent @ normal)

        def along(length: float) -> Point | None:
            places, factor = self.curve.predicted(now, length / rate)
            found = self.curve.corrected(places, now.multipliers, factor, normal, now.tangent, now.taut)
            if found is None or self.curve.distance(places, factor, found) > FARTHEST * length / rate + 1e-9:
                return None
            return found

        return along


def _met(
    watch: PathWatch, curve: Curve, now: Point, after: Point, along: Callable[[float], Point | None], length: float
) -> list[Found] | None:
    """What happens in a step; where the load turns beyond the end of the path, the end lies before that."""
    met = located(watch, curve, now, after, along, length)
    for item in met or ():
        turns = item.event is not None and item.event.kind == "limit point"
        if turns and watch.control.left(curve, item.point) < 0.0:
            return located(watch, curve, now, item.point, along, item.reach)
    return met


def _at_kink(curve: Curve, watch: PathWatch, kink: Found, turned: Point, number: int) -> list[PathEvent]:
    """All that happens at a kink: cables that change there, the load, if it turns, and else what becomes unstable."""
    changed = np.flatnonzero(kink.point.taut != turned.taut)
    told = [watch.event(int(k), bool(kink.point.taut[k]), turned.factor) for k in changed]
    if kink.point.tangent[-1] * turned.tangent[-1] < 0.0:
        told.append(PathEvent(turned.factor, "limit point", "", 0))
    elif curve.negative(turned) != curve.negative(kink.point):
        told.append(PathEvent(turned.factor, "bifurcation", "", 0))
    return [replace(event, point=number) for event in told if event is not None]


def _way(factor: float) -> str:
    return f"{factor:.6g} of the way from the start to the case"


def _stuck(factor: float, method: str) -> str:
    if method == "load":
        return (
            f"no balance was found beyond {_way(factor)}: the load has a limit there, or the shape jumps; "
            'method="arc-length" goes on past limits'
        )
    if method == "displacement":
        return (
            f"the control turns back at {_way(factor)}, or the shape jumps there; "
            'method="arc-length" goes on, or take another control'
        )
    return f"the path could not be followed beyond {_way(factor)}; take a smaller step, or look at the events"


def _path(curve: Curve, found: list[Point], events: tuple[PathEvent, ...], status: str, start: np.ndarray) -> LoadPath:
    problem = curve.problem
    structure = problem.network.structure
    held = (problem.unknown < 0).reshape(-1, 3)
    supported = list(structure.supported_nodes.values())
    settings = [curve.setting(p.factor) for p in found]
    pairs = list(zip(found, settings, strict=True))
    count = len(found)
    reactions = [
        np.where(held, problem.unbalance(p.positions, p.multipliers, s).reshape(-1, 3), 0.0)[supported]
        for p, s in pairs
    ]
    forces = [problem.tensions(p.positions, p.multipliers, s) for p, s in pairs]
    return LoadPath(
        structure,
        np.array([curve.share(p) for p in found]),
        np.array([p.positions for p in found]).reshape(count, *start.shape),
        np.array(forces).reshape(count, problem.network.members),
        np.array(reactions).reshape(count, len(supported), 3),
        np.array([curve.negative(p) for p in found], dtype=int),
        events,
        status,
    )
