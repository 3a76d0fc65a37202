"""What variants came to, as arrays: the measures of a single run (`locomotion_of`), variant by variant."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from taut.dynamics.correction import Correction
from taut.dynamics.ensemble_result import Ensemble
from taut.dynamics.rollouts import reduced
from taut.dynamics.trajectory import Trajectory
from taut.errors import OptionError, suggestion
from taut.labelled import Labelled, Tabular, Variable
from taut.locomotion.costs import kept_cost
from taut.locomotion.course import course_of
from taut.locomotion.faces import HOLD, stands
from taut.locomotion.slipping import slip_distance
from taut.locomotion.summary import changes_of, transport_cost
from taut.mechanics.plant import Plant
from taut.type_checks import checked_arguments

_ALONE = ("variant",)
VARIABLES = {
    "displacement": Variable(
        ("variant", "axis"), "m", "of the centre of mass from start to end, along the ground", "displacement.{axis}"
    ),
    "distance": Variable(_ALONE, "m", "its size"),
    "direction": Variable(_ALONE, "rad", "its direction, from x towards y"),
    "way": Variable(_ALONE, "m", "length of the path of the centre of mass, seen along gravity"),
    "face_changes": Variable(_ALONE, "", "faces stood on after the first"),
    "slip": Variable(_ALONE, "m", "way of all nodes along the ground while they touch it"),
    "energy_positive": Variable(_ALONE, "J", "put in by drives, each for itself, with nothing got back"),
    "energy_net": Variable(_ALONE, "J", "put in by drives less got back"),
    "cost_of_transport": Variable(_ALONE, "", "energy put in over weight times distance"),
    "peak_power": Variable(_ALONE, "W", "of all drives together"),
    "peak_force": Variable(_ALONE, "N", "in a driven member"),
    "peak_speed": Variable(_ALONE, "its unit per s", "of a drive"),
    "peak_tension": Variable(_ALONE, "N", "of a cable"),
}
"""Every measure: its dimensions, its unit and what it is."""

NEEDED = {
    **dict.fromkeys(("displacement", "distance", "direction", "way"), ("nodes",)),
    "face_changes": ("nodes", "contact_state"),
    "slip": ("nodes", "velocities", "contact_state"),
    **dict.fromkeys(("energy_positive", "energy_net", "peak_power"), ("drive_power",)),
    "cost_of_transport": ("nodes", "drive_power"),
    "peak_force": ("drive_force",),
    "peak_speed": ("drive_rate",),
    "peak_tension": ("cable_tension",),
}
"""The fields that each is read off."""


@dataclass(frozen=True, repr=False)
class Measures(Tabular):
    """Numbers of N variants by name, (N,) each, `displacement` (N, 3); NaN where a variant failed.

    ok: (N,) whether it finished and is to be believed. status: how each ended.
    """

    values: Mapping[str, np.ndarray]
    ok: np.ndarray
    status: tuple[str, ...]

    def __getitem__(self, name: str) -> np.ndarray:
        if name not in self.values:
            known = f"; there are {', '.join(self.values)}"
            raise OptionError(f'no measure "{name}" was asked for{suggestion(name, self.values) or known}')
        return self.values[name]

    def __getattr__(self, name: str) -> np.ndarray:
        if name.startswith("_") or name not in VARIABLES:
            raise AttributeError(f"Measures have no {name!r}{suggestion(name, VARIABLES)}")
        return self[name]

    def __dir__(self) -> list[str]:
        return [*super().__dir__(), *self.values]

    def __len__(self) -> int:
        return self.ok.size

    def labelled(self) -> Labelled:
        """One row a variant."""
        labels = {"variant": range(len(self)), "axis": ("x", "y", "z")}
        return Labelled(_ALONE, labels, {name: VARIABLES[name] for name in self.values}, self.values)

    def __repr__(self) -> str:
        return f"<Measures of {len(self)} variants, {int(self.ok.sum())} of them good: {', '.join(self.values)}>"


@checked_arguments
def measures_of(ensemble: Ensemble, measures: Iterable[str] | None = None, *, hold: float = HOLD) -> Measures:
    """What every variant of an ensemble on a ground came to, each as `locomotion_of` has it for a run.

    measures: which; all that its fields allow by default. hold: [s] as in `stands`.
    """
    chosen = _chosen(ensemble, measures)
    values = {name: np.full((len(ensemble), *((3,) if name == "displacement" else ())), np.nan) for name in VARIABLES}
    for k in np.flatnonzero(ensemble.ok).tolist():
        for name, value in _measured(ensemble[k], chosen, hold).items():
            values[name][k] = value
    return Measures({name: values[name] for name in VARIABLES if name in chosen}, ensemble.ok, ensemble.status)


@checked_arguments
def measured_rollout(
    plant: Plant,
    parameters: Mapping[str, Any],
    duration: float,
    measures: Iterable[str] | None = None,
    *,
    hold: float = HOLD,
    every: float | None = None,
    method: str = "impulses",
    step: float | None = 1e-3,
    tolerance: float = 1e-8,
    correction: Correction | str | None = None,
    **options: Any,
) -> Measures:
    """`measures_of` a `taut.rollout`, taken where variants are computed: no samples are kept, and none are sent.

    measures: which; all by default. hold: [s] as in `stands`. options: seeds, noise, threads, executor, batch and
        progress, as those of `taut.rollout`; so are the others.
    """
    chosen = tuple(VARIABLES) if measures is None else tuple(measures)
    for name in chosen:
        _check_known(name)
    fields = tuple(dict.fromkeys(field for name in chosen for field in NEEDED[name]))
    found = reduced(
        plant,
        parameters,
        duration,
        partial(_reduced, chosen, hold),
        every=every,
        method=method,
        step=step,
        tolerance=tolerance,
        correction=correction,
        fields=fields,
        **options,
    )
    finished = [status.startswith("finished") for status in found.status]
    return Measures(found.samples, np.array(finished) & found.sound, tuple(found.status))


def _reduced(chosen: tuple[str, ...], hold: float, ensemble: Ensemble) -> Mapping[str, np.ndarray]:
    return measures_of(ensemble, chosen, hold=hold).values


def _check_known(name: str) -> None:
    if name not in VARIABLES:
        raise OptionError(f'"{name}" is no measure{suggestion(name, VARIABLES)}; there are {", ".join(VARIABLES)}')


def _chosen(ensemble: Ensemble, measures: Iterable[str] | None) -> set[str]:
    there = {name for name, fields in NEEDED.items() if set(fields) <= set(ensemble.samples)}
    if measures is None:
        return there
    asked = list(measures)
    for name in asked:
        _check_known(name)
        if name not in there:
            missing = [field for field in NEEDED[name] if field not in ensemble.samples]
            raise OptionError(f'the measure "{name}" needs {missing[0]}; name it in the `fields` of the rollout')
    return set(asked)


def _measured(run: Trajectory, chosen: set[str], hold: float) -> dict[str, float | np.ndarray]:
    found: dict[str, float | np.ndarray] = {}
    if chosen & _COURSE:
        gone = course_of(run)
        found |= {"displacement": gone.displacement, "distance": gone.distance}
        found |= {"direction": gone.direction, "way": gone.length}
    if "face_changes" in chosen:
        found["face_changes"] = float(changes_of(stands(run, hold=hold)))
    if "slip" in chosen:
        found["slip"] = float(slip_distance(run).sum())
    if chosen & _COST:
        cost = kept_cost(run)
        found |= {"energy_positive": cost.positive, "energy_net": cost.net, "peak_power": cost.peak_power}
        found |= {"peak_force": cost.peak_force, "peak_speed": cost.peak_speed, "peak_tension": cost.peak_tension}
    if "cost_of_transport" in chosen:
        found["cost_of_transport"] = transport_cost(run, cost.positive, gone.distance)
    return found


_COURSE = frozenset(("displacement", "distance", "direction", "way", "cost_of_transport"))
_COST = frozenset(
    ("energy_positive", "energy_net", "peak_power", "peak_force", "peak_speed", "peak_tension", "cost_of_transport")
)
