"""Members that cross or touch one another as they are placed: hints, since it may be meant."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from taut.errors import Problem
from taut.structure.member_pieces import MemberPieces, pieces_of
from taut.structure.structure import Structure

MOST_PIECES = 5000
"""Of larger structures it is not looked for: every pair is."""

CROSSING = 1e-6
"""Of the length of the shorter one: members of no thickness that are nearer than this cross."""

FEW = 5
"""So many are told."""

BLOCK = 256
"""Pieces that are compared with all others at a time."""


def touching_hints(structure: Structure) -> list[Problem]:
    """Members that share no node and are nearer to one another than their radii allow, the nearest first."""
    pieces, nodes = pieces_of(structure), structure.positions
    if not 1 < len(pieces.ends) <= MOST_PIECES:
        return []
    if np.linalg.matrix_rank(nodes - nodes[0], tol=CROSSING * float(np.ptp(nodes))) < 3:
        return []  # in a plane members lie beside each other
    found = []
    for one, other in _near(pieces, nodes):
        gap = segment_distance(*nodes[pieces.ends[one]], *nodes[pieces.ends[other]])
        thick = float(pieces.radius[one] + pieces.radius[other])
        shorter = min(float(np.linalg.norm(np.diff(nodes[pieces.ends[k]], axis=0))) for k in (one, other))
        if gap < thick or (thick == 0.0 and gap <= CROSSING * shorter):
            found.append((gap - thick, _hint(pieces, one, other, gap, thick)))
    found.sort(key=lambda pair: pair[0])
    told = list({(hint.path, hint.message): hint for _, hint in found}.values())
    more = len(told) - FEW
    return [*told[:FEW], *([Problem((), f"{more} more pairs of members cross or touch so")] if more > 0 else [])]


def _hint(pieces: MemberPieces, one: int, other: int, gap: float, thick: float) -> Problem:
    first, second = sorted(pieces.owner[[one, other]].tolist())
    kind, _, name = pieces.selectors[first].partition(":")
    told = f"crosses {pieces.names[second]} as they are placed"
    if thick > 0.0:
        told = f"touches {pieces.names[second]} as they are placed: {gap:.3g} m apart, and radii {thick:.3g} m together"
    return Problem((f"{kind}s", name), told)


def _near(pieces: MemberPieces, nodes: np.ndarray) -> Iterator[tuple[int, int]]:
    """Pairs of pieces whose boxes overlap, of different members that share no node."""
    ends, owner = pieces.ends, pieces.owner
    small = CROSSING * float(np.ptp(nodes))
    low = nodes[ends].min(axis=1) - pieces.radius[:, None] - small
    high = nodes[ends].max(axis=1) + pieces.radius[:, None] + small
    for begin in range(0, len(ends), BLOCK):
        some = slice(begin, begin + BLOCK)
        close = np.triu(np.ones((len(ends[some]), len(ends)), dtype=bool), begin + 1)
        for axis in range(3):
            close &= low[some, None, axis] <= high[None, :, axis]
            close &= low[None, :, axis] <= high[some, None, axis]
        close &= owner[some, None] != owner[None]
        for a in range(2):
            for b in range(2):
                close &= ends[some, None, a] != ends[None, :, b]
        yield from ((begin + int(one), int(other)) for one, other in zip(*np.nonzero(close), strict=True))


def segment_distance(a: np.ndarray, b: np.ndarray, c: np.ndarray, d: np.ndarray) -> float:
    """Between the segments a-b and c-d: the least of each end to the other, and of the lines where they meet inside."""

    def to_segment(x: np.ndarray, y: np.ndarray, z: np.ndarray) -> float:
        way = z - y
        share = np.clip((x - y) @ way / max(float(way @ way), 1e-300), 0.0, 1.0)
        return float(np.linalg.norm(x - y - share * way))

    least = min(to_segment(a, c, d), to_segment(b, c, d), to_segment(c, a, b), to_segment(d, a, b))
    across, r = np.cross(b - a, d - c), c - a
    size = float(across @ across)
    if size > 0.0:
        s, q = np.cross(r, d - c) @ across / size, np.cross(r, b - a) @ across / size
        if 0.0 <= s <= 1.0 and 0.0 <= q <= 1.0:
            least = min(least, abs(float(across @ r)) / float(np.sqrt(size)))
    return least
