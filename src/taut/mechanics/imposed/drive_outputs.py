"""What drives do at a state: value, rate, force in the driven member, power."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np

from taut.mechanics.imposed.drives import COMMANDS, WINDS, drive_count, drives_in, winding_power
from taut.mechanics.operations.motion import enter_piece
from taut.mechanics.parts import impose
from taut.mechanics.signals import signal_at
from taut.mechanics.terms.springs import member_state, spring_count
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
            out[row, 3 * k] = drives.sign[k] * reals_at(p, drives.value[k])[drives.row[k]]
            _, rate, _ = signal_at(drives.kind[k], drives.data, drives.start[k], times[row], pieces[row])
            out[row, 3 * k + 1] = reals_at(p, drives.rate[k])[drives.row[k]] if drives.rate[k] >= 0 else rate
            out[row, 3 * k + 2] = 0.0
            if drives.winds[k] == WINDS:
                out[row, 3 * k + 2] = winding_power(p, k, y)
            elif drives.winds[k] == COMMANDS:
                _, growth, tension, _ = member_state(p, spring_count(p) + drives.row[k], y, 1)
                out[row, 3 * k + 2] = -tension * growth


def drive_outputs(
    given: Given,
    seen: np.ndarray,
    cable_tension: np.ndarray,
    bar_force: np.ndarray,
    angle_torque: np.ndarray,
    torque_power: np.ndarray,
) -> Mapping[str, np.ndarray]:
    """(T, d) each, of what `observe_drives` filled. Forces are positive in tension, torques where they turn up.

    torque_power: of what is commanded of free angles.
    """
    shown = {"cable": cable_tension, "bar": bar_force, "angle": angle_torque}
    value, rate, power = seen.reshape(len(seen), len(given.driven), 3).transpose(2, 0, 1).copy()
    force = np.zeros_like(value)
    for k, driven in enumerate(given.driven):
        names = list(getattr(given.structure, f"{driven.kind}s"))
        force[:, k] = shown[driven.kind][:, names.index(driven.member)]
        if driven.drive.quantity in ("length", "angle"):
            power[:, k] = (1.0 if driven.kind == "angle" else -1.0) * force[:, k] * rate[:, k]
        elif driven.drive.quantity == "torque":
            power[:, k] = torque_power[:, given.driven_row(driven)]
    return dict(zip(SHOWN, (value, rate, force, power), strict=True))
