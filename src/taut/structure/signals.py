"""Signals of time: what loads, moved supports and all else that time decides are given as.

A signal is a number, one of the records below, or a Python function. Sums and smooth starts hold other signals; since
a smooth start multiplies, every signal is a sum of parts, each a plain one times the rises of the starts around it
(`parts_of`), and whoever evaluates signals needs to know no more than that.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from taut.errors import ModelError, Problem
from taut.reprs import brief
from taut.type_checks import conform, known_fields

if TYPE_CHECKING:
    import numpy as np

DEEPEST = 8
"""How many sums and smooth starts may stand inside one another."""


@known_fields
@dataclass(frozen=True, slots=True)
class Constant:
    """A signal that does not change."""

    value: float

    __repr__ = brief

    def __post_init__(self) -> None:
        conform(self, "Constant")


@known_fields
@dataclass(frozen=True, slots=True)
class Sinusoid:
    """mean + amplitude * sin(2 pi frequency t + phase); frequency in Hz, phase in rad."""

    amplitude: float
    frequency: float
    phase: float = 0.0
    mean: float = 0.0

    __repr__ = brief

    def __post_init__(self) -> None:
        conform(self, "Sinusoid")


@known_fields
@dataclass(frozen=True, slots=True)
class Doublet:
    """+amplitude for `width` seconds from `start`, then -amplitude for as long, else zero."""

    amplitude: float
    width: float
    start: float = 0.0

    __repr__ = brief

    def __post_init__(self) -> None:
        conform(self, "Doublet")


@known_fields
@dataclass(frozen=True, slots=True)
class CosineRamp:
    """From one value to another between two times [s], by half a cosine; constant before and after.

    Its rate has no jump. Its second derivative jumps at both ends, and is bounded. In files `from_` is `from`.
    """

    from_: float
    to: float
    start: float
    end: float

    __repr__ = brief

    def __post_init__(self) -> None:
        conform(self, "CosineRamp")


@known_fields
@dataclass(frozen=True, slots=True)
class SampledSignal:
    """A cubic Hermite curve through (times, values), constant outside.

    slopes: at the times; None takes three-point differences (second order; one-sided at the ends).
    """

    times: tuple[float, ...]
    values: tuple[float, ...]
    slopes: tuple[float, ...] | None = None

    __repr__ = brief

    def __post_init__(self) -> None:
        conform(self, "SampledSignal")


@known_fields
@dataclass(frozen=True, slots=True)
class StepSignal:
    """Values that hold from their times [s] on, each until the next: a zero-order hold. The first holds before, too."""

    times: tuple[float, ...]
    values: tuple[float, ...]

    __repr__ = brief

    def __post_init__(self) -> None:
        conform(self, "StepSignal")


@known_fields
@dataclass(frozen=True, slots=True)
class Command:
    """What a controller decides, or whoever steps a simulation (`taut.start`); `start` until someone does."""

    start: float = 0.0

    __repr__ = brief

    def __post_init__(self) -> None:
        conform(self, "Command")


@known_fields
@dataclass(frozen=True, slots=True)
class Feedback:
    """A signal that answers to the motion: law(t, nodes (n, 3) [m], velocities (n, 3) [m/s]) -> number."""

    law: Callable[[float, np.ndarray, np.ndarray], float]

    __repr__ = brief

    def __post_init__(self) -> None:
        conform(self, "Feedback")


@known_fields
@dataclass(frozen=True, slots=True)
class SmoothStart:
    """Another signal that is let in: zero before `start` [s], then its own value times a rise from 0 to 1.

    The rise takes `over` seconds, s^3 (10 - 15 s + 6 s^2), so that value, rate and second derivative have no jump. The
    signal's own time is not shifted.
    """

    signal: Signal
    start: float
    over: float

    __repr__ = brief

    def __post_init__(self) -> None:
        conform(self, "SmoothStart")
        _limit_depth(self, "SmoothStart")


@known_fields
@dataclass(frozen=True, slots=True)
class SignalSum:
    """Signals that add up."""

    signals: tuple[Signal, ...]

    __repr__ = brief

    def __post_init__(self) -> None:
        conform(self, "SignalSum")
        _limit_depth(self, "SignalSum")


Plain = (
    float
    | Constant
    | Sinusoid
    | Doublet
    | CosineRamp
    | SampledSignal
    | StepSignal
    | Command
    | Feedback
    | Callable[[float], float]
)
Signal = Plain | SmoothStart | SignalSum


class Rise(NamedTuple):
    """Of a smooth start, both in s."""

    start: float
    over: float


class Part(NamedTuple):
    """A plain signal times rises."""

    signal: Plain
    rises: tuple[Rise, ...] = ()


def parts_of(signal: Signal) -> list[Part]:
    """What a signal is the sum of."""
    if isinstance(signal, SignalSum):
        return [part for one in signal.signals for part in parts_of(one)]
    if isinstance(signal, SmoothStart):
        rise = Rise(signal.start, signal.over)
        return [Part(part.signal, (rise, *part.rises)) for part in parts_of(signal.signal)]
    return [Part(signal)]


def shortest_period(signal: Signal | None) -> float:
    """[s] of all waves in a signal; inf where there is none."""
    waves = [part.signal for part in parts_of(signal)] if signal is not None else []
    fastest = max((abs(wave.frequency) for wave in waves if isinstance(wave, Sinusoid)), default=0.0)
    return 1.0 / fastest if fastest else math.inf


def steady_value(signal: Signal) -> float:
    """Before anything happens: constants, means of sinusoids, first values of tables and ramps; no doublets.

    Nor what starts later, or what only a Python function knows.
    """
    return math.fsum(_steady(part.signal) for part in parts_of(signal) if not part.rises)


def _steady(signal: Plain) -> float:
    if isinstance(signal, int | float):
        return float(signal)
    if isinstance(signal, Constant):
        return signal.value
    if isinstance(signal, Sinusoid):
        return signal.mean
    if isinstance(signal, CosineRamp):
        return signal.from_
    if isinstance(signal, Command):
        return signal.start
    return signal.values[0] if isinstance(signal, SampledSignal | StepSignal) else 0.0


def _depth(signal: Signal) -> int:
    inner = signal.signals if isinstance(signal, SignalSum) else ()
    inner = (signal.signal,) if isinstance(signal, SmoothStart) else inner
    nests = isinstance(signal, SignalSum | SmoothStart)
    return int(nests) + max(map(_depth, inner), default=0)


def _limit_depth(signal: Signal, name: str) -> None:
    """Whatever looks into signals may then follow them down."""
    if _depth(signal) > DEEPEST:
        raise ModelError([Problem((name,), too_deep())])


def too_deep() -> str:
    return f"sums and smooth starts are nested more than {DEEPEST} deep; write them as one sum"
