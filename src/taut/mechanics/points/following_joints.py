"""From a nodal plant and joints, or a map, to the plant in their coordinates."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from taut.errors import ModelError, Problem
from taut.mechanics import capabilities
from taut.mechanics.contact.responses import responses_of
from taut.mechanics.imposed import sensors
from taut.mechanics.operations.watches import HELD_ROW, TENSION
from taut.mechanics.plant import Plant
from taut.mechanics.points import coordinate_terms, joints, mapped
from taut.mechanics.points.coordinate_terms import Springs
from taut.mechanics.points.generalised import GeneralisedPlant
from taut.mechanics.points.generalised_tables import KIND, WAY, work_space
from taut.mechanics.points.operations import implicit_stages, map_checks, singularities
from taut.mechanics.rows.held_lengths import TAUT
from taut.mechanics.signals import in_order, tabulated
from taut.mechanics.systems.system_tables import Tables, packed_by_name
from taut.numerics.packing import Pack
from taut.structure.coordinates import CoordinateDrive, CoordinateMap, problems_of_drives, problems_of_map
from taut.structure.joints import Joint, coordinate_names, problems_of_joints, starts, steps_of
from taut.type_checks import checked_arguments

MET = 1e-9
"""Of the size of a row: what the map changes of it, at places around the start, where it meets the row by itself."""
LEAST_MASS = 1e-12
"""Of the heaviest node's, as if that moved by a hundredth of a typical length."""
TRIED, APART = 5, 30.0
"""Places around the start, and how far they are from it, in steps of coordinates."""


class _Following(NamedTuple):
    """How nodes follow coordinates: their names, tables, where they start, and springs at them."""

    names: tuple[str, ...]
    tables: Tables
    positions: np.ndarray
    velocities: np.ndarray
    springs: Springs
    steps: Callable[[np.ndarray], np.ndarray]
    """How far differences go, where nodes alone let them go so far."""


@checked_arguments
def in_coordinates(
    plant: Plant, joints: Iterable[Joint] | CoordinateMap, *, drives: Iterable[CoordinateDrive] = ()
) -> GeneralisedPlant:
    """The plant in the coordinates of joints or of a map, and of nodes that neither carries.

    joints: in any order; with their values nodes are where the structure has them. Velocities of nodes that a joint
        carries follow from its rates. Or a CoordinateMap, a function from coordinates to nodes.
    drives: of coordinates, their values or forces on them.
    Raises ModelError with every problem found.
    """
    _refuse(plant)
    moves = tuple(drives)
    if isinstance(joints, CoordinateMap):
        made: tuple[Joint, ...] | CoordinateMap = joints
        follow = _by_map(plant, joints)
    else:
        made = tuple(joints)
        follow = _by_joints(plant, made)
    names, positions, velocities = follow.names, follow.positions, follow.velocities
    _check_drives(names, moves)
    terms = coordinate_terms.tabulate(names, follow.springs, moves)
    size = 2 * plant.coordinates + 1 + plant.internal.size

    def packed(kept: np.ndarray, rods: Tables) -> tuple[Pack, Tables]:
        space = work_space(kept, terms.imposed.size, reach, step, plant.coordinates, size)
        stages = implicit_stages.stage_space(
            len(names), kept.size + terms.imposed.size, 2 * len(names) + 1 + plant.internal.size
        )
        passing = singularities.passing_space(len(names), plant.coordinates, 2 * len(names) + 1 + plant.internal.size)
        own = {**follow.tables, KIND: space, coordinate_terms.KIND: terms}
        own |= {implicit_stages.KIND: stages, singularities.KIND: passing}
        return packed_by_name({**plant.tables, **rods, **responses_as_one(plant), **own})

    reach, step, rods = np.ones(len(names) + 1), np.ones(len(names)), _rods(plant)
    pack, tables = packed(np.arange(plant.rows), rods)
    breaks = in_order([*plant.breaks[1:-1], *coordinate_terms.breaks_of(moves)])
    trial = GeneralisedPlant(
        plant, made, names, pack, tables, positions, velocities, np.arange(plant.rows), breaks, moves
    )
    mass, *_ = trial.terms_at(0.0, positions, velocities)
    # As the last evaluation left them, at the start.
    columns = tables[KIND].column.reshape(len(names), -1, 3)
    reach[:-1] = np.linalg.norm(columns, axis=2).max(axis=1, initial=0.0)
    reach[-1] = float(plant.tables["thin"].diagonal[::3].sum())
    if not reach[:-1].all():
        raise _massless(names[int(np.argmin(reach[:-1]))])
    step[:] = follow.steps(WAY * plant.typical_length / reach[:-1])
    _refuse_massless(plant, names, mass * np.outer(step, step))
    kept = _kept(trial, step)
    _refuse_driven(plant, kept)
    _refuse_cut(plant, kept)
    _refuse_measured(plant, kept)
    # Impulses hold cables as they do in nodes: taut or slack.
    pack, tables = packed(kept, {} if plant.given.rigid_grounds else rods)
    return replace(trial, pack=pack, tables=tables, kept=kept)


