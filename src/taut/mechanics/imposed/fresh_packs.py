"""What a run begins with: a copy of a plant's pack, in which nothing stands that is of another process or time."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from taut.mechanics.imposed.controllers import ADDRESS
from taut.mechanics.imposed.drives import STANDS
from taut.mechanics.imposed.law_addresses import Law
from taut.numerics.packing import Pack, copied, integers_of, reals_of


def fresh(pack: Pack, laws: Sequence[Law]) -> Pack:
    """The pack of a run: every `own_tables` begins with it.

    Laws that are functions stand in it by their addresses, which are of one process and say nothing of the motion. And
    drives write anew: what they wrote into a plant's pack may be for another time, or for numbers it no longer has.
    """
    own = copied(pack)
    if laws:
        integers_of(own, ADDRESS)[:] = [law.address for law in laws]
    reals_of(own, STANDS)[:] = np.nan
    return own
