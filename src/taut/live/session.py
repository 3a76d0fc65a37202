"""A Session: a plant that someone does things to while it moves, as in a live page, computed here.

The page and this follow one another to the last bit. Between actions the loop goes on as in a run, whatever is looked
at on the way; at an action it steps exactly onto its time, and the tables are changed as the page changes them.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from taut.dynamics import time_loop as loop
from taut.dynamics import workspace as at
from taut.dynamics.correction import YIELDING
from taut.dynamics.driver import status_of
from taut.dynamics.run_surroundings import surroundings
from taut.dynamics.settings import prepared
from taut.dynamics.setup import Run
from taut.dynamics.simulating import counts_of, reached_by, read_off
from taut.dynamics.trajectory import Checkpoint, Trajectory, joined
from taut.errors import MotionError, OptionError, suggestion
from taut.live.changes import CHANGES
from taut.live.plants import Live, weighing_of
from taut.mechanics.compose import bound_by_name
from taut.mechanics.imposed.drives import DRIVE_DATA, STANDS
from taut.mechanics.operations.watches import HELD_ROW
from taut.mechanics.signals import SMOOTH
from taut.mechanics.tables import part_of
from taut.mechanics.terms.damping import NodeDamping
from taut.mechanics.terms.loads import LOAD_DATA, LOADS
from taut.mechanics.terms.slackening import Slackening
from taut.mechanics.terms.springs import Springs
from taut.mechanics.terms.weight import Weight
from taut.numerics.packing import integers_of, reals_of
from taut.structure.events import Event
from taut.structure.properties import following_rigidity, stays_thick

BITE = 100_000
REST_LENGTH = part_of("springs", Springs, "rest_length")
STIFFNESSES = part_of("springs", Springs, "stiffness"), part_of("slackening", Slackening, "stiffness")
DAMPINGS = part_of("springs", Springs, "damping"), part_of("slackening", Slackening, "damping")
WEIGHT = part_of("weight", Weight, "weight")
NODE_DAMPS, MASS_DAMPING = (part_of("damping", NodeDamping, name) for name in ("damps", "mass"))

OVER = 0.3
"""[s] in which a drive goes to what a slider says."""


class Session:
    """Made of a `Live` plant. It is stepped by `follow`, and changed by `act`."""

    def __init__(self, live: Live) -> None:
        self.live, self.plant = live, live.plant
        self._run, self._point, self.notes = prepared(live.settings)
        self._changes = bound_by_name(self.plant.spec, CHANGES)
        self._events: list[Event] = []
        self._parts: list[Trajectory] = []
        self._times: list[float] = []
        self._states: list[np.ndarray] = []
        self._state = self._point.y.copy()
        self._weighing = weighing_of(self.plant)
        self._rigidity = {name: following_rigidity(cable) for name, cable in self.plant.structure.cables.items()}
        self.ended = ""
        own = self.plant.given.loads[:-3]
        if not (own or self.plant.dampers or self.plant.given.drives):
            self._yield(0.0)  # until something is done to it, its energy is that of the start

    @property
    def run(self) -> Run:
        return self._run

    @property
    def point(self) -> Checkpoint:
        """Where it stands."""
        return self._point

    @property
    def time(self) -> float:
        """[s] to which it was followed; samples may be later, within the next step."""
        return float(self._point.clock[at.TIME])

    @property
    def state(self) -> np.ndarray:
        """The last sample: positions, velocities, work, and what else a state has."""
        return self._state.copy()

    @property
    def nodes(self) -> np.ndarray:
        """(n, 3) of the last sample [m]."""
        return self._state[: self.plant.coordinates].reshape(-1, 3).copy()

    def follow(self, time: float) -> np.ndarray:
        """Go on to a time [s], as a run does; returns the state there."""
        if time > self.time:
            self._point.clock[at.HORIZON] = math.inf
            self._call(time)
        return self.state

    def land(self, time: float) -> None:
        """Go on and step exactly onto a time [s], at which something is to be done."""
        if time > self.time:
            self._point.clock[at.HORIZON] = time
            self._call(time)

    def _call(self, time: float) -> None:
        if self.ended:
            raise MotionError(f"{self.ended}; begin again")
        point, run, targets, samples = self._point, self._run, np.array([time]), np.zeros((1, self._point.y.size))
        clock, counts = point.clock, point.counts
        counts[at.FILLED] = 0
        code = loop.PAUSED
        while code in (loop.PAUSED, loop.TO_CUT):
            code = run.words["time_loop"](
                run.handed,
                run.method.numbers,
                run.rules,
                run.plant.breaks,
                clock,
                counts,
                point.y,
                targets,
                samples,
                run.space,
                BITE,
            )
            if code == loop.TO_CUT and run.watcher is not None:
                self._read()
                run.watcher.cut(run.tables, int(counts[at.LAST_EVENT]), point.y)
            self._hear()
        if code not in (loop.AWAITED, loop.FINISHED):
            self.ended = status_of(code, run, clock, point.y)
            self._state = point.y.copy()
            return
        self._state = samples[0] if counts[at.FILLED] else point.y.copy()
        self._times.append(time)
        self._states.append(self._state)

    def _hear(self) -> None:
        counts, run = self._point.counts, self._run
        if counts[at.LOGGED] and run.watcher:
            self._events += run.watcher.happened(run.space.log[: counts[at.LOGGED]].copy())
        counts[at.LOGGED] = 0

    def _yield(self, number: float) -> None:
        rules = self._run.rules
        self._run = replace(self._run, rules=rules._replace(limits=rules.limits._replace(yielding=number)))

    # --- what is done to it

    def act(self, kind: str, *numbers: Any) -> None:
        """Do something now, one of `replaying.ARGUMENTS`, with what that takes."""
        known = {name.removeprefix("_do_"): name for name in dir(self) if name.startswith("_do_")}
        if kind not in known:
            raise OptionError(f'nobody can do "{kind}"{suggestion(kind, known)}; known are {", ".join(known)}')
        self._read()
        if self._run.rules.limits.yielding == 0.0:
            self._yield(YIELDING)
        getattr(self, known[kind])(*numbers)
        self._point.counts[at.FRESH] = 0

    def _do_hand(self, node: int, *force: float) -> None:
        """Pull at a node with a force [N], until told otherwise."""
        self._check_node(node)
        tables = self._run.tables
        loads, data = integers_of(tables, LOADS), reals_of(tables, LOAD_DATA)
        for axis in range(3):
            loads[len(loads) - 3 + axis] = 3 * int(node) + axis
            data[len(data) - 3 + axis] = force[axis]

    def _check_node(self, node: int) -> None:
        if not 0 <= node < len(self.plant.structure.nodes):
            raise OptionError(f"there is no node number {node}: there are {len(self.plant.structure.nodes)}")

    def _do_cut(self, kind: str, name: str) -> None:
        """Cut a cable or a bar."""
        members = cut_numbers(self.live)
        if (kind, name) not in members:
            raise OptionError(f'there is no {kind} "{name}" that can be cut')
        self._changes["cut_one"](self._run.tables, members[kind, name], self._point.y)

    def _do_rest(self, name: str, length: float) -> None:
        """Give a cable another rest length [m] at once."""
        row, rigidity = self._row(name), self._rigidity.get(name, 0.0)
        with _Change(self):
            reals_of(self._run.tables, REST_LENGTH)[row] = length
            if rigidity > 0.0:
                self._stiffen(name, rigidity / length)

    def _do_stiffness(self, name: str, firm: float) -> None:
        """Give a cable another stiffness [N/m] at once; one of E A / rest length keeps that E A from then on."""
        row = self._row(name)
        with _Change(self):
            self._stiffen(name, firm)
        if self._rigidity.get(name, 0.0) > 0.0:
            self._rigidity[name] = firm * float(reals_of(self._run.tables, REST_LENGTH)[row])

    def _row(self, name: str) -> int:
        rows = self.plant.given.cable
        if name not in rows:
            raise OptionError(f'there is no cable "{name}" that is a spring{suggestion(name, rows)}')
        return rows[name]

    def _stiffen(self, name: str, firm: float) -> None:
        row = self._row(name)
        drag = self.plant.structure.cables[name].damping + self.plant.given.damping.stiffness * firm
        for part, value in zip((*STIFFNESSES, *DAMPINGS), (firm, firm, drag, drag), strict=True):
            reals_of(self._run.tables, part)[row] = value

    def _do_place(self, node: int, *place: float) -> None:
        """Put a node elsewhere [m]; bars come along with the next step."""
        self._check_node(node)
        with _Change(self):
            self._point.y[3 * int(node) : 3 * int(node) + 3] = place

    def _do_still(self) -> None:
        """Stop all motion; what it had is taken out, as work."""
        plant, y, n = self.plant, self._point.y, self.plant.coordinates
        now = read_off(plant, self._run.tables, np.array([self.time]), y[None, :], 0.0)
        y[2 * n] -= now.energy_kinetic[0]
        y[n : 2 * n] = 0.0

    def _do_gravity(self, *gravity: float) -> None:
        """Along x, y, z [m/s^2]."""
        with _Change(self):
            reals_of(self._run.tables, WEIGHT)[:] = np.outer(self._weighing, gravity).ravel()

    def _do_damping(self, mass: float) -> None:
        """In proportion to masses [1/s]."""
        tables = self._run.tables
        reals_of(tables, MASS_DAMPING)[0] = mass
        integers_of(tables, NODE_DAMPS)[0] = int(mass != 0.0 or self.plant.given.damping.node != 0.0)

    def _do_drive(self, name: str, value: float, over: float = OVER) -> None:
        """Let a drive go to a number, smoothly, over a time [s]."""
        places = drive_places(self.live)
        if name not in places:
            told = ", ".join(places) or "none here"
            raise OptionError(f'there is no drive "{name}" whose signal is a number{suggestion(name, places)} ({told})')
        data = reals_of(self._run.tables, DRIVE_DATA)
        for place in places[name]:
            data[place : place + 5] = value, data[place], self.time, over, float(SMOOTH)
        reals_of(self._run.tables, STANDS)[:] = np.nan

    # --- what it did

    def _read(self) -> None:
        """Read off what was sampled, by the tables as they are now."""
        if self._times:
            reference = float(self._point.clock[at.REFERENCE])
            times, states = np.array(self._times), np.array(self._states)
            self._parts.append(read_off(self.plant, self._run.tables, times, states, reference))
            self._times, self._states = [], []

    def trajectory(self) -> Trajectory:
        """All samples so far."""
        self._read()
        if not self._parts:
            raise OptionError("nothing was followed yet; call follow with a time first")
        plant = self.plant
        return replace(
            joined(self._parts),
            status=self.ended or f"finished: live to t = {self._parts[-1].time[-1]:g} s",
            options={"method": self._run.method.name, "physics": plant.fingerprint, **surroundings(plant)},
            counts=counts_of(self._point.counts),
            notes=(*self.notes, "was made by hand in a live page, and nothing compares it with another run"),
            events=tuple(self._events),
            load_names=plant.load_names,
            drive_names=plant.drive_names,
            contact_names=plant.contact_names,
            checkpoint=reached_by(self._run, self._point),
        )


class _Change:
    """While tables are changed: what that does to the energy is booked as work."""

    def __init__(self, session: Session) -> None:
        self._session = session

    def __enter__(self) -> None:
        session = self._session
        self._before = session._changes["begin_change"](session._run.tables, session._point.y)

    def __exit__(self, *failure: object) -> None:
        session = self._session
        counts, run, y = session._point.counts, session._run, session._point.y
        filled = int(counts[at.LOGGED])
        now = session._changes["end_change"](run.tables, session.time, y, self._before, run.space.log, filled)
        counts[at.EVENTS] += now - filled
        counts[at.LOGGED] = now
        session._hear()


def cut_numbers(live: Live) -> dict[tuple[str, str], int]:
    """Members that can be cut, and the numbers by which kernels know them."""
    given = live.plant.given
    found = {("cable", name): row for name, row in given.cable.items()}
    found |= {("cable", cable.name): HELD_ROW + k for k, cable in enumerate(given.held_cables)}
    bars = given.structure.bars
    found |= {("bar", name): -1 - row for name, row in given.still_bars.items() if not stays_thick(bars[name])}
    return found | {("bar", name): row for name, row in given.compressible_bar.items()}


def drive_places(live: Live) -> dict[str, Sequence[int]]:
    """Where in the data of drives the numbers of those stand that sliders move."""
    from taut.mechanics.imposed.drives import tabulated_drives

    found: dict[str, list[int]] = {}
    given = live.plant.given
    for command in tabulated_drives(given).commands:
        found.setdefault(given.driven[command.signal].drive.name, []).append(command.place)
    return {name: tuple(places) for name, places in found.items()}
