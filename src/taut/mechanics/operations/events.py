"""Finding what happens at an instant: cables that slacken, values that pass their levels, whatever a term adds.

The margin of an event is how far it is from happening, in units of round-off: negative when it is overdue. Events are
numbered source after source; `taut.mechanics.parts` stands for all sources of a plant together.
"""

from __future__ import annotations

import math

import numpy as np

from taut.mechanics.operations.event_table import AS_GIVEN, FOLLOWED, STATE, events_in
from taut.mechanics.operations.watches import (
    DONE,
    RECORD,
    TIME,
    cut_members,
    watch_begin,
    watch_happen,
    watch_margin,
    watches_in,
)
from taut.mechanics.parts import (
    event_begin,
    event_clear,
    event_count,
    event_happen,
    event_margin,
    event_put,
    impose,
    keep_laws,
    let_in,
    potential,
)
from taut.mechanics.tables import constants_in, coordinate_count, internal_count
from taut.numerics.compiled import entry, inlined, kernel, woven
from taut.numerics.packing import Pack, size_of
from taut.numerics.pointers import start_of

ROUND_OFF = 4e-15
"""Of lengths, relative to size and distance from the origin: some units in the last place."""

TOGETHER = 1e-10
"""Of a typical time: what changes closer to one another changes at one instant."""

QUICK, MOST_QUICK = 1e-6, 20
"""More changes in a row than this, each within this fraction of a typical time after the last, are chatter."""


@inlined
def _all(p: Pack) -> int:
    """How many events can happen."""
    return size_of(p, STATE)


@kernel
def _margin(p: Pack, e: int, y: np.ndarray) -> tuple[float, float, int]:
    """How far event e is from happening in units of round-off, its rate, and whether the rate is known."""
    state, own = events_in(p).state[e], event_count(p)
    return event_margin(p, e, state, y) if e < own else watch_margin(p, e - own, state, y)


@inlined
def _stand_at(p: Pack, t: float, y: np.ndarray) -> None:
    """Put what time decides into the tables and the state, and say which time that is."""
    impose(p, t, y)
    constants_in(p).time[0] = t


@entry
def margin(p: Pack, t: float, e: int, y: np.ndarray) -> tuple[float, float]:
    """How far event e is from happening at a time and state, in units of round-off, negative when it is overdue; and
    its rate, zero where that is not known."""
    _stand_at(p, t, start_of(y))
    room, rate, known = _margin(p, e, start_of(y))
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
        # Its lowest place has a positive second derivative, its highest a negative one. Nothing may cancel: c3 is often
        # round-off.
        bottom, top = 2.0, 2.0
        spread = math.sqrt(root)
        if c2 > 0.0:
            bottom = -rise / (spread + c2)
        elif c3 != 0.0:
            bottom = (spread - c2) / (3.0 * c3)
        if c2 < 0.0:
            top = rise / (spread - c2)
        elif c3 != 0.0:
            top = -(spread + c2) / (3.0 * c3)
        if 0.0 < bottom < 1.0:
            lowest = before + bottom * (rise + bottom * (c2 + bottom * c3))
            if lowest < -1.0 and (before > 1.0 or rise < 0.0):  # which may happen where the step begins
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
def _put_middle(n: int, more: int, h: float, y: np.ndarray, trial: np.ndarray, middle: np.ndarray) -> None:
    """The state half way through a step, by the cubic through both ends; of `more` numbers behind that, their mean."""
    for i in range(n):
        middle[i] = 0.5 * (y[i] + trial[i]) + 0.125 * h * (y[n + i] - trial[n + i])
        middle[n + i] = 1.5 * (trial[i] - y[i]) / h - 0.25 * (y[n + i] + trial[n + i])
    for i in range(2 * n, 2 * n + more):
        middle[i] = 0.5 * (y[i] + trial[i])


@entry
def crossing(p: Pack, t: float, h: float, y: np.ndarray, trial: np.ndarray, skipped: int) -> tuple[int, float, float]:
    """The first event in a step of h from y to trial: its number (-1 for none), about which fraction of the step it
    happens at, and a later fraction at which it is overdue. `skipped` is left out."""
    first, place, later, halved = -1, 2.0, 2.0, False
    begin, end, events, own, n = start_of(y), start_of(trial), events_in(p), event_count(p), coordinate_count(p)
    at_end = False
    for e in range(_all(p)):
        if not at_end:
            _stand_at(p, t + h, end)
            at_end = True
        if e < own and event_clear(p, e, events.state[e], end, h):
            continue
        after, last_rate, known = _margin(p, e, end)
        if e == skipped or (known == 1 and after >= -1.0 and after >= last_rate * h):
            continue
        _stand_at(p, t, begin)
        at_end = False
        before, rate, _ = _margin(p, e, begin)
        if known == 0 and after >= -1.0:
            if not halved:
                _put_middle(n, 1 + internal_count(p), h, begin, end, events.middle)
                halved = True
            _stand_at(p, t + 0.5 * h, events.middle)
            at, upper = _dip(before, _margin(p, e, events.middle)[0], after)
        else:
            at, upper = _first_root(before, rate * h, after, last_rate * h, known)
        if at < place:
            first, place, later = e, at, upper
    return first, place, later


@entry
def due(p: Pack, t: float) -> int:
    """The first watched time that has come, as an event's number; -1 if there is none."""
    s, own = watches_in(p), event_count(p)
    for e in range(own, _all(p)):
        u = e - own
        if s.kind[u] == TIME and events_in(p).state[e] != DONE and s.level[u] <= t + 1e-12 * max(1.0, abs(t)):
            return e
    return -1


