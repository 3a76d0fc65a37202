"""Letting events happen in the nodal formulation: what a cable does from then on, what is cut, what is logged."""

from __future__ import annotations

import math

import numpy as np

from taut.mechanics.nodal import cable_state
from taut.mechanics.nodal_events import (
    ABOVE,
    AS_GIVEN,
    BELOW,
    CUT,
    CUTS,
    DONE,
    LIMP,
    RECORD,
    SLACK,
    STOP,
    TAUT,
    TENSION,
    TIME,
    margin_of,
    stretch_of,
    watched,
    watched_cables,
    watched_value,
)
from taut.mechanics.tables import Switches
from taut.mechanics.unpacking import bars_in, cables_in, constants_in, sizes_in, switches_in
from taut.numerics.compiled import entry, kernel, woven
from taut.numerics.packing import Pack
from taut.numerics.pointers import start_of

FOLLOWED, STOPPED, TO_CUT = range(3)
"""What is left for the loop to do after an event."""

ROUND_OFF = 4e-15
"""Of lengths, relative to size and distance from the origin: some units in the last place."""

TOGETHER = 1e-10
"""Of a typical time: cables that change closer to one another change at one instant."""

QUICK, MOST_QUICK = 1e-6, 20
"""More changes in a row than this, each within this fraction of a typical time after the last, are chatter."""


@woven
def _put_cable(p: Pack, s: Switches, k: int, state: int) -> None:
    """Write what a cable does into its columns."""
    cables = cables_in(p)
    gone = state in (SLACK, CUT)
    cables.stiffness[k] = 0.0 if gone else s.stiffness[k]
    cables.damping[k] = 0.0 if gone else s.damping[k]
    cables.least[k] = s.least[k] if state in (LIMP, AS_GIVEN) else -math.inf


@woven
def _cut(p: Pack, s: Switches, u: int, y: np.ndarray) -> None:
    """Cut the members of a watched event. What a cable had stored is lost, and counts as work done by it."""
    n = sizes_in(p).coordinates
    for m in range(s.cut_start[u], s.cut_start[u + 1]):
        k = s.cut_member[m]
        if k < 0:
            bars_in(p).per_length[-1 - k] = 0.0  # its row of G vanishes, its mass stays
            continue
        length, _, elastic, _ = cable_state(cables_in(p), k, y, n, 0)
        y[2 * n] -= 0.5 * elastic * (length - cables_in(p).rest_length[k])
        for e in range(watched_cables(p)):
            if s.cable[e] == k:
                s.state[e] = CUT
        s.stiffness[k], s.damping[k] = 0.0, 0.0
        _put_cable(p, s, k, CUT)


@kernel
def _change(p: Pack, e: int, t: float, y: np.ndarray, log: np.ndarray, filled: int) -> tuple[int, int]:
    """Let event e happen; returns what is left to do, and how much of the log is filled."""
    s, cables = switches_in(p), watched_cables(p)
    quick = t - s.last[e] < QUICK * constants_in(p).scale[1]
    s.burst[e] = s.burst[e] + 1 if quick else 0
    s.last[e] = t
    state, left, told = s.state[e], FOLLOWED, 1
    if e < cables:
        k = s.cable[e]
        stretch, rate = stretch_of(p, k, y)
        if s.burst[e] > MOST_QUICK:
            s.state[e] = AS_GIVEN
        elif state == TAUT:
            s.state[e] = LIMP if s.damping[k] > 0.0 and stretch > s.band[0] else SLACK
        elif state == LIMP and stretch < -(stretch + s.damping[k] / s.stiffness[k] * rate):
            s.state[e], told = SLACK, 0  # it has become short before its tension came back
        else:
            s.state[e] = TAUT
        _put_cable(p, s, k, s.state[e])
    else:
        u = e - cables
        rising = state == BELOW
        told = int(s.sense[u] == 0 or (s.sense[u] == 1) == rising)
        s.state[e] = DONE if s.kind[u] == TIME or s.burst[e] > MOST_QUICK else ABOVE if rising else BELOW
        if told == 1 and s.action[u] == STOP:
            left = STOPPED
        elif told == 1 and s.action[u] == CUTS:
            left, s.state[e] = TO_CUT, DONE
    if told == 1:
        log[filled, 0], log[filled, 1], log[filled, 2] = t, e, s.state[e]
        filled += 1
    return left, filled


@entry
def strike(p: Pack, e: int, t: float, y: np.ndarray, log: np.ndarray, filled: int) -> tuple[int, int]:
    """Let event e happen, with all cables that change at the same instant; returns what is left to do, and how much
    of the log (time, event, what it does now) is filled then."""
    state = start_of(y)
    left, filled = _change(p, e, t, state, log, filled)
    if e < watched_cables(p):
        for other in range(watched_cables(p)):
            if other != e:
                room, rate, known = margin_of(p, other, state)
                if known == 1 and rate < 0.0 and abs(room) <= max(1.0, TOGETHER * constants_in(p).scale[1] * -rate):
                    _, filled = _change(p, other, t, state, log, filled)
    return left, filled


@entry
def cut(p: Pack, e: int, y: np.ndarray) -> None:
    """Cut the members that event e cuts."""
    _cut(p, switches_in(p), e - watched_cables(p), start_of(y))


@entry
def freeze(p: Pack) -> None:
    """Write what every watched cable does now into its columns."""
    s = switches_in(p)
    for e in range(watched_cables(p)):
        _put_cable(p, s, s.cable[e], s.state[e])


@entry
def release(p: Pack) -> None:
    """Give every watched cable that is not cut its own law back, which is right at any state."""
    s = switches_in(p)
    for e in range(watched_cables(p)):
        _put_cable(p, s, s.cable[e], CUT if s.state[e] == CUT else AS_GIVEN)


@entry
def begin_watching(p: Pack, y: np.ndarray) -> None:
    """Keep the given laws, and say of every event where it stands at a state; a cable at its rest length is taut."""
    s, cables, state, n = switches_in(p), cables_in(p), start_of(y), sizes_in(p).coordinates
    for k in range(sizes_in(p).cables):
        s.stiffness[k], s.damping[k], s.least[k] = cables.stiffness[k], cables.damping[k], cables.least[k]
    reach = 0.0
    for i in range(n):
        reach = max(reach, abs(state[i]))
    s.band[0] = ROUND_OFF * (constants_in(p).scale[0] + reach)
    count = watched_cables(p)
    for e in range(watched(p)):
        s.burst[e], s.last[e] = 0, -math.inf
        if e < count:
            k = s.cable[e]
            stretch, _ = stretch_of(p, k, state)
            _, _, elastic, viscous = cable_state(cables, k, state, n, constants_in(p).cables_damp[0])
            pulls = elastic + viscous > 0.0 or s.damping[k] == 0.0
            s.state[e] = SLACK if stretch < -s.band[0] else TAUT if pulls or stretch <= s.band[0] else LIMP
        elif s.kind[e - count] == TIME:
            s.state[e] = BELOW
        else:
            value, _, _ = watched_value(p, s, e - count, state)
            # What is to be cut or to stop above a tension is not to wait for it to rise once more.
            overdue = s.kind[e - count] == TENSION and s.action[e - count] != RECORD and s.sense[e - count] == 1
            s.state[e] = ABOVE if value > s.level[e - count] and not overdue else BELOW
