"""The table of events: what each of all that can happen at an instant is doing now."""

from __future__ import annotations

from typing import NamedTuple

from taut.mechanics.tables import part_of, slot
from taut.numerics.packing import Integers, Reals, reader

FOLLOWED, TO_STOP, TO_CUT = range(3)
"""What is left for the time loop to do after an event."""


AS_GIVEN = 4
"""The state, of every source, in which an event is not located: its law as given applies. Later ones are for good."""


class Events(NamedTuple):
    """w events: of terms, one source after another, then of what is watched."""

    state: Integers  # (w,) what each is doing now
    burst: Integers  # (w,) how often it has changed in quick succession
    last: Reals  # (w,) when it changed last [s]
    band: Reals  # (1,) round-off of lengths [m]
    middle: Reals  # the state half way through a step, work space


events_in = reader(Events, slot("events"))
STATE, BURST, LAST, BAND = (part_of("events", Events, name) for name in ("state", "burst", "last", "band"))
