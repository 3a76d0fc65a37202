"""`rollout`: thousands of variants of a robot on a ground, by the addresses of the numbers in which they differ.

A variant's motion hangs on its numbers and its seed alone, not on its place among the others, nor on who computes it.
"""

from __future__ import annotations

import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Executor
from numbers import Integral
from typing import Any

import numpy as np

from taut.dynamics.correction import Correction
from taut.dynamics.driver import Progress
from taut.dynamics.ensemble_jobs import Result, gathered
from taut.dynamics.ensemble_result import Ensemble
from taut.dynamics.rollout_batches import (
    Batch,
    Order,
    Received,
    Reduce,
    batch_size,
    batches,
    here,
    job_for,
    order_of,
    rolled,
    sent,
)
from taut.errors import OptionError
from taut.mechanics.plant import Plant
from taut.mechanics.varying.addresses import address_of
from taut.mechanics.varying.variation import numbers_for
from taut.numerics.lanes import WIDTH
from taut.structure.plates import carried
from taut.type_checks import checked_arguments

MEASURED = ("nodes", "velocities", "contact_state", "cable_tension", "drive_rate", "drive_force", "drive_power")
"""What `taut.locomotion.measures_of` looks at."""


@checked_arguments
def rollout(
    plant: Plant,
    parameters: Mapping[str, Any],
    duration: float,
    *,
    seeds: Sequence[int] | np.ndarray | None = None,
    noise: Mapping[str, Any] | None = None,
    every: float | None = None,
    method: str = "impulses",
    step: float | None = 1e-3,
    tolerance: float = 1e-8,
    correction: Correction | str | None = None,
    fields: Iterable[str] = MEASURED,
    threads: int | None = None,
    executor: Executor | Callable[[], Executor] | None = None,
    batch: int | None = None,
    progress: Progress | None = None,
) -> Ensemble:
    """Follow variants of a plant for a duration [s]; each is a row of the arrays.

    parameters: address -> numbers, (N, k) with a column for each that the address names, or (N,) one for all of them:
        "drive:x1.phase" [rad], ".amplitude", ".mean", ".frequency" [Hz] of a Sinusoid in a drive's signal, ".values" of
        a SampledSignal or StepSignal, "load:..." the same; "ground:floor.friction", ".static_friction", ".restitution";
        "gravity" (N, 3) [m/s^2], by which a floor slopes; "cable:*.rest_length", ".stiffness", ".damping", ".mass";
        "controller:gait.state" what its law has to begin with;
        "bar:*.mass", "node:*.mass" [kg], for which every variant is assembled anew: of patterns and groups of nodes
        those that have a point mass, and "node:a.mass" of any; "positions", "velocities" (N, n, 3).
    seeds: one integer a variant. noise: address -> standard deviation, of what is drawn by that seed alone and added;
        the point that a plate may have beside its nodes goes with them.
    every: time between samples [s]; a two-hundredth of the duration by default.
    method, step, tolerance, correction: as in `simulate`.
    fields: what is kept of every variant beside its nodes; those that `taut.locomotion.measures_of` needs by default.
    threads: as many as there are processors by default. progress: called with variants done and their number.
    executor: who computes instead, any `concurrent.futures.Executor`, as a ProcessPoolExecutor or that of a dask
        client; or a function that makes one, by which what dies with a process is computed again. batch: how many
        variants are sent at a time, a multiple of 16; about a second's work by default.

    The bits are the same with any number of threads and with any executor.
    Collisions of members and limits of drives are not looked for, and events are not kept; `simulate` a variant for
    them.
    """
    rows, drawn, count = rows_of(plant, parameters, seeds, noise)
    options = {
        "every": every,
        "method": method,
        "tolerance": tolerance,
        "step": step,
        "correction": correction,
        "fields": tuple(fields),
    }
    job = job_for(plant, rows, count, duration, **options)
    if executor is None:
        done = rolled(job, threads, progress)
        done.events = [()] * count  # nor do executors send them
        return gathered(job, done, rows, drawn)
    result, found = Result(job, bool), Received(count)
    order = order_of(plant, duration, options, None)
    for some, part in sent(_cut(order, rows, count, step, batch), count, executor, progress):
        found.take(some, part)
    result.status, result.notes, result.sound = found.status, found.notes, found.sound
    result.samples |= found.samples
    return gathered(job, result, rows, drawn)