@entry
def overdue(p: Pack, t: float, y: np.ndarray, after: int, acts: int) -> int:
    """The next watched event after that of this number that is overdue at a state, one that acts (1) or is only
    recorded (0); -1 if there is none."""
    own = event_count(p)
    _stand_at(p, t, start_of(y))
    for e in range(max(after + 1, own), _all(p)):
        if (watches_in(p).action[e - own] != RECORD) == (acts == 1) and _margin(p, e, start_of(y))[0] < -1.0:
            return e
    return -1


@kernel
def _change(p: Pack, e: int, t: float, y: np.ndarray, log: np.ndarray, filled: int) -> tuple[int, int]:
    """Let event e happen; returns what is left to do, and how much of the log is filled."""
    events, own, left, told = events_in(p), event_count(p), FOLLOWED, 1
    quick = t - events.last[e] < QUICK * constants_in(p).scale[1]
    events.burst[e] = events.burst[e] + 1 if quick else 0
    events.last[e] = t
    state, chatters = events.state[e], events.burst[e] > MOST_QUICK
    if e < own:
        state, told, left = event_happen(p, e, state, chatters, y)
    else:
        state, told, left = watch_happen(p, e - own, state, chatters, y)
    events.state[e] = state
    if told == 1:
        log[filled, 0], log[filled, 1], log[filled, 2] = t, e, state
        filled += 1
    return left, filled


@entry
def switch(p: Pack, e: int, t: float, y: np.ndarray, log: np.ndarray, filled: int) -> tuple[int, int]:
    """Let event e happen, with all events of terms that change at the same instant; returns what is left to do, and how
    much of the log (time, event, what it does now) is filled then."""
    state, own = start_of(y), event_count(p)
    _stand_at(p, t, state)
    left, filled = _change(p, e, t, state, log, filled)
    if e < own:
        for other in range(own):
            if other != e:
                room, rate, known = _margin(p, other, state)
                if known == 1 and rate < 0.0 and abs(room) <= max(1.0, TOGETHER * constants_in(p).scale[1] * -rate):
                    _, filled = _change(p, other, t, state, log, filled)
    return left, filled


@kernel
def stored(p: Pack, y: np.ndarray) -> float:
    """Elastic and gravity's energy as things stand [J]."""
    elastic, gravity, _ = potential(p, y)
    return elastic + gravity


@inlined
def _jump(p: Pack, t: float, inside: float, y: np.ndarray) -> None:
    before = stored(p, y)
    constants_in(p).piece[0] = inside
    let_in(p, y)
    impose(p, t, y)
    y[2 * coordinate_count(p)] += stored(p, y) - before


@entry
def pass_break_in_lanes(p: Pack, t: float, inside: float, y: np.ndarray, log: np.ndarray, filled: int) -> int:
    """The same where many plants go in lanes, in which no event is looked for."""
    _jump(p, t, inside, start_of(y))
    return filled


@inlined
def let_happen(p: Pack, t: float, y: np.ndarray, log: np.ndarray, filled: int) -> int:
    """After a jump everything does again what it did, but for what is overdue now; returns how much of the log is
    filled."""
    events = events_in(p)
    freeze(p)
    for e in range(event_count(p)):
        if events.state[e] < AS_GIVEN and _margin(p, e, y)[0] < -1.0:
            _, filled = _change(p, e, t, y, log, filled)
    return filled


@entry
def pass_imposed_break(p: Pack, t: float, inside: float, y: np.ndarray, log: np.ndarray, filled: int) -> int:
    """The next piece begins: what jumps by it, a rest length, does work at once, and cables may slacken or tighten.

    What time decides before it stands in the tables already.
    """
    state, looks = start_of(y), events_in(p).band[0] > 0.0
    if looks:
        release(p)
    _jump(p, t, inside, state)
    return let_happen(p, t, state, log, filled) if looks else filled


@entry
def cut(p: Pack, e: int, y: np.ndarray) -> None:
    """Cut the members that event e cuts."""
    cut_members(p, e - event_count(p), start_of(y))


@entry
def freeze(p: Pack) -> None:
    """Write what everything does now into the tables."""
    for e in range(event_count(p)):
        event_put(p, e, events_in(p).state[e])


@entry
def release(p: Pack) -> None:
    """Give everything that is not gone for good its own law back, which is right at any state."""
    for e in range(event_count(p)):
        event_put(p, e, max(events_in(p).state[e], AS_GIVEN))


@entry
def keep_given(p: Pack) -> None:
    """Keep the given laws, where a run goes on and what everything does is known."""
    keep_laws(p)


@entry
def begin_events(p: Pack, t: float, y: np.ndarray) -> None:
    """Keep the given laws, and say of every event where it stands at a state."""
    events, state, own = events_in(p), start_of(y), event_count(p)
    _stand_at(p, t, state)
    keep_laws(p)
    reach = 0.0
    for i in range(coordinate_count(p)):
        reach = max(reach, abs(state[i]))
    events.band[0] = ROUND_OFF * (constants_in(p).scale[0] + reach)
    for e in range(_all(p)):
        events.burst[e], events.last[e] = 0, -math.inf
        events.state[e] = event_begin(p, e, state) if e < own else watch_begin(p, e - own, state)
