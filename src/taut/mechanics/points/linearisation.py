"""What a linearisation of any plant gives: the first derivatives of its equations at a state, dense."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from taut.errors import ModelError, Problem
from taut.numerics.dense_saddle import DenseSaddle, decompose, solve
from taut.numerics.differences import jacobian


class Linearisation(NamedTuple):
    """f coordinates that can move, r constraints. stiffness, damping: K, C. jacobian_rate, jacobian_change: d(G v)/dq
    and d(G a + d(G v)/dq v)/dq."""

    moving: np.ndarray  # (f,) their places among all coordinates
    mass: np.ndarray  # (f, f)
    rows: np.ndarray  # (r, f) G
    system: DenseSaddle
    acceleration: np.ndarray  # (f,)
    multiplier: np.ndarray  # (r,)
    stiffness: np.ndarray  # (f, f)
    damping: np.ndarray  # (f, f)
    jacobian_rate: np.ndarray  # (r, f)
    jacobian_change: np.ndarray  # (r, f)
    by_natural: np.ndarray  # (f, m) force by the natural length of each elastic member as its thickness follows [N/m]
    notes: tuple[str, ...] = ()


def solved(mass: np.ndarray, rows: np.ndarray, force: np.ndarray, bias: np.ndarray) -> tuple[DenseSaddle, np.ndarray]:
    """The system [M G^T; G 0], decomposed, and [a, l] with G a = bias."""
    try:
        system = decompose(mass, rows)
    except np.linalg.LinAlgError:
        message = "leave a motion without inertia, so it has no linear model; give every node that moves a mass"
        raise ModelError([Problem(("point_masses",), message)]) from None
    return system, np.concatenate(solve(system, force, bias))


def by_differences(
    terms_at: Callable[..., tuple[np.ndarray, ...]],
    time: float,
    q: np.ndarray,
    v: np.ndarray,
    steps: tuple[np.ndarray, np.ndarray],
) -> Linearisation:
    """Slopes of forces and rows as differences of eighth order of the exact ones. terms_at: M, G, force and bias at a
    time and state. steps: of every coordinate and of its rate."""
    mass, rows, force, bias = terms_at(time, q, v)
    system, found = solved(mass, rows, force, bias)
    acceleration, multiplier = found[: q.size], found[q.size :]

    def left(x: np.ndarray, u: np.ndarray) -> np.ndarray:
        m, g, f, _ = terms_at(time, x, u)
        return f + g.T @ multiplier - m @ acceleration

    def by(function: Callable[[np.ndarray], np.ndarray], at: np.ndarray, scale: np.ndarray) -> np.ndarray:
        """A column for every coordinate, each by a step of its own."""
        return jacobian(lambda z: function(at + scale * z), np.zeros(at.size), 1.0) / scale

    by_place = by(lambda x: left(x, v), q, steps[0])
    by_speed = by(lambda u: left(q, u), v, steps[1])
    rate = by(lambda x: terms_at(time, x, v)[1] @ v, q, steps[0]) if len(rows) else np.zeros((0, q.size))

    def off(x: np.ndarray) -> np.ndarray:
        _, g, _, own = terms_at(time, x, v)
        return g @ acceleration - own

    change = by(off, q, steps[0]) if len(rows) else rate
    return Linearisation(
        np.arange(q.size),
        mass,
        rows,
        system,
        acceleration,
        multiplier,
        -by_place,
        -by_speed,
        rate,
        change,
        np.zeros((q.size, 0)),
    )
