"""In place of `taut.dynamics.event_location` for steps that strike grounds: what is watched is noted at the end of the
step in which it comes. Velocities jump within such steps, so that there is no smooth motion to locate an instant on."""

from __future__ import annotations

from typing import Any

import numpy as np

from taut.dynamics.methods.tableau import Impulses
from taut.dynamics.operations import overdue, switch


def seek(
    plant: Any,
    method: Any,
    t: float,
    h: float,
    y: np.ndarray,
    stages: np.ndarray,
    side: np.ndarray,
    trial: np.ndarray,
    sample: np.ndarray,
    b: Any,
    wanted: int,
) -> tuple[int, float, int]:
    """What came in a step of h from y to trial: what stops the run or cuts members before what is only recorded."""
    event = overdue(plant, t + h, trial, -1, 1)
    return event if event >= 0 else overdue(plant, t + h, trial, -1, 0), h, 0


def happen(plant: Any, event: int, t: float, y: np.ndarray, log: np.ndarray, filled: int) -> tuple[int, int]:
    """Let an event happen, after all others of the step that are only recorded."""
    other = overdue(plant, t, y, -1, 0)
    while other >= 0 and filled + 1 < log.shape[0]:
        if other != event:
            filled = switch(plant, other, t, y, log, filled)[1]
        other = overdue(plant, t, y, other, 0)
    left, now = switch(plant, event, t, y, log, filled)
    return int(left), int(now)


def notes_at_steps(run: Any) -> tuple[str, ...]:
    """That times of watched events are those of steps, where a run has such."""
    watcher = run.plant.watcher
    watched = watcher.watched if watcher is not None and isinstance(run.method, Impulses) else ()
    if all(one.is_time for one in watched):
        return ()
    step = run.rules.fixed
    return (f"watched events are noted at the end of the step of {step:g} s in which they come, and not located",)
