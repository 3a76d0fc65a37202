"""What a linearisation of any plant gives: the first derivatives of its equations at a state, dense."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from taut.errors import ModelError, Problem
from taut.numerics.dense_saddle import DenseSaddle, decompose, solve


class Linearisation(NamedTuple):
    """f coordinates that can move, r constraints. stiffness, damping: K, C. jacobian_rate, jacobian_change: d(G v)/dq
    and d(G a)/dq."""

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
