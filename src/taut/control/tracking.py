"""Controllers that follow a motion which is known ahead: PD with feed-forward, and computed torque.

PD:               torque = feed_forward(t) - proportional (angle - wanted) - derivative (angle' - wanted')
computed torque:  y'' = wanted'' - derivative (y' - wanted') - proportional (y - wanted)

The latter is of as many outputs y as there are actuators: the torques are those that the equations of motion need for
such y'' at the state that is measured.

Outputs are angles at the actuators, or places of nodes: a controller in the space of its task. What the outputs do not
show moves by itself; whether that decays is told by the zeros of the linear model (`taut.linearise`).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

import numpy as np

from taut.control.actuators import Acting, Actuator, acting, acting_on_nodes, actuators_of, angle_gradients
from taut.control.port_names import OUTPUTS, ports_of
from taut.control.run_controller import commanded
from taut.errors import OptionError
from taut.mechanics.linear.members import State
from taut.mechanics.plant import Plant
from taut.mechanics.points.generalised import GeneralisedPlant
from taut.mechanics.points.generalised_tables import KIND
from taut.structure.controllers import Controller, LinearLaw
from taut.structure.ports import Port
from taut.structure.records import AXES
from taut.structure.scenario import Drive
from taut.structure.signals import Command, SampledSignal, Signal, SignalSum
from taut.type_checks import checked_arguments

ROUNDS, CLOSE = 20, 1e-12
"""Of Newton's method for coordinates, and the part of a typical length at which it has arrived."""
WEAK = 1e8
"""Condition number of what actuators do to outputs, from which they cannot be told apart."""


class Tracking(NamedTuple):
    """What `assemble` takes: drives of torques, and the controller that commands them."""

    drives: tuple[Drive, ...]
    controllers: tuple[Controller, ...]


@checked_arguments
def pd_tracking(
    time: np.ndarray,
    wanted: Mapping[str, np.ndarray],
    rates: Mapping[str, np.ndarray],
    *,
    proportional: float,
    derivative: float,
    feed_forward: Mapping[str, Signal] | None = None,
    rate: float | None = None,
    name: str = "pd",
) -> Tracking:
    """PD about a motion of free angles, and torques that are known ahead.

    wanted, rates: free angle, as "theta1", -> its values [rad] and rates [rad/s] at the times. feed_forward: the
        signal of its torque [N m], as of `InverseDynamics.signal`; none by default.
    proportional: [N m/rad]. derivative: [N m s/rad]. rate: how often it decides [Hz]; None: at all times.
    What is wanted is a signal of the drive, so that the law itself is a gain, and no loop is compiled for it.
    """
    times, members = np.asarray(time, dtype=float), list(wanted)
    if not members:
        raise OptionError("nothing is wanted; name a free angle and its values at the times")
    lacking = [member for member in members if any(member not in given for given in (rates, feed_forward or wanted))]
    if lacking:
        raise OptionError(f'"{lacking[0]}" has a value that is wanted, and no rate or feed-forward; give all of them')
    drives = []
    for member in members:
        parts = [np.asarray(given[member], dtype=float) for given in (wanted, rates)]
        for values in parts:
            if values.shape != times.shape:
                raise OptionError(f'what is wanted of "{member}" has the shape {values.shape}; give {times.shape}')
        curve = proportional * parts[0] + derivative * parts[1]
        leading: list[Signal] = [SampledSignal(tuple(times.tolist()), tuple(curve.tolist()))]
        leading += [] if feed_forward is None else [feed_forward[member]]
        start = -proportional * float(parts[0][0]) - derivative * float(parts[1][0])
        drives.append(Drive(f"{name} {member}", f"angle:{member}", "torque", to=SignalSum((*leading, Command(start)))))
    count = len(members)
    law = LinearLaw(-np.hstack([proportional * np.eye(count), derivative * np.eye(count)]))
    measured = (*(f"angle:{one}.angle" for one in members), *(f"angle:{one}.angle_rate" for one in members))
    return Tracking(tuple(drives), (Controller(name, measured, tuple(one.name for one in drives), law, rate=rate),))


Reference = Callable[[float], tuple[np.ndarray, np.ndarray, np.ndarray]]
"""t -> what is wanted of every output, its rate and its second rate."""


