"""Inputs and outputs of a linear model as arrays over a plant's coordinates, members and constraints."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from taut.control.port_names import INPUTS, OUTPUTS, Ports, own_ports, ports_of
from taut.errors import OptionError, suggestion
from taut.mechanics.inertia.masses import rigid_thickness
from taut.mechanics.linear.linearisation import springs_at
from taut.mechanics.linear.members import MemberSlopes, angle_slopes, member_slopes
from taut.mechanics.operations.outputs import turning_push
from taut.mechanics.plant import Plant
from taut.mechanics.points.generalised import GeneralisedPlant
from taut.mechanics.points.lagrangian import LagrangianPlant
from taut.mechanics.points.linearisation import Linearisation
from taut.mechanics.trees.plant import TreePlant
from taut.structure import properties
from taut.structure.angles import angle_value
from taut.structure.drives import thickening
from taut.structure.ports import Port
from taut.structure.records import AXES, Bar
from taut.structure.scenario import Load


class Inputs(NamedTuple):
    """m inputs: forces on f coordinates, changes of tension of c elastic members, and driven constraints among them."""

    names: tuple[str, ...]
    force: np.ndarray  # (f, m)
    tension: np.ndarray  # (c, m)
    driven: tuple[tuple[int, int], ...]  # (input, constraint) for second rates of constraints
    notes: tuple[str, ...] = ()


class Outputs(NamedTuple):
    """p outputs as sums over coordinates, their rates, multipliers and inputs."""

    names: tuple[str, ...]
    by_position: np.ndarray  # (p, f)
    by_velocity: np.ndarray  # (p, f)
    by_multiplier: np.ndarray  # (p, r)
    direct: np.ndarray  # (p, m)
    offset: np.ndarray  # (p,)


def inputs_of(
    plant: Plant, linear: Linearisation, q: np.ndarray, v: np.ndarray, time: float, held: str, wanted: Ports
) -> Inputs:
    """Of a nodal plant."""
    ports = ports_of(plant.structure, _by_member(plant, wanted), INPUTS, "input")
    springs = springs_at(plant, q, v, time)
    members = member_slopes(plant, q, v, time, held)
    elastic, rigid = _member_rows(plant)
    force, free = np.zeros((linear.moving.size, len(ports))), angle_slopes(plant, q, v, time)
    tension = np.zeros((members.length.size, len(ports)))
    driven, deaf = [], []
    for k, port in enumerate(ports):
        if port.kind == "node":
            force[_coordinate(plant, linear, port), k] = 1.0
            continue
        _check_fits(plant, port)
        if port.kind == "angle" and port.quantity == "torque":
            force[:, k] = free[port.name].gradient[linear.moving]
        elif port.quantity in SECOND_RATES.values():
            driven.append((k, rigid[port.kind, port.name]))
        else:
            row = elastic[port.kind, port.name]
            tension[row, k] = _pull(plant, springs, members, row, port, held)
            if port.quantity == "rest_length":
                force[:, k] = linear.by_natural[:, row]
            deaf += [] if tension[row, k] else [f'"{port.name}"']
    force += _on_coordinates(linear, members) @ tension
    notes = (f"slack, so their inputs do nothing: {', '.join(deaf)}",) if deaf else ()
    return Inputs(tuple(map(str, ports)), force, tension, tuple(driven), notes)


def outputs_of(
    plant: Plant,
    linear: Linearisation,
    q: np.ndarray,
    v: np.ndarray,
    time: float,
    held: str,
    inputs: Inputs,
    wanted: Ports,
) -> Outputs:
    """Of a nodal plant."""
    ports = ports_of(plant.structure, wanted, OUTPUTS, "output")
    members = member_slopes(plant, q, v, time, held)
    elastic, rigid = _member_rows(plant)
    sizes = (linear.moving.size, linear.moving.size, linear.multiplier.size, len(inputs.names))
    by_position, by_velocity, by_multiplier, direct = (np.zeros((len(ports), size)) for size in sizes)
    offset = np.zeros(len(ports))
    along, free = _on_coordinates(linear, members), angle_slopes(plant, q, v, time)
    bars = plant.tables["bars"].column
    thickness, turning = np.zeros((2, plant.rows))  # of bars that do not telescope
    thickness[: bars.size] = rigid_thickness(plant.structure, bars)
    turning[: bars.size] = turning_push(plant.structure, bars, plant.pack, v)
    for k, port in enumerate(ports):
        member = (port.kind, port.name)
        if port.kind == "node":
            at = _coordinate(plant, linear, port)
            place, value = (by_position, q) if port.quantity == "position" else (by_velocity, v)
            place[k, at] = 1.0
            offset[k] = value[linear.moving[at]]
        elif port.kind == "angle" and port.name in free and port.quantity == "angle":
            by_position[k] = free[port.name].gradient[linear.moving]
            offset[k] = free[port.name].value
        elif port.kind == "angle" and port.name in free:
            one = free[port.name]
            by_position[k] = -(one.stiffness * one.gradient + one.damping * one.bent)[linear.moving]
            by_velocity[k] = -one.damping * one.gradient[linear.moving]
            direct[k] = [float(name == f"angle:{port.name}.torque") for name in inputs.names]
            offset[k] = one.torque
        elif port.kind == "angle" and port.quantity == "torque":
            by_multiplier[k, rigid[member]] = 1.0
            offset[k] = linear.multiplier[rigid[member]]
        elif member in rigid and port.kind == "cable" and port.quantity == "tension":
            by_multiplier[k, rigid[member]] = -1.0
            offset[k] = -linear.multiplier[rigid[member]]
        elif member in rigid and port.quantity == "tension":
            row = rigid[member]
            push, thick, per_length = linear.multiplier[row], thickness[row], 1.0 / _length(plant, port, q, row)
            by_multiplier[k, row] = -1.0
            # A multiplier is a force per length at rest: driven longer, the bar pulls as much more. What of it no
            # cross-section feels goes with the acceleration with which the ends part (`turning_push`).
            by_position[k] = (turning[row] - push) * per_length * linear.rows[row]
            by_velocity[k] = -2.0 * thick * linear.jacobian_rate[row]
            offset[k] = -push - turning[row]
        elif member in rigid:
            by_position[k] = linear.rows[rigid[member]]
            offset[k] = _length(plant, port, q, rigid[member])
        elif port.quantity == "length":
            row = elastic[member]
            by_position[k] = -along[:, row]
            offset[k] = members.length[row]
        else:
            row = elastic[member]
            by_position[k] = members.by_place[row, linear.moving]
            by_velocity[k] = members.by_speed[row, linear.moving]
            direct[k] = inputs.tension[row]
            offset[k] = members.tension[row]
    return Outputs(tuple(map(str, ports)), by_position, by_velocity, by_multiplier, direct, offset)


def own_inputs(plant: LagrangianPlant | GeneralisedPlant | TreePlant, linear: Linearisation, wanted: Ports) -> Inputs:
    """Of a plant in coordinates of its own: generalised forces."""
    found = own_ports(plant.names, wanted, ("force",), "input")
    force = np.zeros((linear.moving.size, len(found)))
    for k, (at, _) in enumerate(found):
        force[at, k] = 1.0
    names = tuple(f"coordinate:{plant.names[at]}.force" for at, _ in found)
    return Inputs(names, force, np.zeros((0, len(found))), ())


def own_outputs(
    plant: LagrangianPlant | GeneralisedPlant | TreePlant,
    linear: Linearisation,
    q: np.ndarray,
    v: np.ndarray,
    inputs: Inputs,
    wanted: Ports,
) -> Outputs:
    """Of a plant in coordinates of its own: coordinates and their rates."""
    found = own_ports(plant.names, wanted, OUTPUTS["node"], "output")
    size, count = linear.moving.size, len(found)
    by_position, by_velocity, offset = np.zeros((count, size)), np.zeros((count, size)), np.zeros(count)
    for k, (at, quantity) in enumerate(found):
        (by_position if quantity == "position" else by_velocity)[k, at] = 1.0
        offset[k] = (q if quantity == "position" else v)[at]
    names = tuple(f"coordinate:{plant.names[at]}.{quantity}" for at, quantity in found)
    none = np.zeros((count, linear.multiplier.size))
    return Outputs(names, by_position, by_velocity, none, np.zeros((count, len(inputs.names))), offset)


# --- members


def _member_rows(plant: Plant) -> tuple[dict[tuple[str, str], int], dict[tuple[str, str], int]]:
    """The rows of elastic members in the table of cables, and of rigid ones among the constraints."""
    rows = {name: k for k, name in enumerate(plant.constraint_names)}
    members = [(kind, name) for kind in ("cable", "bar", "angle") for name in getattr(plant.structure, f"{kind}s")]
    rigid = {(kind, name): rows[f'{kind} "{name}"'] for kind, name in members if f'{kind} "{name}"' in rows}
    given = plant.given
    elastic = {("cable", name): row for name, row in given.cable.items()}
    bars = given.compressible_bar | given.pneumatic_bar
    return elastic | {("bar", name): row for name, row in bars.items()}, rigid


FITTING = {
    ("cable", "spring"): (("rest_length", "force_density"), "is a spring"),
    ("cable", "tension"): (("tension",), "has a tension that is commanded"),
    ("cable", "force_density"): (("force_density",), "has a force density that is commanded"),
    ("cable", "length"): (("length_acceleration",), "is held and keeps its length"),
    ("bar", "rigid"): (("length_acceleration",), "is rigid and keeps its length"),
    ("bar", "compressible"): (("rest_length", "force_density"), "is compressible, so its length follows"),
    ("bar", "pneumatic"): (("force",), "has a force that is commanded"),
    ("angle", "held"): (("angle_acceleration",), "is held at its value"),
    ("angle", "free"): (("torque",), "is free"),
}
"""What can be an input of a member, by its mode or law, and why nothing else can."""

SECOND_RATES = {"length": "length_acceleration", "angle": "angle_acceleration"}
"""What a drive drives -> its input: what is rigid is one by its second rate, since no force could follow a jump."""


def _check_fits(plant: Plant, port: Port) -> None:
    member = getattr(plant.structure, f"{port.kind}s")[port.name]
    kind = member.law if port.kind == "bar" else member.mode
    quantities, reason = FITTING[port.kind, kind]
    if port.quantity not in quantities:
        raise OptionError(f'"{port}": the {port.kind} {reason}; take .{" or .".join(quantities)}')
    if isinstance(member, Bar) and properties.stays_thick(member):
        raise OptionError(f'"{port}": {thickening(member.name)}')


def _by_member(plant: Plant, wanted: Ports) -> Ports:
    """What a drive drives, where inputs are called by it: "drive:winch"."""
    if wanted is None:
        return None
    found: list[str | Load] = []
    for text in [wanted] if isinstance(wanted, str) else wanted:
        name = text.removeprefix("drive:") if isinstance(text, str) and text.startswith("drive:") else None
        meant = [driven for driven in plant.given.driven if name in (driven.label, driven.drive.name)]
        if name is not None and not meant:
            known = plant.drive_names
            raise OptionError(f'"drive:{name}": the plant has no such drive{suggestion(name, known)}')
        found += [
            f"{one.kind}:{one.member}.{SECOND_RATES.get(one.drive.quantity, one.drive.quantity)}" for one in meant
        ] or [text]
    return found


def _pull(plant: Plant, table: Any, members: MemberSlopes, row: int, port: Port, held: str) -> float:
    """By how much the tension [N] of a member grows with its input."""
    if port.quantity in ("tension", "force"):
        return 1.0 if port.quantity == "tension" else -1.0
    ruled = held == "all_force_densities" or (held == "force_density" and port.kind == "cable")
    if port.quantity == "force_density":
        return float(members.length[row]) if members.pulling[row] or ruled else 0.0
    if ruled:
        raise OptionError(f'"{port}" cannot be an input where force densities are held: take .force_density')
    if not members.pulling[row]:
        return 0.0
    stiffness, rest, drag = (float(part[row]) for part in (table.stiffness, table.rest_length, table.damping))
    member = (plant.structure.cables if port.kind == "cable" else plant.structure.bars)[port.name]
    if member.stiffness is not None or properties.axial_rigidity(member) is None:
        return -stiffness
    # E A / rest_length changes with it, and so does damping in proportion to that.
    viscous = (drag - member.damping) * float(members.rate[row] - table.rest_rate[row])
    return -(stiffness * float(members.length[row]) + viscous) / rest


def _length(plant: Plant, port: Port, q: np.ndarray, row: int) -> float:
    """Of a member that keeps its length, by its row; one that is held or driven has that of its route.

    Of an angle it is the angle itself.
    """
    if port.kind == "angle":
        return angle_value(plant.structure.placed(q.reshape(-1, 3)), plant.structure.angles[port.name])
    bars = plant.tables["bars"]
    if row < bars.length.size:
        return float(bars.length[row])
    structure = plant.structure
    route = structure.cables[port.name].route if port.kind == "cable" else structure.bars[port.name].nodes
    places = q.reshape(-1, 3)[[list(structure.nodes).index(node) for node in route]]
    return float(np.linalg.norm(np.diff(places, axis=0), axis=1).sum())


def _on_coordinates(linear: Linearisation, members: MemberSlopes) -> np.ndarray:
    """(f, c): what a newton of tension in each member does to the coordinates."""
    return np.asarray(-members.along[:, linear.moving].T)


def _coordinate(plant: Plant, linear: Linearisation, port: Port) -> int:
    at = 3 * list(plant.structure.nodes).index(port.name) + AXES.index(port.axis)
    return int(np.searchsorted(linear.moving, at))
