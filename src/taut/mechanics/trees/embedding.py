"""Positions on a manifold for steppers that add vectors: coordinates x are the positions, quaternions as four numbers.

    v = E(x) x',   a = E x'' + b,   x'' = E^+ (a - b) + radial part,     E = 2 L(s)^T / |s|^2 of a quaternion s

L(s) w is the product of s and the vector w. Rows (|s|^2 - 1) / 2 = 0 keep quaternions on their sphere: corrections
bring them back onto it along its normal, as they bring loops back. Bodies stand by s / |s| whatever its length.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from taut.numerics.compiled import entry
from taut.structure.trees import Tree


class Embedding(NamedTuple):
    """Places of quaternions among positions, and of their angular velocities; and of all other coordinates."""

    names: tuple[str, ...]
    quaternion: np.ndarray  # (k, 4)
    turn: np.ndarray  # (k, 3)
    flat: np.ndarray
    flat_rate: np.ndarray
    positions: int
    velocities: int


def embedding_of(tree: Tree) -> Embedding:
    names, quaternion, turn = [], [], []
    flat, flat_rate = list[int](), list[int]()
    at, rate = 0, 0
    for joint in tree.joints:
        turns = joint.kind in ("spherical", "floating")
        plain = len(joint.positions) - (4 if turns else 0)
        flat += range(at, at + plain)
        flat_rate += range(rate, rate + plain)
        if turns:
            names.append(f'quaternion of "{joint.name}"')
            quaternion.append(range(at + plain, at + plain + 4))
            turn.append(range(rate + plain, rate + plain + 3))
        at, rate = at + len(joint.positions), rate + len(joint.velocities)
    return Embedding(
        tuple(names),
        np.array([[*some] for some in quaternion], dtype=np.intp).reshape(-1, 4),
        np.array([[*some] for some in turn], dtype=np.intp).reshape(-1, 3),
        np.array(flat, dtype=np.intp),
        np.array(flat_rate, dtype=np.intp),
        at,
        rate,
    )


def _products(s: np.ndarray) -> np.ndarray:
    """L (k, 4, 3): the product of each quaternion (x, y, z, w) with a vector."""
    x, y, z, w = s.T
    return np.moveaxis(np.array([[w, -z, y], [z, w, -x], [-y, x, w], [-x, -y, -z]]), 2, 0)


@entry
def fill_velocity(
    quaternion: np.ndarray,
    turn: np.ndarray,
    flat: np.ndarray,
    flat_rate: np.ndarray,
    x: np.ndarray,
    rate: np.ndarray,
    q: np.ndarray,
    v: np.ndarray,
) -> None:
    """q, x with quaternions of unit length, and v = E x'."""
    for k in range(flat.size):
        q[flat[k]] = x[flat[k]]
        v[flat_rate[k]] = rate[flat[k]]
    for k in range(quaternion.shape[0]):
        at, by = quaternion[k], turn[k]
        sx, sy, sz, sw = x[at[0]], x[at[1]], x[at[2]], x[at[3]]
        rx, ry, rz, rw = rate[at[0]], rate[at[1]], rate[at[2]], rate[at[3]]
        square = sx * sx + sy * sy + sz * sz + sw * sw
        length = np.sqrt(square)
        q[at[0]], q[at[1]], q[at[2]], q[at[3]] = sx / length, sy / length, sz / length, sw / length
        v[by[0]] = 2.0 * (sw * rx + sz * ry - sy * rz - sx * rw) / square
        v[by[1]] = 2.0 * (-sz * rx + sw * ry + sx * rz - sy * rw) / square
        v[by[2]] = 2.0 * (sy * rx - sx * ry + sw * rz - sz * rw) / square


@entry
def fill_acceleration(
    quaternion: np.ndarray,
    turn: np.ndarray,
    flat: np.ndarray,
    flat_rate: np.ndarray,
    x: np.ndarray,
    rate: np.ndarray,
    v: np.ndarray,
    a: np.ndarray,
    first: float,
    second: float,
    out: np.ndarray,
) -> None:
    """x'' of accelerations a, with gains 2 alpha and beta^2 along quaternions."""
    for k in range(flat.size):
        out[flat[k]] = a[flat_rate[k]]
    for k in range(quaternion.shape[0]):
        at, by = quaternion[k], turn[k]
        sx, sy, sz, sw = x[at[0]], x[at[1]], x[at[2]], x[at[3]]
        rx, ry, rz, rw = rate[at[0]], rate[at[1]], rate[at[2]], rate[at[3]]
        square = sx * sx + sy * sy + sz * sz + sw * sw
        grown = sx * rx + sy * ry + sz * rz + sw * rw
        share = 2.0 * grown / square
        tx, ty, tz = a[by[0]] + share * v[by[0]], a[by[1]] + share * v[by[1]], a[by[2]] + share * v[by[2]]
        radial = -(rx * rx + ry * ry + rz * rz + rw * rw) - first * grown - second * 0.5 * (square - 1.0)
        radial /= square
        out[at[0]] = 0.5 * (sw * tx - sz * ty + sy * tz) + sx * radial
        out[at[1]] = 0.5 * (sz * tx + sw * ty - sx * tz) + sy * radial
        out[at[2]] = 0.5 * (-sy * tx + sx * ty + sw * tz) + sz * radial
        out[at[3]] = 0.5 * (-sx * tx - sy * ty - sz * tz) + sw * radial


