"""The Plant: a structure made ready to move. Its tables, its start, and the verbs that algorithms call on it."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from taut.errors import ModelError, OptionError, suggestion
from taut.mechanics import nodal_manifold, nodal_outputs, nodal_switching, redundancy
from taut.mechanics.assembly import euclidean, nodal_tables
from taut.mechanics.crushing import CRUSHED_LENGTH
from taut.mechanics.moving import tabulated_motions
from taut.mechanics.periods import shortest_period
from taut.mechanics.signals import Function, pieces_of, tabulate
from taut.mechanics.slopes import Slopes, nodal_slopes
from taut.mechanics.survey import problems_of_motion, problems_of_scenario
from taut.mechanics.tables import CRUSHED, EXPLICIT, GAINS, ITERATIVE, SIGNAL_DATA, STABILISED, Nodal
from taut.mechanics.thickness import without_inertia
from taut.mechanics.verb_sets import VerbSet, verb_set
from taut.mechanics.watching import BAND, Watched, Watcher, times_of, watched_by
from taut.numerics.packing import Pack, copied, integers_of, reals_of
from taut.structure.joining import subdivided
from taut.structure.properties import with_bars
from taut.structure.records import AXES
from taut.structure.scenario import SOLVERS, Damping, Feedback, Load, Motion, Sinusoid, Watch
from taut.structure.structure import Structure
from taut.structure.watches import problems_of_watches

SHARE_OF_A_WAVE = 0.125
"""Of a period of a support's motion: no step is longer, since what moves by itself has no error that could tell."""

AS_PRINTED = "compressible as printed"

SMALL = 500
"""Up to so many constraints a dense look at their independence is cheap."""


