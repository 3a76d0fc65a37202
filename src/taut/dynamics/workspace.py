"""What the time loop works with: its clock and counts, its rules, and its work space."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from taut.dynamics.correction import Limits, scratch
from taut.numerics.lanes import aligned

CLOCK, COUNTS = 9, 14
"""Sizes of the clock and the counts, whose places follow; a checkpoint of other sizes is of another version."""

TIME, STEP, LAST_ERROR, REFERENCE, START, INDEPENDENCE, INDEPENDENCE_TIME, TICK, HORIZON = range(CLOCK)
"""Places in the clock: now [s], the next step [s], the last accepted error, energy minus work at the start [J], the
time from which fixed steps are counted, how and when the constraints were least independent, when a controller is due
next, and when whoever steps the run decides."""

STEPS, REJECTED, EVALUATIONS, ITERATIONS, UNBALANCED, GRID, PIECE, FRESH, FILLED, NOTED = range(10)
EVENTS, LOGGED, LAST_EVENT, PENDING = range(10, COUNTS)
"""Places in the counts: accepted steps, rejected ones, calls of `rate`, correction iterations, steps whose energy
could not be corrected, fixed steps from the start, current piece of the signals, whether the first stage is there,
in this call samples filled and steps noted in the history, located events, those of them in the log, which was the
last, and whether a break is reached that has not been crossed yet."""


class Rules(NamedTuple):
    """How to step. A fixed step has tolerance 0."""

    tolerance: float
    fixed: float
    longest: float
    error_order: int
    stages: int
    sample_stages: int  # enough for a result without an error estimate
    dense: bool
    limits: Limits


class Workspace(NamedTuple):
    """Work space of the loop; few arrays, as in `taut.dynamics.correction.scratch`."""

    stages: np.ndarray
    side: np.ndarray  # stages of the shorter steps that end on samples
    vectors: np.ndarray  # rows below
    blend: np.ndarray  # weights of the interpolant
    history: np.ndarray  # (rows, 4) time, step, error, 1 if accepted; no rows if not wanted
    log: np.ndarray  # (rows, 3) time, number of the event, what it is about does now; no rows if not watched
    scratch: np.ndarray


TRIAL, SAMPLE, ERROR, ZERO, WEAK = range(5)
"""Rows of a workspace's vectors: the end of a step, a sample, an error estimate, zeros, and the state at which the
constraints were least independent."""


def workspace(
    rows: int,
    state: int,
    coordinates: int,
    constraints: int,
    history: int,
    watched: int = 0,
    lanes: tuple[int, ...] = (),
) -> Workspace:
    """watched: how many events there can be at one instant. lanes: () for one plant, (WIDTH,) for as many in lanes."""
    return Workspace(
        stages=aligned(np.zeros((rows, state, *lanes))),
        side=aligned(np.zeros((rows, state, *lanes))),
        vectors=aligned(np.zeros((5, state, *lanes))),
        blend=np.zeros(rows),
        history=np.zeros((history, 4)),
        log=np.zeros((1000 + 2 * watched if watched else 0, 3)),
        scratch=aligned(scratch(coordinates, constraints, lanes)),
    )
