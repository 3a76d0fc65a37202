"""`feed_forward`: commands over time that let outputs of a sampled model follow a path which is known ahead.

The sum over the samples of (y - wanted)^T Q (y - wanted) + u^T R u is least. Backwards from the last sample, what is
still to come is a quadratic x^T P x + 2 p^T x + const. of the state, and the best command is linear in the state; then
forwards, from the start, the commands themselves. A model that is not stable is followed as well: the commands lead it
along the path with all that lies ahead in view, and no power of A larger than one step is ever taken.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from taut.control.regulator import Weight, positive_weight, weight_of
from taut.control.sampled_model import SampledModel
from taut.errors import OptionError
from taut.reprs import brief
from taut.structure.signals import StepSignal
from taut.type_checks import checked_arguments

MOST = 100_000
"""Samples of a path; each keeps a gain."""


@dataclass(frozen=True)
class FeedForward:
    """Commands of n samples and the outputs that the model has with them, both as differences, as in the model.

    time: of the samples [s]. command: (n, m) in the order of the model's inputs. output: (n, p) in that of its outputs.
    """

    model: SampledModel
    time: np.ndarray  # (n,)
    command: np.ndarray  # (n, m)
    output: np.ndarray  # (n, p)

    __repr__ = brief

    def signal(self, name: str) -> StepSignal:
        """The commands of an input as a signal of a load or of a drive given as `by`, which acts after the model's
        delay; the last one stays."""
        (column,) = self.model.places("inputs", [name])
        if self.model.hold != "zero":
            raise OptionError(
                f'the commands of "{name}" go along straight lines (hold = "{self.model.hold}"), and no signal does; '
                "sample the model with a zero-order hold, or give them to sim.step"
            )
        times, values = (self.time + self.model.delay).tolist(), self.command[:, column].tolist()
        if self.model.delay > 0.0:
            times, values = [0.0, *times], [0.0, *values]
        return StepSignal(tuple(times), tuple(values))


@checked_arguments
def feed_forward(
    model: SampledModel,
    wanted: Mapping[str, Sequence[float] | np.ndarray],
    *,
    input_cost: Weight,
    output_cost: Weight = 1.0,
    start: np.ndarray | None = None,
) -> FeedForward:
    """The commands with which outputs follow what is wanted of them best, by least squares with all of it in view.

    wanted: output -> its values at the samples, as differences from what it is at the state the model is about. Outputs
        that are not named are free.
    input_cost, output_cost: R and Q, a number or a matrix over the inputs and over what is wanted. The smaller R, the
        closer the path is followed and the larger the commands are; it must be positive definite.
    start: the state at the first sample; zero by default.
    Of a loop (`closed_loop`) these are what is added to its compensator's commands.
    """
    names = list(wanted)
    path = _path(wanted)
    rows, inputs = model.places("outputs", names), len(model.inputs)
    if not inputs:
        raise OptionError("the model has no inputs, so nothing can be followed")
    q, r = weight_of("output_cost", output_cost, len(names)), positive_weight("input_cost", input_cost, inputs)
    x = np.zeros(len(model.states)) if start is None else np.asarray(start, dtype=float)
    if x.shape != (len(model.states),):
        raise OptionError(f"start of shape {x.shape} does not fit: give ({len(model.states)},)")
    if not np.all(np.isfinite(x)):
        raise OptionError("start must have finite numbers only")
    drift = model.drift if model.drift.size else np.zeros(len(model.states))
    laws = _laws(model, rows, path, q, r, drift)
    commands, outputs = np.zeros((len(path), inputs)), np.zeros((len(path), len(model.outputs)))
    for k, (gain, push) in enumerate(laws):
        commands[k] = push - gain @ x
        outputs[k] = model.C @ x + model.D @ commands[k]
        x = model.A @ x + model.B @ commands[k] + drift
    return FeedForward(model, model.period * np.arange(len(path)), commands, outputs)


def _laws(
    model: SampledModel, rows: list[int], path: np.ndarray, q: np.ndarray, r: np.ndarray, drift: np.ndarray
) -> list[tuple[np.ndarray, np.ndarray]]:
    """Of every sample the gain and the push of its command, u = push - gain x."""
    size = len(model.states)
    step = np.concatenate([model.A, model.B], axis=1)
    show = np.concatenate([model.C[rows], model.D[rows]], axis=1)
    now = show.T @ q @ show
    now[size:, size:] += r
    ahead, pull, found = np.zeros((size, size)), np.zeros(size), []
    for goal in path[::-1]:
        whole = now + step.T @ ahead @ step
        aside = step.T @ (pull + ahead @ drift) - show.T @ (q @ goal)
        answer = np.linalg.solve(whole[size:, size:], np.column_stack([whole[size:, :size], aside[size:]]))
        gain, push = answer[:, :-1], -answer[:, -1]
        ahead = whole[:size, :size] - whole[:size, size:] @ gain
        ahead = 0.5 * (ahead + ahead.T)
        pull = aside[:size] + whole[:size, size:] @ push
        found.append((gain, push))
    return found[::-1]


def _path(wanted: Mapping[str, Sequence[float] | np.ndarray]) -> np.ndarray:
    """(n, p)."""
    if not wanted:
        raise OptionError("nothing is wanted; name an output and its values at the samples")
    columns = {name: np.asarray(values, dtype=float) for name, values in wanted.items()}
    first = next(iter(columns))
    for name, values in columns.items():
        if values.ndim != 1 or not values.size or values.shape != columns[first].shape:
            raise OptionError(
                f'what is wanted of "{name}" has the shape {values.shape}; give one number for each sample, as many as '
                f'for "{first}", {columns[first].shape}'
            )
        if not np.all(np.isfinite(values)):
            raise OptionError(f'what is wanted of "{name}" must be finite numbers')
    if columns[first].size > MOST:
        raise OptionError(f"{columns[first].size} samples are more than the {MOST} that can be followed at once")
    return np.column_stack(list(columns.values()))
