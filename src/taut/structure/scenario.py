"""What happens to a structure: gravity, loads, damping, start velocities, and how the run is made."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np


@dataclass(frozen=True, slots=True)
class Constant:
    """A signal that does not change."""

    value: float


@dataclass(frozen=True, slots=True)
class Sinusoid:
    """mean + amplitude * sin(2 pi frequency t + phase); frequency in Hz, phase in rad."""

    amplitude: float
    frequency: float
    phase: float = 0.0
    mean: float = 0.0


@dataclass(frozen=True, slots=True)
class Doublet:
    """+amplitude for `width` seconds from `start`, then -amplitude for as long, else zero."""

    amplitude: float
    width: float
    start: float = 0.0


@dataclass(frozen=True, slots=True)
class Table:
    """A cubic Hermite curve through (times, values), constant outside.

    slopes: at the times; None takes three-point differences (second order; one-sided at the ends).
    """

    times: tuple[float, ...]
    values: tuple[float, ...]
    slopes: tuple[float, ...] | None = None


@dataclass(frozen=True, slots=True)
class Feedback:
    """A signal that answers to the motion: law(t, nodes (n, 3) [m], velocities (n, 3) [m/s]) -> number."""

    law: Callable[[float, np.ndarray, np.ndarray], float]


Signal = Constant | Sinusoid | Doublet | Table | Feedback | Callable[[float], float]


@dataclass(frozen=True, slots=True)
class Load:
    """A force [N] along one axis of a node; the signal is a number, a signal, a function of time or a Feedback."""

    node: str
    axis: str
    signal: Signal
    name: str = field(default="", compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Damping:
    """Viscous damping beside that of the cables.

    node: [N s/m], force -node * velocity at every node.
    mass: Rayleigh's alpha [1/s], force -alpha M v.
    stiffness: Rayleigh's beta [s]; every cable gets a damper of beta * its stiffness, while it is taut.
    """

    node: float = 0.0
    mass: float = 0.0
    stiffness: float = 0.0


SOLVERS = ("direct", "iterative")
"""How linear systems are solved, in runs and in statics."""


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
    correction: str | None = None
    solver: str = "direct"
