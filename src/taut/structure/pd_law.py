"""Proportional and derivative control as a LinearLaw: one formula for model files and for `taut.control.pd`."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

import numpy as np

from taut.errors import ModelError, Problem
from taut.structure.controllers import LinearLaw


def pd_law(
    measured: int,
    commands: int,
    proportional: Any,
    derivative: Any = 0.0,
    *,
    rate: float | None,
    filter: float = 0.0,
    setpoint: Any = 0.0,
    command_offset: Any = 0.0,
) -> LinearLaw:
    """command = command_offset - (proportional y + derivative y'),  with y = measured - setpoint.

    y' is taken by backward differences; the law's state is y of the sample before, the first of which is the state that
    a Controller starts with: at zero, a start away from the setpoint is a jump, whose y' is commanded once.
    Gains are a number where each command answers to the quantity of the same place, or (commands, measured).
    rate: how often it decides [Hz]; None: at every evaluation, which leaves out the derivative.
    filter: [s] time constant of a first-order low-pass of y', discretised by backward differences too.
    Raises ModelError with every problem, whose paths are the names of arguments.
    """
    gains = {"proportional": np.asarray(proportional, dtype=float), "derivative": np.asarray(derivative, dtype=float)}
    wrong = [*_number_problems(rate, filter, damped=bool(np.any(gains["derivative"])))]
    for name, gain in gains.items():
        wrong += [Problem((name,), told) for told in _gain_problems(gain, commands, measured)]
    for name, offset, count in (("setpoint", setpoint, measured), ("command_offset", command_offset, commands)):
        if np.ndim(offset) and np.shape(offset) != (count,):
            wrong.append(Problem((name,), f"has {np.size(offset)} numbers; give one for all, or {count}"))
    if wrong:
        raise ModelError(wrong)
    stiff, damp = (gain if gain.ndim else gain * np.eye(commands, measured) for gain in gains.values())
    period = 0.0 if rate is None else 1.0 / rate
    # z is y of the samples before, smoothed: z[k+1] = z[k] + (y[k] - z[k]) period / (period + filter).
    keep = np.eye(measured if np.any(damp) else 0, measured)
    fresh, damp = (period / (period + filter), damp / (period + filter)) if rate else (0.0, damp)
    return LinearLaw(
        -stiff - damp,
        (1.0 - fresh) * keep @ keep.T,
        fresh * keep,
        damp @ keep.T,
        measured_offset=setpoint,
        command_offset=command_offset,
    )


def _number_problems(rate: float | None, filter: float, *, damped: bool) -> Iterator[Problem]:
    if rate is None and damped:
        yield Problem(("derivative",), "is taken from one decision to the next; give the controller a rate")
    if rate is not None and not (math.isfinite(rate) and rate > 0.0):
        yield Problem(("rate",), f"{rate:g} must be a finite number more than zero [Hz]")
    if not (math.isfinite(filter) and filter >= 0.0):
        yield Problem(("filter",), f"{filter:g} must be a finite number, zero or more [s]")


def _gain_problems(gain: np.ndarray, commands: int, measured: int) -> Iterator[str]:
    if gain.ndim == 0 and commands != measured and gain != 0.0:
        yield (
            f"as a number is for one driven input each, and there are {measured} measured and {commands} driven; "
            f"give a matrix of {commands} x {measured}"
        )
    elif gain.ndim and gain.shape != (commands, measured):
        yield f"of shape {gain.shape} does not fit: give a number or {(commands, measured)}"
