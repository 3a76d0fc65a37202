"""What happens at an instant in the nodal formulation: cables slacken and tighten, watched values pass their levels.

While a run looks for events, what a cable does is fixed for the length of a step, so that the equations are smooth in
it: a taut cable is a spring that would push too, a slack one is not there. Its columns in the tables say so, and forces
and energies know nothing of events. A cable with a damper can be limp too: still longer than at rest, but shortening so
fast that its damper takes all of its tension; then the one-sided law itself applies.

The margin of an event is how far it is from happening, in units of round-off: negative when it is overdue.
"""

from __future__ import annotations

import math

import numpy as np

from taut.mechanics.nodal import cable_state
from taut.mechanics.tables import (
    SWITCHES,
    Switches,
    bars_in,
    cables_in,
    constants_in,
    sizes_in,
    switches_in,
)
from taut.numerics.compiled import entry, inlined, kernel, woven
from taut.numerics.packing import Pack, size_of
from taut.numerics.pointers import start_of

SLACK, TAUT, LIMP, CUT, AS_GIVEN = range(5)
"""What a cable does. A cable that changes too often is left to its law as given, which needs no event."""

BELOW, ABOVE, DONE = range(3)
"""Where a watched value is; or that it is watched no more."""

PLANE, DISTANCE, TENSION, TIME = range(4)
"""What is watched."""

RECORD, STOP, CUTS = range(3)
"""What is done about it."""

FOLLOWED, STOPPED, TO_CUT = range(3)
"""What is left for the loop to do after an event."""

ROUND_OFF = 4e-15
"""Of lengths, relative to size and distance from the origin: some units in the last place."""

TOGETHER = 1e-10
"""Of a typical time: cables that change closer to one another change at one instant."""

QUICK, MOST_QUICK = 1e-6, 20
"""More changes in a row than this, each within this fraction of a typical time after the last, are chatter."""


@inlined
def watched_cables(p: Pack) -> int:
    return size_of(p, SWITCHES)


@inlined
def watched(p: Pack) -> int:
    """How many events can happen."""
    return size_of(p, SWITCHES + 1)


@inlined
def _stretch(p: Pack, k: int, y: np.ndarray) -> tuple[float, float]:
    """Length of a cable beyond rest [m], and its rate [m/s]."""
    cables = cables_in(p)
    length, rate, _, _ = cable_state(cables, k, y, sizes_in(p).coordinates, 1)
    return length - cables.rest_length[k], rate


@woven
def _cable_margin(p: Pack, s: Switches, e: int, y: np.ndarray) -> tuple[float, float, int]:
    k, state = s.cable[e], s.state[e]
    stretch, rate = _stretch(p, k, y)
    if s.damping[k] == 0.0:
        return (stretch, rate, 1) if state == TAUT else (-stretch, -rate, 1)
    # The tension over the stiffness; its slope would need accelerations.
    pull = stretch + s.damping[k] / s.stiffness[k] * rate
    if state == TAUT:
        return pull, 0.0, 0
    if state == LIMP:
        return min(stretch, -pull), 0.0, 0
    return -stretch, -rate, 1


@woven
def _watched_value(p: Pack, s: Switches, u: int, y: np.ndarray) -> tuple[float, float, int]:
    """What is watched, its rate, whether that is known."""
    n, i, j = sizes_in(p).coordinates, s.first[u], s.second[u]
    if s.kind[u] == TENSION:
        _, _, elastic, viscous = cable_state(cables_in(p), i, y, n, constants_in(p).cables_damp[0])
        return elastic + viscous, 0.0, 0
    value, rate = 0.0, 0.0
    if s.kind[u] == PLANE:
        for axis in range(3):
            value += s.normal[3 * u + axis] * y[i + axis]
            rate += s.normal[3 * u + axis] * y[n + i + axis]
        return value, rate, 1
    for axis in range(3):
        value += (y[j + axis] - y[i + axis]) ** 2
        rate += (y[j + axis] - y[i + axis]) * (y[n + j + axis] - y[n + i + axis])
    value = math.sqrt(value)
    return value, rate / max(value, 1e-300), 1


@kernel
def _margin(p: Pack, e: int, y: np.ndarray) -> tuple[float, float, int]:
    """How far event e is from happening in units of round-off, its rate, and whether the rate is known."""
    s, cables = switches_in(p), watched_cables(p)
    state = s.state[e]
    if e < cables:
        if state >= CUT:
            return math.inf, 0.0, 1
        room, rate, known = _cable_margin(p, s, e, y)
        return room / s.band[0], rate / s.band[0], known
    u = e - cables
    if state == DONE or s.kind[u] == TIME:
        return math.inf, 0.0, 1
    value, rate, known = _watched_value(p, s, u, y)
    sign = 1.0 if state == ABOVE else -1.0
    unit = s.band[0]
    if s.kind[u] == TENSION:
        unit *= max(s.stiffness[s.first[u]], 1.0)
    return sign * (value - s.level[u]) / unit, sign * rate / unit, known


