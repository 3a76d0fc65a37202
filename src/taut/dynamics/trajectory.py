"""A Trajectory: what a run gave, sample by sample, how it ended, and what is needed to go on from there."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from typing import Any

import numpy as np

from taut.dynamics.samples import VARIABLES
from taut.errors import OptionError, SelectionError, suggestion
from taut.labelled import Labelled, Tabular
from taut.reprs import brief, titled
from taut.structure.events import COLLISIONS, Event
from taut.structure.labels import labels_of
from taut.structure.structure import Structure


@dataclass(frozen=True)
class Checkpoint:
    """Where a run stands, to the last bit: state, clock and counts of the time loop, and what slackened by then."""

    y: np.ndarray
    clock: np.ndarray
    counts: np.ndarray
    flags: np.ndarray = field(default_factory=lambda: np.empty(0))  # of everything that is watched
    memory: np.ndarray = field(default_factory=lambda: np.empty(0))  # of controllers

    __repr__ = brief

    def copied(self) -> Checkpoint:
        """With arrays of its own."""
        return Checkpoint(*(array.copy() for array in (self.y, self.clock, self.counts, self.flags, self.memory)))


NOWHERE = Checkpoint(np.empty(0), np.empty(0), np.empty(0))
"""Of what cannot be continued."""

FEW = 3
"""So many events are named in a summary."""

SAMPLED = tuple(VARIABLES)
"""The parts of a Trajectory that have one row a sample."""


def _place(kind: str, name: str, names: Iterable[str]) -> int:
    known = list(names)
    if name not in known:
        pieces = [other for other in known if other.startswith(f"{name}~")]
        hint = f"; it is cut into {', '.join(pieces)}" if pieces else suggestion(name, known)
        raise SelectionError(f'this trajectory has no {kind} "{name}"{hint}')
    return known.index(name)


@dataclass(frozen=True)
class Overall:
    """What a run's summary says of all its samples, so that it can be said without having them all in hand."""

    samples: int = 0
    begin: float = 0.0
    end: float = 0.0
    worst_length: float = 0.0
    worst_rate: float = 0.0
    worst_energy: float = 0.0
    first_energy: float = 0.0
    last_energy: float = 0.0
    work: float = 0.0
    most_kinetic: float = 0.0
    least_elastic: float = math.inf
    most_elastic: float = -math.inf
    most_work: float = 0.0

    @property
    def energy_in_play(self) -> float:
        """What moved between its forms, or in and out [J]: what an imbalance is to be compared with."""
        return self.most_kinetic + max(self.most_elastic - self.least_elastic, 0.0) + self.most_work


