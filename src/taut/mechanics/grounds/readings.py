"""What sensors measure of contacts: forces in the mean over the step before, as the state carries them, and touch."""

from __future__ import annotations

import math

import numpy as np

from taut.mechanics.terms.contacts import NUMBERS, OPEN, forces_begin, gap_at
from taut.numerics.compiled import kernel
from taut.numerics.packing import Pack
from taut.numerics.pointers import shifted

SIZE, NORMAL, TOUCH = 3, 4, 5
"""What is measured; before them the axes. In the order of `taut.structure.sensing.CONTACT`."""


@kernel
def contact_reading(p: Pack, which: int, start: int, end: int, contacts: np.ndarray, y: np.ndarray) -> float:
    """Of all those contacts together: the force along an axis, the size of the force, its part along the normal of each
    contact [N], or 1 where any touches."""
    x, z, w, normal, touch = 0.0, 0.0, 0.0, 0.0, 0.0
    for m in range(start, end):
        c = contacts[m]
        f = shifted(y, forces_begin(p) + NUMBERS * c)
        if f[3] == OPEN:
            continue
        x, z, w, touch = x + f[0], z + f[1], w + f[2], 1.0
        if which == NORMAL:
            _, nx, ny, nz, _ = gap_at(p, c, y)
            normal += nx * f[0] + ny * f[1] + nz * f[2]
    if which < SIZE:
        return x if which == 0 else z if which == 1 else w
    return math.sqrt(x * x + z * z + w * w) if which == SIZE else normal if which == NORMAL else touch
