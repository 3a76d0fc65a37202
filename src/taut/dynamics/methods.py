"""Explicit Runge-Kutta methods as data: one table each, with its order and where it comes from."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np

from taut.errors import OptionError, suggestion


class Tableau(NamedTuple):
    """What the stepping kernel reads: nodes c, weights a (strictly lower), b, and rows of error weights."""

    nodes: np.ndarray
    weights: np.ndarray
    result: np.ndarray
    errors: np.ndarray  # (0, 1 or 2 rows, stages)
    reuses_last: bool  # whether the last stage is the first of the next step


@dataclass(frozen=True)
class Method:
    """A named method. `error_order` is the order of the estimate that steers the step, None for a fixed step."""

    name: str
    order: int
    error_order: int | None
    citation: str
    nodes: tuple[float, ...]
    weights: tuple[tuple[float, ...], ...]
    result: tuple[float, ...]
    errors: tuple[tuple[float, ...], ...] = ()

    @property
    def adaptive(self) -> bool:
        return self.error_order is not None

    @cached_property
    def tableau(self) -> Tableau:
        stages = len(self.nodes)
        weights = np.zeros((stages, stages))
        for i, row in enumerate(self.weights):
            weights[i, : len(row)] = row
        result = np.array(self.result)
        return Tableau(
            np.array(self.nodes),
            weights,
            result,
            np.array(self.errors).reshape(-1, stages),
            bool(np.array_equal(weights[-1], result)),
        )


RK4 = Method(
    "rk4",
    order=4,
    error_order=None,
    citation="Kutta (1901), Zeitschrift fuer Mathematik und Physik 46",
    nodes=(0.0, 0.5, 0.5, 1.0),
    weights=((), (0.5,), (0.0, 0.5), (0.0, 0.0, 1.0)),
    result=(1 / 6, 1 / 3, 1 / 3, 1 / 6),
)

DP5 = Method(
    "dp5",
    order=5,
    error_order=4,
    citation="Dormand and Prince (1980), Journal of Computational and Applied Mathematics 6",
    nodes=(0.0, 1 / 5, 3 / 10, 4 / 5, 8 / 9, 1.0, 1.0),
    weights=(
        (),
        (1 / 5,),
        (3 / 40, 9 / 40),
        (44 / 45, -56 / 15, 32 / 9),
        (19372 / 6561, -25360 / 2187, 64448 / 6561, -212 / 729),
        (9017 / 3168, -355 / 33, 46732 / 5247, 49 / 176, -5103 / 18656),
        (35 / 384, 0.0, 500 / 1113, 125 / 192, -2187 / 6784, 11 / 84),
    ),
    result=(35 / 384, 0.0, 500 / 1113, 125 / 192, -2187 / 6784, 11 / 84, 0.0),
    errors=((71 / 57600, 0.0, -71 / 16695, 71 / 1920, -17253 / 339200, 22 / 525, -1 / 40),),
)

METHODS = {method.name: method for method in (RK4, DP5)}


def method_named(name: str) -> Method:
    if name not in METHODS:
        raise OptionError(f'method "{name}" is not one of {", ".join(METHODS)}{suggestion(name, METHODS)}')
    return METHODS[name]
