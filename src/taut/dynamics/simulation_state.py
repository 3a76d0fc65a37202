"""What a simulation that is stepped goes on from, and the samples it has kept on the way."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from taut.dynamics.trajectory import Checkpoint, Trajectory
from taut.dynamics.workspace import TIME
from taut.structure.events import Event


class Record:
    """Samples in order, in arrays that grow; several states can share those that came before them."""

    def __init__(self, times: np.ndarray, states: np.ndarray) -> None:
        self.times, self.states, self.used = times, states, times.size

    def after(self, count: int, time: float, y: np.ndarray) -> Record:
        """The first samples and one more: itself where nothing followed them, else one of its own."""
        if count != self.used:
            return Record(self.times[:count].copy(), self.states[:count].copy()).after(count, time, y)
        if count == len(self.times):
            more = max(256, count)
            self.times = np.concatenate([self.times, np.empty(more)])
            self.states = np.concatenate([self.states, np.empty((more, y.size))])
        self.times[count], self.states[count] = time, y
        self.used = count + 1
        return self


@dataclass(frozen=True)
class Course:
    """How a simulation came to where it stands: its steps, its samples and its events."""

    record: Record
    kept: int = 0  # of the record's samples
    parts: tuple[Trajectory, ...] = ()  # what was read off before something was cut
    events: tuple[Event, ...] = ()
    since: float = 0.0  # steps of one length are counted from here [s]
    count: int = 0
    length: float = 0.0  # of those steps [s]
    steps: int = 0
    ended: str = ""


@dataclass(frozen=True, repr=False)
class SimulationState:
    """All that a Simulation goes on from: to be kept, restored, and tried from again."""

    point: Checkpoint
    course: Course
    physics: str  # the plant's fingerprint

    @property
    def time(self) -> float:
        """[s]."""
        return float(self.point.clock[TIME])

    def __repr__(self) -> str:
        return f"<SimulationState at t = {self.time:g} s>"
