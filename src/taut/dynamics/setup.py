"""What a run needs before its first step: options that make sense, a start on the constraints, a first step."""

from __future__ import annotations

import functools
import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from taut.dynamics import march as loop
from taut.dynamics.correction import CONSTRAINTS, Correction
from taut.dynamics.methods.tableau import Method, Rattle
from taut.dynamics.trajectory import Checkpoint, Trajectory
from taut.dynamics.verbs import spoken
from taut.errors import ModelError, OptionError, Problem
from taut.mechanics.assembly import euclidean
from taut.mechanics.plant import NODAL_VERBS, Plant
from taut.mechanics.redundancy import null_vectors, weakest_combination
from taut.mechanics.tables import GAINS
from taut.numerics.packing import Pack, copied, reals_of

MOST_STEPS = 1e9
"""More steps or samples than anyone waits for; such a number is a slip."""

LEAST_TOLERANCE = 1e-15

SMALL = 500
"""Up to so many constraints a dense look at their independence is cheap."""


@dataclass(frozen=True)
class Run:
    """A plant, a method and their rules, put together once; `words` are the algorithms bound to the plant."""

    plant: Plant
    pack: Pack
    words: dict[str, Callable[..., Any]]
    method: Method | Rattle
    rules: loop.Rules
    desk: loop.Desk


@functools.cache
def compiled_words(rattles: bool) -> dict[str, Callable[..., Any]]:
    """The algorithms compiled for nodal plants."""
    algorithm, label = (loop.RATTLE, "_rattle") if rattles else (loop.RUNGE_KUTTA, "")
    return spoken(algorithm, NODAL_VERBS, ("held", "correct", "march"), label)


def check_options(
    plant: Plant,
    method: Method | Rattle,
    wish: Correction,
    duration: float,
    every: float | None,
    tolerance: float,
    step: float | None,
) -> None:
    """Raise OptionError on the first option that makes no sense."""
    for name, value in (("duration", duration), ("every", every), ("tolerance", tolerance), ("step", step)):
        if value is not None and not (math.isfinite(value) and value > 0.0):
            raise OptionError(f"{name} {value} must be a finite number more than zero")
    for name, value in (("every", every), ("step", step)):
        if value is not None and duration / value > MOST_STEPS:
            raise OptionError(
                f"{name} {value:g} s is too short for a duration of {duration:g} s: {duration / value:.1e} of them, "
                f"more than {MOST_STEPS:.0e}"
            )
    if tolerance < LEAST_TOLERANCE:
        raise OptionError(f"tolerance {tolerance:g} is below round-off; take {LEAST_TOLERANCE:g} or more")
    if not method.adaptive and step is None:
        stable = fastest_period(plant) / math.pi
        advice = f"; explicit steps are stable below about {stable:.1e} s here" if math.isfinite(stable) else ""
        raise OptionError(f'method "{method.name}" needs a step [s]{advice}')
    if method.adaptive and step is not None:
        raise OptionError(f'method "{method.name}" chooses its own step; give a tolerance instead, or use rk4')
    if isinstance(method, Rattle):
        _check_rattle(plant, method, wish)


def _check_rattle(plant: Plant, method: Rattle, wish: Correction) -> None:
    if wish.kind == "baumgarte" or wish.metric != "mass":
        raise OptionError(f'method "{method.name}" meets the constraints itself, by mass; leave the correction out')
    dampers = damped(plant)
    if dampers:
        more = f" and {len(dampers) - 1} more" if len(dampers) > 1 else ""
        raise OptionError(
            f'method "{method.name}" is for motion without damping, but {dampers[0]}{more} damps; '
            "use dp5 or dp8, or take the damping away"
        )


def damped(plant: Plant) -> list[str]:
    """What damps, by name."""
    tables, cables = plant.tables, list(plant.structure.cables)
    names = [f'cable "{cables[k]}"' for k in np.flatnonzero(tables.cables.damping)]
    names += ["every node"] if tables.constants.node_damping[0] else []
    return names + (["the mass"] if tables.constants.mass_damping[0] else [])


