"""`simulate`: a plant and a duration in, a Trajectory out."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import fields, replace
from typing import Any

import numpy as np

from taut.dynamics import time_loop as loop
from taut.dynamics import workspace as at
from taut.dynamics.correction import Correction
from taut.dynamics.drive_limits import DriveLimits
from taut.dynamics.driver import Progress, SampleTimes, chunks, status_of
from taut.dynamics.earlier_notes import earlier_notes
from taut.dynamics.interrupts import held_interrupts
from taut.dynamics.member_collisions import (
    Collisions,
    check_collision_options,
    collision_notes,
    telescoping,
)
from taut.dynamics.methods import method_for
from taut.dynamics.methods.tableau import Implicit, Method, Rattle
from taut.dynamics.run_surroundings import surroundings
from taut.dynamics.sensor_facts import sensor_facts
from taut.dynamics.settings import Settings, prepared
from taut.dynamics.setup import Run, check_options, independence_notes, rounding_notes
from taut.dynamics.step_events import notes_at_steps
from taut.dynamics.stiffness_detection import stiffness_notes
from taut.dynamics.trajectory import (
    Checkpoint,
    Overall,
    Trajectory,
    appended,
    joined,
    of_samples,
    on_grid,
    samples_of,
)
from taut.dynamics.verdict import Seen, judged
from taut.errors import OptionError
from taut.mechanics.conserving.conserving_plant import effort_notes
from taut.mechanics.contact.facts import contact_notes
from taut.mechanics.imposed.support_drifts import drift_notes
from taut.mechanics.plant_protocol import PlantProtocol
from taut.mechanics.points.generalised import passing_notes
from taut.mechanics.tables import state_layout
from taut.numerics.compile_events import working_time
from taut.structure.events import Event
from taut.structure.memory import memory_problem
from taut.structure.straight_angles import StraightElbows
from taut.type_checks import checked_arguments

Sink = Callable[[Trajectory], None]
"""Called with part after part of a trajectory, in order. One that has a checkpoint, with all before it, is a run that
can be continued from there; what is about to end, or to cut members, has none."""

DEFAULT_SAMPLES = 200
HISTORY_ROWS = 10_000


@checked_arguments
def simulate(
    plant: PlantProtocol,
    duration: float,
    *,
    every: float | None = None,
    method: str = "dp5",
    tolerance: float = 1e-8,
    step: float | None = None,
    correction: Correction | str | None = None,
    locate: bool | None = None,
    on_collision: str = "warn",
    clearance: float = 0.0,
    samples: str | None = None,
    history: bool = False,
    verify: bool = True,
    start: Trajectory | None = None,
    sink: Sink | None = None,
    progress: Progress | None = None,
    model_text: str = "",
) -> Trajectory:
    """Follow a plant for a duration [s] from its start, or on from the end of an earlier trajectory.

    every: time between samples [s]; a two-hundredth of the duration by default, or what the earlier trajectory had.
    method: "dp5" or "dp8" (adaptive, by tolerance), "rk4" (by step [s]), or for motion without damping "rattle2",
        "rattle4", "rattle6", "rattle8" (by step), which keep energy bounded over very long times. For stiff, damped,
        slow motion "implicit3" or "implicit4" (by tolerance, or by step): stable whatever the step. A run that would
        have gained by them says so in `notes`. On a ground "impulses" (by step), or in large steps "energy-momentum",
        which conserves energy with and without a ground.
    tolerance: of the error of one step, relative to the mean member length, and to the largest speed for velocities;
        with implicit methods of fixed step only how closely they solve their equations.
    correction: "energy", "constraints", "none", "baumgarte", "filter", "least-norm" or a Correction, which has their
        numbers; None takes "energy", "none" for RATTLE, which needs none, and "constraints" for implicit methods,
        which damp what is fast and are meant to.
    locate: find the instants at which cables slacken and tighten, to round-off; without it a step goes over them and
        is only as good as its error estimate. None does so, or what the earlier trajectory did. What the plant watches
        is located in any case.
    on_collision: members feel nothing of one another. "warn" tells in `notes` and `events` where they passed through or
        touched one another, "stop" ends the run at the next sample too, "ignore" does not look.
    clearance: [m] that members are to stay apart, beside their radii.
    samples: "steps" are as good as steps; "dense" ones come from the method's interpolant and are then corrected, which
        is cheaper where samples are much closer than steps. None takes "steps", and "dense" for implicit methods.
    history: keep time, size, error and acceptance of every step in `history`.
    verify: compare the run with a coarser one, and with a finer one where that leaves a doubt, and say in `accuracy`
        how far it is off; where it is not to be believed, `sound` and `ok` are False and a note says why. Costs about a
        third to a half of the run, or two times the run and more where there is a doubt.
    start: continue this trajectory to the duration, counted from its own start. The result holds its samples too and is
        the same, bit for bit, as one long run.
    sink: called with part after part of the samples while the run goes on; the result then holds no samples of its own,
        only what is said of the whole run, so that a long run of a large structure needs little memory.
    model_text: kept with the trajectory, so that a run file alone is enough to repeat or continue it.
    Ctrl-C and a step that fails end the run early with what was computed; `status` says so.
    """
    begun = working_time()
    chosen = method_for(method, tolerance, step)
    wish = correction_for(correction, chosen)
    check_options(plant, chosen, wish, duration, every, tolerance, step)
    samples = samples or ("dense" if isinstance(chosen, Implicit) else "steps")
    if samples not in ("steps", "dense") or (
        samples == "dense" and not (isinstance(chosen, Method) and chosen.interpolant)
    ):
        raise OptionError(
            f'samples "{samples}" of method "{method}": say "steps", or "dense" with dp5, dp8 or an implicit one'
        )
    check_collision_options(on_collision, clearance)
    before = bool(start.options.get("locate", True)) if start else locate is not False
    locate = before if locate is None else locate
    if locate != before and plant.watcher is not None:
        raise OptionError(f"the trajectory to continue was made with locate={before}; go on with the same")
    if start is None:
        told_until, every = -np.inf, every or duration / DEFAULT_SAMPLES
    else:
        _check_start(plant, start, duration)
        told_until, every = float(start.time[-1]), every or float(start.options["every"])
        start = on_grid(start, every)
    settings = Settings(
        plant, method, tolerance, step, wish, samples == "dense", locate, start, HISTORY_ROWS if history else 0
    )
    run, point, notes = prepared(settings)
    times = SampleTimes(duration, every)
    if start is not None:
        notes = earlier_notes(start)
        now = np.nextafter(point.clock[at.TIME], -np.inf)  # a sample at that very time is still to come
        times = times.after(max(start.time[-1] + 1e-9 * every, now))
    parts: list[Trajectory] = []
    told = Overall()
    if sink is None:
        _check_room(times.size, point.y.size)
    state = point.copied()
    noted = [np.zeros((0, 4))]
    happened: list[np.ndarray] = []
    limits = DriveLimits(plant)
    known: dict[str, Any] = {
        "options": {
            **options_of(chosen, wish, tolerance, step),
            "every": every,
            "samples": samples,
            "locate": locate,
            "on_collision": on_collision,
            "clearance": clearance,
            "physics": plant.fingerprint,
            **({"internal_states": plant.internal.size} if plant.internal.size else {}),
            **({"elements": list(plant.elements)} if plant.elements else {}),
            **({"sensors": list(sensor_facts(plant))} if plant.sensor_names else {}),
            **surroundings(plant),
        },
        "notes": notes,
        "model_text": model_text,
        "load_names": plant.load_names,
        "drive_names": plant.drive_names,
        "sensor_names": plant.sensor_names,
        "contact_names": plant.contact_names,
        "element_names": plant.element_outputs,
    }
    if sink is not None and start is not None:
        sink(replace(start, **known, checkpoint=point))
        told, noted, begun = start.overall, [start.history], begun - start.wall_time
    seen = Seen(duration, every, plant.coordinates)
    elbows, stops = StraightElbows(plant.structure), on_collision == "stop"
    collided = Collisions(plant.structure, telescoping(limits.drives), clearance, since=told_until)
    if start is not None:
        collided.look(samples_of(start, slice(-1, None)))
        limits.look(start)
        elbows.look(start.time, start.nodes)
    with held_interrupts() as interrupted:
        for ending, when, states, steps, log in chunks(
            run, state, times, duration, progress, interrupted, most=1 if stops else None
        ):
            code, last = ending, read_off(plant, run.tables, when, states, state.clock[at.REFERENCE])
            noted.append(steps)
            happened.append(log)
            seen.look(when, states)
            limits.look(last)
            elbows.look(last.time, last.nodes)
            hits = collided.look(last) if on_collision != "ignore" else ()
            stopping = stops and bool(hits)
            if sink is None:
                parts.append(last)
            else:
                reached = _reached(run, state, steps, log, hits)
                if code != loop.PAUSED or stopping:
                    del reached["checkpoint"]
                sink(replace(last, **known, **reached, wall_time=working_time() - begun))
                told = replace(last, earlier=told).overall
            if stopping:
                break
        reached = _reached(run, state, np.concatenate(noted), np.concatenate(happened), collided.found)
        if sink is not None and start is not None:
            reached["events"] = start.events + reached["events"]
        earlier = start.events if start is not None and sink is None else ()
        known["notes"] = (
            *notes,
            *independence_notes(run, state.clock),
            *_passing(run, state, when, states),
            *stiffness_notes(run, state),
            *rounding_notes(run, state),
            *contact_notes(run.plant, run.tables),
            *notes_at_steps(run),
            *effort_notes(run.plant, run.tables),
            *limits.notes(float(state.clock[at.TIME])),
            *elbows.notes(),
            *drift_notes(plant.points, max([float(state.clock[at.TIME]), *when[-1:].tolist()])),
            *collision_notes((*earlier, *reached["events"]), collided.left_out, every),
        )
        status = status_of(code, run, state.clock, state.y)
        if stopping:
            status = f"finished at t = {last.time[-1]:.6g} s: {hits[0].name} at t = {hits[0].time:.6g} s"
        result = replace(
            joined(parts) if sink is None else samples_of(last, slice(0)),
            earlier=told,
            status=status,
            **known,
            **reached,
            wall_time=working_time() - begun,
        )
        whole = result if start is None or sink is not None else appended(start, result)
        if not whole.finished:
            return whole
        missed = run.watcher.missed(whole.events) if run.watcher else ()
        verdict = judged(settings, seen, whole.overall, progress, interrupted, verify=verify)
    return replace(
        whole,
        notes=tuple(dict.fromkeys((*whole.notes, *missed, *verdict.notes))),
        sound=verdict.sound and (start is None or start.sound),
        accuracy=verdict.accuracy,
    )


def _reached(
    run: Run, state: Checkpoint, steps: np.ndarray, log: np.ndarray, collided: Sequence[Event]
) -> dict[str, Any]:
    """Where a run stands, and the steps and events that led there."""
    events = run.watcher.happened(log) if run.watcher else ()
    return {
        "checkpoint": reached_by(run, state),
        "counts": counts_of(state.counts),
        "history": steps,
        "events": tuple(sorted((*events, *collided), key=lambda event: event.time)) if collided else events,
    }


def _passing(run: Run, state: Checkpoint, when: np.ndarray, states: np.ndarray) -> tuple[str, ...]:
    """Whether coordinates went over a place where they say nothing; when, states: the last samples."""
    time, y = (float(when[-1]), states[-1]) if when.size else (float(state.clock[at.TIME]), state.y)
    return passing_notes(run.plant, run.tables, time, np.ascontiguousarray(y))


def reached_by(run: Run, state: Checkpoint) -> Checkpoint:
    """Where a run stands, by itself."""
    flags = run.watcher.flags(run.tables) if run.watcher else np.empty(0)
    return replace(state.copied(), flags=flags, memory=run.plant.memory(run.tables).copy())


def _check_room(samples: int, state: int) -> None:
    if wrong := memory_problem(samples * state * 8e-9):
        raise OptionError(f"{samples} samples {wrong}; or take them further apart (every), or give a sink")


def _check_start(plant: PlantProtocol, start: Trajectory, duration: float) -> None:
    parts = ("nodes", "bars", "cables", "constraints", "supports")
    ordered = all([*getattr(plant.structure, part)] == [*getattr(start.structure, part)] for part in parts)
    if plant.structure != start.structure or not ordered:
        raise OptionError("the trajectory to continue is of another structure; assemble the one it was made with")
    if start.options.get("physics") != plant.fingerprint:
        raise OptionError(
            "the trajectory to continue was made with other loads, motions, drives, ground, elements, gravity or "
            "damping; assemble the plant of then"
        )
    if not start.time.size:
        raise OptionError("the trajectory to continue has no samples; start afresh")
    if duration <= start.time[-1]:
        raise OptionError(
            f"the trajectory already reaches {start.time[-1]:g} s; the duration counts from its start, "
            f"so give more than that, not {duration:g} s"
        )


def correction_for(correction: Correction | str | None, method: Method | Rattle) -> Correction:
    """What is asked for, by name or in full. RATTLE needs none; an implicit method damps, and is meant to."""
    usual = "none" if isinstance(method, Rattle) else "constraints" if isinstance(method, Implicit) else "energy"
    wish = correction if isinstance(correction, Correction) else Correction(correction)
    return wish if wish.kind else replace(wish, kind=usual)


def options_of(method: Method | Rattle, wish: Correction, tolerance: float, step: float | None) -> dict[str, Any]:
    """How a run is made, in words and numbers that a file can hold."""
    return {
        "method": method.name,
        **({"tolerance": tolerance} if method.adaptive or isinstance(method, Implicit) else {}),
        **({} if method.adaptive else {"step": step}),
        "correction": wish.kind,
        "correction_details": {
            f.name: [*value]
            if isinstance(value := getattr(wish, f.name), tuple)
            else value  # as it comes back from a file
            for f in fields(wish)
            if f.name != "kind"
        },
    }


def counts_of(counts: np.ndarray) -> dict[str, int]:
    places = {
        "steps": at.STEPS,
        "rejected": at.REJECTED,
        "evaluations": at.EVALUATIONS,
        "iterations": at.ITERATIONS,
        "unbalanced": at.UNBALANCED,
        "events": at.EVENTS,
    }
    return {name: int(counts[place]) for name, place in places.items()}


def read_off(plant: PlantProtocol, tables: Any, times: np.ndarray, states: np.ndarray, reference: float) -> Trajectory:
    """Everything that states say; what does not apply to the plant has no columns."""
    return told_by(plant, times, states, reference, plant.observed(tables, times, states))


def told_by(
    plant: PlantProtocol, times: np.ndarray, states: np.ndarray, reference: float, seen: Mapping[str, np.ndarray]
) -> Trajectory:
    """What was seen of states, energies at least, with their work and the balance of energy."""
    work = states[:, state_layout(plant.coordinates, plant.internal.size, 0).work].copy()
    energy = seen["energy_kinetic"] + seen["energy_elastic"] + seen["energy_gravity"]
    known = {**seen, "time": times.copy(), "work": work, "energy_violation": energy - reference - work}
    return of_samples(plant.structure, known)
