"""Variants stepped side by side: sixteen that stand at one time go through one call of the time loop in lanes.

A lane has the bits of its plant alone, so that it does not matter who goes beside whom, nor who goes by himself
(`batch_loop.py`). Those whose clocks differ cannot share a call: whoever was set back goes with others that were.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from taut.dynamics.batch_loop import BUDGET, Numbers, Places, Stepper, clean
from taut.dynamics.correction import STARTED
from taut.dynamics.methods.tableau import Impulses, Rattle
from taut.dynamics.settings import Settings
from taut.dynamics.setup import Run, prepare_run
from taut.dynamics.time_loop import AWAITED, PAUSED
from taut.dynamics.workspace import (
    CLOCK,
    COUNTS,
    EVALUATIONS,
    FILLED,
    FRESH,
    GRID,
    HORIZON,
    PENDING,
    PIECE,
    REFERENCE,
    START,
    STEPS,
    TIME,
)
from taut.mechanics.batch import Variants, side_by_side
from taut.mechanics.capabilities import features_of, goes_in_lanes
from taut.mechanics.contact.responses import Responses
from taut.mechanics.plant import Plant
from taut.mechanics.tables import part_of
from taut.numerics.compiled import address_of, direct, entry
from taut.numerics.lanes import WIDTH, aligned
from taut.numerics.packing import copied
from taut.numerics.pointers import all_of, number_by_kernel_at, row_of, start_of

FEWEST = 8
"""Fewer that stand at one time take less time one after another: rows of lanes cost the same however few they serve."""

CLOCKED, COUNTED = [TIME, START, HORIZON], [GRID, PIECE, PENDING]
"""What those have in common that go side by side. All step at once, so that whoever stands at the same time has come
there by the same steps."""

ALIVE = part_of("responses", Responses, "alive")


class Room(NamedTuple):
    """What a group goes on from, as the time loop has it."""

    clock: np.ndarray
    counts: np.ndarray
    y: np.ndarray  # (state, WIDTH)
    targets: np.ndarray  # (2,)
    samples: np.ndarray  # (2, state, WIDTH)


@entry
def advance_groups(
    loop: int,
    plant: Any,
    ready: Any,
    method: Any,
    rules: Any,
    breaks: np.ndarray,
    d: Any,
    numbers: Any,
    places: Any,
    groups: np.ndarray,
    done: np.ndarray,
    alive: int,
    room: Any,
    budget: int,
) -> None:
    """Take groups of variants (g, WIDTH) on to the time that their clocks say; where one of a group does not get there
    none of them is changed. loop: the address of the time loop. ready: tables that none of them has used. done: (g,)
    whether each group got there. alive: where the tables say which lanes only fill up; negative where nobody asks."""
    reals, integers, y, started = all_of(plant.reals), plant.integers, all_of(room.y), row_of(d.scratch, STARTED)
    begun, size = all_of(started), room.y.shape[0]
    clock, counts = room.clock, room.counts
    for g in range(groups.shape[0]):
        first = groups[g, 0]
        for j in range(clock.size):
            clock[j] = numbers.clocks[first, j]
        for j in range(counts.size):
            counts[j] = numbers.counts[first, j]
        for j in range(places.flags.size):
            integers[places.flags[j]] = numbers.flags[first, j]
        bits = 1
        for lane in range(WIDTH):
            k = groups[g, lane]
            if lane > 0 and k != groups[g, lane - 1]:
                bits |= 1 << lane
            state = start_of(row_of(numbers.states, k))
            for j in range(size):
                y[WIDTH * j + lane] = state[j]
            for j in range(places.varied.size):
                reals[WIDTH * places.varied[j] + lane] = numbers.varied[k, j]
            for j in range(numbers.coming.shape[1]):
                reals[WIDTH * (places.coming + j) + lane] = numbers.coming[k, j]
            for j in range(places.stands.size):
                reals[WIDTH * places.stands[j] + lane] = np.nan  # what is written there is another's
            begun[lane] = numbers.clocks[k, REFERENCE]
        if alive >= 0:
            integers[alive] = bits
        room.targets[0], room.targets[1] = clock[TIME], clock[HORIZON]
        counts[FILLED], counts[FRESH], code = 0, 0, PAUSED
        while code == PAUSED:
            code = number_by_kernel_at(
                loop, (plant, method, rules, breaks, clock, counts, room.y, room.targets, room.samples, d, budget)
            )
        done[g] = 1 if code == AWAITED else 0
        if code != AWAITED:
            clean(plant, ready, d)
            continue
        steps = counts[STEPS] - numbers.counts[first, STEPS]
        evaluations = counts[EVALUATIONS] - numbers.counts[first, EVALUATIONS]
        for lane in range(WIDTH):
            k = groups[g, lane]
            if lane > 0 and k == groups[g, lane - 1]:
                break  # it only fills up
            state = start_of(row_of(numbers.states, k))
            for j in range(size):
                state[j] = y[WIDTH * j + lane]
            numbers.counts[k, STEPS] += steps
            numbers.counts[k, EVALUATIONS] += evaluations
            numbers.counts[k, GRID], numbers.counts[k, PIECE] = counts[GRID], counts[PIECE]
            numbers.counts[k, PENDING] = counts[PENDING]
            numbers.clocks[k, TIME] = clock[TIME]
            numbers.pieces[k] = reals[WIDTH * places.piece]
            numbers.codes[k] = code


def can_go_side_by_side(settings: Settings, plant: Plant) -> bool:
    """Whether a lane has the bits of its plant alone: corrections, and RATTLE, turn until the last lane is content."""
    sure = isinstance(settings.stepper, Impulses) or settings.correction.kind == "none"
    rattles = isinstance(settings.stepper, Rattle) and not isinstance(settings.stepper, Impulses)
    return sure and not rattles and not plant.ticks and goes_in_lanes(features_of(plant))


def lanes_run(settings: Settings, plant: Plant) -> Run:
    """A run of sixteen in lanes, ready for any of the variants."""
    starts = [np.broadcast_to(given, (WIDTH, *given.shape)) for given in (plant.positions, plant.velocities)]
    many = side_by_side(Variants(plant, WIDTH, starts[0], starts[1], {}), 0)
    wish, method = settings.correction, settings.stepper
    return prepare_run(many, method, wish, settings.tolerance, settings.step, dense=False, history=0)


class Worker:
    """What one thread steps variants with: side by side, and one after another."""

    def __init__(self, alone: Stepper, settings: Settings, plant: Plant) -> None:
        self.alone, self._settings, self._plant = alone, settings, plant
        self._lanes: LaneStepper | None = None

    def step(self, numbers: Numbers, places: Places, groups: np.ndarray, others: np.ndarray) -> int:
        """Take all of them on; returns how many did not get there. A group one of whom fails goes one by one."""
        if len(groups):
            if self._lanes is None:
                self._lanes = LaneStepper(lanes_run(self._settings, self._plant))
            done = self._lanes(numbers, places, groups)
            if not done.all():
                others = np.concatenate([np.unique(groups[~done]), others])
            if numbers.readings.shape[1]:
                self.alone(numbers, places, np.unique(groups[done]), moves=False)
        return self.alone(numbers, places, others, moves=True) if others.size else 0


class LaneStepper:
    """One thread's tables and work space for groups in lanes."""

    def __init__(self, run: Run) -> None:
        self.run, self._ready = run, copied(run.tables)
        state = run.space.vectors.shape[1]
        self._room = Room(
            np.zeros(CLOCK),
            np.zeros(COUNTS, dtype=np.int64),
            aligned(np.zeros((state, WIDTH))),
            np.zeros(2),
            aligned(np.zeros((2, state, WIDTH))),
        )
        known = (run.tables, run.method.numbers, run.rules, run.plant.breaks)
        self._loop = address_of(run.words["time_loop"], *known, *self._room, run.space, BUDGET)
        self._alive = int(run.tables.integers[2 * ALIVE]) if run.tables.integers[2 * ALIVE + 1] else -1
        self._call: Callable[..., None] | None = None

    def __call__(self, numbers: Numbers, places: Places, groups: np.ndarray) -> np.ndarray:
        """groups: (g, WIDTH). Returns which of them got there."""
        run, done = self.run, np.zeros(len(groups), dtype=np.int64)
        given = (run.tables, self._ready, run.method.numbers, run.rules, run.plant.breaks, run.space)
        args = (self._loop, *given, numbers, places, groups, done, self._alive, self._room, BUDGET)
        if self._call is None:
            self._call = direct(advance_groups, *args)
        self._call(*args)
        return np.asarray(done == 1)


def grouped(numbers: Numbers, who: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Groups (g, WIDTH) of those that stand at one time, the last one of each filled up by its last; and those who are
    too few to go side by side."""
    if who.size < FEWEST:
        return np.zeros((0, WIDTH), dtype=np.int64), who
    keys = [numbers.clocks[who][:, CLOCKED], numbers.counts[who][:, COUNTED], numbers.flags[who]]
    together = [who]
    if any((key != key[0]).any() for key in keys):
        _, place = np.unique(np.concatenate(keys, axis=1), axis=0, return_inverse=True)
        order = np.argsort(place.ravel(), kind="stable")
        together = np.split(who[order], np.flatnonzero(np.diff(place.ravel()[order])) + 1)
    elif who.size % WIDTH == 0:
        return who.reshape(-1, WIDTH), who[:0]
    groups, alone = list[np.ndarray](), list[np.ndarray]()
    for some in together:
        for first in range(0, some.size, WIDTH):
            few = some[first : first + WIDTH]
            (groups if few.size >= FEWEST else alone).append(few)
    full = np.array([np.append(few, np.repeat(few[-1:], WIDTH - few.size)) for few in groups], dtype=np.int64)
    return full.reshape(-1, WIDTH), np.concatenate([*alone, who[:0]])
