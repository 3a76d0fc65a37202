"""Responses of a linear model, in time and over frequency. Times in s, frequencies in Hz."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from taut.control.gains import gains
from taut.control.linear_model import LinearModel
from taut.errors import OptionError, suggestion
from taut.reprs import brief
from taut.type_checks import checked_arguments

MOST_SAMPLES = 1e7


@dataclass(frozen=True)
class Response:
    """Outputs over time, as differences from the state that the model is about; T samples, p outputs, m inputs."""

    time: np.ndarray  # (T,)
    output: np.ndarray  # (T, p, m): after a signal at each input in turn
    outputs: tuple[str, ...]
    inputs: tuple[str, ...]

    __repr__ = brief


@checked_arguments
def frequency_response(model: LinearModel, frequency: np.ndarray) -> np.ndarray:
    """(F, p, m) complex gains D + C (2 pi i f - A)^-1 B at frequencies [Hz]."""
    found, gain = [], gains(model.A, model.B, model.C, model.D)
    wanted = np.atleast_1d(np.asarray(frequency, dtype=float)).ravel()
    if not np.all(np.isfinite(wanted)):
        raise OptionError(f"a frequency of {wanted[~np.isfinite(wanted)][0]} Hz is none; give finite numbers")
    for hertz in wanted:
        try:
            found.append(gain.at(2.0 * math.pi * hertz))
        except np.linalg.LinAlgError:
            raise OptionError(f"the gain at {hertz:g} Hz is infinite: a pole without damping lies there") from None
    return np.array(found).reshape(-1, len(model.outputs), len(model.inputs))


@checked_arguments
def harmonic_response(model: LinearModel, frequency: float, amplitudes: Mapping[str, complex]) -> dict[str, complex]:
    """What every output settles to when some inputs swing for ever: amplitude and phase, as a complex number each.

    amplitudes: input -> amplitude, complex for a phase: amplitude * exp(2 pi i frequency t) on either side.
    """
    if not model.stable:
        raise OptionError("a model with motions that do not die away never settles; see frequency_response")
    push = np.zeros(len(model.inputs), dtype=complex)
    for name, amplitude in amplitudes.items():
        if name not in model.inputs:
            hint = suggestion(name, model.inputs) or f"; there are {', '.join(model.inputs[:6])}"
            raise OptionError(f'the model has no input "{name}"{hint}')
        if not np.isfinite(amplitude):
            raise OptionError(f'the amplitude {amplitude} of "{name}" must be finite')
        push[model.inputs.index(name)] = amplitude
    swing = frequency_response(model, np.array([frequency]))[0] @ push
    return dict(zip(model.outputs, swing.tolist(), strict=True))


@checked_arguments
def step_response(model: LinearModel, duration: float, *, every: float | None = None) -> Response:
    """After a unit step at each input in turn, from x = 0; exact at the samples."""
    return _answer(model, duration, every, [(0.0, 1.0)])


@checked_arguments
def doublet_response(
    model: LinearModel, duration: float, *, amplitude: float, width: float, every: float | None = None
) -> Response:
    """After +amplitude for `width` seconds and -amplitude for as long, at each input in turn; exact at the samples."""
    _check("width", width)
    if not math.isfinite(amplitude):
        raise OptionError(f"amplitude {amplitude} must be a finite number")
    return _answer(model, duration, every, [(0.0, amplitude), (width, -amplitude), (2.0 * width, 0.0)])


@checked_arguments
def impulse_response(model: LinearModel, duration: float, *, every: float | None = None) -> Response:
    """C e^{A t} B: after a unit impulse at each input in turn. What D adds at t = 0 has no height and is left out."""
    time = _grid(duration, every)
    step = _exponential(model.A, float(time[1]))
    state, rows = model.B, []
    for _ in time:
        rows.append(model.C @ state)
        state = step @ state
    return Response(time, np.array(rows), model.outputs, model.inputs)


def _answer(model: LinearModel, duration: float, every: float | None, pieces: list[tuple[float, float]]) -> Response:
    """To inputs that are constant in pieces, each given by its beginning and its value."""
    time = _grid(duration, every)
    size, count = len(model.states), len(model.inputs)
    whole = np.zeros((size + count, size + count))
    whole[:size, :size], whole[:size, size:] = model.A, model.B
    output = np.zeros((time.size, len(model.outputs), count))
    state = np.zeros((size, count))  # a column for every input
    full = _exponential(whole, float(time[1]))
    for k, (begin, value) in enumerate(pieces):
        end = pieces[k + 1][0] if k + 1 < len(pieces) else math.inf
        inside = np.flatnonzero((time >= begin) & (time < end))
        both, at = np.concatenate([state, value * np.eye(count)]), begin
        for n, sample in enumerate(inside):
            both = (full if n else _exponential(whole, float(time[sample]) - at)) @ both
            at = float(time[sample])
            output[sample] = model.C @ both[:size] + value * model.D
        if math.isfinite(end):
            state = (_exponential(whole, end - at) @ both)[:size]
    return Response(time, output, model.outputs, model.inputs)


def _exponential(matrix: np.ndarray, time: float) -> np.ndarray:
    from scipy.linalg import expm

    return np.asarray(expm(matrix * time))


def _check(name: str, value: float) -> None:
    if not (math.isfinite(value) and value > 0.0):
        raise OptionError(f"{name} {value} must be a finite number more than zero [s]")


def _grid(duration: float, every: float | None) -> np.ndarray:
    """From 0 to the duration, which is a sample if it fits; a five-hundredth of it apart by default."""
    _check("duration", duration)
    apart = duration / 500.0 if every is None else every
    _check("every", apart)
    if apart > duration or duration / apart > MOST_SAMPLES:
        raise OptionError(f"every {apart:g} s does not fit a duration of {duration:g} s")
    return np.asarray(apart * np.arange(math.floor(duration / apart * (1.0 + 1e-12)) + 1))