def _refuse_massless(plant: Plant, names: Sequence[str], mass: np.ndarray) -> None:
    """mass: by steps of coordinates [kg m^2], so that it does not matter in what unit each is."""
    heaviest = float(plant.tables["thin"].diagonal[plant.tables["nodes"].free].max(initial=0.0))
    found, ways = np.linalg.eigh(mass)
    if found.min(initial=np.inf) <= LEAST_MASS * heaviest * (WAY * plant.typical_length) ** 2:
        raise _massless(names[int(np.argmax(np.abs(ways[:, 0])))])


def _massless(name: str) -> ModelError:
    told = f'the coordinate "{name}" can change without moving any mass; give what it moves a mass, or leave it out'
    return ModelError([Problem(("joints",), told)])


def _by_joints(plant: Plant, made: Sequence[Joint]) -> _Following:
    structure = plant.structure
    problems = problems_of_joints(structure, made)
    if problems:
        raise ModelError(problems)
    steps, names = steps_of(structure, made), coordinate_names(structure, made)
    positions, velocities = starts(structure, steps, plant.velocities)
    numbers = [[getattr(step, key) for step in steps] for key in Springs._fields]
    springs = Springs(*(np.array([*own, *[0.0] * (len(names) - len(own))]) for own in numbers))
    turns = np.array([*(not step.slides for step in steps), *[False] * (len(names) - len(steps))])
    bends = np.where(turns, WAY, np.inf)  # nodes come about in a radian, however near the axis they are
    return _Following(
        names,
        {joints.KIND: joints.tabulate(structure, steps)},
        positions,
        velocities,
        springs,
        lambda most: np.minimum(most, bends),
    )


def _by_map(plant: Plant, given: CoordinateMap) -> _Following:
    structure = plant.structure
    problems = list(problems_of_map(structure, given))
    if problems:
        raise ModelError(problems)
    map_checks.check_function(structure, given)
    table = mapped.tabulate(structure, given)
    nodes, own, none = list(structure.nodes), table.own, (0.0,) * len(given.names)
    names = (*given.names, *(f"{nodes[i // 3]}.{'xyz'[i % 3]}" for i in own))

    def filled(numbers: tuple[float, ...], rest: np.ndarray) -> np.ndarray:
        return np.array([*(numbers or none), *rest], dtype=float)

    zeros = np.zeros(own.size)
    springs = Springs(
        filled(given.stiffness, zeros), filled(given.damping, zeros), filled(given.rest or given.values, zeros)
    )
    positions = filled(given.values, structure.positions.ravel()[own])
    velocities = filled(given.rates, plant.velocities.ravel()[own])

    def steps(most: np.ndarray) -> np.ndarray:
        return np.append(map_checks.fitting_steps(structure, given, most[: len(given.names)]), most[len(given.names) :])

    return _Following(names, {mapped.KIND: table}, positions, velocities, springs, steps)


def _check_drives(names: Sequence[str], drives: Sequence[CoordinateDrive]) -> None:
    problems = list(problems_of_drives(names, drives))
    for drive in () if problems else drives:
        signals = tabulated([drive.to])
        if signals.functions or signals.commands:
            told = "a coordinate is driven by a signal of time so far, not by a Python function or a command; give one"
            problems.append(Problem(("drives", drive.coordinate), told))
    if problems:
        raise ModelError(problems)


