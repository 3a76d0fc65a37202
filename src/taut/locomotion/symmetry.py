"""Symmetries of a robot: turns and mirrorings of its shape that bring members onto members, as what they do to names.

What holds for one face holds for all that a symmetry brings it to, a roll as much as a picture in a mirror.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import permutations

import numpy as np

from taut.errors import OptionError
from taut.reprs import brief
from taut.structure.structure import Structure
from taut.type_checks import checked_arguments

NEAR = 1e-6
"""Of the size of a structure: how well places have to meet."""


@dataclass(frozen=True)
class Symmetry:
    """turn: (3, 3) about the middle of the nodes, with determinant -1 for a mirroring.

    nodes, members: which goes where, members as "bar:x1" and "cable:c1".
    """

    turn: np.ndarray
    nodes: Mapping[str, str]
    members: Mapping[str, str]

    __repr__ = brief


@checked_arguments
def symmetries(structure: Structure) -> tuple[Symmetry, ...]:
    """All of them, the one that changes nothing first.

    Of the places of nodes as they are, and of which are joined by bars and by cables; not of masses or stiffnesses.
    Members side by side between the same nodes keep their order.
    """
    names = list(structure.nodes)
    places = structure.positions - structure.positions.mean(axis=0)
    size = float(np.linalg.norm(places, axis=1).max())
    apart = np.linalg.norm(places[:, None] - places[None], axis=2)
    base = _three_apart(places)
    if not np.linalg.svd(places[base], compute_uv=False)[-1] > NEAR * size:
        raise OptionError("all nodes lie in one plane, where symmetries do not tell turns from mirrorings")
    found = []
    for images in permutations(range(len(names)), 3):
        if np.abs(apart[np.ix_(images, images)] - apart[np.ix_(base, base)]).max() > NEAR * size:
            continue
        if (
            np.abs(np.linalg.norm(places[list(images)], axis=1) - np.linalg.norm(places[base], axis=1)).max()
            > NEAR * size
        ):
            continue
        turn = np.linalg.solve(places[base], places[list(images)]).T
        gap = np.linalg.norm((places @ turn.T)[:, None] - places[None], axis=2)
        goes = gap.argmin(axis=1)
        if gap[np.arange(len(names)), goes].max() > NEAR * size or len(set(goes.tolist())) < len(names):
            continue
        nodes = {name: names[goes[k]] for k, name in enumerate(names)}
        members = _members(structure, nodes)
        if members is not None:
            found.append(Symmetry(turn, nodes, members))
    return tuple(sorted(found, key=lambda one: float(np.linalg.norm(one.turn - np.eye(3)))))


def _three_apart(places: np.ndarray) -> list[int]:
    """Three places whose directions from the middle span all space, as well as any do."""
    chosen = [int(np.linalg.norm(places, axis=1).argmax())]
    for _ in range(2):
        own = np.linalg.qr(places[chosen].T)[0]
        left = np.linalg.norm(places - places @ own @ own.T, axis=1)
        chosen.append(int(left.argmax()))
    return chosen


def _members(structure: Structure, nodes: Mapping[str, str]) -> dict[str, str] | None:
    """Which member goes where; None where one goes nowhere."""
    found: dict[str, str] = {}
    for kind, ends in (
        ("bar", {name: bar.nodes for name, bar in structure.bars.items()}),
        ("cable", {name: cable.route for name, cable in structure.cables.items()}),
    ):
        between: dict[frozenset[str], list[str]] = {}
        for name, pair in ends.items():
            between.setdefault(frozenset(pair), []).append(name)
        for pair_of, own in between.items():
            images = between.get(frozenset(nodes[node] for node in pair_of), [])
            if len(images) != len(own):
                return None
            found |= {f"{kind}:{name}": f"{kind}:{image}" for name, image in zip(own, images, strict=True)}
    return found
