"""What continuous and sampled linear models have in common: four matrices with names, poles and how sure they are."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, NamedTuple, Self

import numpy as np

from taut.errors import OptionError, suggestion

ROUND_OFF = 50.0 * np.finfo(float).eps

NOISE = 1e-12
"""Entries of A below this part of the largest say nothing about the size of states."""


class Eigen(NamedTuple):
    """Eigenvalues of A, the slowest first, and its eigenvectors as columns, with the states scaled as in `scale`."""

    poles: np.ndarray  # (k,)
    left: np.ndarray  # (k, k)
    right: np.ndarray  # (k, k)
    error: np.ndarray  # (k,) by how much round-off in A may move each


@dataclass(frozen=True, repr=False)
class StateSpace(ABC):
    """A, B, C, D with names; what they mean is said by the two kinds of model."""

    A: np.ndarray  # (k, k)
    B: np.ndarray  # (k, m)
    C: np.ndarray  # (p, k)
    D: np.ndarray  # (p, m)
    states: tuple[str, ...]
    inputs: tuple[str, ...]
    outputs: tuple[str, ...]
    drift: np.ndarray = field(default_factory=lambda: np.zeros(0))
    offset: np.ndarray = field(default_factory=lambda: np.zeros(0))
    about: np.ndarray = field(default_factory=lambda: np.zeros(0))
    reading: np.ndarray = field(default_factory=lambda: np.zeros((0, 0)))
    notes: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        sizes = {"A": (self.states, self.states), "B": (self.states, self.inputs)}
        sizes |= {"C": (self.outputs, self.states), "D": (self.outputs, self.inputs)}
        for name, (rows, columns) in sizes.items():
            found, wanted = np.shape(getattr(self, name)), (len(rows), len(columns))
            if found != wanted:
                raise OptionError(f"{name} has the shape {found}, but the names make it {wanted}")

    @property
    @abstractmethod
    def decaying(self) -> np.ndarray:
        """(k,) which poles die away by more than round-off could have moved them."""

    @property
    @abstractmethod
    def sample_time(self) -> float:
        """[s]; zero for what is continuous."""

    @abstractmethod
    def speeds(self, poles: np.ndarray) -> np.ndarray:
        """Poles of such a model as those of a continuous one [rad/s]."""

    @cached_property
    def eigen(self) -> Eigen:
        """The eigenvalues and eigenvectors of A with its states scaled."""
        from scipy.linalg import eig

        size = len(self.states)
        if not size:
            return Eigen(np.zeros(0, dtype=complex), np.zeros((0, 0)), np.zeros((0, 0)), np.zeros(0))
        scale = self.scale
        evened = self.A * scale / scale[:, None]
        poles, left, right = eig(evened, left=True, right=True)
        overlap = np.abs(np.sum(left.conj() * right, axis=0))
        error = ROUND_OFF * np.linalg.norm(evened, 2) / np.maximum(overlap, np.finfo(float).eps)
        # Near a double pole the first-order bound is far too wide: the shift grows like the root of a change.
        error = np.minimum(error, np.sqrt(ROUND_OFF) * np.linalg.norm(evened, 2))
        order = self.slowest_first(poles)
        return Eigen(poles[order], left[:, order], right[:, order], error[order])

    @property
    def poles(self) -> np.ndarray:
        """(k,) eigenvalues of A, the slowest first."""
        return self.eigen.poles

    @property
    def pole_error(self) -> np.ndarray:
        """(k,) by how much round-off in A may move each pole; large for poles that lie upon one another."""
        return self.eigen.error

    @property
    def stable(self) -> bool:
        """Whether every motion dies away."""
        return bool(np.all(self.decaying))

    @cached_property
    def scale(self) -> np.ndarray:
        """(k,) sizes of the states with which rows and columns of A are about as large as one another."""
        return balancing(self.A)

    def slowest_first(self, poles: np.ndarray) -> np.ndarray:
        """The order of some poles of such a model."""
        return np.lexsort((poles.imag, np.abs(self.speeds(poles))))

    def chosen(self, *, inputs: list[str] | None = None, outputs: list[str] | None = None) -> Self:
        """The same model with some of its inputs and outputs, by name."""
        columns = self.places("inputs", inputs)
        rows = self.places("outputs", outputs)
        return replace(
            self,
            B=self.B[:, columns],
            C=self.C[rows],
            D=self.D[np.ix_(rows, columns)],
            inputs=tuple(self.inputs[k] for k in columns),
            outputs=tuple(self.outputs[k] for k in rows),
            offset=self.offset[rows] if self.offset.size else self.offset,
        )

    def places(self, what: str, names: Sequence[str] | None) -> list[int]:
        """Where some of the "states", "inputs" or "outputs" stand; all for None."""
        known: tuple[str, ...] = getattr(self, what)
        if names is None:
            return list(range(len(known)))
        for name in names:
            if name not in known:
                hint = suggestion(name, known) or f"; there are {', '.join(known[:6])}"
                raise OptionError(f'the model has no {what[:-1]} "{name}"{hint}')
        return [known.index(name) for name in names]

    def to_control(self) -> Any:
        """A `control.StateSpace` of python-control with the same names, in which "." becomes "/"."""
        try:
            import control
        except ImportError:
            raise OptionError(
                'python-control is not installed; pip install "taut[control]" (or pip install control)'
            ) from None
        names = {what: [n.replace(".", "/") for n in getattr(self, what)] for what in ("states", "inputs", "outputs")}
        return control.ss(self.A, self.B, self.C, self.D, dt=self.sample_time, **names)

    def __repr__(self) -> str:
        size = f"{len(self.states)} states, {len(self.inputs)} inputs, {len(self.outputs)} outputs"
        return f"<{type(self).__name__}: {size}, {'stable' if self.stable else 'not stable'}>"


def balancing(matrix: np.ndarray) -> np.ndarray:
    """(k,) sizes by which rows and columns of a matrix become about as large as one another."""
    from scipy.linalg import matrix_balance

    # What is round-off must not count: a motion without stiffness would be scaled up until its round-off shows.
    clear = np.where(np.abs(matrix) > NOISE * np.abs(matrix).max(initial=0.0), matrix, 0.0)
    return np.asarray(np.diag(matrix_balance(clear, permute=False)[1]))
