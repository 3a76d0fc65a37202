"""What a correction needs of the nodal formulation: gaps, projections onto the constraints, energy and its slope.

All of it in full coordinates; held ones stay zero in every direction.
"""

from __future__ import annotations

import math

import numpy as np

from taut.mechanics.nodal import energies, gap_of_bar, gap_of_guide, momentum, pull
from taut.mechanics.systems import prepare_system, solve_system
from taut.mechanics.tables import (
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
from taut.numerics.compiled import entry
from taut.numerics.packing import Pack
from taut.numerics.pointers import shifted, start_of

ALLOWANCE = 0.1
"""Of the largest coordinate, added to lengths that gaps are measured by."""

FLAT = 1e-9
"""A structure whose moments of inertia multiply to less than this fraction of their sum cubed is a line."""

LAST_PLACES = 2e-4
"""A few units in the last place, as a fraction of the usual tolerance of the energy."""


@entry
def gaps(p: Pack, y: np.ndarray, gap: np.ndarray, gap_rate: np.ndarray) -> tuple[float, float]:
    """Fill the gaps [m] and their rates [m/s] of all constraints; returns the worst of each, without dimension.

    Gaps are relative to the bar, rates to the largest speed, with an allowance for structures much larger than their
    bars: far from the origin coordinates have fewer digits left for a bar's length.
    """
    bars, guides, scale, sizes = bars_in(p), guides_in(p), constants_in(p).scale, sizes_in(p)
    state, n = start_of(y), sizes.coordinates
    worst, worst_rate, speed, reach = 0.0, 0.0, scale[0] / scale[1], 0.0
    for i in range(n):
        reach = max(reach, abs(state[i]))
        speed = max(speed, abs(state[n + i]))
    reach *= ALLOWANCE
    speed *= 1.0 + reach / scale[0]
    for k in range(sizes.bars):
        gap[k], gap_rate[k] = gap_of_bar(bars, k, state, n)
        worst = max(worst, abs(gap[k]) / (bars.length[k] + reach))
        worst_rate = max(worst_rate, abs(gap_rate[k]))
    for k in range(sizes.guides):
        row = sizes.bars + k
        gap[row], gap_rate[row] = gap_of_guide(guides, k, state, n)
        worst = max(worst, abs(gap[row]) / (scale[0] + reach))
        worst_rate = max(worst_rate, abs(gap_rate[row]))
    return worst, worst_rate / speed


@entry
def prepare(p: Pack, y: np.ndarray) -> int:
    """Make the metric's system ready at these positions; negative if that fails."""
    return prepare_system(p, constants_in(p).systems[1], start_of(y))


@entry
def firmness(p: Pack) -> float:
    """The smallest pivot of a constraint since the last call, relative to what it started from; 1 if explicit."""
    if constants_in(p).explicit[0] == 1:
        return 1.0
    weakest = saddle_in(p, constants_in(p).systems[0]).weakest
    least = weakest[0]
    weakest[0] = 1.0
    return float(least)


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
    n = sizes.coordinates
    for k in range(sizes.bars):
        i, j = bars.first[k], bars.second[k]
        total = 0.0
        for axis in range(3):
            total += (y[n + j + axis] - y[n + i + axis]) * (direction[j + axis] - direction[i + axis])
        rates[k] = total / bars.length[k]
    for k in range(sizes.bars, sizes.bars + sizes.guides):
        rates[k] = 0.0


@entry
def energy(p: Pack, y: np.ndarray) -> tuple[float, float]:
    """Total energy [J], and the size of the terms it is a sum of, which bounds its round-off.

    Among the terms is what a last digit of the coordinates means for tense cables: tension times size, by the root of
    their number since such errors are as often positive as negative.
    """
    state, n = start_of(y), sizes_in(p).coordinates
    kinetic, elastic, height, squared = energies(p, state)
    reach = 0.0
    for i in range(n):
        reach = max(reach, abs(state[i]))
    terms = kinetic + elastic + abs(height) + abs(state[2 * n]) + LAST_PLACES * reach * math.sqrt(squared)
    return kinetic + elastic + height, terms


@entry
def energy_slope(p: Pack, y: np.ndarray, along_q: np.ndarray, along_v: np.ndarray) -> None:
    """dE/dq and dE/dv."""
    nodes, sizes = nodes_in(p), sizes_in(p)
    n = sizes.coordinates
    for i in range(n):
        along_q[i] = 0.0
    pull(cables_in(p), sizes.cables, start_of(y), n, start_of(along_q), 0.0)
    for i in range(n):
        along_q[i] = -along_q[i] - nodes.weight[i]
    momentum(nodes.mass, bars_in(p), sizes.bars, shifted(start_of(y), n), n, start_of(along_v))


@entry
def keep_momentum(p: Pack, y: np.ndarray, shift: np.ndarray, swing: np.ndarray) -> None:
    """Take out of a change of velocities the rigid motion that would change the momentum of a structure nobody holds.

    Linear momentum along every axis on which nothing holds it; angular momentum about its centre of mass, to which the
    change of positions contributes too, where nothing holds it at all. The stepping keeps both better than the energy.
    """
    nodes, bars, work, sizes = nodes_in(p), bars_in(p), work_in(p), sizes_in(p)
    n, share, state = sizes.coordinates, nodes.share, start_of(y)
    centre, drift, loose = np.empty(3), np.empty(3), 0
    for axis in range(3):
        total, whole, moment, moved = 0.0, 0.0, 0.0, 0.0
        for i in range(axis, n, 3):
            total += share[i] * swing[i]
            moment += share[i] * state[i]
            moved += share[i] * shift[i]
            whole += share[i]
        if whole > 0.0:
            loose += 1
            centre[axis], drift[axis] = moment / whole, moved / whole
            for i in range(axis, n, 3):
                swing[i] -= total / whole
    if loose < 3:
        return
    cx, cy, cz = centre[0], centre[1], centre[2]
    momentum(nodes.mass, bars, sizes.bars, shifted(state, n), n, work.force)
    momentum(nodes.mass, bars, sizes.bars, start_of(swing), n, work.acceleration)
    lx, ly, lz = 0.0, 0.0, 0.0
    xx, yy, zz, xy, yz, zx = 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
    for i in range(0, n, 3):
        rx, ry, rz = state[i] - cx, state[i + 1] - cy, state[i + 2] - cz
        fx, fy, fz = work.force[i], work.force[i + 1], work.force[i + 2]
        ax, ay, az = work.acceleration[i], work.acceleration[i + 1], work.acceleration[i + 2]
        dx, dy, dz = shift[i] - drift[0], shift[i + 1] - drift[1], shift[i + 2] - drift[2]
        lx += dy * fz - dz * fy + ry * az - rz * ay
        ly += dz * fx - dx * fz + rz * ax - rx * az
        lz += dx * fy - dy * fx + rx * ay - ry * ax
        m = nodes.mass[i]
        xx, yy, zz = xx + m * rx * rx, yy + m * ry * ry, zz + m * rz * rz
        xy, yz, zx = xy + m * rx * ry, yz + m * ry * rz, zx + m * rz * rx
    for k in range(sizes.bars):
        i, j, c = bars.first[k], bars.second[k], bars.coupling[k]
        ax, ay, az = state[i] - cx, state[i + 1] - cy, state[i + 2] - cz
        bx, by, bz = state[j] - cx, state[j + 1] - cy, state[j + 2] - cz
        xx, yy, zz = xx + 2.0 * c * ax * bx, yy + 2.0 * c * ay * by, zz + 2.0 * c * az * bz
        xy += c * (ax * by + ay * bx)
        yz += c * (ay * bz + az * by)
        zx += c * (az * bx + ax * bz)
    # The inertia tensor [[yy + zz, -xy, -zx], ...] by its cofactors; without volume there is no turn to take out.
    ixx, iyy, izz = yy + zz, xx + zz, xx + yy
    c11, c12, c13 = iyy * izz - yz * yz, zx * yz + xy * izz, xy * yz + zx * iyy
    c22, c23, c33 = ixx * izz - zx * zx, xy * zx + ixx * yz, ixx * iyy - xy * xy
    volume = ixx * c11 - xy * c12 - zx * c13
    if not volume > FLAT * (ixx + iyy + izz) ** 3:
        return
    wx = (c11 * lx + c12 * ly + c13 * lz) / volume
    wy = (c12 * lx + c22 * ly + c23 * lz) / volume
    wz = (c13 * lx + c23 * ly + c33 * lz) / volume
    for i in range(0, n, 3):
        rx, ry, rz = state[i] - cx, state[i + 1] - cy, state[i + 2] - cz
        swing[i] -= wy * rz - wz * ry
        swing[i + 1] -= wz * rx - wx * rz
        swing[i + 2] -= wx * ry - wy * rx


@entry
def mismatch(p: Pack, y: np.ndarray, trial: np.ndarray, error: np.ndarray, tolerance: float) -> float:
    """The largest error of a free coordinate as a fraction of what is allowed.

    Allowed are tolerance * typical length for positions, tolerance * largest speed for velocities (or, near rest, a
    thousandth of typical length per typical time), and tolerance * (largest kinetic energy such speeds mean + |work|)
    for the work.
    """
    nodes, scale, n = nodes_in(p), constants_in(p).scale, sizes_in(p).coordinates
    speed = 1e-3 * scale[0] / scale[1]
    worst, worst_rate, mass = 0.0, 0.0, 0.0
    for m in range(free_count(p)):
        i = nodes.free[m]
        worst = max(worst, abs(error[i]))
        worst_rate = max(worst_rate, abs(error[n + i]))
        speed = max(speed, max(abs(y[n + i]), abs(trial[n + i])))
        mass += nodes.mass[i]
    works = mass * speed * speed + max(abs(y[2 * n]), abs(trial[2 * n]))
    largest = max(worst / scale[0], worst_rate / speed)
    if works > 0.0:
        largest = max(largest, abs(error[2 * n]) / works)
    return float(largest / tolerance)
