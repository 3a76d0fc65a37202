"""Equilibrium paths: a load case put on little by little, past limit points, with what happens on the way."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from taut.errors import OptionError
from taut.statics.balance import refuse_adrift
from taut.statics.continuation import Curve, Point
from taut.statics.imposing import Case, imposed
from taut.statics.network import network
from taut.statics.newton import stepped
from taut.statics.path_events import Event, Watch, located
from taut.statics.posed import BarChoice, posed
from taut.structure.joining import subdivided
from taut.structure.structure import Structure

METHODS = ("arc-length", "load")
SHORTEST = 1e-5
"""Steps are not cut below this fraction of the first."""


@dataclass(frozen=True, repr=False)
class Path:
    """k points of n nodes, m members (cables first), s supports; events lie on points of their own.

    factor: how much of the case acts, 1 is all of it. unstable: in how many directions the energy falls.
    status: "reached" the factor asked for, or a sentence.
    """

    structure: Structure
    factor: np.ndarray  # (k,)
    nodes: np.ndarray  # (k, n, 3) [m]
    member_force: np.ndarray  # (k, m) [N]
    reaction: np.ndarray  # (k, s, 3) [N]
    unstable: np.ndarray  # (k,)
    events: tuple[Event, ...]
    status: str

    @property
    def ok(self) -> bool:
        return self.status == "reached"

    def __repr__(self) -> str:
        reach = f" to {self.factor[-1]:g}" if self.factor.size else ""
        return f"<Path of {self.factor.size} points{reach}, {len(self.events)} events: {self.status}>"


def path(
    structure: Structure,
    case: Case,
    *,
    start: Case | None = None,
    until: float = 1.0,
    method: str = "arc-length",
    step: float = 0.05,
    points: int = 500,
    bars: BarChoice = None,
    tolerance: float = 1e-10,
) -> Path:
    """Follow the equilibria from `start` (nothing, by default) to `until` times `case`.

    method: "arc-length" goes on past limit points, where the load must fall for balance to be kept (snap-through);
        "load" only raises the load, and says where no balance is near any more.
    step: the first step, and the longest, as a share of the case or of a member's length, whichever is larger.
    points: the path ends after so many.
    """
    if method not in METHODS:
        raise OptionError(f'method = "{method}" is not one of {", ".join(METHODS)}')
    if not step > 0.0 or not until > 0.0:
        raise OptionError(f"step = {step!r} and until = {until!r} must be more than zero")
    problem = posed(network(subdivided(structure)), bars)
    begin, end = imposed(problem, start or Case()), imposed(problem, case)
    refuse_adrift(problem.network, end.external)
    bare = begin._replace(external=np.zeros_like(begin.external))
    first, _ = stepped(problem, bare, begin, problem.network.positions, tolerance=tolerance)
    lengths = problem.network.lengths()
    curve = Curve(problem, begin, end, float(lengths.mean()), tolerance)
    upwards = np.zeros(problem.free.size + 1)
    upwards[-1] = 1.0
    if not first.converged:
        return _path(curve, [], (), "the start is not balanced; balance it first and see its status", first.positions)
    now = curve.corrected(first.positions, first.multipliers, 0.0, upwards, upwards)
    if now is None:
        message = "the start is singular: it can move freely or is at a limit point; support or prestress it"
        return _path(curve, [], (), message, first.positions)
    watch = Watch(problem)
    found, events, size = [now], list[Event](), step
    status = f"ended after {points} points at {now.factor:g}; give more points or a longer step"
    while len(found) < points:
        normal = now.tangent if method == "arc-length" else upwards
        along = _follower(curve, now, normal)
        length = size if method == "arc-length" else min(size, until - now.factor)
        after = along(length)
        if after is None or (float(after.tangent @ now.tangent) < 0.5 and size > SHORTEST * step):
            size *= 0.5
            if size < SHORTEST * step:
                status = _stuck(now.factor, method)
                break
            continue
        for event, point in located(watch, curve, now, after, along, length, len(found)):
            if event.factor <= until:
                found.append(point)
                events.append(event)
        if after.factor >= until:
            last = curve.corrected(after.positions, after.multipliers, until, upwards, now.tangent)
            found.append(after if last is None else _onto(curve, now, after, until, upwards) or last)
            status = "reached"
            break
        now = after
        found.append(now)
        status = f"ended after {points} points at {now.factor:g}; give more points or a longer step"
        size = min(step, 1.5 * size) if after.corrections <= 4 else size
    return _path(curve, found, tuple(events), status, first.positions)


def _follower(curve: Curve, now: Point, normal: np.ndarray) -> Callable[[float], Point | None]:
    """The point that far along from here."""
    load = not normal[:-1].any()

    def along(length: float) -> Point | None:
        reach = length / now.tangent[-1] if load and now.tangent[-1] > 1e-9 else length
        places, factor = curve.predicted(now, reach)
        factor = now.factor + length if load else factor
        return curve.corrected(places, now.multipliers, factor, normal, now.tangent)

    return along


def _onto(curve: Curve, now: Point, after: Point, until: float, upwards: np.ndarray) -> Point | None:
    """The point between two at which the factor is `until`."""
    share = (until - now.factor) / (after.factor - now.factor)
    places = now.positions + share * (after.positions - now.positions)
    multipliers = now.multipliers + share * (after.multipliers - now.multipliers)
    return curve.corrected(places, multipliers, until, upwards, now.tangent)


def _stuck(factor: float, method: str) -> str:
    if method == "load":
        return (
            f"no balance was found beyond {factor:.6g} of the case: the load has a limit there, or the shape jumps; "
            'method="arc-length" goes on past limits'
        )
    return f"the path could not be followed beyond {factor:.6g} of the case; take a smaller step, or look at the events"


def _path(curve: Curve, found: list[Point], events: tuple[Event, ...], status: str, start: np.ndarray) -> Path:
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
    return Path(
        structure,
        np.array([p.factor for p in found]),
        np.array([p.positions for p in found]).reshape(count, *start.shape),
        np.array(forces).reshape(count, problem.network.members),
        np.array(reactions).reshape(count, len(supported), 3),
        np.array([curve.negative(p) for p in found], dtype=int),
        events,
        status,
    )
