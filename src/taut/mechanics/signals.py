"""Signals as tables that a kernel evaluates, with their first and second derivatives.

A signal may jump (a doublet) or bend (a table's knots). A run steps exactly onto those times, its breaks, and between
two of them every signal is smooth. So that both sides of a jump are right, a signal is evaluated with the time and
with the middle of the current piece: the piece chooses the branch, the time the place on it. Variants in lanes may
differ in values, not in times.

A plain signal is a kind and its numbers. One that holds others is a sum of plain ones, each times rises: a compound,
whose numbers are their count, and of each its kind, how many rises and numbers, starts and durations of rises, numbers.
"""

from __future__ import annotations

import math
import reprlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np

from taut.errors import OptionError
from taut.numerics.compiled import entry, inlined, kernel
from taut.numerics.curves import hermite, hermite_slopes, three_point_slopes
from taut.numerics.lanes import one
from taut.numerics.sines import sine_and_cosine
from taut.structure.magnitudes import size_problem
from taut.structure.signal_checks import signal_problems
from taut.structure.signals import (
    Command,
    Constant,
    CosineRamp,
    Doublet,
    Feedback,
    Plain,
    Rise,
    SampledSignal,
    Signal,
    Sinusoid,
    StepSignal,
    parts_of,
)

CONSTANT, SINUSOID, DOUBLET, TABLE, RAMP, COMPOUND, CALLED, STEPS, COMMAND = 0, 1, 2, 3, 4, 5, 6, 7, 8

ZERO_ORDER, FIRST_ORDER, SMOOTH = 0, 1, 2
"""How a command is held: at once, along a line, or along a smooth rise from the last one."""

TOGETHER = 1e-12
"""Times that differ by this part of themselves, or of a second, are one: no step fits between them."""

COMMANDED = 5
"""Numbers of a command: what it goes to, what it comes from, when it began, over how long, and how it is held."""

Function = Callable[[float], float] | Feedback


class Called(NamedTuple):
    """A Python function in a signal; its value and rate stand in the table and are written before every evaluation."""

    signal: int
    place: int  # in `data`
    function: Function
    rises: tuple[Rise, ...]

    def share(self, t: float) -> float:
        """What its value is multiplied by in the signal."""
        return math.prod(rise(start, over, t, t)[0] for start, over in self.rises)


class Commanded(NamedTuple):
    """A command in a signal."""

    signal: int
    place: int  # in `data`
    start: float


class Tabulated(NamedTuple):
    """Signals one after another; their breaks, and the functions, feedbacks and commands in them."""

    kind: np.ndarray  # (signals,)
    start: np.ndarray  # (signals,) where each begins in `data`
    data: np.ndarray
    breaks: list[float]
    functions: tuple[Called, ...]
    commands: tuple[Commanded, ...]


def tabulated(signals: Sequence[Signal]) -> Tabulated:
    """The tables of signals; raises OptionError where one makes no sense."""
    kinds: list[int] = []
    starts: list[int] = []
    numbers: list[float] = []
    breaks: list[float] = []
    functions: list[Called] = []
    commands: list[Commanded] = []
    for index, signal in enumerate(signals):
        if wrong := next(signal_problems(signal), None):
            raise OptionError(f"{signal!r}: {wrong}")
        starts.append(len(numbers))
        parts = parts_of(signal)
        compound = len(parts) > 1 or bool(parts[0].rises)
        numbers += [float(len(parts))] if compound else []
        for part in parts:
            kind, plain, knots = _plain(part.signal)
            breaks += [*knots, *(edge for rise in part.rises for edge in (rise.start, rise.start + rise.over))]
            if compound:
                numbers += [float(kind), float(len(part.rises)), float(len(plain))]
                numbers += [number for rise in part.rises for number in rise]
            if isinstance(part.signal, Feedback) or callable(part.signal):
                functions.append(Called(index, len(numbers), part.signal, part.rises))
            if isinstance(part.signal, Command):
                commands.append(Commanded(index, len(numbers), part.signal.start))
            numbers += plain
        kinds.append(COMPOUND if compound else kind)
    return Tabulated(
        np.array(kinds, dtype=np.int64),
        np.array(starts, dtype=np.int64),
        np.array(numbers),
        breaks,
        tuple(functions),
        tuple(commands),
    )


def _plain(signal: Plain) -> tuple[int, list[float], Sequence[float]]:
    """Kind, numbers and breaks; a function has places for its value and its rate."""
    if isinstance(signal, Constant | int | float):
        return CONSTANT, [float(signal.value if isinstance(signal, Constant) else signal)], ()
    if isinstance(signal, Sinusoid):
        return SINUSOID, [signal.mean, signal.amplitude, 2.0 * math.pi * signal.frequency, signal.phase], ()
    if isinstance(signal, Doublet):
        edges = [signal.start, signal.start + signal.width, signal.start + 2.0 * signal.width]
        return DOUBLET, [signal.amplitude, *edges], edges
    if isinstance(signal, CosineRamp):
        ends = [signal.start, signal.end]
        return RAMP, [signal.from_, signal.to, *ends], ends
    if isinstance(signal, SampledSignal):
        times, values = np.array(signal.times, dtype=float), np.array(signal.values, dtype=float)
        slopes = three_point_slopes(times, values) if signal.slopes is None else np.array(signal.slopes, dtype=float)
        return TABLE, [float(times.size), *times, *values, *slopes], signal.times
    if isinstance(signal, StepSignal):
        return STEPS, [float(len(signal.times)), *signal.times, *signal.values], signal.times[1:]
    if isinstance(signal, Command):
        return COMMAND, [signal.start, signal.start, 0.0, 0.0, float(ZERO_ORDER)], ()
    return CALLED, [0.0, 0.0], ()


