"""What can happen at an instant in the nodal formulation: cables slacken and tighten, values pass their levels.

While a run looks for events, what a cable does is fixed for the length of a step, so that the equations are smooth in
it: a taut cable is a spring that would push too, a slack one is not there. Its columns in the tables say so, and forces
and energies know nothing of events. A cable with a damper can be limp too: still longer than at rest, but shortening so
fast that its damper takes all of its tension; then the one-sided law itself applies.

The margin of an event is how far it is from happening, in units of round-off: negative when it is overdue. What is done
when it happens is in `taut.mechanics.nodal_switching`.
"""

from __future__ import annotations

import math

import numpy as np

from taut.mechanics.nodal import cable_state
from taut.mechanics.tables import SWITCHES, Cables, Switches
from taut.mechanics.unpacking import cables_in, sizes_in, switches_in
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


@inlined
def watched_cables(p: Pack) -> int:
    return size_of(p, SWITCHES)


@inlined
def watched(p: Pack) -> int:
    """How many events can happen."""
    return size_of(p, SWITCHES + 1)


@inlined
def stretch_of(p: Pack, k: int, y: np.ndarray) -> tuple[float, float]:
    """Length of a cable beyond rest [m], and its rate [m/s]."""
    cables = cables_in(p)
    length, rate, _, _ = cable_state(cables, k, y, sizes_in(p).coordinates, 1)
    return length - cables.rest_length[k], rate


@woven
def _cable_margin(p: Pack, s: Switches, e: int, y: np.ndarray) -> tuple[float, float, int]:
    k, state = s.cable[e], s.state[e]
    stretch, rate = stretch_of(p, k, y)
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
def watched_value(p: Pack, s: Switches, u: int, y: np.ndarray) -> tuple[float, float, int]:
    """What is watched, its rate, whether that is known."""
    n, i, j = sizes_in(p).coordinates, s.first[u], s.second[u]
    if s.kind[u] == TENSION:
        cables = cables_in(p)
        _, rate, elastic, viscous = cable_state(cables, i, y, n, 1)
        return elastic + viscous, cables.stiffness[i] * rate, int(cables.damping[i] == 0.0)
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
def margin_of(p: Pack, e: int, y: np.ndarray) -> tuple[float, float, int]:
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
    value, rate, known = watched_value(p, s, u, y)
    sign = 1.0 if state == ABOVE else -1.0
    unit = s.band[0]
    if s.kind[u] == TENSION:
        unit *= max(s.stiffness[s.first[u]], 1.0)
    return sign * (value - s.level[u]) / unit, sign * rate / unit, known


@entry
def margin(p: Pack, e: int, y: np.ndarray) -> tuple[float, float]:
    """How far event e is from happening, in units of round-off, negative when it is overdue; and its rate, zero where
    that is not known."""
    room, rate, known = margin_of(p, e, start_of(y))
    return room, rate if known == 1 else 0.0


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


@kernel
def _dip(before: float, half_way: float, after: float) -> tuple[float, float]:
    """As `_first_root` for a margin that is not overdue at either end, from its value half way: by a parabola."""
    bend = 2.0 * (before - 2.0 * half_way + after)
    rise = after - before - bend
    if bend <= 0.0 or not 0.0 < -rise < 2.0 * bend or before <= 1.0:
        return 2.0, 2.0
    bottom = -0.5 * rise / bend
    if before + 0.5 * rise * bottom >= -1.0:
        return 2.0, 2.0
    return 0.5 * bottom, bottom


@woven
def _put_middle(n: int, h: float, y: np.ndarray, trial: np.ndarray, middle: np.ndarray) -> None:
    """The state half way through a step, by the cubic through both ends."""
    for i in range(n):
        middle[i] = 0.5 * (y[i] + trial[i]) + 0.125 * h * (y[n + i] - trial[n + i])
        middle[n + i] = 1.5 * (trial[i] - y[i]) / h - 0.25 * (y[n + i] + trial[n + i])


@inlined
def _clear(s: Switches, cables: Cables, e: int, y: np.ndarray, n: int, h: float) -> bool:
    """Whether a cable without damper is so far from its rest length, or moving away so slowly, that it did not pass it
    in a step of h; most are, so this is all that is looked at of them."""
    k, sign = s.cable[e], 1.0 if s.state[e] == TAUT else -1.0
    length, rate, _, _ = cable_state(cables, k, y, n, 1)
    room, moving = sign * (length - cables.rest_length[k]), sign * rate
    return s.damping[k] == 0.0 and room >= 0.0 and room >= moving * h  # type: ignore[no-any-return]


@entry
def crossing(p: Pack, h: float, y: np.ndarray, trial: np.ndarray, skipped: int) -> tuple[int, float, float]:
    """The first event in a step of h from y to trial: its number (-1 for none), about which fraction of the step it
    happens at, and a later fraction at which it is overdue. `skipped` is left out."""
    first, place, later = -1, 2.0, 2.0
    begin, end, middle, halved = start_of(y), start_of(trial), switches_in(p).middle, False
    s, cables, own = switches_in(p), cables_in(p), watched_cables(p)
    for e in range(watched(p)):
        if e < own and _clear(s, cables, e, end, sizes_in(p).coordinates, h):
            continue
        after, last_rate, known = margin_of(p, e, end)
        if e == skipped or (known == 1 and after >= -1.0 and after >= last_rate * h):
            continue
        before, rate, _ = margin_of(p, e, begin)
        if known == 0 and after >= -1.0:
            if not halved:
                _put_middle(sizes_in(p).coordinates, h, begin, end, middle)
                halved = True
            at, upper = _dip(before, margin_of(p, e, middle)[0], after)
        else:
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
