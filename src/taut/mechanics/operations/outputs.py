"""What can be read off a state of a nodal plant: tensions, bar forces, reactions, energies."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from taut.mechanics.operations.energy import energies
from taut.mechanics.operations.motion import enter_piece, lend_plant, rate, reactions
from taut.mechanics.parts import observe_terms, row_residuals, row_values
from taut.mechanics.tables import coordinate_count, jacobian_in, row_count, work_in
from taut.mechanics.terms.loads import LOADS, load_at, loads_in
from taut.mechanics.terms.springs import spring_count, spring_state, springs_in
from taut.numerics.compiled import entry
from taut.numerics.packing import Pack, size_of
from taut.numerics.pointers import lent, row_of, shifted, start_of


class Outputs(NamedTuple):
    """One row a sample. Forces [N]: tension positive; reactions act on the structure."""

    spring_length: np.ndarray  # cables, then compressible bars
    spring_tension: np.ndarray
    multiplier: np.ndarray
    reaction: np.ndarray  # (samples, held nodes, 3)
    load_force: np.ndarray  # (samples, loads)
    energy_kinetic: np.ndarray  # (samples,)
    energy_elastic: np.ndarray  # (samples,)
    energy_gravity: np.ndarray  # (samples,)
    length_violation: np.ndarray  # (samples,) worst residual of a constraint [m]
    rate_violation: np.ndarray  # (samples,) its rate [m/s]
    others: np.ndarray  # (samples, numbers that other terms show)


def empty_outputs(springs: int, rows: int, held: int, loads: int, others: int, samples: int) -> Outputs:
    return Outputs(
        np.zeros((samples, springs)),
        np.zeros((samples, springs)),
        np.zeros((samples, rows)),
        np.zeros((samples, held, 3)),
        np.zeros((samples, loads)),
        *(np.zeros(shape) for shape in (*(samples,) * 5, (samples, others))),
    )


@entry
def observe(p: Pack, times: np.ndarray, pieces: np.ndarray, samples: np.ndarray, held: np.ndarray, out: Any) -> None:
    """Fill the outputs, a row a sample; `pieces` are times inside the signals' pieces, `held` the supported nodes."""
    p, samples = lend_plant(p), lent(samples)
    springs, loads, work, jacobian = springs_in(p), loads_in(p), work_in(p), jacobian_in(p)
    n, rows = coordinate_count(p), row_count(p)
    balance, rates = np.empty(n), np.empty(2 * n + 1)
    for row in range(times.size):
        t, state = times[row], row_of(samples, row)
        y = start_of(state)
        enter_piece(p, pieces[row])
        rate(p, t, state, rates)
        for k in range(spring_count(p)):
            length, _, elastic, viscous = spring_state(springs, k, y, n, springs.damps[0])
            out.spring_length[row, k] = length
            out.spring_tension[row, k] = elastic + viscous
        worst, worst_rate = 0.0, 0.0
        row_residuals(p, y, work.residual, work.residual_rate)
        for k in range(rows):
            out.multiplier[row, k] = work.multiplier[k]
            worst = max(worst, abs(work.residual[k]))
            worst_rate = max(worst_rate, abs(work.residual_rate[k]))
        for k in range(size_of(p, LOADS)):
            out.load_force[row, k] = load_at(p, loads, k, t)
        out.energy_kinetic[row], out.energy_elastic[row], out.energy_gravity[row], _ = energies(p, y)
        out.length_violation[row] = worst
        out.rate_violation[row] = worst_rate
        row_values(p, y, jacobian.value)
        reactions(p, shifted(start_of(rates), n), y, start_of(balance))
        for k in range(held.size):
            for axis in range(3):
                out.reaction[row, k, axis] = balance[3 * held[k] + axis]
        observe_terms(p, t, y, start_of(row_of(out.others, row)))
