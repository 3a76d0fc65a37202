"""Elbows that are almost straight, or folded: what is told of them before a run."""

from __future__ import annotations

import math

import numpy as np

from taut.structure.angles import angle_between, directions_of, vectors_of
from taut.structure.structure import Structure

STRAIGHT = math.radians(5.0)
"""An elbow nearer to 0 or pi than this is told."""


def straight_notes(structure: Structure) -> tuple[str, ...]:
    """Elbows near 0 or pi, where a small change of how far their ends are apart is a large one of the angle."""
    found = []
    for angle in structure.angles.values():
        ways = directions_of(structure, angle)
        if angle.about is not None or len(ways[0]) != 2 or len(ways[1]) != 2 or ways[0][0] != ways[1][0]:
            continue
        first, second = vectors_of(structure, angle)
        value = angle_between(first, second)
        if min(value, math.pi - value) >= STRAIGHT:
            continue
        apart = float((second - first) @ (second - first))
        firm = float(np.linalg.norm(np.cross(first, second)))
        told = f"a condition number of {apart / firm:.1e}" if firm > 0.0 else "no condition number at all"
        found.append(
            f'angle "{angle.name}" is {math.degrees(value):.3g} deg, almost {"straight" if value > 1.0 else "folded"}: '
            f"how far its ends are apart hardly tells it there ({told}); its torque and its motion are as uncertain"
        )
    return tuple(found)
