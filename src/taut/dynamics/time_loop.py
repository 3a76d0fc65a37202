"""The time loop: steps, their acceptance, corrections, and samples on the output grid. Written once for every plant.

A sample between two steps is, unless asked otherwise, not interpolated: the step is taken again, shorter, to the very
time, and corrected like any other, so samples are as good as steps. The step that crosses the last sample is not kept.
A later run starts from the same state with the same step and repeats it, which is why a run in two parts is the same to
the last bit as one in one part.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from taut.dynamics import energy_momentum, implicit, impulses, no_events, printed_corrections, rattle, step_events
from taut.dynamics.contact_operations import note_contacts
from taut.dynamics.correction import balanced, close, correct, held, overshoot, rebalance, remember
from taut.dynamics.event_location import coming, happen, seek
from taut.dynamics.operations import (
    decide,
    enter_piece,
    impose,
    independence,
    pass_break,
    row,
)
from taut.dynamics.settling import counted, keep_start, settle
from taut.dynamics.stepping import advance, begin, blend, estimate, hand_on, widen
from taut.dynamics.workspace import (
    ERROR,
    EVALUATIONS,
    EVENTS,
    FILLED,
    FRESH,
    GRID,
    HORIZON,
    INDEPENDENCE,
    INDEPENDENCE_TIME,
    LAST_ERROR,
    LAST_EVENT,
    LOGGED,
    NOTED,
    PENDING,
    PIECE,
    REJECTED,
    SAMPLE,
    START,
    STEP,
    STEPS,
    TICK,
    TIME,
    TRIAL,
    WEAK,
    ZERO,
)
from taut.mechanics.signals import TOGETHER
from taut.numerics.powers import raised
from taut.numerics.vectors import finite, put

FINISHED, PAUSED, STUCK, UNHELD, BLOWN, STOPPED, TO_CUT, AWAITED, UNDECIDED = range(9)
GO_ON = -1

SHAKY = 1e-4
"""Constraints less independent than this are worth a word (see `independence`)."""


def note(t: float, h: float, error: float, accepted: float, counts: np.ndarray, history: np.ndarray) -> None:
    """Write a step into the history, if one is kept."""
    row = counts[NOTED]
    if row < history.shape[0]:
        history[row, 0] = t
        history[row, 1] = h
        history[row, 2] = error
        history[row, 3] = accepted
        counts[NOTED] = row + 1


def note_independence(plant: Any, clock: np.ndarray, y: np.ndarray, weak: np.ndarray) -> None:
    """Remember when the constraints were least independent, and the state if that was close to a loss of rank."""
    firm = independence(plant)
    if firm < clock[INDEPENDENCE]:
        clock[INDEPENDENCE] = firm
        clock[INDEPENDENCE_TIME] = clock[TIME]
        if firm < SHAKY:
            put(weak, y)


def count_events(counts: np.ndarray, logged: int) -> None:
    """So much of the log is filled now."""
    counts[EVENTS] += logged - counts[LOGGED]
    counts[LOGGED] = logged


def take_place(plant: Any, event: int, t: float, y: np.ndarray, counts: np.ndarray, log: np.ndarray) -> int:
    """Let an event happen at a state; returns how the call ends with it, or GO_ON."""
    left, now = happen(plant, event, t, y, log, counts[LOGGED])
    count_events(counts, now)
    counts[LAST_EVENT] = event
    counts[FRESH] = 0
    return GO_ON if left == 0 else STOPPED if left == 1 else TO_CUT


def inside_piece(breaks: np.ndarray, clock: np.ndarray, counts: np.ndarray) -> float:
    """A time inside the smooth piece in which things stand; at a break that is not crossed yet, the piece before it."""
    t = clock[TIME]
    edge = min(breaks[counts[PIECE] + 1], clock[TICK], clock[HORIZON], 1e300)
    if counts[PENDING] == 0 and edge > t:
        return float(0.5 * (t + edge))
    return float(0.5 * (max(breaks[counts[PIECE]], -1e300) + t))


def cross(plant: Any, breaks: np.ndarray, clock: np.ndarray, counts: np.ndarray, y: np.ndarray, log: np.ndarray) -> int:
    """Go over the break that is reached: controllers that are due decide, and what changes there is let in.

    Returns how the call ends with it, or GO_ON.
    """
    t = clock[TIME]
    near = t + TOGETHER * max(1.0, abs(t))
    impose(plant, t, y)  # once for all that is measured, and for what jumps
    if near >= clock[TICK]:
        due = decide(plant, t, y)
        if due < 0.0:
            return UNDECIDED
        clock[TICK] = due
    if near >= breaks[counts[PIECE] + 1]:
        counts[PIECE] += 1
    inside = 0.5 * (t + min(breaks[counts[PIECE] + 1], clock[TICK], clock[HORIZON], 1e300))
    count_events(counts, pass_break(plant, t, inside, y, log, counts[LOGGED]))
    counts[PENDING] = 0
    return GO_ON


def time_loop(
    plant: Any,
    method: Any,
    rules: Any,
    breaks: np.ndarray,
    clock: np.ndarray,
    counts: np.ndarray,
    y: np.ndarray,
    targets: np.ndarray,
    samples: np.ndarray,
    d: Any,
    budget: int,
) -> int:
    """Step on until every target time has its sample or the budget of steps is used; returns how it ended."""
    stages, side, history, log, b = d.stages, d.side, d.history, d.log, d.scratch
    trial, sample, difference = row(d.vectors, TRIAL), row(d.vectors, SAMPLE), row(d.vectors, ERROR)
    zero, weak = row(d.vectors, ZERO), row(d.vectors, WEAK)
    limits, tolerance = rules.limits, rules.tolerance
    landed = True  # at a time at which something may be due
    done, free, hands_on = counts[FILLED], limits.level == 0, rules.sample_stages < rules.stages
    enter_piece(plant, inside_piece(breaks, clock, counts))
    if counts[PENDING] == 1:
        code = cross(plant, breaks, clock, counts, y, log)
        if code != GO_ON:
            return code
    while True:
        t = clock[TIME]
        while done < targets.size and targets[done] <= t:
            put(row(samples, done), y)
            done += 1
        counts[FILLED] = done
        if done == targets.size:
            return FINISHED
        if budget == 0 or 2 * counts[LOGGED] > log.shape[0]:
            return PAUSED
        budget -= 1
        if landed:
            event = coming(plant, t)
            if event >= 0:
                code = take_place(plant, event, t, y, counts, log)
                if code != GO_ON:
                    return code
                continue
            landed = False

        if rules.fixed > 0.0:
            end = clock[START] + (counts[GRID] + 1) * rules.fixed
        else:
            end = t + min(clock[STEP], rules.longest)
        edge = min(breaks[counts[PIECE] + 1], clock[TICK], clock[HORIZON])
        lands = edge - end < 1e-3 * (end - t)
        if lands:
            end = edge
        h = end - t
        if not t + 0.1 * h > t:
            return STUCK
        if counts[FRESH] == 0:
            counts[EVALUATIONS] += begin(plant, t, y, stages)
            counts[FRESH] = 1
        counts[EVALUATIONS] += advance(plant, method, t, h, y, stages, trial, b, rules.stages)

        error = 0.0
        sound = finite(trial)
        if rules.fixed == 0.0 and sound:
            error = estimate(plant, method, h, y, stages, trial, difference, zero, tolerance)
        if not sound or not error <= 1.0:
            if rules.fixed > 0.0:
                return BLOWN
            shrink = 0.9 * raised(error, -1.0 / (rules.error_order + 1)) if sound and error < 1e10 else 0.1
            clock[STEP] = h * max(0.1, shrink)
            counts[REJECTED] += 1
            note(t, h, error, 0.0, counts, history)
            continue
        widened = rules.dense and done < targets.size and targets[done] < end - 1e-12 * h
        if widened:
            counts[EVALUATIONS] += widen(plant, method, t, h, y, stages, trial, sample)
        event, length, more = seek(plant, method, t, h, y, stages, side, trial, sample, b, rules.sample_stages)
        counts[EVALUATIONS] += more
        if event >= 0 and length < h - 1e-12 * h:
            end, lands = t + length, False
        if event >= 0 and not end > t:
            code = take_place(plant, event, t, y, counts, log)
            if code != GO_ON:
                return code
            continue
        impose(plant, end, trial)  # the search may have left the plant at another time
        keep_start(y, limits, b)
        used = 0 if free else settle(plant, trial, counts, limits, b)
        if used < 0:
            if rules.fixed > 0.0:
                return UNHELD
            clock[STEP] = 0.5 * h
            counts[REJECTED] += 1
            note(t, h, error, 0.0, counts, history)
            continue

        while done < targets.size and targets[done] < end - 1e-12 * h:
            if widened:
                blend(method, (targets[done] - t) / h, h, y, stages, d.blend, sample)
                impose(plant, targets[done], sample)
            else:
                put(row(side, 0), row(stages, 0))
                counts[EVALUATIONS] += advance(
                    plant, method, t, targets[done] - t, y, side, sample, b, rules.sample_stages
                )
            if not free and settle(plant, sample, counts, limits, b) < 0:
                return UNHELD
            put(row(samples, done), sample)
            done += 1
        counts[FILLED] = done
        if done < targets.size and targets[done] <= end + 1e-12 * h:
            put(row(samples, done), trial)
            done += 1
        elif done == targets.size:
            return FINISHED
        counts[FILLED] = done

        count_events(counts, note_contacts(plant, end, y, trial, log, counts[LOGGED]))
        put(y, trial)
        clock[TIME] = end
        counts[STEPS] += 1
        if history.shape[0] > 0:
            note(t, end - t, error, 1.0, counts, history)
        note_independence(plant, clock, y, weak)
        counts[FRESH] = 0
        if hands_on and used == 0 and not lands:
            hand_on(stages, rules.sample_stages)
            counts[FRESH] = 1
        if rules.fixed > 0.0:
            # A break a hair before the grid counts as on it: no step fits between the two.
            if end >= clock[START] + (counts[GRID] + 1 - 1e-3) * rules.fixed:
                counts[GRID] += 1
        else:
            k = rules.error_order + 1
            error = max(error, 1e-10)
            grow = 0.9 * raised(error, -0.85 / k) * raised(clock[LAST_ERROR], 0.2 / k)
            longer = h * min(5.0, max(0.2, grow))
            clock[STEP] = max(longer, clock[STEP]) if lands else longer
            clock[LAST_ERROR] = max(error, 1e-4)
        if lands:
            counts[PENDING] = 1
            if end + TOGETHER * max(1.0, abs(end)) >= clock[HORIZON]:
                code = take_place(plant, event, end, y, counts, log) if event >= 0 else GO_ON
                return AWAITED if code == GO_ON else code
            code = cross(plant, breaks, clock, counts, y, log)
            if code != GO_ON:
                return code
            if done > 0 and targets[done - 1] >= end - 1e-12 * h:
                put(row(samples, done - 1), y)  # a sample on a break is that of what follows
            landed = True
        if event >= 0:
            code = take_place(plant, event, end, y, counts, log)
            if code != GO_ON:
                return code


_SETTLE = (overshoot, balanced, close, rebalance, correct, keep_start, counted, settle)
_LOOP = (remember, held, note, note_independence)
_UNWATCHED = (no_events.seek, no_events.coming, no_events.happen)
_NOT_BETWEEN = (rattle.widen, rattle.blend)


STEPPERS: Mapping[str, tuple[Callable[..., Any], ...]] = {
    "explicit": (begin, advance, hand_on, estimate),
    "energy-momentum": energy_momentum.STEPPER,
    "implicit": (implicit.begin, implicit.approach, implicit.advance, hand_on, estimate),
    "rattle": (rattle.begin, rattle.meet, rattle.advance, rattle.hand_on, rattle.estimate),
    "impulses": (impulses.begin, impulses.advance, impulses.hand_on, rattle.estimate),
}


def algorithm(stepper: str, *, dense: bool, watches: bool, printed: bool = False) -> tuple[Callable[..., Any], ...]:
    """The functions of a run, in the order in which they may call one another; see `taut.dynamics.operations.spoken`.

    What a run does not need is left out, since it would only be compiled: the interpolant, the search for events, and
    unless asked for (`printed`) corrections as papers print them.
    """
    settles = (*_SETTLE, *printed_corrections.SETTLE) if printed else _SETTLE
    between = (widen, blend) if dense else _NOT_BETWEEN
    found = (step_events.seek, coming, step_events.happen) if stepper == "impulses" else (seek, coming, happen)
    happens = found if watches else _UNWATCHED
    ends = (count_events, take_place, inside_piece, cross, time_loop)
    return (*STEPPERS[stepper], *between, *_LOOP, *settles, *happens, *ends)


SHARED = ("settle", "meet", "cross", "balance", "close_positions", "filter_rates")
"""Compiled by themselves and not into their callers, because they are large and called in several places."""
