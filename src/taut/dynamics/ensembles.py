"""`ensemble`: many variants of one plant followed at once, arrays in and arrays out.

With a method of equal steps variants go through the time loop in lanes, sixteen in one kernel, without locating events;
with an adaptive one each by itself, since lanes would all have to take the steps of the one that needs the shortest
(measured: sixteen robots with cables that slacken, dp8, four times slower). Either way they are spread over threads.
Groups are formed by the variants' order alone, so results do not depend on the number of threads.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

import numpy as np

from taut.dynamics import time_loop as loop
from taut.dynamics import workspace as at
from taut.dynamics.correction import STARTED, Correction
from taut.dynamics.driver import Progress, drive, status_of
from taut.dynamics.ensemble_jobs import Job, Result, followed, gathered, job_of
from taut.dynamics.ensemble_result import FIELDS, Ensemble
from taut.dynamics.light_runs import goes_light, light, light_reading
from taut.dynamics.methods.tableau import EnergyMomentum, Implicit, Impulses, Rattle
from taut.dynamics.setup import beginning, independence_notes, prepare_run
from taut.dynamics.simulating import read_off, simulate
from taut.dynamics.verdict import doubts
from taut.errors import ModelError, OptionError
from taut.mechanics.batch import Plants, Variants, alike, side_by_side, varied
from taut.mechanics.capabilities import features_of, goes_in_lanes
from taut.mechanics.contact.facts import contact_notes
from taut.mechanics.plant import Plant
from taut.mechanics.plant_protocol import PlantProtocol
from taut.numerics.lanes import WIDTH
from taut.numerics.packing import lane_of
from taut.structure.corrections import PRINTED
from taut.structure.scenario import Signal
from taut.type_checks import checked_arguments

NOT_LOGGED = (
    "went in lanes with equal steps, where what contacts and slack cables do is not logged; simulate a variant by "
    "itself for its events"
)
NOT_LOCATED = (
    "went in lanes with equal steps, where the instants at which cables slacken are not located; "
    "an adaptive method locates them"
)


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
    rest_length [m], stiffness [N/m], damping [N s/m]: (N, c), of the cables. Where no stiffness is given, that of a
        material follows its rest length. Damping in proportion to the stiffness stays as the plant has it.
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
    rattles = isinstance(job.method, Rattle) and not isinstance(job.method, EnergyMomentum | Impulses)
    if rattles and damping is not None and np.any(damping):
        raise OptionError(f'method "{method}" is for motion without damping; use another, or leave the damping out')
    size, work = (WIDTH, in_lanes) if goes_in_lanes_with(job) else (1, one_by_one)
    return gathered(job, followed(job, work, size, threads, progress), {}, ())


def goes_in_lanes_with(job: Job) -> bool:
    """Whether variants go side by side in one kernel: by the kinds of the plant, and by the method."""
    alone = job.method.adaptive or isinstance(job.method, Implicit | EnergyMomentum) or job.wish.kind in PRINTED
    return not alone and job.variants.side_by_side and goes_in_lanes(features_of(job.variants.plant))


def in_lanes(job: Job, group: range, result: Result) -> int:
    """Follow a group in lanes; where one of them fails, each by itself, so that the others are not lost."""
    return _side_by_side(job, group, result, one_by_one)


def lightly_in_lanes(job: Job, group: range, result: Result) -> int:
    """The same with what variants are read off and told as lightly as can be (`light_runs.py`)."""
    return _side_by_side(job, group, result, light if goes_light(job) else one_by_one)


def _side_by_side(job: Job, group: range, result: Result, alone: Callable[[Job, range, Result], int]) -> int:
    if result.interrupted():
        return alone(job, group, result)
    plant = side_by_side(job.variants, group.start)
    run = prepare_run(plant, job.method, job.wish, job.tolerance, job.step, dense=False, history=0)
    try:
        point, _ = beginning(run)
    except ModelError:
        return alone(job, group, result)
    states = np.zeros((result.times.size, *point.y.shape))
    code, _, _ = drive(run, point, result.times, states, job.duration, None, result.interrupted)
    if code not in (loop.FINISHED, None):
        return alone(job, group, result)
    filled = int(point.counts[at.FILLED])
    said = [*independence_notes(run, point.clock)]
    if point.counts[at.UNBALANCED]:
        said.append(f"the correction gave up on {point.counts[at.UNBALANCED]} states")
    notes = [f"of variants {group[0]} to {group[-1]} together: {note}" for note in said]
    if plant.watcher is not None and alone is one_by_one:
        notes.append(NOT_LOGGED if plant.grounds else NOT_LOCATED)
    for lane, k in enumerate(group):
        lines = np.ascontiguousarray(states[:filled, :, lane])
        reference, single = float(run.space.scratch[STARTED, 0, lane]), job.variants.plant
        if alone is light:
            seen = light_reading(job, k, result, lines, reference)
        else:
            single = job.variants.single(k)
            own = single.own_tables(metric="mass", gains=(0.0, 0.0))
            seen = read_off(single, own, result.times[:filled], lines, reference)
        result.keep(k, filled, seen)
        doubted = doubts(job.settings(single), lines[:, : single.coordinates], seen.overall)
        result.sound[k], result.status[k] = not doubted, status_of(code, run, point.clock)
        result.notes[k] = (*notes, *contact_notes(single, lane_of(run.tables, lane)), *doubted)
    return group[-1]


def one_by_one(job: Job, group: range, result: Result) -> int:
    def heed(now: float, end: float) -> None:
        if result.interrupted():
            raise KeyboardInterrupt

    for k in group:
        if result.interrupted():
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
