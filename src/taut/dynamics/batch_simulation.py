"""A BatchSimulation: many variants of a plant stepped together, arrays in and arrays out, for those who learn by trial.

Each moves as a `Simulation` of its own does, to the last bit; nothing is done in Python for a variant but when it is
set back to a start of its own.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from typing import Any

import numpy as np

from taut.dynamics import time_loop as loop
from taut.dynamics import workspace as at
from taut.dynamics.batch_lanes import Worker, can_go_side_by_side, grouped
from taut.dynamics.batch_loop import Stepper, numbers_of, places_of
from taut.dynamics.driver import status_of
from taut.dynamics.inputs import Inputs
from taut.dynamics.run_surroundings import surroundings
from taut.dynamics.settings import Settings, prepared_run
from taut.dynamics.setup import beginning
from taut.dynamics.simulating import read_off
from taut.dynamics.trajectory import Checkpoint, Trajectory
from taut.errors import OptionError
from taut.mechanics.batch import Variants
from taut.mechanics.plant import Plant
from taut.mechanics.tables import part_of, state_layout
from taut.mechanics.terms.slackening import Slackening
from taut.mechanics.terms.springs import Springs
from taut.mechanics.varying.variation import STIFFNESS, Remade, numbers_for, varied_by
from taut.numerics.lanes import WIDTH
from taut.numerics.packing import Pack, copied, reals_of
from taut.type_checks import checked_arguments

KEPT_LAWS = {
    part_of("springs", Springs, name): part_of("slackening", Slackening, name) for name in ("stiffness", "damping")
}
"""Where the numbers of springs stand once more."""

Which = Sequence[int] | np.ndarray


class BatchSimulation:
    """N variants that are stepped together; made by `taut.start_many`.

    inputs, outputs: names, in the order of the columns of arrays. ended: (N,) which cannot be stepped further, until
    they are set back; `status` says why.
    """

    def __init__(
        self, settings: Settings, inputs: Inputs, outputs: Sequence[str], count: int, threads: int, plant: Plant
    ) -> None:
        self.plant, self.count, self._in, self._outputs = plant, count, inputs, tuple(outputs)
        self._correction = settings.correction
        look = plant.composition.tools["sense"] if plant.sensor_names else None
        runs = [prepared_run(settings) for _ in range(min(threads, count))]
        fresh = [copied(run.tables) for run in runs]
        for run in runs:
            beginning(run, locate=False)  # which also says in the tables that nothing is located
        steppers = [Stepper(run, tables, look) for run, tables in zip(runs, fresh, strict=True)]
        self._workers = [Worker(stepper, settings, plant) for stepper in steppers]
        self._side_by_side = can_go_side_by_side(settings, plant)
        self._pool = ThreadPoolExecutor(len(runs)) if len(runs) > 1 else None
        self._parts: dict[int, np.ndarray] = {}
        self._gravity: dict[int, list[float]] = {}  # of those that have one of their own
        run = self._workers[0].alone.run
        names = plant.sensor_names
        self._layout = state_layout(plant.coordinates, plant.internal.size, 0)
        self._chosen = [names.index(name) for name in outputs] if names else []
        self._numbers, self._places = numbers_of(run, plant, count), places_of(run, plant)
        self._starts = np.broadcast_to(
            np.stack([plant.positions, plant.velocities]), (count, 2, *plant.positions.shape)
        )
        self._since, self._length = np.zeros(count), np.zeros(count)
        self._turns, self._steps = np.zeros(count, dtype=np.int64), np.zeros(count, dtype=np.int64)
        self._status = [""] * count
        self._over = np.zeros(count, dtype=bool)
        self._home = self._begun(0, None)
        self.reset()

    # --- what it is

    @property
    def inputs(self) -> tuple[str, ...]:
        """What can be commanded: loads and drives by name."""
        return self._in.names

    @property
    def outputs(self) -> tuple[str, ...]:
        """What is observed."""
        return self._outputs

    @property
    def time(self) -> np.ndarray:
        """(N,) [s]."""
        return self._numbers.clocks[:, at.TIME].copy()

    @property
    def nodes(self) -> np.ndarray:
        """(N, n, 3) positions now [m]."""
        return self._numbers.states[:, : self.plant.coordinates].reshape(self.count, -1, 3).copy()

    @property
    def velocities(self) -> np.ndarray:
        """(N, n, 3) [m/s]."""
        size = self.plant.coordinates
        return self._numbers.states[:, size : 2 * size].reshape(self.count, -1, 3).copy()

    @property
    def states(self) -> np.ndarray:
        """(N, size) positions, velocities, work, commands and contact forces; what steps write into, not a copy."""
        return self._numbers.states

    @property
    def command(self) -> np.ndarray:
        """(N, inputs) what every input was set to last."""
        return self._numbers.coming[:, self._in.at].copy()

    @property
    def ended(self) -> np.ndarray:
        """(N,) whether each can be stepped no further."""
        return self._over.copy()

    @property
    def status(self) -> tuple[str, ...]:
        """Why each ended; empty while it goes on."""
        return tuple(self._status)

    def __len__(self) -> int:
        return self.count

    def __repr__(self) -> str:
        name = self.plant.structure.name or "structure"
        told = f"{self.count} variants, {len(self.inputs)} inputs, {len(self.outputs)} outputs"
        return f"<BatchSimulation of {name}: {told}>"

    # --- stepping

    def step(self, dt: float, inputs: np.ndarray | Sequence[Any] | None = None) -> np.ndarray:
        """Go on for a time [s] with inputs (N, m), or (m,) for all; as they were where none are given.

        Returns what is observed then, (N, outputs). Those that have ended stay as they are.
        """
        if not 0.0 < dt < math.inf:
            raise OptionError(f"a step of {dt} s makes no sense: give a finite time more than zero")
        numbers, going = self._numbers, np.flatnonzero(~self._over)
        now, steps = numbers.clocks[:, at.TIME], self._steps
        last = numbers.coming[:, self._in.at]
        values = last if inputs is None else np.broadcast_to(self._fitted(inputs), last.shape)
        self._in.set_many(numbers.coming, values, now, dt, going)
        if not steps.all():
            for k in going[steps[going] == 0]:  # what is set before anything has moved is how it begins
                self._begin_with_inputs(int(k))
        other = going[self._length[going] != dt]
        self._since[other], self._turns[other], self._length[other] = now[other], 0, dt
        self._turns[going] += 1
        steps[going] += 1
        numbers.clocks[going, at.HORIZON] = self._since[going] + self._turns[going] * dt
        if self._advance(going, moves=True):
            self._note_ends(going)
        return self._seen()

    def observe(self) -> np.ndarray:
        """(N, outputs) what is observed now: readings of sensors, or positions and velocities where there are none."""
        if self._chosen:
            self._advance(np.arange(self.count), moves=False)
        return self._seen()

    def _seen(self) -> np.ndarray:
        if self._chosen:
            return self._numbers.readings[:, self._chosen]
        return self._numbers.states[:, : 2 * self.plant.coordinates].copy()

    def _fitted(self, inputs: np.ndarray | Sequence[Any]) -> np.ndarray:
        values = np.asarray(inputs, dtype=float)
        if values.shape not in ((self.count, len(self.inputs)), (len(self.inputs),)):
            order = ", ".join(self.inputs[:6]) + (", ..." if len(self.inputs) > 6 else "")
            raise OptionError(
                f"inputs of shape {values.shape} do not fit: give ({self.count}, {len(self.inputs)}), in the order "
                f"{order}"
            )
        return values

    def _advance(self, who: np.ndarray, *, moves: bool) -> int:
        """One thread each; returns how many did not get there."""
        numbers, places, workers = self._numbers, self._places, self._workers
        if not moves:
            return workers[0].alone(numbers, places, who, moves=False)
        groups, others = grouped(numbers, who) if self._side_by_side else (np.zeros((0, WIDTH), dtype=np.int64), who)
        if self._pool is None:
            return workers[0].step(numbers, places, groups, others)
        shares = zip(workers, np.array_split(groups, len(workers)), np.array_split(others, len(workers)), strict=True)
        work = [self._pool.submit(worker.step, numbers, places, *share) for worker, *share in shares]
        return sum(one.result() for one in work)

    def _note_ends(self, who: np.ndarray) -> None:
        run = self._workers[0].alone.run
        for k in who[~np.isin(self._numbers.codes[who], (loop.AWAITED, loop.FINISHED))]:
            code, clock = int(self._numbers.codes[k]), self._numbers.clocks[k]
            self._status[k], self._over[k] = status_of(code, run, clock, self._numbers.states[k]), True

    # --- starts

    @checked_arguments
    def reset(
        self,
        which: Sequence[int] | np.ndarray | None = None,
        *,
        positions: np.ndarray | None = None,
        velocities: np.ndarray | None = None,
        parameters: Mapping[str, Any] | None = None,
    ) -> np.ndarray:
        """Set some variants back to their start, all if none are named; returns what is observed of all, (N, outputs).

        positions, velocities: (r, n, 3), or (n, 3) for all of the r; where not given they start as last time.
        parameters: address -> (r, k) numbers, as of `taut.rollout`, masses left out; they stay until they are changed.
        """
        chosen = np.arange(self.count) if which is None else self._places_of(which)
        for part, given in enumerate((positions, velocities)):
            if given is not None:
                self._start_from(chosen, part, np.asarray(given, dtype=float))
        if parameters:
            self._vary(chosen, parameters)
        alone = bool(self._parts) or not self._at_home
        for k in chosen.tolist():
            self._take(k, self._begun(k, None) if alone else self._home)
        self._turns[chosen], self._steps[chosen], self._length[chosen] = 0, 0, 0.0
        return self.observe()

    @property
    def _at_home(self) -> bool:
        """Whether all begin as the plant does."""
        return self._starts.strides[0] == 0

    def _places_of(self, which: Which) -> np.ndarray:
        chosen = np.asarray(which)
        if chosen.dtype == bool and chosen.shape == (self.count,):
            return np.flatnonzero(chosen)
        if (
            chosen.ndim != 1
            or not np.issubdtype(chosen.dtype, np.integer)
            or np.any((chosen < 0) | (chosen >= self.count))
        ):
            raise OptionError(f"which: give numbers of variants from 0 to {self.count - 1}, or a truth for each")
        return chosen

    def _start_from(self, chosen: np.ndarray, part: int, given: np.ndarray) -> None:
        shape = self.plant.positions.shape
        if given.shape not in ((chosen.size, *shape), shape) or not np.isfinite(given).all():
            name = ("positions", "velocities")[part]
            raise OptionError(f"{name}: give finite numbers of the shape {(chosen.size, *shape)}, not {given.shape}")
        if self._at_home:
            self._starts = self._starts.copy()
        self._starts[chosen, part] = given

    def _vary(self, chosen: np.ndarray, parameters: Mapping[str, Any]) -> None:
        """Take over the numbers of some variants."""
        rows = numbers_for(self.plant, parameters)
        if any(len(values) != chosen.size for values in rows.values()) or {"positions", "velocities"} & set(rows):
            raise OptionError(
                f"parameters: give one row for each of the {chosen.size} variants, and starts by themselves"
            )
        variants = varied_by(self.plant, rows, chosen.size)
        if isinstance(variants, Remade):
            raise OptionError("masses of variants that are stepped do not vary; start plants of their own")
        if STIFFNESS in variants.parts and self._correction.kind != "none" and not self._correction.time:
            raise OptionError(
                "stiffness varies, and with it the typical time by which the correction weighs positions against "
                f'velocities; say one for all: Correction("{self._correction.kind}", time=...)'
            )
        if variants.gravity is not None:
            self._gravity |= dict(zip(chosen.tolist(), variants.gravity.tolist(), strict=True))
        fresh = self._workers[0].alone.fresh
        for place, values in variants.parts.items():
            # What a run keeps of laws while it looks for events is the variant's own, too.
            for part in (place, *([KEPT_LAWS[place]] if place in KEPT_LAWS else [])):
                size = reals_of(fresh, part).size
                if size and part not in self._parts:
                    own = reals_of(fresh, place)
                    self._parts[part] = np.repeat(own[None], self.count, axis=0)
                if size:
                    self._parts[part][chosen] = values
        begins = {part: int(fresh.integers[2 * part]) for part in self._parts}
        entries = [begins[part] + np.arange(values.shape[1]) for part, values in self._parts.items()]
        self._places = self._places._replace(varied=np.concatenate(entries))
        self._numbers = self._numbers._replace(varied=np.concatenate([*self._parts.values()], axis=1))

    def run_of(self, k: int, samples: Sequence[tuple[float, np.ndarray]]) -> Trajectory:
        """Times and states of variant k as a run, with all that can be read off them."""
        times, states = np.array([time for time, _ in samples]), np.array([state for _, state in samples])
        tables = copied(self._workers[0].alone.fresh)
        self._fill(tables, k)
        run = read_off(self.plant, tables, times, states, float(self._numbers.clocks[k, at.REFERENCE]))
        return replace(
            run,
            status=self._status[k] or f"finished: stepped to t = {times[-1]:g} s",
            options=surroundings(self.plant) | ({"gravity": self._gravity[k]} if k in self._gravity else {}),
            drive_names=self.plant.drive_names,
            load_names=self.plant.load_names,
            sensor_names=self.plant.sensor_names,
            contact_names=self.plant.contact_names,
        )

    def _fill(self, tables: Pack, k: int) -> None:
        """With the numbers of variant k."""
        starts, parts = self._starts[k], {part: rows[k : k + 1] for part, rows in self._parts.items()}
        Variants(self.plant, 1, starts[:1], starts[1:], parts).fill(tables, 0)

    def _begun(self, k: int, internal: np.ndarray | None) -> tuple[Checkpoint, np.ndarray]:
        """Variant k at its start, and whole numbers of its tables; internal: what is commanded then."""
        stepper = self._workers[0].alone
        tables, starts = stepper.run.tables, self._starts[k]
        tables.reals[:], tables.integers[:] = stepper.fresh.reals, stepper.fresh.integers
        self._fill(tables, k)
        own = replace(stepper.run, plant=replace(self.plant, positions=starts[0], velocities=starts[1]))
        point, _ = beginning(own, locate=False, internal=internal)
        flags = tables.integers[self._places.flags]
        tables.reals[:], tables.integers[:] = stepper.ready.reals, stepper.ready.integers
        return point, flags

    def _take(self, k: int, begun: tuple[Checkpoint, np.ndarray]) -> None:
        point, flags = begun
        numbers = self._numbers
        numbers.clocks[k], numbers.counts[k], numbers.states[k] = point.clock, point.counts, point.y
        first = self._layout.internal
        numbers.coming[k] = point.y[first : first + numbers.coming.shape[1]]
        numbers.memory[k] = point.memory
        numbers.flags[k] = flags
        numbers.pieces[k] = loop.inside_piece(self.plant.breaks, point.clock, point.counts)
        self._status[k], self._over[k] = "", False

    def _begin_with_inputs(self, k: int) -> None:
        numbers, first = self._numbers, self._layout.internal
        if self._in.smooth:  # what is led in smoothly begins where it was
            numbers.states[k, first : first + numbers.coming.shape[1]] = numbers.coming[k]
            return
        coming = numbers.coming[k].copy()
        self._take(k, self._begun(k, coming))
