"""What a correction needs of the nodal formulation: gaps, projections onto the constraints, energy and its slope.

All of it in full coordinates; held ones stay zero in every direction.
"""

from __future__ import annotations

import math

import numpy as np

from taut.mechanics.nodal import carried, energies, gap_of_bar, gap_of_guide, pull
from taut.mechanics.systems import prepare_system, solve_system
from taut.mechanics.tables import DIRECT
from taut.mechanics.unpacking import (
    bars_in,
    cables_in,
    constants_in,
    free_count,
    guides_in,
    nodes_in,
    saddle_in,
    sizes_in,
    work_in,
)
from taut.numerics.compiled import entry, inlined
from taut.numerics.lanes import most, where
from taut.numerics.packing import Pack
from taut.numerics.pointers import shifted, start_of

ALLOWANCE = 0.1
"""Of the largest coordinate, added to lengths that gaps are measured by."""

LAST_PLACES = 2e-4
"""A few units in the last place, as a fraction of the usual tolerance of the energy."""


@inlined
def _largest(values: np.ndarray, i: int) -> float:
    """Of three; a running maximum of single values would wait for itself at every one."""
    return max(abs(values[i]), max(abs(values[i + 1]), abs(values[i + 2])))  # type: ignore[no-any-return]


@entry
def gaps(p: Pack, y: np.ndarray, gap: np.ndarray, gap_rate: np.ndarray) -> tuple[float, float]:
    """Fill the gaps [m] and their rates [m/s] of all constraints; returns the worst of each, without dimension.

    Gaps are relative to the bar, rates to the largest speed, with an allowance for structures much larger than their
    bars: far from the origin coordinates have fewer digits left for a bar's length.
    """
    bars, guides, scale, sizes = bars_in(p), guides_in(p), constants_in(p).scale, sizes_in(p)
    state, n = start_of(y), sizes.coordinates
    apart, parting = start_of(gap), start_of(gap_rate)
    worst, worst_rate, speed, reach, sound = 0.0, 0.0, scale[0] / scale[1], 0.0, 0.0
    for i in range(0, n, 3):
        reach = max(reach, _largest(state, i))
        speed = max(speed, _largest(state, n + i))
    reach *= ALLOWANCE
    speed *= 1.0 + reach / scale[0]
    for k in range(sizes.bars):
        apart[k], parting[k] = gap_of_bar(bars, k, state, n)
        worst = max(worst, abs(apart[k]) / (bars.length[k] + reach))
        worst_rate = max(worst_rate, abs(parting[k]))
        sound += 0.0 * (apart[k] + parting[k])  # a maximum would lose what is not a number
    for k in range(sizes.guides):
        row = sizes.bars + k
        apart[row], parting[row] = gap_of_guide(guides, k, state, n)
        worst = max(worst, abs(apart[row]) / (scale[0] + reach))
        worst_rate = max(worst_rate, abs(parting[row]))
        sound += 0.0 * (apart[row] + parting[row])
    return most(worst + sound), most(worst_rate / speed + sound)


@entry
def prepare(p: Pack, y: np.ndarray) -> int:
    """Make the metric's system ready at these positions; negative if that fails."""
    return prepare_system(p, constants_in(p).systems[1], start_of(y))


@entry
def firmness(p: Pack) -> float:
    """The smallest pivot of a constraint since the last call, relative to what it started from; 1 if there are none.

    Called after every step that is kept, from which no bar was crushed.
    """
    constants_in(p).crushed[0] = -1
    if constants_in(p).solver[0] != DIRECT:
        return 1.0
    weakest = saddle_in(p, constants_in(p).systems[0]).weakest
    least = -most(-weakest[0])
    weakest[0] = 1.0
    return least  # type: ignore[no-any-return]


@entry
def project(p: Pack, covector: np.ndarray, rates: np.ndarray, direction: np.ndarray) -> None:
    """direction = W^-1 (covector - G^T l) with G direction = rates, after `prepare`.

    With no covector it is the shortest direction with those rates; with no rates, the covector's gradient along the
    constraints.
    """
    at, multiplier = constants_in(p).systems[1], work_in(p).multiplier
    solve_system(p, at, start_of(covector), start_of(rates), start_of(direction), multiplier)


