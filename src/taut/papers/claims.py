"""What a paper claims and what came out: a Claim is asked of a bench, a Finding is the answer with its verdict."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from taut.papers.bench import Bench, Task

REPRODUCED, NOT_REPRODUCED, CANNOT = "reproduced", "not reproduced", "cannot be checked here"
VERDICTS = (REPRODUCED, NOT_REPRODUCED, CANNOT)

SAME_ORDER = math.sqrt(10.0)
"""Numbers no further apart than this factor round to the same power of ten, or nearly so."""


@dataclass(frozen=True)
class Relation:
    """How ours has to stand to the paper's number: in words, and as a test of (ours, paper)."""

    words: str
    holds: Callable[[float, float], bool]


def about(share: float) -> Relation:
    """Equal within this share of the paper's number."""
    return Relation(f"within {100.0 * share:.3g} %", lambda ours, paper: abs(ours - paper) <= share * abs(paper))


def same_order() -> Relation:
    """Within a factor of the square root of ten, for numbers given as "of the order of"."""
    return Relation(
        "same order", lambda ours, paper: ours > 0.0 and abs(math.log(ours / paper)) <= math.log(SAME_ORDER)
    )


def at_most(factor: float = 1.0) -> Relation:
    """No more than the paper's number times a factor."""
    return Relation(_bound("at most", factor), lambda ours, paper: ours <= factor * paper)


def at_least(factor: float = 1.0) -> Relation:
    """No less than the paper's number times a factor."""
    return Relation(_bound("at least", factor), lambda ours, paper: ours >= factor * paper)


def _bound(words: str, factor: float) -> str:
    return words if factor == 1.0 else f"{words} x {factor:.3g}"


@dataclass(frozen=True)
class Measured:
    """Our number for a claim; why it is what it is, in a sentence or two; and further numbers by name and unit.

    ours is None where nothing here can stand for the paper's number.
    """

    ours: float | None
    reason: str = ""
    beside: Mapping[str, float | str] = field(default_factory=dict)


@dataclass(frozen=True)
class Claim:
    """One number of a paper, where it stands, what is said with it, and how ours is measured.

    id: short, unique in the paper. place: figure, table, equation or section. says: in our own words.
    paper: the number, or the bound that the words amount to. unit: SI, or what is counted.
    elsewhere: who was on the other side, where that cannot be had here (a commercial program, a machine, a
        laboratory). The verdict is then that it cannot be checked, whatever stands in for it.
    tasks: long ones that it asks its bench for, which several processes may make beforehand.
    """

    id: str
    place: str
    says: str
    paper: float
    unit: str
    relation: Relation
    measure: Callable[[Bench], Measured]
    elsewhere: str = ""
    tasks: tuple[Task, ...] = ()


@dataclass(frozen=True)
class Finding:
    """A claim with what was measured for it.

    cpu_seconds: spent on it, and on runs that others then share, but not on tasks that other processes made beforehand.
    """

    claim: Claim
    measured: Measured
    cpu_seconds: float = 0.0

    @property
    def verdict(self) -> str:
        ours = self.measured.ours
        if self.claim.elsewhere:
            return CANNOT
        return REPRODUCED if ours is not None and self.claim.relation.holds(ours, self.claim.paper) else NOT_REPRODUCED

    @property
    def reason(self) -> str:
        """Never empty where the verdict is not "reproduced"."""
        claim, told = self.claim, self.measured.reason
        if told or self.verdict == REPRODUCED:
            return told
        if claim.elsewhere:
            return f"The other side was {claim.elsewhere}."
        return f"Ours, {number(self.measured.ours)}, is not {claim.relation.words} {number(claim.paper)}."

    def facts(self) -> dict[str, Any]:
        """For programs: nothing rounded; what is no number to JSON (inf, nan) as a word."""
        claim = self.claim
        return {
            "id": claim.id,
            "place": claim.place,
            "says": claim.says,
            "paper": claim.paper,
            "relation": claim.relation.words,
            "ours": _finite(self.measured.ours),
            "unit": claim.unit,
            "verdict": self.verdict,
            "reason": self.reason,
            "beside": {name: _finite(value) for name, value in self.measured.beside.items()},
            "cpu_seconds": self.cpu_seconds,
        }


def _finite(value: float | str | None) -> float | str | None:
    return str(value) if isinstance(value, float) and not math.isfinite(value) else value


def number(value: float | str | None) -> str:
    """As people read it."""
    if value is None:
        return "-"
    if isinstance(value, str):
        return value
    return f"{value:.5g}" if value == 0.0 or 1e-3 <= abs(value) < 1e5 else f"{value:.1e}"
