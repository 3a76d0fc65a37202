"""The nodal formulation: every coordinate of every node is an unknown, rigid bars and guides are constraints.

Kernels over the tables of `taut.mechanics.tables`. The equations are those of Hsu, Tadiparthi and Bhattacharya, with

    q    node coordinates, node by node            v      their rates
    s_k  vector along cable k, |s_k| its length     b_k    vector along bar k, l_k its length
    G    d(gaps)/dq, one row a constraint           lambda multipliers; a bar's is the force with which it pushes

A bar's gap is (b.b - l^2) / (2 l), eq. (24) over 2 l, so that its row of G is a unit vector and lambda is a force [N].
Supports are not constraints here: a held coordinate never enters the unknowns.
"""

from __future__ import annotations

import math

import numpy as np

from taut.mechanics.signals import signal_value
from taut.mechanics.systems import prepare_system, solve_system
from taut.mechanics.tables import (
    SYSTEM,
    Bars,
    Cables,
    Guides,
    bars_in,
    cables_in,
    constants_in,
    guides_in,
    nodes_in,
    signals_in,
    work_in,
)
from taut.numerics.compiled import entry, inlined, kernel
from taut.numerics.packing import Pack


@inlined
def cable_state(cables: Cables, k: int, q: np.ndarray, v: np.ndarray) -> tuple[float, float, float, float]:
    """Length [m] of cable k, its rate [m/s], elastic and viscous tension [N], eqs. (13), (17).

    Nothing pulls while a cable is slack. The rate is only worked out for cables that damp, and zero for others.
    """
    i, j = cables.first[k], cables.second[k]
    x, y, z = q[j] - q[i], q[j + 1] - q[i + 1], q[j + 2] - q[i + 2]
    length = math.sqrt(x * x + y * y + z * z)
    stretch = length - cables.rest_length[k]
    if not (stretch > 0.0 or cables.two_sided[k] == 1):
        return length, 0.0, 0.0, 0.0
    damping = cables.damping[k]
    if damping == 0.0 or length == 0.0:
        return length, 0.0, cables.stiffness[k] * stretch, 0.0
    stretching = (x * (v[j] - v[i]) + y * (v[j + 1] - v[i + 1]) + z * (v[j + 2] - v[i + 2])) / length
    return length, stretching, cables.stiffness[k] * stretch, damping * stretching


@kernel
def pull(cables: Cables, q: np.ndarray, v: np.ndarray, force: np.ndarray) -> float:
    """Add the forces of all cables, eqs. (17), (18); returns the power of their dampers."""
    power = 0.0
    for k in range(cables.stiffness.size):
        length, stretching, elastic, viscous = cable_state(cables, k, q, v)
        tension = elastic + viscous
        if tension == 0.0 or length == 0.0:
            continue  # slack; or of no length, with no direction to pull in
        power -= viscous * stretching
        density = tension / length
        i, j = cables.first[k], cables.second[k]
        x, y, z = density * (q[j] - q[i]), density * (q[j + 1] - q[i + 1]), density * (q[j + 2] - q[i + 2])
        force[i] += x
        force[i + 1] += y
        force[i + 2] += z
        force[j] -= x
        force[j + 1] -= y
        force[j + 2] -= z
    return power


@kernel
def momentum(mass: np.ndarray, bars: Bars, v: np.ndarray, out: np.ndarray) -> None:
    """out = M v, eq. (10)."""
    for i in range(out.size):
        out[i] = mass[i] * v[i]
    for k in range(bars.length.size):
        i, j = bars.first[k], bars.second[k]
        c = bars.coupling[k]
        for axis in range(3):
            out[i + axis] += c * v[j + axis]
            out[j + axis] += c * v[i + axis]


@kernel
def applied_forces(p: Pack, t: float, q: np.ndarray, v: np.ndarray, force: np.ndarray) -> float:
    """All forces but those of constraints; returns the power of what is not conservative: loads and dampers."""
    nodes, constants, signals = nodes_in(p), constants_in(p), signals_in(p)
    power = 0.0
    alpha, c = constants.mass_damping[0], constants.node_damping[0]
    if alpha == 0.0 and c == 0.0:
        for i in range(force.size):
            force[i] = nodes.weight[i]
    else:
        momentum(nodes.mass, bars_in(p), v, force)
        for i in range(force.size):
            drag = -alpha * force[i] - c * v[i]
            force[i] = nodes.weight[i] + drag
            power += drag * v[i]
    power += pull(cables_in(p), q, v, force)
    for n in range(signals.coordinate.size):
        i = signals.coordinate[n]
        load = signal_value(signals, n, t)
        force[i] += load
        power += load * v[i]
    return power


