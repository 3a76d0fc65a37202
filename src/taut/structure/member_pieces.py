"""Members as straight pieces: bars, and the stretches of cables between the nodes of their routes."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from taut.structure.structure import Structure


@dataclass(frozen=True)
class MemberPieces:
    """The straight pieces of all members: m of them, of which b are bars, the first ones.

    ends: (m, 2) nodes by their number. owner: (m,) which member. names: of all members, in words. selectors: of them.
    cable: (m - b,) the column of tensions. radius: (m,) [m]. pulls: (m - b,) whether it can be slack.
    """

    ends: np.ndarray
    owner: np.ndarray
    names: tuple[str, ...]
    selectors: tuple[str, ...]
    cable: np.ndarray
    radius: np.ndarray
    pulls: np.ndarray


def pieces_of(structure: Structure) -> MemberPieces:
    place = {node: k for k, node in enumerate(structure.nodes)}
    bars, cables = list(structure.bars.values()), list(structure.cables.values())
    pieces = [(k, place[a], place[b]) for k, cable in enumerate(cables) for a, b in pairwise(cable.route)]
    ends = [(place[bar.nodes[0]], place[bar.nodes[1]]) for bar in bars] + [(a, b) for _, a, b in pieces]
    column = np.array([k for k, _, _ in pieces], dtype=np.int64)
    radius = [bar.radius or 0.0 for bar in bars] + [cables[k].radius or 0.0 for k in column]
    return MemberPieces(
        np.array(ends, dtype=np.int64).reshape(-1, 2),
        np.concatenate([np.arange(len(bars)), len(bars) + column]).astype(np.int64),
        tuple(f'{kind} "{one.name}"' for kind, some in (("bar", bars), ("cable", cables)) for one in some),
        tuple(f"{kind}:{one.name}" for kind, some in (("bar", bars), ("cable", cables)) for one in some),
        column,
        np.array(radius, dtype=float),
        np.array([cables[k].law == "cable" for k in column], dtype=bool),
    )
