"""How a search goes: all that its numbers depend on beside the model, the space of gaits and the objective."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any

import numpy as np

from taut.errors import OptionError
from taut.reprs import brief
from taut.type_checks import conform, known_fields

SCREENED, CHOSEN = 0, 1
"""Stages of a generation: all that were asked for, and the best so far once more."""


@known_fields
@dataclass(frozen=True, slots=True)
class SearchOptions:
    """algorithm: "ga", "nsga2" or "cma". seed: of the algorithm, and of the noise of every copy.

    generations, population: how many, of how many gaits. copies: perturbed copies of each that are run at first.
    elite: how many of the best so far are run once more in every generation, with `extra` copies of fresh noise each.
        What is told of them is of those copies alone, so that luck which got them chosen does not count.
    noise: standard deviations by address, as `taut.rollout` takes them; [rad] for phases. Those that the space of gaits
        has where nothing is said.
    duration, step, every: [s] of a run, of its steps, and between samples.
    start: points of gaits that the first generation has among those drawn at random, such as those of another search;
        cma begins about the first of them.
    tell_step: [s] of the steps by which the best is told and checked; those of the search where nothing is said.
    """

    algorithm: str = "ga"
    generations: int = 30
    population: int = 64
    seed: int = 0
    copies: int = 8
    elite: int = 8
    extra: int = 16
    noise: Mapping[str, float] | None = None
    duration: float = 10.0
    step: float = 1e-3
    every: float = 0.02
    tell_step: float | None = None
    start: tuple[tuple[float, ...], ...] = ()

    __repr__ = brief

    def __post_init__(self) -> None:
        conform(self, "SearchOptions")
        least = {"generations": 1, "population": 2, "seed": 0, "copies": 2, "elite": 2, "extra": 2}
        for name, wanted in least.items():
            if getattr(self, name) < wanted:
                why = " (one has nobody to be compared with)" if name == "population" else ""
                raise OptionError(f"search: {name} = {getattr(self, name)} must be {wanted} or more{why}")
        if self.elite > self.population:
            raise OptionError(f"search: elite = {self.elite} must be no more than population = {self.population}")
        for name in ("duration", "step", "every"):
            if not 0.0 < getattr(self, name) < math.inf:
                raise OptionError(f"search: {name} = {getattr(self, name):g} s must be more than zero")
        if len(self.start) > self.population:
            raise OptionError(f"search: {len(self.start)} gaits to start from are more than a population")
        if self.tell_step is not None and not 0.0 < self.tell_step <= self.step:
            raise OptionError(
                f"search: tell_step = {self.tell_step:g} s must be above zero, and no more than step = {self.step:g} s"
            )

    def data(self) -> dict[str, Any]:
        """As JSON can hold it."""
        told = {one.name: getattr(self, one.name) for one in fields(self)}
        noise = None if self.noise is None else dict(self.noise)
        return {**told, "noise": noise, "start": [list(point) for point in self.start]}

    @property
    def told_step(self) -> float:
        """[s] of the steps by which the best is told."""
        return self.tell_step or self.step

    @property
    def runs(self) -> int:
        """Of one generation."""
        return self.population * self.copies + self.elite * self.extra

    def seeds(self, generation: int, stage: int, gaits: int, copies: int) -> np.ndarray:
        """(gaits * copies,) one a run, those of a gait together."""
        stream = np.random.SeedSequence(self.seed, spawn_key=(3, generation, stage))
        return stream.generate_state(gaits * copies).astype(np.int64)
