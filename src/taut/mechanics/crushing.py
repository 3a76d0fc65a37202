"""The end of a compressible bar: where it is pressed to nothing, and the run with it."""

from __future__ import annotations

import numpy as np

from taut.mechanics.unpacking import bars_in, cables_in, constants_in, sizes_in
from taut.numerics.compiled import inlined
from taut.numerics.lanes import some, where
from taut.numerics.packing import Pack

CRUSHED_LENGTH = 0.05
"""A compressible bar pressed to this fraction of its length is no bar any more, and the run ends."""


@inlined
def stop_if_crushed(p: Pack, y: np.ndarray, force: np.ndarray) -> None:
    """Where a compressible bar is pressed to nothing there is no force, so that no step leads there."""
    bars, crushed, sizes, stiffness = bars_in(p), constants_in(p).crushed, sizes_in(p), cables_in(p).stiffness
    for k in range(sizes.bars, sizes.rods):
        spring = sizes.cables - sizes.rods + k
        i, j, least = bars.first[k], bars.second[k], CRUSHED_LENGTH * bars.length[k]
        bx, by, bz = y[j] - y[i], y[j + 1] - y[i + 1], y[j + 2] - y[i + 2]
        # Where it is cut it presses nothing and is no bar any more.
        short = where(stiffness[spring] > 0.0, bx * bx + by * by + bz * bz, np.inf) < least * least
        if some(short):
            crushed[0] = bars.column[k]
            force[i] += where(short, np.nan, 0.0)
            force[j] += where(short, np.nan, 0.0)  # either end may be held