def configuration(e: Embedding, x: np.ndarray) -> np.ndarray:
    """x with quaternions of unit length."""
    return configuration_and_velocity(e, x, np.zeros(x.size))[0] if e.names else x


def velocity(e: Embedding, x: np.ndarray, rate: np.ndarray) -> np.ndarray:
    """v = E x'."""
    return configuration_and_velocity(e, x, rate)[1]


def configuration_and_velocity(e: Embedding, x: np.ndarray, rate: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Both at once."""
    if not e.names:
        return x, rate
    q, v = np.empty(e.positions), np.empty(e.velocities)
    fill_velocity(e.quaternion, e.turn, e.flat, e.flat_rate, x, rate, q, v)
    return q, v


def velocity_bias(e: Embedding, x: np.ndarray, rate: np.ndarray, v: np.ndarray) -> np.ndarray:
    """b with a = E x'' + b."""
    out = np.zeros(e.velocities)
    if e.names:
        s = x[e.quaternion]
        grown = np.einsum("ki,ki->k", s, rate[e.quaternion]) / np.einsum("ki,ki->k", s, s)
        out[e.turn] = -2.0 * grown[:, None] * v[e.turn]
    return out


def matrix(e: Embedding, x: np.ndarray) -> np.ndarray:
    """E (velocities, positions)."""
    out = np.zeros((e.velocities, e.positions))
    out[e.flat_rate, e.flat] = 1.0
    s = x[e.quaternion]
    for row, column, block in zip(e.turn, e.quaternion, _products(s), strict=True):
        out[np.ix_(row, column)] = 2.0 * block.T / (x[column] @ x[column])
    return out


def rates_of(e: Embedding, q: np.ndarray, v: np.ndarray) -> np.ndarray:
    """x' of velocities, along the sphere."""
    if not e.names:
        return v
    out = np.empty(e.positions)
    out[e.flat] = v[e.flat_rate]
    out[e.quaternion] = 0.5 * np.einsum("kij,kj->ki", _products(q[e.quaternion]), v[e.turn])
    return out


def forces_of(e: Embedding, x: np.ndarray, covector: np.ndarray) -> np.ndarray:
    """f of E^T f."""
    if not e.names:
        return covector
    out = np.empty(e.velocities)
    out[e.flat_rate] = covector[e.flat]
    out[e.turn] = 0.5 * np.einsum("kij,ki->kj", _products(x[e.quaternion]), covector[e.quaternion])
    return out


def acceleration(
    e: Embedding, x: np.ndarray, rate: np.ndarray, v: np.ndarray, a: np.ndarray, gains: tuple[float, float]
) -> np.ndarray:
    """x'' of accelerations a; gains: 2 alpha and beta^2 of Baumgarte for the lengths of quaternions."""
    if not e.names:
        return a
    out = np.empty(e.positions)
    fill_acceleration(e.quaternion, e.turn, e.flat, e.flat_rate, x, rate, v, a, *gains, out)
    return out


def sphere_residuals(e: Embedding, x: np.ndarray, rate: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """(|s|^2 - 1) / 2 and its rate, of every quaternion."""
    s = x[e.quaternion]
    return 0.5 * (np.einsum("ki,ki->k", s, s) - 1.0), np.einsum("ki,ki->k", s, rate[e.quaternion])


def sphere_rows(e: Embedding, x: np.ndarray) -> np.ndarray:
    """Their Jacobian (k, positions)."""
    out = np.zeros((len(e.names), e.positions))
    for row, places in enumerate(e.quaternion):
        out[row, places] = x[places]
    return out


def frame(e: Embedding, x: np.ndarray) -> np.ndarray:
    """T (positions, positions), E T u = u but for the fourth of every quaternion, along which it grows."""
    out = np.eye(e.positions)
    s = x[e.quaternion]
    for places, own, block in zip(e.quaternion, s, _products(s), strict=True):
        out[np.ix_(places, places)] = np.column_stack([0.5 * block, own])
    return out


def by_frame(e: Embedding, along: np.ndarray, growth: np.ndarray) -> np.ndarray:
    """(..., positions) numbers by velocities (..., velocities), with (..., quaternions) those of growth."""
    if not e.names:
        return along
    out = np.empty((*along.shape[:-1], e.positions))
    out[..., e.flat], out[..., e.quaternion[:, :3]] = along[..., e.flat_rate], along[..., e.turn]
    out[..., e.quaternion[:, 3]] = growth
    return out


def growth_bias(e: Embedding, x: np.ndarray, rate: np.ndarray, change: np.ndarray) -> np.ndarray:
    """s . s'' + |s'|^2 of every quaternion, at these x''."""
    s, moving, second = (numbers[e.quaternion] for numbers in (x, rate, change))
    return np.asarray(np.einsum("ki,ki->k", s, second) + np.einsum("ki,ki->k", moving, moving))
