"""The Plant: a structure made ready to move. Its tables, its start, and the verbs that algorithms call on it."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from taut.errors import ModelError, OptionError, Problem, suggestion
from taut.mechanics import nodal, nodal_manifold, nodal_momentum, nodal_outputs, redundancy
from taut.mechanics.assembly import euclidean, nodal_tables
from taut.mechanics.crushing import CRUSHED_LENGTH
from taut.mechanics.periods import shortest_period
from taut.mechanics.signals import pieces_of, tabulate
from taut.mechanics.survey import problems_of_motion
from taut.mechanics.tables import CRUSHED, EXPLICIT, GAINS, ITERATIVE, SIGNAL_DATA, STABILISED, Nodal
from taut.mechanics.thickness import without_inertia
from taut.numerics.packing import Pack, copied, integers_of, reals_of
from taut.structure.joining import subdivided
from taut.structure.properties import with_bars
from taut.structure.records import AXES
from taut.structure.scenario import SOLVERS, Damping, Load
from taut.structure.structure import Structure

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
}
"""What a stepper or a correction may ask of a plant's tables. A formulation is one more set of these."""

AS_PRINTED = "compressible as printed"

SMALL = 500
"""Up to so many constraints a dense look at their independence is cheap."""


@dataclass(frozen=True)
class Plant:
    """The equations of motion of a structure, bars rigid or compressible: the nodal `taut.mechanics.machine.Machine`.

    structure: what is simulated; cables cut into segments are cut here, and bars have the law they move by.
    pack, tables: its flat arrays, for kernels and by name.
    positions, velocities: at the start, (n, 3) each. breaks: times at which a signal is not smooth.
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

    @property
    def iterates(self) -> bool:
        """Whether linear systems are solved by iteration."""
        return bool(self.tables.constants.solver[0] == ITERATIVE)

    @property
    def thickens(self) -> bool:
        """Whether there are bars whose mass matrix changes with their shape."""
        return bool(self.tables.thick.bar.size)

    @property
    def formulation(self) -> str:
        return "nodal_iterative" if self.iterates else "nodal_thick" if self.thickens else "nodal"

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
    def dampers(self) -> tuple[str, ...]:
        constants = self.tables.constants
        members = [f'cable "{name}"' for name in self.structure.cables]
        members += [f'bar "{bar.name}"' for bar in self.structure.bars.values() if bar.law == "compressible"]
        names = [members[k] for k in np.flatnonzero(self.tables.cables.damping)]
        names += ["every node"] if constants.node_damping[0] else []
        return (*names, "the mass") if constants.mass_damping[0] else tuple(names)

    @property
    def constant_mass(self) -> bool:
        return not self.thickens

    @property
    def works(self) -> bool:
        return bool(self.loads or self.dampers)

    @property
    def typical_time(self) -> float:
        return float(self.tables.constants.scale[1])

    @cached_property
    def shortest_period(self) -> float:
        """Of the node that its cables hold stiffest, if its neighbours stood still, or of the stiffest bar by itself.

        A longer step could jump over a cable that goes taut and slack again, and no error estimate would see it.
        """
        return shortest_period(self.tables, len(self.structure.cables))

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
        free = self.tables.nodes.free
        speeds[free] = self.velocities.ravel()[free]
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

    def remarks(self, tables: Pack) -> tuple[str, ...]:
        crushed = int(integers_of(tables, CRUSHED)[0])
        if crushed < 0:
            return ()
        name = list(self.structure.bars)[crushed]
        return (
            f'bar "{name}" would next be pressed to less than {CRUSHED_LENGTH:.0%} of its length without force, '
            "where it is no bar any more; make it stiffer, or load it less",
        )

    def observed(self, tables: Pack, times: np.ndarray, states: np.ndarray) -> dict[str, np.ndarray]:
        out = nodal_outputs.empty_outputs(self.tables, times.size, self.held.size)
        pieces = pieces_of(self.breaks, times)
        observe = nodal_outputs.observe
        if self.iterates:
            from taut.mechanics.iterative_verbs import observe
        elif self.thickens:
            from taut.mechanics.thick_verbs import observe
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
        size = self.coordinates
        return {
            "nodes": states[:, :size].reshape(-1, size // 3, 3).copy(),
            "velocities": states[:, size : 2 * size].reshape(-1, size // 3, 3).copy(),
            **out._asdict(),
        }

    def verbs(self) -> dict[str, Callable[..., Any]]:
        """The functions that algorithms call; kernels, unless a load is a Python function."""
        verbs = dict(NODAL_VERBS)
        if self.iterates:
            from taut.mechanics.iterative_verbs import ITERATIVE_VERBS

            verbs |= ITERATIVE_VERBS
        elif self.thickens:
            from taut.mechanics.thick_verbs import THICK_VERBS

            verbs |= THICK_VERBS
        if self.functions:
            verbs |= {name: self._with_functions(verbs[name]) for name in ("rate", "forces", "power")}
        return verbs

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
    damping: Damping | None = None,
    velocities: Mapping[str, tuple[float, float, float]] | None = None,
    solver: str = "direct",
    bars: str | Mapping[str, str] | None = None,
) -> Plant:
    """Make a structure ready to move.

    gravity: [m/s^2], a number acts along -z. velocities: of nodes at the start [m/s], zero where not named.
    solver: "direct", or "iterative" for large structures in which bars meet and fill space, whose factor would grow
        faster than they do. Without meeting bars neither is needed.
    bars: None takes every bar as it says itself; "rigid", "compressible", or selector -> one of these, takes them so. A
        bar made rigid keeps the distance of its nodes. "compressible as printed" are eqs. (53) to (56) of the paper,
        without the energy of a bar's ends moving apart and without -dT/dq: only to show what that does.
    Raises ModelError with every problem found.
    """
    vector = (0.0, 0.0, -float(gravity)) if isinstance(gravity, int | float) else gravity
    loads, damping = tuple(loads), damping or Damping()
    if solver not in SOLVERS:
        raise OptionError(f'solver "{solver}" is not one of {", ".join(SOLVERS)}{suggestion(solver, SOLVERS)}')
    printed = bars == AS_PRINTED
    structure = with_bars(structure, "compressible" if printed else bars)
    problems = problems_of_motion(structure)
    problems += _scenario_problems(structure, vector, loads, damping, velocities or {})
    if printed and not problems:
        problems = without_inertia(structure)
    if problems:
        raise ModelError(problems)
    fine = subdivided(structure)
    index = {node: 3 * i for i, node in enumerate(fine.nodes)}
    coordinates = [index[load.node] + AXES.index(load.axis) for load in loads]
    signals, breaks, functions = tabulate([load.signal for load in loads], coordinates)
    pack, tables = nodal_tables(fine, vector, damping, signals, iterative=solver == "iterative", printed=printed)
    speeds = np.array([(velocities or {}).get(node, (0.0, 0.0, 0.0)) for node in fine.nodes], dtype=float)
    return Plant(fine, pack, tables, breaks, fine.positions, speeds.reshape(-1, 3), loads, functions)


def _scenario_problems(
    structure: Structure,
    gravity: tuple[float, ...],
    loads: tuple[Load, ...],
    damping: Damping,
    velocities: Mapping[str, tuple[float, float, float]],
) -> list[Problem]:
    found = []
    if len(gravity) != 3 or not np.all(np.isfinite(gravity)):
        found.append(Problem(("gravity",), f"{list(gravity)} is not three finite numbers"))
    for index, load in enumerate(loads):
        if load.node not in structure.nodes:
            message = f'no node "{load.node}"{suggestion(load.node, structure.nodes)}'
            found.append(Problem(("loads", index, "node"), message))
        if load.axis not in tuple(AXES):
            found.append(Problem(("loads", index, "axis"), f'"{load.axis}" is not an axis; say x, y or z'))
    for name in ("node", "mass", "stiffness"):
        value = getattr(damping, name)
        if not value >= 0.0 or not np.isfinite(value):
            found.append(Problem(("damping", name), f"{value} must be a finite number, zero or more"))
    for node, speed in velocities.items():
        if node not in structure.nodes:
            found.append(Problem(("velocities", node), f'no node "{node}"{suggestion(node, structure.nodes)}'))
        if len(speed) != 3 or not np.all(np.isfinite(speed)):
            found.append(Problem(("velocities", node), f"{list(speed)} is not three finite numbers"))
    return found
