"""Measurements: where markers were seen and what load cells told, over time or of a structure at rest."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, field

import numpy as np

from taut.errors import ModelError, Problem, SelectionError, suggestion
from taut.labelled import Labelled, Tabular, Variable
from taut.reprs import counted, titled
from taut.structure.labels import member_names
from taut.structure.records import AXES
from taut.structure.structure import Structure
from taut.type_checks import conform, known_fields

VARIABLES = {
    "time": Variable(("time",), "s", "time of each row"),
    "nodes": Variable(("time", "node", "axis"), "m", "measured position of each node", "node:{node}.{axis}"),
    "cable_tension": Variable(("time", "cable"), "N", "measured force in each cable", "cable:{cable}.tension"),
    "bar_force": Variable(("time", "bar"), "N", "measured force in each bar", "bar:{bar}.force"),
}
"""What `Measurements.to_xarray` has; as columns they are named as those of a run."""


@known_fields
@dataclass(frozen=True, repr=False)
class Measurements(Tabular):
    """What was measured, SI units, tension positive; T times, k nodes, m members. NaN where nothing was measured.

    time: rises; a single row where the structure is at rest.
    member_names: as selectors name them: "cable:c1", "bar:b1".
    """

    time: np.ndarray  # (T,)
    node_names: tuple[str, ...] = ()
    nodes: np.ndarray = field(default_factory=lambda: np.zeros((0, 0, 3)))  # (T, k, 3), a single coordinate may be NaN
    member_names: tuple[str, ...] = ()
    tension: np.ndarray = field(default_factory=lambda: np.zeros((0, 0)))  # (T, m)

    def __post_init__(self) -> None:
        conform(self, "measurements")
        shapes = {"time": (-1,), "nodes": (-1, len(self.node_names), 3), "tension": (-1, len(self.member_names))}
        count = np.size(self.time)
        problems = [*_repeated(self.node_names, "node_names"), *_repeated(self.member_names, "member_names")]
        problems += _unnamed(self.member_names)
        for name, (_, *rest) in shapes.items():
            given, wanted = np.array(getattr(self, name), dtype=float), (count, *rest)
            if not given.size and 0 in wanted:
                given = given.reshape(wanted)
            given.setflags(write=False)
            object.__setattr__(self, name, given)
            if given.shape != wanted:
                told = " x ".join(map(str, wanted))
                problems.append(Problem((name,), f"has {' x '.join(map(str, given.shape))} numbers, wanted are {told}"))
            elif np.isinf(given).any():
                problems.append(Problem((name,), "has infinite numbers; what was not measured is NaN"))
        problems += _times(self.time)
        if problems:
            raise ModelError(Problem(("measurements", *problem.path), problem.message) for problem in problems)

    @property
    def sees_nodes(self) -> bool:
        """Whether any place was measured at all."""
        return bool(np.isfinite(self.nodes).any())

    def node_places(self, structure: Structure) -> np.ndarray:
        """(k,) where the nodes are among those of a structure; raises where one is not."""
        return _places("node", self.node_names, list(structure.nodes))

    def member_places(self, structure: Structure) -> np.ndarray:
        """(m,) where the members are among all those of a structure, cables first; raises where one is not."""
        return _places("member", self.member_names, member_names(structure))

    def labelled(self) -> Labelled:
        """One row a time."""
        cables = np.array([name.startswith("cable:") for name in self.member_names], dtype=bool)
        bars = ~cables
        bare = np.array([name.partition(":")[2] for name in self.member_names], dtype=str)
        labels: dict[str, Sequence[str] | np.ndarray] = {"time": self.time, "node": self.node_names}
        labels |= {"axis": tuple(AXES), "cable": bare[cables], "bar": bare[bars]}
        values = {"time": self.time, "nodes": self.nodes}
        values |= {"cable_tension": self.tension[:, cables], "bar_force": self.tension[:, bars]}
        return Labelled(("time",), labels, VARIABLES, values)

    def __repr__(self) -> str:
        reach = f"{self.time[0]:g} to {self.time[-1]:g} s" if self.time.size > 1 else "at rest"
        seen = np.isfinite(self.nodes).sum() + np.isfinite(self.tension).sum()
        gaps = self.nodes.size + self.tension.size - seen
        return titled(
            "Measurements",
            "",
            counted(len(self.node_names), "node"),
            counted(len(self.member_names), "member"),
            f"{counted(self.time.size, 'row')}, {reach}",
            f"{gaps} numbers missing" if gaps else "",
        )


def _places(kind: str, names: Sequence[str], known: Collection[str]) -> np.ndarray:
    place = {name: index for index, name in enumerate(known)}
    for name in names:
        if name not in place:
            raise SelectionError(f'measured is {kind} "{name}", which the structure has not{suggestion(name, place)}')
    return np.array([place[name] for name in names], dtype=np.int64)


def _repeated(names: Sequence[str], where: str) -> list[Problem]:
    twice = dict.fromkeys(name for name in names if names.count(name) > 1)
    return [Problem((where,), f'"{name}" is there more than once') for name in twice]


def _unnamed(names: Sequence[str]) -> list[Problem]:
    wrong = [name for name in names if not name.startswith(("cable:", "bar:"))]
    return [Problem(("member_names",), f'"{name}" is neither "cable:..." nor "bar:..."') for name in wrong]


def _times(time: np.ndarray) -> list[Problem]:
    if time.ndim != 1:
        return []
    if not time.size:
        return [Problem(("time",), "has no entry; a structure at rest has one")]
    if not np.isfinite(time).all():
        return [Problem(("time",), f"row {int(np.flatnonzero(~np.isfinite(time))[0])} has none")]
    back = np.flatnonzero(np.diff(time) <= 0.0)
    if back.size:
        k = int(back[0])
        return [Problem(("time",), f"does not rise: {time[k + 1]:g} s comes after {time[k]:g} s, in row {k + 1}")]
    return []
