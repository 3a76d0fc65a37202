"""From a nodal plant and joints to the plant in the joints' coordinates."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

import numpy as np

from taut.errors import ModelError, OptionError, Problem
from taut.mechanics.plant import Plant
from taut.mechanics.points.generalised import GeneralisedPlant
from taut.mechanics.points.generalised_tables import KIND, work_space
from taut.mechanics.points.joints import tabulate
from taut.mechanics.rows.held_lengths import TAUT
from taut.mechanics.spec import terms_of
from taut.mechanics.systems.system_tables import Tables, packed_by_name
from taut.numerics.packing import Pack
from taut.structure.joints import Joint, coordinate_names, problems_of_joints, starts, steps_of
from taut.type_checks import checked_arguments

MET = 1e-9
"""Of the size of a row: what the map changes of it, at places around the start, where it meets the row by itself."""
TRIED, APART = 5, 0.3
"""Places around the start, and how far they are from it, in radians and typical lengths."""


@checked_arguments
def in_coordinates(plant: Plant, joints: Iterable[Joint]) -> GeneralisedPlant:
    """The plant in the coordinates of joints, and of nodes that none carries.

    joints: in any order; with their values nodes are where the structure has them. Velocities of nodes that a joint
    carries follow from its rates. Raises ModelError with every problem found.
    """
    made, structure = tuple(joints), plant.structure
    problems = problems_of_joints(structure, made)
    if problems:
        raise ModelError(problems)
    _refuse(plant)
    steps, names = steps_of(structure, made), coordinate_names(structure, made)
    table = tabulate(structure, steps)
    positions, velocities = starts(structure, steps, plant.velocities)
    size = 2 * plant.coordinates + 1 + plant.internal.size

    def packed(kept: np.ndarray, reach: np.ndarray) -> tuple[Pack, Tables]:
        space = work_space(kept, reach, len(names), plant.coordinates, size)
        return packed_by_name({**plant.tables, **_rods(plant), "joints": table, KIND: space})

    reach = np.ones(len(names) + 1)
    pack, tables = packed(np.arange(plant.rows), reach)
    trial = GeneralisedPlant(plant, made, names, pack, tables, positions, velocities, np.arange(plant.rows))
    kept = _kept(trial)
    _refuse_driven(plant, kept)
    mass, *_ = trial.terms_at(0.0, positions, velocities)
    if np.linalg.eigvalsh(mass).min(initial=1.0) <= 1e-12 * np.abs(mass).max(initial=1.0):
        weakest = np.linalg.eigh(mass)[1][:, 0]
        name = names[int(np.argmax(np.abs(weakest)))]
        message = (
            f'the coordinate "{name}" can change without moving any mass; give what it moves a mass, or leave it out'
        )
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
        (plant.grounds, "grounds"),
        (any(term.states for term in terms_of(plant.spec)), "terms that have states of their own"),
        (plant.things, "events to watch"),
        (not plant.compiled, "loads or drives that are Python functions; give signals"),
    ):
        if there:
            raise OptionError(f"generalised coordinates do not go with {what}")


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


def _kept(plant: GeneralisedPlant) -> np.ndarray:
    """Rows that change with some coordinate, at places at random around the start."""
    draw, m = np.random.default_rng(1), plant.coordinates
    sizes, largest = plant.tables["jacobian"].size, np.zeros(plant.rows)
    for k in range(TRIED):
        shift = APART * draw.normal(size=m) if k else np.zeros(m)
        rows = plant.terms_at(0.0, plant.positions + shift, np.zeros(m))[1]
        largest = np.maximum(largest, np.abs(rows).max(axis=1, initial=0.0))
    return np.flatnonzero(largest > MET * np.maximum(sizes, 1e-300) / plant.typical_length)
