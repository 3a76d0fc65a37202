"""The operations that steps which conserve energy ask of a plant beside those of `operations.py`."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from taut.numerics.compiled import kernel, woven


def press(plant: Any, h: float, y: np.ndarray, trial: np.ndarray) -> None:
    """Change the velocities of a move of h and its end, so that it ends in no ground, by the matrix factored last.

    This and the next two are what they mean for plants without grounds.
    """


@woven
def _press_nothing(plant: Any, h: float, y: np.ndarray, trial: np.ndarray) -> None:
    """The same in kernels."""


def book_press(plant: Any, trial: np.ndarray) -> float:
    """Keep what grounds pressed with during a move; returns the work of that."""
    return 0.0


@kernel
def _book_nothing(plant: Any, trial: np.ndarray) -> float:
    """The same in kernels."""
    return 0.0


def settle_contacts(plant: Any, y: np.ndarray, trial: np.ndarray) -> float:
    """Change velocities at the end of a step so that nothing goes on into a ground, and bounces as it came; returns the
    work of that."""
    return 0.0


@kernel
def _settle_nothing(plant: Any, y: np.ndarray, trial: np.ndarray) -> float:
    """The same in kernels."""
    return 0.0


def secant_residual(
    plant: Any, t: float, middle: np.ndarray, h: float, y: np.ndarray, trial: np.ndarray, out: np.ndarray
) -> float:
    """out = what is left of the balance of the first half of a step; returns the work of what is not conservative.

    This and the next five are asked of plants whose steps conserve energy only; `middle` is the state halfway.
    """
    raise NotImplementedError


def factor_secant(plant: Any, t: float, middle: np.ndarray, h: float, y: np.ndarray, trial: np.ndarray) -> int:
    """Make `solve_newton` and `press` ready for a step of h from y to trial; negative if that fails."""
    raise NotImplementedError


def secant_change(plant: Any, h: float, before: np.ndarray, trial: np.ndarray) -> float:
    """How much the velocities of a move of h changed, as a fraction of the largest."""
    raise NotImplementedError


def count_effort(plant: Any, iterations: int, left: float) -> None:
    """Remember how many iterations a step took; left: the last change where it did not converge, else 0."""
    raise NotImplementedError


def gives_way(plant: Any, trial: np.ndarray) -> bool:
    """Whether velocities are to meet the constraints and contacts at the end of a step, at the cost of energy."""
    raise NotImplementedError


def meet_rates(plant: Any, trial: np.ndarray) -> float:
    """Let velocities meet the constraints, after `prepare_projection`; returns the work of that."""
    raise NotImplementedError


UNASKED: Mapping[Callable[..., Any], Callable[..., Any]] = {
    press: _press_nothing,
    book_press: _book_nothing,
    settle_contacts: _settle_nothing,
}
"""What plants without grounds do not have: functions that do nothing, and the same as kernels."""
