"""What drives do at a state: value, rate, force in the driven member, power."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np

from taut.mechanics.imposed.drives import drive_count, drives_in, winding_power
from taut.mechanics.operations.motion import enter_piece
from taut.mechanics.parts import impose
from taut.numerics.compiled import entry
from taut.numerics.packing import Pack, reals_at
from taut.numerics.pointers import row_of, start_of

if TYPE_CHECKING:
    from taut.mechanics.kinds import Given

SHOWN = ("drive_value", "drive_rate", "drive_force", "drive_power")


@entry
def observe_drives(p: Pack, times: np.ndarray, pieces: np.ndarray, samples: np.ndarray, out: np.ndarray) -> None:
    """Fill value, rate and power of winding of every driven number, a row a sample."""
    drives = drives_in(p)
    for row in range(times.size):
        y = start_of(row_of(samples, row))
        enter_piece(p, pieces[row])
        impose(p, times[row], y)
        for k in range(drive_count(p)):
            out[row, 3 * k] = reals_at(p, drives.value[k])[drives.row[k]]
            out[row, 3 * k + 1] = reals_at(p, drives.rate[k])[drives.row[k]] if drives.rate[k] >= 0 else 0.0
            out[row, 3 * k + 2] = winding_power(p, k, y) if drives.winds[k] == 1 else 0.0


def drive_outputs(
    given: Given, seen: np.ndarray, cable_tension: np.ndarray, bar_force: np.ndarray
) -> Mapping[str, np.ndarray]:
    """(T, d) each, of what `observe_drives` filled. Forces are positive in tension."""
    cables, bars = list(given.structure.cables), list(given.structure.bars)
    value, rate, power = seen.reshape(len(seen), len(given.driven), 3).transpose(2, 0, 1).copy()
    force = np.zeros_like(value)
    for k, driven in enumerate(given.driven):
        if driven.kind == "cable":
            force[:, k] = cable_tension[:, cables.index(driven.member)]
        else:
            force[:, k] = bar_force[:, bars.index(driven.member)]
        if driven.kind == "bar" and driven.drive.quantity == "length":
            power[:, k] = -force[:, k] * rate[:, k]
    return dict(zip(SHOWN, (value, rate, force, power), strict=True))
