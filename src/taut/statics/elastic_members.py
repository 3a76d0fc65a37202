"""Forces of straight elastic members and how they change with the nodes: material and geometric stiffness.

Everything is an array over members or nodes and also takes complex positions, so that a complex step can check it. A
member of stiffness k, rest length l0 and length l pulls with t = k (l - l0); a one-sided member never pushes.

    K = d(-force)/d(node), a 3 x 3 block for every member:   k u u^T + t / l (I - u u^T),   u = span / l

For a member that keeps its length by a constraint (b.b - l0^2) / (2 l0), with its tension t as multiplier, the second
derivative of the constraint gives t / l0 I instead, which is the same across the member.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np


class Members(NamedTuple):
    """m straight members between nodes."""

    first: np.ndarray  # (m,) node numbers
    second: np.ndarray  # (m,)
    stiffness: np.ndarray  # (m,) [N/m]
    rest_length: np.ndarray  # (m,) [m]
    one_sided: np.ndarray  # (m,) True for members that cannot push


def spans_of(members: Members, positions: np.ndarray) -> np.ndarray:
    """From first to second node, (m, 3) [m]."""
    return np.asarray(positions[members.second] - positions[members.first])


def lengths_of(spans: np.ndarray) -> np.ndarray:
    """[m]; without a modulus, so that it stays analytic."""
    return np.asarray(np.sqrt((spans * spans).sum(axis=1)))


def taut(members: Members, lengths: np.ndarray) -> np.ndarray:
    """Which members take part: two-sided ones always, one-sided ones from their rest length on."""
    return np.asarray(~members.one_sided | (np.real(lengths) >= np.real(members.rest_length)))


def tensions(members: Members, lengths: np.ndarray) -> np.ndarray:
    """[N], positive where a member pulls."""
    pull = members.stiffness * (lengths - members.rest_length)
    return np.asarray(np.where(taut(members, lengths), pull, 0.0))


def energy(members: Members, lengths: np.ndarray) -> float:
    """Elastic energy [J]."""
    stretch = np.where(taut(members, lengths), lengths - members.rest_length, 0.0)
    return float(0.5 * np.sum(members.stiffness * stretch * stretch))


def nodal_forces(members: Members, pulls: np.ndarray, nodes: int) -> np.ndarray:
    """(n, 3) [N]: what the members do to their nodes; pulls: (m, 3), tension times direction from first to second."""
    if np.iscomplexobj(pulls):
        real, imaginary = (nodal_forces(members, part, nodes) for part in (pulls.real, pulls.imag))
        return np.asarray(real + 1j * imaginary)
    return np.stack(
        [
            np.bincount(members.first, pull, nodes) - np.bincount(members.second, pull, nodes)
            for pull in np.asarray(pulls).T
        ],
        axis=1,
    )


def blocks(spans: np.ndarray, lengths: np.ndarray, material: np.ndarray, density: np.ndarray) -> np.ndarray:
    """(m, 3, 3): material u u^T + density (I - u u^T); material [N/m] along, density = tension / length across."""
    unit = spans / lengths[:, None]
    along = (material - density)[:, None, None] * unit[:, :, None] * unit[:, None, :]
    return np.asarray(along + density[:, None, None] * np.eye(3))


def stiffness_blocks(members: Members, spans: np.ndarray) -> np.ndarray:
    """(m, 3, 3) tangent stiffness [N/m] of every member where it is; nothing for slack ones."""
    lengths = lengths_of(spans)
    material = np.where(taut(members, lengths), members.stiffness, 0.0)
    return blocks(spans, lengths, material, tensions(members, lengths) / lengths)
