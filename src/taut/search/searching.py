"""The search itself: generations of gaits, each tried as perturbed copies, the best of all tried again and again.

It knows nothing of robots or files: `evaluate` tries gaits, `keep` is given what is finished after every generation.
Told the generations of an earlier try it takes their numbers instead of trying those gaits again, asks the algorithm as
before, and goes on as if it had never been stopped.
"""

from __future__ import annotations

import time as clocks
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from taut.errors import OptionError
from taut.locomotion.gait_spaces import GaitSpace
from taut.reprs import brief
from taut.search.algorithms import Algorithm, Told, algorithm_named
from taut.search.goals import Objective, Score, has_finished
from taut.search.options import CHOSEN, SCREENED, SearchOptions
from taut.search.ranking import ranked


@dataclass(frozen=True)
class Tried:
    """What came of gaits: (gaits, copies, measures), NaN where a copy failed; and why the first of these did."""

    copies: np.ndarray
    failure: str = ""

    __repr__ = brief


Evaluate = Callable[[np.ndarray, np.ndarray], Tried]
"""Of points (N, d) and seeds (N * copies,)."""


@dataclass(frozen=True)
class Generation:
    """points: (M, d) asked for, and copies of each (M, copies, K); elite: (E, d), and fresh copies (E, extra, K).

    seconds: it took.
    """

    points: np.ndarray
    copies: np.ndarray
    elite: np.ndarray
    fresh: np.ndarray
    seconds: float

    __repr__ = brief


@dataclass(frozen=True)
class Candidate:
    """A gait that was among the best: its point, the generation (from 0) that found it, and all copies (n, K) that were
    run after it had been chosen."""

    point: np.ndarray
    found: int
    copies: np.ndarray

    __repr__ = brief


@dataclass(frozen=True)
class Standing:
    """After a generation: which, of how many; the best gait's score by its fresh copies; the mean of the generation's;
    runs so far; seconds, those of earlier tries too; how many runs a second this one makes."""

    generation: int
    generations: int
    best: Score
    mean: float
    runs: int
    seconds: float
    rate: float

    __repr__ = brief


class Interrupted(Exception):
    """The user wishes to stop; what is finished is kept."""


class Asked(Exception):
    """An algorithm asks for other gaits than it did when a search was begun."""


def searched(
    space: GaitSpace,
    objective: Objective,
    options: SearchOptions,
    evaluate: Evaluate,
    *,
    earlier: Sequence[Generation] = (),
    keep: Callable[[tuple[Generation, ...], tuple[Candidate, ...]], None] = lambda done, best: None,
    progress: Callable[[Standing], None] = lambda standing: None,
    interrupted: Callable[[], bool] = lambda: False,
) -> tuple[tuple[Generation, ...], tuple[Candidate, ...]]:
    """All generations, and the best candidates, best first; fewer generations where the user interrupts."""
    goals = len(objective.goals)
    start = np.array(options.start).reshape(len(options.start), space.size if not options.start else -1)
    if start.shape[1] != space.size:
        raise OptionError(
            f"search: gaits to start from have {start.shape[1]} numbers, and those of the space {space.size}"
        )
    if not np.all((start >= 0.0) & (start <= 1.0)):
        wrong = start[~((start >= 0.0) & (start <= 1.0))][0]
        raise OptionError(f"search: a gait to start from has the number {wrong:g}; those of a space go from 0 to 1")
    algorithm = algorithm_named(
        options.algorithm, space.size, space.periodic, options.population, goals, options.seed, start
    )
    done: list[Generation] = []
    best: tuple[Candidate, ...] = ()
    runs, begun = 0, clocks.perf_counter()
    for number in range(options.generations):
        known = earlier[number] if number < len(earlier) else None
        try:
            if known is None and interrupted():
                break
            found, best = _generation(number, algorithm, best, objective, options, evaluate, known)
        except Interrupted:
            break
        done.append(found)
        if known is None:
            runs += options.runs
            keep(tuple(done), best)
        spent = clocks.perf_counter() - begun
        told = (objective.costs(copies)[0] for copies in found.copies)
        mean = -objective.goals[0].sense * float(np.nanmean([cost for cost in told if np.isfinite(cost)] or [np.nan]))
        progress(
            Standing(
                number + 1,
                options.generations,
                objective.goals[0].score(best[0].copies),
                mean,
                len(done) * options.runs,
                sum(one.seconds for one in done),
                runs / spent if known is None else 0.0,
            )
        )
    return tuple(done), best


def _generation(
    number: int,
    algorithm: Algorithm,
    best: tuple[Candidate, ...],
    objective: Objective,
    options: SearchOptions,
    evaluate: Evaluate,
    known: Generation | None,
) -> tuple[Generation, tuple[Candidate, ...]]:
    begun = clocks.perf_counter()
    points = algorithm.ask()
    if known is not None and not np.array_equal(points, known.points):
        raise Asked(f"generation {number + 1} of {options.algorithm} is not what it was when the search was begun")
    if known is None:
        tried = evaluate(points, options.seeds(number, SCREENED, len(points), options.copies))
        if not has_finished(tried.copies).any():
            raise OptionError(
                f"no copy of any gait of generation {number + 1} finished, so that there is nothing to go by; "
                f"the first failed with: {tried.failure}"
            )
        copies = tried.copies
    else:
        copies = known.copies
    newcomers = [Candidate(point, number, own[:0]) for point, own in zip(points, copies, strict=True)]
    chosen = _chosen(best, newcomers, copies, objective, options.elite)
    elite = np.array([one.point for one in chosen])
    fresh = (
        evaluate(elite, options.seeds(number, CHOSEN, len(elite), options.extra)).copies
        if known is None
        else known.fresh
    )
    pooled = [
        Candidate(one.point, one.found, np.vstack([one.copies, more])) for one, more in zip(chosen, fresh, strict=True)
    ]
    told = _told(elite, [one.copies for one in pooled], objective)
    best = tuple(pooled[k] for k in ranked(told.costs, told.violations))
    algorithm.tell(_told(points, list(copies), objective), told)
    seconds = clocks.perf_counter() - begun if known is None else known.seconds
    return Generation(points, copies, elite, fresh, seconds), best


def _chosen(
    best: tuple[Candidate, ...],
    newcomers: list[Candidate],
    copies: np.ndarray,
    objective: Objective,
    count: int,
) -> list[Candidate]:
    """Whose copies are run again: the better half of the elite so far, and the best of all others, lucky ones too."""
    stay = list(best[: count // 2])
    others = [*best[count // 2 :], *newcomers]
    tried = [*(one.copies for one in best[count // 2 :]), *copies]
    told = _told(np.array([one.point for one in others]), tried, objective)
    return [*stay, *(others[k] for k in ranked(told.costs, told.violations)[: count - len(stay)])]


def _told(points: np.ndarray, copies: Sequence[np.ndarray], objective: Objective) -> Told:
    return Told(
        points,
        np.array([objective.costs(own) for own in copies]),
        np.array([objective.violation(own) for own in copies]),
    )
