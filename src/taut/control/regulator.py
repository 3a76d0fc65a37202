"""`lqr`: the state feedback of least cost for a linear model, and how to let it act on the plant itself."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np

from taut.control.compensator import Compensator, state_feedback
from taut.control.controllability import Reach, reach
from taut.control.linear_model import LinearModel
from taut.control.run_controller import Timing, controller_of
from taut.control.sampled_model import SampledModel
from taut.control.sampling import cost_over_period
from taut.errors import OptionError
from taut.mechanics.plant import Plant
from taut.reprs import brief
from taut.structure.controllers import Bound, Controller, LinearLaw
from taut.structure.records import AXES
from taut.structure.scenario import Drive, Feedback, Load
from taut.type_checks import checked_arguments

Weight = np.ndarray | float
"""A matrix, or a number for as many times the unit matrix."""

UNREACHED, FAINT = 1e-12, 1e-4
"""Measures of `reach` that are round-off, and that are worth a word."""


@dataclass(frozen=True)
class Regulator:
    """u = -gain x. cost: the matrix of what is still to come, x^T cost x. poles: of the closed loop, in rad/s, or from
    sample to sample where the model is sampled.

    notes: which motions the inputs hardly reach.
    """

    model: LinearModel | SampledModel
    gain: np.ndarray  # (m, k)
    cost: np.ndarray  # (k, k)
    poles: np.ndarray  # (k,)
    notes: tuple[str, ...] = ()

    __repr__ = brief

    def inputs_at(self, q: np.ndarray, v: np.ndarray) -> np.ndarray:
        """(m,) inputs at coordinates and rates of the plant, as differences from those the model is about."""
        if isinstance(self.model, SampledModel) and self.model.memory:
            raise OptionError(
                f'the regulator answers to earlier commands too ("{self.model.states[-1]}"), which coordinates do not '
                "tell; let a compensator keep them (regulator.compensator)"
            )
        return np.asarray(
            -self.gain @ (self.model.reading @ (np.concatenate([q.ravel(), v.ravel()]) - self.model.about))
        )

    def loads(self) -> tuple[Load, ...]:
        """The feedback as loads of the nodal plant, for `assemble`; all inputs must be forces at nodes."""
        self._check_continuous()
        found = []
        for k, name in enumerate(self.model.inputs):
            node, _, axis = name.removeprefix("node:").rpartition(".force.")
            if not name.startswith("node:") or not node:
                raise OptionError(f'"{name}" is not a force at a node, and only those can act as loads of a plant')
            found.append(Load(node, axis, Feedback(self._row(k)), name=f"regulator {node}.{axis}"))
        return tuple(found)

    def drives(self) -> tuple[Drive, ...]:
        """The feedback as drives of the plant, for `assemble`; all inputs must be rest lengths."""
        self._check_continuous()
        found = []
        for k, name in enumerate(self.model.inputs):
            member, dot, quantity = name.rpartition(".")
            if quantity != "rest_length" or not dot:
                raise OptionError(f'"{name}" is not a rest length, and only those can act as drives of a plant')
            found.append(Drive(f"regulator {member}", member, quantity, by=Feedback(self._row(k))))
        return tuple(found)

    def compensator(self, measured: list[str] | None = None) -> Compensator:
        """The feedback of a sampled model through outputs that tell the plant's states, which it solves for; earlier
        commands it keeps itself.

        measured: names of outputs; all of the model by default. More than there are states are fitted.
        """
        if not isinstance(self.model, SampledModel):
            raise OptionError(
                "a compensator acts from sample to sample; design it on taut.control.sampled(model, rate)"
            )
        return state_feedback(self.model, self.gain, measured, (*self.model.notes, *self.notes))

    def controller(
        self,
        name: str,
        plant: Plant,
        *,
        measured: list[str] | None = None,
        sensors: Mapping[str, str] | None = None,
        lowest: Bound = -math.inf,
        highest: Bound = math.inf,
    ) -> Controller:
        """The feedback as a Controller, for `assemble`: of a sampled model that of its compensator, which says the
        rest; of a continuous one at every evaluation, through exact positions and velocities of nodes."""
        if isinstance(self.model, SampledModel):
            made = self.compensator(measured)
            return made.controller(name, plant, sensors=sensors, lowest=lowest, highest=highest)
        if measured is not None:
            raise OptionError("what is measured can be chosen for a sampled model; a continuous one needs all nodes")
        if self.model.about.size != 2 * plant.coordinates:
            raise OptionError(
                f"the model has {self.model.about.size // 2} coordinates and the plant has {plant.coordinates}; give "
                "the plant that was linearised"
            )
        gain = -self.gain @ self.model.reading
        felt = np.flatnonzero(np.any(gain != 0.0, axis=0))
        names = [
            f"node:{node}.{quantity}.{axis}"
            for quantity in ("position", "velocity")
            for node in plant.structure.nodes
            for axis in AXES
        ]
        law = LinearLaw(gain[:, felt], measured_offset=self.model.about[felt])
        outputs = [names[k] for k in felt]
        given, timing = self.model.inputs, Timing(None)
        return controller_of(name, plant, law, outputs, given, timing, sensors=sensors, lowest=lowest, highest=highest)

    def _check_continuous(self) -> None:
        if isinstance(self.model, SampledModel):
            raise OptionError(
                f"the regulator acts every {self.model.period:g} s, and loads and drives that answer to the motion do "
                "so all the time; make a compensator of it (regulator.compensator, taut.control.lqg)"
            )

    def _row(self, k: int) -> Callable[[float, np.ndarray, np.ndarray], float]:
        def law(t: float, nodes: np.ndarray, velocities: np.ndarray) -> float:
            return float(self.inputs_at(nodes, velocities)[k])

        return law


@checked_arguments
def lqr(
    model: LinearModel | SampledModel,
    state_cost: Weight = 1.0,
    input_cost: Weight = 1.0,
    *,
    of: str = "states",
    over: str = "time",
) -> Regulator:
    """The feedback that makes the integral of x^T Q x + u^T R u least. Q, R: state_cost, input_cost.

    of: "states" or "outputs"; with outputs Q weighs y = C x instead of x. Earlier commands that are states of a sampled
        model are not weighed by Q.
    over: "time"; or "samples" for the sum of x^T Q x + u^T R u over the samples of a sampled model, whatever happens
        between them.
    Motions that do not die away by themselves must be reached by the inputs; those hardly reached are told in `notes`.
    """
    q, r = _weights(model, state_cost, input_cost, of, over)
    reached = model.without_memory() if isinstance(model, SampledModel) else model
    found = reach(reached, model.acting if isinstance(model, SampledModel) else None)
    left_alone = ~reached.decaying & (reached.poles.imag >= 0.0)
    failed = (
        "no feedback through these inputs makes the model stable at a finite cost; "
        "choose inputs that reach every motion that does not die away, and weigh it"
    )
    unreached = told_motions(reached, found, left_alone & (found.measure < UNREACHED), "reached")
    if unreached:
        raise OptionError(f"{failed}. They do not reach {unreached}")
    faint = told_motions(reached, found, left_alone & (found.measure < FAINT), "reached")
    failed += f". They hardly reach {faint}" if faint else ""
    try:
        gain, cost = _sampled(model, q, r, over) if isinstance(model, SampledModel) else _continuous(model, q, r)
    except np.linalg.LinAlgError:
        raise OptionError(failed) from None
    poles = np.linalg.eigvals(model.A - model.B @ gain)
    if not np.all(model.speeds(poles).real < 0.0):
        raise OptionError(failed)
    told = (
        f"the inputs hardly reach {faint}, so small errors of the model undo what gains of up to "
        f"{np.abs(gain).max(initial=0.0):.1e} do to it"
    )
    return Regulator(model, gain, cost, poles[model.slowest_first(poles)], (told,) if faint else ())


def _weights(
    model: LinearModel | SampledModel, state_cost: Weight, input_cost: Weight, of: str, over: str
) -> tuple[np.ndarray, np.ndarray]:
    """Of the states that are not earlier commands, and of the inputs."""
    if of not in ("states", "outputs"):
        raise OptionError(f'of = "{of}" is not one of states, outputs')
    if over not in ("time", "samples"):
        raise OptionError(f'over = "{over}" is not one of time, samples')
    if over == "samples" and not isinstance(model, SampledModel):
        raise OptionError('over = "samples": the model is continuous and has none; see taut.control.sampled')
    states = model.plant_size if isinstance(model, SampledModel) else len(model.states)
    if not states or not model.inputs:
        raise OptionError(f"the model has no {'inputs' if states else 'states'}, so there is nothing to regulate")
    q = weight_of("state_cost", state_cost, states if of == "states" else len(model.outputs))
    r = positive_weight("input_cost", input_cost, len(model.inputs))
    show = model.C[:, :states]
    return (show.T @ q @ show if of == "outputs" else q), r


def _continuous(model: LinearModel, q: np.ndarray, r: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    from scipy.linalg import solve_continuous_are

    cost = solve_continuous_are(model.A, model.B, q, r)
    return np.linalg.solve(r, model.B.T @ cost), cost


def _sampled(model: SampledModel, q: np.ndarray, r: np.ndarray, over: str) -> tuple[np.ndarray, np.ndarray]:
    from scipy.linalg import solve_discrete_are

    crossed = np.zeros_like(model.B)
    if over == "time":
        q, crossed, r = cost_over_period(model, q, r)
    else:
        q = np.pad(q, (0, len(model.memory)))
    cost = solve_discrete_are(model.A, model.B, q, r, s=crossed)
    push = model.B.T @ cost
    return np.linalg.solve(r + push @ model.B, push @ model.A + crossed.T), cost


def told_motions(model: LinearModel | SampledModel, found: Reach, chosen: np.ndarray, how: str) -> str:
    """Motions by their frequency or growth, the state that moves most, and how well they are reached."""
    told = []
    for k in np.flatnonzero(chosen):
        pole = model.speeds(model.poles)[k]
        mostly = f'mostly "{model.states[found.state[k]]}", {how} by {found.measure[k]:.1e} of 1'
        swings = abs(pole.imag) > abs(pole.real)
        speed = f"at {abs(pole) / (2.0 * np.pi):.3g} Hz" if swings else f"with the pole {pole.real:.3g} rad/s"
        told.append(f"the motion {speed} ({mostly})")
    return ", ".join(told[:4]) + (f" and {len(told) - 4} more" if len(told) > 4 else "")


def positive_weight(name: str, given: Weight, size: int) -> np.ndarray:
    """Of inputs."""
    weight = weight_of(name, given, size)
    if np.linalg.eigvalsh(weight).min(initial=1.0) <= 0.0:
        raise OptionError(f"{name} must be positive definite: every input must cost something")
    return weight


def weight_of(name: str, given: Weight, size: int) -> np.ndarray:
    """The matrix that is given, or that a number stands for."""
    weight = np.diag(np.full(size, given, dtype=float)) if np.ndim(given) == 0 else np.asarray(given, dtype=float)
    if weight.shape != (size, size):
        raise OptionError(f"{name} of shape {weight.shape} does not fit: give a number or ({size}, {size})")
    if not np.all(np.isfinite(weight)):
        raise OptionError(f"{name} must have finite numbers only")
    largest = np.abs(weight).max(initial=0.0)
    symmetric = np.allclose(weight, weight.T, atol=1e-9 * largest)
    if not symmetric or np.linalg.eigvalsh(weight).min(initial=0.0) < -1e-12 * largest:
        raise OptionError(f"{name} must be symmetric and nowhere negative")
    return np.asarray(0.5 * (weight + weight.T))
