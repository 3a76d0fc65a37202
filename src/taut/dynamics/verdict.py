"""The verdict on a run: how far it is off, whether it can be believed, and why not.

Bar lengths and energy do not tell: a correction keeps both to round-off on the way to a wrong motion, and a step may
fall on every zero of a load. What tells is another run. First a coarser one, which costs little: a run that hardly
differs from it is right by far more than the two differ. Only where that leaves a doubt, a finer one, whose difference
is the error itself. Steps of the others are no multiples of the run's own, so that nothing periodic is missed by both.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from taut.dynamics.driver import ListedTimes, Progress, chunks
from taut.dynamics.load_jumps import jumps
from taut.dynamics.methods.tableau import Implicit
from taut.dynamics.parting import compared
from taut.dynamics.settings import Settings, prepared
from taut.dynamics.trajectory import Overall
from taut.errors import OptionError
from taut.mechanics.plant import Plant
from taut.mechanics.signals import in_order
from taut.structure.signals import Feedback, shortest_period

BELIEVED = 3e-4
"""A run that is off by no more than this fraction of its motion needs no second look."""

DOUBTFUL = 2e-3
"""A run that is off by more than this fraction of its motion is not to be believed."""

STILL = 1e-5
"""A motion smaller than this fraction of a mean member counts as one of that size."""

COARSER_STEP, FINER_STEP = 1.9, 0.37
COARSER, FINER = 1e3, 1.0 / 30.0
"""Factors of a fixed step and of a tolerance."""

COARSEST, FINEST = 1e-2, 1e-13
"""Tolerances between which runs are compared."""

WAVE = 8.0
"""Steps a period that a load needs at least."""

IMBALANCE = 1e-2
"""An imbalance of more than this fraction of the energy in play is an error that shows."""

RESOLVED = 1e-6
"""What a last digit of the coordinates may be, as a fraction of a mean member."""

POINTS, MEMORY = 64, 32_000_000
"""At so many times two runs are compared, or at as many as fit into so many bytes."""

CONTACTS = (
    "; where it tumbles, contacts that come earlier or later change all that follows: what lies beyond is told by a "
    "mean over copies (taut.rollout)"
)
"""What else to do about a run over a ground."""


@dataclass(frozen=True)
class Verdict:
    """sound: whether a run can be believed. accuracy: how far it is off, in words. notes: what is to be said of it."""

    sound: bool
    accuracy: str
    notes: tuple[str, ...]


class Seen:
    """Positions of a run at times that are few and spread over it."""

    def __init__(self, duration: float, every: float, coordinates: int) -> None:
        count = min(POINTS, max(2, MEMORY // (8 * max(coordinates, 1))))
        grid = np.unique(np.round(np.linspace(0.0, duration, count + 1) / every))
        self._wanted = np.append(np.minimum(grid * every, duration), duration)
        self._near = 1e-6 * every
        self._coordinates = coordinates
        self._times: list[np.ndarray] = []
        self._positions: list[np.ndarray] = []

    def look(self, times: np.ndarray, states: np.ndarray) -> None:
        """Keep those states that are wanted."""
        places = np.clip(np.searchsorted(self._wanted, times - self._near), 0, self._wanted.size - 1)
        kept = np.abs(self._wanted[places] - times) <= self._near
        self._times.append(times[kept])
        self._positions.append(states[kept, : self._coordinates].copy())

    @property
    def times(self) -> np.ndarray:
        return np.concatenate(self._times)

    @property
    def positions(self) -> np.ndarray:
        return np.concatenate(self._positions)


def judged(
    settings: Settings,
    seen: Seen,
    overall: Overall,
    progress: Progress | None,
    interrupted: Callable[[], bool],
    *,
    verify: bool,
) -> Verdict:
    """What is to be said of a run that ended well; verify: also by comparing it with others."""
    times, positions = seen.times, seen.positions
    settings = replace(settings, history=0)
    jumpy, broken = settings, tuple[str, ...]()
    if times.size and verify:
        jumpy, broken = _with_breaks(settings, float(times[0]), float(times[-1]))
    said = doubts(settings, positions, overall, broken)
    if times.size < 2 or said or not verify:
        return Verdict(not said, "", said)
    size = max(_motion(positions), STILL * settings.plant.typical_length)
    steps = [(_finer(jumpy), 1.0)] if broken else _others(settings)
    for other, share in steps:
        try:
            found = _positions_at(other, times, progress, interrupted)
        except OptionError as failure:
            return Verdict(False, "", (f"could not be compared with another run: {failure}",))
        if interrupted():
            return Verdict(True, "not known: the comparison with another run was interrupted", ())
        count = found.shape[0]
        difference = np.abs(found - positions[:count]).max(axis=1, initial=0.0)
        whole = count == times.size and bool(np.isfinite(difference).all())
        error = share * float(difference.max(initial=0.0)) if whole else math.inf
        if error <= (BELIEVED if share < 1.0 else DOUBTFUL) * size:
            return Verdict(True, f"{_amount(error, size)}, by a run with {other.words}", ())
    if not whole:
        return Verdict(False, "not known", (f"a run with {other.words} did not get through, so nothing confirms it",))
    parting = compared(times, difference, DOUBTFUL * size, other.words)
    worst = _amount(float(difference.max()), size)
    if math.isfinite(parting.tenfold) and _stable(settings):
        note = (
            f"small differences grow tenfold every {parting.tenfold:.2g} s, so that a run with {other.words} parts "
            f"from it at t = {parting.horizon:.3g} s; the motion can be trusted until then, and not beyond"
        )
        return Verdict(True, f"{worst}, by a run with {other.words}", (note,))
    copied = isinstance(settings.plant, Plant)  # other plants have no rollouts
    note = (
        f"the motion is off by {worst}, from t = {parting.horizon:.3g} s on, as a run with {other.words} shows; "
        f"{_reasons(settings, broken)}{CONTACTS if copied and settings.plant.grounds else ''}"
    )
    return Verdict(False, f"{worst}, by a run with {other.words}", (note,))


def _amount(error: float, size: float) -> str:
    return f"{error:.1e} m ({100.0 * error / size:.2g} % of the motion)"


def _others(settings: Settings) -> list[tuple[Settings, float]]:
    """Runs to compare with, in turn, and which share of the difference a run's own error is at most."""
    if not settings.stepper.adaptive:
        coarser = replace(settings, step=COARSER_STEP * (settings.step or 0.0))
        # Half the order: what is not smooth has less than all of it.
        return [(coarser, 1.0 / (COARSER_STEP ** (0.5 * settings.stepper.order) - 1.0)), (_finer(settings), 1.0)]
    loose = min(COARSEST, COARSER * settings.tolerance)
    share = math.sqrt(settings.tolerance / loose)
    found = [(replace(settings, tolerance=loose), share)] if share < 0.1 else []
    return found + ([(_finer(settings), 1.0)] if FINER * settings.tolerance >= FINEST or not found else [])


