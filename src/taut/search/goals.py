"""What a search wants of gaits, and what it allows: statistics of perturbed copies, each with its standard error.

Rolling is chaotic: what one run says of a gait does not survive a smaller step. A goal is therefore a number of many
copies (their mean, a low quantile, or the mean less some standard deviations), and so is a limit.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from taut.errors import OptionError, suggestion
from taut.reprs import brief
from taut.type_checks import conform, known_fields

MEASURES = {
    "x": "m",
    "y": "m",
    "z": "m",
    "distance": "m",
    "slip": "m",
    "energy": "J",
    "carried": "J",
    "peak_tension": "N",
    "peak_power": "W",
    "peak_speed": "m/s",
}
"""What is kept of every copy, and its unit: the way of its centre of mass from start to end along x, y and z and its
length, the way of its nodes along the ground while they touch it, what drives put in, weight times distance, and
peaks. A copy that failed has NaN for all, and what nobody asked for is NaN too."""

ALWAYS = ("x", "y", "z", "distance", "carried")
"""What is measured of every copy that finished."""

COLUMN = {name: k for k, name in enumerate(MEASURES)}
PEAKS = ("peak_tension", "peak_power", "peak_speed")

GOALS = {"distance": 1.0, "along": 1.0, "cost_of_transport": -1.0, "energy": -1.0, "slip": -1.0}
"""What can be wanted, and whether more (1) or less (-1) of it."""


@dataclass(frozen=True)
class Score:
    """A statistic of copies and its standard error, in the goal's unit. copies: that finished."""

    value: float
    error: float
    copies: int

    __repr__ = brief

    def __str__(self) -> str:
        return f"{self.value:.3g} +- {self.error:.2g}"


@known_fields
@dataclass(frozen=True, slots=True)
class Goal:
    """What is wanted of a gait, over perturbed copies.

    what: "distance" from start to end, the way "along" a direction, both [m] and the more the better;
        "cost_of_transport", "energy" [J] put in by drives, "slip" [m], the less the better. The cost of transport is
        that of all copies together: mean energy over mean weight times distance.
    direction: of "along", in the model's axes.
    deviations: the mean less so many standard deviations of the copies (more, where less is better) stands for it.
    quantile: this share of the copies is worse; stands for the mean, as 0.1 does for what nine of ten copies reach.
    """

    what: str = "distance"
    direction: tuple[float, float, float] = (1.0, 0.0, 0.0)
    deviations: float = 0.0
    quantile: float | None = None

    __repr__ = brief

    def __post_init__(self) -> None:
        conform(self, "Goal")
        if self.what not in GOALS:
            raise OptionError(f'goal "{self.what}" is not one of {", ".join(GOALS)}{suggestion(self.what, GOALS)}')
        if not np.linalg.norm(self.direction) > 0.0:
            raise OptionError(f"goal: direction = {self.direction} has no direction")
        if not self.deviations >= 0.0:
            raise OptionError(f"goal: deviations = {self.deviations:g} must be zero or more")
        if self.quantile is not None and not 0.0 < self.quantile < 1.0:
            raise OptionError(f"goal: quantile = {self.quantile:g} must be between 0 and 1")
        if (self.quantile is not None or self.deviations) and self.what == "cost_of_transport":
            raise OptionError("goal: a cost of transport is that of all copies together, and has no spread")
        if self.quantile is not None and self.deviations:
            raise OptionError("goal: give a quantile or deviations, not both")

    @property
    def sense(self) -> float:
        """1 where more is better, -1 where less is."""
        return GOALS[self.what]

    @property
    def unit(self) -> str:
        return {"along": "m", "cost_of_transport": ""}.get(self.what, MEASURES.get(self.what, ""))

    @property
    def words(self) -> str:
        how = "" if self.quantile is None else f", quantile {self.quantile:g}"
        how += f" less {self.deviations:g} deviations" if self.deviations else ""
        where = f" {self.direction[0]:.3g} {self.direction[1]:.3g} {self.direction[2]:.3g}"
        return f"{self.what.replace('_', ' ')}{where if self.what == 'along' else ''}{how}"

    def of_copies(self, copies: np.ndarray) -> np.ndarray:
        """(n,) of each of some copies (n, K)."""
        if self.what == "along":
            way = np.array(self.direction) / np.linalg.norm(self.direction)
            return np.asarray(copies[:, [COLUMN[axis] for axis in "xyz"]] @ way)
        if self.what == "cost_of_transport":
            with np.errstate(divide="ignore", invalid="ignore"):
                return np.asarray(copies[:, COLUMN["energy"]] / copies[:, COLUMN["carried"]])
        return np.asarray(copies[:, COLUMN[self.what]])

    def score(self, copies: np.ndarray) -> Score:
        """Of copies (n, K); those that failed are left out of account."""
        finished = copies[has_finished(copies)]
        count = len(finished)
        if not count:
            return Score(math.nan, math.nan, 0)
        if self.what == "cost_of_transport":
            return _ratio(finished[:, COLUMN["energy"]], finished[:, COLUMN["carried"]])
        values = self.of_copies(finished)
        spread = float(values.std(ddof=1)) if count > 1 else math.nan
        if self.quantile is not None:
            return Score(*_quantile(values, self.quantile if self.sense > 0.0 else 1.0 - self.quantile), count)
        # The error of mean - k s, for copies that scatter normally.
        error = spread / math.sqrt(count) * math.sqrt(1.0 + 0.5 * self.deviations**2)
        less = self.sense * self.deviations * spread if self.deviations else 0.0
        return Score(float(values.mean()) - less, error, count)

    def data(self) -> dict[str, Any]:
        told = {name: getattr(self, name) for name in ("what", "deviations", "quantile")}
        return {**told, "direction": list(self.direction)}


