"""What someone does to a plant while it moves, as kernels: numbers of its tables changed, members cut.

A change of a rest length or of gravity jumps the energy that is stored: that is work, as of a drive that jumps.
"""

from __future__ import annotations

import numpy as np

from taut.mechanics.operations.event_table import events_in
from taut.mechanics.operations.events import freeze, let_happen, release, stored
from taut.mechanics.operations.outputs import observe
from taut.mechanics.operations.watches import cut_member
from taut.mechanics.parts import impose
from taut.mechanics.tables import coordinate_count
from taut.numerics.compiled import entry
from taut.numerics.packing import Pack
from taut.numerics.pointers import start_of


@entry
def begin_change(p: Pack, y: np.ndarray) -> float:
    """Make tables as they are given, so that they can be changed; returns the energy that is stored [J]."""
    if events_in(p).band[0] > 0.0:
        release(p)
    return stored(p, start_of(y))


@entry
def end_change(p: Pack, t: float, y: np.ndarray, before: float, log: np.ndarray, filled: int) -> int:
    """Book what a change has done to the energy, which was `before`, and let happen what is overdue by it; returns how
    much of the log of events is filled."""
    state = start_of(y)
    impose(p, t, state)
    state[2 * coordinate_count(p)] += stored(p, state) - before
    return let_happen(p, t, state, log, filled) if events_in(p).band[0] > 0.0 else filled


@entry
def cut_one(p: Pack, member: int, y: np.ndarray) -> None:
    """Cut a member, numbered as those of watched events."""
    cut_member(p, member, start_of(y))


@entry
def show(
    p: Pack,
    times: np.ndarray,
    pieces: np.ndarray,
    samples: np.ndarray,
    held: np.ndarray,
    rates: np.ndarray,
    out: np.ndarray,
) -> None:
    """Read off states everything that can be, by laws as they are given."""
    looks = events_in(p).band[0] > 0.0
    if looks:
        release(p)
    observe(p, times, pieces, samples, held, rates, out)
    if looks:
        freeze(p)


CHANGES = (begin_change, end_change, cut_one, show)