@entry
def margin(p: Pack, e: int, y: np.ndarray) -> float:
    """How far event e is from happening, in units of round-off; negative when it is overdue."""
    return _margin(p, e, start_of(y))[0]


@kernel
def _first_root(before: float, rise: float, after: float, last_rise: float, known: int) -> tuple[float, float]:
    """Where in a step a margin first passes zero, and a later place where it is overdue; 2 if it does not.

    From values and slopes (times the step) at both ends, by the cubic that fits them; without slopes, a guess.
    """
    if known == 0:
        return (0.5 if before <= 1.0 else before / (before - after)), 1.0
    # c0 + c1 x + c2 x^2 + c3 x^3
    c2 = 3.0 * (after - before) - 2.0 * rise - last_rise
    c3 = 2.0 * (before - after) + rise + last_rise
    low, high = 0.0, 1.0
    root = c2 * c2 - 3.0 * c3 * rise
    if root > 0.0:
        # Its lowest place has a positive second derivative, its highest a negative one.
        bottom, top = 2.0, 2.0
        spread = math.sqrt(root)
        if c3 != 0.0:
            bottom, top = (-c2 + spread) / (3.0 * c3), (-c2 - spread) / (3.0 * c3)
        elif c2 > 0.0:
            bottom = -rise / (2.0 * c2)
        elif c2 < 0.0:
            top = -rise / (2.0 * c2)
        if 0.0 < bottom < 1.0:
            lowest = before + bottom * (rise + bottom * (c2 + bottom * c3))
            if lowest < -1.0 and before > 1.0:
                high = bottom
        if before <= 1.0 and rise > 0.0 and 0.0 < top < high:
            low = top  # it has only just changed, and moves away first
    if high == 1.0 and after >= -1.0:
        return 2.0, 2.0
    if before <= 1.0 and low == 0.0:
        return 0.0, high
    upper = high
    for _ in range(40):
        middle = 0.5 * (low + high)
        if before + middle * (rise + middle * (c2 + middle * c3)) > 0.0:
            low = middle
        else:
            high = middle
    return high, upper


@entry
def crossing(p: Pack, h: float, y: np.ndarray, trial: np.ndarray, skipped: int) -> tuple[int, float, float]:
    """The first event in a step of h from y to trial: its number (-1 for none), about which fraction of the step it
    happens at, and a later fraction at which it is overdue. `skipped` is left out."""
    first, place, later = -1, 2.0, 2.0
    begin, end = start_of(y), start_of(trial)
    for e in range(watched(p)):
        after, last_rate, known = _margin(p, e, end)
        if (after >= -1.0 and not (known == 1 and after < last_rate * h)) or e == skipped:
            continue
        before, rate, _ = _margin(p, e, begin)
        at, upper = _first_root(before, rate * h, after, last_rate * h, known)
        if at < place:
            first, place, later = e, at, upper
    return first, place, later


@entry
def due(p: Pack, t: float) -> int:
    """The first watched time that has come, as an event's number; -1 if there is none."""
    s, cables = switches_in(p), watched_cables(p)
    for e in range(cables, watched(p)):
        u = e - cables
        if s.kind[u] == TIME and s.state[e] != DONE and s.level[u] <= t + 1e-12 * max(1.0, abs(t)):
            return e
    return -1


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
        stretch, _ = _stretch(p, k, y)
        if s.burst[e] > MOST_QUICK:
            s.state[e] = AS_GIVEN
        elif state == TAUT:
            s.state[e] = LIMP if s.damping[k] > 0.0 and stretch > s.band[0] else SLACK
        elif state == LIMP and stretch <= s.band[0]:
            s.state[e], told = SLACK, 0
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
                room, rate, known = _margin(p, other, state)
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
            stretch, _ = _stretch(p, k, state)
            _, _, elastic, viscous = cable_state(cables, k, state, n, constants_in(p).cables_damp[0])
            pulls = elastic + viscous > 0.0 or s.damping[k] == 0.0
            s.state[e] = SLACK if stretch < -s.band[0] else TAUT if pulls or stretch <= s.band[0] else LIMP
        elif s.kind[e - count] == TIME:
            s.state[e] = BELOW
        else:
            value, _, _ = _watched_value(p, s, e - count, state)
            s.state[e] = ABOVE if value > s.level[e - count] else BELOW