@known_fields
@dataclass(frozen=True, slots=True)
class Limit:
    """What the mean of a peak over the copies may be at most: "peak_tension" [N] of any cable, "peak_power" [W] of all
    drives together, "peak_speed" [m/s] of the fastest drive."""

    what: str
    at_most: float

    __repr__ = brief

    def __post_init__(self) -> None:
        conform(self, "Limit")
        if self.what not in PEAKS:
            raise OptionError(f'limit "{self.what}" is not one of {", ".join(PEAKS)}{suggestion(self.what, PEAKS)}')
        if not self.at_most > 0.0:
            raise OptionError(f"limit: {self.what} at most {self.at_most:g} must be more than zero")

    def violation(self, copies: np.ndarray) -> float:
        """By how much of it the limit is passed; zero where it is kept."""
        peaks = copies[has_finished(copies), COLUMN[self.what]]
        return max(0.0, float(peaks.mean()) / self.at_most - 1.0) if peaks.size else math.nan

    def data(self) -> dict[str, Any]:
        return {"what": self.what, "at_most": self.at_most}


@known_fields
@dataclass(frozen=True, slots=True)
class Objective:
    """Goals, the first of them the one that gaits are ranked by where there is one only, and limits."""

    goals: tuple[Goal, ...] = field(default=(Goal(),))
    limits: tuple[Limit, ...] = ()

    __repr__ = brief

    def __post_init__(self) -> None:
        conform(self, "Objective")
        if not self.goals:
            raise OptionError("a search needs a goal")

    @property
    def measures(self) -> tuple[str, ...]:
        """What it looks at."""
        asked = {"cost_of_transport": "energy", "along": "distance"}
        told = [asked.get(goal.what, goal.what) for goal in self.goals] + [limit.what for limit in self.limits]
        return tuple(name for name in MEASURES if name in ALWAYS or name in told)

    def costs(self, copies: np.ndarray) -> np.ndarray:
        """(goals,) less is better; NaN where no copy finished."""
        return np.array([-goal.sense * goal.score(copies).value for goal in self.goals])

    def violation(self, copies: np.ndarray) -> float:
        """Of all limits together, and the share of copies that failed; zero where nothing is wrong."""
        failed = 1.0 - has_finished(copies).mean()
        if failed == 1.0:
            return math.inf
        return float(failed + sum(limit.violation(copies) for limit in self.limits))

    def data(self) -> dict[str, Any]:
        return {"goals": [goal.data() for goal in self.goals], "limits": [limit.data() for limit in self.limits]}


def has_finished(copies: np.ndarray) -> np.ndarray:
    """(...) whether each of copies (..., K) came to its end."""
    return np.asarray(np.isfinite(copies[..., COLUMN["distance"]]))


def objective_from(data: dict[str, Any]) -> Objective:
    """The objective that `data` told."""
    goals = tuple(Goal(**{**goal, "direction": tuple(goal["direction"])}) for goal in data["goals"])
    return Objective(goals, tuple(Limit(**limit) for limit in data["limits"]))


def _ratio(above: np.ndarray, below: np.ndarray) -> Score:
    """Of two means, with its error by linear propagation."""
    if not below.mean() > 0.0:
        return Score(math.inf, math.nan, below.size)
    value = float(above.mean() / below.mean())
    left = above - value * below
    error = float(left.std(ddof=1) / math.sqrt(below.size) / below.mean()) if below.size > 1 else math.nan
    return Score(value, error, below.size)


def _quantile(values: np.ndarray, share: float) -> tuple[float, float]:
    """The quantile and its error: half of the distance between those one deviation of the count to either side."""
    count = values.size
    aside = math.sqrt(share * (1.0 - share) / count)
    low, value, high = np.quantile(values, np.clip([share - aside, share, share + aside], 0.0, 1.0))
    return float(value), 0.5 * float(high - low) if count > 1 else math.nan
