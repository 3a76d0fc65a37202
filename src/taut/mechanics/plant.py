"""The Plant: a structure made ready to move. Its tables, its start, and the verbs that algorithms call on it."""

from __future__ import annotations

import hashlib
import math
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from taut.errors import ModelError, OptionError, suggestion
from taut.mechanics import nodal, nodal_events, nodal_manifold, nodal_momentum, nodal_outputs, redundancy
from taut.mechanics.assembly import euclidean, nodal_tables
from taut.mechanics.moving import tabulated_motions
from taut.mechanics.signals import pieces_of, tabulate
from taut.mechanics.survey import problems_of_motion, problems_of_scenario
from taut.mechanics.tables import EXPLICIT, GAINS, ITERATIVE, SIGNAL_DATA, STABILISED, Nodal
from taut.mechanics.watching import BAND, Watched, Watcher, times_of, watched_by
from taut.numerics.packing import Pack, copied, integers_of, reals_of
from taut.structure.joining import subdivided
from taut.structure.records import AXES
from taut.structure.scenario import SOLVERS, Damping, Load, Motion, Watch
from taut.structure.structure import Structure
from taut.structure.watches import problems_of_watches

NODAL_VERBS: Mapping[str, Callable[..., Any]] = {
    "lend_plant": nodal.lend_plant,
    "rate": nodal.rate,
    "forces": nodal.forces,
    "power": nodal.power,
    "firmness": nodal_manifold.firmness,
    "enter": nodal.enter,
    "mismatch": nodal_manifold.mismatch,
    "gaps": nodal_manifold.gaps,
    "prepare": nodal_manifold.prepare,
    "project": nodal_manifold.project,
    "bend": nodal_manifold.bend,
    "energy": nodal_manifold.energy,
    "energy_slope": nodal_manifold.energy_slope,
    "keep_momentum": nodal_momentum.keep_momentum,
    "crossing": nodal_events.crossing,
    "margin": nodal_events.margin,
    "due": nodal_events.due,
    "strike": nodal_events.strike,
}
"""What a stepper or a correction may ask of a plant's tables. A formulation is one more set of these."""

SMALL = 500
"""Up to so many constraints a dense look at their independence is cheap."""


