"""Variants each by itself, as lightly as can be: a run is made ready once a thread, and a variant overwrites its
numbers, is followed by one call of the time loop, and has read off what is wanted of it, and nothing else.

The motion is that of `simulate` to the last bit. What `simulate` looks at beside it is left out: collisions of members,
limits of drives, instants of events.
"""

from __future__ import annotations

import threading
from dataclasses import replace
from typing import Any

import numpy as np

from taut.dynamics import time_loop as loop
from taut.dynamics import workspace as at
from taut.dynamics.driver import drive, status_of
from taut.dynamics.ensemble_jobs import Job, Result
from taut.dynamics.methods.tableau import Impulses
from taut.dynamics.settings import prepared_run
from taut.dynamics.setup import Run, beginning, independence_notes
from taut.dynamics.simulating import told_by
from taut.dynamics.trajectory import Trajectory
from taut.dynamics.verdict import doubts
from taut.errors import ModelError
from taut.mechanics.batch import Variants
from taut.mechanics.contact.facts import contact_notes
from taut.mechanics.operations.observation import STATED, stated
from taut.mechanics.plant import Plant
from taut.numerics.packing import Pack, copied

KEPT = threading.local()
"""Of every thread, the job that it works at and what it has made ready for it."""


def goes_light(job: Job) -> bool:
    """Whether variants may share what is made ready: their rules hang on nothing that differs."""
    variants = job.variants
    return (
        isinstance(job.method, Impulses)
        and type(variants) is Variants
        and not variants.plant.things
        and job.wish.kind in ("none", None)
    )


class Prepared:
    """A run that one variant after another uses, and its tables before any of them did."""

    def __init__(self, job: Job) -> None:
        self.variants: Any = job.variants  # of one plant, as `goes_light` asks
        self.plant = job.variants.plant
        self.run = prepared_run(job.settings(self.plant))
        self.fresh: Pack = copied(self.run.tables)
        self.moved = self.starts_differ(job)
        self.states = np.zeros((0, 0))

    @staticmethod
    def starts_differ(job: Job) -> bool:
        variants = job.variants
        return bool(variants.positions.strides[0] or variants.velocities.strides[0])

    def of(self, k: int) -> Run:
        """The run of variant k, at its start."""
        variants, run = self.variants, self.run
        run.tables.reals[:], run.tables.integers[:] = self.fresh.reals, self.fresh.integers
        for room in run.space:
            room[:] = 0.0
        variants.fill(run.tables, k)
        if not self.moved:
            return run
        own = replace(self.plant, positions=variants.positions[k], velocities=variants.velocities[k])
        return replace(run, plant=own)

    def room(self, samples: int, state: int) -> np.ndarray:
        """For states, used again and again."""
        if self.states.shape != (samples, state):
            self.states = np.zeros((samples, state))
        return self.states


def prepared_for(job: Job) -> Prepared:
    """What this thread has made ready for a job."""
    if getattr(KEPT, "job", None) is not job:
        KEPT.job, KEPT.ready = job, Prepared(job)
    ready: Prepared = KEPT.ready
    return ready


def light(job: Job, group: range, result: Result) -> int:
    """Follow a group, one after another."""
    ready = prepared_for(job)
    for k in group:
        if result.interrupted():
            result.status[k] = "interrupted before it began"
            continue
        try:
            run = ready.of(k)
            point, _ = beginning(run, locate=False)
        except ModelError as error:
            result.status[k] = f"could not begin: {error}"
            continue
        states = ready.room(result.times.size, point.y.size)
        code, _, _ = drive(run, point, result.times, states, job.duration, None, result.interrupted)
        filled = int(point.counts[at.FILLED])
        seen = _seen(ready.plant, run, result, float(point.clock[at.REFERENCE]), states[:filled])
        result.keep(k, filled, seen)
        doubted = doubts(job.settings(ready.plant), states[:filled, : ready.plant.coordinates], seen.overall)
        result.sound[k] = not doubted
        result.notes[k] = (*independence_notes(run, point.clock), *contact_notes(run.plant, run.tables), *doubted)
        if code == loop.FINISHED:
            result.status[k] = "finished"
        else:
            alone = replace(run, plant=job.variants.single(k))
            result.status[k] = status_of(code, alone, point.clock, point.y)
    return group[-1]


def light_reading(job: Job, k: int, result: Result, states: np.ndarray, reference: float) -> Trajectory:
    """What is wanted of the states of variant k, wherever they were found. reference: its energy at the start [J]."""
    ready = prepared_for(job)
    return _seen(ready.plant, ready.of(k), result, reference, states)


def _seen(plant: Plant, run: Run, result: Result, reference: float, states: np.ndarray) -> Trajectory:
    """As much of the states as is wanted, and their energies, by which it is judged whether to believe them."""
    times, cheap = result.times[: len(states)], {*STATED, "work", "energy_violation"} >= set(result.fields)
    cheap = cheap and not plant.given.compliant_grounds
    seen = stated(plant, run.tables, times, states) if cheap else plant.observed(run.tables, times, states)
    return told_by(plant, times, states, reference, seen)
