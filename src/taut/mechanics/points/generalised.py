"""Plants in generalised coordinates: a structure whose nodes follow joints, with everything that acts on nodes.

Made by `taut.mechanisms.in_coordinates` from a nodal plant and joints. The same forces, drives, loads, dampers and
controllers act on its nodes; constraints that the joints meet by themselves are left out, and all others close loops.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields
from functools import cached_property
from typing import Any

import numpy as np

from taut.errors import OptionError
from taut.mechanics import capabilities
from taut.mechanics.imposed.fresh_packs import fresh
from taut.mechanics.operations.event_words import Watched
from taut.mechanics.operations.observation import observed, pieces_at
from taut.mechanics.plant import Plant
from taut.mechanics.plant_protocol import PlantProtocol, changed_coordinates
from taut.mechanics.points.coordinate_terms import KIND as OWN
from taut.mechanics.points.coordinate_terms import CoordinateTerms
from taut.mechanics.points.generalised_events import JointWatcher
from taut.mechanics.points.generalised_outputs import ReadNodes, unknown_columns
from taut.mechanics.points.generalised_tables import KIND, WEAKEST
from taut.mechanics.points.linearisation import Linearisation, by_differences
from taut.mechanics.points.mapped import ADDRESS as MAP_ADDRESS
from taut.mechanics.points.mapped import MapFunction, lost_at
from taut.mechanics.points.operations.binding import operations_of, tools_of
from taut.mechanics.points.operations.singularities import LEAST as LEAST_PIVOT
from taut.mechanics.points.operations.singularities import look_at_next, passed_between, singular_words
from taut.mechanics.signals import pieces_of
from taut.mechanics.systems.system_tables import METRIC, Tables
from taut.mechanics.tables import GAINS, STABILISED, Constants, part_of
from taut.numerics.packing import Pack, integers_of, reals_of
from taut.structure.coordinates import CoordinateDrive, CoordinateMap
from taut.structure.grounds import Ground
from taut.structure.joints import Joint
from taut.structure.structure import Structure

_METRIC = part_of("constants", Constants, "metric")

SINGULAR = 1e-4
"""A pivot of the mass matrix below which coordinates are to blame for a step that does not succeed."""


@dataclass(frozen=True)
class GeneralisedPlant:
    """A `taut.mechanics.plant_protocol.PlantProtocol` in the coordinates of joints; made by `in_coordinates`.

    points: the nodal plant, whose start its nodes have. joints: or the map that nodes follow. names: of the
    coordinates. positions, velocities: at the start. kept: rows of the nodal plant that joints do not meet by
    themselves. drives: of coordinates.
    """

    points: Plant
    joints: tuple[Joint, ...] | CoordinateMap
    names: tuple[str, ...]
    pack: Pack
    tables: Tables
    positions: np.ndarray
    velocities: np.ndarray
    kept: np.ndarray
    breaks: np.ndarray
    drives: tuple[CoordinateDrive, ...] = ()

    def __repr__(self) -> str:
        told = self.points.given.titled(type(self).__name__)
        return f"{told.removesuffix('>')}, in {len(self.names)} coordinates>"

    lanes: tuple[int, ...] = ()
    compiled = True
    constant_mass = False
    moved: tuple[str, ...] = ()

    @property
    def contact_names(self) -> tuple[str, ...]:
        return self.points.contact_names

    @property
    def grounds(self) -> tuple[Ground, ...]:
        return self.points.grounds

    @property
    def things(self) -> tuple[Watched, ...]:
        return self.points.things

    @property
    def structure(self) -> Structure:
        return self.points.structure

    @property
    def formulation(self) -> str:
        kind = f"{'mapped' if self._by_function else 'generalised'}{' imposed' if self._imposed else ''}"
        return f"{kind} {self.points.spec!r}"

    @property
    def coordinates(self) -> int:
        return len(self.names)

    @property
    def rows(self) -> int:
        return int(self.kept.size) + len(self._imposed)

    @property
    def constraint_names(self) -> tuple[str, ...]:
        kept = (self.points.constraint_names[row] for row in self.kept)
        return (*kept, *(f'coordinate "{name}"' for name in self._imposed))

    @property
    def works(self) -> bool:
        return self.points.works or bool(self.drives) or bool(self._own.damping.any())

    @property
    def dampers(self) -> tuple[str, ...]:
        own = self._own
        return (*self.points.dampers, *(self.names[k] for k in own.spring[own.damping > 0.0]))

    @property
    def _own(self) -> CoordinateTerms:
        found: CoordinateTerms = self.tables[OWN]
        return found

    @property
    def _by_function(self) -> bool:
        return isinstance(self.joints, CoordinateMap)

    @cached_property
    def _function(self) -> MapFunction | None:
        made = self.joints
        return MapFunction(made, made.placed(self.structure)) if isinstance(made, CoordinateMap) else None

    @property
    def _imposed(self) -> tuple[str, ...]:
        return tuple(self.names[k] for k in self._own.imposed)

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
        if self._function:
            self._function.stop()

    def coming(self, tables: Pack) -> np.ndarray:
        return self.points.coming(tables)

    def obstacle(self, tables: Pack) -> str:
        told = self.points.obstacle(tables)
        firm = float(min(reals_of(tables, WEAKEST)[1], reals_of(tables, LEAST_PIVOT)[0]))
        if told:
            return told
        if self._function and self._function.failure:
            return f"the function of the map {self._function.failure}"
        if self._function and (lost := lost_at(tables, self.names)):
            return f"the function of the map gives places that are not finite numbers at {lost}"
        if firm > SINGULAR:
            return ""
        return f"{singular_words(self.joints)} there (a pivot of {firm:.1e} in their mass matrix); {self._other_choice}"

    @property
    def _other_choice(self) -> str:
        return "choose other coordinates" if self._by_function else "choose other axes, or nodes"

    def passed(self, tables: Pack, time: float, y: np.ndarray) -> tuple[str, ...]:
        """Whether a run that ended at this state went over a place where coordinates say nothing, and when."""
        if look_at_next(tables):
            least = reals_of(tables, LEAST_PIVOT)
            kept = least.copy()
            self.operations()["rate"](tables, time, y, np.zeros_like(y))
            least[:] = kept
        found = passed_between(tables)
        if found is None:
            return ()
        first, second = (f"{one:.6g}" for one in found)
        when = f"at t = {second} s" if first == second else f"between t = {first} and {second} s"
        told = (
            f"{when} {singular_words(self.joints)}; the motion may be another from there on, so do not trust it beyond"
        )
        return (f"{told}: {self._other_choice}",)

    @cached_property
    def fingerprint(self) -> str:
        """By that of the nodes, the joints and the start."""
        told = repr(self.names) if isinstance(self.joints, CoordinateMap) else repr(self.joints)
        digest = hashlib.sha256((self.points.fingerprint + told).encode())
        for part in (self.positions, self.velocities, self.tables[KIND].reach, *self._own[:-1]):
            digest.update((part + 0.0).tobytes())
        return digest.hexdigest()[:16]

    def operations(self) -> Mapping[str, Callable[..., Any]]:
        return operations_of(self.points.spec, self._by_function, bool(self.points.spec.imposed or self._imposed))

    @property
    def _tools(self) -> Mapping[str, Any]:
        return tools_of(self.points.spec, self._by_function)

    def own_tables(self, *, metric: str, gains: tuple[float, float]) -> Pack:
        pack = fresh(self.pack, self.points.laws)
        if self._function:  # an address is of this process
            self._function.forget()
            integers_of(pack, MAP_ADDRESS)[0] = self._function.address
        reals_of(pack, GAINS)[:] = gains
        integers_of(pack, STABILISED)[0] = int(any(gains))
        if metric != "mass":
            integers_of(pack, _METRIC)[0] = METRIC
        return pack

    def start(self) -> tuple[np.ndarray, np.ndarray]:
        return self.positions.copy(), self.velocities.copy()

    def changes(self, q: np.ndarray, v: np.ndarray) -> tuple[str, ...]:
        return changed_coordinates(self.names, (self.positions, self.velocities), (q, v))

    def terms_at(self, t: float, q: np.ndarray, v: np.ndarray) -> tuple[np.ndarray, ...]:
        """M, G, force and bias at a state."""
        m, r = self.coordinates, self.rows
        y = np.concatenate([q, v, [0.0], self.internal])
        found = np.zeros((m, m)), np.zeros((r, m)), np.zeros(m), np.zeros(r)
        if self._function:
            integers_of(self.pack, MAP_ADDRESS)[0] = self._function.address
        self.operations()["enter_piece"](self.pack, pieces_of(self.breaks, np.array([t]))[0])
        self._tools["fill_terms"](self.pack, t, y, *found)
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
        capabilities.check_linear(self.points.spec)
        capabilities.check(capabilities.LINEAR, capabilities.features_of(self))
        steps = self.tables[KIND].step
        return by_differences(self.terms_at, time, q, v, (steps, steps / self.typical_time))

    @cached_property
    def watcher(self) -> JointWatcher | None:
        nodal = self.points.watcher
        if nodal is None:
            return None
        held = () if self.points.given.rigid_grounds else self.points.given.held_cables
        rods = (int(self.tables["held_lengths"].event[0]) if held else 0, len(held))
        tools = {**nodal.tools, **{name: self._tools[name] for name in ("begin_events", "cut")}}
        return JointWatcher(tools, nodal.subjects, nodal.things, 2 * self.coordinates + 1 + self.internal.size, rods)

    @cached_property
    def _nodes(self) -> ReadNodes:
        return ReadNodes(**{field.name: getattr(self.points, field.name) for field in fields(Plant)})

    def at_nodes(self, tables: Pack, times: np.ndarray, states: np.ndarray) -> np.ndarray:
        """States of the nodes, followed by their accelerations and all multipliers."""
        n = self.points.coordinates
        nodal = np.zeros((times.size, 3 * n + 1 + self.internal.size + self.points.rows + len(self._imposed)))
        pieces = pieces_at(self.breaks, times)
        self._tools["fill_nodal"](tables, times, pieces, np.ascontiguousarray(states), nodal)
        return nodal

    def observed(self, tables: Pack, times: np.ndarray, states: np.ndarray) -> dict[str, np.ndarray]:
        """What nodes show, with the coordinates. Forces of bars that joints keep, and reactions of supports that such
        bars end at, are not known in these coordinates and are not numbers."""
        n, m = self.points.coordinates, self.coordinates
        size = 2 * n + 1 + self.internal.size
        nodal = self.at_nodes(tables, times, states)
        found = observed(self._nodes, tables, times, nodal)
        met = set(range(self.points.rows)) - set(self.kept.tolist())
        for output, columns in unknown_columns(self.points, met).items():
            found[output][:, columns] = np.nan
        own = self._own
        stretch = states[:, own.spring] - own.rest
        rows = [*(size + n + self.kept), *range(size + n + self.points.rows, nodal.shape[1])]
        return {
            **found,
            "energy_elastic": found["energy_elastic"] + 0.5 * stretch**2 @ own.stiffness,
            "coordinate": states[:, :m].copy(),
            "coordinate_rate": states[:, m : 2 * m].copy(),
            "multiplier": nodal[:, rows].copy(),
        }


def passing_notes(plant: PlantProtocol, tables: Pack, time: float, y: np.ndarray) -> tuple[str, ...]:
    """Of a run in generalised coordinates that ended at this state: see `GeneralisedPlant.passed`."""
    return plant.passed(tables, time, y) if isinstance(plant, GeneralisedPlant) else ()
