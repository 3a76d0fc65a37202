"""What came of all papers: an AllReports, made of the facts of each paper's report, for people and for programs."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from taut.papers.claims import VERDICTS
from taut.reprs import brief


@dataclass(frozen=True)
class AllReports:
    """papers: the facts of each paper's report, in the order in which they were given. seconds: on the clock.

    machine: what computed them, in words.
    """

    papers: tuple[Mapping[str, Any], ...]
    seconds: float
    machine: str

    __repr__ = brief

    @property
    def cpu_seconds(self) -> float:
        return float(sum(paper["cpu_seconds"] for paper in self.papers))

    @property
    def ok(self) -> bool:
        """Whether every claim was computed, whatever the verdicts."""
        return not any(paper["failures"] for paper in self.papers)

    @property
    def summary(self) -> str:
        """As in: 5 papers, 195 claims: 140 reproduced, 40 not reproduced, 15 cannot be checked here."""
        counts = Counter(claim["verdict"] for paper in self.papers for claim in paper["claims"])
        verdicts = ", ".join(f"{counts[verdict]} {verdict}" for verdict in VERDICTS if counts[verdict])
        lost = sum(len(paper["failures"]) for paper in self.papers)
        papers = "1 paper" if len(self.papers) == 1 else f"{len(self.papers)} papers"
        told = f"{papers}, {counts.total()} claims: {verdicts or 'none computed'}"
        return f"{told}; {lost} could not be computed" if lost else told

    def facts(self) -> dict[str, Any]:
        """For programs: nothing rounded."""
        return {
            "machine": self.machine,
            "seconds": self.seconds,
            "cpu_seconds": self.cpu_seconds,
            "papers": [dict(paper) for paper in self.papers],
        }


def json_text(reports: AllReports) -> str:
    return json.dumps(reports.facts(), indent=2) + "\n"
