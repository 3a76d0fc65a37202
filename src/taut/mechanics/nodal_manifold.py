"""What a correction needs of the nodal formulation: gaps, projections onto the constraints, energy and its slope.

All of it in full coordinates; held ones stay zero in every direction.
"""

from __future__ import annotations

import numpy as np

from taut.mechanics.nodal import energies, gap_of_bar, gap_of_guide, momentum, pull, put_directions
from taut.mechanics.tables import bars_in, cables_in, constants_in, guides_in, nodes_in, saddle_in, work_in
from taut.numerics.compiled import entry
from taut.numerics.packing import Pack
from taut.numerics.saddle import factorise, solve


@entry
def gaps(p: Pack, y: np.ndarray, gap: np.ndarray, gap_rate: np.ndarray) -> tuple[float, float]:
    """Fill the gaps [m] and their rates [m/s] of all constraints; returns the worst of each, without dimension."""
    bars, guides, scale = bars_in(p), guides_in(p), constants_in(p).scale
    size = nodes_in(p).mass.size
    q, v = y[:size], y[size : 2 * size]
    worst, worst_rate, speed = 0.0, 0.0, scale[0] / scale[1]
    for i in range(size):
        speed = max(speed, abs(v[i]))
    count = bars.length.size
    for k in range(count):
        gap[k], gap_rate[k], _ = gap_of_bar(bars, k, q, v)
        worst = max(worst, abs(gap[k]) / bars.length[k])
        worst_rate = max(worst_rate, abs(gap_rate[k]))
    for k in range(guides.value.size):
        gap[count + k], gap_rate[count + k] = gap_of_guide(guides, k, q, v)
        worst = max(worst, abs(gap[count + k]) / scale[0])
        worst_rate = max(worst_rate, abs(gap_rate[count + k]))
    return worst, worst_rate / speed


@entry
def prepare(p: Pack, y: np.ndarray) -> int:
    """Factor the metric's saddle at these positions; negative if that fails."""
    metric = saddle_in(p, constants_in(p).metric[0])
    put_directions(bars_in(p), y, metric.values)
    return factorise(metric)


@entry
def project(p: Pack, covector: np.ndarray, rates: np.ndarray, direction: np.ndarray) -> None:
    """direction = W^-1 (covector - G^T l) with G direction = rates, after `prepare`.

    With no covector it is the shortest direction with those rates; with no rates, the covector's gradient along the
    constraints.
    """
    free, work = nodes_in(p).free, work_in(p)
    for n in range(free.size):
        work.top[n] = covector[free[n]]
    solve(saddle_in(p, constants_in(p).metric[0]), work.top, rates, work.unknown, work.multiplier)
    for i in range(direction.size):
        direction[i] = 0.0
    for n in range(free.size):
        direction[free[n]] = work.unknown[n]


@entry
def bend(p: Pack, y: np.ndarray, direction: np.ndarray, rates: np.ndarray) -> None:
    """rates = d(G v)/dq . direction, the matrix Q of eq. (32): how gap rates change when only positions move."""
    bars = bars_in(p)
    size = direction.size
    for k in range(bars.length.size):
        i, j = bars.first[k], bars.second[k]
        total = 0.0
        for axis in range(3):
            total += (y[size + j + axis] - y[size + i + axis]) * (direction[j + axis] - direction[i + axis])
        rates[k] = total / bars.length[k]
    for k in range(bars.length.size, rates.size):
        rates[k] = 0.0


@entry
def energy(p: Pack, y: np.ndarray) -> tuple[float, float]:
    """Total energy [J], and the size of the terms it is a sum of, which bounds its round-off."""
    kinetic, elastic, height = energies(p, y)
    return kinetic + elastic + height, kinetic + elastic + abs(height) + abs(y[y.size - 1])


@entry
def energy_slope(p: Pack, y: np.ndarray, along_q: np.ndarray, along_v: np.ndarray) -> None:
    """dE/dq and dE/dv."""
    nodes, rest = nodes_in(p), work_in(p).force
    size = along_q.size
    for i in range(size):
        along_q[i] = 0.0
        rest[i] = 0.0
    pull(cables_in(p), y[:size], rest, along_q)  # at rest, so that dampers stay out of it
    for i in range(size):
        along_q[i] = -along_q[i] - nodes.weight[i]
    momentum(nodes.mass, bars_in(p), y[size : 2 * size], along_v)


@entry
def mismatch(p: Pack, y: np.ndarray, trial: np.ndarray, error: np.ndarray, tolerance: float) -> float:
    """The largest error of a free coordinate as a fraction of what is allowed.

    Allowed are tolerance * typical length for positions, tolerance * largest speed for velocities (or, near rest, a
    thousandth of typical length per typical time), and tolerance * (largest kinetic energy such speeds mean + |work|)
    for the work.
    """
    nodes, scale = nodes_in(p), constants_in(p).scale
    size = nodes.mass.size
    speed = 1e-3 * scale[0] / scale[1]
    worst, worst_rate, mass = 0.0, 0.0, 0.0
    for n in range(nodes.free.size):
        i = nodes.free[n]
        worst = max(worst, abs(error[i]))
        worst_rate = max(worst_rate, abs(error[size + i]))
        speed = max(speed, max(abs(y[size + i]), abs(trial[size + i])))
        mass += nodes.mass[i]
    works = mass * speed * speed + max(abs(y[2 * size]), abs(trial[2 * size]))
    largest = max(worst / scale[0], max(worst_rate / speed, abs(error[2 * size]) / works))
    return float(largest / tolerance)
