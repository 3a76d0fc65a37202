"""The nodal kernels for plants with moved supports; what they cost is compiled and paid only there.

With h the moved coordinates and f the free ones, all in full coordinates, the system of `taut.mechanics.systems` is

    M x = force - M a_h + G^T lambda,   G x = rates - G a_h,   a = x + a_h

and the supports push with M a - force - G^T lambda, whose power on the moved coordinates is work done on the structure.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from taut.mechanics import nodal, nodal_outputs
from taut.mechanics.iterative_verbs import ITERATIVE_SYSTEM, ITERATIVE_VERBS
from taut.mechanics.moving import moved_in, put_motions
from taut.mechanics.nodal import applied_forces, carried, put_gap_rates, put_guide_rates
from taut.mechanics.nodal_outputs import imbalance
from taut.mechanics.systems import prepare_system, solve_system
from taut.mechanics.thick_verbs import (
    OUTPUTS,
    THICK_MASS,
    THICK_SYSTEM,
    THICK_VERBS,
    thick_forces,
    thick_imbalance,
)
from taut.mechanics.unpacking import bars_in, constants_in, guides_in, sizes_in, work_in
from taut.numerics.compiled import again, entry, kernel, woven
from taut.numerics.packing import Pack
from taut.numerics.pointers import start_of


@woven
def _take_known(p: Pack, y: np.ndarray, known: np.ndarray, covector: np.ndarray, rates: np.ndarray) -> None:
    """covector = force - M a_h, and take G a_h out of the rates."""
    bars, guides, sizes, force = bars_in(p), guides_in(p), sizes_in(p), work_in(p).force
    carried(p, y, known, covector)
    for i in range(sizes.coordinates):
        covector[i] = force[i] - covector[i]
    for k in range(sizes.bars):
        i, j, along = bars.first[k], bars.second[k], 0.0
        for axis in range(3):
            along += (y[j + axis] - y[i + axis]) * (known[j + axis] - known[i + axis])
        rates[k] -= along * bars.per_length[k]
    for k in range(sizes.guides):
        for m in range(guides.start[k], guides.start[k + 1]):
            rates[sizes.bars + k] -= guides.coefficient[m] * known[guides.coordinate[m]]


@kernel
def _accelerate(p: Pack, t: float, y: np.ndarray, acceleration: np.ndarray) -> float:
    """As `nodal.accelerate`; the power is that of supports too, and y is told where they are."""
    moved, work, n, motion = moved_in(p), work_in(p), sizes_in(p).coordinates, constants_in(p).systems[0]
    put_motions(p, t, y)
    power = applied_forces(p, t, y, work.force)
    put_gap_rates(p, bars_in(p), y, work.bottom)
    put_guide_rates(p, y, work.bottom)
    _take_known(p, y, moved.acceleration, moved.balance, work.bottom)
    if prepare_system(p, motion, y) < 0:
        moved.balance[0] = np.nan  # no inertia left: let the state say so
    solve_system(p, motion, moved.balance, work.bottom, acceleration, work.multiplier)
    for i in range(n):
        acceleration[i] += moved.acceleration[i]
    imbalance(p, y, acceleration, moved.balance)
    for i in range(n):
        power += moved.balance[i] * y[n + i]
    return power


@entry
def arrive(p: Pack, t: float, y: np.ndarray) -> None:
    put_motions(p, t, start_of(y))


def _set(accelerate: Callable[..., Any], others: Mapping[str, Any], outputs: Mapping[str, Any], label: str) -> Any:
    """What differs from `taut.mechanics.verb_sets.NODAL_VERBS`, and what reads outputs off states."""
    rate = again(entry, nodal.rate, {"accelerate": accelerate}, label)
    return {**others, "rate": rate, "arrive": arrive}, again(
        entry, nodal_outputs.observe, {**outputs, "rate": rate}, label
    )


_WITH_THICKNESS: Mapping[str, Any] = {
    **THICK_SYSTEM,
    "applied_forces": thick_forces,
    "imbalance": thick_imbalance,
    "_take_known": again(woven, _take_known, THICK_MASS, "_thick"),
}

SETS = {
    "plain": _set(_accelerate, {}, {}, "_moved"),
    "iterative": _set(
        again(kernel, _accelerate, ITERATIVE_SYSTEM, "_iterative"), ITERATIVE_VERBS, {}, "_moved_iterative"
    ),
    "thick": _set(again(kernel, _accelerate, _WITH_THICKNESS, "_thick"), THICK_VERBS, OUTPUTS, "_moved_thick"),
}
