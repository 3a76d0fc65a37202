"""What a linear system does in a span of time, by matrix exponentials: exact but for round-off."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from taut.control.linear_model import LinearModel


class Span(NamedTuple):
    """x(end) = motion x(start) + held u(start) + ramped (u(end) - u(start)), with u on a straight line between."""

    motion: np.ndarray  # (k, k)
    held: np.ndarray  # (k, m)
    ramped: np.ndarray  # (k, m)


def over_span(model: LinearModel, inputs: np.ndarray, time: float) -> Span:
    """Over a time [s], with any columns in the place of B."""
    from scipy.linalg import expm

    size, count = inputs.shape
    units = _units(model, inputs)
    whole = expm(_ramp_system(model, inputs, time, units)) * units[:, None] / units
    held = whole[:size, size : size + count]
    return Span(whole[:size, :size], held, whole[:size, size + count :])


def cost_over_span(model: LinearModel, state_cost: np.ndarray, time: float) -> np.ndarray:
    """(k + 2 m, k + 2 m) the integral of x^T state_cost x over a time [s], as a square in the x and u of its start and
    the change of u until its end."""
    size = len(model.states)
    units = _units(model, model.B)
    weight = np.zeros((units.size, units.size))
    weight[:size, :size] = state_cost * np.outer(units[:size], units[:size])
    return time * squares_over_span(_ramp_system(model, model.B, time, units), weight) / np.outer(units, units)


def noise_over_span(model: LinearModel, intensity: np.ndarray, time: float) -> np.ndarray:
    """(k, k) covariance of what white noise at the inputs, of some intensity, adds to the states in a time [s]."""
    units = np.outer(model.scale, model.scale)
    even = model.A * model.scale / model.scale[:, None]
    return time * squares_over_span(even.T * time, model.B @ intensity @ model.B.T / units) * units


def _units(model: LinearModel, inputs: np.ndarray) -> np.ndarray:
    """Of states, inputs and their changes, in which all are about as large as one another."""
    strength = np.linalg.norm(inputs / model.scale[:, None], axis=0)
    inverse = 1.0 / np.where(strength > 0.0, strength, 1.0)
    return np.concatenate([model.scale, inverse, inverse])


def _ramp_system(model: LinearModel, inputs: np.ndarray, time: float, units: np.ndarray) -> np.ndarray:
    """x' = A x + B u, u' = r, r' = 0 for [x, u, r], with the time as the unit of time."""
    size, count = inputs.shape
    whole = np.zeros((units.size, units.size))
    whole[:size, :size], whole[:size, size : size + count] = model.A * time, inputs * time
    whole[size : size + count, size + count :] = np.eye(count)
    return np.asarray(whole * units / units[:, None])


def squares_over_span(matrix: np.ndarray, weight: np.ndarray) -> np.ndarray:
    """The integral over t from 0 to 1 of e^{matrix^T t} weight e^{matrix t}, weight symmetric and nowhere negative.

    By Van Loan (1978) over a span so short that nothing grows in it, which is doubled then: over the whole span his
    exponential would hold e^{-matrix t} too, in which all digits are lost where something dies away fast.
    """
    from scipy.linalg import expm

    size, largest = len(matrix), float(np.abs(weight).max(initial=0.0))
    if not largest:
        return np.zeros_like(matrix)
    doublings = max(0, math.ceil(math.log2(max(float(np.abs(matrix).sum(axis=0).max()), 1e-300))))
    both = np.block([[-matrix.T, weight / largest], [np.zeros_like(matrix), matrix]])
    short = expm(both * 0.5**doublings)
    motion = short[size:, size:]
    found = motion.T @ short[:size, size:]
    for _ in range(doublings):
        found = found + motion.T @ found @ motion
        motion = motion @ motion
    return np.asarray(largest * 0.5 * (found + found.T))
