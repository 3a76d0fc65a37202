"""Trying gaits: perturbed copies of all of them in one ensemble, and what is kept of each copy."""

from __future__ import annotations

from collections.abc import Mapping
from concurrent.futures import Executor
from dataclasses import dataclass, replace

import numpy as np

from taut.dynamics.ensemble_result import Ensemble
from taut.dynamics.rollouts import rollout
from taut.locomotion.gait_spaces import GaitSpace
from taut.locomotion.measures import NEEDED, measures_of
from taut.mechanics.inertia.masses import inertia
from taut.mechanics.plant import Plant
from taut.reprs import brief
from taut.search.goals import ALWAYS, COLUMN, MEASURES, Objective
from taut.search.searching import Interrupted, Tried

SELDOM = 5.0
"""Times as far apart are samples where only the way is looked at: enough to see how much energy is in play, against
which its error is judged."""


@dataclass(frozen=True)
class Trial:
    """How a gait is tried: a plant whose drives are those of the space's gaits, and how its copies are run.

    noise, duration, step, every, method: as `taut.rollout` has them. threads, executor: where it is computed, which
    changes no bit of what comes out. wanted: which of MEASURES are measured beside the way that is gone: what is not
    wanted is not computed.
    """

    plant: Plant
    space: GaitSpace
    noise: Mapping[str, float]
    duration: float
    step: float
    every: float
    method: str = "impulses"
    wanted: tuple[str, ...] = tuple(MEASURES)
    threads: int | None = None
    executor: Executor | None = None

    __repr__ = brief

    def runs(self, points: np.ndarray, seeds: np.ndarray) -> Ensemble:
        """Copies of gaits (N, d), those of a gait together."""
        copies = len(seeds) // len(points)
        fields = {field for name in self.wanted for field in NEEDED[MEASURED_AS.get(name, name)]}
        return rollout(
            self.plant,
            self.space.parameters(np.repeat(points, copies, axis=0)),
            self.duration,
            seeds=seeds,
            noise=dict(self.noise),
            every=self.every if fields - {"nodes"} else SELDOM * self.every,
            method=self.method,
            step=self.step,
            fields=sorted(fields | {"nodes"}),
            threads=self.threads,
            **({} if self.executor is None else {"executor": self.executor}),
        )

    def __call__(self, points: np.ndarray, seeds: np.ndarray) -> Tried:
        found = self.runs(points, seeds)
        if any(status.startswith("interrupted") for status in found.status):
            raise Interrupted
        failures = [status for status, ok in zip(found.status, found.ok, strict=True) if not ok]
        told = self._measured(found).reshape(len(points), -1, len(MEASURES))
        return Tried(told, failures[0] if failures else "")

    def finer(self, times: float) -> Trial:
        """The same with steps so many times shorter."""
        return replace(self, step=self.step / times)

    def only_for(self, objective: Objective) -> Trial:
        """The same, with no more measured than an objective asks for."""
        return replace(self, wanted=objective.measures)

    def _measured(self, copies: Ensemble) -> np.ndarray:
        """(N, K) of each copy, in the order of MEASURES; NaN where it failed, and for what is not wanted."""
        found = np.full((len(copies), len(MEASURES)), np.nan)
        names = {name: MEASURED_AS.get(name, name) for name in self.wanted}
        told = measures_of(copies, ("displacement", "distance", *names.values()))
        for name, measure in names.items():
            found[:, COLUMN[name]] = told[measure]
        found[:, [COLUMN[axis] for axis in "xyz"]] = told.displacement
        found[:, COLUMN["distance"]] = told.distance
        gravity = float(np.linalg.norm(copies.options["gravity"]))
        found[:, COLUMN["carried"]] = float(inertia(copies.structure).weighing.sum()) * gravity * told.distance
        return found


MEASURED_AS = {"energy": "energy_positive", **dict.fromkeys(ALWAYS, "distance")}
"""What `measures_of` calls them."""
