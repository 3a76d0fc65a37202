"""A Study: what came of every point of a parameter study, as arrays over the grid of its keys."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np

from taut.labelled import Labelled, Tabular, Variable
from taut.output.study.grid import Grid, Value, written
from taut.output.study.plan import Plan
from taut.output.study.quantities import NAMED, QUANTITIES, Outcome
from taut.reprs import titled
from taut.structure.records import AXES

NOT_YET = "not computed: the study was interrupted"


@dataclass(frozen=True, repr=False)
class Study(Tabular):
    """Quantities over a grid, SI units; K stands for its dimensions, one a key, in the order of `keys`.

    n nodes, c cables, b bars: all that some point has, so that a generator's parameters may be swept too; where a point
    has no such part, or no such number, it is NaN. Extremes are those of the samples. `status` is "finished" or a
    sentence that says why a point has no numbers, or only those until its run stopped.
    """

    plan: Plan = field(repr=False)
    status: np.ndarray  # K, texts
    names: Mapping[str, tuple[str, ...]]  # of "node", "cable" and "bar"
    reached: np.ndarray  # K, time [s]
    steps: np.ndarray  # K
    energy_kinetic: np.ndarray  # K, at the end, as the next ones
    energy_elastic: np.ndarray
    energy_gravity: np.ndarray
    work: np.ndarray  # K, of loads and dampers
    worst_length: np.ndarray  # K, gap of a bar or constraint
    worst_rate: np.ndarray
    worst_energy: np.ndarray
    wall_time: np.ndarray  # K, it took
    cpu_time: np.ndarray
    nodes: np.ndarray  # (K, n, 3) at the end
    max_displacement: np.ndarray  # (K, n) from the start
    max_tension: np.ndarray  # (K, c)
    min_tension: np.ndarray
    max_bar_force: np.ndarray  # (K, b), positive in tension
    min_bar_force: np.ndarray

    @property
    def grid(self) -> Grid:
        return self.plan.grid

    @property
    def keys(self) -> tuple[str, ...]:
        return self.grid.keys

    @property
    def values(self) -> tuple[tuple[Value, ...], ...]:
        """The values of each key."""
        return self.grid.values

    @property
    def shape(self) -> tuple[int, ...]:
        return self.grid.shape

    @property
    def ok(self) -> np.ndarray:
        """K, whether each point finished."""
        return np.asarray(self.status == "finished")

    @property
    def interrupted(self) -> bool:
        """Whether there are points that nobody computed yet."""
        return bool((self.status == NOT_YET).any())

    def failures(self) -> dict[str, str]:
        """Points that were computed and did not finish: their values in words, and why."""
        found = enumerate(self.status.ravel().tolist())
        return {self.point(k): why for k, why in found if why not in ("finished", NOT_YET)}

    def point(self, number: int) -> str:
        """The values of a point in words."""
        return ", ".join(f"{key}={written(value)}" for key, value in self.grid.at(number).items())

    def labelled(self) -> Labelled:
        """One row a point: its keys, its status, its quantities."""
        variables = {name: one._replace(dimensions=(*self.keys, *one.dimensions)) for name, one in QUANTITIES.items()}
        labels = {**dict(zip(self.keys, self.values, strict=True)), "axis": tuple(AXES), **self.names}
        return Labelled(
            self.keys,
            labels,
            {"status": Variable(self.keys, "", "how each point ended"), **variables},
            {"status": self.status, **{name: getattr(self, name) for name in QUANTITIES}},
        )

    def __repr__(self) -> str:
        over = ", ".join(f"{key} ({len(values)})" for key, values in zip(self.keys, self.values, strict=True))
        return titled(f"Study over {over}", "", f"{int(self.ok.sum())} of {self.ok.size} points finished")


def study_of(plan: Plan, outcomes: Mapping[int, Outcome]) -> Study:
    """All points as arrays; those that are not there say so."""
    names = _all_names(outcomes)
    order = {kind: {name: k for k, name in enumerate(own)} for kind, own in names.items()}
    sizes = {"axis": 3, **{kind: len(own) for kind, own in names.items()}}
    shapes = {name: tuple(sizes[d] for d in variable.dimensions) for name, variable in QUANTITIES.items()}
    count, shape = plan.grid.count, plan.grid.shape
    arrays = {name: np.full((count, *own), np.nan) for name, own in shapes.items()}
    status = np.full(count, NOT_YET, dtype=object)
    for point, found in outcomes.items():
        status[point] = found.status
        places = {kind: _places(own, order[kind]) for kind, own in zip(NAMED, found.names, strict=True)}
        for name, values in found.quantities().items():
            part = QUANTITIES[name].dimensions[:1]
            arrays[name][point, places[part[0]] if part else ...] = values
    ready = {name: values.reshape(*shape, *shapes[name]) for name, values in arrays.items()}
    return Study(plan=plan, status=status.reshape(shape), names=names, **ready)


def _all_names(outcomes: Mapping[int, Outcome]) -> dict[str, tuple[str, ...]]:
    """Every name that some point has, in the order of the points."""
    found: dict[str, dict[str, None]] = {kind: {} for kind in NAMED}
    last = None
    for point in sorted(outcomes):
        names = outcomes[point].names
        if names is not last and names != last:
            for kind, own in zip(NAMED, names, strict=True):
                found[kind].update(dict.fromkeys(own))
        last = names
    return {kind: tuple(own) for kind, own in found.items()}


def _places(own: tuple[str, ...], order: Mapping[str, int]) -> slice | list[int]:
    """Where the parts of one point stand among those of all."""
    return slice(None) if own == tuple(order) else [order[name] for name in own]