@dataclass(frozen=True)
class Plant:
    """The equations of motion of a structure, bars rigid or compressible: the nodal `taut.mechanics.machine.Machine`.

    structure: what is simulated; cables cut into segments are cut here, and bars have the law they move by.
    pack, tables: its flat arrays, for kernels and by name.
    positions, velocities: at the start, (n, 3) each, with moved supports where they are then.
    breaks: times at which a signal is not smooth.
    functions: loads given as Python functions or Feedback, by load; a plant with any of them runs uncompiled.
    """

    structure: Structure
    pack: Pack
    tables: Nodal
    breaks: np.ndarray
    positions: np.ndarray
    velocities: np.ndarray
    loads: tuple[Load, ...]
    functions: Mapping[int, Function]
    things: tuple[Watched, ...] = ()
    motions: tuple[Motion, ...] = ()

    @property
    def iterates(self) -> bool:
        """Whether linear systems are solved by iteration."""
        return bool(self.tables.constants.solver[0] == ITERATIVE)

    @property
    def thickens(self) -> bool:
        """Whether there are bars whose mass matrix changes with their shape."""
        return bool(self.tables.thick.bar.size)

    @cached_property
    def _verb_set(self) -> VerbSet:
        return verb_set(moved=bool(self.motions), iterative=self.iterates, thick=self.thickens)

    @property
    def formulation(self) -> str:
        return self._verb_set.name

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
        """Rigid bars first."""
        guides = (f'constraint "{name}"' for name in self.structure.constraints)
        return (*(f'bar "{bar.name}"' for bar in self.structure.bars.values() if bar.law == "rigid"), *guides)

    @property
    def load_names(self) -> tuple[str, ...]:
        """A load's own name, or its place; those that would come twice are numbered."""
        names = [load.name or f"{load.node}.{load.axis}" for load in self.loads]
        return tuple(
            f"{name}#{names[:k].count(name) + 1}" if names.count(name) > 1 else name for k, name in enumerate(names)
        )

    @cached_property
    def feedbacks(self) -> dict[int, Feedback]:
        """The loads that answer to the motion, by load."""
        return {k: function for k, function in self.functions.items() if isinstance(function, Feedback)}

    @cached_property
    def dampers(self) -> tuple[str, ...]:
        constants = self.tables.constants
        members = [f'cable "{name}"' for name in self.structure.cables]
        members += [f'bar "{bar.name}"' for bar in self.structure.bars.values() if bar.law == "compressible"]
        names = [members[k] for k in np.flatnonzero(self.tables.cables.damping)]
        names += [f'the feedback on node "{self.loads[k].node}"' for k in self.feedbacks]
        names += ["every node"] if constants.node_damping[0] else []
        return (*names, "the mass") if constants.mass_damping[0] else tuple(names)

    @cached_property
    def moved(self) -> tuple[str, ...]:
        nodes = list(self.structure.nodes)
        return tuple(dict.fromkeys(f'node "{nodes[i // 3]}"' for i in self.tables.moved.coordinate))

    @property
    def constant_mass(self) -> bool:
        return not self.thickens

    @property
    def works(self) -> bool:
        return bool(self.loads or self.dampers or self.motions)

    @property
    def typical_time(self) -> float:
        return float(self.tables.constants.scale[1])

    @cached_property
    def shortest_period(self) -> float:
        """Of the node that its cables hold stiffest, if its neighbours stood still, or of the stiffest bar by itself.

        A longer step could jump over a cable that goes taut and slack again, and no error estimate would see it.
        """
        waves = [signal for motion in self.motions for signal in (motion.displacement, motion.acceleration)]
        slowest = [SHARE_OF_A_WAVE / wave.frequency for wave in waves if isinstance(wave, Sinusoid) and wave.frequency]
        return min([shortest_period(self.tables, len(self.structure.cables)), *map(abs, slowest)])

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
            *t.thick,
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
        return np.array(list(self.structure.supported_nodes.values()), dtype=int)

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

    def obstacle(self, tables: Pack) -> str:
        crushed = int(integers_of(tables, CRUSHED)[0])
        if crushed < 0:
            return ""
        name = list(self.structure.bars)[crushed]
        return (
            f'bar "{name}" would next be pressed to less than {CRUSHED_LENGTH:.0%} of its length without force, '
            "where it is no bar any more; make it stiffer, or load it less"
        )

    def observed(self, tables: Pack, times: np.ndarray, states: np.ndarray) -> dict[str, np.ndarray]:
        out = nodal_outputs.empty_outputs(self.tables, times.size, self.held.size)
        pieces = pieces_of(self.breaks, times)
        looks = reals_of(tables, BAND)[0] > 0.0
        if looks:
            nodal_switching.release(tables)
        observe = self._verb_set.observe
        if self.compiled:
            observe(tables, times, pieces, states, self.held, out)
        for row in range(0 if self.compiled else times.size):
            one = slice(row, row + 1)
            self.set_functions(tables, float(times[row]), states[row])
            shown = type(out)(*(part[one] for part in out))
            observe(tables, times[one], pieces[one], states[one], self.held, shown)
        if times.size and not self.iterates and nodal_manifold.prepare(tables, states[0]) > 0:
            redundancy.smallest_forces(
                tables, self.tables, states, self.held, out.bar_force, out.constraint_force, out.reaction
            )
        if looks:
            nodal_switching.freeze(tables)
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

    def slopes(self, q: np.ndarray, v: np.ndarray, time: float, held: str) -> Slopes:
        return nodal_slopes(self, q, v, time, held)

    def verbs(self) -> dict[str, Callable[..., Any]]:
        """The functions that algorithms call; kernels, unless a load is a Python function."""
        verbs = dict(self._verb_set.verbs)
        if self.functions:
            verbs |= {name: self._with_functions(verbs[name]) for name in ("rate", "forces", "power")}
        return verbs

    def _with_functions(self, verb: Callable[..., Any]) -> Callable[..., Any]:
        """The verb with the values of Python loads written into the tables first."""

        def timely(pack: Pack, t: float, *rest: np.ndarray) -> Any:
            self.set_functions(pack, t, rest[0])
            return verb(pack, t, *rest)

        return timely

    def set_functions(self, pack: Pack, t: float, y: np.ndarray) -> None:
        """Write the values of Python loads at a time and a state into a pack of this plant."""
        nodes, velocities = (y[at : at + self.coordinates].reshape(-1, 3) for at in (0, self.coordinates))
        for index, function in self.functions.items():
            value = float(function.law(t, nodes, velocities) if isinstance(function, Feedback) else function(t))
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
    bars: str | Mapping[str, str] | None = None,
) -> Plant:
    """Make a structure ready to move.

    gravity: [m/s^2], a number acts along -z. motions: of supports, which otherwise stand still.
    velocities: of nodes at the start [m/s], zero where not named.
    events: what to look out for in a run, and what to do then.
    solver: "direct", or "iterative" for large structures in which bars meet and fill space, whose factor would grow
        faster than they do. Without meeting bars neither is needed.
    bars: None takes every bar as it says itself; "rigid", "compressible", or selector -> one of these, takes them so. A
        bar made rigid keeps the distance of its nodes. "compressible as printed" are eqs. (53) to (56) of the paper,
        without the energy of a bar's ends moving apart and without -dT/dq: only to show what that does.
    Raises ModelError with every problem found.
    """
    vector = (0.0, 0.0, -float(gravity)) if isinstance(gravity, int | float) else gravity
    loads, motions, damping, events = tuple(loads), tuple(motions), damping or Damping(), tuple(events)
    if solver not in SOLVERS:
        raise OptionError(f'solver "{solver}" is not one of {", ".join(SOLVERS)}{suggestion(solver, SOLVERS)}')
    printed = bars == AS_PRINTED
    structure = with_bars(structure, "compressible" if printed else bars)
    problems = problems_of_motion(structure)
    problems += problems_of_scenario(structure, vector, loads, motions, damping, velocities or {})
    problems += problems_of_watches(structure, events)
    if printed and not problems:
        problems = without_inertia(structure)
    if problems:
        raise ModelError(problems)
    fine = subdivided(structure)
    things = watched_by(fine, events)
    index = {node: 3 * i for i, node in enumerate(fine.nodes)}
    coordinates = [index[load.node] + AXES.index(load.axis) for load in loads]
    moved, knots = tabulated_motions(fine, motions)
    signals, breaks, functions = tabulate([load.signal for load in loads], coordinates, [*knots, *times_of(things)])
    iterative = solver == "iterative"
    pack, tables = nodal_tables(fine, vector, damping, signals, moved, things, iterative=iterative, printed=printed)
    speeds = np.array([(velocities or {}).get(node, (0.0, 0.0, 0.0)) for node in fine.nodes], dtype=float)
    start = np.concatenate([fine.positions.ravel(), speeds.ravel(), [0.0]])
    if motions:
        from taut.mechanics.moved_verbs import arrive

        tables.signals.piece[0] = pieces_of(breaks, np.zeros(1))[0]
        arrive(pack, 0.0, start)
    places, speeds = start[:-1].reshape(2, -1, 3)
    return Plant(fine, pack, tables, breaks, places, speeds, loads, functions, things, motions)
