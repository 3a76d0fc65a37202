"""What can be read off a state of the nodal formulation: tensions, bar forces, reactions, energies."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from taut.mechanics.nodal import (
    cable_state,
    carried,
    energies,
    enter,
    gap_of_bar,
    gap_of_guide,
    lend_plant,
    rate,
)
from taut.mechanics.signals import signal_value
from taut.mechanics.tables import Nodal
from taut.mechanics.unpacking import (
    bars_in,
    cables_in,
    constants_in,
    free_count,
    guides_in,
    nodes_in,
    signals_in,
    sizes_in,
    work_in,
)
from taut.numerics.compiled import entry, woven
from taut.numerics.packing import Pack
from taut.numerics.pointers import lent, row_of, shifted, start_of


class Outputs(NamedTuple):
    """One row a sample. Forces [N]: tension positive; reactions act on the structure."""

    cable_length: np.ndarray
    cable_tension: np.ndarray
    bar_force: np.ndarray
    constraint_force: np.ndarray
    reaction: np.ndarray  # (samples, held nodes, 3)
    load_force: np.ndarray  # (samples, loads)
    energy_kinetic: np.ndarray  # (samples,)
    energy_elastic: np.ndarray  # (samples,)
    energy_gravity: np.ndarray  # (samples,)
    length_violation: np.ndarray  # (samples,) worst | |b| - l | [m], guides included
    rate_violation: np.ndarray  # (samples,) worst gap rate [m/s]


def empty_outputs(tables: Nodal, samples: int, held: int) -> Outputs:
    bars, guides = tables.bars.length.size, tables.guides.value.size
    cables = tables.cables.stiffness.size - int(np.count_nonzero(tables.bars.per_length == 0.0))
    return Outputs(
        np.zeros((samples, cables)),
        np.zeros((samples, cables)),
        np.zeros((samples, bars)),
        np.zeros((samples, guides)),
        np.zeros((samples, held, 3)),
        np.zeros((samples, tables.signals.coordinate.size)),
        *(np.zeros(samples) for _ in range(5)),
    )


@woven
def imbalance(p: Pack, y: np.ndarray, acceleration: np.ndarray, balance: np.ndarray) -> None:
    """M a - applied force - G^T lambda: what supports add at held coordinates, zero at free ones."""
    nodes, bars, guides, work, sizes = nodes_in(p), bars_in(p), guides_in(p), work_in(p), sizes_in(p)
    n = sizes.coordinates
    carried(p, y, acceleration, balance)
    for i in range(n):
        balance[i] -= work.force[i]
    for k in range(sizes.bars):
        i, j = bars.first[k], bars.second[k]
        for axis in range(3):
            push = work.multiplier[k] * (y[j + axis] - y[i + axis]) / bars.length[k]
            balance[i + axis] += push
            balance[j + axis] -= push
    for k in range(sizes.guides):
        for m in range(guides.start[k], guides.start[k + 1]):
            balance[guides.coordinate[m]] -= guides.coefficient[m] * work.multiplier[sizes.bars + k]
    for m in range(free_count(p)):
        balance[nodes.free[m]] = 0.0  # equal to round-off already; a support adds nothing where it does not hold


@entry
def observe(p: Pack, times: np.ndarray, pieces: np.ndarray, samples: np.ndarray, held: np.ndarray, out: Any) -> None:
    """Fill the outputs, a row a sample; `pieces` are times inside the signals' pieces, `held` the supported nodes."""
    p, samples = lend_plant(p), lent(samples)
    cables, bars, guides, signals, work = cables_in(p), bars_in(p), guides_in(p), signals_in(p), work_in(p)
    sizes, drags = sizes_in(p), constants_in(p).cables_damp[0]
    n, own = sizes.coordinates, sizes.cables + sizes.bars - sizes.rods
    balance, rates = np.empty(n), np.empty(2 * n + 1)
    for row in range(times.size):
        t, state = times[row], row_of(samples, row)
        y = start_of(state)
        enter(p, pieces[row])
        rate(p, t, state, rates)
        worst, worst_rate = 0.0, 0.0
        for k in range(sizes.cables):
            length, _, elastic, viscous = cable_state(cables, k, y, n, drags)
            if k < own:
                out.cable_length[row, k] = length
                out.cable_tension[row, k] = elastic + viscous
            else:
                out.bar_force[row, bars.column[sizes.bars + k - own]] = elastic + viscous
        for k in range(sizes.bars):
            out.bar_force[row, bars.column[k]] = -work.multiplier[k]
            gap, gap_rate = gap_of_bar(bars, k, y, n)
            worst = max(worst, abs(gap))
            worst_rate = max(worst_rate, abs(gap_rate))
        for k in range(sizes.guides):
            out.constraint_force[row, k] = work.multiplier[sizes.bars + k]
            gap, gap_rate = gap_of_guide(guides, k, y, n)
            worst = max(worst, abs(gap))
            worst_rate = max(worst_rate, abs(gap_rate))
        for k in range(sizes.loads):
            out.load_force[row, k] = signal_value(signals, k, t)
        out.energy_kinetic[row], out.energy_elastic[row], out.energy_gravity[row], _ = energies(p, y)
        out.length_violation[row] = worst
        out.rate_violation[row] = worst_rate
        imbalance(p, y, shifted(start_of(rates), n), start_of(balance))
        for k in range(held.size):
            for axis in range(3):
                out.reaction[row, k, axis] = balance[3 * held[k] + axis]
