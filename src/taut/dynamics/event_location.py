"""Finding what happens within a step, to round-off, on the integrator's own step.

Within a step the equations are smooth: whatever can change at an instant (a cable that slackens) is kept as it is for
the length of the step, and only afterwards is looked at whether it should have changed. Then the step is taken again,
shorter, until it ends at the very instant; there the change is made, and the next step begins afresh.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from taut.dynamics.operations import crossing, due, margin, row, switch
from taut.dynamics.stepping import advance
from taut.numerics.vectors import put

TRIES = 60
EARLIER = 20
"""How often an event may turn out to come after another one of the same step."""

AT_ONCE = 1e-14
"""Of a step or of the time: no step is shorter, so what happens within it happens at its start."""


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
    """The first event of a step of h from y to trial: its number, after how long, and how many rates it took.

    `trial` becomes the state at that instant; without an event the number is -1 and all stays as it is.
    """
    event, place, later = crossing(plant, t, h, y, trial, -1)
    found, evaluations = -1, 0
    for _ in range(EARLIER):
        if event < 0:
            return found, h, evaluations
        least = AT_ONCE * max(abs(t), h)
        low, high = 0.0, later * h
        reached = high
        below = max(margin(plant, t, event, y)[0], 1.0)
        if later < 1.0:
            put(row(side, 0), row(stages, 0))
            evaluations += advance(plant, method, t, high, y, side, sample, b, wanted)
            above = margin(plant, t + high, event, sample)[0]
            if above >= -1.0:  # it only touches
                event, place, later = crossing(plant, t, h, y, trial, event)
                continue
        else:
            put(sample, trial)
            above = margin(plant, t + high, event, trial)[0]
        at, turn = min(max(place * h, 0.01 * high), 0.99 * high), 0
        for _ in range(TRIES):
            if high - low <= least:
                break
            put(row(side, 0), row(stages, 0))
            evaluations += advance(plant, method, t, at, y, side, sample, b, wanted)
            reached = at
            room, speed = margin(plant, t + at, event, sample)
            if abs(room) <= 0.25:
                break
            # Newton's step where it stays between, regula falsi else; where one end stays its weight is halved.
            if room > 0.0:
                low, below = at, room
                above = 0.5 * above if turn == 1 else above
                turn = 1
            else:
                high, above = at, room
                below = 0.5 * below if turn == -1 else below
                turn = -1
            newton = at - room / speed if speed < 0.0 else high
            if low < newton < high:
                if abs(newton - at) <= least:
                    break
                at = newton
            else:
                share = below / (below - above)
                at = low + (high - low) * min(max(share, 0.01), 0.99)
        if reached <= least:
            return event, 0.0, evaluations
        found, h = event, reached
        put(trial, sample)
        event, place, later = crossing(plant, t, h, y, trial, found)
    return found, h, evaluations


def coming(plant: Any, t: float) -> int:
    """A watched time that has come; -1 if there is none."""
    return int(due(plant, t))


def happen(plant: Any, event: int, t: float, y: np.ndarray, log: np.ndarray, filled: int) -> tuple[int, int]:
    """Let an event happen; returns what is left to do about it, and how much of the log is filled."""
    left, now = switch(plant, event, t, y, log, filled)
    return int(left), int(now)
