"""`predictive_control`: commands that are best over the next samples of a linear model, within bounds (linear MPC).

    sum over k = 1 ... horizon of (y_k - wanted_k)^T Q (y_k - wanted_k) + u_(k-1)^T R u_(k-1)

is least, with x_(k+1) = A x_k + B u_k + drift, bounds on commands at every sample and on outputs at those to come. The
first command acts, and the rest is decided again at the next sample. States are eliminated, so that the program has the
commands for unknowns, and outputs that have bounds (daqp). Commands and outputs are differences, as in the model.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from taut.control.over_actuation import Bounds, Relaxed, bounds_of
from taut.control.regulator import Weight, positive_weight, weight_of
from taut.control.sampled_model import SampledModel
from taut.errors import OptionError
from taut.numerics.quadratic_programs import Program, solve_program
from taut.reprs import brief
from taut.type_checks import checked_arguments

MOST = 2000
"""Commands over a horizon: the program is dense."""


@dataclass(frozen=True)
class Prediction:
    """command: (m,) that acts now. commands: (horizon, m). output: (horizon, p) that is expected. relaxed: bounds that
    nothing kept."""

    command: np.ndarray
    commands: np.ndarray
    output: np.ndarray
    relaxed: tuple[Relaxed, ...]

    __repr__ = brief


@dataclass(frozen=True)
class PredictiveControl:
    """Made by `predictive_control`; `decide(x, wanted)` at every sample."""

    model: SampledModel
    horizon: int
    cost: np.ndarray  # (horizon m, horizon m) over all commands
    pull: np.ndarray  # (horizon m, horizon p) of wanted outputs
    by_state: np.ndarray  # (horizon p, k) outputs to come by the state
    by_command: np.ndarray  # (horizon p, horizon m)
    by_drift: np.ndarray  # (horizon p,)
    low: np.ndarray  # (m,)
    high: np.ndarray  # (m,)
    rows: np.ndarray  # outputs with bounds, among horizon p
    bounds: np.ndarray  # (2, rows)
    unit: np.ndarray  # (m + rows,) sizes of commands and of outputs with bounds

    __repr__ = brief

    def decide(self, x: np.ndarray, wanted: np.ndarray | None = None) -> Prediction:
        """The command for a state; wanted: (horizon, p) of outputs at the samples to come, zero by default."""
        m, p = len(self.model.inputs), len(self.model.outputs)
        goal = np.zeros(self.horizon * p) if wanted is None else np.asarray(wanted, dtype=float).ravel()
        state = np.asarray(x, dtype=float)
        if goal.size != self.horizon * p or state.shape != (len(self.model.states),):
            raise OptionError(
                f"{state.size} states and {goal.size} wanted outputs do not fit: give ({len(self.model.states)},) and "
                f"({self.horizon}, {p})"
            )
        if not (np.all(np.isfinite(state)) and np.all(np.isfinite(goal))):
            raise OptionError("the state and wanted outputs must have finite numbers only")
        still = self.by_state @ state + self.by_drift
        size, more = self.horizon * m, self.rows.size
        cost = np.zeros((size + more, size + more))
        cost[:size, :size] = self.cost
        slope = np.concatenate([self.pull @ (still - goal), np.zeros(more)])
        table = np.hstack([self.by_command[self.rows], -np.eye(more)])
        low = np.concatenate([np.tile(self.low, self.horizon), self.bounds[0]])
        high = np.concatenate([np.tile(self.high, self.horizon), self.bounds[1]])
        firm = np.arange(size + more) < size  # commands are what a motor can do
        found = solve_program(Program(cost, slope, table, -still[self.rows], low, high, self.unit, firm))
        commands = found.x[:size]
        relaxed = tuple(
            Relaxed(self._name(int(k)), float(low[k] if found.moved[k] < 0.0 else high[k]), float(found.moved[k]))
            for k in np.flatnonzero(found.moved)
        )
        output = (still + self.by_command @ commands).reshape(self.horizon, p)
        plan = commands.reshape(self.horizon, m)
        return Prediction(plan[0], plan, output, relaxed)

    def _name(self, k: int) -> str:
        m, p = len(self.model.inputs), len(self.model.outputs)
        if k < self.horizon * m:
            return f'"{self.model.inputs[k % m]}" in {k // m} samples'
        row = int(self.rows[k - self.horizon * m])
        return f'"{self.model.outputs[row % p]}" in {row // p + 1} samples'


@checked_arguments
def predictive_control(
    model: SampledModel,
    *,
    horizon: int,
    input_cost: Weight,
    output_cost: Weight = 1.0,
    lowest: Bounds = -np.inf,
    highest: Bounds = np.inf,
    output_bounds: Mapping[str, tuple[float, float]] | None = None,
) -> PredictiveControl:
    """Linear model predictive control of a sampled model.

    horizon: samples ahead. input_cost, output_cost: R and Q, numbers or matrices; R positive definite.
    lowest, highest: of commands, as differences. output_bounds: output -> least and most, as differences; where nothing
        keeps them they are exceeded by as little as possible, and told.
    """
    m, p, n = len(model.inputs), len(model.outputs), len(model.states)
    if horizon < 1 or horizon * m > MOST:
        raise OptionError(f"a horizon of {horizon} samples: give 1 or more, and no more than {MOST} commands in all")
    if not m or not p:
        raise OptionError(f"the model has no {'outputs' if m else 'inputs'}, so there is nothing to decide")
    q, r = weight_of("output_cost", output_cost, p), positive_weight("input_cost", input_cost, m)
    if np.any(model.D != 0.0):
        raise OptionError("outputs that answer a command at once are not predicted; leave them out of the model")
    drift = model.drift if model.drift.size else np.zeros(n)
    by_state, by_drift = np.zeros((horizon * p, n)), np.zeros(horizon * p)
    by_command = np.zeros((horizon * p, horizon * m))
    power, sum_drift, pushed = np.eye(n), np.zeros(n), model.B
    impulse = []
    for k in range(horizon):
        impulse.append(model.C @ pushed)
        pushed = model.A @ pushed
        power, sum_drift = model.A @ power, model.A @ sum_drift + drift
        by_state[k * p : (k + 1) * p], by_drift[k * p : (k + 1) * p] = model.C @ power, model.C @ sum_drift
        for j in range(k + 1):
            by_command[k * p : (k + 1) * p, j * m : (j + 1) * m] = impulse[k - j]
    weights = np.kron(np.eye(horizon), q)
    pull = by_command.T @ weights
    cost = pull @ by_command + np.kron(np.eye(horizon), r)
    bounded = dict(output_bounds or {})
    places = model.places("outputs", list(bounded))
    for name, (least, most) in bounded.items():
        bounds_of(least, most, 1, (f'the least of "{name}"', "its most"))
    rows = np.array([k * p + place for k in range(horizon) for place in places], dtype=np.intp)
    bounds = np.array([bounded[model.outputs[int(row) % p]] for row in rows], dtype=float).reshape(-1, 2).T
    low, high = bounds_of(lowest, highest, m)
    unit = 1.0 / np.sqrt(np.diag(cost))
    reach = np.linalg.norm(by_command[rows] * unit, axis=1) if rows.size else np.zeros(0)
    reach = np.where(reach > 0.0, reach, 1.0)
    return PredictiveControl(
        model,
        horizon,
        0.5 * (cost + cost.T),
        pull,
        by_state,
        by_command,
        by_drift,
        low,
        high,
        rows,
        bounds,
        np.concatenate([unit, reach]),
    )
