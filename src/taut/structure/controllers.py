"""Sensors and controllers: what is measured of a motion, and what is commanded by it."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field, fields

import numpy as np

from taut.errors import ModelError, Problem
from taut.reprs import brief
from taut.structure.angles import Angle
from taut.type_checks import conform, known_fields

HOLDS = ("zero", "first", "smooth")
"""How a command is held until the next: at once, along a line, or along a smooth rise, over one period."""


@known_fields
@dataclass(frozen=True, slots=True)
class Sensor:
    """One number that is measured, and how well.

    quantity: "node:top.position.z" [m], .velocity [m/s], .acceleration [m/s^2], or .specific_force, which is what an
        accelerometer shows, the acceleration less gravity; "cable:c1.length" [m], .length_rate [m/s], .tension [N], and
        the same of bars; "angle:elbow.torque" [N m]; "plate:deck.specific_force.x" at its first node and
        "plate:deck.rotation_rate.x" [rad/s], along its own axes; or an Angle [rad] between any two directions. Of
        contact: "node:foot.contact_force.z" [N], .contact_size, .contact_normal, .touch (1 or 0), and the same of a
        ground, "ground:floor.touch"; forces are those of the ground on the structure, the mean over the step before.
    rate: how often it measures [Hz], the value standing until the next; None: whenever someone looks.
    noise: standard deviation of what is added to every measurement, independently; seed: which noise that is.
    bias: added to every measurement. resolution: measurements are multiples of it; 0 for all digits.
    delay: how old a value is when it is seen [s], a multiple of the time between measurements.
    Of constraints that depend on one another, forces are not unique: a sensor may show others than a Trajectory, which
    has the smallest.
    """

    name: str
    quantity: str | Angle
    rate: float | None = None
    noise: float = 0.0
    bias: float = 0.0
    resolution: float = 0.0
    delay: float = 0.0
    seed: int = 0

    __repr__ = brief

    def __post_init__(self) -> None:
        conform(self, "sensors", str(self.name))


@dataclass(frozen=True, eq=False)
class LinearLaw:
    """command = command_offset + c z + d y,  then z = a z + b y,  with y = measured - measured_offset.

    z is the controller's state, of as many numbers as `a` has rows; none for a plain gain d.
    """

    d: np.ndarray  # (commands, measured)
    a: np.ndarray = field(default_factory=lambda: np.zeros((0, 0)))
    b: np.ndarray | None = None
    c: np.ndarray | None = None
    measured_offset: np.ndarray | float = 0.0
    command_offset: np.ndarray | float = 0.0

    __repr__ = brief

    def __post_init__(self) -> None:
        given = {"d": np.atleast_2d(np.asarray(self.d, dtype=float)), "a": np.asarray(self.a, dtype=float)}
        commands, measured = given["d"].shape
        states = given["a"].shape[0]
        given["b"] = np.zeros((states, measured)) if self.b is None else np.asarray(self.b, dtype=float)
        given["c"] = np.zeros((commands, states)) if self.c is None else np.asarray(self.c, dtype=float)
        wanted = {"a": (states, states), "b": (states, measured), "c": (commands, states)}
        wrong = [
            Problem(
                (name,),
                f"has the shape {given[name].shape}, but {measured} measured and {commands} commanded numbers and "
                f"{states} states make it {shape}",
            )
            for name, shape in wanted.items()
            if given[name].shape != shape
        ]
        for name, count in (("measured_offset", measured), ("command_offset", commands)):
            offset = np.asarray(getattr(self, name), dtype=float)
            if offset.ndim and offset.shape != (count,):
                wrong.append(Problem((name,), f"has the shape {offset.shape}; give one number, or {count}"))
            else:
                given[name] = np.broadcast_to(offset, (count,)).copy()
        wrong += [
            Problem((name,), "holds numbers that are not finite")
            for name, x in given.items()
            if not np.isfinite(x).all()
        ]
        if wrong:
            raise ModelError(wrong)
        for name, value in given.items():
            object.__setattr__(self, name, value)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, LinearLaw):
            return NotImplemented
        return all(np.array_equal(getattr(self, one.name), getattr(other, one.name)) for one in fields(self))

    def __hash__(self) -> int:
        return hash((self.d + 0.0).tobytes())  # 0.0 and -0.0 are equal


Law = LinearLaw | Callable[..., object]
"""A LinearLaw, or a function law(t, measured, state) -> commands, where `state` may be changed in place. One that numba
has compiled (numba.njit) is called without Python. A law must keep all it remembers in `state`: a run is compared with
others, goes on from checkpoints and is tried again, and whatever a function keeps elsewhere does not go along."""

Bound = float | tuple[float, ...]
"""One for all commands, or one each."""


@known_fields
@dataclass(frozen=True)
class Controller:
    """Commands loads and drives by what is measured.

    measured: names of sensors, or quantities as those of a Sensor, which are then measured exactly; patterns work:
        "node:top*.position.xyz", "cable:*.tension".
    commands: loads and drives by name, whose signals are Commands.
    law: see `Law`. state: its state at the start.
    rate: how often it decides [Hz]; None: at every evaluation of the equations of motion.
    delay: from measuring until a command begins to act [s].
    hold: "zero" acts at once and holds; "first" goes to the command along a line over one period; "smooth" along a
        curve without a jump in its rate, for lengths and angles, which cannot jump.
    lowest, highest: of each command, beyond which it is cut off. fastest: how much it may change per second.
    deadline: how long a Python law may take [s of the clock on the wall] before the run is stopped; None: any time.
    """

    name: str
    measured: tuple[str, ...]
    commands: tuple[str, ...]
    law: Law
    rate: float | None = None
    delay: float = 0.0
    hold: str = "zero"
    lowest: Bound = -math.inf
    highest: Bound = math.inf
    fastest: Bound = math.inf
    state: tuple[float, ...] = ()
    deadline: float | None = None

    __repr__ = brief

    def __post_init__(self) -> None:
        conform(self, "controllers", str(self.name))

    def bounds(self, which: str) -> tuple[float, ...]:
        """lowest, highest or fastest of every command."""
        given = getattr(self, which)
        return (float(given),) * len(self.commands) if isinstance(given, int | float) else tuple(map(float, given))

    @property
    def states(self) -> tuple[float, ...]:
        """At the start."""
        return self.state or (0.0,) * (len(self.law.a) if isinstance(self.law, LinearLaw) else 0)
