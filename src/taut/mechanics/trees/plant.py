"""A tree of rigid bodies as a plant: what runs and linear models ask of it."""

from __future__ import annotations

import hashlib
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np

from taut.errors import ModelError, OptionError, Problem, suggestion
from taut.mechanics.operations.event_words import Watched
from taut.mechanics.plant import Plant
from taut.mechanics.plant_protocol import changed_coordinates
from taut.mechanics.points.linearisation import Linearisation
from taut.mechanics.signals import in_order
from taut.mechanics.trees import embedding as on_sphere
from taut.mechanics.trees.closure import closed
from taut.mechanics.trees.contact.contact_nodes import on_grounds
from taut.mechanics.trees.contact.striking_operations import STRIKING
from taut.mechanics.trees.embedding import Embedding, embedding_of
from taut.mechanics.trees.equations import TreeEquations
from taut.mechanics.trees.events.tree_watcher import TreeWatcher, slackening, tree_watcher, watched_by_tree
from taut.mechanics.trees.implicit.tree_stages import STAGES
from taut.mechanics.trees.pushes import Nodal, Pushes, dampers_of, works_by_itself
from taut.mechanics.trees.saddle import of_unit_length, weakest
from taut.mechanics.trees.shown import Shown, observed, shown
from taut.mechanics.trees.spans.span_cables import Spans, span_names
from taut.mechanics.trees.spans.span_starts import left_by, turned_at_start
from taut.mechanics.trees.spans.turns import Counted
from taut.mechanics.trees.tree_linearisation import tree_linearisation
from taut.mechanics.trees.tree_operations import OPERATIONS, Workspace, all_rows
from taut.reprs import all_fields, titled
from taut.structure.bodies import ORIGIN
from taut.structure.grounds import Ground
from taut.structure.scenario import Watch
from taut.structure.signals import Signal
from taut.structure.structure import Structure
from taut.structure.trees import Tree
from taut.type_checks import checked_arguments

Law = Callable[[float, np.ndarray, np.ndarray], Any]


