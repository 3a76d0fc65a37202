"""States of a nodal plant read off: everything that a Trajectory shows of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np

from taut.mechanics.grounds.compliances import touching_nodes
from taut.mechanics.grounds.surfaces import STRING
from taut.mechanics.imposed.called_functions import set_functions
from taut.mechanics.imposed.drive_outputs import drive_outputs
from taut.mechanics.operations import redundancy
from taut.mechanics.operations.event_table import BAND
from taut.mechanics.operations.outputs import angle_torques, bar_forces, cable_outputs, columns, turning_push
from taut.mechanics.rows.held_lengths import ACTIVE, BY_LENGTH, SLACK
from taut.mechanics.signals import TOGETHER, pieces_of
from taut.mechanics.terms.contacts import NUMBERS
from taut.numerics.packing import Pack, integers_of, reals_of

if TYPE_CHECKING:
    from taut.mechanics.plant import Plant

STATED = frozenset(
    ("nodes", "velocities", "contact_force", "contact_state", "energy_kinetic", "energy_elastic", "energy_gravity")
)
"""What a state of a plant with rigid grounds has as it is, and energies."""


PUSHES = 1e-9
"""Of the largest force: with less a cable that is held pushes by round-off alone."""


def observed(plant: Plant, tables: Pack, times: np.ndarray, states: np.ndarray) -> dict[str, np.ndarray]:
    """Everything that states say, by the names of a Trajectory.

    A cable held at its length goes slack where it would push, as when a load jumps: that is how it is told there.
    """
    seen, may_push = _observed(plant, tables, times, states)
    for row in np.flatnonzero(_pushing(plant, seen, may_push) >= 0):
        one, loose, may = slice(row, row + 1), list[int](), may_push
        again = {name: values[one] for name, values in seen.items()}
        while (cable := int(_pushing(plant, again, may)[0])) >= 0:
            loose.append(cable)
            again, may = _observed(plant, tables, times[one], states[one], loose)
        for name, values in again.items():
            seen[name][one] = values
    return seen


def _pushing(plant: Plant, seen: Mapping[str, np.ndarray], may: np.ndarray) -> np.ndarray:
    """(T,) which of the cables that are held at a length would push most at each sample, -1 where none does."""
    place, none = list(plant.structure.cables).index, np.full(len(seen["nodes"]), -1)
    if not none.size or not may.any():
        return none
    forces = [np.abs(seen[name]).reshape(none.size, -1) for name in ("cable_tension", "bar_force", "reaction")]
    largest = np.concatenate(forces, axis=1).max(axis=1)
    tension = seen["cable_tension"][:, [place(cable.name) for cable in plant.given.held_cables]]
    tension = np.where(may, tension, 0.0)
    return np.where(tension.min(axis=1) < -PUSHES * largest, tension.argmin(axis=1), none)


def _observed(
    plant: Plant, tables: Pack, times: np.ndarray, states: np.ndarray, loose: Sequence[int] = ()
) -> tuple[dict[str, np.ndarray], np.ndarray]:
    """And which of the cables that are held are taut where they are long enough. loose: those that are slack."""
    tools, held, loads = plant.composition.tools, plant.held, np.zeros((times.size, len(plant.loads)))
    wanted = columns(plant.tables["springs"].stiffness.size, plant.rows, held.size, plant.shown)
    out, driven = np.zeros((times.size, sum(wanted.values()))), np.zeros((times.size, 3 * len(plant.given.driven)))
    yielding = np.zeros((times.size, NUMBERS * len(touching_nodes(plant.given))))
    turned = np.zeros((times.size, 2 * len(plant.given.free_angles)))
    pieces = pieces_at(plant.breaks, times)
    rates, looks = np.empty(2 * plant.coordinates + 1 + plant.internal.size), reals_of(tables, BAND)[0] > 0.0
    if looks:
        tools["release"](tables)
    active = integers_of(tables, ACTIVE)
    before = active.copy()
    active[list(loose)] = SLACK
    may_push = active == BY_LENGTH
    for one in [slice(None)] if plant.compiled else [slice(row, row + 1) for row in range(times.size)]:
        if not plant.compiled:
            plant.composition.motion["enter_piece"](tables, pieces[one][0])
            set_functions(plant, tables, float(times[one][0]), states[one][0])
        tools["observe"](tables, times[one], pieces[one], states[one], held, rates, out[one])
        if plant.given.free_angles:
            tools["observe_torques"](tables, times[one], pieces[one], states[one], turned[one])
        if plant.given.driven:
            tools["observe_drives"](tables, times[one], pieces[one], states[one], driven[one])
        if "compliances" in plant.spec.terms:
            tools["observe_contacts"](tables, times[one], pieces[one], states[one], yielding[one])
        if plant.loads:
            tools["observe_loads"](tables, times[one], pieces[one], states[one], loads[one])
    cuts = np.cumsum(list(wanted.values()))[:-1]
    seen = dict(zip(wanted, (part.copy() for part in np.split(out, cuts, axis=1)), strict=True))
    reaction, multiplier = seen.pop("reaction").reshape(times.size, held.size, 3), seen.pop("multiplier")
    size, rigid = plant.coordinates, plant.tables["bars"].column
    multiplier[:, : rigid.size] += turning_push(plant.structure, rigid, tables, states[:, size : 2 * size])
    if times.size and len(_dependent(plant, tables, times[0], pieces[0], states[0])):
        for row, y in enumerate(states):
            vectors = _dependent(plant, tables, times[row], pieces[row], y)
            jacobian = redundancy.jacobian_at(tools, plant.tables, tables, y)
            shift = redundancy.towards_smallest(vectors, multiplier[row])
            multiplier[row] += shift
            reaction[row] -= redundancy.reactions_to(jacobian, shift, plant.tables["nodes"].free)[held]
    readings = _readings(plant, tables, times, pieces, states)
    active[:] = before
    if looks:
        tools["freeze"](tables)
    length, tension = seen.pop("length"), seen.pop("tension")
    contacts, pulls = _contacts(plant, tables, states)
    cables = cable_outputs(plant.given, plant.tables, states, length, tension, multiplier, pulls)
    guides, bar_force = len(plant.structure.constraints), bar_forces(plant.given, plant.tables, tension, multiplier)
    contacts = np.concatenate([contacts, yielding], axis=1).reshape(times.size, len(plant.contact_names), NUMBERS)
    torque = angle_torques(plant.given, multiplier[:, plant.row_ranges.get("angles", slice(0))], turned)
    found = {
        "nodes": states[:, :size].reshape(-1, size // 3, 3).copy(),
        "velocities": states[:, size : 2 * size].reshape(-1, size // 3, 3).copy(),
        **cables,
        "bar_force": bar_force,
        "constraint_force": multiplier[:, rigid.size : rigid.size + guides].copy(),
        "angle_torque": torque,
        "reaction": reaction,
        "load_force": loads,
        **drive_outputs(plant.given, driven, cables["cable_tension"], bar_force, torque, turned[:, 1::2]),
        "contact_force": contacts[..., :3].copy(),
        "contact_state": contacts[..., 3].copy(),
        "reading": readings,
        "element_output": np.concatenate([seen.pop("others"), multiplier[:, plant.own_rows :]], axis=1),
        **{name: values[:, 0] for name, values in seen.items()},
    }
    return found, may_push


def stated(plant: Plant, tables: Pack, times: np.ndarray, states: np.ndarray) -> dict[str, np.ndarray]:
    """What states have as they are, by the names of a Trajectory, and their energies: at a fraction of the cost."""
    energies, size = np.zeros((times.size, 3)), plant.coordinates
    plant.composition.tools["observe_energies"](tables, times, pieces_at(plant.breaks, times), states, energies)
    contacts = _contacts(plant, tables, states)[0].reshape(times.size, -1, NUMBERS)
    return {
        "nodes": states[:, :size].reshape(-1, size // 3, 3),
        "velocities": states[:, size : 2 * size].reshape(-1, size // 3, 3),
        "contact_force": contacts[..., :3],
        "contact_state": contacts[..., 3],
        "energy_kinetic": energies[:, 0],
        "energy_elastic": energies[:, 1],
        "energy_gravity": energies[:, 2],
    }


def pieces_at(breaks: np.ndarray, times: np.ndarray) -> np.ndarray:
    """Times inside the smooth pieces of signals; on a break, or off it by round-off, that of what follows it."""
    return pieces_of(breaks, times + TOGETHER * np.maximum(1.0, np.abs(times)))


def _dependent(plant: Plant, tables: Pack, time: float, piece: int, y: np.ndarray) -> np.ndarray:
    """`Plant.dependent` with what is imposed at this time: whether a held cable is taut depends on its length then."""
    if plant.spec.imposed:
        plant.composition.motion["enter_piece"](tables, piece)
        plant.operations()["impose"](tables, float(time), y)
    return plant.dependent(tables, y)


def _contacts(plant: Plant, tables: Pack, states: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """(T, 4 p) with rigid grounds, of the step that led to each state: forces [N], and what contacts do; and (T, r) how
    much cables that impulses hold at a length pulled [N]."""
    at, table = 2 * plant.coordinates + 1 + plant.coming(tables).size, plant.tables["contacts"]
    found, strings = states[:, at : at + table.impulse.size], int(np.count_nonzero(table.kind == STRING))
    rigid = table.impulse.size - NUMBERS * strings
    return found[:, :rigid], found[:, rigid::NUMBERS]


def _readings(plant: Plant, tables: Pack, times: np.ndarray, pieces: np.ndarray, states: np.ndarray) -> np.ndarray:
    """(T, m) what sensors showed last; those that measure whenever someone looks do so now."""
    sensors, at = plant.given.sensors, 2 * plant.coordinates + 1 + plant.coming(tables).size
    kept = states[:, at - len(sensors) : at].copy()
    looking = ~plant.sampled_sensors
    if looking.any():
        out = np.zeros(len(sensors))
        for row, (time, piece, y) in enumerate(zip(times, pieces, states, strict=True)):
            plant.composition.motion["enter_piece"](tables, piece)
            sense(plant, tables, float(time), y, out)
            kept[row, looking] = out[looking]
    return kept


def sense(plant: Plant, tables: Pack, time: float, y: np.ndarray, out: np.ndarray) -> None:
    """Fill what all sensors would measure at a state; their noise is told by the time in ns."""
    if not plant.compiled:
        set_functions(plant, tables, time, y)
    plant.composition.tools["sense"](tables, round(1e9 * time), time, y, out)
