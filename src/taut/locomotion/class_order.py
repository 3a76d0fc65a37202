"""An order of symmetry classes of gaits that hangs on the classes alone, not on how members are named or listed.

Two classes of the same groups, as a wave and the wave the other way round, differ in which member is ahead of which and
where these stand to one another. Every two ends of members have a colour: how far apart they are, whether joined, how
far one is ahead of the other; then by the colours that both have with every third, until no more colours come of it.
This refinement (of B. Weisfeiler and A. Leman, of second order) tells any two sets of points in space apart that no
turning or mirroring makes one of (V. Delle Rose et al. 2023), and knows neither names nor the order of members.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from taut.locomotion.symmetry import NEAR
from taut.structure.structure import Structure

Pattern = Sequence[tuple[int, int]]
"""Of every member: the first of those it is tied to, and how many parts of a period it is ahead of that; negative where
it is still."""

NODE, APART, STILL, TIED = 0, 1, 2, 3
"""How two ends are tied: one is no member's, not at all, by members that are still, by so many parts of a period."""


def class_colours(
    structure: Structure, members: Sequence[str], patterns: Sequence[Pattern], parts: int
) -> list[tuple[int, ...]]:
    """Of every pattern the colours of any two ends, in order: the same where a symmetry makes one of the other."""
    places = list(structure.nodes)
    owners, nodes = [-1] * len(places), list(range(len(places)))  # all nodes too: they are a part of the shape
    for k, member in enumerate(members):
        kind, _, name = member.partition(":")
        route = structure.bars[name].nodes if kind == "bar" else structure.cables[name].route
        owners += [k] * len(route)
        nodes += [places.index(node) for node in route]
    owner, seen = np.array(owners), _seen(structure)[np.ix_(nodes, nodes)]
    seen = 2 * seen + (owner[:, None] == owner)
    sights = [seen * (TIED + parts) + _ties(owner, pattern, parts) for pattern in patterns]
    colours, count = _ranked(sights), 0
    while (known := int(colours.max())) > count:
        count = known
        thirds = np.sort(colours[:, :, None, :] * (known + 1) + colours.transpose(0, 2, 1)[:, None], axis=3)
        thirds = thirds[..., ::-1]  # from the largest on: so waves of the six-strut robot keep the numbers they had
        colours = _ranked(np.concatenate([colours[..., None], thirds], axis=3))
    return [tuple(np.sort(colour, axis=None).tolist()) for colour in colours]


def _ranked(told: Sequence[np.ndarray] | np.ndarray) -> np.ndarray:
    """(patterns, e, e) colours: the place of what is told of every two ends among all that is told anywhere."""
    size = len(told[0])
    rows = np.concatenate([one.reshape(size * size, -1) for one in told])
    return np.unique(rows, axis=0, return_inverse=True)[1].reshape(len(told), size, size)


def _seen(structure: Structure) -> np.ndarray:
    """(n, n) of nodes: how far they are apart, as a place among all distances there are, and whether joined by what."""
    apart = np.linalg.norm(structure.positions[:, None] - structure.positions[None], axis=2)
    order = np.argsort(apart, axis=None)
    new = np.diff(apart.ravel()[order], prepend=0.0) > NEAR * apart.max()
    rank = np.zeros(apart.size, dtype=int)
    rank[order] = np.cumsum(new)
    joined, place = np.zeros(apart.shape, dtype=int), {name: k for k, name in enumerate(structure.nodes)}
    routes = [(1, bar.nodes) for bar in structure.bars.values()]
    for kind, route in (*routes, *((2, cable.route) for cable in structure.cables.values())):
        at = [place[node] for node in route]
        joined[np.ix_(at, at)] |= kind
    return 4 * rank.reshape(apart.shape) + joined


def _ties(owner: np.ndarray, pattern: Pattern, parts: int) -> np.ndarray:
    """(e, e) how the member of the second end is tied to that of the first."""
    first, ahead = (np.array([one[k] for one in pattern])[owner] for k in (0, 1))
    tied = np.where(ahead < 0, STILL, TIED + (ahead[None] - ahead[:, None]) % parts)
    found = np.where(first[:, None] == first, tied, APART)
    return np.where((owner < 0) | (owner[:, None] < 0), NODE, found)
