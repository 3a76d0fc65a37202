"""Plants in generalised coordinates: a structure whose nodes follow joints, with everything that acts on nodes.

Made by `taut.in_coordinates` from a nodal plant and joints. The same forces, drives, loads, dampers and controllers act
on its nodes; constraints that the joints meet by themselves are left out, and all others close loops.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, fields, replace
from functools import cache, cached_property
from typing import Any

import numpy as np

from taut.errors import ModelError, OptionError, Problem, suggestion
from taut.mechanics.compose import Composition, _parts, composed
from taut.mechanics.imposed.law_addresses import with_addresses
from taut.mechanics.operations import motion, outputs
from taut.mechanics.operations.observation import observed
from taut.mechanics.plant import Plant
from taut.mechanics.points import generalised_operations as own
from taut.mechanics.points.generalised_tables import KIND, work_space
from taut.mechanics.points.joints import tabulate
from taut.mechanics.points.linearisation import Linearisation, solved
from taut.mechanics.rows.held_lengths import TAUT
from taut.mechanics.signals import pieces_of
from taut.mechanics.spec import Spec
from taut.mechanics.systems.system_tables import METRIC, Tables, packed_by_name
from taut.mechanics.tables import GAINS, STABILISED, Constants, part_of
from taut.numerics.compiled import Rebinding
from taut.numerics.differences import jacobian
from taut.numerics.packing import Pack, copied, integers_of, reals_of
from taut.structure.grounds import Ground
from taut.structure.joints import Joint, coordinate_names, problems_of_joints, start_values, steps_of
from taut.structure.structure import Structure
from taut.type_checks import checked_arguments

_METRIC = part_of("constants", Constants, "metric")

MET = 1e-9
"""Of the size of a row: what the map changes of it, at places around the start, where it meets the row by itself."""
TRIED, APART = 5, 0.3
"""Places around the start, and how far they are from it, in radians and typical lengths."""


@cache
def _composed(spec: Spec) -> Mapping[str, Any]:
    """The operations of all plants of one Spec in generalised coordinates."""
    made = Rebinding(_parts(spec))
    found = {one.py_func.__name__: made(one) for one in own.MOTION}
    found["impose"] = found.pop("impose_on")
    if not spec.imposed:
        del found["impose"]
    if "controllers" in spec.imposed:
        found["decide"] = made(own.decide_by)
    return found


@cache
def _tools(spec: Spec) -> Mapping[str, Any]:
    made = Rebinding(_parts(spec))
    return {one.py_func.__name__: made(one) for one in (own.fill_terms, own.fill_nodal)}


@cache
def _reading(spec: Spec) -> Composition:
    """What is read off nodes, by accelerations and multipliers that are known already."""
    whole = composed(spec)
    observe = Rebinding({**_parts(spec), motion.rate: own.given_rate})(outputs.observe)
    return whole._replace(tools={**whole.tools, "observe": observe})


@dataclass(frozen=True, repr=False)
class _Nodes(Plant):
    """The nodes of a plant in generalised coordinates, to be read off."""

    @cached_property
    def composition(self) -> Composition:
        return _reading(self.spec)

    def dependent(self, tables: Pack, y: np.ndarray) -> np.ndarray:
        return np.zeros((0, self.rows))


@dataclass(frozen=True)
class GeneralisedPlant:
    """A `taut.mechanics.plant_protocol.PlantProtocol` in the coordinates of joints; made by `in_coordinates`.

    points: the nodal plant, whose start its nodes have. names: of the coordinates. positions, velocities: at the start.
    kept: rows of the nodal plant that the joints do not meet by themselves.
    """

    points: Plant
    joints: tuple[Joint, ...]
    names: tuple[str, ...]
    pack: Pack
    tables: Tables
    positions: np.ndarray
    velocities: np.ndarray
    kept: np.ndarray

    def __repr__(self) -> str:
        return f"{self.points!r} in {len(self.names)} coordinates"

    lanes: tuple[int, ...] = ()
    compiled = True
    constant_mass = False
    watcher = None
    moved: tuple[str, ...] = ()
    contact_names: tuple[str, ...] = ()
    grounds: tuple[Ground, ...] = ()

    @property
    def structure(self) -> Structure:
        return self.points.structure

    @property
    def formulation(self) -> str:
        return f"generalised {self.points.spec!r}"

    @property
    def coordinates(self) -> int:
        return len(self.names)

    @property
    def rows(self) -> int:
        return int(self.kept.size)

    @property
    def constraint_names(self) -> tuple[str, ...]:
        return tuple(self.points.constraint_names[row] for row in self.kept)

    @property
    def breaks(self) -> np.ndarray:
        return self.points.breaks

    @property
    def works(self) -> bool:
        return self.points.works

    @property
    def dampers(self) -> tuple[str, ...]:
        return self.points.dampers

    @property
    def typical_length(self) -> float:
        return self.points.typical_length

    @property
    def typical_time(self) -> float:
        return self.points.typical_time

    @property
    def shortest_period(self) -> float:
        return self.points.shortest_period

    @property
    def load_names(self) -> tuple[str, ...]:
        return self.points.load_names

    @property
    def drive_names(self) -> tuple[str, ...]:
        return self.points.drive_names

    @property
    def sensor_names(self) -> tuple[str, ...]:
        return self.points.sensor_names

    @property
    def internal(self) -> np.ndarray:
        return self.points.internal

    @property
    def ticks(self) -> bool:
        return self.points.ticks

    @property
    def elements(self) -> list[dict[str, Any]]:
        return self.points.elements

    @property
    def element_outputs(self) -> tuple[str, ...]:
        return self.points.element_outputs

    def memory(self, tables: Pack) -> np.ndarray:
        return self.points.memory(tables)

    def raise_stops(self) -> None:
        self.points.raise_stops()

    def coming(self, tables: Pack) -> np.ndarray:
        return self.points.coming(tables)

    def obstacle(self, tables: Pack) -> str:
        return self.points.obstacle(tables)

    @cached_property
    def fingerprint(self) -> str:
        """By that of the nodes, the joints and the start."""
        digest = hashlib.sha256((self.points.fingerprint + repr(self.joints)).encode())
        for part in (self.positions, self.velocities):
            digest.update((part + 0.0).tobytes())
        return digest.hexdigest()[:16]

    def operations(self) -> Mapping[str, Callable[..., Any]]:
        return _composed(self.points.spec)

    def own_tables(self, *, metric: str, gains: tuple[float, float]) -> Pack:
        pack = with_addresses(copied(self.pack), self.points.laws)
        reals_of(pack, GAINS)[:] = gains
        integers_of(pack, STABILISED)[0] = int(any(gains))
        if metric != "mass":
            integers_of(pack, _METRIC)[0] = METRIC
        return pack

    def start(self) -> tuple[np.ndarray, np.ndarray]:
        return self.positions.copy(), self.velocities.copy()

    def changes(self, q: np.ndarray, v: np.ndarray) -> tuple[str, ...]:
        notes = []
        for label, wanted, found in (("positions", self.positions, q), ("velocities", self.velocities, v)):
            change = np.abs(found - wanted)
            worst = int(np.argmax(change))
            if change[worst] > 1e-9 * max(1.0, float(np.abs(wanted).max())):
                notes.append(
                    f"start {label} did not fit the constraints and were projected onto them; the largest change is "
                    f'{change[worst]:.3g}, of the coordinate "{self.names[worst]}"'
                )
        return tuple(notes)

    def _terms(self, t: float, q: np.ndarray, v: np.ndarray) -> tuple[np.ndarray, ...]:
        """M, G, force and bias at a state."""
        m, r = self.coordinates, self.rows
        y = np.concatenate([q, v, [0.0], self.internal])
        found = np.zeros((m, m)), np.zeros((r, m)), np.zeros(m), np.zeros(r)
        self.operations()["enter_piece"](self.pack, pieces_of(self.breaks, np.array([t]))[0])
        _tools(self.points.spec)["fill_terms"](self.pack, t, y, *found)
        return found

    def _rows_of_unit_length(self, y: np.ndarray) -> np.ndarray:
        m = self.coordinates
        gradient = self._terms(0.0, y[:m], y[m : 2 * m])[1]
        lengths = np.linalg.norm(gradient, axis=1, keepdims=True)
        return gradient / np.where(lengths > 0.0, lengths, 1.0)

    def dependent(self, tables: Pack, y: np.ndarray) -> np.ndarray:
        left, singular, _ = np.linalg.svd(self._rows_of_unit_length(y))
        rank = int(np.sum(singular > 1e-10 * np.max(singular, initial=0.0)))
        return np.asarray(left[:, rank:].T)

    def weakest(self, y: np.ndarray) -> np.ndarray:
        if not self.rows:
            return np.zeros(0)
        return np.asarray(np.linalg.svd(self._rows_of_unit_length(y), full_matrices=False)[0][:, -1])

    def linearised(self, q: np.ndarray, v: np.ndarray, time: float, held: str) -> Linearisation:
        """Slopes of forces and rows are differences of eighth order of the exact ones."""
        if held != "rest_length":
            raise OptionError(f'held = "{held}" is for cables of nodal plants; a plant in coordinates has "rest_length"')
        slowness = self.typical_time
        steps = 0.01 * self.typical_length / np.maximum(self.tables[KIND].reach[:-1], 1e-12)
        mass, rows, force, bias = self._terms(time, q, v)
        system, found = solved(mass, rows, force, bias)
        acceleration, multiplier = found[: q.size], found[q.size :]

        def left(x: np.ndarray, u: np.ndarray) -> np.ndarray:
            m, g, f, _ = self._terms(time, x, u)
            return f + g.T @ multiplier - m @ acceleration

        def by(function: Callable[[np.ndarray], np.ndarray], at: np.ndarray, scale: np.ndarray) -> np.ndarray:
            """A column for every coordinate, each by a step of its own."""
            return jacobian(lambda z: function(at + scale * z), np.zeros(at.size), 1.0) / scale

        by_place = by(lambda x: left(x, v), q, steps)
        by_speed = by(lambda u: left(q, u), v, steps / slowness)
        rate = by(lambda x: self._terms(time, x, v)[1] @ v, q, steps) if self.rows else np.zeros((0, q.size))
        change = by(lambda x: self._terms(time, x, v)[1] @ acceleration, q, steps) if self.rows else rate
        return Linearisation(
            np.arange(q.size),
            mass,
            rows,
            system,
            acceleration,
            multiplier,
            -by_place,
            -by_speed,
            rate,
            change,
            np.zeros((q.size, 0)),
        )

    @cached_property
    def _nodes(self) -> _Nodes:
        return _Nodes(**{field.name: getattr(self.points, field.name) for field in fields(Plant)})

    def observed(self, tables: Pack, times: np.ndarray, states: np.ndarray) -> dict[str, np.ndarray]:
        """What nodes show, with the coordinates. Forces of bars that joints keep, and reactions of supports that such
        bars end at, are not known in these coordinates and are not numbers."""
        n, m, count = self.points.coordinates, self.coordinates, times.size
        size = 2 * n + 1 + self.internal.size
        nodal = np.zeros((count, size + n + self.points.rows))
        pieces = pieces_of(self.breaks, times + 1e-12 * np.maximum(1.0, np.abs(times)))
        _tools(self.points.spec)["fill_nodal"](tables, times, pieces, np.ascontiguousarray(states), nodal)
        found = observed(self._nodes, tables, times, nodal)
        met = np.setdiff1d(np.arange(self.points.rows), self.kept)
        rigid = self.points.tables["bars"].column
        found["bar_force"][:, rigid[met[met < rigid.size]]] = np.nan
        lost = self._held_by(met)
        found["reaction"][:, lost] = np.nan
        return {
            **found,
            "coordinate": states[:, :m].copy(),
            "coordinate_rate": states[:, m : 2 * m].copy(),
            "multiplier": nodal[:, size + n + self.kept].copy(),
        }

    def _held_by(self, rows: np.ndarray) -> np.ndarray:
        """Which supported nodes rows end at."""
        table = self.points.tables["jacobian"]
        touched = {int(table.coordinate[e]) // 3 for row in rows for e in range(table.start[row], table.start[row + 1])}
        touched |= {int(i) for i in self.points.held if self.tables["joints"].rides[i] >= 0}
        return np.array([k for k, node in enumerate(self.points.held) if node in touched], dtype=int)


@checked_arguments
def in_coordinates(
    plant: Plant, joints: Iterable[Joint], *, rates: Mapping[str, float] | None = None
) -> GeneralisedPlant:
    """The plant in the coordinates of joints, and of nodes that none carries.

    joints: in any order; with their values nodes are where the structure has them. rates: of coordinates at the start, by
    name, zero where not named. Raises ModelError with every problem found.
    """
    made, structure = tuple(joints), plant.structure
    problems = problems_of_joints(structure, made)
    if problems:
        raise ModelError(problems)
    _refuse(plant)
    steps, names = steps_of(structure, made), coordinate_names(structure, made)
    table = tabulate(structure, steps)
    positions, velocities = start_values(steps, structure, names), np.zeros(len(names))
    for name, value in (rates or {}).items():
        if name not in names:
            raise OptionError(f'no coordinate "{name}"{suggestion(name, names)}')
        velocities[names.index(name)] = value
    size = 2 * plant.coordinates + 1 + plant.internal.size

    def packed(kept: np.ndarray, reach: np.ndarray) -> tuple[Pack, Tables]:
        space = work_space(kept, reach, len(names), plant.coordinates, size)
        return packed_by_name({**plant.tables, **_rods(plant), "joints": table, KIND: space})

    reach = np.ones(len(names) + 1)
    pack, tables = packed(np.arange(plant.rows), reach)
    trial = GeneralisedPlant(plant, made, names, pack, tables, positions, velocities, np.arange(plant.rows))
    kept = _kept(trial)
    mass, *_ = trial._terms(0.0, positions, velocities)
    if np.linalg.eigvalsh(mass).min(initial=1.0) <= 1e-12 * np.abs(mass).max(initial=1.0):
        weakest = np.linalg.eigh(mass)[1][:, 0]
        name = names[int(np.argmax(np.abs(weakest)))]
        message = f'the coordinate "{name}" can change without moving any mass; give what it moves a mass, or leave it out'
        raise ModelError([Problem(("joints",), message)])
    # As the last evaluation left them, at the start.
    columns = tables[KIND].column.reshape(len(names), -1, 3)
    reach[:-1] = np.linalg.norm(columns, axis=2).max(axis=1, initial=0.0)
    reach[-1] = float(plant.tables["thin"].diagonal[::3].sum())
    pack, tables = packed(kept, reach)
    return replace(trial, pack=pack, tables=tables, kept=kept)


def _rods(plant: Plant) -> Tables:
    """Cables held at a length, as rods: whether one would push is looked at where a run is read off."""
    if not plant.given.held_cables:
        return {}
    held = plant.tables["held_lengths"]
    return {"held_lengths": held._replace(active=np.full_like(held.active, TAUT))}


def _refuse(plant: Plant) -> None:
    """Raise OptionError for what does not go with generalised coordinates yet."""
    for there, what in (
        (plant.motions, "supports that move; drive a bar or an angle instead"),
        (plant.grounds, "rigid grounds, which need nodes as coordinates"),
        (plant.things, "events to watch"),
        (not plant.compiled, "loads or drives that are Python functions; give signals"),
    ):
        if there:
            raise OptionError(f"generalised coordinates do not go with {what}")


def _kept(plant: GeneralisedPlant) -> np.ndarray:
    """Rows that change with some coordinate, at places at random around the start."""
    draw, m = np.random.default_rng(1), plant.coordinates
    sizes, largest = plant.tables["jacobian"].size, np.zeros(plant.rows)
    for k in range(TRIED):
        shift = APART * draw.normal(size=m) if k else np.zeros(m)
        rows = plant._terms(0.0, plant.positions + shift, np.zeros(m))[1]
        largest = np.maximum(largest, np.abs(rows).max(axis=1, initial=0.0))
    return np.flatnonzero(largest > MET * np.maximum(sizes, 1e-300) / plant.typical_length)
