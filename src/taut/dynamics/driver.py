"""Following a run that is ready: the time loop called in bites, so that progress can be shown and Ctrl-C heard, and its
states in chunks, so that they can be read off and let go."""

from __future__ import annotations

import math
import time as clocks
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Protocol

import numpy as np

from taut.dynamics import time_loop as loop
from taut.dynamics import workspace as at
from taut.dynamics.blown_steps import wildest_member
from taut.dynamics.setup import MOST_STEPS, Run
from taut.dynamics.trajectory import Checkpoint

Progress = Callable[[float, float], None]
"""Called now and then with the simulated time and the duration [s]."""

LATENCY = 0.1
"""About how long [s] the compiled loop runs before Python may report or be interrupted."""

CHUNK = 32_000_000
"""About how many bytes of states are held before they are handed on."""

HANDED_ON = 2.0
"""Seconds after which they are handed on however few they are."""

SURE = 20_000
"""Steps tried in a row by which it is judged whether a run can reach its end."""

ENDLESS = -2
"""How a run ended that could not; the loop's own codes are from -1 on."""


class Times(Protocol):
    """Times at which states are wanted, in order."""

    @property
    def size(self) -> int: ...

    def part(self, begin: int, end: int) -> np.ndarray:
        """Some of them by number."""


@dataclass(frozen=True)
class ListedTimes:
    """Few times, one by one."""

    listed: np.ndarray

    @property
    def size(self) -> int:
        return self.listed.size

    def part(self, begin: int, end: int) -> np.ndarray:
        return self.listed[begin:end]


@dataclass(frozen=True)
class SampleTimes:
    """Multiples of `every` up to the duration, and the duration itself; made where they are asked for.

    first: the number of the multiple they begin with.
    """

    duration: float
    every: float
    first: int = 0

    @cached_property
    def size(self) -> int:
        return self._multiples + int(self._odd_end) - self.first

    @cached_property
    def _multiples(self) -> int:
        return math.floor(self.duration / self.every * (1.0 + 1e-12) + 1e-9) + 1

    @property
    def _odd_end(self) -> bool:
        return (self._multiples - 1) * self.every < self.duration - 1e-9 * self.every

    def part(self, begin: int, end: int) -> np.ndarray:
        """Some of them by number."""
        begin, end = self.first + begin, self.first + min(end, self.size)
        times = np.arange(begin, min(end, self._multiples)) * self.every
        return np.append(times, self.duration) if begin < end > self._multiples else times

    def after(self, time: float) -> SampleTimes:
        """Those of the whole duration that come later."""
        whole = replace(self, first=0)
        begin = min(max(math.floor(time / self.every) - 1, 0), whole.size)
        return replace(whole, first=begin + int(np.searchsorted(whole.part(begin, begin + 4), time, side="right")))


class Pace:
    """How far a run came with its last steps, chunk after chunk, to tell whether it can reach its end."""

    def __init__(self, state: Checkpoint) -> None:
        self._since, self._tried = float(state.clock[at.TIME]), _tried(state.counts)

    def left(self, state: Checkpoint) -> int:
        """Steps until it is judged: after the same ones on any machine."""
        return SURE - _tried(state.counts) + self._tried

    def endless(self, state: Checkpoint, duration: float) -> bool:
        """Whether more steps than anyone waits for would be left, as far as it is known by now."""
        if self.left(state) > 0:
            return False
        came, self._since = float(state.clock[at.TIME]) - self._since, float(state.clock[at.TIME])
        self._tried = _tried(state.counts)
        return (duration - self._since) * SURE > MOST_STEPS * came


def drive(
    run: Run,
    state: Checkpoint,
    times: np.ndarray,
    states: np.ndarray,
    duration: float,
    progress: Progress | None,
    interrupted: Callable[[], bool],
    pace: Pace | None = None,
) -> tuple[int | None, np.ndarray, np.ndarray]:
    """Call the time loop in bites until every time has its state; returns how it ended, steps tried, events."""
    budget, code = 16, loop.PAUSED
    longest = run.space.history.shape[0] or 10**9
    noted, happened = [np.zeros((0, 4))], [np.zeros((0, 3))]
    clock, counts = state.clock, state.counts
    counts[at.FILLED] = 0
    if counts[at.FRESH] == 1 and run.rules.sample_stages > 0:
        # What acts at its start was counted when the last chunk found it. When chunks end, the clock on the wall says.
        counts[at.EVALUATIONS] -= 1
    counts[at.FRESH] = 0
    pace = pace or Pace(state)
    while code == loop.PAUSED and not interrupted():
        begun = clocks.perf_counter()
        bite = min(budget, pace.left(state))
        with np.errstate(over="ignore", invalid="ignore"):  # as compiled; a state that is not finite ends the run
            code = run.words["time_loop"](
                run.handed,
                run.method.numbers,
                run.rules,
                run.plant.breaks,
                clock,
                counts,
                state.y,
                times,
                states,
                run.space,
                bite,
            )
        spent = clocks.perf_counter() - begun
        budget = int(min(max(bite * LATENCY / max(spent, 1e-6), 1), 4 * bite, longest))
        noted.append(run.space.history[: counts[at.NOTED]].copy())
        happened.append(run.space.log[: counts[at.LOGGED]].copy())
        counts[at.NOTED] = counts[at.LOGGED] = 0
        if progress is not None:
            progress(min(float(clock[at.TIME]), duration), duration)
        if code == loop.UNDECIDED:
            run.plant.raise_stops()
        if code == loop.PAUSED and pace.endless(state, duration) and run.rules.fixed == 0.0:
            code = ENDLESS
    return None if code == loop.PAUSED else code, np.concatenate(noted), np.concatenate(happened)


