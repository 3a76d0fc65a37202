"""Events of a tree: cables on a pulley or between two that go slack and taut, what is watched, and those of a nodal
plant on bodies.

As in `taut.mechanics.terms.slackening` what a cable does is fixed for the length of a step, so that the equations are
smooth in it: a taut one is a spring that would push too, a slack one has no force. One with a damper whose torques come
from its energy can be limp too: still stretched, but shortening so fast that its damper takes all of its tension.
Events are numbered in this order: cables that can slacken, what is watched, those of the nodal plant.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from taut.mechanics.operations import events as nodal_events
from taut.mechanics.operations.event_table import AS_GIVEN, FOLLOWED, TO_CUT, TO_STOP
from taut.mechanics.operations.event_words import Watched
from taut.mechanics.operations.watches import ABOVE, BELOW, DISTANCE, DONE, PLANE, TENSION, TIME
from taut.mechanics.terms.slackening import CUT, LIMP, SLACK, TAUT
from taut.mechanics.trees.events.cable_states import (
    CableStates,
    cable_energies,
    cable_states,
    can_go_limp,
    law_of,
    set_laws,
    stiffness_and_damping,
)
from taut.mechanics.trees.kernels import BOTH_WAYS, GONE, ONE_SIDED

if TYPE_CHECKING:
    from taut.mechanics.trees.tree_operations import Workspace


def _plain(kernel: Any) -> Any:
    """The function that a kernel is compiled from."""
    return getattr(kernel, "py_func", kernel)


first_root, dip = _plain(nodal_events._first_root), _plain(nodal_events._dip)
put_middle = _plain(nodal_events._put_middle)

LAWS = {SLACK: GONE, TAUT: BOTH_WAYS, LIMP: ONE_SIDED, AS_GIVEN: ONE_SIDED, CUT: GONE}
"""What a cable's law is while it does so."""

Margins = tuple[np.ndarray, np.ndarray, np.ndarray]
"""Of every event: how far it is from happening in units of round-off, the rate of that, and whether it is known."""


class TreeEvents:
    """What every event of a run does now; until a run looks for events, all laws are as given."""

    def __init__(self, cables: np.ndarray, things: tuple[Watched, ...]) -> None:
        """cables: numbers of those that can slacken."""
        self.cables, self.things, self.own = cables, things, cables.size + len(things)
        self.state, self.burst = np.full(self.own, AS_GIVEN), np.zeros(self.own, dtype=np.int64)
        self.last, self.band = np.full(self.own, -math.inf), 0.0
        self.middle = np.zeros(0)


def freeze(d: Workspace) -> None:
    """Let cables have the laws of what they do now."""
    set_laws(d, d.events.cables, [LAWS[int(state)] for state in d.events.state[: d.events.cables.size]])


def release(d: Workspace) -> None:
    """Give every cable that is not cut its own law back, which is right at any state."""
    states = d.events.state[: d.events.cables.size]
    set_laws(d, d.events.cables, [LAWS[max(int(state), AS_GIVEN)] for state in states])


def _stretched(d: Workspace, at: CableStates) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Of cables that can slacken: how much longer than without force [m], the rate of it [m/s], and the tension over
    the stiffness [m]."""
    chosen = d.events.cables  # rigid ones, which have no stiffness, are not among these
    return at.stretch[chosen], at.stretch_rate[chosen], at.pull[chosen]


def _limps(d: Workspace) -> np.ndarray:
    """Whether each cable that can slacken has a damper that can take all of its tension."""
    return can_go_limp(d.plant)[d.events.cables]


def _value(
    d: Workspace, at: CableStates, places: np.ndarray, rates: np.ndarray, thing: Watched
) -> tuple[float, float, bool, float]:
    """What is watched, its rate, whether that is known, and its round-off."""
    band, one, two = d.events.band, thing.first, thing.second
    if thing.kind == TENSION:
        stiffness, damping = stiffness_and_damping(d.plant, one)
        known = damping == 0.0 and law_of(d, one) != GONE
        unit = band * max(stiffness / float(at.length[one]), 1.0)
        return float(at.tension[one]), stiffness * float(at.strain_rate[one]), known, unit
    if thing.kind == PLANE:
        normal = np.array(thing.normal)
        return float(normal @ places[one]), float(normal @ rates[one]), True, band
    apart, parting = places[two] - places[one], rates[two] - rates[one]
    length = float(np.linalg.norm(apart))
    return length, float(apart @ parting) / max(length, 1e-300), True, band


def _shown(d: Workspace, q: np.ndarray, v: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Nodes that are shown, and their velocities, where any are watched."""
    if not any(thing.kind in (PLANE, DISTANCE) for thing in d.events.things):
        return np.zeros((0, 3)), np.zeros((0, 3))
    places, rates, _ = d.plant.shown.nodes(d.equations, d.plant.shown.points(d.equations), d.pushes.spans, q, v)
    return places, rates


