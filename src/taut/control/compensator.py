"""A Compensator: what a digital controller computes from sample to sample, as four matrices; PD and state feedback."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from taut.control.run_controller import Timing, controller_of, rate_of
from taut.control.sampled_model import SampledModel
from taut.errors import ModelError, OptionError
from taut.mechanics.plant import Plant
from taut.reprs import brief
from taut.structure.controllers import Bound, Controller, LinearLaw
from taut.structure.pd_law import pd_law
from taut.type_checks import checked_arguments

Gain = np.ndarray | float
"""A matrix with a row for each driven input and a column for each measured output, or a number for one each."""

TOLD = 1e-9
"""A state of which outputs tell less than this part of what they tell of others is not told."""


@dataclass(frozen=True)
class Compensator:
    """z[k+1] = a z[k] + b y[k],  u[k] = c z[k] + d y[k], every `period` seconds, from z[0] = start.

    y = what is measured - measured_offset, and driven_offset + u is commanded, a change from what is driven without it,
    as inputs of linear models are. measured, driven: names of outputs and inputs. start: zero where it is None.
    notes: of what it was designed on. hold, delay: of the sampled model that it was designed on; None for one that was
    designed on none, as by `pd`.
    """

    a: np.ndarray  # (n, n)
    b: np.ndarray  # (n, p)
    c: np.ndarray  # (m, n)
    d: np.ndarray  # (m, p)
    measured: tuple[str, ...]
    driven: tuple[str, ...]
    measured_offset: np.ndarray  # (p,)
    driven_offset: np.ndarray  # (m,)
    period: float
    notes: tuple[str, ...] = ()
    hold: str | None = None
    delay: float | None = None
    start: np.ndarray | None = None  # (n,)

    __repr__ = brief

    def __post_init__(self) -> None:
        inside, seen, driven = len(self.a), len(self.measured), len(self.driven)
        sizes: dict[str, tuple[int, ...]] = {}
        sizes |= {"a": (inside, inside), "b": (inside, seen), "c": (driven, inside), "d": (driven, seen)}
        sizes |= {"measured_offset": (seen,), "driven_offset": (driven,)}
        sizes |= {} if self.start is None else {"start": (inside,)}
        for name, wanted in sizes.items():
            found = np.asarray(getattr(self, name), dtype=float)
            if found.shape != wanted:
                told = f"{inside} states, {seen} measured and {driven} driven make it {wanted}"
                raise OptionError(f"{name} of the compensator has the shape {found.shape}, but {told}")
            if not np.all(np.isfinite(found)):
                raise OptionError(f"{name} of the compensator must have finite numbers only")
        if not (math.isfinite(self.period) and self.period > 0.0):
            raise OptionError(f"period {self.period:g} of the compensator must be a finite number more than zero [s]")

    @property
    def states(self) -> np.ndarray:
        """(n,) z at the first sample."""
        return np.zeros(len(self.a)) if self.start is None else np.asarray(self.start, dtype=float)

    def answer(self, z: np.ndarray, measured: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """What it commands at a sample, and its z at the next one."""
        y = measured - self.measured_offset
        return self.driven_offset + self.c @ z + self.d @ y, self.a @ z + self.b @ y

    def controller(
        self,
        name: str,
        plant: Plant,
        *,
        hold: str | None = None,
        delay: float | None = None,
        sensors: Mapping[str, str] | None = None,
        lowest: Bound = -math.inf,
        highest: Bound = math.inf,
        fastest: Bound = math.inf,
    ) -> Controller:
        """The same as a Controller, for `assemble`: design and run agree in rate, hold and delay.

        plant: with the loads and drives that act as inputs, each a Command, from whose `start` commands are counted;
            and with the sensors, where some are not exact. It is assembled once more, with the controller.
        hold, delay: where it was not designed on a sampled model, which has them; "zero" and 0 s by default.
        sensors: output -> name of its sensor, where the plant has several of it, or one of an Angle.
        lowest, highest, fastest: of commands, as of a Controller.
        """
        law = LinearLaw(self.d, self.a, self.b, self.c, self.measured_offset, self.driven_offset)
        timing = Timing(rate_of(self.period), self.hold, self.delay).agreed(hold, delay)
        limits = {"lowest": lowest, "highest": highest, "fastest": fastest}
        return controller_of(
            name,
            plant,
            law,
            self.measured,
            self.driven,
            timing,
            sensors=sensors,
            state=tuple(self.states.tolist()),
            **limits,
        )


@checked_arguments
def pd(
    measured: list[str],
    driven: list[str],
    proportional: Gain,
    derivative: Gain = 0.0,
    *,
    rate: float,
    filter: float = 0.0,
    measured_offset: np.ndarray | None = None,
    start: np.ndarray | None = None,
) -> Compensator:
    """u = -(proportional y + derivative y'), with y' from backward differences.

    The first sample has none before it. It is taken against `start`: where that is not about what is measured first,
    the first command is a kick of derivative (y[0] - start) / (period + filter).

    proportional, derivative: a number where each measured output drives the input of the same place, or a matrix.
    rate: samples per second [Hz].
    filter: [s] time constant of a first-order low-pass of y', discretised by backward differences too:
        y'[k] = (y[k] - y[k-1] + filter y'[k-1]) / (period + filter). Zero for the difference as it is.
    measured_offset: the value of each measured output at which nothing is commanded; zero by default.
    start: what each output has been until the first sample; measured_offset by default.
    """
    try:
        law = pd_law(len(measured), len(driven), proportional, derivative, rate=rate, filter=filter)
    except ModelError as error:
        raise OptionError("; ".join(f"{problem.where} {problem.message}" for problem in error.problems)) from None
    offset = np.zeros(len(measured)) if measured_offset is None else np.asarray(measured_offset, dtype=float)
    before = offset if start is None else np.asarray(start, dtype=float)
    if before.shape != offset.shape:
        raise OptionError(
            f"start has the shape {before.shape}; give one number for each measured output, {offset.shape}"
        )
    return Compensator(
        *(law.a, np.asarray(law.b), np.asarray(law.c), law.d),
        tuple(measured),
        tuple(driven),
        offset,
        np.zeros(len(driven)),
        1.0 / rate,
        start=(before - offset)[: len(law.a)],  # none is kept where there is no derivative
    )


def state_feedback(
    model: SampledModel, gain: np.ndarray, measured: list[str] | None, notes: tuple[str, ...]
) -> Compensator:
    """u = -gain x with the states of the plant solved for from outputs, and earlier commands kept."""
    rows, size = model.places("outputs", measured), model.plant_size
    check_nothing_at_once(model)
    show, felt = model.C[rows, :size], model.C[rows, size:]
    solve = _solved(model, rows, show)
    # x = solve (y - felt z) with z the earlier commands, so u = -gain [x, z].
    direct = -gain[:, :size] @ solve
    inner = -gain[:, size:] - direct @ felt
    shift, put = model.A[size:, size:], model.B[size:]
    return Compensator(
        shift + put @ inner,
        put @ direct,
        inner,
        direct,
        tuple(model.outputs[k] for k in rows),
        model.inputs,
        offset_of(model, rows),
        np.zeros(len(model.inputs)),
        model.period,
        notes,
        model.hold,
        model.delay,
    )


def offset_of(model: SampledModel, rows: list[int]) -> np.ndarray:
    """Outputs at the state that the model is about."""
    return np.asarray(model.offset[rows] if model.offset.size else np.zeros(len(rows)))


def check_nothing_at_once(model: SampledModel) -> None:
    if np.any(model.D):
        row, column = np.unravel_index(int(np.argmax(np.abs(model.D))), model.D.shape)
        raise OptionError(
            f'"{model.outputs[row]}" feels the command "{model.inputs[column]}" of the same sample (D is not zero), '
            "and a controller that answers to it cannot know its own answer yet; take a model of taut.control.sampled, "
            "in which outputs are read first"
        )


def _solved(model: SampledModel, rows: list[int], show: np.ndarray) -> np.ndarray:
    """The matrix that makes states of outputs, by least squares with both scaled to be about equally large."""
    scale = model.without_memory().scale
    tall = np.linalg.norm(show * scale, axis=1)
    tall = np.where(tall > 0.0, tall, 1.0)
    even = show * scale / tall[:, None]
    _, sizes, turn = np.linalg.svd(even)
    rank = int(np.sum(sizes > TOLD * sizes.max(initial=0.0)))
    if rank < len(scale):
        least = model.states[int(np.argmax(np.abs(turn[-1])))]
        raise OptionError(
            f'{len(rows)} outputs tell {rank} of {len(scale)} states, and nothing of what is mostly "{least}"; measure '
            "more (positions and velocities of all nodes always do), or estimate with taut.control.kalman"
        )
    return np.asarray(scale[:, None] * np.linalg.pinv(even, rcond=TOLD) / tall)
