"""Reactive gaits: every member changes its length by where its own ends are, and all members by one and the same law.

At each decision a member's change is reach tanh(w . f), with features f of its lower and its upper end as seen from the
middle of all ends, forward being the heading. No member is named in the law, so that it goes on rolling whichever face
came to lie below, and a search has one number for each feature instead of some for each member.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numba import njit

from taut.errors import OptionError
from taut.locomotion.gaits import commanded_drives
from taut.numerics.compiled import kernel
from taut.numerics.pointers import shifted, start_of
from taut.reprs import brief
from taut.structure.controllers import Controller
from taut.structure.drives import members_of
from taut.structure.scenario import Drive
from taut.structure.structure import Structure
from taut.type_checks import conform, known_fields

FEATURES = (
    "constant",
    "lower forward",
    "upper forward",
    "lower height",
    "upper height",
    "lower forward x height",
    "upper forward x height",
    "lower aside",
    "upper aside",
    "lower forward squared",
    "upper forward squared",
    "speed",
)
"""Of a member's lower and upper end, from the middle of all ends, in `unit`s; aside is without its sign, so that
what is left and right moves alike. Speed: of the middle along the heading, in units over ten periods."""

NAME = "reactive gait"
STARTS = 0.02
"""[m/s] by which velocities of nodes differ at the start of copies."""

FORWARD_X, FORWARD_Y, UNIT, REACH, DECIDED, BEFORE, WEIGHTS = range(7)
"""Numbers at the front of the law's state: among them how many decisions there were, and how far forward the middle was
at the last. Behind the weights: room for features, then the commands."""

COUNT = len(FEATURES)


@known_fields
@dataclass(frozen=True, slots=True)
class ReactiveGait:
    """Changes of length by where members' ends are.

    members: single bars or cables, "bar:x1". weights: one for each of FEATURES. heading: [rad] from x towards y.
    reach: [m] the largest change. unit: [m] by which places are counted, about half a strut.
    period: [s] between decisions, over which a change comes smoothly. fastest: [m/s] in the mean over a period.
    """

    members: tuple[str, ...]
    weights: tuple[float, ...]
    heading: float = 0.0
    reach: float = 0.1
    unit: float = 0.3
    period: float = 0.02
    fastest: float = 1.3

    __repr__ = brief

    def __post_init__(self) -> None:
        conform(self, "ReactiveGait")
        if len(self.weights) != len(FEATURES):
            raise OptionError(f"ReactiveGait: {len(self.weights)} weights for {len(FEATURES)} features; give one each")
        for name in ("reach", "unit", "period", "fastest"):
            if not getattr(self, name) > 0.0:
                raise OptionError(f"ReactiveGait: {name} = {getattr(self, name):g} must be more than zero")

    def drives(self, structure: Structure) -> tuple[Drive, ...]:
        """Of its members, commanded."""
        return commanded_drives(structure, self.members)

    def controllers(self, structure: Structure) -> tuple[Controller, ...]:
        """The law with these weights, for `assemble` beside the drives; it measures the places of the members' ends."""
        measured = tuple(
            f"node:{node}.position.{axis}"
            for member in self.members
            for node in _ends(structure, member)
            for axis in "xyz"
        )
        drives = tuple(f"drive:{drive.name}" for drive in self.drives(structure))
        return (
            Controller(
                NAME, measured, drives, reacting_law, rate=1.0 / self.period, hold="smooth", fastest=self.fastest,
                state=tuple(self.state().tolist()),
            ),
        )  # fmt: skip

    def state(self) -> np.ndarray:
        """Of the law, at the start."""
        front = (math.cos(self.heading), math.sin(self.heading), self.unit, self.reach, 0.0, 0.0)
        return np.array([*front, *self.weights, *np.zeros(COUNT + len(self.members))])


def _ends(structure: Structure, member: str) -> tuple[str, str]:
    kind, names = members_of(structure, Drive("", member, ""))
    if len(names) != 1:
        raise OptionError(f'ReactiveGait: "{member}" selects {len(names)} members; name each, as "bar:x1"')
    if kind == "bar":
        first, second = structure.bars[names[0]].nodes
        return first, second
    route = structure.cables[names[0]].route
    return route[0], route[-1]


