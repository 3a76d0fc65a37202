"""`lqr`: the state feedback of least cost for a linear model, and how to let it act on the plant itself."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from taut.control.controllability import Reach, reach
from taut.control.linear_model import LinearModel
from taut.errors import OptionError
from taut.reprs import brief
from taut.structure.scenario import Drive, Feedback, Load
from taut.type_checks import checked_arguments

Weight = np.ndarray | float
"""A matrix, or a number for as many times the unit matrix."""

UNREACHED, FAINT = 1e-12, 1e-4
"""Measures of `reach` that are round-off, and that are worth a word."""


@dataclass(frozen=True)
class Regulator:
    """u = -gain x. cost: the matrix of what is still to come, x^T cost x. poles: of the closed loop [rad/s].

    notes: which motions the inputs hardly reach.
    """

    model: LinearModel
    gain: np.ndarray  # (m, k)
    cost: np.ndarray  # (k, k)
    poles: np.ndarray  # (k,)
    notes: tuple[str, ...] = ()

    __repr__ = brief

    def inputs_at(self, q: np.ndarray, v: np.ndarray) -> np.ndarray:
        """(m,) inputs at coordinates and rates of the plant, as differences from those the model is about."""
        return np.asarray(
            -self.gain @ (self.model.reading @ (np.concatenate([q.ravel(), v.ravel()]) - self.model.about))
        )

    def loads(self) -> tuple[Load, ...]:
        """The feedback as loads of the nodal plant, for `assemble`; all inputs must be forces at nodes."""
        found = []
        for k, name in enumerate(self.model.inputs):
            node, _, axis = name.removeprefix("node:").rpartition(".force.")
            if not name.startswith("node:") or not node:
                raise OptionError(f'"{name}" is not a force at a node, and only those can act as loads of a plant')
            found.append(Load(node, axis, Feedback(self._row(k)), name=f"regulator {node}.{axis}"))
        return tuple(found)

    def drives(self) -> tuple[Drive, ...]:
        """The feedback as drives of the plant, for `assemble`; all inputs must be rest lengths."""
        found = []
        for k, name in enumerate(self.model.inputs):
            member, dot, quantity = name.rpartition(".")
            if quantity != "rest_length" or not dot:
                raise OptionError(f'"{name}" is not a rest length, and only those can act as drives of a plant')
            found.append(Drive(f"regulator {member}", member, quantity, by=Feedback(self._row(k))))
        return tuple(found)

    def _row(self, k: int) -> Callable[[float, np.ndarray, np.ndarray], float]:
        def law(t: float, nodes: np.ndarray, velocities: np.ndarray) -> float:
            return float(self.inputs_at(nodes, velocities)[k])

        return law


@checked_arguments
def lqr(model: LinearModel, state_cost: Weight = 1.0, input_cost: Weight = 1.0, *, of: str = "states") -> Regulator:
    """The feedback that makes the integral of x^T Q x + u^T R u least. Q, R: state_cost, input_cost.

    of: "states" or "outputs"; with outputs Q weighs y = C x instead of x.
    Motions that do not die away by themselves must be reached by the inputs; those hardly reached are told in `notes`.
    """
    from scipy.linalg import solve_continuous_are

    if of not in ("states", "outputs"):
        raise OptionError(f'of = "{of}" is not one of states, outputs')
    size = len(model.states if of == "states" else model.outputs)
    q = _weight("state_cost", state_cost, size)
    r = _weight("input_cost", input_cost, len(model.inputs))
    if of == "outputs":
        q = model.C.T @ q @ model.C
    if np.linalg.eigvalsh(r).min(initial=1.0) <= 0.0:
        raise OptionError("input_cost must be positive definite: every input must cost something")
    found = reach(model)
    left_alone = ~model.decaying & (model.poles.imag >= 0.0)
    failed = (
        "no feedback through these inputs makes the model stable at a finite cost; "
        "choose inputs that reach every motion that does not die away, and weigh it"
    )
    unreached = _told(model, found, left_alone & (found.measure < UNREACHED))
    if unreached:
        raise OptionError(f"{failed}. They do not reach {unreached}")
    faint = _told(model, found, left_alone & (found.measure < FAINT))
    failed += f". They hardly reach {faint}" if faint else ""
    try:
        cost = solve_continuous_are(model.A, model.B, q, r)
    except np.linalg.LinAlgError:
        raise OptionError(failed) from None
    gain = np.linalg.solve(r, model.B.T @ cost)
    poles = np.linalg.eigvals(model.A - model.B @ gain)
    if not np.all(poles.real < 0.0):
        raise OptionError(failed)
    told = (
        f"the inputs hardly reach {faint}, so small errors of the model undo what gains of up to "
        f"{np.abs(gain).max(initial=0.0):.1e} do to it"
    )
    notes = (told,) if faint else ()
    return Regulator(model, gain, cost, poles[np.argsort(np.abs(poles), kind="stable")], notes)


def _told(model: LinearModel, found: Reach, chosen: np.ndarray) -> str:
    """Motions by their frequency or growth, the state that moves most, and how well they are reached."""
    told = []
    for k in np.flatnonzero(chosen):
        pole, how = model.poles[k], f'mostly "{model.states[found.state[k]]}", reached by {found.measure[k]:.1e} of 1'
        swings = abs(pole.imag) > abs(pole.real)
        speed = f"at {model.frequency[k]:.3g} Hz" if swings else f"with the pole {pole.real:.3g} rad/s"
        told.append(f"the motion {speed} ({how})")
    return ", ".join(told[:4]) + (f" and {len(told) - 4} more" if len(told) > 4 else "")


def _weight(name: str, given: Weight, size: int) -> np.ndarray:
    weight = np.eye(size) * given if np.ndim(given) == 0 else np.asarray(given, dtype=float)
    if weight.shape != (size, size):
        raise OptionError(f"{name} of shape {weight.shape} does not fit: give a number or ({size}, {size})")
    if not np.allclose(weight, weight.T) or np.linalg.eigvalsh(weight).min(initial=0.0) < -1e-12 * np.abs(weight).max():
        raise OptionError(f"{name} must be symmetric and nowhere negative")
    return weight