@entry
def bend(p: Pack, y: np.ndarray, direction: np.ndarray, rates: np.ndarray) -> None:
    """rates = d(G v)/dq . direction, the matrix Q of eq. (32): how gap rates change when only positions move."""
    bars, sizes = bars_in(p), sizes_in(p)
    state, along, out, n = start_of(y), start_of(direction), start_of(rates), sizes.coordinates
    for k in range(sizes.bars):
        i, j = bars.first[k], bars.second[k]
        total = 0.0
        for axis in range(3):
            total += (state[n + j + axis] - state[n + i + axis]) * (along[j + axis] - along[i + axis])
        out[k] = total * bars.per_length[k]
    for k in range(sizes.bars, sizes.bars + sizes.guides):
        out[k] = 0.0


@inlined
def _terms(kinetic: float, elastic: float, height: float, work: float, reach: float, squared: float) -> float:
    """The size of the terms that an energy is the sum of, which bounds its round-off.

    Among them is what a last digit of the coordinates means for tense cables: tension times size, by the root of their
    number since such errors are as often positive as negative.
    """
    return kinetic + elastic + abs(height) + abs(work) + LAST_PLACES * reach * math.sqrt(squared)


@entry
def energy(p: Pack, y: np.ndarray) -> tuple[float, float]:
    """Total energy [J], and the size of the terms it is a sum of."""
    state, n = start_of(y), sizes_in(p).coordinates
    kinetic, elastic, height, squared = energies(p, state)
    reach = 0.0
    for i in range(0, n, 3):
        reach = max(reach, _largest(state, i))
    return kinetic + elastic + height, _terms(kinetic, elastic, height, state[2 * n], reach, squared)


@entry
def energy_slope(p: Pack, y: np.ndarray, along_q: np.ndarray, along_v: np.ndarray) -> tuple[float, float]:
    """dE/dq and dE/dv; returns what `energy` does, without going through the cables again."""
    nodes, sizes, state = nodes_in(p), sizes_in(p), start_of(y)
    slope, moving, n = start_of(along_q), start_of(along_v), sizes.coordinates
    for i in range(n):
        slope[i] = 0.0
    _, elastic, squared = pull(cables_in(p), sizes.cables, state, n, slope, 0)
    carried(p, state, shifted(state, n), moving)
    kx, ky, kz, hx, hy, hz, reach = 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
    for i in range(0, n, 3):
        qx, qy, qz = state[i], state[i + 1], state[i + 2]
        wx, wy, wz = nodes.weight[i], nodes.weight[i + 1], nodes.weight[i + 2]
        slope[i], slope[i + 1], slope[i + 2] = -slope[i] - wx, -slope[i + 1] - wy, -slope[i + 2] - wz
        kx, ky = kx + moving[i] * state[n + i], ky + moving[i + 1] * state[n + i + 1]
        kz = kz + moving[i + 2] * state[n + i + 2]
        hx, hy, hz = hx + wx * qx, hy + wy * qy, hz + wz * qz
        reach = max(reach, _largest(state, i))
    kinetic, height = 0.5 * (kx + ky + kz), -(hx + hy + hz)
    return kinetic + elastic + height, _terms(kinetic, elastic, height, state[2 * n], reach, squared)


@entry
def mismatch(p: Pack, y: np.ndarray, trial: np.ndarray, error: np.ndarray, tolerance: float) -> float:
    """The largest error of a free coordinate as a fraction of what is allowed.

    Allowed are tolerance * typical length for positions, tolerance * largest speed for velocities (or, near rest, a
    thousandth of typical length per typical time), and tolerance * (largest kinetic energy such speeds mean + |work|)
    for the work.
    """
    nodes, scale, n = nodes_in(p), constants_in(p).scale, sizes_in(p).coordinates
    before, after, wrong = start_of(y), start_of(trial), start_of(error)
    speed = 1e-3 * scale[0] / scale[1]
    worst, worst_rate, mass = 0.0, 0.0, 0.0
    for m in range(free_count(p)):
        i = nodes.free[m]
        worst = max(worst, abs(wrong[i]))
        worst_rate = max(worst_rate, abs(wrong[n + i]))
        speed = max(speed, max(abs(before[n + i]), abs(after[n + i])))
        mass += nodes.mass[i]
    works = mass * speed * speed + max(abs(before[2 * n]), abs(after[2 * n]))
    largest = max(worst / scale[0], worst_rate / speed)
    largest = max(largest, abs(wrong[2 * n]) / where(works > 0.0, works, 1.0))
    return most(largest / tolerance)  # type: ignore[no-any-return]
