"""The operations (`operations.py`) that steps with impulses ask of plants that strike grounds, and of supports that
move. Some mean nothing for other plants, and stand here as that."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from taut.numerics.called import Matrix
from taut.numerics.compiled import kernel, woven


def begin_contacts(plant: Any, y: np.ndarray) -> None:
    """Take the contact forces of the last step out of a state; no contact is closed yet.

    This is what it means for plants without grounds; the next seven are asked of plants with grounds only.
    """


@woven
def _begin_nothing(plant: Any, y: np.ndarray) -> None:
    """The same in kernels."""


def resume_contacts(plant: Any, y: np.ndarray, afresh: bool) -> None:
    """The same, with `project` made ready and what touches closed; kept from the last step where nothing has changed.

    afresh: whether more than positions may have.
    """
    raise NotImplementedError


def move_apart(plant: Any, h: float, y: np.ndarray, trial: np.ndarray) -> int:
    """Bring the end of a move of h, and its velocities, onto constraints and out of all grounds; 0 if that fails."""
    raise NotImplementedError


def accelerate(plant: Any, force: np.ndarray, out: np.ndarray) -> None:
    """out = W^-1 (force - G^T l), with any l."""
    raise NotImplementedError


def keep_rates(plant: Any, y: np.ndarray) -> None:
    """Take out of the velocities what would change constraints, after `prepare_projection`."""
    raise NotImplementedError


def foresee(plant: Any, y: np.ndarray, trial: np.ndarray) -> None:
    """Make of the velocities of a move from y those at its end, as far as they can be known before."""
    raise NotImplementedError


def strike(plant: Any, y: np.ndarray, moved: np.ndarray, trial: np.ndarray) -> int:
    """Change the velocities at the end of a step so that nothing goes on into a ground, and bounces as it came."""
    raise NotImplementedError


def book_contacts(plant: Any, before: np.ndarray, trial: np.ndarray) -> float:
    """Add the impulses found to those of the step; returns their work."""
    raise NotImplementedError


def leave_forces(plant: Any, h: float, trial: np.ndarray) -> None:
    """Leave the contact forces of a step in the state at its end; none for plants without grounds."""


@woven
def _leave_nothing(plant: Any, h: float, trial: np.ndarray) -> None:
    """The same in kernels."""


def note_contacts(plant: Any, t: float, y: np.ndarray, trial: np.ndarray, log: Matrix, filled: int) -> int:
    """Log what contacts do from a step on that is kept; returns how much of the log is filled.

    This is what it means for plants without grounds.
    """
    return filled


@kernel
def _note_nothing(plant: Any, t: float, y: np.ndarray, trial: np.ndarray, log: Matrix, filled: int) -> int:
    """The same in kernels."""
    return filled


def even_supports(plant: Any, end: float, h: float, y: np.ndarray, trial: np.ndarray) -> None:
    """Let supports that move go evenly through a step of h from y, and put them where they are at its end.

    This and the next two are what they mean where supports stand still.
    """


def lead_supports(plant: Any, h: float, before: np.ndarray, trial: np.ndarray, force: np.ndarray) -> None:
    """Take out of the force of half a step of h what the change of the supports' velocities asks of the masses."""


def support_work(
    plant: Any, h: float, place: np.ndarray, before: np.ndarray, trial: np.ndarray, force: np.ndarray
) -> float:
    """Work of supports in half a step of h [J]; place: a state where the projection was prepared."""
    return 0.0


@woven
def _even_nothing(plant: Any, end: float, h: float, y: np.ndarray, trial: np.ndarray) -> None:
    """The same in kernels."""


@woven
def _lead_nothing(plant: Any, h: float, before: np.ndarray, trial: np.ndarray, force: np.ndarray) -> None:
    """The same in kernels."""


@woven
def _no_work(
    plant: Any, h: float, place: np.ndarray, before: np.ndarray, trial: np.ndarray, force: np.ndarray
) -> float:
    """The same in kernels."""
    return 0.0


CONTACT_UNASKED: Mapping[Callable[..., Any], Callable[..., Any]] = {
    begin_contacts: _begin_nothing,
    leave_forces: _leave_nothing,
    note_contacts: _note_nothing,
    even_supports: _even_nothing,
    lead_supports: _lead_nothing,
    support_work: _no_work,
}
"""What plants do not have to have: functions that do nothing, and the same as kernels."""