def fastest_period(plant: Plant) -> float:
    """A short period [s]: of the node that its cables hold stiffest, if its neighbours stood still."""
    tables = plant.tables
    stiffness = np.zeros(tables.nodes.mass.size)
    for end in (tables.cables.first, tables.cables.second):
        np.add.at(stiffness, end, tables.cables.stiffness)
    free = tables.nodes.free
    fastest = float(np.max(stiffness[free // 3 * 3] / tables.nodes.mass[free], initial=0.0))
    return math.inf if fastest == 0.0 else 2.0 * math.pi / math.sqrt(fastest)


def prepare_run(
    plant: Plant,
    method: Method | Rattle,
    wish: Correction,
    tolerance: float,
    step: float | None,
    *,
    dense: bool,
    history: int,
) -> Run:
    pack = copied(plant.pack if wish.metric == "mass" else euclidean(plant.tables)[0])  # a run works in its own
    alpha, beta = wish.gains if wish.kind == "baumgarte" else (0.0, 0.0)
    reals_of(pack, GAINS)[:] = 2.0 * alpha, beta * beta
    works, typical_time = bool(plant.loads or damped(plant)), float(plant.tables.constants.scale[1])
    limits = wish.limits(plant.positions.size, typical_time, works=works)
    coordinates = plant.positions.size
    rules = loop.Rules(
        tolerance=tolerance,
        fixed=0.0 if method.adaptive else float(step or 0.0),
        # A longer step could jump over a cable that goes taut and slack again, and no error estimate would see it.
        longest=fastest_period(plant),
        error_order=method.error_order or 0,
        stages=method.stages,
        sample_stages=method.sample_stages,
        dense=dense,
        limits=limits,
    )
    rattles = isinstance(method, Rattle)
    state = (4 if rattles else 2) * coordinates + 1  # RATTLE keeps the remainders of its sums
    desk = loop.desk(method.rows, state, coordinates, plant.rows, history)
    if plant.compiled:
        words = compiled_words(rattles)
    else:
        words = spoken(loop.RATTLE if rattles else loop.RUNGE_KUTTA, plant.verbs(), entries=None)
    return Run(plant, pack, words, method, rules, desk)


def beginning(run: Run) -> tuple[Checkpoint, tuple[str, ...]]:
    """The start brought onto the constraints, the first step, and what is worth saying about them."""
    plant, pack, bench = run.plant, run.pack, run.desk.bench
    free = plant.tables.nodes.free
    size = plant.positions.size
    y = np.zeros_like(run.desk.trial)
    y[:size] = plant.positions.ravel()
    y[size + free] = plant.velocities.ravel()[free]
    limits = run.rules.limits._replace(level=CONSTRAINTS)
    if not run.words["held"](pack, y, limits, bench.gap, bench.gap_rate):
        run.words["correct"](pack, y, 0.0, limits, bench, False, 0.0)
    worst, _ = run.words["gaps"](pack, y, bench.gap, bench.gap_rate)
    if not worst < loop.HELD:
        widest = np.abs(bench.gap) >= 0.5 * np.abs(bench.gap).max()
        message = (
            f"the supports, bars and constraints cannot all be met from this start: {constraint_names(plant, widest)} "
            f"stays {np.abs(bench.gap).max():.3g} m off; move the nodes, or take one of them away"
        )
        raise ModelError([Problem((), message)])
    clock, counts = np.zeros(loop.CLOCK), np.zeros(loop.COUNTS, dtype=np.int64)
    clock[loop.LAST_ERROR] = 1e-4
    clock[loop.FIRMNESS] = 1.0
    clock[loop.REFERENCE] = run.words["energy"](pack, y)[0]
    counts[loop.PIECE] = np.searchsorted(plant.breaks, 0.0, side="right") - 1
    clock[loop.STEP] = _first_step(run, y, 0.0) if run.method.adaptive else 0.0
    return Checkpoint(y, clock, counts), (*_start_notes(plant, y), *_redundancy_notes(run, y))


def resumed(run: Run, start: Trajectory) -> Checkpoint:
    """The state from which an earlier run goes on: exactly its own with the same method, a new start with another."""
    point, state = start.checkpoint, run.desk.trial.size
    if (
        point.clock.size != loop.CLOCK
        or point.counts.size != loop.COUNTS
        or point.y.size <= 2 * run.plant.positions.size
    ):
        raise OptionError("the trajectory to continue was made by another version of taut, or is damaged; start afresh")
    same = start.options.get("method") == run.method.name and start.options.get("step") in (None, run.rules.fixed)
    if same and point.y.size == state:
        return point
    y, clock, counts = np.zeros(state), point.clock.copy(), point.counts.copy()
    kept = 2 * run.plant.positions.size + 1
    y[:kept] = point.y[:kept]
    clock[loop.START], clock[loop.LAST_ERROR], counts[loop.GRID] = clock[loop.TIME], 1e-4, 0
    clock[loop.STEP] = _first_step(run, y, float(clock[loop.TIME])) if run.method.adaptive else 0.0
    return Checkpoint(y, clock, counts)


def _start_notes(plant: Plant, y: np.ndarray) -> tuple[str, ...]:
    size = plant.positions.size
    names = list(plant.structure.nodes)
    notes = []
    for label, unit, wanted, given in (
        ("positions", "m", plant.positions, y[:size]),
        ("velocities", "m/s", plant.velocities, y[size : 2 * size]),
    ):
        change = np.abs(given.reshape(-1, 3) - wanted).max(axis=1, initial=0.0)
        worst = int(np.argmax(change))
        if change[worst] > 1e-9 * max(1.0, float(np.abs(wanted).max(initial=0.0))):
            notes.append(
                f"start {label} did not fit supports, bars and constraints and were projected onto them; "
                f'the largest change is {change[worst]:.3g} {unit}, at node "{names[worst]}"'
            )
    return tuple(notes)


def _redundancy_notes(run: Run, y: np.ndarray) -> tuple[str, ...]:
    """Which constraints depend on one another at the start."""
    if run.words["prepare"](run.pack, y) <= 0:
        return ()
    vectors = null_vectors(run.pack, y)
    count = len(vectors)
    among = constraint_names(run.plant, np.abs(vectors).max(axis=0) > 1e-9)
    return (
        f"{count} constraint{'s depend' if count > 1 else ' depends'} on others, among {among}; "
        "the motion is unique, and of the forces in them the smallest are reported",
    )


def constraint_names(plant: Plant, chosen: np.ndarray) -> str:
    """Names of chosen constraints, bars first; the first few if there are many."""
    names = [f'bar "{name}"' for name in plant.structure.bars]
    names += [f'constraint "{name}"' for name in plant.structure.constraints]
    picked = [names[k] for k in np.flatnonzero(chosen)]
    return ", ".join(picked[:8]) + (f" and {len(picked) - 8} more" if len(picked) > 8 else "")


def firmness_notes(run: Run, clock: np.ndarray) -> tuple[str, ...]:
    """Whether the constraints came close to depending on one another during the run, when, and which."""
    if not clock[loop.FIRMNESS] < loop.SHAKY:
        return ()
    among = ""
    if run.plant.rows <= SMALL and np.any(run.desk.weak):
        combination = np.abs(weakest_combination(run.plant.tables, run.desk.weak))
        among = " of " + constraint_names(run.plant, combination > 0.1 * combination.max())
    return (
        f"the constraints{among} nearly depended on one another at t = {clock[loop.FIRMNESS_TIME]:.6g} s "
        f"(independence {clock[loop.FIRMNESS]:.1e}); the motion may branch there, so do not trust it beyond",
    )


def _first_step(run: Run, y: np.ndarray, t: float) -> float:
    """A first step from the sizes of the first two derivatives (Hairer, Norsett and Wanner, Solving ODEs I, II.4)."""
    rate, mismatch, tolerance = run.words["rate"], run.words["mismatch"], run.rules.tolerance
    first, second = np.zeros_like(y), np.zeros_like(y)
    run.words["enter"](run.pack, pieces_of(run.plant.breaks, np.array([t]))[0])
    rate(run.pack, t, y, first)
    probe = min(1e-3 * float(run.plant.tables.constants.scale[1]), run.rules.longest)
    rate(run.pack, t + probe, y + probe * first, second)
    steepness = max(
        mismatch(run.pack, y, y, first, tolerance), mismatch(run.pack, y, y, (second - first) / probe, tolerance)
    )
    return float(min(100.0 * probe, (0.01 / max(steepness, 1e-300)) ** (1.0 / run.method.order)))


def pieces_of(breaks: np.ndarray, times: np.ndarray) -> np.ndarray:
    """A time inside the smooth piece of the signals that begins at or before each time."""
    middles = 0.5 * (np.maximum(breaks[:-1], -1e300) + np.minimum(breaks[1:], 1e300))
    return np.asarray(middles[np.searchsorted(breaks, times, side="right") - 1])
