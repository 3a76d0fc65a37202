"""Friction at guides, at rest: how far the tensions of a cable's segments may lie apart before it slips.

Over a guide that turns a cable by the angle phi, the tensions on either side are at most exp(mu phi) apart (Euler 1769;
Eytelwein 1808). Which tension between those limits a segment has depends on how the cable came there, so statics can
only give the bounds.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from taut.labelled import Labelled, Tabular, Variable
from taut.reprs import brief
from taut.statics.equilibrium import Equilibrium
from taut.structure.records import Cable
from taut.structure.structure import Structure
from taut.type_checks import checked_arguments

BOUNDS = {
    "cable": Variable(("segment",), "", "the cable of each segment"),
    "first": Variable(("segment",), "", "node at its one end"),
    "second": Variable(("segment",), "", "node at its other end"),
    "turned": Variable(("segment",), "rad", "sum of the angles by which guides turn the cable up to there"),
    "lowest": Variable(("segment",), "N", "least tension without slip"),
    "highest": Variable(("segment",), "N", "largest tension without slip"),
}


@dataclass(frozen=True)
class FrictionBounds(Tabular):
    """Segments of all cables over guides, in the order of their routes."""

    cable: tuple[str, ...]
    first: tuple[str, ...]
    second: tuple[str, ...]
    turned: np.ndarray  # (s,) [rad]
    lowest: np.ndarray  # (s,) [N]
    highest: np.ndarray  # (s,) [N]

    __repr__ = brief

    def labelled(self) -> Labelled:
        """One row a segment."""
        values = {name: np.asarray(getattr(self, name)) for name in BOUNDS}
        return Labelled(("segment",), {"segment": range(len(self.cable))}, BOUNDS, values)


@checked_arguments
def friction_bounds(equilibrium: Equilibrium) -> FrictionBounds:
    """Between which tensions each segment of a cable over guides may be, if its first segment has the cable's tension.

    T exp(-mu phi) to T exp(mu phi), with phi the sum of the angles by which the guides between that segment and the
    first turn the cable; round a loop by the shorter way. A cable without friction has its one tension everywhere.
    """
    structure = equilibrium.structure
    rows = [
        (cable.name, *ends, turned, *(tension * np.exp(way * cable.friction * turned) for way in (-1.0, 1.0)))
        for cable, tension in zip(structure.cables.values(), equilibrium.cable_tension.tolist(), strict=True)
        if len(cable.route) > 2
        for ends, turned in _segments(structure, cable)
    ]
    names, first, second, *numbers = zip(*rows, strict=True) if rows else ((),) * 6
    return FrictionBounds(names, first, second, *(np.array(column, dtype=float) for column in numbers))


def _segments(structure: Structure, cable: Cable) -> Iterator[tuple[tuple[str, str], float]]:
    """The ends of each segment, and the angle between it and the first along the cable [rad]."""
    ends = list(pairwise(cable.route))
    spans = [np.subtract(structure.nodes[b], structure.nodes[a]) for a, b in ends]
    turns = [_angle(a, b) for a, b in pairwise(spans)]
    onwards = np.concatenate([[0.0], np.cumsum(turns)])
    if cable.route[0] == cable.route[-1]:
        round_all = onwards[-1] + _angle(spans[-1], spans[0])
        onwards = np.minimum(onwards, round_all - onwards)
    yield from zip(ends, onwards.tolist(), strict=True)


def _angle(a: np.ndarray, b: np.ndarray) -> float:
    return float(np.arctan2(np.linalg.norm(np.cross(a, b)), a @ b))