def margins(d: Workspace, t: float, y: np.ndarray) -> Margins:
    """Of the tree's own events."""
    events = d.events
    room, rate, known = np.full(events.own, math.inf), np.zeros(events.own), np.ones(events.own, dtype=bool)
    _, _, q, v = d.split(y)
    at = cable_states(d, q, v)
    count = events.cables.size
    if count:
        stretch, growth, pull = _stretched(d, at)
        limps, state = _limps(d), events.state[:count]
        sign = np.where(state == TAUT, 1.0, -1.0)
        room[:count], rate[:count] = sign * stretch / events.band, sign * growth / events.band
        by_pull = (state == LIMP) | ((state == TAUT) & limps)
        pulls = np.where(state == TAUT, pull, np.minimum(stretch, -pull)) / events.band
        room[:count], rate[:count] = np.where(by_pull, pulls, room[:count]), np.where(by_pull, 0.0, rate[:count])
        known[:count] = ~by_pull
        gone = state >= AS_GIVEN
        room[:count][gone], rate[:count][gone], known[:count][gone] = math.inf, 0.0, True
    if events.things:
        places, rates = _shown(d, q, v)
        for e, thing in enumerate(events.things, count):
            if events.state[e] != DONE and thing.kind != TIME:
                value, moving, sure, unit = _value(d, at, places, rates, thing)
                sign_of = 1.0 if events.state[e] == ABOVE else -1.0
                room[e], rate[e], known[e] = sign_of * (value - thing.level) / unit, sign_of * moving / unit, sure
    return room, rate, known


def begin(d: Workspace, y: np.ndarray) -> None:
    """Say of every event where it stands at a state; a cable at its length without force is taut."""
    events, (x, _, q, v) = d.events, d.split(y)
    events.band = nodal_events.ROUND_OFF * (d.plant.size + float(np.abs(x).max(initial=0.0)))
    events.burst[:], events.last[:], count = 0, -math.inf, events.cables.size
    at = cable_states(d, q, v)
    if count:
        stretch, _, pull = _stretched(d, at)
        limp = _limps(d) & (pull <= 0.0) & (stretch > events.band)
        events.state[:count] = np.where(stretch < -events.band, SLACK, np.where(limp, LIMP, TAUT))
    places, rates = _shown(d, q, v)
    for e, thing in enumerate(events.things, count):
        events.state[e] = BELOW
        if thing.kind != TIME:
            # What is to be cut or to stop above a tension is not to wait for it to rise once more.
            rises = thing.kind == TENSION and thing.watch.then != "record" and thing.watch.sense in (None, "rising")
            above = _value(d, at, places, rates, thing)[0] > thing.level
            events.state[e] = ABOVE if above and not rises else BELOW


# --- operations, as in taut.dynamics.operations


def crossing(
    d: Workspace, t: float, h: float, y: np.ndarray, trial: np.ndarray, skipped: int
) -> tuple[int, float, float]:
    events, first, place, later = d.events, -1, 2.0, 2.0
    if events.own:
        after, last_rate, known = margins(d, t + h, trial)
        clear = known & (after >= -1.0) & (after >= last_rate * h)
        if skipped < events.own and skipped >= 0:
            clear[skipped] = True
        rest = np.flatnonzero(~clear)
        if rest.size:
            before, rate, _ = margins(d, t, y)
            if (~known[rest] & (after[rest] >= -1.0)).any():
                events.middle = y.copy()
                put_middle(d.n, 1, h, y, trial, events.middle)
                half_way = margins(d, t + 0.5 * h, events.middle)[0]
            for e in map(int, rest):
                ends = float(before[e]), float(after[e])
                if not known[e] and after[e] >= -1.0:
                    at, upper = dip(ends[0], float(half_way[e]), ends[1])
                else:
                    rises = float(rate[e] * h), float(last_rate[e] * h)
                    at, upper = first_root(ends[0], rises[0], ends[1], rises[1], int(known[e]))
                if at < place:
                    first, place, later = e, at, upper
    if d.pushes.located:
        other, at, upper = d.pushes.crossing(t, h, d.nodal_rates(y), d.nodal_rates(trial), skipped - events.own)
        if other >= 0 and at < place:
            return events.own + other, at, upper
    return first, place, later


