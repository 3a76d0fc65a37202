"""Trying gaits: perturbed copies of all of them in one ensemble, and what is kept of each copy."""

from __future__ import annotations

from collections.abc import Mapping
from concurrent.futures import Executor
from dataclasses import dataclass, replace

import numpy as np

from taut.dynamics.ensemble_result import Ensemble
from taut.dynamics.rollouts import rollout
from taut.locomotion.gait_spaces import GaitSpace
from taut.mechanics.plant import Plant
from taut.reprs import brief
from taut.search._standin import measures_of
from taut.search.goals import MEASURES
from taut.search.searching import Interrupted, Tried


@dataclass(frozen=True)
class Trial:
    """How a gait is tried: a plant whose drives are those of the space's gaits, and how its copies are run.

    noise, duration, step, every, method: as `taut.rollout` has them. threads, executor: where it is computed, which
    changes no bit of what comes out.
    """

    plant: Plant
    space: GaitSpace
    noise: Mapping[str, float]
    duration: float
    step: float
    every: float
    method: str = "impulses"
    threads: int | None = None
    executor: Executor | None = None

    __repr__ = brief

    def runs(self, points: np.ndarray, seeds: np.ndarray) -> Ensemble:
        """Copies of gaits (N, d), those of a gait together."""
        copies = len(seeds) // len(points)
        return rollout(
            self.plant,
            self.space.parameters(np.repeat(points, copies, axis=0)),
            self.duration,
            seeds=seeds.tolist(),
            noise=dict(self.noise),
            every=self.every,
            method=self.method,
            step=self.step,
            threads=self.threads,
            **({"executor": self.executor} if self.executor is not None else {}),
        )

    def __call__(self, points: np.ndarray, seeds: np.ndarray) -> Tried:
        found = self.runs(points, seeds)
        if any(status.startswith("interrupted") for status in found.status):
            raise Interrupted
        failures = [status for status, ok in zip(found.status, found.ok, strict=True) if not ok]
        return Tried(measured(found).reshape(len(points), -1, len(MEASURES)), failures[0] if failures else "")

    def finer(self, times: float) -> Trial:
        """The same with steps so many times shorter."""
        return replace(self, step=self.step / times)


def measured(copies: Ensemble) -> np.ndarray:
    """(N, K) of each copy, in the order of MEASURES; NaN where it failed."""
    told = measures_of(copies)
    columns = {
        **dict(zip("xyz", told.displacement.T, strict=True)),
        "distance": told.distance,
        "slip": told.slip,
        "energy": told.energy,
        "carried": told.weight * told.distance,
        "peak_tension": told.peak_tension,
        "peak_power": told.peak_power,
        "peak_speed": told.peak_speed,
    }
    found = np.array([columns[name] for name in MEASURES]).T
    return np.where(copies.ok[:, None], found, np.nan)
