"""What a gait is worth before it is called best: tried with fresh noise, finer steps and another model of contact."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

import numpy as np

from taut.reprs import brief
from taut.search.goals import Objective, Score
from taut.search.options import SearchOptions
from taut.search.ranking import ranked
from taut.search.searching import Candidate, Evaluate

COPIES = 64
"""Of the gait that is told."""

FINALISTS, FINAL_COPIES = 4, 32
"""The few that are put in order once more, and by how many copies each."""

CLOSE, ERRORS = 0.1, 2.0
"""Two numbers agree within this part of the first, or within so many standard errors of their difference."""

FINAL, CHECKED = 2, 3
"""Stages after those of a generation, for seeds that nothing else has."""


@dataclass(frozen=True)
class Check:
    """One more trial of a gait: what differed, its score, and whether that agrees with the first one."""

    what: str
    score: Score
    holds: bool

    __repr__ = brief

    def words(self, unit: str) -> str:
        said = "yes" if self.holds else "NO"
        return f"holds {self.what}: {said}, {self.score} {unit}".rstrip() + f" (n = {self.score.copies})"


def agree(first: Score, other: Score) -> bool:
    """Whether two scores are the same, as far as they are known."""
    apart = abs(first.value - other.value)
    errors = math.hypot(first.error, other.error)
    return bool(apart <= CLOSE * abs(first.value) or apart <= ERRORS * errors)


def finals(
    candidates: tuple[Candidate, ...], objective: Objective, options: SearchOptions, evaluate: Evaluate
) -> tuple[tuple[Candidate, ...], np.ndarray]:
    """The best few, tried with many copies of fresh noise and put in order by these; and those copies (F, n, K).

    The copies that put them in order are not those that the winner is told by: these come after.
    """
    few = candidates[: FINALISTS if len(objective.goals) == 1 else options.elite]
    points = np.array([one.point for one in few])
    first = evaluate(points, options.seeds(options.generations, FINAL, len(few), FINAL_COPIES)).copies
    if len(objective.goals) > 1:
        return few, first
    order = ranked(
        np.array([objective.costs(own) for own in first]), np.array([objective.violation(own) for own in first])
    )
    return tuple(few[k] for k in order), first[order]


def validated(
    point: np.ndarray,
    objective: Objective,
    options: SearchOptions,
    evaluate: Evaluate,
    others: Mapping[str, tuple[Evaluate, int]],
    told: Callable[[str], None] = lambda what: None,
) -> Iterator[tuple[np.ndarray, tuple[Check, ...]]]:
    """Copies (n, K) of the gait with noise that nobody has seen, and the checks by other trials, as they are made.

    others: what differs -> a trial, and how many copies of it.
    """
    goal, one = objective.goals[0], point[None]

    def tried(trial: Evaluate, number: int, copies: int) -> np.ndarray:
        return np.asarray(trial(one, options.seeds(options.generations, CHECKED + number, 1, copies)).copies[0])

    told("fresh noise")
    first, checks = tried(evaluate, 0, COPIES), tuple[Check, ...]()
    yield first, checks
    score = goal.score(first)
    for number, (what, (trial, copies)) in enumerate(others.items(), 1):
        told(what)
        other = goal.score(tried(trial, number, copies))
        checks = (*checks, Check(what, other, agree(score, other)))
        yield first, checks
