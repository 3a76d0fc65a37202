"""Plants in generalised coordinates: a structure whose nodes follow joints, with everything that acts on nodes.

Made by `taut.mechanisms.in_coordinates` from a nodal plant and joints. The same forces, drives, loads, dampers and
controllers act on its nodes; constraints that the joints meet by themselves are left out, and all others close loops.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields
from functools import cache, cached_property
from typing import Any

import numpy as np

from taut.errors import OptionError, listed
from taut.mechanics.compose import Composition, bound_by_name, composed
from taut.mechanics.imposed.law_addresses import with_addresses
from taut.mechanics.operations import motion, outputs
from taut.mechanics.operations.observation import observed
from taut.mechanics.plant import Plant
from taut.mechanics.points import generalised_operations as own
from taut.mechanics.points.generalised_events import EVENTS, JointWatcher, begin_events
from taut.mechanics.points.generalised_tables import KIND, WEAKEST
from taut.mechanics.points.linearisation import Linearisation, solved
from taut.mechanics.signals import pieces_of
from taut.mechanics.spec import Spec
from taut.mechanics.systems.system_tables import METRIC, Tables
from taut.mechanics.tables import GAINS, STABILISED, Constants, part_of
from taut.numerics.differences import jacobian
from taut.numerics.packing import Pack, copied, integers_of, reals_of
from taut.structure.grounds import Ground
from taut.structure.joints import Joint
from taut.structure.structure import Structure

_METRIC = part_of("constants", Constants, "metric")

SINGULAR = 1e-4
"""A pivot of the mass matrix below which coordinates are to blame for a step that does not succeed."""


@cache
def _operations(spec: Spec) -> Mapping[str, Any]:
    """The operations of all plants of one Spec in generalised coordinates."""
    decides = "controllers" in spec.imposed
    found = bound_by_name(spec, (*own.MOTION, *EVENTS, *((own.decide_by,) if decides else ())))
    imposes = {"impose": found.pop("impose_on")} if spec.imposed else {}
    return {**found, **imposes, **({"decide": found.pop("decide_by")} if decides else {})}


@cache
def _tools(spec: Spec) -> Mapping[str, Any]:
    return bound_by_name(spec, (own.fill_terms, own.fill_nodal, begin_events))


@cache
def _reading(spec: Spec) -> Composition:
    """What is read off nodes, by accelerations and multipliers that are known already."""
    whole = composed(spec)
    observing = bound_by_name(spec, (outputs.observe,), {motion.rate: own.given_rate})
    return whole._replace(tools={**whole.tools, **observing})


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
        told = self.points.given.titled(type(self).__name__)
        return f"{told.removesuffix('>')}, in {len(self.names)} coordinates>"

    lanes: tuple[int, ...] = ()
    compiled = True
    constant_mass = False
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
        told, firm = self.points.obstacle(tables), float(reals_of(tables, WEAKEST)[1])
        turning = [f'"{joint.name}"' for joint in self.joints if len(joint.turns) > 1]
        if told or not turning or firm > SINGULAR:
            return told
        return (
            f"axes of a joint, of {listed(turning, most=4)}, come to lie along what they turn, so that "
            f"coordinates say nothing there (a pivot of {firm:.1e} in their mass matrix); choose other axes, or nodes"
        )

    @cached_property
    def fingerprint(self) -> str:
        """By that of the nodes, the joints and the start."""
        digest = hashlib.sha256((self.points.fingerprint + repr(self.joints)).encode())
        for part in (self.positions, self.velocities):
            digest.update((part + 0.0).tobytes())
        return digest.hexdigest()[:16]

    def operations(self) -> Mapping[str, Callable[..., Any]]:
        return _operations(self.points.spec)

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

    def terms_at(self, t: float, q: np.ndarray, v: np.ndarray) -> tuple[np.ndarray, ...]:
        """M, G, force and bias at a state."""
        m, r = self.coordinates, self.rows
        y = np.concatenate([q, v, [0.0], self.internal])
        found = np.zeros((m, m)), np.zeros((r, m)), np.zeros(m), np.zeros(r)
        self.operations()["enter_piece"](self.pack, pieces_of(self.breaks, np.array([t]))[0])
        _tools(self.points.spec)["fill_terms"](self.pack, t, y, *found)
        return found

    def _rows_of_unit_length(self, y: np.ndarray) -> np.ndarray:
        m = self.coordinates
        gradient = self.terms_at(0.0, y[:m], y[m : 2 * m])[1]
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
            raise OptionError(
                f'held = "{held}" is for cables of nodal plants; a plant in coordinates has "rest_length"'
            )
        slowness = self.typical_time
        steps = 0.01 * self.typical_length / np.maximum(self.tables[KIND].reach[:-1], 1e-12)
        mass, rows, force, bias = self.terms_at(time, q, v)
        system, found = solved(mass, rows, force, bias)
        acceleration, multiplier = found[: q.size], found[q.size :]

        def left(x: np.ndarray, u: np.ndarray) -> np.ndarray:
            m, g, f, _ = self.terms_at(time, x, u)
            return f + g.T @ multiplier - m @ acceleration

        def by(function: Callable[[np.ndarray], np.ndarray], at: np.ndarray, scale: np.ndarray) -> np.ndarray:
            """A column for every coordinate, each by a step of its own."""
            return jacobian(lambda z: function(at + scale * z), np.zeros(at.size), 1.0) / scale

        by_place = by(lambda x: left(x, v), q, steps)
        by_speed = by(lambda u: left(q, u), v, steps / slowness)
        rate = by(lambda x: self.terms_at(time, x, v)[1] @ v, q, steps) if self.rows else np.zeros((0, q.size))
        change = by(lambda x: self.terms_at(time, x, v)[1] @ acceleration, q, steps) if self.rows else rate
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
    def watcher(self) -> JointWatcher | None:
        nodal = self.points.watcher
        if nodal is None:
            return None
        held = self.points.given.held_cables
        rods = (int(self.tables["held_lengths"].event[0]) if held else 0, len(held))
        tools = {**nodal.tools, "begin_events": _tools(self.points.spec)["begin_events"]}
        return JointWatcher(tools, nodal.subjects, nodal.things, 2 * self.coordinates + 1 + self.internal.size, rods)

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
        met = set(range(self.points.rows)) - set(self.kept.tolist())
        for output, columns in self._unknown(met).items():
            found[output][:, columns] = np.nan
        return {
            **found,
            "coordinate": states[:, :m].copy(),
            "coordinate_rate": states[:, m : 2 * m].copy(),
            "multiplier": nodal[:, size + n + self.kept].copy(),
        }

    def _unknown(self, met: set[int]) -> dict[str, np.ndarray]:
        """Columns of outputs that rows say which joints meet by themselves: what acts there is not known."""
        given, ranges, rigid = self.points.given, self.points.row_ranges, self.points.tables["bars"].column
        names = {kind: list(getattr(given.structure, f"{kind}s")) for kind in ("cable", "bar", "angle")}
        lost = [("bar", names["bar"][rigid[row]]) for row in sorted(met) if row < rigid.size]
        kinds = (
            ("held_lengths", "cable", [cable.name for cable in given.held_cables]),
            ("driven_bars", "bar", list(given.driven_bars)),
            ("angles", "angle", [angle.name for angle in given.held_angles]),
        )
        for rows, kind, members in kinds:
            begin = ranges[rows].start if rows in ranges else 0
            lost += [(kind, name) for k, name in enumerate(members) if rows in ranges and begin + k in met]
        table = self.points.tables["jacobian"]
        ends = {int(table.coordinate[e]) // 3 for row in met for e in range(table.start[row], table.start[row + 1])}
        columns = {
            "bar_force": [names["bar"].index(name) for kind, name in lost if kind == "bar"],
            "cable_tension": [names["cable"].index(name) for kind, name in lost if kind == "cable"],
            "angle_torque": [names["angle"].index(name) for kind, name in lost if kind == "angle"],
            "reaction": [k for k, node in enumerate(self.points.held) if int(node) in ends],
        }
        return {output: np.array(chosen, dtype=int) for output, chosen in columns.items()}
