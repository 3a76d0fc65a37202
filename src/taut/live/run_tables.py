"""A run as one pack beside the plant's: what the time loop is handed, in two flat arrays that a page can hold."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from taut.dynamics.methods.tableau import Impulses
from taut.dynamics.setup import Run
from taut.dynamics.trajectory import Checkpoint
from taut.mechanics.operations.outputs import columns
from taut.mechanics.plant import Plant
from taut.numerics.packing import Integers, Pack, Reals, packed, part


class Course(NamedTuple):
    """Method, rules, clock and states."""

    whole: Integers  # WHOLE
    numbers: Reals  # NUMBERS
    counts: Integers
    clock: Reals
    breaks: Reals
    y: Reals
    targets: Reals  # (1,)
    samples: Reals  # (1, state)
    weights: Reals  # of a Runge-Kutta method, else the fractions of the substeps
    lines: Reals
    held: Integers  # supported nodes
    times: Reals  # (1,) of what is shown
    pieces: Reals  # (1,)
    shown: Reals  # (1, state)


class Room(NamedTuple):
    """Work space, zero at the start but for `scratch`."""

    stages: Reals
    side: Reals
    vectors: Reals
    blend: Reals
    log: Reals
    scratch: Reals
    rates: Reals
    out: Reals  # (1, outputs)


COURSE, ROOM = 0, 1

ERROR_ORDER, STAGES, SAMPLE_STAGES, LEVEL, ITERATIONS, COORDINATES, ROWS, REUSES, STAGE_ROWS, LINES, WIDTH = range(11)
"""Places in `whole`."""

TOLERANCE, FIXED, LONGEST, CLOSE, ENERGY_CLOSE, TIME, YIELDING, THRESHOLD = range(8)
"""Places in `numbers`."""

YIELDS = 1e-3
"""`taut.dynamics.correction.YIELDING`, once something was done to the plant."""


def place(field: str) -> int:
    """A part of the run in the directory of its pack."""
    return part(COURSE, Course, field) if field in Course._fields else part(ROOM, Room, field)


def run_pack(run: Run, plant: Plant, point: Checkpoint) -> Pack:
    """A run where it begins."""
    rules, limits, space = run.rules, run.rules.limits, run.space
    numbers: Any = run.method.numbers
    impulses = isinstance(run.method, Impulses)
    weights, lines = (numbers.fractions, np.zeros(0)) if impulses else (numbers.weights, numbers.lines)
    shown = columns(plant.tables["springs"].stiffness.size, plant.rows, plant.held.size, plant.shown)
    course = Course(
        whole=np.array(
            [
                rules.error_order,
                rules.stages,
                rules.sample_stages,
                limits.level,
                limits.iterations,
                limits.coordinates,
                limits.rows,
                0 if impulses else int(numbers.reuses_last),
                space.stages.shape[0],
                0 if impulses else lines.shape[0],
                space.scratch.shape[1],
            ],
            dtype=np.int64,
        ),
        numbers=np.array(
            [
                rules.tolerance,
                rules.fixed,
                rules.longest,
                limits.tolerance,
                limits.energy_tolerance,
                limits.time,
                limits.yielding,
                limits.threshold,
            ]
        ),
        counts=point.counts,
        clock=point.clock,
        breaks=plant.breaks,
        y=point.y,
        targets=np.zeros(1),
        samples=point.y,
        weights=weights.ravel(),
        lines=lines.ravel(),
        held=plant.held.astype(np.int64),
        times=np.zeros(1),
        pieces=np.zeros(1),
        shown=point.y,
    )
    room = Room(
        stages=np.zeros(space.stages.size),
        side=np.zeros(space.side.size),
        vectors=np.zeros(space.vectors.size),
        blend=np.zeros(space.blend.size),
        log=np.zeros(space.log.size),
        scratch=space.scratch.ravel(),
        rates=np.zeros(2 * plant.coordinates + 1 + plant.internal.size),
        out=np.zeros(sum(shown.values())),
    )
    return packed({COURSE: course, ROOM: room})[0]
