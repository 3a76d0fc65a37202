"""What was measured and under what: states at rest and motions, and how well each number is known."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from taut.errors import ModelError, OptionError, Problem, SelectionError
from taut.measurement.measurements import Measurements
from taut.reprs import brief
from taut.statics.load_case import LoadCase
from taut.structure.records import AXES
from taut.structure.scenario import Scenario
from taut.structure.selectors import select
from taut.structure.structure import Structure
from taut.type_checks import conform, known_fields


@known_fields
@dataclass(frozen=True)
class AtRest:
    """What was measured while the structure stood still. Several rows are readings of the same, each by itself.

    case: what acted on it then.
    """

    measured: Measurements
    case: LoadCase = field(default_factory=LoadCase)
    name: str = ""

    __repr__ = brief

    def __post_init__(self) -> None:
        conform(self, "AtRest")


@known_fields
@dataclass(frozen=True)
class InMotion:
    """What was measured while it moved, from t = 0 on, which is the start of the scenario.

    scenario: gravity, loads, damping, velocities, motions, drives and controllers. Runs go with rk4 and equal steps: of
        `scenario.step`, or a fiftieth of the shortest period that cables and masses could have.
    """

    measured: Measurements
    scenario: Scenario = field(default_factory=Scenario)
    name: str = ""

    __repr__ = brief

    def __post_init__(self) -> None:
        conform(self, "InMotion")


Observation = AtRest | InMotion


@dataclass(frozen=True)
class Readings:
    """The numbers of an observation, one after another; q of them.

    node, member: (k,), (m,) numbers of what was measured. seen: which of (T, 3 k + m) were.
    """

    node: np.ndarray
    member: np.ndarray
    seen: np.ndarray
    value: np.ndarray  # (q,)
    deviation: np.ndarray  # (q,)
    names: tuple[str, ...]

    __repr__ = brief

    def picked(self, nodes: np.ndarray, forces: np.ndarray) -> np.ndarray:
        """(..., q) of computed nodes (..., T, n, 3) and member forces (..., T, m); T may be 1 for all rows."""
        places = nodes[..., self.node, :].reshape(*nodes.shape[:-2], -1)
        whole = np.concatenate([places, forces[..., self.member]], axis=-1)
        shape = (*whole.shape[:-2], *self.seen.shape)
        return np.asarray(np.broadcast_to(whole, shape)[..., self.seen])


def named(observations: Sequence[Observation]) -> list[str]:
    """What the observations are called: their names, or "state 1", "motion 1"."""
    found, counts = [], {"state": 0, "motion": 0}
    for one in observations:
        kind = "state" if isinstance(one, AtRest) else "motion"
        counts[kind] += 1
        found.append(one.name or f"{kind} {counts[kind]}")
    return found


def deviations_by_name(structure: Structure, deviations: Mapping[str, float]) -> dict[str, float]:
    """Selector -> number, as node or member -> number ("node:top1", "cable:a1"); a later line wins."""
    found: dict[str, float] = {}
    for selector, value in deviations.items():
        if isinstance(value, bool) or not isinstance(value, int | float) or not (math.isfinite(value) and value > 0.0):
            raise OptionError(f'deviations["{selector}"] = {value!r} must be a finite number, more than zero')
        kind, names = select(structure, selector)
        if kind not in ("node", "cable", "bar"):
            raise SelectionError(f'deviations: "{selector}" selects {kind}s; measured are nodes, cables and bars')
        found |= {f"{kind}:{name}": float(value) for name in names}
    return found


def readings(structure: Structure, observation: Observation, label: str, deviations: Mapping[str, float]) -> Readings:
    """The numbers of an observation with their names and deviations; raises where a deviation is missing."""
    measured = observation.measured
    try:
        node, member = measured.node_places(structure), measured.member_places(structure)
    except SelectionError as error:
        raise SelectionError(f"{label}: {error}") from None
    whole = np.concatenate([measured.nodes.reshape(measured.time.size, -1), measured.tension], axis=1)
    seen = np.isfinite(whole)
    if not seen.any():
        raise ModelError([Problem((label,), "every number is missing (NaN), so nothing was measured; leave it out")])
    columns = [f"node:{name}.{axis}" for name in measured.node_names for axis in AXES]
    columns += [f"{name}.{'tension' if name.startswith('cable:') else 'force'}" for name in measured.member_names]
    owners = [f"node:{name}" for name in measured.node_names for _ in AXES] + list(measured.member_names)
    missing = dict.fromkeys(
        owners[column] for column in np.flatnonzero(seen.any(axis=0)) if owners[column] not in deviations
    )
    if missing:
        first = next(iter(missing))
        kind = first.partition(":")[0]
        unit = "m" if kind == "node" else "N"
        raise OptionError(
            f"{label}: {first} was measured, but its standard deviation is not given; "
            f'say deviations={{"{kind}:*": ...}} [{unit}]'
        )
    sizes = np.array([deviations.get(owner, np.nan) for owner in owners])
    times = [f" at {t:g} s" if isinstance(observation, InMotion) else "" for t in measured.time]
    if isinstance(observation, AtRest) and measured.time.size > 1:
        times = [f", row {row}" for row in range(measured.time.size)]
    names = tuple(f"{label}: {columns[column]}{times[row]}" for row, column in np.argwhere(seen))
    return Readings(node, member, seen, whole[seen], np.broadcast_to(sizes, seen.shape)[seen], names)