@dataclass(frozen=True)
class Plant:
    """The equations of motion of a structure with rigid bars: the nodal `taut.mechanics.machine.Machine`.

    structure: what is simulated; cables cut into segments are cut here.
    pack, tables: its flat arrays, for kernels and by name.
    positions, velocities: at the start, (n, 3) each, with moved supports where they are then.
    breaks: times at which a signal is not smooth.
    functions: loads given as Python functions, by load; a plant with any of them runs uncompiled.
    """

    structure: Structure
    pack: Pack
    tables: Nodal
    breaks: np.ndarray
    positions: np.ndarray
    velocities: np.ndarray
    loads: tuple[Load, ...]
    functions: Mapping[int, Callable[[float], float]]
    things: tuple[Watched, ...] = ()
    motions: tuple[Motion, ...] = ()

    @property
    def iterates(self) -> bool:
        """Whether linear systems are solved by iteration."""
        return bool(self.tables.constants.solver[0] == ITERATIVE)

    @property
    def formulation(self) -> str:
        return f"nodal{'_moved' if self.motions else ''}{'_iterative' if self.iterates else ''}"

    @property
    def compiled(self) -> bool:
        return not self.functions

    @property
    def lanes(self) -> tuple[int, ...]:
        return ()

    @property
    def coordinates(self) -> int:
        return int(self.positions.size)

    @property
    def rows(self) -> int:
        """Number of constraints."""
        return int(self.tables.work.multiplier.size)

    @property
    def constraint_names(self) -> tuple[str, ...]:
        """Bars first."""
        guides = (f'constraint "{name}"' for name in self.structure.constraints)
        return (*(f'bar "{name}"' for name in self.structure.bars), *guides)

    @property
    def load_names(self) -> tuple[str, ...]:
        """A load's own name, or its place; those that would come twice are numbered."""
        names = [load.name or f"{load.node}.{load.axis}" for load in self.loads]
        return tuple(
            f"{name}#{names[:k].count(name) + 1}" if names.count(name) > 1 else name for k, name in enumerate(names)
        )

    @cached_property
    def dampers(self) -> tuple[str, ...]:
        constants, cables = self.tables.constants, list(self.structure.cables)
        names = [f'cable "{cables[k]}"' for k in np.flatnonzero(self.tables.cables.damping)]
        names += ["every node"] if constants.node_damping[0] else []
        return (*names, "the mass") if constants.mass_damping[0] else tuple(names)

    @cached_property
    def moved(self) -> tuple[str, ...]:
        nodes = list(self.structure.nodes)
        return tuple(dict.fromkeys(f'node "{nodes[i // 3]}"' for i in self.tables.moved.coordinate))

    @property
    def constant_mass(self) -> bool:
        return True

    @property
    def works(self) -> bool:
        return bool(self.loads or self.dampers or self.motions)

    @property
    def typical_time(self) -> float:
        return float(self.tables.constants.scale[1])

    @cached_property
    def shortest_period(self) -> float:
        """Of the node that its cables hold stiffest, if its neighbours stood still.

        A longer step could jump over a cable that goes taut and slack again, and no error estimate would see it.
        """
        tables = self.tables
        stiffness = np.zeros(tables.nodes.mass.size)
        for end in (tables.cables.first, tables.cables.second):
            np.add.at(stiffness, end, tables.cables.stiffness)
        free = tables.nodes.free
        fastest = float(np.max(stiffness[free // 3 * 3] / tables.nodes.mass[free], initial=0.0))
        return math.inf if fastest == 0.0 else 2.0 * math.pi / math.sqrt(fastest)

    @cached_property
    def fingerprint(self) -> str:
        """A hash of all numbers that make the motion what it is; functions of time count only by their place."""
        t = self.tables
        digest = hashlib.sha256()
        for part in (
            *t.cables,
            *t.bars,
            *t.guides,
            *t.nodes,
            *t.signals[:4],
            t.constants.node_damping,
            t.constants.mass_damping,
            *t.switches[7:16],
            *t.moved[:6],
        ):
            digest.update((part + 0).tobytes())  # so that -0 counts as 0
        return digest.hexdigest()[:16]

    @property
    def held(self) -> np.ndarray:
        """Indices of the supported nodes, in the order of the nodes."""
        return np.array(
            [i for i, name in enumerate(self.structure.nodes) if name in self.structure.supports], dtype=int
        )

    def own_tables(self, *, metric: str, gains: tuple[float, float]) -> Pack:
        pack = copied(self.pack if metric == "mass" else euclidean(self.tables)[0])
        reals_of(pack, GAINS)[:] = gains
        integers_of(pack, STABILISED)[0] = int(any(gains))
        return pack

    def start(self) -> tuple[np.ndarray, np.ndarray]:
        speeds = np.zeros(self.coordinates)
        for moving in (self.tables.nodes.free, self.tables.moved.coordinate):
            speeds[moving] = self.velocities.ravel()[moving]
        return self.positions.ravel().copy(), speeds

    def changes(self, q: np.ndarray, v: np.ndarray) -> tuple[str, ...]:
        names = list(self.structure.nodes)
        notes = []
        for label, unit, wanted, found in (
            ("positions", "m", self.positions, q),
            ("velocities", "m/s", self.velocities, v),
        ):
            change = np.abs(found.reshape(-1, 3) - wanted).max(axis=1, initial=0.0)
            worst = int(np.argmax(change))
            if change[worst] > 1e-9 * max(1.0, float(np.abs(wanted).max(initial=0.0))):
                notes.append(
                    f"start {label} did not fit supports, bars and constraints and were projected onto them; "
                    f'the largest change is {change[worst]:.3g} {unit}, at node "{names[worst]}"'
                )
        if self.iterates:
            notes.append("the solver is iterative, so nothing is said of constraints that depend on one another")
        return tuple(notes)

    def dependent(self, tables: Pack, y: np.ndarray) -> np.ndarray:
        if self.tables.constants.solver[0] == EXPLICIT:
            return redundancy.idle_rows(self.tables, y)
        return redundancy.null_vectors(tables, y)

    def weakest(self, y: np.ndarray) -> np.ndarray:
        return redundancy.weakest_combination(self.tables, y) if self.rows <= SMALL else np.zeros(0)

    def observed(self, tables: Pack, times: np.ndarray, states: np.ndarray) -> dict[str, np.ndarray]:
        out = nodal_outputs.empty_outputs(self.tables, times.size, self.held.size)
        pieces = pieces_of(self.breaks, times)
        looks = reals_of(tables, BAND)[0] > 0.0
        if looks:
            nodal_events.release(tables)
        observe = self._observe()
        if self.compiled:
            observe(tables, times, pieces, states, self.held, out)
        for row in range(0 if self.compiled else times.size):
            one = slice(row, row + 1)
            self.set_functions(tables, float(times[row]))
            shown = type(out)(*(part[one] for part in out))
            observe(tables, times[one], pieces[one], states[one], self.held, shown)
        if times.size and not self.iterates and nodal_manifold.prepare(tables, states[0]) > 0:
            redundancy.smallest_forces(
                tables, self.tables, states, self.held, out.bar_force, out.constraint_force, out.reaction
            )
        if looks:
            nodal_events.freeze(tables)
        size = self.coordinates
        return {
            "nodes": states[:, :size].reshape(-1, size // 3, 3).copy(),
            "velocities": states[:, size : 2 * size].reshape(-1, size // 3, 3).copy(),
            **out._asdict(),
        }

    @cached_property
    def watcher(self) -> Watcher | None:
        cables = list(self.structure.cables)
        slackening = tuple(cables[k] for k in self.tables.switches.cable)
        return Watcher(slackening, self.things) if slackening or self.things else None

    def verbs(self) -> dict[str, Callable[..., Any]]:
        """The functions that algorithms call; kernels, unless a load is a Python function."""
        verbs = dict(NODAL_VERBS)
        if self.motions:
            from taut.mechanics.moved_verbs import MOVED_ITERATIVE_VERBS, MOVED_VERBS

            verbs |= MOVED_ITERATIVE_VERBS if self.iterates else MOVED_VERBS
        elif self.iterates:
            from taut.mechanics.iterative_verbs import ITERATIVE_VERBS

            verbs |= ITERATIVE_VERBS
        if self.functions:
            verbs |= {name: self._with_functions(verbs[name]) for name in ("rate", "forces", "power")}
        return verbs

    def _observe(self) -> Callable[..., None]:
        """The kernel that reads outputs off states."""
        if self.motions:
            from taut.mechanics import moved_verbs

            return moved_verbs.observe_by_turns if self.iterates else moved_verbs.observe  # type: ignore[no-any-return]
        if self.iterates:
            from taut.mechanics import iterative_verbs

            return iterative_verbs.observe  # type: ignore[no-any-return]
        return nodal_outputs.observe

    def _with_functions(self, verb: Callable[..., Any]) -> Callable[..., Any]:
        """The verb with the values of Python loads written into the tables first."""

        def timely(pack: Pack, t: float, *rest: np.ndarray) -> Any:
            self.set_functions(pack, t)
            return verb(pack, t, *rest)

        return timely

    def set_functions(self, pack: Pack, t: float) -> None:
        """Write the values of Python loads at a time into a pack of this plant."""
        for index, function in self.functions.items():
            value = float(function(t))
            if not np.isfinite(value):
                load = self.loads[index]
                raise OptionError(f'the load on node "{load.node}" along {load.axis} returned {value} at t = {t:g} s')
            reals_of(pack, SIGNAL_DATA)[self.tables.signals.start[index]] = value


def assemble(
    structure: Structure,
    *,
    gravity: float | tuple[float, float, float] = 0.0,
    loads: Iterable[Load] = (),
    motions: Iterable[Motion] = (),
    damping: Damping | None = None,
    events: Iterable[Watch] = (),
    velocities: Mapping[str, tuple[float, float, float]] | None = None,
    solver: str = "direct",
) -> Plant:
    """Make a structure with rigid bars ready to move.

    gravity: [m/s^2], a number acts along -z. motions: of supports, which otherwise stand still.
    velocities: of nodes at the start [m/s], zero where not named.
    events: what to look out for in a run, and what to do then.
    solver: "direct", or "iterative" for large structures in which bars meet and fill space, whose factor would grow
        faster than they do. Without meeting bars neither is needed.
    Raises ModelError with every problem found.
    """
    vector = (0.0, 0.0, -float(gravity)) if isinstance(gravity, int | float) else gravity
    loads, motions, damping, events = tuple(loads), tuple(motions), damping or Damping(), tuple(events)
    if solver not in SOLVERS:
        raise OptionError(f'solver "{solver}" is not one of {", ".join(SOLVERS)}{suggestion(solver, SOLVERS)}')
    problems = problems_of_motion(structure)
    problems += problems_of_scenario(structure, vector, loads, motions, damping, velocities or {})
    problems += problems_of_watches(structure, events)
    if problems:
        raise ModelError(problems)
    fine = subdivided(structure)
    things = watched_by(fine, events)
    index = {node: 3 * i for i, node in enumerate(fine.nodes)}
    coordinates = [index[load.node] + AXES.index(load.axis) for load in loads]
    moved, knots = tabulated_motions(fine, motions)
    signals, breaks, functions = tabulate([load.signal for load in loads], coordinates, [*knots, *times_of(things)])
    pack, tables = nodal_tables(fine, vector, damping, signals, moved, things, iterative=solver == "iterative")
    speeds = np.array([(velocities or {}).get(node, (0.0, 0.0, 0.0)) for node in fine.nodes], dtype=float)
    start = np.concatenate([fine.positions.ravel(), speeds.ravel(), [0.0]])
    if motions:
        from taut.mechanics.moved_verbs import arrive

        tables.signals.piece[0] = pieces_of(breaks, np.zeros(1))[0]
        arrive(pack, 0.0, start)
    places, speeds = start[:-1].reshape(2, -1, 3)
    return Plant(fine, pack, tables, breaks, places, speeds, loads, functions, things, motions)