def _rods(plant: Plant) -> Tables:
    """Cables held at a length, as rods: whether one would push is looked at where a run is read off."""
    if not plant.given.held_cables:
        return {}
    held = plant.tables["held_lengths"]
    return {"held_lengths": held._replace(active=np.full_like(held.active, TAUT))}


def responses_as_one(plant: Plant) -> Tables:
    """Of contacts with rigid grounds: joints may join all there is to one body."""
    if not plant.given.rigid_grounds:
        return {}
    size, strung = plant.coordinates, plant.tables["held_lengths"].own.size if plant.given.held_cables else 0
    chain = np.arange(0, size - 3, 3)
    joined = np.column_stack([chain, chain + 3])
    return {"responses": responses_of(plant.tables["contacts"], size, joined, strung, local=False)}


def _refuse(plant: Plant) -> None:
    """Raise OptionError for what does not go with generalised coordinates."""
    features = capabilities.features_of(plant)
    for thing in () if plant.given.rigid_grounds else plant.things:
        if thing.kind == TENSION and thing.first >= HELD_ROW:
            features[capabilities.HELD_WATCHED] = thing.words.rpartition(" ")[0].rpartition(" ")[0]
    capabilities.check(capabilities.IN_COORDINATES, features)


def _refuse_cut(plant: Plant, kept: np.ndarray) -> None:
    """Raise ModelError where an event is to cut what joints keep as it is."""
    ranges, met = plant.row_ranges, set(range(plant.rows)) - set(kept.tolist())
    for thing in plant.things:
        for member in thing.cut:
            row = ranges["bars"].start - 1 - member if member < 0 else -1
            if member >= HELD_ROW:
                row = ranges["held_lengths"].start + member - HELD_ROW
            if row in met:
                name = plant.constraint_names[row]
                message = f"cuts {name}, which joints keep as it is; let its ends be carried by joints that can part"
                raise ModelError([Problem(("events", thing.watch.name), message)])


def _refuse_measured(plant: Plant, kept: np.ndarray) -> None:
    """Raise ModelError where a sensor is to measure what keeps a member that joints keep as it is."""
    table, met = plant.tables["sensors"], set(range(plant.rows)) - set(kept.tolist())
    for kind, row, sensor in zip(table.kind, table.at, plant.given.sensors, strict=True):
        if kind in (sensors.ROW, sensors.BAR) and int(row) in met:
            name = plant.constraint_names[int(row)]
            message = f"measures the force of {name}, which joints keep as it is, so that it is not known; leave it out"
            raise ModelError([Problem(("sensors", sensor.name), message)])


def _refuse_driven(plant: Plant, kept: np.ndarray) -> None:
    """Raise ModelError where a drive is to change what joints keep as it is."""
    told = {f'{driven.kind} "{driven.member}"': driven.drive.name for driven in plant.given.driven}
    met = set(range(plant.rows)) - set(kept.tolist())
    names = [name for row, name in enumerate(plant.constraint_names) if row in met and name in told]
    if names:
        message = (
            f"drives {names[0]}, which joints keep as it is; let its ends be carried by joints that can move apart"
        )
        raise ModelError([Problem(("drives", told[names[0]]), message)])


def _kept(plant: GeneralisedPlant, step: np.ndarray) -> np.ndarray:
    """Rows that change with some coordinate, at places at random around the start. step: of each coordinate."""
    draw, m, count = np.random.default_rng(1), plant.coordinates, plant.points.rows
    sizes, largest = plant.tables["jacobian"].size, np.zeros(count)
    for k in range(TRIED):
        shift = APART * step * draw.normal(size=m) if k else np.zeros(m)
        found = plant.terms_at(0.0, plant.positions + shift, np.zeros(m))[1][:count]
        rows = np.nan_to_num(found) * step / WAY  # a map may end there
        largest = np.maximum(largest, np.abs(rows).max(axis=1, initial=0.0))
    return np.flatnonzero(largest > MET * np.maximum(sizes, 1e-300))