@dataclass(frozen=True, repr=False)
class TreePlant:
    """A `taut.mechanics.plant_protocol.PlantProtocol` in the coordinates of a tree; made by `tree_plant`.

    positions, velocities: at the start, with quaternions as four numbers (`names`). torques: signals at driven joints.
    controller: (t, q, v) -> torques at driven joints, more than those signals; decided so often a second (`rate`), or
    at every evaluation. size: a typical length [m], which tolerances are relative to. counted: where spans have their
    natural lengths, and where it is known how far they have turned since.
    """

    tree: Tree
    positions: np.ndarray
    velocities: np.ndarray
    torques: Mapping[str, Signal | float] = field(default_factory=dict)
    controller: Law | None = None
    rate: float | None = None
    nodal: Nodal | None = None
    size: float = 1.0
    things: tuple[Watched, ...] = ()
    counted: Counted | None = None

    formulation = "tree"
    compiled = False
    constant_mass = False
    shortest_period = math.inf
    lanes: tuple[int, ...] = ()
    load_names: tuple[str, ...] = ()
    drive_names: tuple[str, ...] = ()
    sensor_names: tuple[str, ...] = ()
    elements: tuple[dict[str, Any], ...] = ()
    moved: tuple[str, ...] = ()

    def __repr__(self) -> str:
        return titled("TreePlant", self.tree.name, f"{self.coordinates} coordinates", f"{self.rows} constraints")

    @cached_property
    def equations(self) -> TreeEquations:
        """Its terms, for whoever asks between runs; every run has its own."""
        return TreeEquations(self.tree)

    @cached_property
    def embedding(self) -> Embedding:
        return embedding_of(self.tree)

    @property
    def names(self) -> tuple[str, ...]:
        """Of the coordinates: the tree's positions."""
        return self.equations.position_names

    @property
    def points(self) -> Any:
        return None

    @property
    def structure(self) -> Structure:
        """Bodies and cables as nodes and members, to be shown; or those of the nodal plant."""
        return self.shown.structure if self.in_nodes is None else self.in_nodes.structure

    @property
    def in_nodes(self) -> Plant | None:
        """The nodal plant that it is shown as; none where there is none, and where its nodes are contact points."""
        return None if self.nodal is None or self.tree.points else self.nodal.plant

    @cached_property
    def shown(self) -> Shown:
        return shown(self, self.equations)

    @property
    def coordinates(self) -> int:
        return self.embedding.positions

    @property
    def rows(self) -> int:
        return self.equations.rows + len(self.embedding.names)

    @property
    def constraint_names(self) -> tuple[str, ...]:
        return (*self.equations.loop_names, *self.embedding.names)

    @cached_property
    def breaks(self) -> np.ndarray:
        times = [thing.level for thing in self.things if thing.is_time]
        return in_order([*Pushes(self.equations, self.torques, self.nodal).breaks, *times])

    @property
    def works(self) -> bool:
        pushes = bool(self.torques) or self.controller is not None or bool(self.dampers)
        return pushes or works_by_itself(self.equations, self.nodal)

    @property
    def dampers(self) -> tuple[str, ...]:
        return (*dampers_of(self.tree), *(() if self.nodal is None else self.nodal.plant.dampers))

    @property
    def typical_length(self) -> float:
        return self.size

    @property
    def typical_time(self) -> float:
        return math.sqrt(self.size / g) if (g := self.tree.gravity) > 1e-4 * self.size else 1.0  # less is as none

    @cached_property
    def whole_mass(self) -> float:
        """About how much inertia its coordinates have."""
        return float(np.trace(self.equations.mass(on_sphere.configuration(self.embedding, self.positions))))

    @cached_property
    def slackening(self) -> np.ndarray:
        """Numbers of the cables that can go slack."""
        return slackening(self)

    @cached_property
    def watcher(self) -> TreeWatcher | None:
        return tree_watcher(self)

    @property
    def grounds(self) -> tuple[Ground, ...]:
        return () if self.nodal is None else self.nodal.plant.grounds

    @property
    def contact_names(self) -> tuple[str, ...]:
        return () if self.nodal is None else self.nodal.plant.contact_names

    @property
    def held_inputs(self) -> int:
        """How many torques a controller holds."""
        return len(self.equations.input_names) if self.ticks else 0

    @property
    def internal(self) -> np.ndarray:
        """Torques that a controller holds; states of the nodal plant's terms; how far the ways of spans have turned."""
        kept = np.zeros(0) if self.nodal is None else self.nodal.plant.internal
        return np.concatenate([np.zeros(self.held_inputs), kept, self.turned])

    @cached_property
    def turned(self) -> np.ndarray:
        """(2 spans,) how far ways between pulleys have turned at the start [rad]; OptionError where nothing says it."""
        return turned_at_start(self)

    def after(self, run: Any, sample: int = -1) -> TreePlant:
        """The plant as a run of it left it, with turns of spans, which positions may not say: for linear models."""
        return left_by(self, run, sample)

    @property
    def pulleys(self) -> tuple[dict[str, Any], ...]:
        """What is drawn of them: nodes of `structure` in the middle and in the plane of each, and radii."""
        return self.shown.pulleys if self.in_nodes is None else ()

    @property
    def ticks(self) -> bool:
        return self.controller is not None and self.rate is not None

    @property
    def element_outputs(self) -> tuple[str, ...]:
        equations = self.equations
        return (
            *(f"{name}.strain" for name in equations.cable_names),
            *(f"{name}.tension" for name in equations.cable_names),
            *(f"{name}.torque" for name in equations.input_names),
            *span_names(self.tree.spans),
        )

    @cached_property
    def fingerprint(self) -> str:
        """By the records and the start; a controller cannot be compared."""
        tree, parts = self.tree, [self.positions, self.velocities]
        if self.counted is not None and not np.array_equal(self.counted.natural_at, self.positions):
            parts += [self.counted.natural_at, self.turned]
        told = repr(tuple(map(all_fields, (*tree.joints, *tree.loops, *tree.wrenches, *tree.spans, *tree.points))))
        told += repr((tree.gravity, sorted((k, repr(s)) for k, s in self.torques.items()), self.rate))
        told += repr(self.things) + ("" if self.nodal is None else self.nodal.plant.fingerprint + repr(self.nodal[1:]))
        digest = hashlib.sha256(told.encode())
        for part in parts:
            digest.update((part + 0.0).tobytes())
        return digest.hexdigest()[:16]

    def memory(self, tables: Workspace) -> np.ndarray:
        return tables.memory

    def coming(self, tables: Workspace) -> np.ndarray:
        return tables.coming

    def raise_stops(self) -> None:
        """What a controller raises goes up by itself."""

    @property
    def gravity(self) -> tuple[float, float, float]:
        return (0.0, 0.0, -self.tree.gravity) if self.in_nodes is None else self.in_nodes.given.gravity

    def operations(self) -> Mapping[str, Callable[..., Any]]:
        rigid = any(ground.compliance is None for ground in self.grounds)
        return STRIKING if rigid else {**OPERATIONS, **STAGES}

    def own_tables(self, *, metric: str, gains: tuple[float, float]) -> Workspace:
        return Workspace(self, metric == "euclidean", gains)

    def start(self) -> tuple[np.ndarray, np.ndarray]:
        return self.positions.copy(), self.velocities.copy()

    def split(self, y: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Positions q (nq,) and velocities v (nv,) of a state, or of a row of `coordinate` and `coordinate_rate`."""
        x, rate = y[: self.coordinates], y[self.coordinates : 2 * self.coordinates]
        return on_sphere.configuration(self.embedding, x), on_sphere.velocity(self.embedding, x, rate)

    def changes(self, q: np.ndarray, v: np.ndarray) -> tuple[str, ...]:
        return changed_coordinates(self.names, (self.positions, self.velocities), (q, v))

    def _rows_at(self, x: np.ndarray) -> np.ndarray:
        space = Workspace(self, False, (0.0, 0.0))
        return all_rows(space, x, on_sphere.configuration(self.embedding, x))

    def dependent(self, tables: Workspace, y: np.ndarray) -> np.ndarray:
        left, singular, _ = np.linalg.svd(of_unit_length(self._rows_at(y[: self.coordinates])))
        rank = int(np.sum(singular > 1e-10 * np.max(singular, initial=0.0)))
        return np.asarray(left[:, rank:].T)

    def weakest(self, y: np.ndarray) -> np.ndarray:
        return weakest(self._rows_at(y[: self.coordinates]), self._rows_at(self.positions))

    def obstacle(self, tables: Workspace) -> str:
        return tables.stuck

    def linearised(self, q: np.ndarray, v: np.ndarray, time: float, held: str) -> Linearisation:
        return tree_linearisation(self, q, v, time, held)

    def observed(self, tables: Workspace, times: np.ndarray, states: np.ndarray) -> dict[str, np.ndarray]:
        return observed(self, tables, times, states)


@checked_arguments
def tree_plant(
    tree: Tree,
    *,
    torques: Mapping[str, Signal | float] | None = None,
    controller: Law | None = None,
    rate: float | None = None,
    size: float | None = None,
    events: Sequence[Watch] = (),
    ground: Sequence[Ground] = (),
) -> TreePlant:
    """A plant for `taut.simulate`, `taut.start` and `taut.linearise`, whose start is brought onto the loops.

    torques: at driven joints, by name [N m], of prismatic ones forces [N]; positive ones wind cables in.
    controller: a function (t, q, v) of time, positions and velocities of the tree, that returns torques (or forces) of
        all driven joints in their order, beside those.
    rate: how often a second it decides, its torques being held between; None for every evaluation of the equations.
    size: a typical length [m], which tolerances are relative to; by default the largest distance from the first joint.
    events: what to look out for, and what to do when it happens; nodes are those of `structure`. Cables of involute
        joints and spans that go slack and taut again are found in any case, and told in the run's `events`.
    ground: what the tree's contact points touch, which are nodes to it; with rigid ones a plant is followed by method
        "impulses".
    """
    made = made_plant(tree, torques or {}, controller, rate, size, None)
    if ground:
        made = replace(made, nodal=on_grounds(made, tuple(ground)))
    return replace(made, things=watched_by_tree(made, events))


def made_plant(
    tree: Tree,
    torques: Mapping[str, Signal | float],
    controller: Law | None,
    rate: float | None,
    size: float | None,
    nodal: Nodal | None,
) -> TreePlant:
    if not tree.joints:
        raise ModelError([Problem(("joints",), "there are none; a tree needs one at least")])
    equations = TreeEquations(tree)
    for name in torques:
        if name not in equations.input_names:
            hint = suggestion(name, equations.input_names)
            raise OptionError(f'torques name "{name}", which is no driven joint of the tree{hint}')
    if rate is not None and not (math.isfinite(rate) and rate > 0.0):
        raise OptionError(f"a controller that decides {rate} times a second: give a finite number more than zero")
    if rate is not None and controller is None:
        raise OptionError("a rate is that of a controller; give one, or leave the rate out")
    q, v = equations.start()
    if wrong := equations.unwound_wrong(q):
        raise ModelError([Problem(("joints",), wrong)])
    if size is not None and not size > 0.0:
        raise OptionError(f"a size of {size} m: give more than zero")
    embedding = embedding_of(tree)
    before, q = q, closed(equations, q)
    for name, value in zip(equations.position_names, before, strict=True):
        if not math.isfinite(value):
            raise ModelError([Problem(("joints",), f'the start of "{name}" is {value}')])
    if tree.spans:
        Spans(equations).begin(q)  # what is wrong with them is told before anything runs
    ends = [*((joint.body.name, ORIGIN) for joint in tree.joints), *((point.body, point.at) for point in tree.points)]
    places = equations.places(q, equations.points_at(*zip(*ends, strict=True)))
    reach = float(np.linalg.norm(places - places[:1], axis=1).max(initial=0.0))
    return TreePlant(
        tree,
        q,
        on_sphere.rates_of(embedding, q, v),
        dict(torques),
        controller,
        rate,
        nodal,
        size or (reach if reach > 1e-6 else 1.0),
        counted=Counted(q, q, np.zeros(2 * len(tree.spans))) if tree.spans else None,
    )