@dataclass(frozen=True, repr=False)
class Trajectory(Tabular):
    """Samples over time, SI units; T samples, n nodes, c cables, b bars, g constraints, a angles, s supported nodes, l
    loads, d driven members, p contacts that there can be, m sensors.

    A plant in other coordinates than its nodes' has k of them, and r constraints among them; what does not apply has no
    columns.

    Forces are positive in tension; reactions act on the structure. `status` is "finished", or a sentence that begins
    with it where an event ended the run, or one that says where and why it stopped; what was computed until then is
    here. `sound` is False where the run finished but is not to be believed, for a reason that is among the `notes`.
    `events` are the instants at which cables slackened and tightened, what was watched, what touched and left grounds,
    and members that collided, which are `collisions` too. `history` (on request) has a row for every step tried: time,
    step, error as a fraction of what is allowed, 1 if accepted.
    """

    structure: Structure
    time: np.ndarray  # (T,)
    nodes: np.ndarray  # (T, n, 3)
    velocities: np.ndarray  # (T, n, 3)
    cable_length: np.ndarray  # (T, c)
    cable_tension: np.ndarray  # (T, c)
    bar_force: np.ndarray  # (T, b)
    constraint_force: np.ndarray  # (T, g)
    angle_torque: np.ndarray  # (T, a) positive where it turns the angle up
    reaction: np.ndarray  # (T, s, 3)
    load_force: np.ndarray  # (T, l)
    drive_value: np.ndarray  # (T, d) what is driven [m]
    drive_rate: np.ndarray  # (T, d)
    drive_force: np.ndarray  # (T, d) in the driven member
    drive_power: np.ndarray  # (T, d)
    contact_force: (
        np.ndarray
    )  # (T, p, 3) of the ground on the structure; with a rigid one the mean over the step before
    contact_state: np.ndarray  # (T, p) 0 open, 1 sticking, 2 sliding
    reading: np.ndarray  # (T, m) what each sensor showed last
    energy_kinetic: np.ndarray  # (T,)
    energy_elastic: np.ndarray  # (T,)
    energy_gravity: np.ndarray  # (T,)
    work: np.ndarray  # (T,) of loads, dampers, moved supports, drives, contacts and cuts since the start
    energy_violation: np.ndarray  # (T,) energy - start energy - work
    length_violation: np.ndarray  # (T,) worst residual of a bar or constraint
    rate_violation: np.ndarray  # (T,) its rate
    coordinate: np.ndarray  # (T, k)
    coordinate_rate: np.ndarray  # (T, k)
    multiplier: np.ndarray  # (T, r)
    element_output: np.ndarray  # (T, e) what elements of kinds from outside show, named in element_names
    status: str = "finished"
    sound: bool = True  # False where a comparison with another run, or the energy, says not to believe it
    accuracy: str = ""  # how far it is off, in words, where that was looked at
    checkpoint: Checkpoint = NOWHERE
    options: Mapping[str, Any] = field(default_factory=dict)
    counts: Mapping[str, int] = field(default_factory=dict)
    wall_time: float = 0.0
    notes: tuple[str, ...] = ()
    events: tuple[Event, ...] = ()
    horizon: str = ""  # until when it can be trusted, in words, where that was asked for
    history: np.ndarray = field(default_factory=lambda: np.zeros((0, 4)), repr=False)
    load_names: tuple[str, ...] = ()
    drive_names: tuple[str, ...] = ()
    sensor_names: tuple[str, ...] = ()
    contact_names: tuple[str, ...] = ()
    element_names: tuple[str, ...] = ()
    earlier: Overall = Overall()  # of samples that went to a sink and are not here
    model_text: str = field(default="", repr=False)

    @property
    def ok(self) -> bool:
        """Whether it finished and can be believed."""
        return self.finished and self.sound

    @property
    def finished(self) -> bool:
        """Whether it reached its end, or an event that was to end it."""
        return self.status.startswith("finished")

    @property
    def collisions(self) -> tuple[Event, ...]:
        """Those of its events at which members passed through or touched one another."""
        return tuple(event for event in self.events if event.change in COLLISIONS)

    @property
    def supports(self) -> tuple[str, ...]:
        """The supported nodes, in the order of `reaction`."""
        return tuple(self.structure.supported_nodes)

    def __repr__(self) -> str:
        name = self.structure.name or "structure"
        reach = f"{self.time[0]:g} to {self.time[-1]:g} s" if self.time.size else "nothing"
        return titled("Trajectory", name, f"{self.time.size} samples", reach, self.status)

    def labelled(self) -> Labelled:
        """One row a sample."""
        own: dict[str, Any] = {"loaded": self.load_names, "drive": self.drive_names, "element": self.element_names}
        own |= {"sensor": self.sensor_names, "contact": self.contact_names}
        own |= {"freedom": range(self.coordinate.shape[1]), "condition": range(self.multiplier.shape[1])}
        return Labelled(
            ("time",),
            {"time": self.time, **labels_of(self.structure), **own},
            VARIABLES,
            {name: getattr(self, name) for name in SAMPLED},
            {"status": self.status, "notes": "; ".join(self.notes)},
        )

    def node(self, name: str) -> np.ndarray:
        """Path of a node, (T, 3) [m]."""
        return np.asarray(self.nodes[:, _place("node", name, self.structure.nodes)])

    def tension(self, name: str) -> np.ndarray:
        """Tension of a cable, (T,) [N]."""
        require_kept(self, "tensions are looked up", "cable_tension")
        return np.asarray(self.cable_tension[:, _place("cable", name, self.structure.cables)])

    @property
    def drive_work(self) -> np.ndarray:
        """(T, d) of each drive since the first sample [J]: the integral of its power, by trapezoids between samples.

        As good as samples are close, and without the work of jumps; `work`, of everything together, is exact.
        """
        parts = 0.5 * np.diff(self.time)[:, None] * (self.drive_power[1:] + self.drive_power[:-1])
        return np.concatenate([np.zeros_like(self.drive_power[:1]), np.cumsum(parts, axis=0)])

    def scalar(self, name: str) -> np.ndarray:
        """(T,) an energy, a violation or the work; not numbers where it was not kept, as of variants of a rollout."""
        values = np.asarray(getattr(self, name))
        return values if values.ndim == 1 else np.full(self.time.size, np.nan)

    @property
    def overall(self) -> Overall:
        """Extremes over the whole run, with what went to a sink; not numbers where that was not kept."""
        before = self.earlier
        if not self.time.size:
            return before
        kinetic, elastic, work = map(self.scalar, ("energy_kinetic", "energy_elastic", "work"))
        energy = kinetic + elastic + self.scalar("energy_gravity")
        return Overall(
            samples=before.samples + self.time.size,
            begin=before.begin if before.samples else float(self.time[0]),
            end=float(self.time[-1]),
            worst_length=float(np.max(self.scalar("length_violation"), initial=before.worst_length)),
            worst_rate=float(np.max(self.scalar("rate_violation"), initial=before.worst_rate)),
            worst_energy=float(np.max(np.abs(self.scalar("energy_violation")), initial=before.worst_energy)),
            first_energy=before.first_energy if before.samples else float(energy[0]),
            last_energy=float(energy[-1]),
            work=float(work[-1]),
            most_kinetic=float(np.max(kinetic, initial=before.most_kinetic)),
            least_elastic=float(np.min(elastic, initial=before.least_elastic)),
            most_elastic=float(np.max(elastic, initial=before.most_elastic)),
            most_work=float(np.max(np.abs(work), initial=before.most_work)),
        )

    def facts(self) -> dict[str, str]:
        """The summary as words and values; a variant of an ensemble has fewer."""
        counts, overall, options = self.counts, self.overall, self.options
        rows = {
            "status": self.status if self.sound else f"{self.status}, but not to be believed: see the notes",
            "simulated": f"{overall.end - overall.begin:g} s, {overall.samples} samples",
        }
        if "method" in options:
            rows["method"] = self._method()
        if counts:
            rows["steps"] = f"{counts['steps']} ({counts['rejected']} rejected)"
            rows["evaluations"] = f"{counts['evaluations']}"
        if "correction" in options:
            more = f", {counts['iterations']} iterations" if counts else ""
            rows["correction"] = f"{options['correction']}{more}"
        told = {
            "worst bar length": (overall.worst_length, f"{overall.worst_length:.2e} m"),
            "worst bar rate": (overall.worst_rate, f"{overall.worst_rate:.2e} m/s"),
            "worst energy": (overall.worst_energy, f"{overall.worst_energy:.2e} J"),
            "energy": (
                overall.last_energy,
                f"{overall.first_energy:.6g} J at the start, {overall.last_energy:.6g} J at the end",
            ),
            "work": (overall.work, f"{overall.work:.6g} J"),
            "wall time": (self.wall_time if counts else math.nan, f"{self.wall_time:.3g} s"),
        }
        rows |= {name: words for name, (number, words) in told.items() if not math.isnan(number)}
        if self.events:
            first = "; ".join(map(str, self.events[:FEW]))
            rows["events"] = f"{len(self.events)}: {first}{'; ...' if len(self.events) > FEW else ''}"
        if self.accuracy:
            rows["accuracy"] = self.accuracy
        if self.horizon:
            rows["horizon"] = self.horizon
        if counts.get("unbalanced"):
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