def reduced(
    plant: Plant,
    parameters: Mapping[str, Any],
    duration: float,
    reduce: Reduce,
    *,
    seeds: Sequence[int] | np.ndarray | None = None,
    noise: Mapping[str, Any] | None = None,
    threads: int | None = None,
    executor: Executor | Callable[[], Executor] | None = None,
    batch: int | None = None,
    progress: Progress | None = None,
    **options: Any,
) -> Received:
    """A rollout of which only what `reduce` makes of some variants at a time is kept, and sent.

    reduce: a function that can be pickled. options: the others of `rollout`, all of them.
    """
    rows, _, count = rows_of(plant, parameters, seeds, noise)
    job_for(plant, rows, count, duration, **options)  # whatever is wrong with them is said here
    cut = _cut(order_of(plant, duration, options, reduce), rows, count, options["step"], batch)
    found = Received(count)
    run = here(plant, cut, count, threads, progress) if executor is None else sent(cut, count, executor, progress)
    for done, part in run:
        found.take(done, part)
    return found


def _cut(
    order: Order, rows: Mapping[str, np.ndarray], count: int, step: float | None, size: int | None
) -> Iterator[tuple[int, Batch]]:
    if size is not None and (size < 1 or size % WIDTH):
        raise OptionError(f"batch {size} must be a multiple of {WIDTH}, which go together where they go in lanes")
    return batches(order, rows, count, size or batch_size(order.duration, step, count))


def rows_of(
    plant: Plant,
    parameters: Mapping[str, Any],
    seeds: Sequence[int] | np.ndarray | None,
    noise: Mapping[str, Any] | None,
) -> tuple[dict[str, np.ndarray], tuple[int, ...], int]:
    """Numbers by address with their noise, a row a variant; the seeds; and how many variants there are."""
    rows = numbers_for(plant, parameters)
    drawn = _whole([] if seeds is None else np.asarray(seeds, dtype=object).ravel().tolist())
    counts = {len(values) for values in rows.values()} | ({len(drawn)} if seeds is not None else set())
    if not counts or min(counts) < 1:
        raise OptionError("nothing varies: give at least one row of a parameter, or a seed")
    if len(counts) > 1:
        raise OptionError(
            f"every variant needs a seed of its own: there are {len(drawn)} seeds, and "
            f"{len(next(iter(rows.values())))} rows of parameters"
        )
    return rows | _with_noise(plant, rows, drawn, noise or {}), drawn, counts.pop()


def _whole(seeds: Sequence[object]) -> tuple[int, ...]:
    """Seeds as they are given: cut to whole numbers, several would be one."""
    found = []
    for seed in seeds:
        if not isinstance(seed, Integral) or isinstance(seed, bool):
            raise OptionError(f"seeds must be whole numbers, one for each variant, not {seed!r}")
        found.append(int(seed))
    return tuple(found)


def _with_noise(
    plant: Plant, rows: Mapping[str, np.ndarray], seeds: Sequence[int], noise: Mapping[str, Any]
) -> dict[str, np.ndarray]:
    """The numbers of all addresses that have noise."""
    if noise and not seeds:
        raise OptionError("noise needs seeds: give one integer for each variant")
    if any(seed < 0 for seed in seeds):
        raise OptionError(f"seeds must be zero or more, not {min(seeds)}")
    found: dict[str, np.ndarray] = {}
    for text, given in noise.items():
        own = address_of(plant, text).own
        try:
            size = np.broadcast_to(np.asarray(given, dtype=float), own.shape)
        except ValueError:
            raise OptionError(
                f'the noise of "{text}" has the shape {np.shape(given)}, and there are {own.shape} numbers'
            ) from None
        if not (np.isfinite(size) & (size >= 0.0)).all():
            raise OptionError(f'the noise of "{text}" is a standard deviation, and cannot be {size.min():g}')
        base = rows.get(text, np.broadcast_to(own, (len(seeds), *own.shape)))
        off = np.array([size * draws(seed, text, own.shape) for seed in seeds])
        if text in ("positions", "velocities"):
            off = np.array([carried(plant.structure, one) for one in off])
        found[text] = base + off
    return found


def draws(seed: int, text: str, shape: tuple[int, ...]) -> np.ndarray:
    """Normal numbers of mean 0 and variance 1 of a seed and an address, whatever else has noise."""
    stream = np.random.SeedSequence((seed, zlib.crc32(text.encode())))
    return np.random.Generator(np.random.Philox(stream)).standard_normal(shape)
