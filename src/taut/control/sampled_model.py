"""A SampledModel: a linear model from one sample to the next, with commands that are still to act among its states."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from taut.control.linear_model import LinearModel
from taut.control.state_space import StateSpace, balancing
from taut.errors import OptionError


@dataclass(frozen=True, repr=False)
class SampledModel(StateSpace):
    """x[k+1] = A x[k] + B u[k] + drift,  y[k] = C x[k] + D u[k], every `period` seconds.

    u[k] is the command given at the sample k, y[k] what is read then, before that command acts; both are differences
    from what they are at the state the model is about. drift: x[k+1] for x = 0 and u = 0. The rest as in LinearModel.
    memory: the last states are earlier commands: the input and how many samples ago. `reading` has zeros there.
    hold, delay: how a command acts, and after how many seconds. continuous: what was sampled, with all of its inputs.
    """

    period: float = field(kw_only=True)
    memory: tuple[tuple[str, int], ...] = field(default=(), kw_only=True)
    hold: str = field(default="zero", kw_only=True)
    delay: float = field(default=0.0, kw_only=True)
    continuous: LinearModel | None = field(default=None, kw_only=True)

    @property
    def sample_time(self) -> float:
        return self.period

    def speeds(self, poles: np.ndarray) -> np.ndarray:
        with np.errstate(divide="ignore"):
            return np.asarray(np.log(np.abs(poles)) / self.period + 1j * (np.angle(poles) / self.period))

    @property
    def equivalent_poles(self) -> np.ndarray:
        """(k,) log(pole) / period [rad/s]: poles with this decay and swing from sample to sample.

        Their swing is known up to a multiple of the sampling rate only, and is the slowest possible. What is gone
        after some samples altogether, as commands are, has minus infinity.
        """
        return self.speeds(self.poles)

    @cached_property
    def scale(self) -> np.ndarray:
        """(k,) sizes of the states: those of the continuous model where it is known, so that both tell motions alike,
        and of earlier commands such that they push about as hard as the plant's states."""
        size = self.plant_size
        plant = balancing(self.A[:size, :size]) if self.continuous is None else self.continuous.scale
        pushed = np.linalg.norm(np.concatenate([self.A[:size, size:], self.B[:size]], axis=1) / plant[:, None], axis=0)
        names = [*(name for name, _ in self.memory), *self.inputs]
        hardest = dict.fromkeys(names, 0.0)
        for name, push in zip(names, pushed.tolist(), strict=True):
            hardest[name] = max(hardest[name], push)
        return np.concatenate([plant, [1.0 / (hardest[name] or 1.0) for name, _ in self.memory]])

    @property
    def decaying(self) -> np.ndarray:
        """(k,) which poles lie inside the unit circle by more than round-off could have put them there."""
        return np.asarray(np.abs(self.poles) < 1.0 - self.pole_error)

    @property
    def plant_size(self) -> int:
        """How many of the states are not earlier commands."""
        return len(self.states) - len(self.memory)

    def without_memory(self) -> SampledModel:
        """The states that are not earlier commands, and what the command of the sample itself does to them."""
        size = self.plant_size
        return SampledModel(
            self.A[:size, :size],
            self.B[:size],
            self.C[:, :size],
            self.D,
            self.states[:size],
            self.inputs,
            self.outputs,
            period=self.period,
            continuous=self.continuous,
        )

    def acting(self, pole: complex) -> np.ndarray:
        """(plant_size, m) what commands that grow by a factor `pole` from sample to sample do to the plant's states, as
        a multiple of the earliest of them that still acts."""
        size, earliest = self.plant_size, max((ago for _, ago in self.memory), default=0)
        pushed = self.B[:size] * pole**earliest
        for k, (name, ago) in enumerate(self.memory):
            pushed[:, self.inputs.index(name)] += self.A[:size, size + k] * pole ** (earliest - ago)
        return np.asarray(pushed)

    def chosen(self, *, inputs: list[str] | None = None, outputs: list[str] | None = None) -> SampledModel:
        """The same model with some of its inputs and outputs, by name."""
        left = {name for name, _ in self.memory} - set(self.inputs if inputs is None else inputs)
        if left:
            raise OptionError(
                f'commands of "{min(left)}" are states of this model, so it cannot be left out of it; '
                "sample the continuous model with commands=[...]"
            )
        return super().chosen(inputs=inputs, outputs=outputs)