@checked_arguments
def computed_torque(
    name: str,
    plant: Plant | GeneralisedPlant,
    outputs: Sequence[str],
    wanted: Reference,
    *,
    proportional: float,
    derivative: float,
    rate: float,
    combine: np.ndarray | None = None,
    actuators: Sequence[str] | None = None,
) -> Controller:
    """A controller whose outputs follow what is wanted as y'' + derivative y' + proportional y of their errors is zero.

    plant: from `assemble` or `in_coordinates`, with a drive or load of Command for every actuator; it is assembled once
        more, with the controller. Coordinates of joints are found from the nodes that are measured.
    outputs: of free angles, "angle:knee.angle", and places of nodes, "node:foot.position.x".
    combine: (k, outputs) sums of them that are followed instead, such as the middle of three nodes.
    proportional: [1/s^2]. derivative: [1/s]. rate: how often it decides [Hz].
    actuators: as many as there are outputs; by default all that the plant drives.
    The state is measured exactly, and the plant's own equations are the model.
    """
    chosen = actuators_of(plant, None if actuators is None else list(actuators))
    ports = ports_of(plant.structure, list(outputs), OUTPUTS, "output")
    sums = np.eye(len(ports)) if combine is None else np.asarray(combine, dtype=float)
    if sums.shape != (len(chosen), len(ports)):
        raise OptionError(
            f"{len(chosen)} actuators can have as many outputs follow, and {len(ports)} are given with sums of shape "
            f"{sums.shape}; give as many outputs as actuators, or combine=({len(chosen)}, {len(ports)})"
        )
    held = [one.name for one in chosen if one.row >= 0]
    if held:
        raise OptionError(f'"{held[0]}" is of something held, and no force commands it; make it free, or commanded')
    commands = [commanded(plant.points, one.name) for one in chosen]
    starts = np.array([start for _, start in commands])

    def law(t: float, measured: np.ndarray, state: np.ndarray) -> np.ndarray:
        q, v = measured[: measured.size // 2], measured[measured.size // 2 :]
        if isinstance(plant, GeneralisedPlant):
            q, v = _coordinates_of(plant, q, v, state)
            state[:] = q
        more = efforts_for(plant, t, q, v, chosen, ports, sums, wanted, (proportional, derivative))
        return np.asarray(starts + more)

    names = tuple(name for name, _ in commands)
    start = tuple(map(float, plant.positions)) if isinstance(plant, GeneralisedPlant) else ()
    nodes = plant.structure.nodes  # every one by name: patterns leave out what carries the mass of plates
    measured = tuple(f"node:{node}.{quantity}" for quantity in ("position", "velocity") for node in nodes)
    return Controller(name, measured, names, law, rate=rate, state=start)


def _coordinates_of(
    plant: GeneralisedPlant, places: np.ndarray, speeds: np.ndarray, near: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Coordinates and rates that nodes mean, from coordinates near them."""
    q, table, size = near.copy(), plant.tables[KIND], places.size
    for _ in range(ROUNDS):
        plant.terms_at(0.0, q, np.zeros_like(q))
        columns = table.column.reshape(q.size, size).T
        change = np.linalg.lstsq(columns, places - table.nodal[:size], rcond=None)[0]
        q = q + change
        if np.abs(change * table.reach[:-1]).max(initial=0.0) < CLOSE * plant.typical_length:
            break
    return q, np.linalg.lstsq(columns, speeds, rcond=None)[0]


def efforts_for(
    plant: Plant | GeneralisedPlant,
    t: float,
    q: np.ndarray,
    v: np.ndarray,
    actuators: tuple[Actuator, ...],
    ports: Sequence[Port],
    sums: np.ndarray,
    wanted: Reference,
    gains: tuple[float, float],
) -> np.ndarray:
    """M a = f + B u + G^T l,  G a = bias,  H a = y'' - (dH/dt) v  solved for u: what actuators are to give beyond what
    they give where their Commands start, which is in f."""
    found, value, slope, bending = _outputs_at(plant, t, q, v, actuators, ports)
    terms, moving = found.terms, found.terms.moving
    y, turn, drift = sums @ value, sums @ slope, sums @ bending
    to, to_rate, to_second = wanted(t)
    second = np.asarray(to_second) - gains[1] * (turn @ v - to_rate) - gains[0] * (y - to)
    f, r, m = moving.size, terms.bias.size, len(actuators)
    system, right = np.zeros((f + r + m, f + r + m)), np.zeros(f + r + m)
    system[:f, :f], system[:f, f : f + r], system[:f, f + r :] = terms.mass, -terms.rows.T, -found.push
    system[f : f + r, :f], system[f + r :, :f] = terms.rows, turn[:, moving]
    right[:f], right[f : f + r], right[f + r :] = terms.force, terms.bias, second - drift
    answer = np.linalg.lstsq(system, right, rcond=1.0 / WEAK**2)[0]
    return np.asarray(answer[f + r :])


def _outputs_at(
    plant: Plant | GeneralisedPlant,
    t: float,
    q: np.ndarray,
    v: np.ndarray,
    actuators: tuple[Actuator, ...],
    ports: Sequence[Port],
) -> tuple[Acting, np.ndarray, np.ndarray, np.ndarray]:
    """What acts; outputs (p,), how they change with coordinates (p, m), and their second rates without those of
    coordinates (p,)."""
    if isinstance(plant, Plant):
        state = State(plant, q, v, t)
        value, slope, bent = _shown(state, ports)
        return acting_on_nodes(state, actuators), value, slope, bent @ v
    found = acting(plant, t, q, v, actuators)
    table, size = plant.tables[KIND], plant.points.coordinates  # as that evaluation left it
    columns, nodes = table.column.reshape(q.size, size).T, table.nodal[: 2 * size].copy()
    value, slope, bent = _shown(State(plant.points, nodes[:size], nodes[size:], t), ports)
    return found, value, slope @ columns, bent @ nodes[size:] + slope @ table.bias


def _shown(state: State, ports: Sequence[Port]) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Outputs (p,), how they change with all coordinates (p, 3 n), and how their rates do (p, 3 n)."""
    names, nodes = [angle.name for angle in state.plant.given.free_angles], list(state.plant.structure.nodes)
    gradient, turning, off = angle_gradients(state)
    value, slope, bent = np.zeros(len(ports)), np.zeros((len(ports), state.size)), np.zeros((len(ports), state.size))
    for k, port in enumerate(ports):
        if port.kind == "node" and port.quantity == "position":
            at = 3 * nodes.index(port.name) + AXES.index(port.axis)
            value[k], slope[k, at] = state.y[at], 1.0
        elif port.kind == "angle" and port.quantity == "angle" and port.name in names:
            row = names.index(port.name)
            value[k] = state.tables["torques"].rest[row] + off[row]
            slope[k], bent[k] = gradient[row], turning[row]
        else:
            raise OptionError(f'"{port}" cannot be followed; give free angles and places of nodes')
    return value, slope, bent
