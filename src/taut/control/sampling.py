"""`sampled`: a continuous linear model in, one from sample to sample out, exact with the hold and the delay.

With a delay of n periods and a fraction f of a period, the input that acts between the samples k and k + 1 is
    zero-order hold:  u[k-n-1] until f, u[k-n] from then on
    first-order hold: on the way from u[k-n-2] to u[k-n-1] until f, on that from u[k-n-1] to u[k-n] from then on,
each way a straight line that takes one period. So the period has one or two pieces, with commands of some samples ago
at their ends, and each piece is a matrix exponential.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from taut.control.exponentials import cost_over_span, over_span
from taut.control.linear_model import LinearModel
from taut.control.sampled_model import SampledModel
from taut.errors import OptionError, suggestion
from taut.type_checks import checked_arguments

HOLDS = ("zero", "first")

MOST_SAMPLES = 1000
"""Of delay: each is a state for every input."""

SAME = 1e-9
"""A fraction of a period below this part of it is round-off of the delay."""

Mix = dict[int, float]
"""An acting input as a sum of commands: how many samples ago -> its weight."""


class Piece(NamedTuple):
    """A part of the period in which the acting input goes along one straight line."""

    time: float  # [s]
    start: Mix
    end: Mix


@checked_arguments
def sampled(
    model: LinearModel, rate: float, *, hold: str = "zero", delay: float = 0.0, commands: list[str] | None = None
) -> SampledModel:
    """The model from sample to sample, exact for inputs that are held.

    rate: samples per second [Hz].
    hold: "zero" keeps a command until the next one acts. "first" goes to it along a straight line that takes one
        period, from where the command before it has led: u[k-1] at t_k and u[k] at t_k + period, without delay.
    delay: [s] from a sample to when its command begins to act; of any length.
    commands: the inputs that are set from sample to sample, by name; all by default. The others do nothing here, but
        can be the noise of `kalman`.
    Outputs are read just before the command of the same sample acts. Where an output feels an input at once, as a
    tension does a rest length, what it shows is the command before, which becomes a state. So D is zero.
    """
    _check(model, rate, hold, delay)
    period = 1.0 / rate
    driven = model.chosen(inputs=commands)
    pieces = pieces_of(period, hold, delay)
    seen = {ago + 1: part for ago, part in pieces[-1].end.items()}  # at the end of the period before
    memory = _memory(driven, pieces, seen)
    size, kept, count = len(model.states), len(memory), len(driven.inputs)
    lags = _Lags(driven.inputs, size, memory)
    drift = model.drift if model.drift.size else np.zeros(size)
    pushed = np.column_stack([driven.B, drift])
    place = np.eye(size, lags.width)  # of [x, memory, u, 1]
    for piece in pieces:
        span = over_span(model, pushed, piece.time)
        start, end = (np.concatenate([lags.mixed(mix), lags.one()]) for mix in (piece.start, piece.end))
        place = span.motion @ place + span.held @ start + span.ramped @ (end - start)
    show = np.concatenate([model.C, np.zeros((len(model.outputs), lags.width - size))], axis=1)
    show = show + driven.D @ lags.mixed(seen)
    later = np.concatenate([place, lags.shifted()])
    whole = size + kept
    about = model.reading.size > 0
    return SampledModel(
        A=later[:, :whole],
        B=later[:, whole : whole + count],
        C=show[:, :whole],
        D=show[:, whole : whole + count],
        states=(*model.states, *(_name(name, ago) for name, ago in memory)),
        inputs=driven.inputs,
        outputs=model.outputs,
        drift=later[:, -1],
        offset=model.offset,
        about=model.about,
        reading=np.concatenate([model.reading, np.zeros((kept, model.reading.shape[1]))]) if about else model.reading,
        notes=model.notes,
        period=period,
        memory=memory,
        hold=hold,
        delay=delay,
        continuous=model,
    )


def cost_over_period(
    model: SampledModel, state_cost: np.ndarray, input_cost: np.ndarray
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Q, N, R with x^T Q x + 2 x^T N u + u^T R u the integral of x^T state_cost x + u^T input_cost u over a period.

    The first part is that of the states of the continuous model between the samples. The second is that of the input
    over the period in which it goes to u[k], whenever that is: the sum over all samples is that of the input that acts.
    """
    if model.continuous is None:
        raise OptionError(
            "the model does not know what was sampled, so its cost between the samples is not known; "
            'take over="samples"'
        )
    driven = model.continuous.chosen(inputs=list(model.inputs))
    size, count = driven.B.shape
    lags = _Lags(model.inputs, size, model.memory)
    total = np.zeros((lags.width, lags.width))
    place = np.eye(size, lags.width)
    for piece in pieces_of(model.period, model.hold, model.delay):
        start, end = lags.mixed(piece.start), lags.mixed(piece.end)
        along = np.concatenate([place, start, end - start])
        total += along.T @ cost_over_span(driven, state_cost, piece.time) @ along
        span = over_span(driven, driven.B, piece.time)
        place = span.motion @ place + span.held @ start + span.ramped @ (end - start)
    before, now = lags.mixed({1 if model.hold == "first" else 0: 1.0}), lags.mixed({0: 1.0})
    # The square of a straight line from a to b has the mean (a^2 + a b + b^2) / 3 = (a^2 + b^2 + (a + b)^2) / 6.
    for point in (before, now, before + now):
        total += model.period / 6.0 * point.T @ input_cost @ point
    states = size + len(model.memory)
    inputs = slice(states, states + count)
    return total[:states, :states], total[:states, inputs], total[inputs, inputs]