@known_fields
@dataclass(frozen=True, slots=True)
class ReactiveSpace:
    """Reactive gaits for a search: a number for each of FEATURES, between -span and span. The rest as ReactiveGait has
    it: heading [rad], reach [m], unit [m], period [s], fastest [m/s]."""

    members: tuple[str, ...]
    span: float = 4.0
    heading: float = 0.0
    reach: float = 0.1
    unit: float = 0.3
    period: float = 0.02
    fastest: float = 1.3

    __repr__ = brief

    def __post_init__(self) -> None:
        conform(self, "ReactiveSpace")
        if not self.members:
            raise OptionError("a gait needs members to move; name some, as in bar:*")
        if not self.span > 0.0:
            raise OptionError(f"ReactiveSpace: span = {self.span:g} must be more than zero")
        self.gait(np.full(COUNT, 0.5))  # which says what else is wrong

    @property
    def size(self) -> int:
        return COUNT

    @property
    def names(self) -> tuple[str, ...]:
        return FEATURES

    @property
    def periodic(self) -> np.ndarray:
        return np.zeros(COUNT, dtype=bool)

    @property
    def noise(self) -> dict[str, float]:
        return {"velocities": STARTS}

    def parameters(self, points: np.ndarray) -> dict[str, np.ndarray]:
        return {f"controller:{NAME}.state": np.array([self.gait(one).state() for one in np.atleast_2d(points)])}

    def gait(self, point: np.ndarray) -> ReactiveGait:
        weights = tuple((self.span * (2.0 * np.asarray(point) - 1.0)).tolist())
        return ReactiveGait(self.members, weights, self.heading, self.reach, self.unit, self.period, self.fastest)

    def point(self, gait: object) -> np.ndarray:
        """(d,) of the weights of a gait; raises where they lie outside of the bounds."""
        if not isinstance(gait, ReactiveGait):
            raise OptionError(f"{gait!r} is no reactive gait")
        found = (np.array(gait.weights) / self.span + 1.0) / 2.0
        if found.min() < 0.0 or found.max() > 1.0:
            raise OptionError(f"weights up to {np.abs(gait.weights).max():g} lie outside of the span {self.span:g}")
        return found

    def data(self) -> dict[str, Any]:
        names = ("members", "span", "heading", "reach", "unit", "period", "fastest")
        return {"kind": "reactive", **{name: getattr(self, name) for name in names}, "members": list(self.members)}


@kernel
def _forward(state: np.ndarray, x: float, y: float) -> float:
    return float((state[FORWARD_X] * x + state[FORWARD_Y] * y) / state[UNIT])


@kernel
def _aside(state: np.ndarray, x: float, y: float) -> float:
    return float(abs(state[FORWARD_X] * y - state[FORWARD_Y] * x) / state[UNIT])


@kernel
def _decide(places: np.ndarray, state: np.ndarray) -> int:
    """Write a command for every member; returns where they stand in the state."""
    members = places.size // 6
    x, y, z = 0.0, 0.0, 0.0
    for k in range(2 * members):
        x, y, z = x + places[3 * k], y + places[3 * k + 1], z + places[3 * k + 2]
    x, y, z = x / (2 * members), y / (2 * members), z / (2 * members)
    now = _forward(state, x, y)
    speed = 10.0 * (now - state[BEFORE]) if state[DECIDED] > 0.0 else 0.0
    state[BEFORE] = now
    state[DECIDED] += 1.0
    commands = WEIGHTS + 2 * COUNT
    f = shifted(start_of(state), WEIGHTS + COUNT)
    for k in range(members):
        first, second = 6 * k, 6 * k + 3
        low, high = (first, second) if places[first + 2] < places[second + 2] else (second, first)
        f[0], f[11] = 1.0, speed
        for end, at in ((0, low), (1, high)):
            ahead, up = _forward(state, places[at] - x, places[at + 1] - y), (places[at + 2] - z) / state[UNIT]
            f[1 + end], f[3 + end], f[5 + end] = ahead, up, ahead * up
            f[7 + end], f[9 + end] = _aside(state, places[at] - x, places[at + 1] - y), ahead * ahead
        total = 0.0
        for j in range(COUNT):
            total += state[WEIGHTS + j] * f[j]
        state[commands + k] = state[REACH] * math.tanh(total)
    return commands


@njit(nogil=True, error_model="numpy")  # type: ignore[untyped-decorator]
def reacting_law(t: float, places: np.ndarray, state: np.ndarray) -> np.ndarray:
    """What a ReactiveGait commands. With numba's run time, since it returns an array."""
    return state[_decide(places, state) :]
