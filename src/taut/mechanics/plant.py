"""The Plant: a structure made ready to move. Its tables, its start, and the verbs that algorithms call on it."""

from __future__ import annotations

import hashlib
import math
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from taut.errors import ModelError, OptionError, Problem, suggestion
from taut.mechanics import nodal, nodal_manifold, nodal_momentum, nodal_outputs, redundancy
from taut.mechanics.assembly import euclidean, nodal_tables
from taut.mechanics.signals import Function, pieces_of, tabulate
from taut.mechanics.slopes import Slopes, nodal_slopes
from taut.mechanics.survey import problems_of_motion
from taut.mechanics.tables import EXPLICIT, GAINS, ITERATIVE, SIGNAL_DATA, STABILISED, Nodal
from taut.numerics.packing import Pack, copied, integers_of, reals_of
from taut.structure.joining import subdivided
from taut.structure.records import AXES
from taut.structure.scenario import SOLVERS, Damping, Feedback, Load
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

SMALL = 500
"""Up to so many constraints a dense look at their independence is cheap."""


@dataclass(frozen=True)
class Plant:
    """The equations of motion of a structure with rigid bars: the nodal `taut.mechanics.machine.Machine`.

    structure: what is simulated; cables cut into segments are cut here.
    pack, tables: its flat arrays, for kernels and by name.
    positions, velocities: at the start, (n, 3) each. breaks: times at which a signal is not smooth.
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

    @property
    def iterates(self) -> bool:
        """Whether linear systems are solved by iteration."""
        return bool(self.tables.constants.solver[0] == ITERATIVE)

    @property
    def formulation(self) -> str:
        return "nodal_iterative" if self.iterates else "nodal"

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
    def feedbacks(self) -> dict[int, Feedback]:
        """The loads that answer to the motion, by load."""
        return {k: function for k, function in self.functions.items() if isinstance(function, Feedback)}

    @cached_property
    def dampers(self) -> tuple[str, ...]:
        constants, cables = self.tables.constants, list(self.structure.cables)
        names = [f'cable "{cables[k]}"' for k in np.flatnonzero(self.tables.cables.damping)]
        names += [f'the feedback on node "{self.loads[k].node}"' for k in self.feedbacks]
        names += ["every node"] if constants.node_damping[0] else []
        return (*names, "the mass") if constants.mass_damping[0] else tuple(names)

    @property
    def constant_mass(self) -> bool:
        return True

    @property
    def works(self) -> bool:
        return bool(self.loads or self.dampers)

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

    def observed(self, tables: Pack, times: np.ndarray, states: np.ndarray) -> dict[str, np.ndarray]:
        out = nodal_outputs.empty_outputs(self.tables, times.size, self.held.size)
        pieces = pieces_of(self.breaks, times)
        observe = nodal_outputs.observe
        if self.iterates:
            from taut.mechanics.iterative_verbs import observe
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
        size = self.coordinates
        return {
            "nodes": states[:, :size].reshape(-1, size // 3, 3).copy(),
            "velocities": states[:, size : 2 * size].reshape(-1, size // 3, 3).copy(),
            **out._asdict(),
        }

    def slopes(self, q: np.ndarray, v: np.ndarray, time: float, held: str) -> Slopes:
        return nodal_slopes(self, q, v, time, held)

    def verbs(self) -> dict[str, Callable[..., Any]]:
        """The functions that algorithms call; kernels, unless a load is a Python function."""
        verbs = dict(NODAL_VERBS)
        if self.iterates:
            from taut.mechanics.iterative_verbs import ITERATIVE_VERBS

            verbs |= ITERATIVE_VERBS
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
    damping: Damping | None = None,
    velocities: Mapping[str, tuple[float, float, float]] | None = None,
    solver: str = "direct",
) -> Plant:
    """Make a structure with rigid bars ready to move.

    gravity: [m/s^2], a number acts along -z. velocities: of nodes at the start [m/s], zero where not named.
    solver: "direct", or "iterative" for large structures in which bars meet and fill space, whose factor would grow
        faster than they do. Without meeting bars neither is needed.
    Raises ModelError with every problem found.
    """
    vector = (0.0, 0.0, -float(gravity)) if isinstance(gravity, int | float) else gravity
    loads, damping = tuple(loads), damping or Damping()
    if solver not in SOLVERS:
        raise OptionError(f'solver "{solver}" is not one of {", ".join(SOLVERS)}{suggestion(solver, SOLVERS)}')
    problems = problems_of_motion(structure)
    problems += _scenario_problems(structure, vector, loads, damping, velocities or {})
    if problems:
        raise ModelError(problems)
    fine = subdivided(structure)
    index = {node: 3 * i for i, node in enumerate(fine.nodes)}
    coordinates = [index[load.node] + AXES.index(load.axis) for load in loads]
    signals, breaks, functions = tabulate([load.signal for load in loads], coordinates)
    pack, tables = nodal_tables(fine, vector, damping, signals, iterative=solver == "iterative")
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
