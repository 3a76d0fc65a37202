"""`simulate`: a plant and a duration in, a Trajectory out."""

from __future__ import annotations

import math
import time as clocks
from collections.abc import Callable
from dataclasses import fields, replace
from typing import Any

import numpy as np

from taut.dynamics import march as loop
from taut.dynamics.correction import Correction
from taut.dynamics.methods import method_named
from taut.dynamics.methods.tableau import Method, Rattle
from taut.dynamics.patience import patience
from taut.dynamics.setup import Run, beginning, check_options, firmness_notes, pieces_of, prepare_run, resumed
from taut.dynamics.trajectory import Checkpoint, Trajectory, appended, on_grid
from taut.errors import OptionError
from taut.mechanics.nodal_outputs import empty_outputs, observe
from taut.mechanics.plant import Plant
from taut.mechanics.redundancy import smallest_forces

Progress = Callable[[float, float], None]
"""Called now and then with the simulated time and the duration [s]."""

DEFAULT_SAMPLES = 200
HISTORY_ROWS = 10_000
LATENCY = 0.1
"""About how long [s] the compiled loop runs before Python may report or be interrupted."""


def simulate(
    plant: Plant,
    duration: float,
    *,
    every: float | None = None,
    method: str = "dp5",
    tolerance: float = 1e-8,
    step: float | None = None,
    correction: Correction | str | None = None,
    samples: str = "steps",
    history: bool = False,
    start: Trajectory | None = None,
    progress: Progress | None = None,
    model_text: str = "",
) -> Trajectory:
    """Follow a plant for a duration [s] from its start, or on from the end of an earlier trajectory.

    every: time between samples [s]; a two-hundredth of the duration by default, or what the earlier trajectory had.
    method: "dp5" or "dp8" (adaptive, by tolerance), "rk4" (by step [s]), or for motion without damping "rattle2",
        "rattle4", "rattle6", "rattle8" (by step), which keep energy bounded over very long times.
    tolerance: of the error of one step, relative to the mean member length, and to the largest speed for velocities.
    correction: "energy", "constraints", "none", "baumgarte" or a Correction; None takes "energy", and "none" for
        RATTLE, which needs none.
    samples: "steps" are as good as steps; "dense" ones come from the method's interpolant and are then corrected, which
        is cheaper where samples are much closer than steps.
    history: keep time, size, error and acceptance of every step in `history`.
    start: continue this trajectory to the duration, counted from its own start. The result holds its samples too and is
        the same, bit for bit, as one long run.
    model_text: kept with the trajectory, so that a run file alone is enough to repeat or continue it.
    Ctrl-C and a step that fails end the run early with what was computed; `status` says so.
    """
    begun = clocks.perf_counter()
    if not isinstance(plant, Plant):
        raise OptionError(
            f"simulate takes what assemble returns, not a {type(plant).__name__}: simulate(assemble(...))"
        )
    chosen = method_named(method)
    wish = _wish(correction, chosen)
    check_options(plant, chosen, wish, duration, every, tolerance, step)
    if samples not in ("steps", "dense") or (
        samples == "dense" and not (isinstance(chosen, Method) and chosen.interpolant)
    ):
        raise OptionError(f'samples "{samples}" of method "{method}": say "steps", or "dense" with dp5 or dp8')
    run = prepare_run(
        plant, chosen, wish, tolerance, step, dense=samples == "dense", history=HISTORY_ROWS if history else 0
    )
    if start is None:
        every = every or duration / DEFAULT_SAMPLES
        point, notes = beginning(run)
        times = _sample_times(duration, every)
    else:
        _check_start(plant, start, duration)
        every = every or float(start.options["every"])
        start = on_grid(start, every)
        point, notes = resumed(run, start), start.notes
        times = _sample_times(duration, every)
        times = times[(times > start.time[-1] + 1e-9 * every) & (times >= point.clock[loop.TIME])]
    clock, counts, y = point.clock.copy(), point.counts.copy(), point.y.copy()
    states = _room(times.size, y.size)
    with patience() as interrupted:
        code, noted = _follow(run, clock, counts, y, times, states, duration, progress, interrupted)
        filled = int(counts[loop.FILLED])
        sampled = _observed(run, times[:filled], states[:filled], clock[loop.REFERENCE])
    result = replace(
        sampled,
        history=noted,
        status=_status(code, run, clock),
        checkpoint=Checkpoint(y, clock, counts),
        options={**_options(chosen, wish, every, tolerance, step, samples), "physics": plant.fingerprint},
        counts=_counts(counts),
        notes=(*notes, *firmness_notes(run, clock)),
        model_text=model_text,
        wall_time=clocks.perf_counter() - begun,
    )
    return result if start is None else appended(start, result)


def _room(samples: int, state: int) -> np.ndarray:
    try:
        return np.zeros((samples, state))
    except MemoryError:
        size = samples * state * 8 / 1e9
        raise OptionError(
            f"{samples} samples of this structure take {size:.3g} GB of memory; take them further apart (every)"
        ) from None


def _check_start(plant: Plant, start: Trajectory, duration: float) -> None:
    parts = ("nodes", "bars", "cables", "constraints", "supports")
    ordered = all([*getattr(plant.structure, part)] == [*getattr(start.structure, part)] for part in parts)
    if plant.structure != start.structure or not ordered:
        raise OptionError("the trajectory to continue is of another structure; assemble the one it was made with")
    if start.options.get("physics") != plant.fingerprint:
        raise OptionError(
            "the trajectory to continue was made with other loads, gravity or damping; assemble the plant of then"
        )
    if not start.time.size:
        raise OptionError("the trajectory to continue has no samples; start afresh")
    if duration <= start.time[-1]:
        raise OptionError(
            f"the trajectory already reaches {start.time[-1]:g} s; the duration counts from its start, "
            f"so give more than that, not {duration:g} s"
        )