@inlined
def gap_of_bar(bars: Bars, k: int, q: np.ndarray, v: np.ndarray) -> tuple[float, float, float]:
    """Gap [m] of bar k, its rate, and the part of its second rate that comes from the speed alone (eqs. 20, 24)."""
    i, j = bars.first[k], bars.second[k]
    bb, bv, vv = 0.0, 0.0, 0.0
    for axis in range(3):
        b = q[j + axis] - q[i + axis]
        w = v[j + axis] - v[i + axis]
        bb += b * b
        bv += b * w
        vv += w * w
    length = bars.length[k]
    return (bb - length * length) / (2.0 * length), bv / length, vv / length


@inlined
def gap_of_guide(guides: Guides, k: int, q: np.ndarray, v: np.ndarray) -> tuple[float, float]:
    """Gap [m] of guide k and its rate."""
    gap, rate = -guides.value[k], 0.0
    for n in range(guides.start[k], guides.start[k + 1]):
        i, c = guides.coordinate[n], guides.coefficient[n]
        gap += c * q[i]
        rate += c * v[i]
    return gap, rate


@kernel
def accelerate(p: Pack, t: float, q: np.ndarray, v: np.ndarray) -> float:
    """Fill force, acceleration and multiplier at a state, eq. (21); returns the power of loads and dampers."""
    bars, guides, constants, work = bars_in(p), guides_in(p), constants_in(p), work_in(p)
    power = applied_forces(p, t, q, v, work.force)
    twice_alpha, beta_squared = constants.gains[0], constants.gains[1]
    count = bars.length.size
    for k in range(count):
        gap, rate, bending = gap_of_bar(bars, k, q, v)
        work.bottom[k] = -bending - twice_alpha * rate - beta_squared * gap
    for k in range(guides.value.size):
        gap, rate = gap_of_guide(guides, k, q, v)
        work.bottom[count + k] = -twice_alpha * rate - beta_squared * gap
    if prepare_system(p, SYSTEM, q) < 0:
        work.force[0] = np.nan  # no inertia left: let the state say so
    solve_system(p, SYSTEM, work.force, work.bottom, work.acceleration, work.multiplier)
    for k in range(work.multiplier.size):
        work.multiplier[k] = -work.multiplier[k]  # the saddle has M a + G^T l = f, the motion M a = f + G^T lambda
    return power


@entry
def rate(p: Pack, t: float, y: np.ndarray, out: np.ndarray) -> None:
    """The state's rate: y = [q, v, work]."""
    acceleration = work_in(p).acceleration
    size = acceleration.size
    v = y[size : 2 * size]
    power = accelerate(p, t, y[:size], v)
    for i in range(size):
        out[i] = v[i]
        out[size + i] = acceleration[i]
    out[2 * size] = power


@kernel
def energies(p: Pack, y: np.ndarray) -> tuple[float, float, float]:
    """Kinetic, elastic and gravity's potential energy [J], eqs. (10), (11), (12)."""
    nodes, bars, cables = nodes_in(p), bars_in(p), cables_in(p)
    size = nodes.mass.size
    q, v = y[:size], y[size : 2 * size]
    kinetic, elastic, height = 0.0, 0.0, 0.0
    for i in range(size):
        kinetic += 0.5 * nodes.mass[i] * v[i] * v[i]
        height -= nodes.weight[i] * q[i]
    for k in range(bars.length.size):
        i, j = bars.first[k], bars.second[k]
        for axis in range(3):
            kinetic += bars.coupling[k] * v[i + axis] * v[j + axis]
    for k in range(cables.stiffness.size):
        length, _, tension, _ = cable_state(cables, k, q, v)
        elastic += 0.5 * tension * (length - cables.rest_length[k])
    return kinetic, elastic, height


@entry
def forces(p: Pack, t: float, y: np.ndarray, out: np.ndarray) -> None:
    """out = all forces but those of constraints."""
    size = out.size
    applied_forces(p, t, y[:size], y[size : 2 * size], out)


@entry
def power(p: Pack, t: float, y: np.ndarray) -> float:
    """Power of the loads."""
    signals, size = signals_in(p), nodes_in(p).mass.size
    total = 0.0
    for n in range(signals.coordinate.size):
        total += signal_value(signals, n, t) * y[size + signals.coordinate[n]]
    return total


@entry
def enter(p: Pack, inside: float) -> None:
    """Say in which smooth piece of the signals the run is, by a time inside it."""
    signals_in(p).piece[0] = inside