def _finer(settings: Settings) -> Settings:
    if not settings.stepper.adaptive:
        return replace(settings, step=FINER_STEP * (settings.step or 0.0))
    return replace(settings, tolerance=max(FINEST, FINER * settings.tolerance))


def _positions_at(
    settings: Settings, times: np.ndarray, progress: Progress | None, interrupted: Callable[[], bool]
) -> np.ndarray:
    """Positions at those times of a run, as far as it comes."""
    run, point, _ = prepared(settings)
    state = point.copied()
    found = [
        states[np.isin(when, times), : settings.plant.coordinates].copy()
        for _, when, states, _, _ in chunks(run, state, ListedTimes(times), float(times[-1]), progress, interrupted)
    ]
    return np.concatenate(found)


def _with_breaks(settings: Settings, begin: float, end: float) -> tuple[Settings, tuple[str, ...]]:
    """The same with steps that end where loads that are functions of time jump; and which loads those are."""
    plant = settings.plant
    if not isinstance(plant, Plant):
        return settings, ()
    found = [
        (plant.loads[called.signal], jumps(called.function, begin, end))
        for called in plant.functions
        if not isinstance(called.function, Feedback)
    ]
    breaks = in_order([*plant.breaks, *(time for _, times in found for time in times)])
    names = tuple(
        f'the load on node "{load.node}" along {load.axis} jumps at t = {times[0]:.6g} s'
        for load, times in found
        if times
    )
    return replace(settings, plant=replace(plant, breaks=breaks)), names


def _stable(settings: Settings) -> bool:
    step = settings.step if not settings.stepper.adaptive else None
    implicit = isinstance(settings.stepper, Implicit)
    return step is None or implicit or step <= settings.plant.shortest_period / math.pi


def _reasons(settings: Settings, broken: tuple[str, ...]) -> str:
    """Why a run is off, as far as its numbers tell, and what to do."""
    plant, told = settings.plant, [*broken]
    remedy = "take a smaller step" if not settings.stepper.adaptive else "take a smaller tolerance"
    if broken:
        remedy = "give that load as a Doublet or a SampledSignal, whose jumps a run steps onto"
    if not settings.stepper.adaptive:
        step = settings.step or 0.0
        if not _stable(settings):
            told.append(f"the step is longer than the {plant.shortest_period / math.pi:.1e} s up to which it is stable")
        loads = plant.loads if isinstance(plant, Plant) else ()
        period = min((shortest_period(load.signal) for load in loads), default=math.inf)
        if WAVE * step > period:
            told.append(f"a load has a period of {period:.2g} s, less than {WAVE:g} steps")
    return "; ".join([*told, remedy])


def doubts(
    settings: Settings, positions: np.ndarray, overall: Overall, broken: tuple[str, ...] = ()
) -> tuple[str, ...]:
    """Why a run is not to be believed, as far as it can be told without another one; broken: loads that jump."""
    moves = _motion(positions) > STILL * settings.plant.typical_length
    return (*_distance_doubt(settings, positions), *(_energy_doubt(settings, overall, broken) if moves else ()))


def _motion(positions: np.ndarray) -> float:
    """How far the coordinate goes that goes farthest."""
    return float(np.abs(positions - positions[:1]).max(initial=0.0))


def _distance_doubt(settings: Settings, positions: np.ndarray) -> tuple[str, ...]:
    """Whether the structure is so far from the origin that round-off moves it."""
    length, reach = settings.plant.typical_length, float(np.abs(positions).max(initial=0.0))
    digit = float(np.spacing(reach))
    if not digit > RESOLVED * length:
        return ()
    return (
        f"coordinates of {reach:.1e} m resolve no less than {digit:.1e} m, too coarse for members of {length:.2g} m: "
        "move the structure to the origin",
    )


def _energy_doubt(settings: Settings, overall: Overall, broken: tuple[str, ...]) -> tuple[str, ...]:
    """Whether energy came from nowhere or went there. An implicit method damps what is fast, and is meant to."""
    lost, play = overall.worst_energy, overall.energy_in_play
    if isinstance(settings.stepper, Implicit) or not lost > IMBALANCE * play:
        return ()
    return (f"the energy is off by {lost:.2g} J, with {play:.2g} J in play; {_reasons(settings, broken)}",)
