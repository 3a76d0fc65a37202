"""`rollout`: thousands of variants of a robot on a ground, by the addresses of the numbers in which they differ.

A variant's motion hangs on its numbers and its seed alone, not on its place among the others, nor on who computes it.
"""

from __future__ import annotations

import zlib
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from taut.dynamics.correction import Correction
from taut.dynamics.driver import Progress
from taut.dynamics.ensemble_jobs import followed, gathered, job_of
from taut.dynamics.ensemble_result import Ensemble
from taut.dynamics.ensembles import goes_in_lanes_with, in_lanes, one_by_one
from taut.dynamics.light_runs import goes_light, light
from taut.errors import OptionError
from taut.mechanics.plant import Plant
from taut.mechanics.varying.addresses import address_of
from taut.mechanics.varying.variation import numbers_for, varied_by
from taut.numerics.lanes import WIDTH
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
    progress: Progress | None = None,
) -> Ensemble:
    """Follow variants of a plant for a duration [s]; each is a row of the arrays.

    parameters: address -> numbers, (N, k) with a column for each that the address names, or (N,) one for all of them:
        "drive:x1.phase" [rad], ".amplitude", ".mean", ".frequency" [Hz] of a Sinusoid in a drive's signal, ".values" of
        a SampledSignal or StepSignal, "load:..." the same; "ground:floor.friction", ".static_friction", ".restitution";
        "gravity" (N, 3) [m/s^2], by which a floor slopes; "cable:*.rest_length", ".stiffness", ".damping", ".mass";
        "bar:*.mass", "node:*.mass" (of point masses) [kg], for which every variant is assembled anew; "positions",
        "velocities" (N, n, 3).
    seeds: one integer a variant. noise: address -> standard deviation, of what is drawn by that seed alone and added.
    every: time between samples [s]; a two-hundredth of the duration by default.
    method, step, tolerance, correction: as in `simulate`.
    fields: what is kept of every variant beside its nodes; those that `taut.locomotion.measures_of` needs by default.
    threads: as many as there are processors by default. progress: called with variants done and their number.

    Collisions of members and limits of drives are not looked for, and events are not kept; `simulate` a variant for
    them.
    """
    rows = numbers_for(plant, parameters)
    drawn = tuple(int(seed) for seed in ([] if seeds is None else np.asarray(seeds).ravel()))
    counts = {len(values) for values in rows.values()} | ({len(drawn)} if seeds is not None else set())
    if not counts or min(counts) < 1:
        raise OptionError("nothing varies: give at least one row of a parameter, or a seed")
    if len(counts) > 1:
        raise OptionError(
            f"every variant needs a seed of its own: there are {len(drawn)} seeds, and "
            f"{len(next(iter(rows.values())))} rows of parameters"
        )
    (count,) = counts
    rows |= _with_noise(plant, rows, drawn, noise or {})
    variants = varied_by(plant, rows, count)
    job = job_of(
        variants,
        duration,
        every=every,
        method=method,
        tolerance=tolerance,
        step=step,
        correction=correction,
        fields=fields,
    )
    size, work = (1, light) if goes_light(job) else (WIDTH, in_lanes) if goes_in_lanes_with(job) else (1, one_by_one)
    return gathered(job, followed(job, work, size, threads, progress), rows, drawn)


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
        found[text] = np.array(
            [row + size * draws(seed, text, own.shape) for seed, row in zip(seeds, base, strict=True)]
        )
    return found


def draws(seed: int, text: str, shape: tuple[int, ...]) -> np.ndarray:
    """Normal numbers of mean 0 and variance 1 of a seed and an address, whatever else has noise."""
    stream = np.random.SeedSequence((seed, zlib.crc32(text.encode())))
    return np.random.Generator(np.random.Philox(stream)).standard_normal(shape)
