"""What a film shows, whoever draws it: runs by their names, from where, how large, and the words over the picture."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Protocol

import numpy as np

from taut.dynamics.trajectory import Trajectory
from taut.output.page.layout import centre_of_mass
from taut.output.plot.views import flat_plane

VIEWS = {"xy": (-90.0, 90.0), "xz": (-90.0, 0.0), "yz": (0.0, 0.0), "askew": (-62.0, 20.0)}
"""Where the viewer stands: angle about z and above the floor [deg]."""

FAR = 2.5
"""A run that spreads over so many times the size of its structure is followed."""

Rows = tuple[int, int, float]
"""Two samples of a run, and the share of the second."""


class Frames(Protocol):
    """Who draws."""

    @property
    def given(self) -> tuple[str, ...]:
        """What its pictures are, in the words of ffmpeg."""

    def drawn(self, time: float) -> bytes:
        """The picture of a time."""


@dataclass(frozen=True)
class Shot:
    """Runs by the names to show, with the size of pictures [px], what `VIEWS` calls the view, and the speed."""

    runs: Mapping[str, Trajectory]
    size: tuple[int, int]
    asked_view: str = ""
    speed: float = 1.0

    @property
    def first(self) -> Trajectory:
        """The one that is followed, and whose structure names the film."""
        return next(iter(self.runs.values()))

    @property
    def begin(self) -> float:
        return min(float(run.time[0]) for run in self.runs.values())

    @property
    def end(self) -> float:
        return max(float(run.time[-1]) for run in self.runs.values())

    @cached_property
    def view(self) -> str:
        """As asked, else what shows most."""
        if self.asked_view:
            return self.asked_view
        planes = {flat_plane(run.nodes) for run in self.runs.values()}
        return (planes.pop() if len(planes) == 1 else "") or "askew"

    @cached_property
    def follows(self) -> bool:
        """Whether the centre of mass of the first stays where it is in the picture."""
        nodes = self.first.nodes
        spread = np.ptp(nodes.reshape(-1, 3), axis=0).max()
        return bool(spread > FAR * max(np.ptp(nodes[0], axis=0).max(), 1e-300))

    @property
    def title(self) -> str:
        return self.first.structure.name or "tensegrity structure"

    @property
    def told_speed(self) -> str:
        """Nothing at real time."""
        return "" if self.speed == 1.0 else f"{self.speed:g} x"

    def clock(self, time: float) -> str:
        return f"t = {time:.{self._decimals}f} s"

    @cached_property
    def _decimals(self) -> int:
        """Two, and more where a film shows less than a second."""
        span = self.end - self.begin
        return int(np.clip(2.0 - np.floor(np.log10(span)), 2, 6)) if span > 0.0 else 2

    def legend(self, time: float) -> list[str]:
        """The names of several runs; of those that have ended before the others it says when."""
        late = 1e-9 * (self.end - self.begin)
        ended = [float(run.time[-1]) < min(time, self.end) - late for run in self.runs.values()]
        last = [self.clock(float(run.time[-1])).removeprefix("t = ") for run in self.runs.values()]
        return [
            f"{name}, ended at {when}" if over else name
            for name, when, over in zip(self.runs, last, ended, strict=True)
        ]

    def drift(self, times: np.ndarray) -> np.ndarray:
        """(T, 3) [m] the way of what is followed since the origin; zero where nothing is."""
        if not self.follows:
            return np.zeros((len(times), 3))
        run = self.first
        centre = centre_of_mass(run.structure, run.nodes)
        return np.stack([np.interp(times, run.time, centre[:, axis]) for axis in range(3)], axis=1)


def samples_beside(run: Trajectory, times: np.ndarray) -> np.ndarray:
    """The samples that a film of these times is made of: those before and after each, the first and the last."""
    last = run.time.size - 1
    after = np.clip(np.searchsorted(run.time, times), 0, last)
    return np.unique(np.concatenate([[0, last], np.maximum(after - 1, 0), after]))


def rows_at(run: Trajectory, time: float) -> Rows:
    """The samples around a time; before the first and after the last a run stays where it is."""
    after = int(np.clip(np.searchsorted(run.time, time), 1, max(run.time.size - 1, 1)))
    before = after - 1 if run.time.size > 1 else (after := 0)
    span = run.time[after] - run.time[before]
    return before, after, float(np.clip((time - run.time[before]) / span, 0.0, 1.0)) if span > 0.0 else 0.0


def between(values: np.ndarray, rows: Rows) -> np.ndarray:
    """In proportion between two samples; those that are not needed are not asked, since they may not be numbers."""
    before, after, share = rows
    if not share:
        return np.asarray(values[before])
    if share == 1.0:
        return np.asarray(values[after])
    return np.asarray(values[before] + share * (values[after] - values[before]))
