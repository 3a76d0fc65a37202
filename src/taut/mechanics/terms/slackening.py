"""Cables that slacken and tighten, as events.

While a run looks for events, what a cable does is fixed for the length of a step, so that the equations are smooth in
it: a taut cable is a spring that would push too, a slack one is not there. Its columns among the springs say so, and
forces and energies know nothing of events. A cable with a damper can be limp too: still longer than at rest, but
shortening so fast that its damper takes all of its tension; then the one-sided law itself applies.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from taut.mechanics.operations.event_table import AS_GIVEN, FOLLOWED, events_in
from taut.mechanics.tables import part_of, slot
from taut.mechanics.terms.springs import Springs, law_count, member_state, springs_in
from taut.numerics.compiled import inlined, kernel
from taut.numerics.packing import Integers, Pack, Reals, counter, reader

SLACK, TAUT, LIMP, CUT = 0, 1, 2, AS_GIVEN + 1
"""What a cable does. A cable that changes too often is left to its law as given, which needs no event."""

CHANGES = {SLACK: "slack", TAUT: "taut", LIMP: "slack", AS_GIVEN: "chatters: from here on not located"}
"""What a change to each state is called."""


class Slackening(NamedTuple):
    """w cables that can slacken; what the columns of all springs were before a run wrote into them."""

    cable: Integers  # (w,) rows of springs
    stiffness: Reals  # (l,) as given
    damping: Reals  # (l,)
    least: Reals  # (l,)


slackening_in = reader(Slackening, slot("slackening"))
SLACKENING = part_of("slackening", Slackening, "cable")
count = counter(SLACKENING)


@inlined
def _stretch(p: Pack, k: int, y: np.ndarray) -> tuple[float, float]:
    """Length of a cable beyond rest [m], and its rate [m/s]."""
    length, rate, _, _ = member_state(p, k, y, 1)
    return length - springs_in(p).rest_length[k], rate


@inlined
def margin(p: Pack, e: int, state: int, y: np.ndarray) -> tuple[float, float, int]:
    if state >= AS_GIVEN:
        return math.inf, 0.0, 1
    given, unit = slackening_in(p), events_in(p).band[0]
    k = given.cable[e]
    stretch, rate = _stretch(p, k, y)
    if given.damping[k] == 0.0:
        sign = 1.0 if state == TAUT else -1.0
        return sign * stretch / unit, sign * rate / unit, 1
    # The tension over the stiffness; its slope would need accelerations.
    pull = stretch + given.damping[k] / given.stiffness[k] * rate
    if state == TAUT:
        return pull / unit, 0.0, 0
    if state == LIMP:
        return min(stretch, -pull) / unit, 0.0, 0
    return -stretch / unit, -rate / unit, 1


@inlined
def clear(p: Pack, e: int, state: int, y: np.ndarray, h: float) -> bool:
    """Whether a cable without damper is so far from its rest length, or moving away so slowly, that it did not pass it
    in a step of h; most are, so this is all that is looked at of them."""
    given = slackening_in(p)
    k, sign = given.cable[e], 1.0 if state == TAUT else -1.0
    stretch, rate = _stretch(p, k, y)
    room, moving = sign * stretch, sign * rate
    return given.damping[k] == 0.0 and room >= 0.0 and room >= moving * h


@inlined
def happen(p: Pack, e: int, state: int, chatters: bool, y: np.ndarray) -> tuple[int, int, int]:
    given = slackening_in(p)
    k, told = given.cable[e], 1
    stretch, rate = _stretch(p, k, y)
    if chatters:
        state = AS_GIVEN
    elif state == TAUT:
        state = LIMP if given.damping[k] > 0.0 and stretch > events_in(p).band[0] else SLACK
    elif state == LIMP and stretch < -(stretch + given.damping[k] / given.stiffness[k] * rate):
        state, told = SLACK, 0  # it has become short before its tension came back
    else:
        state = TAUT
    put(p, e, state)
    return state, told, FOLLOWED


@kernel
def put(p: Pack, e: int, state: int) -> None:
    """Write what a cable does into its columns."""
    given, springs = slackening_in(p), springs_in(p)
    k = given.cable[e]
    gone = state in (SLACK, CUT)
    springs.stiffness[k] = 0.0 if gone else given.stiffness[k]
    springs.damping[k] = 0.0 if gone else given.damping[k]
    springs.least[k] = given.least[k] if state in (LIMP, AS_GIVEN) else -math.inf


@inlined
def keep(p: Pack) -> None:
    """Keep the laws as given."""
    given, springs = slackening_in(p), springs_in(p)
    for k in range(law_count(p)):
        given.stiffness[k], given.damping[k] = springs.stiffness[k], springs.damping[k]
        given.least[k] = springs.least[k]


@inlined
def begin(p: Pack, e: int, y: np.ndarray) -> int:
    """What a cable does at a state; one at its rest length is taut."""
    given, springs, band = slackening_in(p), springs_in(p), events_in(p).band[0]
    k = given.cable[e]
    stretch, _ = _stretch(p, k, y)
    _, _, elastic, viscous = member_state(p, k, y, springs.damps[0])
    pulls = elastic + viscous > 0.0 or given.damping[k] == 0.0
    return SLACK if stretch < -band else TAUT if pulls or stretch <= band else LIMP


def tables(springs: Springs) -> dict[str, Slackening]:
    """Of all springs that cannot push."""
    kept = (np.zeros(springs.stiffness.size) for _ in range(3))
    return {"slackening": Slackening(np.flatnonzero(springs.least == 0.0), *kept)}