def pieces_of(period: float, hold: str, delay: float) -> tuple[Piece, ...]:
    """The parts of a period, and which commands act in them."""
    whole = math.floor(delay / period + SAME)
    late = max(delay / period - whole, 0.0)
    late = 0.0 if late < SAME else late
    now, before = {whole: 1.0}, {whole + 1: 1.0}
    if hold == "zero":
        first, last = Piece(late * period, before, before), Piece((1.0 - late) * period, now, now)
    else:
        first = Piece(late * period, {whole + 1: 1.0 - late, whole + 2: late}, before)
        last = Piece((1.0 - late) * period, before, {whole: 1.0 - late, whole + 1: late})
    return (first, last) if late else (last,)


class _Lags(NamedTuple):
    """Where commands stand among [x, memory, u, 1]: now in u, earlier ones in the memory."""

    inputs: tuple[str, ...]
    size: int
    memory: tuple[tuple[str, int], ...]

    @property
    def width(self) -> int:
        return self.size + len(self.memory) + len(self.inputs) + 1

    def mixed(self, mix: Mix) -> np.ndarray:
        """(m, width) the sum of commands of every input; one that nothing feels is not remembered."""
        found = np.zeros((len(self.inputs), self.width))
        for k, name in enumerate(self.inputs):
            for ago, part in mix.items():
                if not ago:
                    found[k, self.size + len(self.memory) + k] += part
                elif (name, ago) in self.memory:
                    found[k, self.size + self.memory.index((name, ago))] += part
        return found

    def one(self) -> np.ndarray:
        return np.eye(1, self.width, self.width - 1)

    def shifted(self) -> np.ndarray:
        """(memory, width) what is remembered at the next sample."""
        rows = [self.mixed({ago - 1: 1.0})[self.inputs.index(name)] for name, ago in self.memory]
        return np.array(rows).reshape(-1, self.width)


def _memory(model: LinearModel, pieces: tuple[Piece, ...], seen: Mix) -> tuple[tuple[str, int], ...]:
    """The commands that states have to keep: those which act later, and the last ones that an output still feels."""
    acts = max(ago for piece in pieces for mix in (piece.start, piece.end) for ago in mix)
    feels = np.any(model.D != 0.0, axis=0)
    longest = [max(acts, max(seen) if felt else 0) for felt in feels]
    return tuple(
        (name, ago)
        for ago in range(1, max(longest, default=0) + 1)
        for name, most in zip(model.inputs, longest, strict=True)
        if ago <= most
    )


def _name(name: str, ago: int) -> str:
    return f"delayed {name}, {ago} sample{'s' if ago > 1 else ''}"


def _check(model: LinearModel, rate: float, hold: str, delay: float) -> None:
    if not (math.isfinite(rate) and rate > 0.0):
        raise OptionError(f"rate {rate:g} must be a finite number more than zero [Hz]")
    if hold not in HOLDS:
        raise OptionError(f'hold = "{hold}" is not one of {", ".join(HOLDS)}{suggestion(hold, HOLDS)}')
    if not (math.isfinite(delay) and delay >= 0.0):
        raise OptionError(
            f"delay {delay:g} must be a finite number, zero or more [s]: a command cannot act before it is given"
        )
    if delay * rate > MOST_SAMPLES:
        raise OptionError(
            f"a delay of {delay:g} s is {delay * rate:.0f} samples at {rate:g} Hz, each a state of every input, and at "
            f"most {MOST_SAMPLES} are kept; sample more slowly"
        )
