"""How well the inputs of a linear model reach each of its motions, by the test of Popov, Belevitch and Hautus.

A motion with pole p is reached unless a left eigenvector w of A, w^H A = p w^H, has w^H B = 0. States are scaled as in
`StateSpace.scale` and inputs to unit length, so that units of time and of inputs do not matter.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from taut.control.state_space import StateSpace

TOGETHER = 1e-6
"""Left eigenvectors of one pole that differ by less are one: the pole is defective."""


class Reach(NamedTuple):
    """Of every pole of a model, in its order. measure: 1 where an input pushes along that motion only, 0 where none
    pushes along it."""

    measure: np.ndarray  # (k,)
    state: np.ndarray  # (k,) the state that moves most


def reach(model: StateSpace, acting: Callable[[complex], np.ndarray] | None = None) -> Reach:
    """acting: what stands in the place of B for a motion with some pole, where inputs act through something else."""
    scale, near = model.scale, model.pole_error
    poles, left, right, _ = model.eigen
    measure = np.zeros(poles.size)
    for k in range(poles.size):
        inputs = (model.B if acting is None else acting(complex(poles[k]))) / scale[:, None]
        sizes = np.linalg.norm(inputs, axis=0)
        inputs = inputs / np.where(sizes > 0.0, sizes, 1.0)
        # A pole that comes more than once has to be reached in every direction of its eigenvectors.
        same = np.abs(poles - poles[k]) <= near + near[k]
        basis, lengths, _ = np.linalg.svd(left[:, same], full_matrices=False)
        pushed = basis[:, lengths > TOGETHER * lengths[0]].conj().T @ inputs
        measure[k] = np.linalg.svd(pushed, compute_uv=False)[-1] if pushed.shape[0] <= pushed.shape[1] else 0.0
    return Reach(measure, np.argmax(np.abs(right), axis=0))
