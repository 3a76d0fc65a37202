"""Trying gaits: perturbed copies of all of them in one ensemble, and what is kept of each copy."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from concurrent.futures import Executor
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from taut.dynamics.ensemble_result import Ensemble
from taut.dynamics.rollouts import rollout
from taut.locomotion.gait_spaces import GaitSpace
from taut.locomotion.measures import measured_rollout
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
    executor: Executor | Callable[[], Executor] | None = None

    __repr__ = brief

    def runs(self, points: np.ndarray, seeds: np.ndarray) -> Ensemble:
        """Copies of gaits (N, d), those of a gait together, with the samples that measures are read off."""
        return rollout(self.plant, self._parameters(points, seeds), self.duration, seeds=seeds, **self._options)

    def __call__(self, points: np.ndarray, seeds: np.ndarray) -> Tried:
        names = {name: MEASURED_AS.get(name, name) for name in self.wanted if name not in ALWAYS}
        told = measured_rollout(
            self.plant,
            self._parameters(points, seeds),
            self.duration,
            ("displacement", "distance", *names.values()),
            seeds=seeds,
            **{**self._options, "every": self.every if names else SELDOM * self.every},
        )
        if any(status.startswith("interrupted") for status in told.status):
            raise Interrupted
        found = np.full((len(told), len(MEASURES)), np.nan)
        for name, measure in names.items():
            found[:, COLUMN[name]] = told[measure]
        found[:, [COLUMN[axis] for axis in "xyz"]] = told.displacement
        found[:, COLUMN["distance"]] = told.distance
        found[:, COLUMN["carried"]] = self._weight * told.distance
        failures = [status for status, ok in zip(told.status, told.ok, strict=True) if not ok]
        return Tried(found.reshape(len(points), -1, len(MEASURES)), failures[0] if failures else "")

    def _parameters(self, points: np.ndarray, seeds: np.ndarray) -> dict[str, np.ndarray]:
        return self.space.parameters(np.repeat(points, len(seeds) // len(points), axis=0))

    @property
    def _options(self) -> dict[str, Any]:
        names = ("every", "method", "step", "threads", "executor")
        return {"noise": dict(self.noise), **{name: getattr(self, name) for name in names}}

    @property
    def _weight(self) -> float:
        gravity = float(np.linalg.norm(self.plant.given.gravity))
        return float(inertia(self.plant.structure).weighing.sum()) * gravity

    def finer(self, times: float) -> Trial:
        """The same with steps so many times shorter."""
        return replace(self, step=self.step / times)

    def only_for(self, objective: Objective) -> Trial:
        """The same, with no more measured than an objective asks for."""
        return replace(self, wanted=objective.measures)


MEASURED_AS = {"energy": "energy_positive"}
"""What `measures_of` calls them."""
