"""The linear system of class-1 structures, explicit: where no bar touches another and nothing else is constrained,
W falls into one small block a bar and G W^-1 G^T is diagonal."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from taut.mechanics.inertia.thin import rod_count, thin_in
from taut.mechanics.rows.bars import kept_bar, kept_count
from taut.mechanics.tables import coordinate_count, slot
from taut.numerics.compiled import inlined
from taut.numerics.lanes import where
from taut.numerics.packing import Integers, Pack, Reals, reader_at, size_of
from taut.numerics.packing import part as part_at


class Pairs(NamedTuple):
    block: Reals  # (9 b,) W^-1 of each bar: first-first for x y z, first-second, second-second [1/kg]
    loose: Integers  # (l,) the coordinates of nodes without a bar ...
    single: Reals  # (l,) ... and their 1 / W, zero where they are held [1/kg]
    place: Reals  # (3 n,) the positions it was prepared at, work space


PAIRS = slot("pairs")
LOOSE = part_at(PAIRS, Pairs, "loose")
pairs_at = reader_at(Pairs)


@inlined
def prepare(p: Pack, metric: int, y: np.ndarray) -> int:
    place = pairs_at(p, PAIRS + metric).place
    for i in range(coordinate_count(p)):
        place[i] = y[i]
    return 0


@inlined
def solve(p: Pack, metric: int, force: np.ndarray, rates: np.ndarray, x: np.ndarray, multiplier: np.ndarray) -> None:
    pairs = pairs_at(p, PAIRS + metric)
    _solve_at(p, pairs, pairs.place, force, rates, x, multiplier)


@inlined
def solve_motion(
    p: Pack, y: np.ndarray, force: np.ndarray, rates: np.ndarray, x: np.ndarray, multiplier: np.ndarray
) -> None:
    _solve_at(p, pairs_at(p, PAIRS), y, force, rates, x, multiplier)


@inlined
def _solve_at(
    p: Pack,
    pairs: Pairs,
    place: np.ndarray,
    force: np.ndarray,
    rates: np.ndarray,
    x: np.ndarray,
    multiplier: np.ndarray,
) -> None:
    """The solution at the positions `place`; a bar with both ends held pushes nothing."""
    thin, count = thin_in(p), kept_count(p)
    for k in range(size_of(p, LOOSE)):
        i = pairs.loose[k]
        x[i] = pairs.single[k] * force[i]
    for k in range(count):
        at = 9 * k
        i, j, _, per_length = kept_bar(p, k)
        ux, rate_x, soft_x = _axis(pairs.block, at, place, force, i, j, per_length)
        uy, rate_y, soft_y = _axis(pairs.block, at + 1, place, force, i + 1, j + 1, per_length)
        uz, rate_z, soft_z = _axis(pairs.block, at + 2, place, force, i + 2, j + 2, per_length)
        softness = soft_x + soft_y + soft_z
        moves = softness > 0.0
        push = where(moves, rate_x + rate_y + rate_z - rates[k], 0.0) / where(moves, softness, 1.0)
        respond_pair(pairs.block, at, force, i, j, push * ux, push * uy, push * uz, x)
        multiplier[k] = -push
    for k in range(count, rod_count(p)):  # compressible bars, which have a block of W and no row
        i, j = thin.first[k], thin.second[k]
        none = 0.0 * force[i]
        respond_pair(pairs.block, 9 * k, force, i, j, none, none, none, x)


@inlined
def _axis(
    block: np.ndarray, at: int, place: np.ndarray, force: np.ndarray, i: int, j: int, per_length: float
) -> tuple[float, float, float]:
    """Along one axis: the bar's direction, what the force alone does to its residual's rate, and G W^-1 G^T."""
    own, both, other = block[at], block[at + 3], block[at + 6]
    u = (place[j] - place[i]) * per_length
    return u, u * ((both - own) * force[i] + (other - both) * force[j]), u * u * (own - 2.0 * both + other)


@inlined
def respond_pair(
    block: np.ndarray, at: int, force: np.ndarray, i: int, j: int, px: float, py: float, pz: float, x: np.ndarray
) -> None:
    """x = W^-1 (force - G^T push). All is found before any is written, which the compiler could not change by itself:
    what is written might be what is read, and then nothing could be done side by side."""
    ax, ay, az = force[i] + px, force[i + 1] + py, force[i + 2] + pz
    bx, by, bz = force[j] - px, force[j + 1] - py, force[j + 2] - pz
    cx, cy, cz = block[at + 3], block[at + 4], block[at + 5]
    ux, uy, uz = block[at] * ax + cx * bx, block[at + 1] * ay + cy * by, block[at + 2] * az + cz * bz
    vx, vy, vz = cx * ax + block[at + 6] * bx, cy * ay + block[at + 7] * by, cz * az + block[at + 8] * bz
    x[i], x[i + 1], x[i + 2] = ux, uy, uz
    x[j], x[j + 1], x[j + 2] = vx, vy, vz


def pairs_of(
    diagonal: np.ndarray, coupling: np.ndarray, first: np.ndarray, second: np.ndarray, free: np.ndarray
) -> Pairs:
    """For W = diag(diagonal) + coupling between the ends of bars that do not touch."""
    movable = np.zeros(diagonal.size, dtype=bool)
    movable[free] = True
    i, j = (end[:, None] + np.arange(3) for end in (first, second))
    both = movable[i] & movable[j]
    determinant = np.where(both, diagonal[i] * diagonal[j] - coupling[:, None] ** 2, 1.0)
    block = np.zeros((coupling.size, 3, 3))
    block[:, 0] = np.where(both, diagonal[j] / determinant, np.where(movable[i], 1.0 / diagonal[i], 0.0))
    block[:, 1] = np.where(both, -coupling[:, None] / determinant, 0.0)
    block[:, 2] = np.where(both, diagonal[i] / determinant, np.where(movable[j], 1.0 / diagonal[j], 0.0))
    loose = np.setdiff1d(np.arange(diagonal.size), np.concatenate([i.ravel(), j.ravel()]))
    single = np.where(movable[loose], 1.0 / np.where(movable, diagonal, 1.0)[loose], 0.0)
    return Pairs(block.ravel(), loose, single, np.zeros(diagonal.size))
