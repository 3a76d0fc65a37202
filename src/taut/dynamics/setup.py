"""What a run needs before its first step: options that make sense, a start on the constraints, a first step."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from taut.dynamics import time_loop as loop
from taut.dynamics import workspace as at
from taut.dynamics.correction import CONSTRAINTS, STARTED, Correction, limits_of
from taut.dynamics.loops import words_for
from taut.dynamics.method_uses import handed_on, stepper_of, use_of
from taut.dynamics.methods.tableau import EnergyMomentum, Implicit, Impulses, Method, Rattle
from taut.dynamics.settling import HELD
from taut.dynamics.trajectory import Checkpoint, Trajectory
from taut.errors import ModelError, OptionError, Problem, listed
from taut.mechanics import capabilities
from taut.mechanics.conserving.conserving_plant import conserving_plant
from taut.mechanics.contact.facts import inside_grounds, sunk_notes
from taut.mechanics.implicit_plant import implicit_plant
from taut.mechanics.operations.event_words import Watcher
from taut.mechanics.plant import Plant
from taut.mechanics.plant_protocol import PlantProtocol
from taut.mechanics.signals import pieces_of
from taut.mechanics.tables import state_layout
from taut.numerics.called import Called
from taut.numerics.lanes import aligned
from taut.structure.corrections import PRINTED
from taut.structure.magnitudes import size_problem
from taut.structure.straight_angles import straight_notes

MOST_STEPS = 1e9
"""More steps or samples than anyone waits for; such a number is a slip."""

LEAST_TOLERANCE, MOST_TOLERANCE = 1e-15, 0.1
"""Below the first is round-off; beyond the second a step may be wrong by a good part of a member's length."""

ROUNDED = 3.0
"""So many times above the tolerance, round-off is worth a word."""


EXPLICIT_ONLY = ("baumgarte", *PRINTED)
"""Corrections for methods that do not meet the constraints by themselves."""

UNLOCATING = (Impulses, EnergyMomentum)
"""Methods that strike where their steps end, and locate nothing."""


@dataclass(frozen=True)
class Run:
    """A plant, a method and their rules, put together once; `words` are the algorithms bound to the plant."""

    plant: PlantProtocol
    tables: Any
    words: dict[str, Callable[..., Any]]
    method: Method | Rattle
    rules: at.Rules
    space: at.Workspace
    addresses: np.ndarray | None = None  # of the plant's operations, where the loop calls them by these

    @property
    def handed(self) -> Any:
        """The tables as the time loop is handed them."""
        return (
            self.tables if self.addresses is None else Called(self.tables.integers, self.tables.reals, self.addresses)
        )

    @property
    def watcher(self) -> Watcher | None:
        """What knows of events, where they are located."""
        return self.plant.watcher if self.space.log.shape[0] else None


