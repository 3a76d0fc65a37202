"""Forces of elastic members and how they change with the nodes: material and geometric stiffness.

Everything is an array over members, their segments or nodes and also takes complex positions, so that a complex step
can check it. A member of stiffness k, rest length l0 and length l pulls with t = k (l - l0), and with what is commanded
on top; a one-sided member never pushes.

    K = d(-force)/d(node), a 3 x 3 block for every member:   k u u^T + t / l (I - u u^T),   u = span / l

A cable over guides is several segments of length l_i with one tension t = k (sum l_i - l0). Each segment has the block
t / l_i (I - u u^T), and k acts along the gradient g of the whole length:   k g g^T

For a member that keeps its length by a constraint (b.b - l0^2) / (2 l0), with its tension t as multiplier, the second
derivative of the constraint gives t / l0 I instead, which is the same across the member.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

if TYPE_CHECKING:
    import scipy.sparse as sp


class Members(NamedTuple):
    """m members in s segments between nodes."""

    first: np.ndarray  # (s,) node numbers
    second: np.ndarray  # (s,)
    stiffness: np.ndarray  # (m,) [N/m]
    rest_length: np.ndarray  # (m,) [m]
    one_sided: np.ndarray  # (m,) True for members that cannot push
    rounding: np.ndarray | None = None  # (m,) [m] over which one-sided members begin to pull, at once if None
    owner: np.ndarray | None = None  # (s,) the member of each segment; None where all are straight, so s = m
    command: np.ndarray | None = None  # (m,) tension whatever the length [N], none if None

    @property
    def routed(self) -> np.ndarray:
        """(m,) True for cables over guides."""
        if self.owner is None:
            return np.zeros(self.stiffness.size, dtype=bool)
        return np.asarray(np.bincount(self.owner, minlength=self.stiffness.size) > 1)


def spans_of(members: Members, positions: np.ndarray) -> np.ndarray:
    """From first to second node of segments, (s, 3) [m]."""
    return np.asarray(positions[members.second] - positions[members.first])


def by_segment(members: Members, values: np.ndarray) -> np.ndarray:
    """(s,) what each segment has of its member."""
    return values if members.owner is None else np.asarray(values[members.owner])


def summed(members: Members, values: np.ndarray) -> np.ndarray:
    """(m,) sums over the segments of each member."""
    if members.owner is None:
        return values
    if np.iscomplexobj(values):
        return np.asarray(summed(members, values.real) + 1j * summed(members, values.imag))
    return np.asarray(np.bincount(members.owner, values, members.stiffness.size))


def lengths_at(members: Members, positions: np.ndarray) -> np.ndarray:
    """(m,) of whole members [m]."""
    return summed(members, lengths_of(spans_of(members, positions)))


def lengths_of(spans: np.ndarray) -> np.ndarray:
    """(s,) [m]; without a modulus, so that it stays analytic."""
    return np.asarray(np.sqrt((spans * spans).sum(axis=1)))


def taut(members: Members, lengths: np.ndarray) -> np.ndarray:
    """Which members take part: two-sided ones always, one-sided ones from their rest length on."""
    return np.asarray(~members.one_sided | (np.real(lengths) >= np.real(members.rest_length)))


def tensions(members: Members, lengths: np.ndarray) -> np.ndarray:
    """[N], positive where a member pulls."""
    elastic = members.stiffness * _strained(members, lengths)[0]
    return np.asarray(elastic if members.command is None else elastic + members.command)


def energy(members: Members, lengths: np.ndarray) -> float:
    """Elastic energy, and that of commanded tensions [J]."""
    stretch, width = lengths - members.rest_length, members.rounding
    stored = 0.5 * np.where(taut(members, lengths), stretch, 0.0) ** 2
    if width is not None:
        floor = -0.5 * members.rest_length
        above = np.maximum(stretch, floor)
        here, least = (0.5 * s * _rounded(s, width) + width**2 * np.arcsinh(s / (2.0 * width)) for s in (above, floor))
        stored = np.where(members.one_sided, here - least - _rounded(floor, width) * (above - floor), stored)
    commanded = 0.0 if members.command is None else float(members.command @ lengths)
    return float(np.sum(members.stiffness * stored)) + commanded


def _strained(members: Members, lengths: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """What of a member's length strains it [m], and the derivative of that by its length.

    Where the law is rounded off, one-sided members pull a little below their rest lengths too, down to half of them:
    never less, or the ends of a slack one would be drawn into one place. Convex, and smooth above that.
    """
    stretch, works, width = lengths - members.rest_length, taut(members, lengths), members.rounding
    strained, rate = np.where(works, stretch, 0.0), np.where(works, 1.0, 0.0)
    if width is not None:
        floor = -0.5 * members.rest_length
        above = np.maximum(stretch, floor)
        smooth = _rounded(above, width)
        strained = np.where(members.one_sided, smooth - _rounded(floor, width), strained)
        rate = np.where(members.one_sided, np.where(above > floor, smooth / np.hypot(above, 2.0 * width), 0.0), rate)
    return strained, rate


def _rounded(stretch: np.ndarray, width: np.ndarray) -> np.ndarray:
    """(s + sqrt(s^2 + 4 w^2)) / 2 for max(s, 0) (Chen and Harker 1993), without the difference of large numbers."""
    far = 2.0 * width**2 / (np.hypot(stretch, 2.0 * width) + np.abs(stretch))
    return np.asarray(np.maximum(stretch, 0.0) + far)


def nodal_forces(members: Members, pulls: np.ndarray, nodes: int) -> np.ndarray:
    """(n, 3) [N]: what the members do to their nodes; pulls: (s, 3), tension times direction from first to second."""
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
    """(s, 3, 3): material u u^T + density (I - u u^T); material [N/m] along, density = tension / length across."""
    unit = spans / lengths[:, None]
    along = (material - density)[:, None, None] * unit[:, :, None] * unit[:, None, :]
    return np.asarray(along + density[:, None, None] * np.eye(3))


def slopes(members: Members, lengths: np.ndarray) -> np.ndarray:
    """(m,) d tension / d length [N/m]; nothing for slack members."""
    return np.asarray(members.stiffness * _strained(members, lengths)[1])


def stiffness_blocks(members: Members, spans: np.ndarray, tension: np.ndarray | None = None) -> np.ndarray:
    """(s, 3, 3) tangent stiffness [N/m] of every segment where it is; nothing for slack ones.

    tension: (m,) of all members [N], their own if None. What acts along the length of a whole route is not in here.
    """
    apart = lengths_of(spans)
    lengths = summed(members, apart)
    tension = tensions(members, lengths) if tension is None else tension
    along = slopes(members, lengths)
    if members.owner is not None:
        along = np.where(members.routed, 0.0, along)
    return blocks(spans, apart, by_segment(members, along), by_segment(members, tension) / apart)


def length_gradients(members: Members, spans: np.ndarray, chosen: np.ndarray, size: int) -> sp.csr_matrix:
    """(c, size): how the lengths of chosen members change with all coordinates."""
    import scipy.sparse as sp

    row = np.full(members.stiffness.size, -1)
    row[chosen] = np.arange(chosen.size)
    rows = by_segment(members, row)
    at = np.flatnonzero(rows >= 0)
    unit = (spans / lengths_of(spans)[:, None])[at]
    columns = [3 * end[at][:, None] + np.arange(3) for end in (members.first, members.second)]
    places = np.broadcast_to(rows[at][:, None], unit.shape)
    values = np.concatenate([-unit.ravel(), unit.ravel()])
    indices = np.concatenate([places.ravel(), places.ravel()]), np.concatenate([c.ravel() for c in columns])
    return sp.csr_matrix((values, indices), shape=(chosen.size, size))
