"""Signals as tables that a kernel evaluates.

A signal may jump (a doublet) or bend (a table's knots). A run steps exactly onto those times, its breaks, and between
two of them every signal is smooth. So that both sides of a jump are right, a signal is evaluated with the time and
with the middle of the current piece: the piece chooses the branch, the time the place on it. Variants in lanes may
differ in values, not in times.
"""

from __future__ import annotations

import math
import reprlib
from collections.abc import Callable, Iterable, Sequence
from typing import Any, NamedTuple

import numpy as np

from taut.errors import OptionError
from taut.numerics.compiled import kernel
from taut.numerics.curves import hermite, three_point_slopes
from taut.numerics.lanes import one
from taut.structure.magnitudes import size_problem
from taut.structure.scenario import Constant, Doublet, Feedback, Load, SampledSignal, Signal, Sinusoid

CONSTANT, SINUSOID, DOUBLET, TABLE = 0, 1, 2, 3

Function = Callable[[float], float] | Feedback


class Tabulated(NamedTuple):
    """Signals one after another; their breaks, and the functions and feedbacks among them by index."""

    kind: np.ndarray  # (signals,)
    start: np.ndarray  # (signals,) where each begins in `data`
    data: np.ndarray
    breaks: list[float]
    functions: dict[int, Function]


def tabulated(signals: Sequence[Signal]) -> Tabulated:
    """A function's value lives in the table as a constant that is rewritten before every evaluation."""
    kinds: list[int] = []
    starts: list[int] = []
    numbers: list[float] = []
    breaks: list[float] = []
    functions: dict[int, Function] = {}
    for index, signal in enumerate(signals):
        starts.append(len(numbers))
        if isinstance(signal, Constant | int | float):
            kinds.append(CONSTANT)
            numbers += [float(signal.value if isinstance(signal, Constant) else signal)]
        elif isinstance(signal, Sinusoid):
            kinds.append(SINUSOID)
            numbers += [signal.mean, signal.amplitude, 2.0 * math.pi * signal.frequency, signal.phase]
        elif isinstance(signal, Doublet):
            kinds.append(DOUBLET)
            edges = [signal.start, signal.start + signal.width, signal.start + 2.0 * signal.width]
            numbers += [signal.amplitude, *edges]
            breaks += edges
        elif isinstance(signal, SampledSignal):
            kinds.append(TABLE)
            numbers += _table_numbers(signal)
            breaks += signal.times
        else:
            kinds.append(CONSTANT)
            numbers += [0.0]
            functions[index] = signal
        if wrong := next(filter(None, map(size_problem, numbers[starts[-1] :])), ""):
            raise OptionError(f"{signal!r}: {wrong}")
    return Tabulated(
        np.array(kinds, dtype=np.int64), np.array(starts, dtype=np.int64), np.array(numbers), breaks, functions
    )


def function_value(load: Load, t: float, nodes: np.ndarray, velocities: np.ndarray) -> float:
    """What the Python function of a load returns at a time and a state; raises OptionError where that is no force."""
    signal: Any = load.signal
    told = f'the load "{load.name}"' if load.name else "the load"
    told += f' on node "{load.node}" along {load.axis}'
    try:
        value = signal.law(t, nodes, velocities) if isinstance(signal, Feedback) else signal(t)
    except Exception as error:
        raise OptionError(f"{told}: its function raised {type(error).__name__} at t = {t:g} s: {error}") from error
    plain = value.item() if isinstance(value, np.ndarray | np.generic) and value.ndim == 0 else value
    if not isinstance(plain, int | float):
        shape = f" of shape {value.shape}" if isinstance(value, np.ndarray) else ""
        raise OptionError(
            f"{told} returned {reprlib.repr(value)} at t = {t:g} s, {type(value).__name__}{shape}; "
            "it must return one number, the force [N]"
        )
    if wrong := size_problem(float(plain), "N"):
        raise OptionError(f"{told} returned {plain} at t = {t:g} s: {wrong}")
    return float(plain)


def time_places(signals: Any) -> np.ndarray:
    """Where in the data of tabulated signals times stand, and numbers of times."""
    places: list[int] = []
    for kind, at in zip(signals.kind, signals.start, strict=True):
        if kind == DOUBLET:
            places += range(at + 1, at + 4)
        elif kind == TABLE:
            places += range(at, at + 1 + int(signals.data[at]))
    return np.array(places, dtype=np.int64)


def in_order(breaks: Iterable[float]) -> np.ndarray:
    """Breaks from -inf to inf; those that differ by round-off alone are one, since no step fits between them."""
    ordered = np.unique(np.array([-math.inf, *breaks, math.inf]))
    apart = np.diff(ordered) > 1e-12 * np.clip(np.abs(ordered[1:]), 1.0, 1e300)
    return np.asarray(ordered[np.append(True, apart)])


def _table_numbers(table: SampledSignal) -> list[float]:
    times, values = np.array(table.times, dtype=float), np.array(table.values, dtype=float)
    if times.size == 0 or times.size != values.size or not np.all(np.diff(times) > 0.0):
        raise OptionError(f"a table needs as many values ({values.size}) as times ({times.size}), the times rising")
    slopes = three_point_slopes(times, values) if table.slopes is None else np.array(table.slopes, dtype=float)
    if slopes.size != times.size:
        raise OptionError(f"a table needs as many slopes ({slopes.size}) as times ({times.size})")
    return [float(times.size), *times, *values, *slopes]


@kernel
def signal_value(kind: int, data: Any, at: int, t: float, inside: float) -> float:
    """The value at time t of the signal whose numbers begin at `at`; inside: a time in the current smooth piece."""
    if kind == CONSTANT:
        return data[at]
    if kind == SINUSOID:
        return data[at] + data[at + 1] * math.sin(data[at + 2] * t + data[at + 3])
    if kind == DOUBLET:
        if inside < one(data[at + 1]) or inside >= one(data[at + 3]):
            return 0.0
        return data[at] if inside < one(data[at + 2]) else -data[at]
    count = int(one(data[at]))
    times, values, slopes = at + 1, at + 1 + count, at + 1 + 2 * count
    left, right = 0, count - 1
    if inside <= one(data[times]):
        return data[values]
    if inside >= one(data[times + right]):
        return data[values + right]
    while right - left > 1:
        middle = (left + right) // 2
        if one(data[times + middle]) <= inside:
            left = middle
        else:
            right = middle
    return hermite(
        t,
        data[times + left],
        data[times + right],
        data[values + left],
        data[values + right],
        data[slopes + left],
        data[slopes + right],
    )


def pieces_of(breaks: np.ndarray, times: np.ndarray) -> np.ndarray:
    """A time inside the smooth piece of the signals that begins at or before each time."""
    middles = 0.5 * (np.maximum(breaks[:-1], -1e300) + np.minimum(breaks[1:], 1e300))
    return np.asarray(middles[np.searchsorted(breaks, times, side="right") - 1])
