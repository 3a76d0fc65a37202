"""What is wrong with a signal, wherever it is used; paths in it are those of model files."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import pairwise
from typing import Any

from taut.errors import Problem
from taut.structure.magnitudes import size_problem
from taut.structure.signals import (
    Command,
    Constant,
    CosineRamp,
    Doublet,
    SampledSignal,
    Signal,
    SignalSum,
    Sinusoid,
    SmoothStart,
    StepSignal,
    parts_of,
    shortest_period,
)

STILL = {"displacement": "support", "length": "driven length", "angle": "driven angle"}
"""What cannot start or stop at once, by its use."""

MOST_WAVES = 10_000
"""Of an acceleration while it is let in, since what they move is found wave by wave."""


def signal_problems(signal: Signal, use: str = "force") -> Iterator[Problem]:
    """Every problem of a signal; use: "force" for whatever may jump, of a motion "displacement" or "acceleration", and
    "length" of what is driven and cannot jump."""
    if isinstance(signal, SignalSum):
        yield from _sum_problems(signal, use)
    elif isinstance(signal, SmoothStart):
        yield from _start_problems(signal, use)
    elif isinstance(signal, SampledSignal):
        yield from _table_problems(signal, use)
    elif isinstance(signal, Doublet) and use == "displacement":
        yield Problem((), "a doublet jumps, and no support can; give a table, or the doublet as an acceleration")
    elif isinstance(signal, Doublet) and use in ("length", "angle"):
        message = "a doublet is a jump in a driven length, which no force could follow; give a table, or ramps"
        yield Problem((), message)
    elif isinstance(signal, StepSignal):
        yield from _step_problems(signal, use)
    elif isinstance(signal, Command) and use in ("displacement", "acceleration"):
        yield Problem((), "supports cannot be commanded so far; give their motion as a signal of time")
    elif isinstance(signal, Doublet | Sinusoid | Constant | CosineRamp | Command):
        yield from _number_problems(signal)
        if isinstance(signal, Doublet) and not signal.width > 0.0:
            yield Problem(("doublet", "width"), f"{signal.width:g} s must be more than zero")
        elif isinstance(signal, CosineRamp) and not signal.end > signal.start:
            message = f"{signal.end:g} s is not after its start at {signal.start:g} s; a ramp takes time"
            yield Problem(("cosine_ramp", "end"), message)
    elif isinstance(signal, int | float):
        if wrong := size_problem(signal):
            yield Problem((), wrong)
    elif use != "force":
        yield Problem(
            (),
            "is a Python function, of which position, velocity and acceleration are not known together; "
            "give a SampledSignal of its values, or a Sinusoid",
        )


def _number_problems(signal: Any) -> Iterator[Problem]:
    numbers = [number for name in signal.__slots__ if isinstance(number := getattr(signal, name), int | float)]
    if wrong := next(filter(None, map(size_problem, numbers)), ""):
        yield Problem((), f"{signal}: {wrong}")


def _sum_problems(signal: SignalSum, use: str) -> Iterator[Problem]:
    if not signal.signals:
        yield Problem(("sum",), "adds up no signals; give one or more")
    if sum(isinstance(part.signal, Command) for part in parts_of(signal)) > 1:
        yield Problem(("sum",), "has several commands; one is enough, since they would add up")
    for k, part in enumerate(signal.signals):
        for found in signal_problems(part, use):
            yield Problem(("sum", k, *found.path), found.message)


def _start_problems(signal: SmoothStart, use: str) -> Iterator[Problem]:
    numbers = list(_number_problems(signal))
    yield from numbers
    inner = list(signal_problems(signal.signal, use))
    for found in inner:
        yield Problem(("smooth_start", "signal", *found.path), found.message)
    if not signal.over > 0.0:
        message = f"{signal.over:g} s must be more than zero; what starts at once is a doublet, or a table"
        yield Problem(("smooth_start", "over"), message)
    elif use == "acceleration" and not numbers and not inner:
        waves = signal.over / shortest_period(signal.signal)
        if waves > MOST_WAVES:
            message = f"{waves:.3g} waves pass in {signal.over:g} s, more than the {MOST_WAVES} that can be integrated"
            yield Problem(("smooth_start", "over"), f"{message}; let it in sooner")


def _step_problems(steps: StepSignal, use: str) -> Iterator[Problem]:
    if use in STILL:
        yield Problem((), f"steps are jumps, and no {STILL[use]} can jump; give a table, or ramps")
    if not steps.times:
        yield Problem(("steps", "times"), "needs one time or more, not 0")
    yield from _column_problems("steps", steps.times, {"values": steps.values})


def _column_problems(
    kind: str, times: tuple[float, ...], columns: Mapping[str, tuple[float, ...] | None]
) -> Iterator[Problem]:
    """Of times and what stands beside them."""
    for name, column in columns.items():
        if column is not None and len(column) != len(times):
            message = f"has {len(column)} numbers for {len(times)} times; each time needs one"
            yield Problem((kind, name), message)
    for name, column in {"times": times, **columns}.items():
        bad = next((k for k, number in enumerate(column or ()) if size_problem(number)), None)
        if bad is not None and column is not None:
            yield Problem((kind, name, bad), size_problem(column[bad]))
    for index, (before, after) in enumerate(pairwise(times), start=1):
        if after <= before:
            yield Problem((kind, "times", index), f"{after!r} s comes after {before!r} s; times must increase")


def _table_problems(table: SampledSignal, use: str) -> Iterator[Problem]:
    times, slopes = table.times, table.slopes
    least, word = (2, "two times") if use == "acceleration" else (1, "one time")
    if len(times) < least:
        yield Problem(("table", "times"), f"needs {word} or more, not {len(times)}")
    yield from _column_problems("table", times, {"values": table.values, "slopes": slopes})
    if use == "acceleration" and slopes is not None:
        yield Problem(("table", "slopes"), "a record of accelerations is straight between its samples; leave them out")
    elif use in STILL and slopes is not None and len(slopes) == len(times) > 0:
        for index, when in ((0, "before"), (-1, "after")):
            if slopes[index] != 0.0 and (index or times[0] > 0.0):
                unit = "rad/s" if use == "angle" else "m/s"
                message = (
                    f"{slopes[index]:g} {unit} at {times[index]:g} s, but the {STILL[use]} stands still {when} that, "
                    "and cannot start or stop at once; let the table begin and end with slope 0"
                )
                yield Problem(("table", "slopes"), message)
