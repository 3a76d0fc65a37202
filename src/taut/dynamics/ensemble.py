"""`ensemble`: many variants of one plant followed at once, arrays in and arrays out.

With a method of equal steps variants go through the time loop in lanes, sixteen in one kernel, without locating events;
with an adaptive one each by itself, since lanes would all have to take the steps of the one that needs the shortest
(measured: sixteen robots with cables that slacken, dp8, four times slower). Either way they are spread over threads.
Groups are formed by the variants' order alone, so results do not depend on the number of threads.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any

import numpy as np

from taut.dynamics import time_loop as loop
from taut.dynamics import workspace as at
from taut.dynamics.correction import Correction
from taut.dynamics.driver import Progress, drive, sample_times, status_of
from taut.dynamics.interrupts import held_interrupts
from taut.dynamics.methods import method_for
from taut.dynamics.methods.tableau import Implicit, Method, Rattle
from taut.dynamics.setup import beginning, check_options, independence_notes, prepare_run
from taut.dynamics.simulate import DEFAULT_SAMPLES, correction_for, simulate
from taut.errors import ModelError, OptionError
from taut.mechanics.batch import Variants, varied
from taut.mechanics.plant import Plant
from taut.numerics.lanes import WIDTH
from taut.structure.scenario import Signal
from taut.structure.structure import Structure


@dataclass(frozen=True, repr=False)
class Ensemble:
    """Samples of N variants over time; what a variant that failed did not reach is NaN, and its status says why."""

    structure: Structure
    time: np.ndarray  # (T,)
    nodes: np.ndarray  # (N, T, n, 3)
    velocities: np.ndarray  # (N, T, n, 3)
    status: tuple[str, ...]
    notes: tuple[tuple[str, ...], ...]  # what is to be said of each, as in a Trajectory

    @property
    def ok(self) -> np.ndarray:
        """(N,) whether each variant finished."""
        return np.array([status.startswith("finished") for status in self.status])

    def __repr__(self) -> str:
        return f"<Ensemble of {len(self.status)} variants, {self.time.size} samples, {int(self.ok.sum())} finished>"


def ensemble(
    plant: Plant,
    duration: float,
    *,
    positions: np.ndarray | None = None,
    velocities: np.ndarray | None = None,
    rest_length: np.ndarray | None = None,
    stiffness: np.ndarray | None = None,
    damping: np.ndarray | None = None,
    loads: Sequence[Sequence[Signal]] | None = None,
    every: float | None = None,
    method: str = "dp5",
    tolerance: float = 1e-8,
    step: float | None = None,
    correction: Correction | str | None = None,
    threads: int | None = None,
    progress: Progress | None = None,
) -> Ensemble:
    """Follow variants of a plant for a duration [s]; arrays have one row a variant, what is not given is the plant's.

    positions [m], velocities [m/s]: (N, n, 3), brought onto the constraints as in `simulate`.
    rest_length [m], stiffness [N/m], damping [N s/m]: (N, c), of the cables. Damping in proportion to the stiffness
        stays as the plant has it.
    loads: for each variant one signal a load, of the same kinds and with the same jumps as the plant's.
    every, method, tolerance, step, correction: as in `simulate`.
    threads: as many as there are processors by default. progress: called with variants done and their number.
    """
    parts = {"rest_length": rest_length, "stiffness": stiffness, "damping": damping}
    variants = varied(plant, positions=positions, velocities=velocities, cables=parts, loads=loads)
    chosen = method_for(method, tolerance, step)
    wish = correction_for(correction, chosen)
    check_options(plant, chosen, wish, duration, every, tolerance, step)
    if isinstance(chosen, Rattle) and damping is not None and np.any(damping):
        raise OptionError(f'method "{method}" is for motion without damping; use another, or leave the damping out')
    if threads is not None and threads < 1:
        raise OptionError(f"threads {threads} must be one or more")
    every = every or duration / DEFAULT_SAMPLES
    result = _Result(sample_times(duration, every), variants)
    with held_interrupts() as interrupted:
        job = _Job(variants, chosen, wish, duration, every, tolerance, step, interrupted)
        # Lanes have kernels neither for a mass matrix that changes nor for implicit steps or events.
        alone = chosen.adaptive or isinstance(chosen, Implicit) or not plant.constant_mass or bool(plant.things)
        size, work = (1, _one_by_one) if alone else (WIDTH, _in_lanes)
        groups = [range(first, min(first + size, variants.count)) for first in range(0, variants.count, size)]
        with ThreadPoolExecutor(threads or os.cpu_count() or 1) as pool:
            for last in pool.map(lambda group: work(job, group, result), groups):
                if progress is not None:
                    progress(float(last + 1), float(variants.count))
    return Ensemble(
        plant.structure, result.times, result.nodes, result.velocities, tuple(result.status), tuple(result.notes)
    )


class _Result:
    """Room for everything, filled by the groups wherever they run."""

    def __init__(self, times: np.ndarray, variants: Variants) -> None:
        shape = (variants.count, times.size, len(variants.plant.positions), 3)
        self.times = times
        self.nodes, self.velocities = np.full(shape, np.nan), np.full(shape, np.nan)
        self.status = [""] * variants.count
        self.notes: list[tuple[str, ...]] = [()] * variants.count


@dataclass(frozen=True)
class _Job:
    variants: Variants
    method: Method | Rattle
    wish: Correction
    duration: float
    every: float
    tolerance: float
    step: float | None
    interrupted: Callable[[], bool]

    @property
    def options(self) -> dict[str, Any]:
        return {
            "method": self.method.name,
            "correction": self.wish,
            "every": self.every,
            "tolerance": self.tolerance,
            "step": self.step,
            "locate": None if self.method.adaptive else False,
        }


def _in_lanes(job: _Job, group: range, result: _Result) -> int:
    """Follow a group in lanes; where one of them fails, each by itself, so that the others are not lost."""
    if job.interrupted():
        return _one_by_one(job, group, result)
    plant = job.variants.together(group.start)
    run = prepare_run(plant, job.method, job.wish, job.tolerance, job.step, dense=False, history=0)
    try:
        point, _ = beginning(run)
    except ModelError:
        return _one_by_one(job, group, result)
    states = np.zeros((result.times.size, *point.y.shape))
    code, _, _ = drive(run, point, result.times, states, job.duration, None, job.interrupted)
    if code not in (loop.FINISHED, None):
        return _one_by_one(job, group, result)
    filled, size = int(point.counts[at.FILLED]), plant.coordinates
    said = [*independence_notes(run, point.clock)]
    if point.counts[at.UNBALANCED]:
        said.append(f"the correction gave up on {point.counts[at.UNBALANCED]} states")
    notes = tuple(f"of variants {group[0]} to {group[-1]} together: {note}" for note in said)
    for lane, k in enumerate(group):
        result.nodes[k, :filled] = states[:filled, :size, lane].reshape(filled, size // 3, 3)
        result.velocities[k, :filled] = states[:filled, size : 2 * size, lane].reshape(filled, size // 3, 3)
        result.status[k], result.notes[k] = status_of(code, run, point.clock), notes
    return group[-1]


def _one_by_one(job: _Job, group: range, result: _Result) -> int:
    def heed(now: float, end: float) -> None:
        if job.interrupted():
            raise KeyboardInterrupt

    for k in group:
        if job.interrupted():
            result.status[k] = "interrupted before it began"
            continue
        try:
            run = simulate(job.variants.single(k), job.duration, progress=heed, **job.options)
        except ModelError as error:
            result.status[k] = f"could not begin: {error}"
            continue
        except KeyboardInterrupt:
            result.status[k] = "interrupted"
            continue
        shown = np.isclose(run.time, result.times[: run.time.size], rtol=0.0, atol=1e-9 * job.every)  # not a stop
        count = int(np.count_nonzero(shown))
        result.nodes[k, :count], result.velocities[k, :count] = run.nodes[:count], run.velocities[:count]
        result.status[k], result.notes[k] = run.status, run.notes
    return group[-1]
