"""What acts at a state, whatever the plant's coordinates: its equations of motion, and the forces that actuators add.

An actuator is named by its force: "angle:knee.torque" [N m], "cable:c1.tension" and "bar:b1.tension" [N], positive
where it pulls, "bar:b1.force" of a pneumatic one, "node:top.force.z" [N], "coordinate:hip.force", or "drive:motor". Of
what is held or driven in its length or angle it is the constraint's force; of all else a force that is commanded.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from taut.control.port_names import Ports, own_ports, ports_of
from taut.errors import OptionError
from taut.mechanics.linear.members import State
from taut.mechanics.linear.motion_terms import MotionTerms, terms_of_state
from taut.mechanics.plant import Plant
from taut.mechanics.points.generalised import GeneralisedPlant
from taut.mechanics.points.generalised_tables import KIND
from taut.mechanics.points.lagrangian import LagrangianPlant
from taut.mechanics.points.lagrangian_operations import all_forces, along
from taut.structure.ports import Port
from taut.structure.records import AXES

AnyPlant = Plant | LagrangianPlant | GeneralisedPlant

ACTING = {"node": ("force",), "cable": ("tension",), "bar": ("tension", "force"), "angle": ("torque",)}


class Actuator(NamedTuple):
    """One force: of the constraint `row`, times `sign`; or where that is -1 one by itself, counted from `given`."""

    name: str
    port: Port
    row: int = -1
    sign: float = 1.0
    coordinate: int = -1  # of a plant in coordinates of its own, that it acts along


def actuators_of(plant: AnyPlant, wanted: Ports) -> tuple[Actuator, ...]:
    """What the names mean; None: every drive of the plant, or every coordinate where there are no nodes."""
    if isinstance(plant, LagrangianPlant):
        return _along_coordinates(plant, None if wanted is None else list(_texts(wanted)))
    if wanted is None:
        wanted = [f"drive:{driven.label}" for driven in plant.points.given.driven]
        if not wanted:
            raise OptionError('nothing is driven, so there are no actuators; name some, as "angle:knee.torque"')
    found: dict[str, Actuator] = {}
    for text in _texts(wanted):
        if isinstance(plant, GeneralisedPlant) and text.startswith("coordinate:"):
            found |= {one.name: one for one in _along_coordinates(plant, [text])}
            continue
        for name in _by_drive(plant.points, text):
            for port in ports_of(plant.structure, name, ACTING, "actuator"):
                found[str(port)] = _actuator(plant, port)
    return tuple(found.values())


def _texts(wanted: Ports) -> list[str]:
    return [wanted] if isinstance(wanted, str) else [str(one) for one in wanted or ()]


def _along_coordinates(plant: LagrangianPlant | GeneralisedPlant, wanted: list[str] | None) -> tuple[Actuator, ...]:
    found = []
    for at, _ in own_ports(plant.names, wanted, ("force",), "actuator"):
        port, label = Port("coordinate", plant.names[at], "force"), f'coordinate "{plant.names[at]}"'
        if label in plant.constraint_names:  # imposed, so that its force is the constraint's
            found.append(Actuator(str(port), port, plant.constraint_names.index(label)))
        else:
            found.append(Actuator(str(port), port, coordinate=at))
    return tuple(found)


FORCE_OF = {
    "rest_length": "tension",
    "length": "tension",
    "tension": "tension",
    "force": "force",
    "force_density": "tension",
}
"""What is driven -> the force that drives it; of an angle it is a torque."""


def _by_drive(points: Plant, text: str) -> list[str]:
    """The forces of a drive, where one is named."""
    if not text.startswith("drive:"):
        return [text]
    name = text.removeprefix("drive:")
    meant = [one for one in points.given.driven if name in (one.label, one.drive.name)]
    if not meant:
        raise OptionError(f'"{text}": the plant has no such drive; there are {", ".join(points.drive_names) or "none"}')
    return [f"{one.kind}:{one.member}.{FORCE_OF.get(one.drive.quantity, 'torque')}" for one in meant]


def _actuator(plant: Plant | GeneralisedPlant, port: Port) -> Actuator:
    points: Plant = plant.points
    label = f'{port.kind} "{port.name}"'
    if label in points.constraint_names:
        if label not in plant.constraint_names:
            raise OptionError(f'"{port}": joints keep {label} as it is, so its force is not known in these coordinates')
        return Actuator(str(port), port, plant.constraint_names.index(label), 1.0 if port.kind == "angle" else -1.0)
    given = points.given
    known = {**{("cable", name): k for name, k in given.cable.items()}, **_elastic_bars(points)}
    if port.kind in ("cable", "bar") and (port.kind, port.name) not in known:
        raise OptionError(f'"{port}": {label} has no force of its own to command')
    if port.quantity == "force" and port.kind == "bar" and port.name not in given.pneumatic_bar:
        raise OptionError(f'"{port}": only a pneumatic bar is commanded by its force; take .tension')
    return Actuator(str(port), port)


def _elastic_bars(points: Plant) -> dict[tuple[str, str], int]:
    bars = points.given.compressible_bar | points.given.pneumatic_bar
    return {("bar", name): row for name, row in bars.items()}


class Acting(NamedTuple):
    """The equations of motion at a state, and m actuators in them."""

    terms: MotionTerms
    push: np.ndarray  # (f, m) what a unit of each does to the coordinates; zero of those that are constraints
    present: np.ndarray  # (m,) what each has already in `terms.force`


def acting(plant: AnyPlant, t: float, q: np.ndarray, v: np.ndarray, actuators: tuple[Actuator, ...]) -> Acting:
    """At coordinates and their rates (3 n,), or (m,) of a plant in coordinates of its own."""
    if isinstance(plant, Plant):
        return acting_on_nodes(State(plant, q, v, t), actuators)
    if isinstance(plant, LagrangianPlant):
        work = plant.own_tables(metric="mass", gains=(0.0, 0.0))
        bias = -along(plant.jacobian, q, v) @ v
        terms = MotionTerms(np.arange(q.size), plant.mass(q), plant.jacobian(q), all_forces(work, t, q, v)[0], bias)
        return Acting(terms, _own(q.size, actuators), np.zeros(len(actuators)))
    mass, rows, force, bias = plant.terms_at(t, q, v)
    table, size = plant.tables[KIND], plant.points.coordinates  # as that evaluation left it
    columns, nodes = table.column.reshape(q.size, size), table.nodal[: 2 * size].copy()
    push, present = _pushed(State(plant.points, nodes[:size], nodes[size:], t), actuators)
    return Acting(
        MotionTerms(np.arange(q.size), mass, rows, force, bias), columns @ push + _own(q.size, actuators), present
    )


def acting_on_nodes(state: State, actuators: tuple[Actuator, ...]) -> Acting:
    """Of a nodal plant."""
    terms = terms_of_state(state)
    push, present = _pushed(state, actuators)
    return Acting(terms, push[terms.moving], present)


def _own(size: int, actuators: tuple[Actuator, ...]) -> np.ndarray:
    found = np.zeros((size, len(actuators)))
    for k, one in enumerate(actuators):
        if one.coordinate >= 0:
            found[one.coordinate, k] = 1.0
    return found


def _pushed(state: State, actuators: tuple[Actuator, ...]) -> tuple[np.ndarray, np.ndarray]:
    """(3 n, m) and (m,) of commanded forces on nodes."""
    points, size = state.plant, state.size
    push, present = np.zeros((size, len(actuators))), np.zeros(len(actuators))
    rows = {("cable", name): row for name, row in points.given.cable.items()} | _elastic_bars(points)
    angles = [angle.name for angle in points.given.free_angles]
    slopes = angle_gradients(state)[0]
    for k, (_, port, row, _, coordinate) in enumerate(actuators):
        if row >= 0 or coordinate >= 0:
            continue
        if port.kind == "node":
            push[3 * list(points.structure.nodes).index(port.name) + AXES.index(port.axis), k] = 1.0
        elif port.kind == "angle":
            push[:, k] = slopes[angles.index(port.name)]
            present[k] = state.tables["torques"].command[angles.index(port.name)]
        else:
            member, sign = rows[port.kind, port.name], -1.0 if port.quantity == "force" else 1.0
            push[:, k], present[k] = -sign * state.along[member], sign * state.tension[member]
    return push, present


def angle_gradients(state: State) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """(a, 3 n), (a, 3 n) and (a,): of every free angle its gradient, that of its rate, and how far it is from rest."""
    count = len(state.plant.given.free_angles)
    off, gradient, bent = np.zeros(count), np.zeros((count, state.size)), np.zeros((count, state.size))
    if count:
        state.tools["fill_angle_slopes"](state.pack, state.y, off, gradient, bent)
    return gradient, bent, off
