"""A Simulation: a plant followed step by step by whoever observes it and decides, on the same loop as a run.

A step ends as a run ends at a break, and the next begins as a run goes on from there, so that steps with inputs that
hold give the same bits as one run with those inputs as StepSignals.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from taut.dynamics import time_loop as loop
from taut.dynamics import workspace as at
from taut.dynamics.correction import STARTED
from taut.dynamics.drive_limits import drive_facts
from taut.dynamics.driver import status_of
from taut.dynamics.inputs import Inputs
from taut.dynamics.member_collisions import Collisions, collision_notes, telescoping
from taut.dynamics.run_surroundings import surroundings
from taut.dynamics.settings import Settings, prepared
from taut.dynamics.setup import Run, remember
from taut.dynamics.simulating import counts_of, reached_by, read_off
from taut.dynamics.simulation_state import Course, Record, SimulationState
from taut.dynamics.step_events import notes_at_steps
from taut.dynamics.trajectory import Trajectory, joined
from taut.errors import MotionError, OptionError
from taut.mechanics.conserving.conserving_plant import effort_notes
from taut.mechanics.contact.facts import contact_notes
from taut.mechanics.imposed.support_drifts import drift_notes
from taut.mechanics.operations.observation import sense
from taut.mechanics.plant import Plant
from taut.mechanics.plant_protocol import PlantProtocol
from taut.mechanics.points.generalised import passing_notes
from taut.numerics.compiled import direct

BUDGET = 100_000
"""Steps of the method in one call, after which Ctrl-C is heard."""

NOT_COMPARED = "was stepped by hand, and nothing compares it with another run"


class Simulation:
    """A plant that is stepped; made by `taut.start`.

    inputs: names of what can be commanded, in the order of arrays. outputs: names of what `step` and `observe` return.
    """

    _course: Course
    _record: Record
    _kept: int
    _since: float
    _count: int
    _length: float
    _steps: int

    def __init__(
        self, settings: Settings, inputs: Inputs, outputs: Sequence[str], options: Mapping[str, Any], *, keep: bool
    ) -> None:
        self._settings, self._in, self._options, self._keep = settings, inputs, options, keep
        self._outputs = tuple(outputs)
        self._size = settings.plant.coordinates
        run, self._point, self.notes = prepared(settings)
        self._times, self._states = np.zeros(2), np.zeros((2, self._point.y.size))
        self._take(run)
        names = settings.plant.sensor_names
        self._readings = np.zeros(len(names))
        self._chosen = [names.index(name) for name in outputs] if names and self._nodal else []
        self._go_by(Course(self._no_record()))

    def _take(self, run: Run) -> None:
        """Look up once what every step needs."""
        point = self._point
        self._run, self._coming = run, run.plant.coming(run.tables)
        self._fixed = (run.handed, run.method.numbers, run.rules, run.plant.breaks)
        self._loop = direct(
            run.words["time_loop"],
            *(*self._fixed, point.clock, point.counts, point.y, self._times, self._states, run.space, BUDGET),
        )
        self._nodal = run.plant if isinstance(run.plant, Plant) else None

    # --- what it is

    @property
    def plant(self) -> PlantProtocol:
        return self._settings.plant

    @property
    def inputs(self) -> tuple[str, ...]:
        """What can be commanded: loads and drives by name, in the order of arrays."""
        return self._in.names

    @property
    def outputs(self) -> tuple[str, ...]:
        """What is observed, in the order of `observe`."""
        return self._outputs

    @property
    def time(self) -> float:
        """[s]."""
        return float(self._point.clock[at.TIME])

    @property
    def ended(self) -> str:
        """Why it cannot be stepped further: an event that was to stop it, or a step that failed; empty while it can."""
        return self._course.ended

    @property
    def nodes(self) -> np.ndarray:
        """(n, 3) positions now [m]."""
        if self._nodal is None:
            return np.array(self._seen.nodes[0])
        return self._point.y[: self.plant.coordinates].reshape(-1, 3).copy()

    @property
    def velocities(self) -> np.ndarray:
        """(n, 3) [m/s]."""
        if self._nodal is None:
            return np.array(self._seen.velocities[0])
        size = self.plant.coordinates
        return self._point.y[size : 2 * size].reshape(-1, 3).copy()

    @property
    def _seen(self) -> Trajectory:
        """What is read off the state now."""
        now = np.array([self.time]), self._point.y[None]
        return read_off(self.plant, self._run.tables, *now, float(self._point.clock[at.REFERENCE]))

    @property
    def command(self) -> dict[str, float]:
        """What every input was set to last."""
        return self._in.named(self._coming)

    def __repr__(self) -> str:
        name = self.plant.structure.name or "structure"
        return f"<Simulation of {name} at t = {self.time:g} s: {len(self.inputs)} inputs, {len(self.outputs)} outputs>"

    # --- stepping

    def step(self, dt: float, inputs: Mapping[str, float] | Sequence[float] | np.ndarray | None = None) -> np.ndarray:
        """Go on for a time [s] with these inputs, by name or as an array in the order of `inputs`; what is not named
        stays as it was. Returns what is observed then."""
        if self._course.ended:
            raise MotionError(f"{self._course.ended}; restore an earlier state to go on")
        if not 0.0 < dt < math.inf:
            raise OptionError(f"a step of {dt} s makes no sense: give a finite time more than zero")
        now = self.time
        self._in.set(self._coming, inputs, now, dt)
        if self._steps == 0:  # what is set before anything has moved is how it begins
            run, self._point, self.notes = prepared(self._settings, self._coming.copy())
            self._take(run)
        self._steps += 1
        if dt != self._length:
            self._since, self._count, self._length = now, 0, dt
        self._count += 1
        clock, counts, times = self._point.clock, self._point.counts, self._times
        clock[at.HORIZON] = times[1] = self._since + self._count * dt
        times[0] = now
        counts[at.FILLED] = counts[at.FRESH] = 0
        code = self._call()
        if self._keep and counts[at.FILLED]:
            self._record = self._record.after(self._kept, now, self._states[0])
            self._kept += 1
        while code in (loop.PAUSED, loop.TO_CUT):
            if code == loop.TO_CUT and self._run.watcher is not None:
                self._course = replace(self._course, parts=(*self._course.parts, *self._read(now=False)))
                self._record, self._kept = self._no_record(), 0
                self._run.watcher.cut(self._run.tables, int(counts[at.LAST_EVENT]), self._point.y)
            code = self._call()
        if code not in (loop.AWAITED, loop.FINISHED):
            self._course = replace(self._course, ended=status_of(code, self._run, clock, self._point.y))
            self.plant.raise_stops()
            if code != loop.STOPPED:
                raise MotionError(self._course.ended)
        return self.observe()

    def _call(self) -> int:
        """One call of the compiled loop."""
        point, run = self._point, self._run
        code = self._loop(
            *self._fixed, point.clock, point.counts, point.y, self._times, self._states, run.space, BUDGET
        )
        if point.counts[at.LOGGED]:
            happened = run.watcher.happened(run.space.log[: point.counts[at.LOGGED]].copy()) if run.watcher else ()
            self._course = replace(self._course, events=self._course.events + happened)
            point.counts[at.LOGGED] = 0
        return int(code)

    def observe(self) -> np.ndarray:
        """(outputs,) what is observed now: readings of sensors, or positions and velocities where there are none."""
        point, run = self._point, self._run
        if self._nodal is None or not self._readings.size:
            return point.y[: 2 * self._size].copy()
        sense(self._nodal, run.tables, self.time, point.y, self._readings)
        return self._readings[self._chosen]

    # --- states

    @property
    def state(self) -> SimulationState:
        """Where it stands, to be restored later."""
        course = replace(
            self._course,
            record=self._record,
            kept=self._kept,
            since=self._since,
            count=self._count,
            length=self._length,
            steps=self._steps,
        )
        return SimulationState(reached_by(self._run, self._point), course, self.plant.fingerprint)

    def restore(self, state: SimulationState) -> None:
        """Go back, or over, to a state of this simulation or of a copy of it."""
        point, course = state.point, state.course
        if state.physics != self.plant.fingerprint or point.y.size != self._point.y.size:
            raise OptionError("the state is of another simulation; restore one of this simulation or of a copy")
        if self._course.parts or course.parts:
            self._take(prepared(self._settings)[0])  # what was cut is whole again
        self._point = point.copied()
        if self._run.watcher:
            self._run.watcher.go_on(self._run.tables, point.flags)
        remember(self._run, point)
        self._run.space.scratch[STARTED, 0] = point.clock[at.REFERENCE]
        words, breaks = self._run.words, self._run.plant.breaks
        words["enter_piece"](self._run.tables, words["inside_piece"](breaks, point.clock, point.counts))
        self._go_by(course)

    def _go_by(self, course: Course) -> None:
        """What changes at every step is not kept in the frozen record."""
        self._course, self._record, self._kept = course, course.record, course.kept
        self._since, self._count, self._length, self._steps = course.since, course.count, course.length, course.steps

    def copy(self) -> Simulation:
        """Another one that stands where this one does, to be stepped by itself."""
        other = Simulation(self._settings, self._in, self._outputs, self._options, keep=self._keep)
        other.restore(self.state)
        return other

    # --- what it did

    def _efforts(self) -> tuple[str, ...]:
        """How contacts and implicit steps went, where that is worth a word."""
        run = self._run
        told = (*contact_notes(run.plant, run.tables), *effort_notes(run.plant, run.tables))
        gone = drift_notes(run.plant.points, self.time)
        return (*told, *notes_at_steps(run), *passing_notes(run.plant, run.tables, self.time, self._point.y), *gone)

    def trajectory(self) -> Trajectory:
        """All steps so far, a sample at the beginning of each, and one now."""
        plant = self.plant
        samples = joined([*self._course.parts, *self._read(now=True)])
        collided = Collisions(plant.structure, telescoping(drive_facts(plant)), 0.0)
        collided.look(samples)
        events = (*self._course.events, *collided.found)
        return replace(
            samples,
            status=self._course.ended or f"finished: stepped to t = {self.time:g} s",
            options={
                **self._options,
                "every": self._length or 1.0,
                "locate": self._settings.locate,
                "internal_states": plant.internal.size,
                "physics": plant.fingerprint,
                **surroundings(plant),
            },
            counts=counts_of(self._point.counts),
            notes=(
                *self.notes,
                *self._efforts(),
                *collision_notes(events, collided.left_out, self._length),
                NOT_COMPARED,
            ),
            events=tuple(sorted(events, key=lambda event: event.time)),
            load_names=plant.load_names,
            drive_names=plant.drive_names,
            sensor_names=plant.sensor_names,
            contact_names=plant.contact_names,
            element_names=plant.element_outputs,
            checkpoint=reached_by(self._run, self._point),
        )

    def _read(self, *, now: bool) -> list[Trajectory]:
        """The samples that are not read off yet, and the state now."""
        times, states = self._record.times[: self._kept], self._record.states[: self._kept]
        if now:
            times, states = np.append(times, self.time), np.concatenate([states, self._point.y[None]])
        if not times.size:
            return []
        return [read_off(self.plant, self._run.tables, times, states, float(self._point.clock[at.REFERENCE]))]

    def _no_record(self) -> Record:
        return Record(np.zeros(0), np.zeros((0, self._point.y.size)))
