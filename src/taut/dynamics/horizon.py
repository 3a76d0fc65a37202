"""The horizon of predictability, until which a run can be trusted: the run once more, finer, and when the two part.

Small violations of lengths and energy do not mean that a motion is right: a chaotic one keeps both to round-off and is
yet another motion after a while. What tells is how fast two runs drift apart that differ in their tolerance only.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from taut.dynamics.correction import Correction
from taut.dynamics.driver import Progress
from taut.dynamics.setup import LEAST_TOLERANCE
from taut.dynamics.simulating import simulate
from taut.dynamics.trajectory import Trajectory
from taut.errors import OptionError
from taut.mechanics.plant_protocol import PlantProtocol
from taut.reprs import brief
from taut.type_checks import checked_arguments

PART = 0.01
"""Two runs have parted when a node is this fraction of a mean member away from itself."""

FINER = 10.0
"""The tolerance of the second run is finer by this factor; a fixed step is halved."""

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


@checked_arguments
def predictability(
    plant: PlantProtocol, run: Trajectory, *, part: float = PART, progress: Progress | None = None
) -> Predictability:
    """Repeat a run of a plant with a finer tolerance (or half the step) and see when the two part.

    part: the distance at which they have parted, as a fraction of the mean member length.
    """
    if not part > 0.0:
        raise OptionError(f"part {part} must be more than zero")
    if not run.ok:
        raise OptionError(f"the run did not reach its end ({run.status}), so it has no horizon")
    if run.time.size < 2:
        raise OptionError("the run has no samples to compare; run it longer, or without a sink")
    other, finer = finer_run(plant, run.options, float(run.time[-1]), progress)
    count = min(run.time.size, other.time.size)
    return compared(run.time[:count], run.nodes[:count], other.nodes[:count], part * mean_member(run), finer)


def finer_run(
    plant: PlantProtocol, options: Mapping[str, Any], duration: float, progress: Progress | None = None
) -> tuple[Trajectory, str]:
    """The same run with a tenth of the tolerance, or half the step, and what that is."""
    given: dict[str, Any] = {name: options[name] for name in ("method", "every", "samples", "locate")}
    if options.get("step") is not None:
        given["step"] = options["step"] / 2.0
        finer = f"step {given['step']:g} s"
    elif options["tolerance"] / FINER < LEAST_TOLERANCE:
        raise OptionError(
            f"a tolerance of {options['tolerance']:g} leaves no room for a finer run; take {FINER * LEAST_TOLERANCE:g} "
            "or more"
        )
    else:
        given["tolerance"] = options["tolerance"] / FINER
        finer = f"tolerance {given['tolerance']:g}"
    return simulate(plant, duration, correction=Correction.of_options(options), progress=progress, **given), finer


def mean_member(run: Trajectory) -> float:
    """Mean length of the members at the start of a run [m]."""
    structure = run.structure
    places = structure.positions
    index = {name: i for i, name in enumerate(structure.nodes)}
    ends = [bar.nodes for bar in structure.bars.values()]
    ends += [(cable.route[0], cable.route[-1]) for cable in structure.cables.values()]
    if not ends:
        return float(np.ptp(places, axis=0).max(initial=0.0)) or 1.0
    return float(np.mean([np.linalg.norm(places[index[a]] - places[index[b]]) for a, b in ends]))


def compared(time: np.ndarray, nodes: np.ndarray, others: np.ndarray, level: float, finer: str) -> Predictability:
    """Two runs on the same times, (T, n, 3) each."""
    difference = np.linalg.norm(nodes - others, axis=2).max(axis=1, initial=0.0)
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
