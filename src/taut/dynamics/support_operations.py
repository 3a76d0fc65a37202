"""Operations (`operations.py`) of supports that move in a step with impulses, as what they mean where supports stand
still: nothing."""

from __future__ import annotations

from typing import Any

import numpy as np

from taut.numerics.compiled import woven


def even_supports(plant: Any, end: float, h: float, y: np.ndarray, trial: np.ndarray) -> None:
    """Let supports that move go evenly through a step of h from y, and put them where they are at its end.

    Like the next two this is what it means where supports stand still.
    """


def lead_supports(plant: Any, h: float, before: np.ndarray, trial: np.ndarray, force: np.ndarray) -> None:
    """Take out of the force of half a step of h what the change of the supports' velocities asks of the masses."""


def support_work(
    plant: Any, h: float, place: np.ndarray, before: np.ndarray, trial: np.ndarray, force: np.ndarray
) -> float:
    """Work of supports in half a step of h [J]; place: a state where the projection was prepared."""
    return 0.0


@woven
def _even(plant: Any, end: float, h: float, y: np.ndarray, trial: np.ndarray) -> None:
    """The same in kernels."""


@woven
def _lead(plant: Any, h: float, before: np.ndarray, trial: np.ndarray, force: np.ndarray) -> None:
    """The same in kernels."""


@woven
def _work(plant: Any, h: float, place: np.ndarray, before: np.ndarray, trial: np.ndarray, force: np.ndarray) -> float:
    """The same in kernels."""
    return 0.0


STANDING: dict[str, Any] = {one.__name__: one for one in (even_supports, lead_supports, support_work)}
STANDING_KERNELS: dict[str, Any] = {"even_supports": _even, "lead_supports": _lead, "support_work": _work}