def check_options(
    plant: PlantProtocol,
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
        if value is not None and (wrong := size_problem(value)):
            raise OptionError(f"{name} {wrong}")
    for name, value in (("every", every), ("step", step)):
        if value is not None and duration / value > MOST_STEPS:
            raise OptionError(
                f"{name} {value:g} s is too short for a duration of {duration:g} s: {duration / value:.1e} of them, "
                f"more than {MOST_STEPS:.0e}"
            )
    if tolerance < LEAST_TOLERANCE:
        raise OptionError(f"tolerance {tolerance:g} is below round-off; take {LEAST_TOLERANCE:g} or more")
    if tolerance > MOST_TOLERANCE:
        raise OptionError(
            f"tolerance {tolerance:g} lets every step be wrong by {tolerance:g} of a member's length; take "
            f"{MOST_TOLERANCE:g} or less"
        )
    if not method.adaptive and step is None:
        stable = plant.shortest_period / math.pi
        explicit = math.isfinite(stable) and not isinstance(method, EnergyMomentum)
        advice = f"; explicit steps are stable below about {stable:.1e} s here" if explicit else ""
        raise OptionError(f'method "{method.name}" needs a step [s]{advice}')
    if method.adaptive and step is not None:
        raise OptionError(f'method "{method.name}" chooses its own step; give a tolerance instead, or use rk4')
    if isinstance(method, Rattle | Implicit) and (wish.kind in EXPLICIT_ONLY or wish.metric != "mass"):
        raise OptionError(f'method "{method.name}" meets the constraints itself, by mass; leave the correction out')
    if isinstance(method, EnergyMomentum) and wish.kind == "energy":
        raise OptionError(f'method "{method.name}" conserves energy itself; leave the correction out')
    if isinstance(method, Impulses) and wish.kind == "energy":
        raise OptionError(
            f'method "{method.name}" knows the work of impacts to the order of its step, so that there is no energy to '
            "correct to; leave the correction out"
        )
    capabilities.check(use_of(method), capabilities.features_of(plant), method.name)


def prepare_run(
    plant: PlantProtocol,
    method: Method | Rattle,
    wish: Correction,
    tolerance: float,
    step: float | None,
    *,
    dense: bool,
    history: int,
    watches: bool = False,
) -> Run:
    """watches: whether events are located."""
    if isinstance(method, Implicit) and isinstance(plant, Plant):
        plant = implicit_plant(plant)
    if isinstance(method, EnergyMomentum) and isinstance(plant, Plant):
        plant = conserving_plant(plant)
    alpha, beta = wish.gains if wish.kind == "baumgarte" else (0.0, 0.0)
    tables = plant.own_tables(metric=wish.metric, gains=(2.0 * alpha, beta * beta))
    coordinates = plant.coordinates
    limits = limits_of(wish, coordinates, plant.rows, plant.typical_time, works=plant.works)
    rules = at.Rules(
        tolerance=tolerance,
        fixed=0.0 if method.adaptive else float(step or 0.0),
        # What is stable whatever its step may pass over what is fast.
        longest=math.inf if isinstance(method, Implicit | EnergyMomentum) else plant.shortest_period,
        error_order=method.error_order or 0,
        stages=method.stages,
        sample_stages=handed_on(plant, method),
        dense=dense,
        limits=limits,
    )
    remainders = method.remainders if isinstance(method, Rattle) else 0
    state = state_layout(coordinates, plant.internal.size, remainders).size
    watched = plant.watcher.count if plant.watcher and watches else 0
    printed = wish.kind in PRINTED
    space = at.workspace(method.rows, state, coordinates, plant.rows, history, watched, plant.lanes, printed=printed)
    looks = watched > 0
    if isinstance(method, UNLOCATING):
        looks = isinstance(method, Impulses) and plant.watcher is not None and bool(plant.watcher.watched)
    words, addresses = words_for(plant, stepper_of(method), dense=dense, watches=looks, printed=printed)
    return Run(plant, tables, words, method, rules, space, addresses)


def beginning(
    run: Run, *, locate: bool = True, internal: np.ndarray | None = None
) -> tuple[Checkpoint, tuple[str, ...]]:
    """The start brought onto the constraints, the first step, and what is worth saying about them.

    locate: whether the instants are found at which cables slacken and tighten; where not, only what is watched.
    internal: what commands and measurements begin with, where not with the plant's own.
    """
    if isinstance(run.method, UNLOCATING):
        locate = False  # steps strike where they end
    if not locate and not isinstance(run.method, Impulses):
        capabilities.check(capabilities.UNLOCATED, capabilities.features_of(run.plant))
    plant, tables, scratch = run.plant, run.tables, run.space.scratch
    size = plant.coordinates
    y = aligned(np.zeros(run.space.vectors.shape[1:]))
    y[:size], y[size : 2 * size] = plant.start()
    layout = state_layout(size, plant.internal.size, 0)
    if plant.internal.size:
        y[layout.internal : layout.size] = plant.internal.reshape(-1, *(1 for _ in plant.lanes))
        coming = plant.coming(tables)
        if internal is not None:
            y[layout.internal : layout.internal + coming.size] = internal
        coming[:] = y[layout.internal : layout.internal + coming.size]
    limits = run.rules.limits._replace(level=CONSTRAINTS)
    run.words["impose"](tables, 0.0, y)
    if not run.words["held"](tables, y, limits, scratch):
        run.words["correct"](tables, y, 0.0, limits, scratch, False)
    residual = np.zeros((plant.rows, *plant.lanes))
    worst, _ = run.words["residuals"](tables, y, residual, np.zeros_like(residual))
    if not worst < HELD:
        widest = np.flatnonzero((np.abs(residual) >= 0.5 * np.abs(residual).max()).reshape(plant.rows, -1).any(axis=1))
        message = (
            f"the supports, bars and constraints cannot all be met from this start: {constraint_names(plant, widest)} "
            f"stays {np.abs(residual).max():.3g} m off; move the nodes, or take one of them away"
        )
        raise ModelError([Problem((), message)])
    run.words["impose"](tables, 0.0, y)  # once more: a drive may answer to the state
    if inside := inside_grounds(plant, tables, y):
        moved = float(np.abs(y[:size] - plant.start()[0]).max())
        why = f", after lengths at t = 0 moved nodes by up to {moved:.3g} m (let drives in by a SmoothStart)"
        told = listed(inside, most=4) + (why if moved > HELD else "")
        message = f"at the start {told}; lift the structure, or move the ground"
        raise ModelError([Problem(("ground",), message)])
    sunk = sunk_notes(plant, tables, y)
    clock, counts = np.zeros(at.CLOCK), np.zeros(at.COUNTS, dtype=np.int64)
    clock[at.LAST_ERROR] = 1e-4
    clock[at.INDEPENDENCE] = 1.0
    clock[at.TICK], clock[at.HORIZON] = (0.0 if plant.ticks else math.inf), math.inf
    counts[at.PENDING] = int(plant.ticks)  # controllers decide first of all
    if run.watcher:
        run.watcher.begin(tables, y, locate=locate)
    run.words["remember"](tables, y, scratch)
    clock[at.REFERENCE] = scratch[STARTED, 0].flat[0]
    counts[at.PIECE] = np.searchsorted(plant.breaks, 0.0, side="right") - 1
    clock[at.STEP] = _first_step(run, y, 0.0) if run.method.adaptive else 0.0
    point = Checkpoint(y, clock, counts, memory=plant.memory(tables).copy())
    changes = () if plant.lanes else plant.changes(y[:size], y[size : 2 * size])
    straight = straight_notes(plant.structure)
    return point, () if plant.lanes else (*changes, *sunk, *straight, *_redundancy_notes(run, y))


def resumed(run: Run, start: Trajectory) -> Checkpoint:
    """The state from which an earlier run goes on: exactly its own with the same method, a new start with another."""
    point, state = start.checkpoint, run.space.vectors.shape[1]
    if point.clock.size != at.CLOCK or point.counts.size != at.COUNTS or point.y.size <= 2 * run.plant.coordinates:
        raise OptionError("the trajectory to continue was made by another version of taut, or is damaged; start afresh")
    if run.watcher:
        run.watcher.go_on(run.tables, point.flags)
    remember(run, point)
    run.space.scratch[STARTED, 0] = point.clock[at.REFERENCE]
    same = start.options.get("method") == run.method.name and start.options.get("step") == (run.rules.fixed or None)
    if same and point.y.size == state:
        clock = point.clock.copy()
        clock[at.HORIZON] = math.inf  # nobody steps it any more
        return replace(point, clock=clock)
    y, clock, counts = np.zeros(state), point.clock.copy(), point.counts.copy()
    kept = state_layout(run.plant.coordinates, run.plant.internal.size, 0).size
    y[:kept] = point.y[:kept]
    clock[at.HORIZON] = math.inf
    clock[at.START], clock[at.LAST_ERROR] = clock[at.TIME], 1e-4
    counts[at.GRID] = counts[at.FRESH] = 0
    clock[at.STEP] = _first_step(run, y, float(clock[at.TIME])) if run.method.adaptive else 0.0
    return Checkpoint(y, clock, counts, point.flags, point.memory)


def remember(run: Run, point: Checkpoint) -> None:
    """Give a run what its controllers and commands were at a checkpoint."""
    memory, plant = run.plant.memory(run.tables), run.plant
    if memory.size != point.memory.size:
        raise OptionError("the checkpoint is of other controllers; start afresh")
    memory[:] = point.memory
    if plant.internal.size:
        layout = state_layout(plant.coordinates, plant.internal.size, 0)
        coming = plant.coming(run.tables)
        coming[:] = point.y[layout.internal : layout.internal + coming.size]


def _redundancy_notes(run: Run, y: np.ndarray) -> tuple[str, ...]:
    """Which constraints depend on one another at the start."""
    vectors = run.plant.dependent(run.tables, y)
    count = len(vectors)
    if not count:
        return ()
    among = constraint_names(run.plant, np.flatnonzero(np.abs(vectors).max(axis=0) > 1e-9))
    return (
        f"{count} constraint{'s depend' if count > 1 else ' depends'} on others, among {among}; "
        "the motion is unique, and of the forces in them the smallest are reported",
    )


def constraint_names(plant: PlantProtocol, chosen: np.ndarray) -> str:
    """Names of constraints by their numbers; the first few if there are many."""
    names = plant.constraint_names
    return listed([names[k] for k in chosen], most=8)


def independence_notes(run: Run, clock: np.ndarray) -> tuple[str, ...]:
    """Whether the constraints came close to depending on one another during the run, when, and which."""
    if not clock[at.INDEPENDENCE] < loop.SHAKY:
        return ()
    among = ""
    weak = run.space.vectors[at.WEAK]
    combination = np.abs(run.plant.weakest(weak)) if np.any(weak) and not run.plant.lanes else np.zeros(0)
    if combination.size:
        among = " of " + constraint_names(run.plant, np.flatnonzero(combination > 0.1 * combination.max()))
    return (
        f"the constraints{among} nearly depended on one another at t = {clock[at.INDEPENDENCE_TIME]:.6g} s "
        f"(independence {clock[at.INDEPENDENCE]:.1e}); the motion may branch there, so do not trust it beyond",
    )


def rounding_notes(run: Run, point: Checkpoint) -> tuple[str, ...]:
    """Whether the tolerance asks for more than round-off leaves, by the mean step and the state at the end."""
    steps, tolerance, error_size = int(point.counts[at.STEPS]), run.rules.tolerance, run.words["error_size"]
    if not run.method.adaptive or not steps or not np.isfinite(point.y).all():
        return ()
    step, size, probe = float(point.clock[at.TIME]) / steps, run.plant.coordinates, np.zeros_like(point.y)
    probe[size : 2 * size] = 1.0
    asked, met = (error_size(run.tables, point.y, point.y, probe, tolerance, h) for h in (0.0, step))
    if not asked > met * ROUNDED:
        return ()
    return (
        f"tolerance {tolerance:g} is below the round-off of the stiffest members, which is that of about "
        f"{tolerance * asked / met:.1g} here; steps were chosen by that, since shorter ones would gain nothing",
    )


def _first_step(run: Run, y: np.ndarray, t: float) -> float:
    """A first step from the sizes of the first two derivatives (Hairer, Norsett and Wanner, Solving ODEs I, II.4)."""
    rate, error_size, tolerance = run.words["rate"], run.words["error_size"], run.rules.tolerance
    first, second = np.zeros_like(y), np.zeros_like(y)
    run.words["enter_piece"](run.tables, pieces_of(run.plant.breaks, np.array([t]))[0])
    rate(run.tables, t, y, first)
    probe = min(1e-3 * run.plant.typical_time, run.rules.longest)
    rate(run.tables, t + probe, y + probe * first, second)
    steepness = max(
        error_size(run.tables, y, y, first, tolerance, 0.0),
        error_size(run.tables, y, y, (second - first) / probe, tolerance, 0.0),
    )
    return float(min(100.0 * probe, (0.01 / max(steepness, 1e-300)) ** (1.0 / run.method.order)))
