"""The nodal formulation: every coordinate of every node is an unknown, rigid bars and guides are constraints.

Compressible bars are springs with the mass matrix of rigid ones; `taut.mechanics.thick` adds what thickness does.

Kernels over the tables of `taut.mechanics.tables`. The equations are those of Hsu, Tadiparthi and Bhattacharya, with

    q    node coordinates, node by node            v      their rates; a state is y = [q, v, work, ...]
    s_k  vector along cable k, |s_k| its length     b_k    vector along bar k, l_k its length
    G    d(gaps)/dq, one row a constraint           lambda multipliers; a bar's is the force with which it pushes

A bar's gap is (b.b - l^2) / (2 l), eq. (24) over 2 l, so that its row of G is a unit vector and lambda is a force [N].
Numbers may be floats or lanes of them (`taut.numerics.lanes`), hence `where` instead of `if`.

Supports are not constraints here: a held coordinate never enters the unknowns. `n` is the number of coordinates, so
that the velocity of coordinate i is y[n + i].
"""

from __future__ import annotations

import math

import numpy as np

from taut.mechanics.crushing import stop_if_crushed
from taut.mechanics.signals import signal_value
from taut.mechanics.systems import prepare_system, solve_pairs, solve_system
from taut.mechanics.tables import EXPLICIT, SYSTEM, Bars, Cables, Guides
from taut.mechanics.unpacking import (
    bars_in,
    cables_in,
    constants_in,
    guides_in,
    nodes_in,
    pairs_in,
    signals_in,
    sizes_in,
    work_in,
)
from taut.numerics.compiled import entry, inlined, kernel, woven
from taut.numerics.lanes import where
from taut.numerics.packing import Pack
from taut.numerics.pointers import lent, shifted, start_of

NO_LENGTH = 1e-150
"""[m] Stands in for a length of zero, where there is no direction to pull in."""


@inlined
def cable_state(cables: Cables, k: int, y: np.ndarray, n: int, drags: int) -> tuple[float, float, float, float]:
    """Length [m] of cable k, its rate [m/s], elastic and viscous tension [N], eqs. (13), (17).

    Nothing pulls while a cable is slack. The rate is only worked out where `drags` is 1, and zero otherwise.
    """
    i, j = cables.first[k], cables.second[k]
    sx, sy, sz = y[j] - y[i], y[j + 1] - y[i + 1], y[j + 2] - y[i + 2]
    length = math.sqrt(sx * sx + sy * sy + sz * sz)
    stretch = length - cables.rest_length[k]
    least = cables.least[k]
    elastic = max(cables.stiffness[k] * stretch, least)
    stretching, viscous = 0.0 * elastic, 0.0 * elastic
    if drags == 1:
        i += n
        j += n
        along = sx * (y[j] - y[i]) + sy * (y[j + 1] - y[i + 1]) + sz * (y[j + 2] - y[i + 2])
        stretching = along / max(length, NO_LENGTH)
        # A damper can let a cable go slack, but nothing can make it push.
        viscous = where(stretch > least, max(cables.damping[k] * stretching, least - elastic), 0.0)
    return length, stretching, elastic, viscous


@inlined
def pull(
    cables: Cables, count: int, y: np.ndarray, n: int, force: np.ndarray, drags: int
) -> tuple[float, float, float]:
    """Add the forces of all cables, eqs. (17), (18).

    Returns the power of their dampers, their elastic energy, eq. (12), and the sum of squared tensions.

    drags: 1, or 0 to leave the dampers out.
    """
    power, stored, squared = 0.0, 0.0, 0.0
    for k in range(count):
        length, stretching, elastic, viscous = cable_state(cables, k, y, n, drags)
        tension = elastic
        stored += 0.5 * elastic * (length - cables.rest_length[k])
        squared += elastic * elastic
        if drags == 1:
            tension = elastic + viscous
            power -= viscous * stretching
        density = tension / max(length, NO_LENGTH)
        i, j = cables.first[k], cables.second[k]
        fx, fy, fz = density * (y[j] - y[i]), density * (y[j + 1] - y[i + 1]), density * (y[j + 2] - y[i + 2])
        force[i] += fx
        force[i + 1] += fy
        force[i + 2] += fz
        force[j] -= fx
        force[j + 1] -= fy
        force[j + 2] -= fz
    return power, stored, squared


