"""Positions on a manifold for steppers that add vectors: coordinates x are the positions, quaternions as four numbers.

    v = E(x) x',   a = E x'' + b,   x'' = E^+ (a - b) + radial part,     E = 2 L(s)^T / |s|^2 of a quaternion s

L(s) w is the product of s and the vector w. Rows (|s|^2 - 1) / 2 = 0 keep quaternions on their sphere: corrections
bring them back onto it along its normal, as they bring loops back. Bodies stand by s / |s| whatever its length.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

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


def configuration(e: Embedding, x: np.ndarray) -> np.ndarray:
    """x with quaternions of unit length."""
    if not e.names:
        return x
    q = x.copy()
    s = x[e.quaternion]
    q[e.quaternion] = s / np.linalg.norm(s, axis=1, keepdims=True)
    return q


def velocity(e: Embedding, x: np.ndarray, rate: np.ndarray) -> np.ndarray:
    """v = E x'."""
    if not e.names:
        return rate
    v, s = np.empty(e.velocities), x[e.quaternion]
    v[e.flat_rate] = rate[e.flat]
    square = np.einsum("ki,ki->k", s, s)[:, None]
    v[e.turn] = 2.0 * np.einsum("kij,ki->kj", _products(s), rate[e.quaternion]) / square
    return v


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


def acceleration(
    e: Embedding, x: np.ndarray, rate: np.ndarray, v: np.ndarray, a: np.ndarray, gains: tuple[float, float]
) -> np.ndarray:
    """x'' of accelerations a; gains: 2 alpha and beta^2 of Baumgarte for the lengths of quaternions."""
    if not e.names:
        return a
    out, s, r = np.empty(e.positions), x[e.quaternion], rate[e.quaternion]
    out[e.flat] = a[e.flat_rate]
    square = np.einsum("ki,ki->k", s, s)
    turn = a[e.turn] - velocity_bias(e, x, rate, v)[e.turn]
    out[e.quaternion] = 0.5 * np.einsum("kij,kj->ki", _products(s), turn)
    grown = np.einsum("ki,ki->k", s, r)
    radial = -np.einsum("ki,ki->k", r, r) - gains[0] * grown - gains[1] * 0.5 * (square - 1.0)
    out[e.quaternion] += s * (radial / square)[:, None]
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
