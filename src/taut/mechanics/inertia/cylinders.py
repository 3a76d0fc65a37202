"""Compressible bars with thickness: their part of the mass matrix changes as they turn and stretch.

A bar with span b = l u between its ends, relative velocity w = p u + w_ (w_ across the bar) has, beside the kinetic
energy of a thin one,

    T = e(l) |w_|^2 / 2 - d p^2 / 2        e(l) = m (r^2 + r_inner^2) / (4 l^2),  r = r0 (l / l0)^-nu, eqs. (48) to (53)

where d is zero. (The paper as printed drops the energy of the ends moving apart, d = m / 12, and the term -dT/dq of
eq. (54); both are kept as data here, so that its drift can be shown.) With e' = de/dl and k = |w_|^2 / l:

    momentum        dT/dw = e w_ - d p u
    slope           dT/db = e' l k u / 2 - (e + d) p w_ / l
    velocity terms  d(dT/dw)/dt - dT/db  =  e' p w_ - (e + d + e' l / 2) k u      at constant w
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from taut.mechanics.inertia.thin import carry as carry_thin
from taut.mechanics.tables import coordinate_count, part_of, slot
from taut.numerics.compiled import inlined, kernel
from taut.numerics.packing import Integers, Pack, Reals, reader, size_of
from taut.numerics.pointers import shifted


class Cylinders(NamedTuple):
    """t compressible bars; each adds e (I - u u^T) - d u u^T against the relative motion of its ends,
    e = excess (l / l0)^power."""

    first: Integers  # (t,) nodes
    second: Integers  # (t,)
    bar: Integers  # (t,) which of the compressible bars each is
    place: Integers  # (21 t,) where its part of M goes in the saddle's values, -1 for a held coordinate
    changing: Integers  # (w,) all those places ...
    settled: Reals  # (w,) ... and what they hold without these parts [kg]
    length: Reals  # (t,) l0 [m]
    excess: Reals  # (t,) [kg]
    power: Reals  # (t,)
    axial: Reals  # (t,) d, zero unless the equations are those of the paper as printed [kg]
    turning: Reals  # (4 t,) coefficients of the velocity terms: across per e, across, along per e, along


cylinders_in = reader(Cylinders, slot("cylinders"))
CYLINDERS = part_of("cylinders", Cylinders, "first")
CHANGING = part_of("cylinders", Cylinders, "changing")


@inlined
def _span(p: Pack, k: int, y: np.ndarray) -> tuple[int, int, float, float, float, float, float]:
    """Ends, length, direction and e of cylinder k."""
    thick = cylinders_in(p)
    i, j = thick.first[k], thick.second[k]
    bx, by, bz = y[j] - y[i], y[j + 1] - y[i + 1], y[j + 2] - y[i + 2]
    length = math.sqrt(bx * bx + by * by + bz * bz)
    excess = thick.excess[k] * (length / thick.length[k]) ** thick.power[k]
    return i, j, length, bx / length, by / length, bz / length, excess


@inlined
def _across(v: np.ndarray, i: int, j: int, ux: float, uy: float, uz: float) -> tuple[float, float, float, float]:
    """How fast the ends part, and their relative velocity across the bar."""
    wx, wy, wz = v[j] - v[i], v[j + 1] - v[i + 1], v[j + 2] - v[i + 2]
    parting = ux * wx + uy * wy + uz * wz
    return parting, wx - parting * ux, wy - parting * uy, wz - parting * uz


@inlined
def _add(out: np.ndarray, i: int, j: int, fx: float, fy: float, fz: float) -> None:
    """To the second end, and the opposite to the first."""
    out[i] -= fx
    out[i + 1] -= fy
    out[i + 2] -= fz
    out[j] += fx
    out[j + 1] += fy
    out[j + 2] += fz


@inlined
def carry(p: Pack, y: np.ndarray, v: np.ndarray, out: np.ndarray) -> None:
    axial = cylinders_in(p).axial
    carry_thin(p, y, v, out)
    for k in range(size_of(p, CYLINDERS)):
        i, j, _, ux, uy, uz, e = _span(p, k, y)
        parting, wx, wy, wz = _across(v, i, j, ux, uy, uz)
        along = axial[k] * parting
        _add(out, i, j, e * wx - along * ux, e * wy - along * uy, e * wz - along * uz)


@inlined
def carry_change(p: Pack, y: np.ndarray, shift: np.ndarray, out: np.ndarray) -> None:
    v, axial, power = shifted(y, coordinate_count(p)), cylinders_in(p).axial, cylinders_in(p).power
    for k in range(size_of(p, CYLINDERS)):
        i, j, length, ux, uy, uz, e = _span(p, k, y)
        parting, wx, wy, wz = _across(v, i, j, ux, uy, uz)
        stretch, sx, sy, sz = _across(shift, i, j, ux, uy, uz)
        widening = power[k] * e * stretch / length
        turning = -(e + axial[k]) / length
        along = turning * (wx * sx + wy * sy + wz * sz)
        across = turning * parting
        _add(
            out,
            i,
            j,
            widening * wx + along * ux + across * sx,
            widening * wy + along * uy + across * sy,
            widening * wz + along * uz + across * sz,
        )


@inlined
def kinetic(p: Pack, y: np.ndarray) -> float:
    """What these bars have of kinetic energy beside that of thin ones [J]."""
    v, axial, total = shifted(y, coordinate_count(p)), cylinders_in(p).axial, 0.0
    for k in range(size_of(p, CYLINDERS)):
        i, j, _, ux, uy, uz, e = _span(p, k, y)
        parting, wx, wy, wz = _across(v, i, j, ux, uy, uz)
        total += 0.5 * (e * (wx * wx + wy * wy + wz * wz) - axial[k] * parting * parting)
    return total


@inlined
def add_kinetic_gradient(p: Pack, y: np.ndarray, out: np.ndarray) -> None:
    v, axial, power = shifted(y, coordinate_count(p)), cylinders_in(p).axial, cylinders_in(p).power
    for k in range(size_of(p, CYLINDERS)):
        i, j, length, ux, uy, uz, e = _span(p, k, y)
        parting, wx, wy, wz = _across(v, i, j, ux, uy, uz)
        along = 0.5 * power[k] * e * (wx * wx + wy * wy + wz * wz) / length
        across = -(e + axial[k]) * parting / length
        _add(out, i, j, along * ux + across * wx, along * uy + across * wy, along * uz + across * wz)


@inlined
def turning_masses(
    p: Pack, y: np.ndarray, cx: float, cy: float, cz: float
) -> tuple[float, float, float, float, float, float]:
    xx, yy, zz, xy, yz, zx = 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
    for k in range(size_of(p, CYLINDERS)):
        _, _, length, ux, uy, uz, e = _span(p, k, y)
        m = e * length * length
        xx, yy, zz = xx + m * ux * ux, yy + m * uy * uy, zz + m * uz * uz
        xy, yz, zx = xy + m * ux * uy, yz + m * uy * uz, zx + m * uz * ux
    return xx, yy, zz, xy, yz, zx


@inlined
def add_velocity_force(p: Pack, y: np.ndarray, out: np.ndarray) -> None:
    v, turning = shifted(y, coordinate_count(p)), cylinders_in(p).turning
    for k in range(size_of(p, CYLINDERS)):
        i, j, length, ux, uy, uz, e = _span(p, k, y)
        parting, wx, wy, wz = _across(v, i, j, ux, uy, uz)
        across = -(turning[4 * k] * e + turning[4 * k + 1]) * parting / length
        along = -(turning[4 * k + 2] * e + turning[4 * k + 3]) * (wx * wx + wy * wy + wz * wz) / length
        _add(out, i, j, across * wx + along * ux, across * wy + along * uy, across * wz + along * uz)


@kernel
def fill(p: Pack, y: np.ndarray, values: np.ndarray) -> None:
    thick = cylinders_in(p)
    for m in range(size_of(p, CHANGING)):
        values[thick.changing[m]] = thick.settled[m]
    for k in range(size_of(p, CYLINDERS)):
        _, _, _, ux, uy, uz, e = _span(p, k, y)
        d = e + thick.axial[k]
        xx, yy, zz = e - d * ux * ux, e - d * uy * uy, e - d * uz * uz
        xy, xz, yz = -d * ux * uy, -d * ux * uz, -d * uy * uz
        for end in range(2):
            place = 21 * k + 6 * end
            _put(values, thick.place, place, xx, xy, xz)
            _put(values, thick.place, place + 3, yy, yz, zz)
        _put(values, thick.place, 21 * k + 12, -xx, -xy, -xz)
        _put(values, thick.place, 21 * k + 15, -xy, -yy, -yz)
        _put(values, thick.place, 21 * k + 18, -xz, -yz, -zz)


@inlined
def blocks(p: Pack, y: np.ndarray, k: float, out: np.ndarray) -> int:
    """Fill k times what each adds to M against the relative motion of its ends; returns how many numbers."""
    count, axial = size_of(p, CYLINDERS), cylinders_in(p).axial
    for m in range(count):
        _, _, _, ux, uy, uz, e = _span(p, m, y)
        at, d = 9 * m, -k * (e + axial[m])
        out[at], out[at + 1], out[at + 2] = k * e + d * ux * ux, d * ux * uy, d * ux * uz
        out[at + 3], out[at + 4], out[at + 5] = d * uy * ux, k * e + d * uy * uy, d * uy * uz
        out[at + 6], out[at + 7], out[at + 8] = d * uz * ux, d * uz * uy, k * e + d * uz * uz
    return 9 * count


@inlined
def _put(values: np.ndarray, places: np.ndarray, at: int, a: float, b: float, c: float) -> None:
    """Add three numbers where they have a place."""
    if places[at] >= 0:
        values[places[at]] += a
    if places[at + 1] >= 0:
        values[places[at + 1]] += b
    if places[at + 2] >= 0:
        values[places[at + 2]] += c
