"""What an ensemble is to do, room for what comes of it, and the threads that do it.

Groups of variants are formed by their order alone, so that results do not depend on the number of threads.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from threading import Lock
from typing import Any

import numpy as np

from taut.dynamics.correction import Correction
from taut.dynamics.driver import Progress, SampleTimes
from taut.dynamics.ensemble_result import FIELDS, Ensemble
from taut.dynamics.interrupts import held_interrupts
from taut.dynamics.methods import method_for
from taut.dynamics.methods.tableau import Method, Rattle
from taut.dynamics.run_surroundings import surroundings
from taut.dynamics.settings import Settings
from taut.dynamics.setup import check_options
from taut.dynamics.simulating import DEFAULT_SAMPLES, correction_for, options_of
from taut.dynamics.trajectory import Trajectory
from taut.errors import OptionError, suggestion
from taut.mechanics.batch import Plants, Variants
from taut.mechanics.plant import Plant
from taut.structure.events import Event
from taut.structure.memory import memory_problem


@dataclass(frozen=True)
class Job:
    """Variants, and how they are followed."""

    variants: Variants | Plants
    method: Method | Rattle
    wish: Correction
    duration: float
    every: float
    tolerance: float
    step: float | None
    fields: tuple[str, ...]

    def settings(self, plant: Plant) -> Settings:
        return Settings(plant, self.method.name, self.tolerance, self.step, self.wish, dense=False, locate=False)

    @property
    def options(self) -> dict[str, Any]:
        """Of `simulate`, for one of them."""
        return {
            "verify": False,
            "method": self.method.name,
            "correction": self.wish,
            "every": self.every,
            "tolerance": self.tolerance,
            "step": self.step,
            "locate": None if self.method.adaptive else False,
        }


def job_of(
    variants: Variants | Plants,
    duration: float,
    *,
    every: float | None,
    method: str,
    tolerance: float,
    step: float | None,
    correction: Correction | str | None,
    fields: Iterable[str],
) -> Job:
    """Raises OptionError on the first option that makes no sense."""
    chosen = method_for(method, tolerance, step)
    wish = correction_for(correction, chosen)
    for one in variants.plants if isinstance(variants, Plants) else (variants.plant,):
        check_options(one, chosen, wish, duration, every, tolerance, step)
    kept = tuple(fields)
    unknown = [name for name in kept if name not in FIELDS]
    if unknown:
        raise OptionError(f'fields: "{unknown[0]}" is not one of a Trajectory{suggestion(unknown[0], FIELDS)}')
    return Job(variants, chosen, wish, duration, every or duration / DEFAULT_SAMPLES, tolerance, step, kept)


class Result:
    """Room for everything, filled by the groups wherever they run; threads fill rows of their own."""

    def __init__(self, job: Job, interrupted: Callable[[], bool]) -> None:
        times = SampleTimes(job.duration, job.every)
        count, nodes = job.variants.count, len(job.variants.plant.positions)
        if wrong := memory_problem(8e-9 * count * times.size * 3 * nodes):
            raise OptionError(f"{times.size} samples of {count} variants {wrong}; or take them further apart (every)")
        self.times, self.count, self.fields = times.part(0, times.size), count, dict.fromkeys(("nodes", *job.fields))
        self.interrupted = interrupted
        self.samples: dict[str, np.ndarray] = {"nodes": np.full((count, times.size, nodes, 3), np.nan)}
        self.lock = Lock()
        self.status = [""] * count
        self.notes: list[tuple[str, ...]] = [()] * count
        self.events: list[tuple[Event, ...]] = [()] * count
        self.sound = [True] * count

    def keep(self, k: int, filled: int, run: Trajectory | Mapping[str, np.ndarray]) -> None:
        """The first samples of a variant."""
        for name in self.fields:
            found = (run[name] if isinstance(run, Mapping) else getattr(run, name))[:filled]
            with self.lock:
                if name not in self.samples:
                    self.samples[name] = np.full((self.count, self.times.size, *found.shape[1:]), np.nan)
            self.samples[name][k, :filled] = found


Work = Callable[[Job, range, Result], int]
"""Follow the variants of a group and keep what comes of them; returns the number of the last."""


def followed(job: Job, work: Work, size: int, threads: int | None, progress: Progress | None) -> Result:
    """All variants, in groups of so many."""
    if threads is not None and threads < 1:
        raise OptionError(f"threads {threads} must be one or more")
    count = job.variants.count
    groups = [range(first, min(first + size, count)) for first in range(0, count, size)]
    with held_interrupts() as interrupted:
        result = Result(job, interrupted)
        with ThreadPoolExecutor(threads or os.cpu_count() or 1) as pool:
            for last in pool.map(lambda group: work(job, group, result), groups):
                if progress is not None:
                    progress(float(last + 1), float(count))
    return result


def gathered(job: Job, result: Result, varied: Mapping[str, np.ndarray], seeds: Sequence[int]) -> Ensemble:
    """What a job came to."""
    plant = job.variants.plant
    return Ensemble(
        plant.structure,
        result.times,
        {name: result.samples[name] for name in result.fields if name in result.samples},
        tuple(result.status),
        tuple(result.notes),
        tuple(result.events),
        tuple(result.sound),
        plant.load_names,
        plant.drive_names,
        plant.sensor_names,
        plant.contact_names,
        plant.element_outputs,
        {**options_of(job.method, job.wish, job.tolerance, job.step), "every": job.every, **surroundings(plant)},
        varied,
        tuple(seeds),
        tuple((one.structure, surroundings(one)) for one in job.variants.plants)
        if isinstance(job.variants, Plants)
        else (),
    )