def margin(d: Workspace, t: float, event: int, y: np.ndarray) -> tuple[float, float]:
    if event >= d.events.own:
        return d.pushes.margin(t, event - d.events.own, d.nodal_rates(y))
    room, rate, known = margins(d, t, y)
    return float(room[event]), float(rate[event]) if known[event] else 0.0


def due(d: Workspace, t: float) -> int:
    events = d.events
    for e, thing in enumerate(events.things, events.cables.size):
        if thing.kind == TIME and events.state[e] != DONE and thing.level <= t + 1e-12 * max(1.0, abs(t)):
            return e
    other = d.pushes.due(t) if d.pushes.located else -1
    return other if other < 0 else events.own + other


def overdue(d: Workspace, t: float, y: np.ndarray, after: int, acts: int) -> int:
    events, first = d.events, d.events.cables.size
    if after + 1 < events.own and events.things:
        room = margins(d, t, y)[0]
        for e in range(max(after + 1, first), events.own):
            if (events.things[e - first].watch.then != "record") == (acts == 1) and room[e] < -1.0:
                return e
    other = d.pushes.overdue(t, d.nodal_rates(y), max(after - events.own, -1), acts) if d.pushes.located else -1
    return other if other < 0 else events.own + other


def _change(d: Workspace, e: int, t: float, y: np.ndarray, log: np.ndarray, filled: int) -> tuple[int, int]:
    """Let event e of the tree happen; returns what is left to do, and how much of the log is filled."""
    events, told, left = d.events, True, FOLLOWED
    quick = t - events.last[e] < nodal_events.QUICK * d.plant.typical_time
    events.burst[e] = events.burst[e] + 1 if quick else 0
    events.last[e] = t
    state, chatters = int(events.state[e]), events.burst[e] > nodal_events.MOST_QUICK
    if e < events.cables.size:
        _, _, q, v = d.split(y)
        stretch, _, pull = (float(numbers[e]) for numbers in _stretched(d, cable_states(d, q, v)))
        if chatters:
            state = AS_GIVEN
        elif state == TAUT:
            state = LIMP if _limps(d)[e] and stretch > events.band else SLACK
        elif state == LIMP and stretch < -pull:
            state, told = SLACK, False  # it has become short before its tension came back
        else:
            state = TAUT
        events.state[e] = state
        freeze(d)
    else:
        thing, rising = events.things[e - events.cables.size], state == BELOW
        sense = thing.watch.sense or ("rising" if thing.kind == TENSION else "both")
        told = thing.kind == TIME or sense == "both" or (sense == "rising") == rising
        state = DONE if thing.kind == TIME or chatters else ABOVE if rising else BELOW
        if told and thing.watch.then == "stop":
            left = TO_STOP
        elif told and thing.watch.then == "cut":
            left, state = TO_CUT, DONE
        events.state[e] = state
    if told:
        log[filled] = t, e, state
        filled += 1
    return left, filled


def switch(d: Workspace, event: int, t: float, y: np.ndarray, log: np.ndarray, filled: int) -> tuple[int, int]:
    """Let an event happen, with all cables that change at the same instant."""
    events = d.events
    if event >= events.own:
        return d.pushes.switch(event - events.own, t, d.nodal_rates(y), log, filled, events.own)
    left, filled = _change(d, event, t, y, log, filled)
    count = events.cables.size
    if event < count:
        room, rate, known = margins(d, t, y)
        near = np.abs(room) <= np.maximum(1.0, nodal_events.TOGETHER * d.plant.typical_time * -rate)
        for other in np.flatnonzero((known & (rate < 0.0) & near)[:count]):
            if other != event:
                _, filled = _change(d, int(other), t, y, log, filled)
    return left, filled


def cut(d: Workspace, event: int, y: np.ndarray) -> None:
    """Cut the cables that a watched event cuts: what they had stored is lost, and counts as work."""
    events = d.events
    if event >= events.own:
        y[2 * d.n] += d.pushes.cut(event - events.own, d.nodal_rates(y))
        return
    chosen = list(events.things[event - events.cables.size].cut)
    _, _, q, v = d.split(y)
    y[2 * d.n] -= float(cable_energies(d, q, v)[chosen].sum())
    events.state[: events.cables.size][np.isin(events.cables, chosen)] = CUT
    set_laws(d, chosen, GONE)


EVENTS = (crossing, margin, due, overdue, switch)