def function_value(
    told: str, quantity: str, function: Function, t: float, nodes: np.ndarray, velocities: np.ndarray
) -> float:
    """What a Python function returns at a time and a state; raises OptionError where that is no number.

    told: whose function it is. quantity: what it is to return, with its unit, "force [N]".
    """
    try:
        value: Any = function.law(t, nodes, velocities) if isinstance(function, Feedback) else function(t)
    except Exception as error:
        raise OptionError(f"{told}: its function raised {type(error).__name__} at t = {t:g} s: {error}") from error
    plain = value.item() if isinstance(value, np.ndarray | np.generic) and value.ndim == 0 else value
    if not isinstance(plain, int | float):
        shape = f" of shape {value.shape}" if isinstance(value, np.ndarray) else ""
        raise OptionError(
            f"{told} returned {reprlib.repr(value)} at t = {t:g} s, {type(value).__name__}{shape}; "
            f"it must return one number, the {quantity}"
        )
    if wrong := size_problem(float(plain), quantity.partition("[")[2].rstrip("]")):
        raise OptionError(f"{told} returned {plain} at t = {t:g} s: {wrong}")
    return float(plain)


def time_places(signals: Any) -> np.ndarray:
    """Where in the data of tabulated signals times stand, and numbers that say what others mean."""
    places: list[int] = []
    for kind, at in zip(signals.kind, signals.start, strict=True):
        if kind != COMPOUND:
            places += _plain_time_places(kind, signals.data, at)
            continue
        places.append(at)
        inside = at + 1
        for _ in range(int(signals.data[at])):
            plain, rises, count = (int(number) for number in signals.data[inside : inside + 3])
            first = inside + 3 + 2 * rises
            places += [*range(inside, first), *_plain_time_places(plain, signals.data, first)]
            inside = first + count
    return np.array(places, dtype=np.int64)


def _plain_time_places(kind: int, data: np.ndarray, at: int) -> Iterator[int]:
    if kind == DOUBLET:
        yield from range(at + 1, at + 4)
    elif kind == RAMP:
        yield from range(at + 2, at + 4)
    elif kind in (TABLE, STEPS):
        yield from range(at, at + 1 + int(data[at]))
    elif kind == COMMAND:
        yield from range(at + 2, at + COMMANDED)


def in_order(breaks: Iterable[float]) -> np.ndarray:
    """Breaks from -inf to inf; those that differ by round-off alone are one, since no step fits between them."""
    ordered = np.unique(np.array([-math.inf, *breaks, math.inf]))
    apart = np.diff(ordered) > TOGETHER * np.clip(np.abs(ordered[1:]), 1.0, 1e300)
    return np.asarray(ordered[np.append(True, apart)])


def rise(start: float, over: float, t: float, inside: float) -> tuple[float, float, float]:
    """The rise of a smooth start, from 0 to 1, and its first and second derivative."""
    if inside < start:
        return 0.0, 0.0, 0.0
    if inside >= start + over:
        return 1.0, 0.0, 0.0
    s = (t - start) / over
    r = 1.0 - s
    return s * s * s * (10.0 - 15.0 * s + 6.0 * s * s), 30.0 * s * s * r * r / over, 60.0 * s * r * (r - s) / over**2


rise_at = inlined(rise)


@inlined
def interval_of(data: Any, times: int, count: int, inside: float) -> int:
    """The last of some times in order that is not after one inside the piece; the first where all are."""
    left, right = 0, count
    while right - left > 1:
        middle = (left + right) // 2
        if one(data[times + middle]) <= inside:
            left = middle
        else:
            right = middle
    return left