@inlined
def momentum(mass: np.ndarray, bars: Bars, count: int, v: np.ndarray, n: int, out: np.ndarray) -> None:
    """out = M v, eq. (10)."""
    for i in range(n):
        out[i] = mass[i] * v[i]
    for k in range(count):
        i, j = bars.first[k], bars.second[k]
        c = bars.coupling[k]
        for axis in range(3):
            out[i + axis] += c * v[j + axis]
            out[j + axis] += c * v[i + axis]


@inlined
def carried(p: Pack, y: np.ndarray, v: np.ndarray, out: np.ndarray) -> None:
    """out = M(q) v at the positions of y."""
    sizes = sizes_in(p)
    momentum(nodes_in(p).mass, bars_in(p), sizes.rods, v, sizes.coordinates, out)


@inlined
def applied_forces(p: Pack, t: float, y: np.ndarray, force: np.ndarray) -> float:
    """All forces but those of constraints; returns the power of what is not conservative: loads and dampers."""
    nodes, constants, sizes = nodes_in(p), constants_in(p), sizes_in(p)
    n = sizes.coordinates
    power = 0.0
    if constants.nodes_damp[0] == 0:
        for i in range(n):
            force[i] = nodes.weight[i]
    else:
        alpha, c = constants.mass_damping[0], constants.node_damping[0]
        carried(p, y, shifted(y, n), force)
        for i in range(n):
            drag = -alpha * force[i] - c * y[n + i]
            force[i] = nodes.weight[i] + drag
            power += drag * y[n + i]
    power += pull(cables_in(p), sizes.cables, y, n, force, constants.cables_damp[0])[0]
    stop_if_crushed(p, y, force)
    if sizes.loads > 0:
        signals = signals_in(p)
        for k in range(sizes.loads):
            i = signals.coordinate[k]
            load = signal_value(signals, k, t)
            force[i] += load
            power += load * y[n + i]
    return power


@woven
def bending_of_bar(bars: Bars, k: int, y: np.ndarray, n: int) -> float:
    """The part of the second rate of bar k's gap that comes from its speed alone, eq. (20)."""
    i, j = n + bars.first[k], n + bars.second[k]
    vx, vy, vz = y[j] - y[i], y[j + 1] - y[i + 1], y[j + 2] - y[i + 2]
    return (vx * vx + vy * vy + vz * vz) * bars.per_length[k]  # type: ignore[no-any-return]


@inlined
def gap_of_bar(bars: Bars, k: int, y: np.ndarray, n: int) -> tuple[float, float]:
    """Gap [m] of bar k and its rate, eq. (24)."""
    i, j = bars.first[k], bars.second[k]
    bx, by, bz = y[j] - y[i], y[j + 1] - y[i + 1], y[j + 2] - y[i + 2]
    i += n
    j += n
    vx, vy, vz = y[j] - y[i], y[j + 1] - y[i + 1], y[j + 2] - y[i + 2]
    length, per_length = bars.length[k], bars.per_length[k]
    gap = 0.5 * (bx * bx + by * by + bz * bz - length * length) * per_length
    return gap, (bx * vx + by * vy + bz * vz) * per_length


@inlined
def gap_of_guide(guides: Guides, k: int, y: np.ndarray, n: int) -> tuple[float, float]:
    """Gap [m] of guide k and its rate."""
    gap, rate = -guides.value[k], 0.0
    for m in range(guides.start[k], guides.start[k + 1]):
        i, c = guides.coordinate[m], guides.coefficient[m]
        gap += c * y[i]
        rate += c * y[n + i]
    return gap, rate


@woven
def _accelerate_pairs(p: Pack, t: float, y: np.ndarray, acceleration: np.ndarray) -> float:
    bars, work, sizes = bars_in(p), work_in(p), sizes_in(p)
    power = applied_forces(p, t, y, work.force)
    put_gap_rates(p, bars, y, work.bottom)
    solve_pairs(bars, pairs_in(p, SYSTEM), sizes, y, work.force, work.bottom, acceleration, work.multiplier)
    return power


@kernel
def _accelerate_saddle(p: Pack, t: float, y: np.ndarray, acceleration: np.ndarray) -> float:
    work, motion = work_in(p), constants_in(p).systems[0]
    power = applied_forces(p, t, y, work.force)
    put_gap_rates(p, bars_in(p), y, work.bottom)
    put_guide_rates(p, y, work.bottom)
    if prepare_system(p, motion, y) < 0:
        work.force[0] = np.nan  # no inertia left: let the state say so
    solve_system(p, motion, work.force, work.bottom, acceleration, work.multiplier)
    return power


