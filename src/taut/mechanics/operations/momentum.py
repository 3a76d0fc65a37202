"""The momentum that an energy correction must leave alone."""

from __future__ import annotations

import numpy as np

from taut.mechanics.parts import carry, carry_change, keep_momentum_of, turning_masses
from taut.mechanics.tables import coordinate_count, nodes_in, work_in
from taut.numerics.compiled import entry, inlined, kernel
from taut.numerics.lanes import some, where
from taut.numerics.packing import Pack
from taut.numerics.pointers import shifted, start_of

FLAT = 1e-9
"""A structure whose moments of inertia multiply to less than this fraction of their sum cubed is a line."""


@inlined
def _over(total: float, whole: float) -> float:
    """A mean by mass; zero where the structure cannot shift along this axis."""
    return where(whole > 0.0, total, 0.0) / where(whole > 0.0, whole, 1.0)


@inlined
def _mean(share: np.ndarray, values: np.ndarray, n: int) -> tuple[float, float, float]:
    """Means by mass along the three axes."""
    x, y, z, whole_x, whole_y, whole_z = 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
    for i in range(0, n, 3):
        x, y, z = x + share[i] * values[i], y + share[i + 1] * values[i + 1], z + share[i + 2] * values[i + 2]
        whole_x, whole_y, whole_z = whole_x + share[i], whole_y + share[i + 1], whole_z + share[i + 2]
    return _over(x, whole_x), _over(y, whole_y), _over(z, whole_z)


@entry
def keep_momentum(p: Pack, y: np.ndarray, shift: np.ndarray, swing: np.ndarray) -> None:
    """Turn a change of velocities so that, with the change of positions, it leaves momentum alone."""
    keep_momentum_of(p, start_of(y), start_of(shift), start_of(swing))


@kernel
def without_rigid_motion(p: Pack, state: np.ndarray, change: np.ndarray, turn: np.ndarray) -> None:
    """Take out of a change of velocities the rigid motion that would change the momentum of a structure nobody holds.

    Linear momentum along every axis on which nothing holds it; angular momentum about its centre of mass, to which the
    change of positions contributes too, where nothing holds it at all. The stepping keeps both better than the energy.
    """
    work, n, share = work_in(p), coordinate_count(p), nodes_in(p).share
    if n == 0 or not (some(share[0] > 0.0) or some(share[1] > 0.0) or some(share[2] > 0.0)):
        return
    mean_x, mean_y, mean_z = _mean(share, turn, n)
    for i in range(0, n, 3):
        turn[i] -= mean_x
        turn[i + 1] -= mean_y
        turn[i + 2] -= mean_z
    if not (some(share[0] > 0.0) and some(share[1] > 0.0) and some(share[2] > 0.0)):
        return
    cx, cy, cz = _mean(share, state, n)
    drift_x, drift_y, drift_z = _mean(share, change, n)
    carry(p, state, shifted(state, n), work.force)
    carry(p, state, turn, work.acceleration)
    carry_change(p, state, change, work.acceleration)
    lx, ly, lz = 0.0, 0.0, 0.0
    xx, yy, zz, xy, yz, zx = turning_masses(p, state, cx, cy, cz)
    for i in range(0, n, 3):
        rx, ry, rz = state[i] - cx, state[i + 1] - cy, state[i + 2] - cz
        fx, fy, fz = work.force[i], work.force[i + 1], work.force[i + 2]
        ax, ay, az = work.acceleration[i], work.acceleration[i + 1], work.acceleration[i + 2]
        dx, dy, dz = change[i] - drift_x, change[i + 1] - drift_y, change[i + 2] - drift_z
        lx += dy * fz - dz * fy + ry * az - rz * ay
        ly += dz * fx - dx * fz + rz * ax - rx * az
        lz += dx * fy - dy * fx + rx * ay - ry * ax
    # The inertia tensor [[yy + zz, -xy, -zx], ...] by its cofactors; without volume there is no turn to take out.
    ixx, iyy, izz = yy + zz, xx + zz, xx + yy
    c11, c12, c13 = iyy * izz - yz * yz, zx * yz + xy * izz, xy * yz + zx * iyy
    c22, c23, c33 = ixx * izz - zx * zx, xy * zx + ixx * yz, ixx * iyy - xy * xy
    volume = ixx * c11 - xy * c12 - zx * c13
    trace = ixx + iyy + izz
    flat = volume <= FLAT * trace * trace * trace
    lx, ly, lz, volume = where(flat, 0.0, lx), where(flat, 0.0, ly), where(flat, 0.0, lz), where(flat, 1.0, volume)
    wx = (c11 * lx + c12 * ly + c13 * lz) / volume
    wy = (c12 * lx + c22 * ly + c23 * lz) / volume
    wz = (c13 * lx + c23 * ly + c33 * lz) / volume
    for i in range(0, n, 3):
        rx, ry, rz = state[i] - cx, state[i + 1] - cy, state[i + 2] - cz
        turn[i] -= wy * rz - wz * ry
        turn[i + 1] -= wz * rx - wx * rz
        turn[i + 2] -= wx * ry - wy * rx