@inlined
def _plain_at(kind: int, data: Any, at: int, t: float, inside: float) -> tuple[float, float, float]:
    value, rate, acceleration = data[at], 0.0, 0.0
    if kind == SINUSOID:
        w = data[at + 2]
        angle = w * t + data[at + 3]
        sine, cosine = sine_and_cosine(angle)
        swing = data[at + 1] * sine
        value, rate, acceleration = value + swing, w * (data[at + 1] * cosine), -(w * w * swing)
    elif kind == DOUBLET:
        if inside < one(data[at + 1]) or inside >= one(data[at + 3]):
            value = 0.0
        elif inside >= one(data[at + 2]):
            value = -value
    elif kind == RAMP:
        start, end, rise = one(data[at + 2]), one(data[at + 3]), data[at + 1] - data[at]
        if inside >= end:
            value = data[at + 1]
        elif inside >= start:
            w = math.pi / (end - start)
            angle = w * (t - start)
            # By the half angle, since 1 - cos loses digits where the ramp begins.
            half, _ = sine_and_cosine(0.5 * angle)
            sine, cosine = sine_and_cosine(angle)
            value = value + rise * (half * half)
            rate, acceleration = 0.5 * w * sine * rise, 0.5 * w * w * cosine * rise
    elif kind == TABLE:
        count = int(one(data[at]))
        times, values, slopes = at + 1, at + 1 + count, at + 1 + 2 * count
        left, right = interval_of(data, times, count, inside), count - 1
        if inside <= one(data[times]):
            value = data[values]
        elif inside >= one(data[times + right]):
            value = data[values + right]
        else:
            right = left + 1
            begin, end, low, high = data[times + left], data[times + right], data[values + left], data[values + right]
            first, last = data[slopes + left], data[slopes + right]
            value = hermite(t, begin, end, low, high, first, last)
            rate, acceleration = hermite_slopes(t, begin, end, low, high, first, last)
    elif kind == CALLED:
        rate = data[at + 1]
    elif kind == STEPS:
        count = int(one(data[at]))
        value = data[at + 1 + count + interval_of(data, at + 1, count, inside)]
    elif kind == COMMAND:
        begin, over, hold = one(data[at + 2]), one(data[at + 3]), int(one(data[at + 4]))
        # Outputs do not know the pieces of commands: there the time alone says whether one is on its way.
        end = begin + over
        left = begin <= inside < end and t <= end + TOGETHER * max(1.0, end)
        if hold != ZERO_ORDER and over > 0.0 and (t < end or left):
            change = data[at] - data[at + 1]
            share, growth, bend = (t - begin) / over, 1.0 / over, 0.0
            if hold == SMOOTH:
                share, growth, bend = rise_at(begin, over, t, begin)
            value, rate, acceleration = data[at + 1] + share * change, growth * change, bend * change
    return value, rate, acceleration


@inlined
def signal_at(kind: int, data: Any, at: int, t: float, inside: float) -> tuple[float, float, float]:
    """Value, first and second derivative at time t of the signal whose numbers begin at `at`.

    inside: a time in the current smooth piece. Python functions have no second derivative here.
    """
    value, rate, acceleration = 0.0, 0.0, 0.0
    # A plain signal is a sum of one without a rise: one loop for both, since each copy of `_plain_at` takes compiling.
    compound = kind == COMPOUND
    inner, terms = (at + 1, int(one(data[at]))) if compound else (at, 1)
    for _ in range(terms):
        plain, rises, count, first = kind, 0, 0, inner
        if compound:
            plain, rises, count = int(one(data[inner])), int(one(data[inner + 1])), int(one(data[inner + 2]))
            first = inner + 3 + 2 * rises
        v, r, a = _plain_at(plain, data, first, t, inside)
        for k in range(rises):
            start, over = one(data[inner + 3 + 2 * k]), one(data[inner + 4 + 2 * k])
            share, growth, bend = rise_at(start, over, t, inside)
            v, r, a = share * v, share * r + growth * v, share * a + 2.0 * growth * r + bend * v
        value, rate, acceleration = value + v, rate + r, acceleration + a
        inner = first + count
    return value, rate, acceleration


@kernel
def signal_value(kind: int, data: Any, at: int, t: float, inside: float) -> float:
    """The value alone."""
    return signal_at(kind, data, at, t, inside)[0]


@entry
def _evaluate(kind: int, data: np.ndarray, times: np.ndarray, inside: np.ndarray, out: np.ndarray) -> None:
    for k in range(times.size):
        out[k, 0], out[k, 1], out[k, 2] = signal_at(kind, data, 0, times[k], inside[k])


@entry
def fill_values(kind: Any, data: Any, start: Any, t: float, inside: float, out: Any) -> None:
    """The values of tabulated signals at a time."""
    for k in range(kind.size):
        out[k] = signal_value(kind[k], data, start[k], t, inside)


def evaluated(signal: Signal, times: np.ndarray, side: str = "right") -> np.ndarray:
    """(times, 3): value, first and second derivative of a signal; at a break those that follow it, or lead up to it."""
    table = tabulated([signal])
    if table.functions:
        raise OptionError(f"{signal!r}: a Python function has no derivatives that are known")
    out = np.empty((times.size, 3))
    _evaluate(int(table.kind[0]), table.data, times, pieces_of(in_order(table.breaks), times, side), out)
    return out


def pieces_of(breaks: np.ndarray, times: np.ndarray, side: str = "right") -> np.ndarray:
    """A time inside the smooth piece of the signals that begins at or before each time; of side "left", before it."""
    middles = 0.5 * (np.maximum(breaks[:-1], -1e300) + np.minimum(breaks[1:], 1e300))
    return np.asarray(middles[np.searchsorted(breaks, times, side="left" if side == "left" else "right") - 1])
