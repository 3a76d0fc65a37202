"""When two runs part that differ in their accuracy alone, and how fast they do."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from taut.reprs import brief

CHAOTIC = 1e3
"""A difference that grows by this factor or more over a run, and steadily, grows like an exponential."""


@dataclass(frozen=True)
class Predictability:
    """How far a run and a finer one are apart, and until when the run can be trusted.

    difference: (T,) the largest distance of a node from itself in the other run [m], at the samples' times.
    level: the distance at which the two have parted [m]. horizon: when they do [s], inf where they did not.
    tenfold: how long the difference takes to grow tenfold [s] while it is below the level; inf where it does not grow
        like that. finer: what the second run had, such as "tolerance 1e-09".
    """

    time: np.ndarray
    difference: np.ndarray
    level: float
    horizon: float
    tenfold: float
    finer: str

    __repr__ = brief

    def __str__(self) -> str:
        grows = f"; the difference grows tenfold every {self.tenfold:.2g} s" if math.isfinite(self.tenfold) else ""
        if math.isfinite(self.horizon):
            return f"until {self.horizon:.3g} s, where a run with {self.finer} is {self.level:.2g} m away{grows}"
        if self.difference.size == 0:
            return "nothing to compare"
        last = float(self.difference[-1])
        told = f"to the end: a run with {self.finer} is at most {self.difference.max():.1e} m away"
        if not grows or last <= 0.0:
            return told
        further = float(self.time[-1]) + self.tenfold * math.log10(self.level / last)
        return f"{told}{grows}, so the horizon is at about {further:.2g} s"


def distance(nodes: np.ndarray, others: np.ndarray) -> np.ndarray:
    """(T,) the largest distance of a node from itself in another run, (T, n, 3) each."""
    return np.asarray(np.linalg.norm(nodes - others, axis=2).max(axis=1, initial=0.0))


def compared(time: np.ndarray, difference: np.ndarray, level: float, finer: str) -> Predictability:
    """When two runs part, from how far they are apart at those times."""
    apart = np.flatnonzero(difference > level)
    horizon = math.inf
    if apart.size:
        k = int(apart[0])
        before, after = max(difference[k - 1], 1e-300) if k else level, difference[k]
        share = math.log(level / before) / math.log(after / before) if after > before and k else 0.0
        horizon = float(time[k - 1] + share * (time[k] - time[k - 1])) if k else float(time[0])
    return Predictability(time, difference, level, horizon, _tenfold(time, difference, level), finer)


def _tenfold(time: np.ndarray, difference: np.ndarray, level: float) -> float:
    """How long a difference takes to grow tenfold, by a line through its logarithms up to the level."""
    end = int(np.argmax(difference > level)) if np.any(difference > level) else difference.size
    kept = (np.arange(difference.size) < end) & (difference > 0.0)
    t, logs = time[kept], np.log10(np.where(difference > 0.0, difference, 1.0))[kept]
    if t.size < 8:
        return math.inf
    # The envelope: a difference that swings through zero has not become small.
    logs = np.maximum.accumulate(logs)
    half = t >= 0.5 * (t[0] + t[-1])  # an algebraic growth has slowed down by then
    slope = float(np.polyfit(t, logs, 1)[0])
    late = float(np.polyfit(t[half], logs[half], 1)[0]) if np.count_nonzero(half) >= 4 else 0.0
    grown = slope * (t[-1] - t[0])
    if grown < math.log10(CHAOTIC) or late < 0.5 * slope:
        return math.inf
    return 1.0 / slope
