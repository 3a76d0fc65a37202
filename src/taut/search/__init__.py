"""Search for gaits: goals over perturbed copies, algorithms that ask and are told, checks before anything is best.

Names are loaded when they are first used; importing this package costs nothing.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from taut.lazy_names import lazy_names

__all__ = [
    "Candidate",
    "Check",
    "GaitSearch",
    "Goal",
    "Limit",
    "Objective",
    "Score",
    "SearchOptions",
    "Trial",
    "load_gaits",
    "search_gaits",
    "searched",
]

_HOMES = {
    "taut.output.gait_search.finding": ("search_gaits",),
    "taut.output.gait_search.store": ("load_gaits",),
    "taut.search.goals": ("Goal", "Limit", "Objective", "Score"),
    "taut.search.options": ("SearchOptions",),
    "taut.search.result": ("GaitSearch",),
    "taut.search.searching": ("Candidate", "searched"),
    "taut.search.trials": ("Trial",),
    "taut.search.validation": ("Check",),
}

__getattr__, __dir__ = lazy_names(__name__, _HOMES)

if TYPE_CHECKING:  # the same names, for editors and type checkers
    from taut.output.gait_search.finding import search_gaits
    from taut.output.gait_search.store import load_gaits
    from taut.search.goals import Goal, Limit, Objective, Score
    from taut.search.options import SearchOptions
    from taut.search.result import GaitSearch
    from taut.search.searching import Candidate, searched
    from taut.search.trials import Trial
    from taut.search.validation import Check
