"""What is kept of every point of a study: a few numbers, and some for each node, cable and bar."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from taut.labelled import Variable

NAMED = ("node", "cable", "bar")
"""The dimensions whose labels are names of the structure's parts."""

Names = tuple[tuple[str, ...], ...]
"""The names of nodes, cables and bars."""

QUANTITIES = {
    "reached": Variable((), "s", "time that was reached"),
    "steps": Variable((), "1", "steps taken"),
    "energy_kinetic": Variable((), "J", "kinetic energy at the end"),
    "energy_elastic": Variable((), "J", "energy stored in cables at the end"),
    "energy_gravity": Variable((), "J", "energy of weight at the end"),
    "work": Variable((), "J", "work of loads, dampers, moved supports and cuts"),
    "worst_length": Variable((), "m", "largest residual of a bar or constraint"),
    "worst_rate": Variable((), "m/s", "largest rate of such a residual"),
    "worst_energy": Variable((), "J", "largest of energy less start energy less work"),
    "wall_time": Variable((), "s", "time it took"),
    "cpu_time": Variable((), "s", "processor time it took"),
    "nodes": Variable(("node", "axis"), "m", "position of each node at the end", "node:{node}.{axis}"),
    "max_displacement": Variable(
        ("node",), "m", "largest distance of each node from its start", "node:{node}.max_displacement"
    ),
    "max_tension": Variable(("cable",), "N", "largest force in each cable", "cable:{cable}.max_tension"),
    "min_tension": Variable(("cable",), "N", "least force in each cable", "cable:{cable}.min_tension"),
    "max_bar_force": Variable(("bar",), "N", "largest force in each bar, positive in tension", "bar:{bar}.max_force"),
    "min_bar_force": Variable(
        ("bar",), "N", "least force in each bar, so that of a strut that pushes most", "bar:{bar}.min_force"
    ),
}
"""Extremes are those of the samples."""

TIMES = ("wall_time", "cpu_time")
"""What differs from one computation of the same point to the next."""


@dataclass(frozen=True)
class Outcome:
    """What came of one point: a sentence, whose parts the numbers are of, and all quantities in one row."""

    status: str
    names: Names
    numbers: np.ndarray

    def quantities(self) -> dict[str, np.ndarray]:
        """The numbers by quantity, with a row for each name."""
        sizes = {"axis": 3, **{kind: len(own) for kind, own in zip(NAMED, self.names, strict=True)}}
        found, begin = {}, 0
        for name, (dimensions, _, _, _) in QUANTITIES.items():
            shape = tuple(sizes[dimension] for dimension in dimensions)
            end = begin + math.prod(shape)
            found[name] = self.numbers[begin:end].reshape(shape)
            begin = end
        if begin != self.numbers.size:
            raise ValueError(f"{self.numbers.size} numbers where there should be {begin}")
        return found


def outcome(status: str, names: Names, known: Mapping[str, float | np.ndarray]) -> Outcome:
    """What is known of a point; the numbers that are not are NaN."""
    empty = Outcome(status, names, np.full(_size(names), np.nan))
    for name, place in empty.quantities().items():
        if name in known:
            place[...] = known[name]
    return empty


def _size(names: Names) -> int:
    nodes, cables, bars = map(len, names)
    single = sum(not variable.dimensions for variable in QUANTITIES.values())
    return single + 4 * nodes + 2 * cables + 2 * bars
