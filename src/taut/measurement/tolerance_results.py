"""Tolerances: how tensions and places of many builds of a structure scatter, and how many builds hold their limits."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from taut.errors import OptionError
from taut.labelled import Labelled, Tabular, Variable
from taut.measurement.limits import Limits, wilson
from taut.measurement.propagation import LinearScatter
from taut.measurement.scatter import Scatter, built
from taut.reprs import titled
from taut.statics.linearised import Linearised
from taut.structure.labels import member_names
from taut.structure.structure import Structure

OFF = 0.05
"""Linear propagation is called off where a standard deviation is by this part another ..."""

SURE = 4.0
"""... and by so many standard errors of it."""

VARIABLES = {
    "nominal": Variable(("member",), "N", "force of each member as designed, positive in tension"),
    "mean": Variable(("member",), "N", "mean over the builds"),
    "deviation": Variable(("member",), "N", "standard deviation over the builds"),
    "linear_deviation": Variable(("member",), "N", "standard deviation by linear propagation"),
    "low": Variable(("member",), "N", "2.5 % of the builds have less"),
    "median": Variable(("member",), "N", "half of the builds have less"),
    "high": Variable(("member",), "N", "2.5 % of the builds have more"),
    "slack_share": Variable(("member",), "1", "of the builds, in which the member is slack"),
    "broken_share": Variable(("member",), "1", "of the builds, in which the member is beyond a limit"),
}


@dataclass(frozen=True, repr=False)
class Tolerances(Tabular):
    """N builds of a structure of m members (cables first) and n nodes, SI units, tension positive.

    status: of each build, "balanced", "slack" (balanced, with a cable that is slack) or "not balanced", for which its
        numbers are NaN and its limits do not hold.
    linear: standard deviations by linear propagation.
    """

    structure: Structure
    nominal: np.ndarray  # (m,) [N]
    tension: np.ndarray  # (N, m) [N]
    nodes: np.ndarray  # (N, n, 3) [m]
    status: np.ndarray  # (N,) words
    linear: LinearScatter
    limits: Limits
    scatter: Scatter
    view: Linearised = field(repr=False)  # the equilibrium as designed, and its tangent
    notes: tuple[str, ...] = ()

    @cached_property
    def members(self) -> tuple[str, ...]:
        """As selectors name them."""
        return tuple(member_names(self.structure))

    @cached_property
    def balanced(self) -> np.ndarray:
        """(N,) whether a build found a balance."""
        return np.asarray(self.status != "not balanced")

    @cached_property
    def mean(self) -> np.ndarray:
        """(m,) of tensions over the balanced builds [N]."""
        return np.asarray(self.tension[self.balanced].mean(axis=0))

    @cached_property
    def deviation(self) -> np.ndarray:
        """(m,) standard deviation of tensions over the balanced builds [N]."""
        return np.asarray(self.tension[self.balanced].std(axis=0, ddof=1))

    @cached_property
    def node_deviation(self) -> np.ndarray:
        """(n, 3) standard deviation of places over the balanced builds [m]."""
        return np.asarray(self.nodes[self.balanced].std(axis=0, ddof=1))

    def quantile(self, share: float) -> np.ndarray:
        """(m,) the tension that this share of the balanced builds is below [N]."""
        if not 0.0 <= share <= 1.0:
            raise OptionError(f"share = {share!r} must be from 0 to 1")
        return np.asarray(np.quantile(self.tension[self.balanced], share, axis=0))

    @cached_property
    def broken(self) -> np.ndarray:
        """(N, m) True where a member of a balanced build is beyond a limit."""
        return np.asarray(self.limits.broken(self.tension) & self.balanced[:, None])

    @cached_property
    def holds(self) -> np.ndarray:
        """(N,) whether a build found a balance in which every limit holds."""
        return np.asarray(self.balanced & ~self.broken.any(axis=1))

    @property
    def share(self) -> float:
        """Of the builds that hold their limits."""
        return float(self.holds.mean())

    @property
    def share_interval(self) -> tuple[float, float]:
        """In which the share of all builds that could be made lies, with a confidence of 95 %."""
        return wilson(int(self.holds.sum()), self.holds.size)

    @cached_property
    def differs(self) -> np.ndarray:
        """(m,) where the scatter is another than by linear propagation: by more than 5 % and than chance explains."""
        tension = self.tension[self.balanced]
        variance = self.deviation**2
        fourth = ((tension - self.mean) ** 4).mean(axis=0)
        error = np.sqrt(np.maximum(fourth - variance**2, 0.0) / len(tension))
        off = np.abs(self.deviation - self.linear.tension) > OFF * np.maximum(self.deviation, self.linear.tension)
        return np.asarray(off & (np.abs(variance - self.linear.tension**2) > SURE * error))

    def build(self, number: int) -> Structure:
        """The structure of a build, counted from 0, where it stands; its masses are those of the design."""
        if not 0 <= number < self.status.size:
            raise OptionError(f"there is no build {number}; they are counted from 0 to {self.status.size - 1}")
        if not self.balanced[number]:
            raise OptionError(f"build {number} found no balance, so there is no place where it stands")
        return built(self.view, self.scatter.drawn(self.view, [number]), self.nodes[number])

    def labelled(self) -> Labelled:
        """One row a member."""
        slack = (self.tension <= 0.0) & self.view.problem.network.unilateral
        values = {
            **{name: getattr(self, name) for name in ("nominal", "mean", "deviation")},
            "linear_deviation": self.linear.tension,
            **dict(zip(("low", "median", "high"), map(self.quantile, (0.025, 0.5, 0.975)), strict=True)),
            "slack_share": slack.mean(axis=0),
            "broken_share": self.broken.mean(axis=0),
        }
        return Labelled(("member",), {"member": self.members}, VARIABLES, values, {"notes": "; ".join(self.notes)})

    def __repr__(self) -> str:
        name = self.structure.name or "structure"
        return titled("Tolerances", name, f"{self.status.size} builds", f"{self.share:.4g} of them hold their limits")
