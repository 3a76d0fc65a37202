"""What contacts with grounds that give way do at states that are read off: their forces, and whether they slide."""

from __future__ import annotations

import numpy as np

from taut.mechanics.grounds.compliances import compliance_count, compliances_in
from taut.mechanics.operations.motion import all_forces, enter_piece
from taut.mechanics.parts import impose
from taut.mechanics.tables import work_in
from taut.numerics.compiled import entry
from taut.numerics.packing import Pack
from taut.numerics.pointers import row_of, start_of


@entry
def observe_contacts(p: Pack, times: np.ndarray, pieces: np.ndarray, samples: np.ndarray, out: np.ndarray) -> None:
    """Fill the force of every contact along x, y, z [N] and what it does, a row a sample."""
    table = compliances_in(p)
    for row in range(times.size):
        state = start_of(row_of(samples, row))
        enter_piece(p, pieces[row])
        impose(p, times[row], state)
        all_forces(p, times[row], state, work_in(p).force)
        for c in range(compliance_count(p)):
            for m in range(3):
                out[row, 4 * c + m] = table.push[3 * c + m]
            out[row, 4 * c + 3] = table.doing[c]
