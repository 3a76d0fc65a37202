"""Batches of a rollout as plain data, so that any executor can compute them: what a plant was assembled from, the
options, and the numbers of some variants. A worker assembles a plant once and keeps it for the batches that follow.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import Executor
from dataclasses import dataclass, replace
from math import ceil
from typing import Any

import numpy as np

from taut.dynamics.driver import Progress
from taut.dynamics.ensemble_jobs import Job, Result, followed, gathered, job_of
from taut.dynamics.ensemble_result import Ensemble
from taut.dynamics.ensembles import goes_in_lanes_with, lightly_in_lanes, one_by_one
from taut.dynamics.interrupts import held_interrupts
from taut.dynamics.light_runs import goes_light, light
from taut.errors import OptionError
from taut.executors import Lane, Lost, spread
from taut.mechanics.assemble import reassembled
from taut.mechanics.kinds import Given
from taut.mechanics.operations.event_words import Watched
from taut.mechanics.plant import Plant
from taut.mechanics.spec import Outside, outside_of
from taut.mechanics.varying.variation import varied_by
from taut.numerics.lanes import WIDTH

TRIES = 3
"""Of a batch whose process dies."""

WORTH = 1.0
"""[s] about what a batch takes, so that sending it, some 30 ms, does not count."""

A_STEP = 2e-6
"""[s] about what a step takes, of a robot of six struts in lanes."""

KEPT_PLANTS = 4
_PLANTS: dict[tuple[str, Outside], Plant] = {}

Reduce = Callable[[Ensemble], Mapping[str, np.ndarray]]
"""What is wanted of some variants: arrays by name, a row each."""


@dataclass(frozen=True)
class Order:
    """All that is the same for every batch.

    physics: the plant's fingerprint, which a worker's own has to have. options: those of `job_of`.
    reduce: what is wanted of an Ensemble, where not all of it.
    """

    given: Given
    things: tuple[Watched, ...]
    iterative: bool
    positions: np.ndarray
    velocities: np.ndarray
    physics: str
    duration: float
    options: Mapping[str, Any]
    reduce: Reduce | None = None

    def plant(self) -> Plant:
        """Assembled here, or before."""
        key = self.physics, outside_of(self.given.elements)
        if key not in _PLANTS:
            made = reassembled(self.given, self.things, iterative=self.iterative)
            if made.fingerprint != self.physics:
                raise OptionError(
                    "the plant that a worker assembled is another one: it has another version of taut, or the plant "
                    "was changed after it was assembled; give every worker the same version, and assemble it anew"
                )
            while len(_PLANTS) >= KEPT_PLANTS:
                _PLANTS.pop(next(iter(_PLANTS)))
            _PLANTS[key] = made
        return replace(_PLANTS[key], positions=self.positions, velocities=self.velocities)


def order_of(plant: Plant, duration: float, options: Mapping[str, Any], reduce: Reduce | None) -> Order:
    given = plant.given
    iterative = plant.spec.system == "minres"
    start = plant.positions, plant.velocities
    return Order(given, plant.things, iterative, *start, plant.fingerprint, duration, options, reduce)


@dataclass(frozen=True)
class Batch:
    """Some variants. rows: the numbers of each, by address."""

    order: Order
    first: int
    count: int
    rows: Mapping[str, np.ndarray]


@dataclass(frozen=True)
class Part:
    """What came of a batch; samples: as an Ensemble has them, or what they were reduced to."""

    samples: Mapping[str, np.ndarray]
    status: list[str]
    notes: list[tuple[str, ...]]
    sound: list[bool]


def job_for(plant: Plant, rows: Mapping[str, np.ndarray], count: int, duration: float, **options: Any) -> Job:
    return job_of(varied_by(plant, rows, count), duration, **options)


def rolled(job: Job, threads: int | None, progress: Progress | None) -> Result:
    """Each variant by the lightest way that gives its own bits, whoever goes beside it."""
    size, work = (
        (WIDTH, lightly_in_lanes) if goes_in_lanes_with(job) else (1, light) if goes_light(job) else (1, one_by_one)
    )
    return followed(job, work, size, threads, progress)


def computed(batch: Batch) -> Part:
    """A batch, wherever this is called."""
    return computed_with(batch.order.plant(), batch, 1)


def computed_with(plant: Plant, batch: Batch, threads: int | None) -> Part:
    order = batch.order
    job = job_for(plant, batch.rows, batch.count, order.duration, **order.options)
    result = rolled(job, threads, None)
    samples = {name: result.samples[name] for name in result.fields if name in result.samples}
    if order.reduce is not None:
        samples = dict(order.reduce(gathered(job, result, batch.rows, ())))
    return Part(samples, result.status, result.notes, result.sound)


def batch_size(duration: float, step: float | None, count: int) -> int:
    """How many variants are worth sending, a multiple of the lanes, so that those go together that always do."""
    cost = A_STEP * duration / (step or 1e-3)
    return min(WIDTH * max(1, ceil(WORTH / cost / WIDTH)), WIDTH * ceil(count / WIDTH))


def batches(order: Order, rows: Mapping[str, np.ndarray], count: int, size: int) -> Iterator[tuple[int, Batch]]:
    for first in range(0, count, size):
        some = min(size, count - first)
        yield first, Batch(order, first, some, {text: values[first : first + some] for text, values in rows.items()})


def sent(
    work: Iterator[tuple[int, Batch]],
    count: int,
    executor: Executor | Callable[[], Executor],
    progress: Progress | None,
) -> Iterator[tuple[Batch, Part | Lost]]:
    """Batches computed by an executor, as they are ready; those that were interrupted are missing."""
    given, done, lane = dict(work), 0, Lane(executor)
    try:
        with held_interrupts() as interrupted:
            for first, part in spread(given.items(), [lane], computed, interrupted, tries=TRIES):
                done += given[first].count
                if progress is not None:
                    progress(float(done), float(count))
                yield given[first], part
    finally:
        lane.close()


def here(
    plant: Plant, work: Iterator[tuple[int, Batch]], count: int, threads: int | None, progress: Progress | None
) -> Iterator[tuple[Batch, Part]]:
    """Batches computed in this process, one after another."""
    with held_interrupts() as interrupted:
        for first, batch in work:
            if interrupted():
                return
            yield batch, computed_with(plant, batch, threads)
            if progress is not None:
                progress(float(first + batch.count), float(count))


class Received:
    """Room for the parts of all batches; NaN and a status where none came."""

    def __init__(self, count: int) -> None:
        self.count = count
        self.samples: dict[str, np.ndarray] = {}
        self.status = ["interrupted before it began"] * count
        self.notes: list[tuple[str, ...]] = [()] * count
        self.sound = [True] * count

    def take(self, batch: Batch, part: Part | Lost) -> None:
        place = slice(batch.first, batch.first + batch.count)
        if isinstance(part, Lost):
            self.status[place] = [str(part)] * batch.count
            return
        for name, values in part.samples.items():
            if name not in self.samples:
                self.samples[name] = np.full((self.count, *values.shape[1:]), np.nan)
            self.samples[name][place] = values
        self.status[place], self.notes[place], self.sound[place] = part.status, part.notes, part.sound
