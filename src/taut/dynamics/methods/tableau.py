"""What a time-stepping method is: a name, an order, where it comes from, and its numbers."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np


class Tableau(NamedTuple):
    """What the Runge-Kutta kernel reads, R columns a row: stages k_0 ... k_{s-1}, the rate at the end, extra ones.

    Few arrays, because each one more that is handed from kernel to kernel takes time to compile and to run.
    """

    weights: np.ndarray  # (R, R) by stage; the extra ones only serve the interpolant
    lines: np.ndarray  # nodes, result, and 0, 1 or 2 rows of error weights
    interpolant: np.ndarray  # (R, powers of x) weights as polynomials
    stages: int
    reuses_last: bool  # whether the last stage is the rate at the end, and so the first of the next step


NODES, RESULT, ERRORS = 0, 1, 2
"""Where the lines are."""


class Staged(NamedTuple):
    """What the implicit kernel reads: a Tableau whose weights have a diagonal, and how closely stages are solved."""

    weights: np.ndarray
    lines: np.ndarray
    interpolant: np.ndarray
    stages: int
    reuses_last: bool
    tolerance: float


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
        stages, rows = len(self.nodes), self.rows
        weights, nodes = _rectangle(self.weights, rows, rows), np.zeros(rows)
        nodes[:stages] = self.nodes
        for i, (node, row) in enumerate(zip(self.extra_nodes, self.extra_weights, strict=True)):
            nodes[stages + 1 + i], weights[stages + 1 + i, : len(row)] = node, row
        lines = _rectangle((tuple(nodes), self.result, *self.errors), 2 + len(self.errors), rows)
        return Tableau(
            weights=weights,
            lines=lines,
            interpolant=np.array(self.interpolant) if self.interpolant else np.zeros((0, 0)),
            stages=stages,
            reuses_last=bool(np.array_equal(weights[stages - 1], lines[RESULT])),
        )


@dataclass(frozen=True)
class Implicit(Method):
    """A diagonally implicit Runge-Kutta method: first stage explicit, one diagonal, the last stage the result.

    tolerance: how closely stages are solved. Without `error_order` its steps are fixed.
    """

    tolerance: float = 1e-8

    @property
    def sample_stages(self) -> int:
        """All: the last one is the result."""
        return self.stages

    @property
    def rows(self) -> int:
        """One beyond the stages, for the change that Newton's method makes."""
        return self.stages + 1

    @cached_property
    def numbers(self) -> Staged:  # type: ignore[override]
        return Staged(*super().numbers, tolerance=self.tolerance)


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
    remainders: int = 1  # whether a state keeps those of its sums

    @cached_property
    def numbers(self) -> Composition:
        return Composition(np.array(self.fractions))


@dataclass(frozen=True)
class Impulses(Rattle):
    """RATTLE with contact impulses, one substep a step. What acts at its end may be what the next one begins with."""

    rows: int = 2
    stages: int = 2
    sample_stages: int = 1
    remainders: int = 0


@dataclass(frozen=True)
class EnergyMomentum(Rattle):
    """An implicit step that conserves energy and momentum, with contact impulses; RATTLE's for small steps."""


def _rectangle(rows: tuple[tuple[float, ...], ...], height: int, width: int) -> np.ndarray:
    filled = np.zeros((height, width))
    for i, row in enumerate(rows):
        filled[i, : len(row)] = row
    return filled
