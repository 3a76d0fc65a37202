"""What happens to a structure: gravity, loads, moved supports, drives, ground, damping, start velocities, how it runs.

What loads and motions are as functions of time is in `signals.py`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, fields
from typing import Any

from taut.reprs import brief
from taut.structure.controllers import Controller, LinearLaw, Sensor
from taut.structure.corrections import Correction, simplest
from taut.structure.grounds import Ground
from taut.structure.joints import Joint
from taut.structure.signals import (
    Command,
    Constant,
    CosineRamp,
    Doublet,
    Feedback,
    SampledSignal,
    Signal,
    SignalSum,
    Sinusoid,
    SmoothStart,
    StepSignal,
)
from taut.type_checks import conform, known_fields

__all__ = [
    "ACTIONS",
    "SENSES",
    "SOLVERS",
    "Command",
    "Constant",
    "Controller",
    "CosineRamp",
    "Damping",
    "Doublet",
    "Drive",
    "Feedback",
    "LinearLaw",
    "Load",
    "Motion",
    "SampledSignal",
    "Scenario",
    "Sensor",
    "Signal",
    "SignalSum",
    "Sinusoid",
    "SmoothStart",
    "StepSignal",
    "Watch",
]


@known_fields
@dataclass(frozen=True, slots=True)
class Load:
    """A force [N] along one axis of a node; the signal is a number, a signal, a function of time or a Feedback."""

    node: str
    axis: str
    signal: Signal
    name: str = field(default="", compare=False, repr=False)

    __repr__ = brief

    def __post_init__(self) -> None:
        conform(self, "Load")


@known_fields
@dataclass(frozen=True, slots=True)
class Motion:
    """Supports that move along one axis, all alike; motions of one support along one axis add up.

    supports: a node, a selector such as "node:bottom*", or several of them; "*" is every support that holds the axis.
    displacement: a signal [m], from where the node stands in the structure. A table without slopes begins and ends at
        rest.
    acceleration: a signal [m/s^2] instead, integrated twice from rest at t = 0. A table is a record: straight between
        its samples, nothing before and after.
    velocity: at t = 0 [m/s], beside an acceleration.
    """

    supports: str | tuple[str, ...]
    axis: str
    displacement: Signal | None = None
    acceleration: Signal | None = None
    velocity: float = 0.0
    name: str = field(default="", compare=False, repr=False)

    __repr__ = brief

    def __post_init__(self) -> None:
        conform(self, "Motion")


@known_fields
@dataclass(frozen=True, slots=True)
class Drive:
    """A quantity of members that a signal decides: a winch, a telescoping strut.

    member: a selector such as "cable:a1", "cable:top*" or "bar:strut1"; all that it selects are driven alike.
    quantity: "rest_length" [m] of a cable or a compressible bar, "length" [m] of a rigid bar or of a cable that is held
        to a length, "tension" [N] or "force_density" [N/m] of a cable that is commanded by it, "force" [N] of a
        pneumatic bar, "angle" [rad] of an angle.
    to: the value itself, a signal. by: the change from the member's own value instead.
    drum_radius: [m] of a winch, which gives its angle and torque.
    speed_limit: of the quantity, in its unit per second. force_limit: [N] in the member, [N m] of an angle. A run says
        where more was asked for.
    """

    name: str
    member: str
    quantity: str
    to: Signal | None = None
    by: Signal | None = None
    drum_radius: float | None = None
    speed_limit: float | None = None
    force_limit: float | None = None

    __repr__ = brief

    def __post_init__(self) -> None:
        conform(self, "Drive")

    @property
    def signal(self) -> Signal:
        """What it is given as, `to` or `by`."""
        return (self.to if self.to is not None else self.by) or 0.0


@known_fields
@dataclass(frozen=True, slots=True)
class Damping:
    """Viscous damping beside that of the cables.

    node: [N s/m], force -node * velocity at every node, but no auxiliary point of a plate.
    mass: Rayleigh's alpha [1/s], force -alpha M v.
    stiffness: Rayleigh's beta [s]; every cable gets a damper of beta * its stiffness, while it is taut, and so does
        every compressible bar.
    """

    node: float = 0.0
    mass: float = 0.0
    stiffness: float = 0.0

    __repr__ = brief

    def __post_init__(self) -> None:
        conform(self, "Damping")


SENSES = ("rising", "falling", "both")
ACTIONS = ("record", "stop", "cut")


@known_fields
@dataclass(frozen=True, slots=True)
class Watch:
    """Something to look out for in a run, and what is done when it happens.

    `at_plane`, `at_distance`, `at_tension` and `at_time` make one of each kind. It watches one of

    node and level: the node's place along an axis, or along a normal, passes a level [m];
    nodes and length: the distance of two nodes passes a length [m];
    cable and tension: the tension of a cable, or of each of those selected, passes a value [N];
    time: a time [s] comes.

    sense: "rising", "falling" or "both"; None means both, and rising for a tension.
    then: "record" it, "stop" the run, or "cut" members. cut: those members, as selectors such as "cable:c7" or
        "bar:*"; where a tension is watched and nothing is named, the cable itself. A cut bar keeps its mass.
    """

    name: str
    node: str | None = None
    axis: str | None = None
    normal: tuple[float, float, float] | None = None
    level: float | None = None
    nodes: tuple[str, str] | None = None
    length: float | None = None
    cable: str | None = None
    tension: float | None = None
    time: float | None = None
    sense: str | None = None
    then: str = "record"
    cut: tuple[str, ...] = ()

    __repr__ = brief

    def __post_init__(self) -> None:
        conform(self, "Watch")

    @classmethod
    def at_plane(
        cls,
        name: str,
        node: str,
        along: str | tuple[float, float, float],
        level: float,
        *,
        sense: str | None = None,
        then: str = "record",
        cut: str | Iterable[str] = (),
    ) -> Watch:
        """When the place of a node along an axis ("z"), or along a normal (1, 0, 1), passes a level [m]."""
        axis, normal = (along, None) if isinstance(along, str) else (None, (along[0], along[1], along[2]))
        return cls(name, node=node, axis=axis, normal=normal, level=level, sense=sense, then=then, cut=_listed(cut))

    @classmethod
    def at_distance(
        cls,
        name: str,
        nodes: tuple[str, str],
        length: float,
        *,
        sense: str | None = None,
        then: str = "record",
        cut: str | Iterable[str] = (),
    ) -> Watch:
        """When the distance of two nodes passes a length [m]."""
        return cls(name, nodes=(nodes[0], nodes[1]), length=length, sense=sense, then=then, cut=_listed(cut))

    @classmethod
    def at_tension(
        cls,
        name: str,
        cable: str,
        tension: float,
        *,
        sense: str | None = None,
        then: str = "record",
        cut: str | Iterable[str] = (),
    ) -> Watch:
        """When the tension of a cable, or of each of those selected, passes a value [N]; rising where nothing is said.

        Cut without names cuts the cable itself.
        """
        return cls(name, cable=cable, tension=tension, sense=sense, then=then, cut=_listed(cut))

    @classmethod
    def at_time(cls, name: str, time: float, *, then: str = "record", cut: str | Iterable[str] = ()) -> Watch:
        """When a time [s] comes."""
        return cls(name, time=time, then=then, cut=_listed(cut))


def _listed(names: str | Iterable[str]) -> tuple[str, ...]:
    return (names,) if isinstance(names, str) else tuple(names)


SOLVERS = ("direct", "iterative")
"""How linear systems are solved, in runs and in statics."""


ON_COLLISION = ("warn", "stop", "ignore")
"""What a run does about members that pass through or touch one another."""


RUN_OPTIONS = ("duration", "every", "method", "tolerance", "step", "correction", "locate", "on_collision", "clearance")
"""What a Scenario says of how a motion is followed; the command line says it too."""


@known_fields
@dataclass(frozen=True)
class Scenario:
    """All that a model file says beyond the structure. Times in s, gravity in m/s^2, velocities in m/s."""

    gravity: tuple[float, float, float] = (0.0, 0.0, 0.0)
    loads: tuple[Load, ...] = ()
    damping: Damping = Damping()
    velocities: Mapping[str, tuple[float, float, float]] = field(default_factory=dict)
    duration: float = 1.0
    every: float | None = None
    method: str = "dp5"
    tolerance: float = 1e-8
    step: float | None = None
    correction: Correction | str | None = None
    solver: str = "direct"
    events: tuple[Watch, ...] = ()
    locate: bool | None = None
    motions: tuple[Motion, ...] = ()
    drives: tuple[Drive, ...] = ()
    sensors: tuple[Sensor, ...] = ()
    controllers: tuple[Controller, ...] = ()
    ground: tuple[Ground, ...] = ()
    on_collision: str = "warn"
    clearance: float = 0.0
    joints: tuple[Joint, ...] = ()

    __repr__ = brief

    def __post_init__(self) -> None:
        conform(self, "Scenario")
        object.__setattr__(self, "correction", simplest(self.correction))

    @property
    def physics(self) -> dict[str, Any]:
        """What moves and what acts on it, as `assemble` takes it: everything but how the motion is followed, and in
        which coordinates."""
        left_out = (*RUN_OPTIONS, "joints")
        return {one.name: getattr(self, one.name) for one in fields(self) if one.name not in left_out}