@inlined
def put_gap_rates(p: Pack, bars: Bars, y: np.ndarray, rates: np.ndarray) -> None:
    """What G a must be for every bar: less its bending, and with Baumgarte's gains less its gap and rate."""
    sizes, constants = sizes_in(p), constants_in(p)
    gains, n = constants.gains, sizes.coordinates
    for k in range(sizes.bars):
        rates[k] = -bending_of_bar(bars, k, y, n)
    if constants.stabilised[0] == 1:
        for k in range(sizes.bars):
            gap, rate = gap_of_bar(bars, k, y, n)
            rates[k] -= gains[0] * rate + gains[1] * gap


@inlined
def put_guide_rates(p: Pack, y: np.ndarray, rates: np.ndarray) -> None:
    """The same for every guide, after the bars."""
    guides, sizes, gains = guides_in(p), sizes_in(p), constants_in(p).gains
    for k in range(sizes.guides):
        gap, rate = gap_of_guide(guides, k, y, sizes.coordinates)
        rates[sizes.bars + k] = -gains[0] * rate - gains[1] * gap


@woven
def accelerate(p: Pack, t: float, y: np.ndarray, acceleration: np.ndarray) -> float:
    """Fill force, multiplier and acceleration at a state, eq. (21); returns the power of loads and dampers."""
    if constants_in(p).solver[0] == EXPLICIT:
        return _accelerate_pairs(p, t, y, acceleration)
    return _accelerate_saddle(p, t, y, acceleration)


@entry
def rate(p: Pack, t: float, y: np.ndarray, out: np.ndarray) -> None:
    """The state's rate."""
    state, rates, n = start_of(y), start_of(out), sizes_in(p).coordinates
    rates[2 * n] = accelerate(p, t, state, shifted(rates, n))
    for i in range(n):
        rates[i] = state[n + i]


@kernel
def energies(p: Pack, y: np.ndarray) -> tuple[float, float, float, float]:
    """Kinetic, elastic and gravity's potential energy [J], eqs. (10), (11), (12), and the sum of squared tensions."""
    nodes, bars, cables, sizes = nodes_in(p), bars_in(p), cables_in(p), sizes_in(p)
    n = sizes.coordinates
    elastic, squared, coupled = 0.0, 0.0, 0.0
    kx, ky, kz, height, low, mid = 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
    mass, weight = nodes.mass, nodes.weight
    for i in range(0, n, 3):  # six sums side by side: one after the other they would wait for one another
        vx, vy, vz = y[n + i], y[n + i + 1], y[n + i + 2]
        kx, ky, kz = kx + mass[i] * vx * vx, ky + mass[i + 1] * vy * vy, kz + mass[i + 2] * vz * vz
        low, mid, height = low + weight[i] * y[i], mid + weight[i + 1] * y[i + 1], height + weight[i + 2] * y[i + 2]
    for k in range(sizes.rods):
        i, j = n + bars.first[k], n + bars.second[k]
        coupled += bars.coupling[k] * (y[i] * y[j] + y[i + 1] * y[j + 1] + y[i + 2] * y[j + 2])
    for k in range(sizes.cables):
        length, _, tension, _ = cable_state(cables, k, y, n, 0)
        elastic += 0.5 * tension * (length - cables.rest_length[k])
        squared += tension * tension
    return 0.5 * (kx + ky + kz) + coupled, elastic, -(low + mid + height), squared


@kernel
def lend_plant(p: Pack) -> Pack:
    """The same pack, to be handed on within a call without counting references."""
    return Pack(lent(p.integers), lent(p.reals))


@entry
def forces(p: Pack, t: float, y: np.ndarray, out: np.ndarray) -> None:
    """out = all forces but those of constraints."""
    applied_forces(p, t, start_of(y), start_of(out))


@entry
def power(p: Pack, t: float, y: np.ndarray) -> float:
    """Power of the loads."""
    signals, sizes, state = signals_in(p), sizes_in(p), start_of(y)
    total = 0.0
    for k in range(sizes.loads):
        total += signal_value(signals, k, t) * state[sizes.coordinates + signals.coordinate[k]]
    return total


@entry
def enter(p: Pack, inside: float) -> None:
    """Say in which smooth piece of the signals the run is, by a time inside it."""
    signals_in(p).piece[0] = inside
