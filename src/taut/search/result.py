"""GaitSearch: what a search came to: its generations, the best gaits in order, and how the best stood its checks."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from taut.errors import OptionError
from taut.locomotion.gait_spaces import Gait, GaitSpace
from taut.reprs import counted, titled
from taut.search.goals import Objective, Score
from taut.search.options import SearchOptions
from taut.search.ranking import front_numbers
from taut.search.searching import Candidate, Generation
from taut.search.validation import Check


@dataclass(frozen=True, repr=False)
class GaitSearch:
    """A search and its gaits, best first.

    final: (F, n, K) copies of the first few with noise of their own, by which these are in order; empty until the last
        generation is done. first: (n, K) copies of the best one that put nothing in order. checks: of the best one.
    status: "finished", or a sentence. model_text: what was searched for. program: versions that its numbers depend on.
    """

    space: GaitSpace
    objective: Objective
    options: SearchOptions
    generations: tuple[Generation, ...]
    candidates: tuple[Candidate, ...]
    final: np.ndarray
    first: np.ndarray
    checks: tuple[Check, ...]
    status: str
    model_text: str = field(repr=False)
    program: dict[str, str] = field(default_factory=dict)

    @property
    def finished(self) -> bool:
        return self.status == "finished"

    @property
    def runs(self) -> int:
        """Of all generations."""
        return len(self.generations) * self.options.runs

    @property
    def seconds(self) -> float:
        """All generations took, those of earlier tries too."""
        return sum(one.seconds for one in self.generations)

    @property
    def holds(self) -> bool:
        """Whether the best gait stood all checks that were made, and some were."""
        return bool(self.checks) and all(check.holds for check in self.checks)

    def candidate(self, rank: int = 1) -> Candidate:
        """By its rank, from 1."""
        if not 1 <= rank <= len(self.candidates):
            raise OptionError(f"rank {rank}: there are {len(self.candidates)} gaits, from 1 for the best")
        return self.candidates[rank - 1]

    def gait(self, rank: int = 1) -> Gait:
        return self.space.gait(self.candidate(rank).point)

    def copies(self, rank: int = 1) -> np.ndarray:
        """(n, K) by which a gait is told: of noise that had no part in choosing it, where there is such."""
        own = self.candidate(rank).copies
        if rank == 1 and len(self.first):
            return self.first
        return self.final[rank - 1] if rank <= len(self.final) else own

    def scores(self, rank: int = 1) -> tuple[Score, ...]:
        """One a goal."""
        return tuple(goal.score(self.copies(rank)) for goal in self.objective.goals)

    @property
    def front(self) -> tuple[int, ...]:
        """Ranks of the gaits that no other is better than in all goals."""
        costs = np.array([self.objective.costs(self.copies(k + 1)) for k in range(len(self.candidates))])
        broken = np.array([self.objective.violation(self.copies(k + 1)) for k in range(len(self.candidates))])
        return tuple((np.flatnonzero(front_numbers(costs, broken) == 0) + 1).tolist())

    def summary(self) -> str:
        """In plain text."""
        goal = self.objective.goals[0]
        rows = {
            "search": f"{self.options.algorithm}, seed {self.options.seed}: {len(self.generations)} of "
            f"{self.options.generations} generations of {self.options.population} gaits, {self.runs} runs of "
            f"{self.options.duration:g} s, {self.seconds:.0f} s",
            "goal": "; ".join(one.words for one in self.objective.goals),
            "status": self.status,
        }
        if self.candidates:
            for one, score in zip(self.objective.goals, self.scores(), strict=True):
                step = f", h = {1e3 * (self.options.told_step if len(self.first) else self.options.step):g} ms"
                told = f"{score} {one.unit}".rstrip()
                rows[f"best {one.what.replace('_', ' ')}"] = f"{told} (n = {score.copies}{step})"
            broken = self.objective.violation(self.copies())
            if broken:
                rows["limits"] = f"passed by {broken:.3g} of them in sum"
            rows["gait"] = repr(self.gait())
        if len(self.objective.goals) > 1:
            rows["front"] = counted(len(self.front), "gait") + " that no other beats in all goals"
        width = max(map(len, rows))
        lines = [f"{name:<{width}}  {value}" for name, value in rows.items()]
        return "\n".join([*lines, *(check.words(goal.unit) for check in self.checks)])

    def __repr__(self) -> str:
        best = f"best {self.scores()[0]} {self.objective.goals[0].unit}" if self.candidates else ""
        return titled("GaitSearch", "", counted(len(self.generations), "generation"), best, self.status)