def chunks(
    run: Run,
    state: Checkpoint,
    times: Times,
    duration: float,
    progress: Progress | None,
    interrupted: Callable[[], bool],
    most: int | None = None,
) -> Iterator[tuple[int | None, np.ndarray, np.ndarray, np.ndarray, np.ndarray]]:
    """Chunk after chunk of a run: how it ended, None where it was interrupted, PAUSED where it goes on; times; states;
    steps; events. most: states in a chunk, at most.

    The loop ends a chunk as it ends a run and begins the next as it continues one, to the last bit. A chunk ends where
    members are cut, since what is read off its states is read off the members as they were.
    """
    rows = most or max(1, CHUNK // (8 * state.y.size))
    states = np.zeros((min(rows, times.size), state.y.size))
    begin, last, due, pace = 0, -np.inf, 0.0, Pace(state)

    def pausing() -> bool:
        return interrupted() or clocks.monotonic() > due

    while True:
        wanted = times.part(begin, begin + rows)
        due = clocks.monotonic() + HANDED_ON
        code, noted, log = drive(run, state, wanted, states, duration, progress, pausing, pace)
        filled = int(state.counts[at.FILLED])
        begin += filled
        last = wanted[filled - 1] if filled else last
        goes_on = (code is None and not interrupted()) or (code == loop.FINISHED and begin < times.size)
        yield loop.PAUSED if goes_on else code, wanted[:filled], states[:filled], noted, log
        if code == loop.TO_CUT and run.watcher:
            run.watcher.cut(run.tables, int(state.counts[at.LAST_EVENT]), state.y)
        elif not goes_on:
            break
    now = state.clock[at.TIME : at.TIME + 1]
    if code == loop.STOPPED and last < now[0]:
        yield code, now, state.y[None], np.zeros((0, 4)), np.zeros((0, 3))


def _tried(counts: np.ndarray) -> int:
    return int(counts[at.STEPS] + counts[at.REJECTED])


def _farthest(run: Run) -> str:
    """Which constraint is left farthest off by the step that failed, where that is known."""
    plant, off = run.plant, np.zeros(run.plant.rows)
    if plant.lanes or not plant.rows:
        return ""
    run.words["residuals"](run.tables, run.space.vectors[at.TRIAL], off, np.zeros_like(off))
    known = np.isfinite(off).all() and np.any(off)
    return f" (farthest off: {plant.constraint_names[int(np.argmax(np.abs(off)))]})" if known else ""


def status_of(code: int | None, run: Run, clock: np.ndarray, y: np.ndarray | None = None) -> str:
    """y: the state at the end, to name the member that a step was too long for."""
    t = f"t = {clock[at.TIME]:.6g} s"
    if code == loop.FINISHED:
        return "finished"
    if code == loop.STOPPED:
        return f"finished at {t}, where it was to stop"
    if code is None:
        return f"interrupted at {t}"
    obstacle = run.plant.obstacle(run.tables) if code in (loop.STUCK, loop.BLOWN, loop.UNDECIDED, ENDLESS) else ""
    if obstacle:
        return f"stopped at {t}: {obstacle}"
    if code == loop.STUCK:
        return f"stopped at {t}: the step fell to {clock[at.STEP]:.1e} s, below round-off; the motion is singular there"
    if code == ENDLESS:
        return (
            f"stopped at {t}: its steps are about {clock[at.STEP]:.1e} s, and more than {MOST_STEPS:.0e} of them would "
            "be left to the end; look for a mass, a stiffness or a load that is out of proportion, or take another "
            "method, a looser tolerance or a shorter duration"
        )
    if code == loop.UNHELD:
        told = f"stopped at {t}: the correction could not bring the bars back to their lengths{_farthest(run)}"
        return f"{told}; take a smaller step, or look whether what is imposed can be met"
    member = "" if y is None else wildest_member(run.plant, y, run.rules.fixed)
    told = f"stopped at {t}: the next state is not finite; a step of {run.rules.fixed:g} s is too long here"
    return f"{told}: {member}" if member else told
