"""What a time-stepping method is: a name, an order, where it comes from, and its numbers."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np


class Tableau(NamedTuple):
    """What the Runge-Kutta kernel reads; the rows of stages are k_0 ... k_{s-1}, the rate at the end, extra ones."""

    nodes: np.ndarray
    weights: np.ndarray
    result: np.ndarray
    errors: np.ndarray  # (0, 1 or 2 rows, stages)
    reuses_last: bool  # whether the last stage is the rate at the end, and so the first of the next step
    extra_nodes: np.ndarray  # stages that only the interpolant needs
    extra_weights: np.ndarray
    interpolant: np.ndarray  # (rows of stages, powers of x) weights as polynomials


class Composition(NamedTuple):
    """What the RATTLE kernel reads: the lengths of its substeps as fractions of the step."""

    fractions: np.ndarray


@dataclass(frozen=True)
class Method:
    """An explicit Runge-Kutta method. `error_order` is the order of what steers the step, None for a fixed step."""

    name: str
    order: int
    error_order: int | None
    citation: str
    nodes: tuple[float, ...]
    weights: tuple[tuple[float, ...], ...]
    result: tuple[float, ...]
    errors: tuple[tuple[float, ...], ...] = ()
    extra_nodes: tuple[float, ...] = ()
    extra_weights: tuple[tuple[float, ...], ...] = ()
    interpolant: tuple[tuple[float, ...], ...] = ()

    @property
    def adaptive(self) -> bool:
        return self.error_order is not None

    @property
    def stages(self) -> int:
        return len(self.nodes)

    @property
    def sample_stages(self) -> int:
        """Stages that the result alone needs."""
        return self.stages - int(self.numbers.reuses_last)

    @cached_property
    def rows(self) -> int:
        """Rows of work space that its stages take."""
        return max(len(self.nodes), len(self.interpolant))

    @cached_property
    def numbers(self) -> Tableau:
        stages = len(self.nodes)
        result = np.array(self.result)
        weights = _rectangle(self.weights, stages)
        return Tableau(
            nodes=np.array(self.nodes),
            weights=weights,
            result=result,
            errors=np.array(self.errors).reshape(-1, stages),
            reuses_last=bool(np.array_equal(weights[-1], result)),
            extra_nodes=np.array(self.extra_nodes),
            extra_weights=_rectangle(self.extra_weights, self.rows),
            interpolant=np.array(self.interpolant) if self.interpolant else np.zeros((0, 0)),
        )


@dataclass(frozen=True)
class Rattle:
    """RATTLE composed of symmetric substeps."""

    name: str
    order: int
    citation: str
    fractions: tuple[float, ...]
    adaptive: bool = False
    error_order: None = None
    rows: int = 1
    stages: int = 0
    sample_stages: int = 0

    @cached_property
    def numbers(self) -> Composition:
        return Composition(np.array(self.fractions))


def _rectangle(rows: tuple[tuple[float, ...], ...], columns: int) -> np.ndarray:
    filled = np.zeros((len(rows), columns))
    for i, row in enumerate(rows):
        filled[i, : len(row)] = row
    return filled
