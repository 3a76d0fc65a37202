"""The Plant: a structure made ready to move. Its tables, its start, and the operations that algorithms call on it."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from dataclasses import asdict, dataclass
from functools import cached_property
from itertools import pairwise
from typing import Any

import numpy as np

from taut.mechanics.compose import Composition, composed
from taut.mechanics.grounds.compliances import touching_nodes
from taut.mechanics.imposed.called_functions import with_functions
from taut.mechanics.imposed.commands import COMING
from taut.mechanics.imposed.controllers import MEMORY
from taut.mechanics.imposed.fresh_packs import fresh
from taut.mechanics.imposed.law_addresses import Law, failure_of
from taut.mechanics.kinds import Given
from taut.mechanics.linear.linearisation import nodal_linearisation
from taut.mechanics.linear.stable_step import longest_step
from taut.mechanics.operations import redundancy
from taut.mechanics.operations.event_words import Watched, Watcher
from taut.mechanics.operations.observation import observed
from taut.mechanics.points.linearisation import Linearisation
from taut.mechanics.signals import Called
from taut.mechanics.spec import BUILT_IN, Spec, rows_of, sources_of, terms_of
from taut.mechanics.systems.system_tables import Tables, euclidean, packed_by_name
from taut.mechanics.tables import GAINS, STABILISED
from taut.mechanics.terms.contacts import candidates
from taut.mechanics.terms.members import obstacle
from taut.mechanics.terms.springs import CRUSHED
from taut.numerics.packing import Pack, integers_of, reals_of
from taut.structure.grounds import Ground
from taut.structure.scenario import Load, Motion
from taut.structure.sensing import base_rate
from taut.structure.signals import Feedback
from taut.structure.structure import Structure

SMALL = 500  # up to so many constraints a dense look at their independence is cheap

WORK_SPACE = frozenset(
    ("work", "responses", "term_states", "events", "slackening", "constants", "jacobian", "pairs", "saddle", "minres")
)
"""Tables that say nothing of the motion that others do not say."""


@dataclass(frozen=True)
class Plant:
    """The equations of motion of a structure: the nodal `taut.mechanics.plant_protocol.PlantProtocol`.

    given: what it was assembled from; cables cut into segments are cut there, and bars have the law they move by.
    spec: the kinds of things it is made of. pack, tables: its flat arrays, for kernels and by name.
    positions, velocities: at the start, (n, 3) each, with moved supports where they are then.
    breaks: times at which a signal is not smooth.
    functions, driving: Python functions and Feedback in loads and in drives; a plant with any runs uncompiled.
    laws: those of its controllers, as functions that kernels call.
    """

    given: Given
    spec: Spec
    pack: Pack
    tables: Tables
    breaks: np.ndarray
    positions: np.ndarray
    velocities: np.ndarray
    functions: tuple[Called, ...]
    things: tuple[Watched, ...] = ()
    driving: tuple[Called, ...] = ()
    laws: tuple[Law, ...] = ()

    def __repr__(self) -> str:
        return self.given.titled(type(self).__name__)

    @property
    def points(self) -> Plant:
        return self

    @property
    def structure(self) -> Structure:
        """What is simulated."""
        return self.given.structure

    @property
    def loads(self) -> tuple[Load, ...]:
        return self.given.loads

    @property
    def motions(self) -> tuple[Motion, ...]:
        return self.given.motions

    @cached_property
    def composition(self) -> Composition:
        """The kernels of its Spec."""
        return composed(self.spec)

    @property
    def formulation(self) -> str:
        return f"nodal {self.spec!r}"

    @property
    def compiled(self) -> bool:
        return not (self.functions or self.driving)

    @property
    def lanes(self) -> tuple[int, ...]:
        return ()

    @property
    def coordinates(self) -> int:
        return int(self.positions.size)

    @property
    def rows(self) -> int:
        """Number of constraints."""
        return int(self.tables["work"].multiplier.size)

    @cached_property
    def constraint_names(self) -> tuple[str, ...]:
        """Rigid bars first."""
        return tuple(label for kind in rows_of(self.spec) for label in kind.labels(self.given))

    @property
    def load_names(self) -> tuple[str, ...]:
        """A load's own name, or its place; those that would come twice are numbered."""
        return self.given.load_names

    @property
    def drive_names(self) -> tuple[str, ...]:
        """A drive's own name, with that of the member where it drives several."""
        return tuple(driven.label for driven in self.given.driven)

    @cached_property
    def element_outputs(self) -> tuple[str, ...]:
        """What elements of kinds from outside show, a name for every number."""
        shown = [term.shows(self.given) for term in terms_of(self.spec) if term.shows is not None]
        names = [f"{name}[{k}]" for names in shown for name, count in names.items() for k in range(count)]
        return (*names, *(f"force of {label}" for label in self.constraint_names[self.own_rows :]))

    @property
    def shown(self) -> int:
        """How many numbers terms of kinds from outside show."""
        return len(self.element_outputs) - (self.rows - self.own_rows)

    @property
    def own_rows(self) -> int:
        """How many are not of kinds from outside, which follow."""
        return max((part.stop for name, part in self.row_ranges.items() if name in BUILT_IN), default=0)

    @cached_property
    def row_ranges(self) -> dict[str, slice]:
        """Which rows are those of each kind."""
        kinds = rows_of(self.spec)
        ends = np.cumsum([0, *(kind.pattern(self.tables[kind.name])[0].size for kind in kinds)]).tolist()
        return {kind.name: slice(*pair) for kind, pair in zip(kinds, pairwise(ends), strict=True)}

    @property
    def elements(self) -> list[dict[str, Any]]:
        """Elements of kinds from outside, by numbers and the name of their kind."""
        given = self.given.elements or {}
        found = [{"kind": kind, **asdict(record)} for kind, records in given.items() for record in records]
        # As a file gives them back.
        return [{name: [*value] if isinstance(value, tuple) else value for name, value in one.items()} for one in found]

    @cached_property
    def feedbacks(self) -> tuple[Called, ...]:
        """What answers to the motion in loads."""
        return tuple(called for called in self.functions if isinstance(called.function, Feedback))

    @cached_property
    def dampers(self) -> tuple[str, ...]:
        told: dict[str, tuple[str, ...]] = {}
        for term in terms_of(self.spec):
            if term.dampers is not None:
                told[term.name] = term.dampers(self.given, self.tables[term.name])
            elif term.works and term.load_power is None:
                told[term.name] = (f'the kind "{term.name}"',)
        fed = tuple(f'the feedback on node "{self.loads[called.signal].node}"' for called in self.feedbacks)
        fed += tuple(
            f'the drive "{self.drive_names[called.signal]}"'
            for called in self.driving
            if isinstance(called.function, Feedback)
        )
        fed += tuple(f'the controller "{one.name}"' for one in self.given.controllers if one.rate is None)
        nodes = told.pop("damping", ())
        return (*(name for names in told.values() for name in names), *fed, *nodes)

    @cached_property
    def moved(self) -> tuple[str, ...]:
        nodes = list(self.structure.nodes)
        places = self.tables["supports"].coordinate if self.motions else ()
        return tuple(dict.fromkeys(f'node "{nodes[i // 3]}"' for i in places))

    @property
    def constant_mass(self) -> bool:
        return self.spec.inertia == "thin"

    @property
    def works(self) -> bool:
        return bool(self.loads or self.dampers or self.spec.imposed or any(t.works for t in terms_of(self.spec)))

    @property
    def typical_length(self) -> float:
        return float(self.tables["constants"].scale[0])

    @property
    def typical_time(self) -> float:
        return float(self.tables["constants"].scale[1])

    @cached_property
    def shortest_period(self) -> float:
        """Of the node that its cables hold stiffest, if its neighbours stood still, or of the stiffest bar by itself.

        A longer step could jump over a cable that goes taut and slack again, and no error estimate would see it.
        """
        return longest_step(self.given, self.spec, self.tables)

    @cached_property
    def fingerprint(self) -> str:
        """A hash of all numbers that make the motion what it is; functions of time count only by their place."""
        digest = hashlib.sha256(repr(self.spec).encode())
        for name, table in self.tables.items():
            if name.removeprefix("metric_").removeprefix("newton_") not in WORK_SPACE:
                digest.update(name.encode())
                for field, part in zip(table._fields, table, strict=True):
                    if field not in ("room", "bent"):  # work space
                        digest.update((part + 0).tobytes())  # so that -0 counts as 0
        return digest.hexdigest()[:16]

    @property
    def held(self) -> np.ndarray:
        """Indices of the supported nodes, in the order of the nodes."""
        return np.array(list(self.structure.supported_nodes.values()), dtype=int)

    def own_tables(self, *, metric: str, gains: tuple[float, float]) -> Pack:
        pack = self.pack if metric == "mass" else packed_by_name(euclidean(self.spec, self.tables))[0]
        pack = fresh(pack, self.laws)
        reals_of(pack, GAINS)[:] = gains
        integers_of(pack, STABILISED)[0] = int(any(gains))
        return pack

    def start(self) -> tuple[np.ndarray, np.ndarray]:
        speeds = np.zeros(self.coordinates)
        free = self.tables["nodes"].free
        speeds[free] = self.velocities.ravel()[free]
        if self.motions:
            moved = self.tables["supports"].coordinate
            speeds[moved] = self.velocities.ravel()[moved]
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
        if self.spec.system == "minres":
            notes.append("the solver is iterative, so nothing is said of constraints that depend on one another")
        return tuple(notes)

    def dependent(self, tables: Pack, y: np.ndarray) -> np.ndarray:
        if self.spec.system == "pairs":
            return redundancy.idle_bars(self.tables, y)
        if self.spec.system == "minres":
            return np.zeros((0, self.rows))
        if self.rows <= SMALL and redundancy.masses_spread(self.tables):
            return redundancy.null_vectors_by_shape(self.composition.tools, self.tables, tables, y)
        return redundancy.null_vectors(tables, self.tables, self.composition.motion, y)

    def weakest(self, y: np.ndarray) -> np.ndarray:
        if self.rows > SMALL:
            return np.zeros(0)
        return redundancy.weakest_combination(self.composition.tools, self.tables, self.pack, y)

    @property
    def internal(self) -> np.ndarray:
        """Internal states at the start: commands, what is measured, contact forces, and those of terms."""
        commanded = self.tables["commands"].coming if "commands" in self.tables else np.zeros(0)
        more = self.tables["contacts"].impulse.size + self.tables["term_states"].size.size
        return np.concatenate([commanded, np.zeros(more)])

    @property
    def ticks(self) -> bool:
        """Whether it has controllers or sensors that come at their times."""
        return base_rate(self.given.sensors, self.given.controllers) > 0.0

    @cached_property
    def sampled_sensors(self) -> np.ndarray:
        """(m,) which sensors measure at times of their own, or of a controller; others whenever someone looks."""
        table = self.tables.get("controllers")
        return np.zeros(len(self.given.sensors), dtype=bool) if table is None else table.sensor_every > 0

    @property
    def sensor_names(self) -> tuple[str, ...]:
        return tuple(sensor.name for sensor in self.given.sensors)

    @property
    def grounds(self) -> tuple[Ground, ...]:
        return self.given.grounds

    @cached_property
    def contact_names(self) -> tuple[str, ...]:
        return tuple(one.name for one in (*candidates(self.given), *touching_nodes(self.given)))

    def memory(self, tables: Pack) -> np.ndarray:
        """What its controllers remember, to be changed in place; nothing where there are none."""
        return reals_of(tables, MEMORY)

    def raise_stops(self) -> None:
        for law in self.laws:
            law.stop()

    def coming(self, tables: Pack) -> np.ndarray:
        return reals_of(tables, COMING)

    def obstacle(self, tables: Pack) -> str:
        if self.laws and (failure := failure_of(self.given, self.laws, reals_of(tables, MEMORY))):
            return failure
        crushed = int(integers_of(tables, CRUSHED)[0])
        return "" if crushed < 0 else obstacle(self.given, crushed)

    def observed(self, tables: Pack, times: np.ndarray, states: np.ndarray) -> dict[str, np.ndarray]:
        return observed(self, tables, times, states)

    @cached_property
    def watcher(self) -> Watcher | None:
        sources = [
            (source.subjects(self.given, self.tables[name]), source.changes) for name, source in sources_of(self.spec)
        ]
        subjects = tuple((*subject, changes) for names, changes in sources for subject in names)
        size = 2 * self.coordinates + 1 + self.internal.size
        return Watcher(self.composition.tools, subjects, self.things, size) if subjects or self.things else None

    def linearised(self, q: np.ndarray, v: np.ndarray, time: float, held: str) -> Linearisation:
        return nodal_linearisation(self, q, v, time, held)

    def operations(self) -> dict[str, Callable[..., Any]]:
        """The functions that algorithms call; kernels, unless a load or a drive is a Python function."""
        return with_functions(self, self.composition.motion)
