"""Which faces copies of a gait stand on, one after another: what most of them do, and how often faces of a kind follow.

Rolling is chaotic: copies that differ a little go the same way at first and part later. So the faces that are told by
name are those that at least half of the copies stand on in this order, and of the rest there are counts by kind.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations, pairwise

import numpy as np

from taut.dynamics.ensemble_result import Ensemble
from taut.locomotion.faces import HOLD, Face, stands
from taut.reprs import brief
from taut.structure.structure import Structure
from taut.type_checks import checked_arguments

CLOSED, OPEN = "closed", "open"
"""Faces of which every two nodes are joined by a cable, and others."""


@dataclass(frozen=True)
class FaceSequence:
    """faces, kinds: that at least half of the copies stand on first, in this order. followed: by how many copies.

    copies: in all. changes: in the mean of copies. visited: different faces of a copy, in the mean. steps: changes by
    kinds, "closed open", in the mean of copies.
    """

    faces: tuple[Face, ...]
    kinds: tuple[str, ...]
    followed: int
    copies: int
    changes: float
    visited: float
    steps: Mapping[str, float]

    __repr__ = brief

    def words(self) -> str:
        """`c-o-o (9 of 16)`: c for closed and o for open faces."""
        letters = "-".join(kind[0] for kind in self.kinds) or "none"
        return f"{letters} ({self.followed} of {self.copies})"


@checked_arguments
def face_sequence(ensemble: Ensemble, *, hold: float = HOLD) -> FaceSequence:
    """Of the copies that finished. hold: [s] as in `stands`."""
    good = np.flatnonzero(ensemble.ok).tolist()
    return sequence_of(ensemble.structure, [[one.face for one in stands(ensemble[k], hold=hold)] for k in good])


def sequence_of(structure: Structure, copies: Sequence[Sequence[Face]]) -> FaceSequence:
    """Of faces that each copy stood on, in turn."""
    faces: list[Face] = []
    left, followed = list(copies), 0
    while left:
        nexts = Counter(own[len(faces)] for own in left if len(own) > len(faces))
        face, count = max(nexts.items(), key=lambda one: (one[1], one[0]), default=((), 0))
        if 2 * count < len(copies) or not count:
            break
        left = [own for own in left if len(own) > len(faces) and own[len(faces)] == face]
        faces, followed = [*faces, face], count
    many = max(len(copies), 1)
    steps = Counter(f"{kind_of(structure, a)} {kind_of(structure, b)}" for own in copies for a, b in pairwise(own))
    return FaceSequence(
        tuple(faces),
        tuple(kind_of(structure, face) for face in faces),
        followed,
        len(copies),
        sum(steps.values()) / many,
        sum(len(set(own)) for own in copies) / many,
        {name: steps[name] / many for name in sorted(steps)},
    )


def kind_of(structure: Structure, face: Face) -> str:
    """ "closed" where cables join every two of its nodes, "open" where they do not."""
    joined = {frozenset(pair) for cable in structure.cables.values() for pair in pairwise(cable.route)}
    return CLOSED if all(frozenset(pair) in joined for pair in combinations(face, 2)) else OPEN