def _wish(correction: Correction | str | None, method: Method | Rattle) -> Correction:
    if isinstance(correction, Correction):
        return correction
    return Correction(correction or ("none" if isinstance(method, Rattle) else "energy"))


def _options(
    method: Method | Rattle, wish: Correction, every: float, tolerance: float, step: float | None, samples: str
) -> dict[str, Any]:
    return {
        "method": method.name,
        **({"tolerance": tolerance} if method.adaptive else {"step": step}),
        "every": every,
        "correction": wish.kind,
        "correction_details": {
            f.name: [*value]
            if isinstance(value := getattr(wish, f.name), tuple)
            else value  # as it comes back from a file
            for f in fields(wish)
            if f.name != "kind"
        },
        "samples": samples,
    }


def _sample_times(duration: float, every: float) -> np.ndarray:
    """Multiples of `every` up to the duration, and the duration itself."""
    count = math.floor(duration / every * (1.0 + 1e-12) + 1e-9)
    times = np.arange(count + 1) * every
    return times if times[-1] >= duration - 1e-9 * every else np.append(times, duration)


def _follow(
    run: Run,
    clock: np.ndarray,
    counts: np.ndarray,
    y: np.ndarray,
    times: np.ndarray,
    samples: np.ndarray,
    duration: float,
    progress: Progress | None,
    interrupted: Callable[[], bool],
) -> tuple[int | None, np.ndarray]:
    """Call the time loop in bites; returns how it ended, None where the user interrupted it, and the steps' history."""
    budget, code = 16, loop.PAUSED
    longest = run.desk.history.shape[0] or 10**9
    noted = []
    counts[loop.FILLED] = 0
    counts[loop.FRESH] = 0
    while code == loop.PAUSED and not interrupted():
        begun = clocks.perf_counter()
        code = run.words["march"](
            run.pack,
            run.method.numbers,
            run.rules,
            run.plant.breaks,
            clock,
            counts,
            y,
            times,
            samples,
            run.desk,
            budget,
        )
        spent = clocks.perf_counter() - begun
        budget = int(min(max(budget * LATENCY / max(spent, 1e-6), 1), 4 * budget, longest))
        noted.append(run.desk.history[: counts[loop.NOTED]].copy())
        counts[loop.NOTED] = 0
        if progress is not None:
            progress(min(float(clock[loop.TIME]), duration), duration)
    return None if code == loop.PAUSED else code, np.concatenate([np.zeros((0, 4)), *noted])


def _status(code: int | None, run: Run, clock: np.ndarray) -> str:
    t = f"t = {clock[loop.TIME]:.6g} s"
    if code == loop.FINISHED:
        return "finished"
    if code is None:
        return f"interrupted at {t}"
    if code == loop.STUCK:
        return (
            f"stopped at {t}: the step fell to {clock[loop.STEP]:.1e} s, below round-off; the motion is singular there"
        )
    if code == loop.UNHELD:
        return f"stopped at {t}: the correction could not bring the bars back to their lengths; take a smaller step"
    return f"stopped at {t}: the next state is not finite; a step of {run.rules.fixed:g} s is too long here"


def _counts(counts: np.ndarray) -> dict[str, int]:
    places = {
        "steps": loop.STEPS,
        "rejected": loop.REJECTED,
        "evaluations": loop.EVALUATIONS,
        "iterations": loop.ITERATIONS,
        "unbalanced": loop.UNBALANCED,
    }
    return {name: int(counts[place]) for name, place in places.items()}


def _load_names(plant: Plant) -> tuple[str, ...]:
    """A load's own name, or its place; those that would come twice are numbered."""
    names = [load.name or f"{load.node}.{load.axis}" for load in plant.loads]
    return tuple(
        f"{name}#{names[:k].count(name) + 1}" if names.count(name) > 1 else name for k, name in enumerate(names)
    )


def _observed(run: Run, times: np.ndarray, samples: np.ndarray, reference: float) -> Trajectory:
    """Read everything off the samples."""
    plant, pack = run.plant, run.pack
    size = plant.positions.size
    out = empty_outputs(plant.tables, times.size, plant.held.size)
    pieces = pieces_of(plant.breaks, times)
    if plant.compiled:
        observe(pack, times, pieces, samples, plant.held, out)
    for row in range(0 if plant.compiled else times.size):
        one = slice(row, row + 1)
        plant.set_functions(pack, float(times[row]))
        observe(pack, times[one], pieces[one], samples[one], plant.held, type(out)(*(part[one] for part in out)))
    if times.size and run.words["prepare"](pack, samples[0]) > 0:
        smallest_forces(pack, plant.tables, samples, plant.held, out.bar_force, out.guide_force, out.reaction)
    work = samples[:, 2 * size].copy()
    return Trajectory(
        structure=plant.structure,
        time=times,
        nodes=samples[:, :size].reshape(-1, size // 3, 3).copy(),
        velocities=samples[:, size : 2 * size].reshape(-1, size // 3, 3).copy(),
        cable_length=out.cable_length,
        cable_tension=out.cable_tension,
        bar_force=out.bar_force,
        constraint_force=out.guide_force,
        reaction=out.reaction,
        load_force=out.load,
        energy_kinetic=out.energy[:, 0].copy(),
        energy_elastic=out.energy[:, 1].copy(),
        energy_gravity=out.energy[:, 2].copy(),
        work=work,
        energy_violation=out.energy.sum(axis=1) - reference - work,
        length_violation=out.length_violation,
        rate_violation=out.rate_violation,
        load_names=_load_names(plant),
    )
