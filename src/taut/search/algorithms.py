"""Algorithms that ask for the gaits of a generation and are told what came of them; each is a stream of its seed.

What an algorithm asks for follows from its seed and from what it was told, and from nothing else: told again what came
of the same gaits, it goes on as it did.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np

from taut.errors import OptionError, suggestion
from taut.search.ranking import ranked


@dataclass(frozen=True)
class Told:
    """Gaits as points (N, d) of the unit cube, their costs (N, goals), less being better, and violations (N,)."""

    points: np.ndarray
    costs: np.ndarray
    violations: np.ndarray


class Algorithm(Protocol):
    """What the search asks of an algorithm."""

    def ask(self) -> np.ndarray:
        """(population, d) in the unit cube."""

    def tell(self, population: Told, elite: Told) -> None:
        """What came of those asked for, and what the best so far are worth by now."""


class Genetic:
    """Tournaments, blends of two parents, and nudges; parents are the elite and the better half of a generation."""

    BLEND = 0.25
    """How far beyond its parents a child may lie, of their distance."""

    NUDGES = (0.01, 0.3)
    """Standard deviation of a nudge: drawn for each child between them, evenly in its logarithm."""

    NEW = 0.05
    """Share of a generation that has no parents."""

    def __init__(
        self, size: int, periodic: np.ndarray, population: int, goals: int, seed: int, start: np.ndarray
    ) -> None:
        self._size, self._periodic, self._population = size, periodic, population
        self._random = np.random.default_rng(np.random.SeedSequence(seed, spawn_key=(0,)))
        self._parents = np.zeros((0, size))  # best first
        self._start = start

    def ask(self) -> np.ndarray:
        draw, shape = self._random, (self._population, self._size)
        fresh = draw.random(shape)
        if not len(self._parents):
            fresh[: len(self._start)] = self._start
            return fresh
        first, second = (
            self._parents[draw.integers(0, len(self._parents), (self._population, 2)).min(axis=1)] for _ in range(2)
        )
        apart = second - first
        apart = np.where(self._periodic, (apart + 0.5) % 1.0 - 0.5, apart)
        children = first + apart * draw.uniform(-self.BLEND, 1.0 + self.BLEND, shape)
        low, high = np.log(self.NUDGES)
        width = np.exp(draw.uniform(low, high, (self._population, 1)))
        nudged = draw.random(shape) < max(1.0 / self._size, 0.3)
        children = children + np.where(nudged, width * draw.standard_normal(shape), 0.0)
        new = draw.random(self._population) < self.NEW
        return np.where(new[:, None], fresh, folded(children, self._periodic))

    def tell(self, population: Told, elite: Told) -> None:
        better = ranked(population.costs, population.violations)[: max(2, self._population // 2)]
        points = np.vstack([elite.points, population.points[better]])
        costs = np.vstack([elite.costs, population.costs[better]])
        violations = np.concatenate([elite.violations, population.violations[better]])
        self._parents = points[ranked(costs, violations)]


class Nsga2:
    """NSGA-II of pymoo, for several goals at once."""

    def __init__(
        self, size: int, periodic: np.ndarray, population: int, goals: int, seed: int, start: np.ndarray
    ) -> None:
        try:
            from pymoo.algorithms.moo.nsga2 import NSGA2
            from pymoo.core.evaluator import Evaluator
            from pymoo.core.problem import Problem
            from pymoo.problems.static import StaticProblem
        except ImportError:
            raise OptionError(NEEDS.format("nsga2", "pymoo")) from None
        self._evaluator, self._known = Evaluator, StaticProblem
        problem = Problem(n_var=size, n_obj=goals, n_ieq_constr=1, xl=0.0, xu=1.0)
        self._population = population
        self._spare = np.random.default_rng(np.random.SeedSequence(seed, spawn_key=(2,)))
        first = self._spare.random((population, size))
        first[: len(start)] = start
        self._algorithm: Any = NSGA2(pop_size=population, sampling=first)
        self._algorithm.setup(problem, seed=seed, termination=("n_gen", 10**9), verbose=False)
        self._asked: Any = None

    def ask(self) -> np.ndarray:
        self._asked = self._algorithm.ask()
        found = np.asarray(self._asked.get("X"), dtype=float)
        # Where it finds too few that differ, the others are drawn at random and it hears nothing of them.
        spare = self._spare.random((self._population - len(found), found.shape[1]))
        return np.vstack([found, spare])

    def tell(self, population: Told, elite: Told) -> None:
        count = len(self._asked)
        costs = np.where(np.isfinite(population.costs), population.costs, WORST)[:count]
        broken = np.minimum(population.violations[:count, None], WORST)
        self._evaluator().eval(self._known(self._algorithm.problem, F=costs, G=broken), self._asked)
        self._algorithm.tell(infills=self._asked)


class CmaEs:
    """CMA-ES of cma, for one goal; phases go round, and what leaves other bounds is reflected."""

    WIDTH, NARROW = 0.25, 0.08
    """Standard deviation at the beginning; and about a gait that is known."""

    def __init__(
        self, size: int, periodic: np.ndarray, population: int, goals: int, seed: int, start: np.ndarray
    ) -> None:
        if goals > 1:
            raise OptionError(f"cma has one goal, not {goals}; nsga2 takes several")
        if size < 2:
            raise OptionError("cma needs two numbers to search for at least; ga takes one")
        try:
            import cma
        except ImportError:
            raise OptionError(NEEDS.format("cma", "cma")) from None
        draw = np.random.default_rng(np.random.SeedSequence(seed, spawn_key=(1,)))
        self._periodic = periodic
        options = {
            "popsize": population,
            "randn": lambda *shape: draw.standard_normal(shape),
            "seed": float("nan"),
            "verbose": -9,
            "verb_log": 0,
            "verb_filenameprefix": "",
            "tolflatfitness": 10**9,
        }
        middle, width = (start[0], self.NARROW) if len(start) else (draw.random(size), self.WIDTH)
        self._strategy: Any = cma.CMAEvolutionStrategy(middle, width, options)
        self._asked: list[np.ndarray] = []

    def ask(self) -> np.ndarray:
        self._asked = self._strategy.ask()
        return folded(np.array(self._asked), self._periodic)

    def tell(self, population: Told, elite: Told) -> None:
        order = ranked(population.costs, population.violations)
        places = np.empty(len(order))
        places[order] = np.arange(len(order))  # it looks at nothing but the order
        self._strategy.tell(self._asked, places.tolist())


NEEDS = 'algorithm "{}" needs {}; install it with: pip install "taut[gaits]"'
WORST = 1e12
"""What stands for no number at all."""

ALGORITHMS: dict[str, Callable[[int, np.ndarray, int, int, int, np.ndarray], Algorithm]] = {
    "ga": Genetic,
    "nsga2": Nsga2,
    "cma": CmaEs,
}


def algorithm_named(
    name: str, size: int, periodic: np.ndarray, population: int, goals: int, seed: int, start: np.ndarray
) -> Algorithm:
    """A new one at its beginning; start: (k, d) gaits to begin with."""
    if name not in ALGORITHMS:
        raise OptionError(f'algorithm "{name}" is not one of {", ".join(ALGORITHMS)}{suggestion(name, ALGORITHMS)}')
    return ALGORITHMS[name](size, periodic, population, goals, seed, start)


def folded(points: np.ndarray, periodic: np.ndarray) -> np.ndarray:
    """Back into the unit cube: what is periodic goes round, all else is reflected."""
    reflected = 1.0 - np.abs(points % 2.0 - 1.0)
    return np.asarray(np.where(periodic, points % 1.0, reflected))
