"""A Trajectory: what a run gave, sample by sample, how it ended, and what is needed to go on from there."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from taut.errors import SelectionError, suggestion
from taut.structure.structure import Structure


@dataclass(frozen=True)
class Checkpoint:
    """Where a run stands, to the last bit: state, clock and counts of the time loop."""

    y: np.ndarray
    clock: np.ndarray
    counts: np.ndarray


SAMPLED = (
    *(
        "time",
        "nodes",
        "velocities",
        "cable_length",
        "cable_tension",
        "bar_force",
        "constraint_force",
        "reaction",
        "load_force",
    ),
    *("energy_kinetic", "energy_elastic", "energy_gravity", "work"),
    *("energy_violation", "length_violation", "rate_violation"),
)
"""The parts of a Trajectory that have one row a sample."""


def _place(kind: str, name: str, names: Iterable[str]) -> int:
    known = list(names)
    if name not in known:
        pieces = [other for other in known if other.startswith(f"{name}~")]
        hint = f"; it is cut into {', '.join(pieces)}" if pieces else suggestion(name, known)
        raise SelectionError(f'this trajectory has no {kind} "{name}"{hint}')
    return known.index(name)


@dataclass(frozen=True, repr=False)
class Trajectory:
    """Samples over time, SI units; T samples, n nodes, c cables, b bars, g constraints, s supported nodes, l loads.

    Forces are positive in tension; reactions act on the structure. `status` is "finished" or a sentence that says
    where and why the run stopped; what was computed until then is here. `history` (on request) has a row for every step
    tried: time, step, error as a fraction of what is allowed, 1 if accepted.
    """

    structure: Structure
    time: np.ndarray  # (T,)
    nodes: np.ndarray  # (T, n, 3)
    velocities: np.ndarray  # (T, n, 3)
    cable_length: np.ndarray  # (T, c)
    cable_tension: np.ndarray  # (T, c)
    bar_force: np.ndarray  # (T, b)
    constraint_force: np.ndarray  # (T, g)
    reaction: np.ndarray  # (T, s, 3)
    load_force: np.ndarray  # (T, l)
    energy_kinetic: np.ndarray  # (T,)
    energy_elastic: np.ndarray  # (T,)
    energy_gravity: np.ndarray  # (T,)
    work: np.ndarray  # (T,) of loads and dampers since the start
    energy_violation: np.ndarray  # (T,) energy - start energy - work
    length_violation: np.ndarray  # (T,) worst gap of a bar or constraint
    rate_violation: np.ndarray  # (T,) its rate
    status: str = "finished"
    checkpoint: Checkpoint = Checkpoint(np.empty(0), np.empty(0), np.empty(0))
    options: Mapping[str, Any] = field(default_factory=dict)
    counts: Mapping[str, int] = field(default_factory=dict)
    wall_time: float = 0.0
    notes: tuple[str, ...] = ()
    history: np.ndarray = field(default_factory=lambda: np.zeros((0, 4)), repr=False)
    load_names: tuple[str, ...] = ()
    model_text: str = field(default="", repr=False)

    @property
    def ok(self) -> bool:
        return self.status == "finished"

    @property
    def supports(self) -> tuple[str, ...]:
        """The supported nodes, in the order of `reaction`."""
        return tuple(node for node in self.structure.nodes if node in self.structure.supports)

    def __repr__(self) -> str:
        name = self.structure.name or "structure"
        reach = f"{self.time[0]:g} to {self.time[-1]:g} s" if self.time.size else "nothing"
        return f"<Trajectory of {name}: {self.time.size} samples, {reach}, {self.status}>"

    def node(self, name: str) -> np.ndarray:
        """Path of a node, (T, 3) [m]."""
        return np.asarray(self.nodes[:, _place("node", name, self.structure.nodes)])

    def tension(self, name: str) -> np.ndarray:
        """Tension of a cable, (T,) [N]."""
        return np.asarray(self.cable_tension[:, _place("cable", name, self.structure.cables)])

    def facts(self) -> dict[str, str]:
        """The summary as words and values."""
        counts = self.counts
        longest = float(np.max(self.length_violation, initial=0.0))
        work = float(self.work[-1]) if self.work.size else 0.0
        rows = {
            "status": self.status,
            "simulated": f"{self.time[-1] - self.time[0] if self.time.size else 0.0:g} s, {self.time.size} samples",
            "method": self._method(),
            "steps": f"{counts['steps']} ({counts['rejected']} rejected)",
            "evaluations": f"{counts['evaluations']}",
            "correction": f"{self.options['correction']}, {counts['iterations']} iterations",
            "worst bar length": f"{longest:.2e} m",
            "worst bar rate": f"{float(np.max(self.rate_violation, initial=0.0)):.2e} m/s",
            "worst energy": f"{float(np.max(np.abs(self.energy_violation), initial=0.0)):.2e} J",
            "energy": self._energy(),
            "work": f"{work:.6g} J",
            "wall time": f"{self.wall_time:.3g} s",
        }
        if counts["unbalanced"]:
            rows["not corrected"] = f"{counts['unbalanced']} states: the correction gave up there"
        for index, note in enumerate(self.notes):
            rows[f"note {index + 1}"] = note
        return rows

    def summary(self) -> str:
        """A table in plain text: steps, violations, work, time, status."""
        rows = self.facts()
        width = max(map(len, rows))
        return "\n".join(f"{name:<{width}}  {value}" for name, value in rows.items())

    def _method(self) -> str:
        step = self.options.get("step")
        return f"{self.options['method']}, " + (
            f"step {step:g} s" if step else f"tolerance {self.options['tolerance']:g}"
        )

    def _energy(self) -> str:
        if not self.time.size:
            return "-"
        ends = [f"{self.energy_kinetic[i] + self.energy_elastic[i] + self.energy_gravity[i]:.6g}" for i in (0, -1)]
        return f"{ends[0]} J at the start, {ends[1]} J at the end"


def on_grid(run: Trajectory, every: float) -> Trajectory:
    """The run without a last sample that only marks its end, between two that are `every` apart."""
    count = run.time[-1] / every
    if run.time.size < 2 or abs(count - round(count)) < 1e-6:
        return run
    cut: dict[str, Any] = {name: getattr(run, name)[:-1] for name in SAMPLED}
    return replace(run, **cut)


def appended(first: Trajectory, second: Trajectory) -> Trajectory:
    """The samples of two runs, the second of which went on where the first stopped, as one."""
    joined: dict[str, Any] = {name: np.concatenate([getattr(first, name), getattr(second, name)]) for name in SAMPLED}
    joined["history"] = np.concatenate([first.history, second.history])
    return replace(second, **joined, wall_time=first.wall_time + second.wall_time)
