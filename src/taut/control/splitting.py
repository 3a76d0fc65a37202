"""What of a linear model dies away, and what of the rest anyone could push or see."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from taut.control.linear_model import LinearModel

UNSEEN = 1e-9
"""Below this part of the largest row or column, what reaches a state or leaves it is round-off."""


class Part(NamedTuple):
    """A part of a model with poles of its own: y = (its outputs) + (those of the other part) + D u.

    reading: its states by those of the model.
    """

    A: np.ndarray
    B: np.ndarray
    C: np.ndarray
    reading: np.ndarray

    @property
    def size(self) -> int:
        return len(self.A)


class Split(NamedTuple):
    decaying: Part
    lasting: Part  # of what does not die away, that which inputs reach and outputs show
    unseen: int  # how many states that do not die away no input reaches or no output shows


def split(model: LinearModel) -> Split:
    """The decaying part and the rest, by an ordered Schur form and a Sylvester equation."""
    from scipy.linalg import schur, solve_sylvester

    if not model.states:
        none = Part(model.A, model.B, model.C, model.A)
        return Split(none, none, 0)
    scale = model.scale
    reach, show = model.B / scale[:, None], model.C * scale
    poles, decaying = model.poles, model.decaying

    def dies(real: float, imaginary: float) -> bool:
        return bool(decaying[np.argmin(np.abs(poles - complex(real, imaginary)))])

    triangle, turn, count = schur(model.A * scale / scale[:, None], output="real", sort=dies)
    reach, show = turn.T @ reach, show @ turn
    first, second, between = triangle[:count, :count], triangle[count:, count:], triangle[:count, count:]
    apart = solve_sylvester(first, -second, -between) if between.size else np.zeros(between.shape)
    # With x1 = z1 + X x2 the two no longer touch: A1 X - X A2 + A12 = 0.
    reading = turn.T / scale
    gone = Part(
        first, reach[:count] - apart @ reach[count:], show[:, :count], reading[:count] - apart @ reading[count:]
    )
    rest = Part(second, reach[count:], show[:, count:] + show[:, :count] @ apart, reading[count:])
    left = _seen(rest, float(np.abs(reach).max(initial=0.0)), float(np.abs(show).max(initial=0.0)))
    return Split(gone, left, rest.size - left.size)


def _seen(part: Part, reach: float, show: float) -> Part:
    """The states that inputs reach and outputs show."""
    part = _turned(part, _reached(part.A, part.B, UNSEEN * reach))
    return _turned(part, _reached(part.A.T, part.C.T, UNSEEN * show))


def _turned(part: Part, basis: np.ndarray) -> Part:
    return Part(basis.T @ part.A @ basis, basis.T @ part.B, part.C @ basis, basis.T @ part.reading)


def _reached(matrix: np.ndarray, start: np.ndarray, tolerance: float) -> np.ndarray:
    """Orthonormal columns: the span of start, matrix start, matrix^2 start, ... (block Arnoldi)."""
    basis = np.zeros((len(matrix), 0))
    fresh, floor = start, tolerance
    size = float(np.linalg.norm(matrix, 2)) if matrix.size else 0.0
    while fresh.size and basis.shape[1] < len(matrix):
        for _ in range(2):
            fresh = fresh - basis @ (basis.T @ fresh)
        left, sizes, _ = np.linalg.svd(fresh, full_matrices=False)
        fresh = left[:, sizes > floor]
        if not fresh.shape[1]:
            break
        basis = np.concatenate([basis, fresh], axis=1)
        fresh, floor = matrix @ fresh, UNSEEN * size
    return basis
