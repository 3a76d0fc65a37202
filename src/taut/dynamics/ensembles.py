"""`ensemble`: many variants of one plant followed at once, arrays in and arrays out.

With a method of equal steps variants go through the time loop in lanes, sixteen in one kernel, without locating events;
with an adaptive one each by itself, since lanes would all have to take the steps of the one that needs the shortest
(measured: sixteen robots with cables that slacken, dp8, four times slower). Either way they are spread over threads.
Groups are formed by the variants' order alone, so results do not depend on the number of threads.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from threading import Lock
from typing import Any

import numpy as np

from taut.dynamics import time_loop as loop
from taut.dynamics import workspace as at
from taut.dynamics.correction import STARTED, Correction
from taut.dynamics.driver import Progress, SampleTimes, drive, status_of
from taut.dynamics.interrupts import held_interrupts
from taut.dynamics.methods import method_for
from taut.dynamics.methods.tableau import EnergyMomentum, Implicit, Method, Rattle
from taut.dynamics.samples import VARIABLES
from taut.dynamics.settings import Settings
from taut.dynamics.setup import beginning, check_options, independence_notes, prepare_run
from taut.dynamics.simulating import DEFAULT_SAMPLES, correction_for, read_off, simulate
from taut.dynamics.trajectory import SAMPLED, Trajectory, of_samples
from taut.dynamics.verdict import doubts
from taut.errors import ModelError, OptionError, suggestion
from taut.labelled import Labelled, Tabular
from taut.mechanics.batch import Plants, Variants, alike, side_by_side, varied
from taut.mechanics.capabilities import features_of, goes_in_lanes
from taut.mechanics.plant import Plant
from taut.mechanics.plant_protocol import PlantProtocol
from taut.numerics.lanes import WIDTH
from taut.structure.corrections import PRINTED
from taut.structure.events import Event
from taut.structure.labels import labels_of
from taut.structure.memory import memory_problem
from taut.structure.scenario import Signal
from taut.structure.structure import Structure
from taut.type_checks import checked_arguments

FIELDS = tuple(name for name in SAMPLED if name not in ("time", "coordinate", "coordinate_rate", "multiplier"))
"""What an Ensemble may keep of every variant."""

NOT_LOCATED = (
    "went in lanes with equal steps, where the instants at which cables slacken are not located; "
    "an adaptive method locates them"
)


@dataclass(frozen=True, repr=False)
class Ensemble(Tabular):
    """N variants over time: the fields of a Trajectory with a leading axis, and a status, notes and events of each.

    Variants are not compared with other runs, as `simulate` compares a single one.

    What a variant that failed did not reach is NaN, and its status says why. `ensemble[k]` is variant k by itself.
    """

    structure: Structure
    time: np.ndarray  # (T,)
    samples: Mapping[str, np.ndarray]  # (N, T, ...) each
    status: tuple[str, ...]
    notes: tuple[tuple[str, ...], ...]
    events: tuple[tuple[Event, ...], ...]
    sound: tuple[bool, ...]
    load_names: tuple[str, ...] = ()
    drive_names: tuple[str, ...] = ()
    sensor_names: tuple[str, ...] = ()
    contact_names: tuple[str, ...] = ()
    element_names: tuple[str, ...] = ()

    def __getattr__(self, name: str) -> np.ndarray:
        """Any field of a Trajectory that has samples."""
        if name.startswith("_") or name not in FIELDS:
            raise AttributeError(f"an Ensemble has no {name!r}{suggestion(name, FIELDS)}")
        if name not in self.samples:
            raise AttributeError(f"this Ensemble was made without {name!r}; name it in `fields`")
        return self.samples[name]

    def __dir__(self) -> list[str]:
        return [*super().__dir__(), *self.samples]

    @property
    def ok(self) -> np.ndarray:
        """(N,) whether each variant finished, with its energy in balance."""
        return np.array([status.startswith("finished") for status in self.status]) & self.sound

    def labelled(self) -> Labelled:
        """One row a sample of a variant."""
        kept = {name: VARIABLES[name] for name in self.samples}
        return Labelled(
            ("variant", "time"),
            {
                "variant": range(len(self)),
                "time": self.time,
                **labels_of(self.structure),
                "loaded": self.load_names,
                "drive": self.drive_names,
                "sensor": self.sensor_names,
                "contact": self.contact_names,
                "element": self.element_names,
            },
            {name: one._replace(dimensions=("variant", *one.dimensions)) for name, one in kept.items()},
            self.samples,
        )

    def __len__(self) -> int:
        return len(self.status)

    def __getitem__(self, k: int) -> Trajectory:
        """Variant k, as far as it came; with the samples that were kept."""
        reached = np.isfinite(self.samples["nodes"][k].reshape(self.time.size, -1)).all(axis=1)
        taken = {name: values[k][reached] for name, values in self.samples.items()}
        return replace(
            of_samples(self.structure, {"time": self.time[reached], **taken}),
            status=self.status[k],
            sound=self.sound[k],
            notes=self.notes[k],
            events=self.events[k],
            load_names=self.load_names,
            drive_names=self.drive_names,
            sensor_names=self.sensor_names,
            contact_names=self.contact_names,
            element_names=self.element_names,
        )

    def __repr__(self) -> str:
        return f"<Ensemble of {len(self.status)} variants, {self.time.size} samples, {int(self.ok.sum())} finished>"


@checked_arguments
def ensemble(
    plant: Plant | Sequence[PlantProtocol],
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
    fields: Iterable[str] = FIELDS,
    threads: int | None = None,
    progress: Progress | None = None,
) -> Ensemble:
    """Follow variants of a plant for a duration [s]; arrays have one row a variant, what is not given is the plant's.

    plant: one, with arrays of what differs; or plants of the same nodes, members and supports, which may differ in any
        number: masses, bar lengths, gravity, damping, signals.
    positions [m], velocities [m/s]: (N, n, 3), brought onto the constraints as in `simulate`.
    rest_length [m], stiffness [N/m], damping [N s/m]: (N, c), of the cables. Damping in proportion to the stiffness
        stays as the plant has it.
    loads: for each variant one signal a load, of the same kinds and with the same jumps as the plant's.
    every, method, tolerance, step, correction: as in `simulate`.
    fields: which of a Trajectory's are kept; all by default, of which thousands of variants may take much memory.
    threads: as many as there are processors by default. progress: called with variants done and their number.
    """
    parts = {"rest_length": rest_length, "stiffness": stiffness, "damping": damping}
    given = [*parts.values(), positions, velocities, loads]
    variants: Variants | Plants
    if isinstance(plant, Plant):
        variants = varied(plant, positions=positions, velocities=velocities, cables=parts, loads=loads)
    elif any(value is not None for value in given):
        raise OptionError("plants differ by themselves; give one plant with arrays, or plants alone")
    else:
        variants = alike(plant)
    chosen = method_for(method, tolerance, step)
    wish = correction_for(correction, chosen)
    for one in variants.plants if isinstance(variants, Plants) else (variants.plant,):
        check_options(one, chosen, wish, duration, every, tolerance, step)
    rattles = isinstance(chosen, Rattle) and not isinstance(chosen, EnergyMomentum)
    if rattles and damping is not None and np.any(damping):
        raise OptionError(f'method "{method}" is for motion without damping; use another, or leave the damping out')
    if threads is not None and threads < 1:
        raise OptionError(f"threads {threads} must be one or more")
    kept = tuple(fields)
    unknown = [name for name in kept if name not in FIELDS]
    if unknown:
        raise OptionError(f'fields: "{unknown[0]}" is not one of a Trajectory{suggestion(unknown[0], FIELDS)}')
    every = every or duration / DEFAULT_SAMPLES
    times = SampleTimes(duration, every)
    if wrong := memory_problem(8e-9 * variants.count * times.size * variants.plant.positions.size):
        raise OptionError(
            f"{times.size} samples of {variants.count} variants {wrong}; or take them further apart (every)"
        )
    result = _Result(times.part(0, times.size), variants, kept)
    in_lanes = goes_in_lanes(features_of(variants.plant)) and not (
        chosen.adaptive or isinstance(chosen, Implicit | EnergyMomentum) or wish.kind in PRINTED
    )
    with held_interrupts() as interrupted:
        job = _Job(variants, chosen, wish, duration, every, tolerance, step, interrupted)
        size, work = (WIDTH, _in_lanes) if in_lanes else (1, _one_by_one)
        groups = [range(first, min(first + size, variants.count)) for first in range(0, variants.count, size)]
        with ThreadPoolExecutor(threads or os.cpu_count() or 1) as pool:
            for last in pool.map(lambda group: work(job, group, result), groups):
                if progress is not None:
                    progress(float(last + 1), float(variants.count))
    return Ensemble(
        variants.plant.structure,
        result.times,
        {name: result.samples[name] for name in dict.fromkeys(("nodes", *kept)) if name in result.samples},
        tuple(result.status),
        tuple(result.notes),
        tuple(result.events),
        tuple(result.sound),
        variants.plant.load_names,
        variants.plant.drive_names,
        variants.plant.sensor_names,
        variants.plant.contact_names,
        variants.plant.element_outputs,
    )


class _Result:
    """Room for everything, filled by the groups wherever they run; threads fill rows of their own."""

    def __init__(self, times: np.ndarray, variants: Variants | Plants, fields: tuple[str, ...]) -> None:
        self.times, self.count, self.fields = times, variants.count, dict.fromkeys(("nodes", *fields))
        self.samples: dict[str, np.ndarray] = {}
        self.lock = Lock()
        self.status = [""] * self.count
        self.notes: list[tuple[str, ...]] = [()] * self.count
        self.events: list[tuple[Event, ...]] = [()] * self.count
        self.sound = [True] * self.count
        shape = (self.count, times.size, len(variants.plant.positions), 3)
        self.samples["nodes"] = np.full(shape, np.nan)

    def keep(self, k: int, filled: int, run: Trajectory) -> None:
        """The first samples of a variant."""
        for name in self.fields:
            found = getattr(run, name)[:filled]
            with self.lock:
                if name not in self.samples:
                    self.samples[name] = np.full((self.count, self.times.size, *found.shape[1:]), np.nan)
            self.samples[name][k, :filled] = found


@dataclass(frozen=True)
class _Job:
    variants: Variants | Plants
    method: Method | Rattle
    wish: Correction
    duration: float
    every: float
    tolerance: float
    step: float | None
    interrupted: Callable[[], bool]

    def settings(self, plant: Plant) -> Settings:
        return Settings(plant, self.method.name, self.tolerance, self.step, self.wish, dense=False, locate=False)

    @property
    def options(self) -> dict[str, Any]:
        return {
            "verify": False,
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
    plant = side_by_side(job.variants, group.start)
    run = prepare_run(plant, job.method, job.wish, job.tolerance, job.step, dense=False, history=0)
    try:
        point, _ = beginning(run)
    except ModelError:
        return _one_by_one(job, group, result)
    states = np.zeros((result.times.size, *point.y.shape))
    code, _, _ = drive(run, point, result.times, states, job.duration, None, job.interrupted)
    if code not in (loop.FINISHED, None):
        return _one_by_one(job, group, result)
    filled = int(point.counts[at.FILLED])
    said = [*independence_notes(run, point.clock)]
    if point.counts[at.UNBALANCED]:
        said.append(f"the correction gave up on {point.counts[at.UNBALANCED]} states")
    notes = [f"of variants {group[0]} to {group[-1]} together: {note}" for note in said]
    if plant.watcher is not None:
        notes.append(NOT_LOCATED)
    reference = run.space.scratch[STARTED, 0]
    for lane, k in enumerate(group):
        alone = job.variants.single(k)
        own = alone.own_tables(metric="mass", gains=(0.0, 0.0))
        lines = np.ascontiguousarray(states[:filled, :, lane])
        seen = read_off(alone, own, result.times[:filled], lines, float(reference[lane]))
        result.keep(k, filled, seen)
        doubted = doubts(job.settings(alone), lines[:, : alone.coordinates], seen.overall)
        result.sound[k] = not doubted
        result.status[k], result.notes[k] = status_of(code, run, point.clock), (*notes, *doubted)
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
        result.keep(k, int(np.count_nonzero(shown)), run)
        result.status[k], result.sound[k], result.notes[k] = run.status, run.sound, run.notes
        result.events[k] = run.events
    return group[-1]
