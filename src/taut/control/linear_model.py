"""A LinearModel: four matrices with names, and what they are about."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np

from taut.errors import OptionError, suggestion

ROUND_OFF = 50.0 * np.finfo(float).eps

NOISE = 1e-12
"""Entries of A below this part of the largest say nothing about the size of states."""


@dataclass(frozen=True, repr=False)
class LinearModel:
    """x' = A x + B u + drift,  y = C x + D u; u and y are differences from what they are at the state it is about.

    states, inputs, outputs: names, in the order of rows and columns. SI units.
    drift: x' at x = 0: zero at an equilibrium. offset: the outputs at x = 0.
    about: the plant's coordinates and rates [q, v] there, and reading: x = reading ([q, v] - about) close to it.
    notes: sentences about what is not as one might think.
    """

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

    @cached_property
    def poles(self) -> np.ndarray:
        """(k,) eigenvalues of A [rad/s], the slowest first."""
        return self._spectrum[0]

    @cached_property
    def pole_error(self) -> np.ndarray:
        """(k,) by how much round-off in A may move each pole [rad/s]; large for poles that lie upon one another."""
        return self._spectrum[1]

    @cached_property
    def _spectrum(self) -> tuple[np.ndarray, np.ndarray]:
        from scipy.linalg import eig

        if not self.states:
            return np.zeros(0, dtype=complex), np.zeros(0)
        scale = self.scale
        evened = self.A * scale / scale[:, None]
        poles, left, right = eig(evened, left=True, right=True)
        overlap = np.abs(np.sum(left.conj() * right, axis=0))
        error = ROUND_OFF * np.linalg.norm(evened, 2) / np.maximum(overlap, np.finfo(float).eps)
        # Near a double pole the first-order bound is far too wide: the shift grows like the root of a change.
        error = np.minimum(error, np.sqrt(ROUND_OFF) * np.linalg.norm(evened, 2))
        order = np.lexsort((poles.imag, np.abs(poles)))
        return poles[order], error[order]

    @cached_property
    def scale(self) -> np.ndarray:
        """(k,) sizes of the states with which rows and columns of A are about as large as one another."""
        from scipy.linalg import matrix_balance

        # What is round-off must not count: a motion without stiffness would be scaled up until its round-off shows.
        clear = np.where(np.abs(self.A) > NOISE * np.abs(self.A).max(initial=0.0), self.A, 0.0)
        return np.asarray(np.diag(matrix_balance(clear, permute=False)[1]))

    @property
    def frequency(self) -> np.ndarray:
        """(k,) |pole| / 2 pi [Hz]: the undamped natural frequency of each pole."""
        return np.asarray(np.abs(self.poles) / (2.0 * np.pi))

    @property
    def damping_ratio(self) -> np.ndarray:
        """(k,) -Re / |pole|: 1 for no swing, 0 for no damping, negative for what grows."""
        size = np.abs(self.poles)
        return np.asarray(np.where(size > 0.0, -self.poles.real / np.where(size > 0.0, size, 1.0), 0.0))

    @property
    def decaying(self) -> np.ndarray:
        """(k,) which poles lie left of the imaginary axis by more than round-off could have put them there."""
        return np.asarray(self.poles.real < -self.pole_error)

    @property
    def stable(self) -> bool:
        """Whether every motion dies away."""
        return bool(np.all(self.decaying))

    def chosen(self, *, inputs: list[str] | None = None, outputs: list[str] | None = None) -> LinearModel:
        """The same model with some of its inputs and outputs, by name."""
        columns = self._places("inputs", inputs)
        rows = self._places("outputs", outputs)
        return replace(
            self,
            B=self.B[:, columns],
            C=self.C[rows],
            D=self.D[np.ix_(rows, columns)],
            inputs=tuple(self.inputs[k] for k in columns),
            outputs=tuple(self.outputs[k] for k in rows),
            offset=self.offset[rows] if self.offset.size else self.offset,
        )

    def _places(self, what: str, names: list[str] | None) -> list[int]:
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
        return control.ss(self.A, self.B, self.C, self.D, **names)

    def __repr__(self) -> str:
        size = f"{len(self.states)} states, {len(self.inputs)} inputs, {len(self.outputs)} outputs"
        return f"<LinearModel: {size}, {'stable' if self.stable else 'not stable'}>"