def of_samples(structure: Structure, samples: Mapping[str, Any]) -> Trajectory:
    """A trajectory of samples alone, by name; what is not named does not apply and has no columns."""
    count = len(samples["time"])
    none = {name: np.zeros((count, *shape)) for name, shape in no_columns().items() if name not in samples}
    return Trajectory(structure=structure, **{**none, **samples})


@cache
def no_columns() -> dict[str, tuple[int, ...]]:
    """Of every variable, the shape of a sample that has none of it."""
    return {
        name: tuple(3 if axis == "axis" else 0 for axis in one.dimensions[1:]) or (0,)
        for name, one in VARIABLES.items()
    }


def require_kept(run: Trajectory, what: str, *fields: str) -> None:
    """Raise OptionError where an ensemble kept too few fields of a variant. what: is done by them, in words."""
    there: dict[str, Collection[str]] = {"velocities": run.structure.nodes, "cable_tension": run.structure.cables}
    there |= dict.fromkeys(("drive_rate", "drive_force", "drive_power"), run.drive_names)
    there |= {"contact_state": run.contact_names}
    missing = [name for name in fields if there[name] and not getattr(run, name).shape[1]]
    if missing and run.time.size:
        which = "them" if len(missing) > 1 else "it"
        raise OptionError(f"{what} by {' and '.join(missing)}; name {which} in the `fields` of the ensemble")


def samples_of(run: Trajectory, kept: slice = slice(None)) -> Trajectory:
    """The samples of a run, or some of them, and nothing else."""
    return of_samples(run.structure, {name: getattr(run, name)[kept] for name in SAMPLED})


def joined(parts: Sequence[Trajectory]) -> Trajectory:
    """The samples of several trajectories as one; all else is that of the last."""
    if len(parts) == 1:
        return parts[0]
    every: dict[str, Any] = {name: np.concatenate([getattr(part, name) for part in parts]) for name in SAMPLED}
    return replace(parts[-1], **every)


def on_grid(run: Trajectory, every: float) -> Trajectory:
    """The run without a last sample that only marks its end, between two that are `every` apart."""
    count = run.time[-1] / every
    if run.time.size < 2 or abs(count - round(count)) < 1e-6:
        return run
    cut: dict[str, Any] = {name: getattr(run, name)[:-1] for name in SAMPLED}
    return replace(run, **cut)


def appended(first: Trajectory, second: Trajectory) -> Trajectory:
    """Two runs, the second of which went on where the first stopped, as one."""
    history = np.concatenate([first.history, second.history])
    return replace(
        joined([first, second]),
        history=history,
        events=first.events + second.events,
        wall_time=first.wall_time + second.wall_time,
    )
