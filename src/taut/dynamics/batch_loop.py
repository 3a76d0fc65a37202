"""Many variants stepped by one call: each in turn puts its numbers into the tables, and the time loop takes it on.

Variants of a thread share their tables and work space: all that a variant goes on from is its state, its clock, what
was commanded and what controllers remember, as with a checkpoint.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from taut.dynamics.correction import STARTED
from taut.dynamics.setup import Run
from taut.dynamics.time_loop import AWAITED, PAUSED
from taut.dynamics.workspace import CLOCK, COUNTS, FILLED, FRESH, HORIZON, LOGGED, REFERENCE, TIME
from taut.mechanics.imposed.commands import COMING
from taut.mechanics.imposed.controllers import MEMORY
from taut.mechanics.imposed.drives import STANDS
from taut.mechanics.plant import Plant
from taut.mechanics.tables import PIECE
from taut.mechanics.terms.springs import CRUSHED, DAMPS
from taut.numerics.compiled import address_of, direct, entry, inlined, kernel
from taut.numerics.packing import Pack, copied
from taut.numerics.pointers import all_of, done_by_kernel_at, number_by_kernel_at, row_of

BUDGET = 100_000
"""Steps of the method in one call of the time loop."""


class Numbers(NamedTuple):
    """Of N variants, a row each."""

    clocks: np.ndarray  # (N, clock)
    counts: np.ndarray  # (N, counts)
    states: np.ndarray  # (N, state)
    coming: np.ndarray  # (N, c) what was commanded
    memory: np.ndarray  # (N, m) what controllers remember
    varied: np.ndarray  # (N, p) numbers of the tables in which they differ
    flags: np.ndarray  # (N, f) whole ones
    readings: np.ndarray  # (N, s) what sensors show
    codes: np.ndarray  # (N,) how the last step ended
    pieces: np.ndarray  # (N,) a time inside the smooth piece in which its signals stand [s]


class Places(NamedTuple):
    """Where those that are kept in tables stand there."""

    coming: int
    memory: int
    varied: np.ndarray  # (p,)
    flags: np.ndarray  # (f,)
    stands: np.ndarray  # (2,) the time that drives were written for last; none without drives
    piece: int


def numbers_of(run: Run, plant: Plant, count: int) -> Numbers:
    """Room for them."""
    coming, memory = plant.coming(run.tables), plant.memory(run.tables)
    return Numbers(
        clocks=np.zeros((count, CLOCK)),
        counts=np.zeros((count, COUNTS), dtype=np.int64),
        states=np.zeros((count, run.space.vectors.shape[1])),
        coming=np.zeros((count, coming.size)),
        memory=np.zeros((count, memory.size)),
        varied=np.zeros((count, 0)),
        flags=np.zeros((count, 2), dtype=np.int64),
        readings=np.zeros((count, len(plant.sensor_names))),
        codes=np.zeros(count, dtype=np.int64),
        pieces=np.zeros(count),
    )


def places_of(run: Run, plant: Plant) -> Places:
    """Before anything differs."""
    begins = {part: int(run.tables.integers[2 * part]) for part in (COMING, MEMORY, DAMPS, CRUSHED, STANDS, PIECE)}
    return Places(
        coming=begins[COMING],
        memory=begins[MEMORY],
        varied=np.zeros(0, dtype=np.int64),
        flags=np.array([begins[DAMPS], begins[CRUSHED]], dtype=np.int64),
        stands=begins[STANDS] + np.arange(2 if "drives" in plant.tables else 0),
        piece=begins[PIECE],
    )


@kernel
def clean(plant: Any, fresh: Any, d: Any) -> None:
    """Tables and work space as nobody had used them."""
    reals, unused = all_of(plant.reals), all_of(fresh.reals)
    for i in range(plant.reals.size):
        reals[i] = unused[i]
    for i in range(plant.integers.size):
        plant.integers[i] = fresh.integers[i]
    _empty(all_of(d.stages), d.stages.size)
    _empty(all_of(d.side), d.side.size)
    _empty(all_of(d.vectors), d.vectors.size)
    _empty(all_of(d.scratch), d.scratch.size)


@inlined
def _empty(room: Any, size: int) -> None:
    for i in range(size):
        room[i] = 0.0


@entry
def advance_all(
    loop: int,
    look: int,
    plant: Any,
    fresh: Any,
    method: Any,
    rules: Any,
    breaks: np.ndarray,
    d: Any,
    numbers: Any,
    places: Any,
    who: np.ndarray,
    moves: int,
    targets: np.ndarray,
    samples: np.ndarray,
    budget: int,
) -> int:
    """Take these variants on to the times that their clocks say, or only look at them; returns how many did not get
    there. loop, look: addresses of the time loop and of what its plant measures with. fresh: tables that none of them
    has used."""
    reals, integers, failed = plant.reals, plant.integers, 0
    for m in range(who.size):
        k = who[m]
        clock, counts, y = row_of(numbers.clocks, k), row_of(numbers.counts, k), row_of(numbers.states, k)
        for j in range(places.varied.size):
            reals[places.varied[j]] = numbers.varied[k, j]
        for j in range(places.flags.size):
            integers[places.flags[j]] = numbers.flags[k, j]
        for j in range(numbers.coming.shape[1]):
            reals[places.coming + j] = numbers.coming[k, j]
        for j in range(numbers.memory.shape[1]):
            reals[places.memory + j] = numbers.memory[k, j]
        for j in range(places.stands.size):
            reals[places.stands[j]] = np.nan  # what is written there is another variant's
        if moves == 0:
            reals[places.piece] = numbers.pieces[k]
        if moves == 1:
            d.scratch[STARTED, 0] = clock[REFERENCE]
            targets[0], targets[1] = clock[TIME], clock[HORIZON]
            counts[FILLED], counts[FRESH], code = 0, 0, PAUSED
            while code == PAUSED:
                code = number_by_kernel_at(
                    loop, (plant, method, rules, breaks, clock, counts, y, targets, samples, d, budget)
                )
                counts[LOGGED] = 0  # nobody asks for events
            numbers.codes[k], numbers.pieces[k] = code, reals[places.piece]
            if code != AWAITED:
                failed += 1
                clean(plant, fresh, d)  # what is not finite would go on to the next
            for j in range(numbers.memory.shape[1]):
                numbers.memory[k, j] = reals[places.memory + j]
        if numbers.readings.shape[1] > 0:
            done_by_kernel_at(
                look, (Pack(integers, reals), round(1e9 * clock[TIME]), clock[TIME], y, row_of(numbers.readings, k))
            )
    return failed


class Stepper:
    """One thread's tables and work space, ready for any of the variants. fresh: its tables before a run began."""

    def __init__(self, run: Run, fresh: Pack, look: Callable[..., Any] | None) -> None:
        self.run, self.fresh, self.ready = run, fresh, copied(run.tables)
        state = run.space.vectors.shape[1]
        self._room = np.zeros(2), np.zeros((2, state))
        times, samples = self._room
        begun = (np.zeros(CLOCK), np.zeros(COUNTS, dtype=np.int64), np.zeros(state))
        known = (run.handed, run.method.numbers, run.rules, run.plant.breaks)
        seen = (run.tables, 0, 0.0, begun[2], np.zeros(0))
        self._addresses = (
            address_of(run.words["time_loop"], *known, *begun, times, samples, run.space, BUDGET),
            0 if look is None else address_of(look, *seen),
        )
        self._call: Callable[..., int] | None = None

    def __call__(self, numbers: Numbers, places: Places, who: np.ndarray, *, moves: bool) -> int:
        run = self.run
        given = (
            run.handed,
            self.ready,
            run.method.numbers,
            run.rules,
            run.plant.breaks,
            run.space,
            numbers,
            places,
            who,
        )
        args = (*self._addresses, *given, int(moves), *self._room, BUDGET)
        if self._call is None:
            self._call = direct(advance_all, *args)
        return int(self._call(*args))
