"""What sensors measure of a state, with noise, bias and resolution.

Positions, velocities, lengths and angles follow from the state alone; the tension of a cable too. Forces of rigid bars,
torques and accelerations need an evaluation of the equations of motion, with what is commanded at that instant.
"""

from __future__ import annotations

import math
import zlib
from collections.abc import Mapping
from typing import NamedTuple

import numpy as np

from taut.errors import OptionError
from taut.mechanics.contact.parts import contact_reading
from taut.mechanics.inertia.masses import rigid_thickness
from taut.mechanics.kinds import Given
from taut.mechanics.parts import free_torque
from taut.mechanics.rows.bars import bars_in
from taut.mechanics.tables import coordinate_count, part_of, slot, work_in
from taut.mechanics.terms.contacts import candidates
from taut.mechanics.terms.springs import member_state
from taut.numerics.compiled import inlined, kernel
from taut.numerics.noise import normal
from taut.numerics.packing import Integers, Pack, Reals, reader
from taut.numerics.pointers import shifted
from taut.structure.angles import Angle, directions_of
from taut.structure.controllers import Sensor
from taut.structure.ports import Port
from taut.structure.records import AXES
from taut.structure.sensing import CONTACT, quantities_of

STATE, PATH, PATH_RATE, LAW, ROW, BAR, ACCELERATION, BODY_FORCE, BODY_RATE = range(9)
ANGLE, ANGLE_RATE, TORQUE, TOUCHED = range(9, 13)
DYNAMIC = (ROW, BAR, ACCELERATION, BODY_FORCE)
"""What needs an evaluation."""


class Sensors(NamedTuple):
    """s sensors."""

    kind: Integers  # (s,)
    at: Integers  # (s,) place in the state, or row among laws or constraints
    axis: Integers  # (s,)
    start: Integers  # (s + 1,) where its nodes begin
    nodes: Integers  # first coordinates; of an angle, before them how many say each of three directions; or contacts
    factor: Reals  # (s,) of a row's multiplier; of a thick bar, what its turning adds (`outputs.turning_push`)
    less: Reals  # (3 s,) taken from an acceleration: gravity [m/s^2]
    bias: Reals  # (s,)
    noise: Reals  # (s,)
    resolution: Reals  # (s,)
    seed: Integers  # (s,)
    channel: Integers  # (s,)
    dynamic: Integers  # (1,) whether any needs an evaluation


sensors_in = reader(Sensors, slot("sensors"))
SENSORS = part_of("sensors", Sensors, "kind")


@kernel
def _path(p: Pack, k: int, y: np.ndarray, rates: bool) -> float:
    """The summed length along nodes, or its rate."""
    sensors, n, total = sensors_in(p), coordinate_count(p), 0.0
    for m in range(sensors.start[k], sensors.start[k + 1] - 1):
        i, j = sensors.nodes[m], sensors.nodes[m + 1]
        square, along = 0.0, 0.0
        for axis in range(3):
            apart = y[j + axis] - y[i + axis]
            square += apart * apart
            along += apart * (y[n + j + axis] - y[n + i + axis])
        length = math.sqrt(square)
        total += along / length if rates else length
    return total


@inlined
def _cross(a: tuple[float, float, float], b: tuple[float, float, float]) -> tuple[float, float, float]:
    return a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]


@inlined
def _dot(a: tuple[float, float, float], b: tuple[float, float, float]) -> float:
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]


@inlined
def _apart(y: np.ndarray, i: int, j: int) -> tuple[float, float, float]:
    return y[j] - y[i], y[j + 1] - y[i + 1], y[j + 2] - y[i + 2]


@inlined
def _unit(a: tuple[float, float, float]) -> tuple[float, float, float]:
    size = math.sqrt(_dot(a, a))
    return a[0] / size, a[1] / size, a[2] / size


@kernel
def _direction(y: np.ndarray, nodes: np.ndarray, count: int) -> tuple[float, float, float]:
    """From the first of two nodes to the second, or the normal of three."""
    if count == 3:
        return _cross(_apart(y, nodes[0], nodes[1]), _apart(y, nodes[0], nodes[2]))
    return _apart(y, nodes[0], nodes[1])


@kernel
def _angle(y: np.ndarray, nodes: np.ndarray) -> float:
    """As `taut.structure.angles.angle_between`."""
    one, two, three = nodes[0], nodes[1], nodes[2]
    a = _direction(y, shifted(nodes, 3), one)
    b = _direction(y, shifted(nodes, 3 + one), two)
    turned = _cross(a, b)
    if three == 0:
        return math.atan2(math.sqrt(_dot(turned, turned)), _dot(a, b))
    e = _unit(_direction(y, shifted(nodes, 3 + one + two), three))
    return math.atan2(_dot(turned, e), _dot(a, b) - _dot(a, e) * _dot(b, e))


@kernel
def _turning(y: np.ndarray, nodes: np.ndarray, count: int, n: int) -> tuple[float, float, float]:
    """The rate of `_direction`."""
    v = shifted(y, n)
    if count == 2:
        return _apart(v, nodes[0], nodes[1])
    one = _cross(_apart(v, nodes[0], nodes[1]), _apart(y, nodes[0], nodes[2]))
    other = _cross(_apart(y, nodes[0], nodes[1]), _apart(v, nodes[0], nodes[2]))
    return one[0] + other[0], one[1] + other[1], one[2] + other[2]


@kernel
def _angle_rate(y: np.ndarray, nodes: np.ndarray, n: int) -> float:
    """By the formulas of `terms/directions.py`."""
    one, two, three = nodes[0], nodes[1], nodes[2]
    second, third = shifted(nodes, 3 + one), shifted(nodes, 3 + one + two)
    a, b = _direction(y, shifted(nodes, 3), one), _direction(y, second, two)
    axis = _cross(a, b) if three == 0 else _direction(y, third, three)
    e, size = _unit(axis), math.sqrt(_dot(axis, axis))
    along, other = _dot(a, e), _dot(b, e)
    square, other_square = _dot(a, a) - along * along, _dot(b, b) - other * other
    rate = _dot(e, _cross(b, _turning(y, second, two, n))) / other_square
    rate -= _dot(e, _cross(a, _turning(y, shifted(nodes, 3), one, n))) / square
    if three > 0:
        leaning = _turning(y, third, three, n)
        rate += along * _dot(_cross(e, a), leaning) / (square * size)
        rate -= other * _dot(_cross(e, b), leaning) / (other_square * size)
    return rate


@kernel
def _on_body(p: Pack, k: int, y: np.ndarray, turning: bool) -> float:
    """The specific force at the first node of a plate, or the rate at which it turns, along an axis of its own.

    Of two ways r, s on a rigid plate r' = w x r and s' = w x s; with n = r x s, that is
    w = ((s'.n) r - (r'.n) s + (r'.s) n) / n.n.
    """
    sensors, n = sensors_in(p), coordinate_count(p)
    nodes = shifted(sensors.nodes, sensors.start[k])
    x = _unit(_apart(y, nodes[0], nodes[1]))
    z = _unit(_cross(x, _apart(y, nodes[0], nodes[2])))
    own = z if sensors.axis[k] == 2 else x if sensors.axis[k] == 0 else _cross(z, x)
    if not turning:
        i, a = nodes[0], work_in(p).acceleration
        less = shifted(sensors.less, 3 * k)
        return _dot(own, (a[i] - less[0], a[i + 1] - less[1], a[i + 2] - less[2]))
    r, s = _apart(y, nodes[0], nodes[1]), _apart(y, nodes[0], nodes[2])
    v = shifted(y, n)
    rr, ss = _apart(v, nodes[0], nodes[1]), _apart(v, nodes[0], nodes[2])
    normal_way = _cross(r, s)
    size = _dot(normal_way, normal_way)
    a, b, c = _dot(ss, normal_way), _dot(rr, normal_way), _dot(rr, s)
    w = (
        (a * r[0] - b * s[0] + c * normal_way[0]) / size,
        (a * r[1] - b * s[1] + c * normal_way[1]) / size,
        (a * r[2] - b * s[2] + c * normal_way[2]) / size,
    )
    return _dot(own, w)


@inlined
def exact(p: Pack, k: int, t: float, y: np.ndarray) -> float:
    """What a sensor would measure without any fault; multipliers and accelerations are those last found."""
    sensors = sensors_in(p)
    kind, at = sensors.kind[k], sensors.at[k]
    if kind == STATE:
        return y[at]
    if kind in (PATH, PATH_RATE):
        return _path(p, k, y, kind == PATH_RATE)
    if kind == LAW:
        _, _, elastic, viscous = member_state(p, at, y, 1)
        return elastic + viscous
    if kind == ROW:
        return sensors.factor[k] * work_in(p).multiplier[at]
    if kind == BAR:
        nodes, n = shifted(sensors.nodes, sensors.start[k]), coordinate_count(p)
        w = _apart(shifted(y, n), nodes[0], nodes[1])
        return -work_in(p).multiplier[at] - sensors.factor[k] * bars_in(p).per_length[at] * _dot(w, w)
    if kind == ACCELERATION:
        return work_in(p).acceleration[at] - sensors.less[3 * k]
    if kind == TOUCHED:
        return contact_reading(p, sensors.axis[k], sensors.start[k], sensors.start[k + 1], sensors.nodes, y)
    if kind == TORQUE:
        return free_torque(p, at, y)
    if kind == ANGLE:
        return _angle(y, shifted(sensors.nodes, sensors.start[k]))
    if kind == ANGLE_RATE:
        return _angle_rate(y, shifted(sensors.nodes, sensors.start[k]), coordinate_count(p))
    return _on_body(p, k, y, kind == BODY_RATE)


@inlined
def measured(p: Pack, k: int, number: int, t: float, y: np.ndarray) -> float:
    """What it measures, for the time of this number."""
    sensors = sensors_in(p)
    value = exact(p, k, t, y) + sensors.bias[k]
    if sensors.noise[k] > 0.0:
        value += sensors.noise[k] * normal(sensors.seed[k], sensors.channel[k], number)
    if sensors.resolution[k] > 0.0:
        value = sensors.resolution[k] * np.rint(value / sensors.resolution[k])
    return value


def tabulate(given: Given, rows: Mapping[str, int]) -> Sensors:
    """rows: where those of each kind of constraint begin."""
    found = [_row(given, rows, sensor) for sensor in given.sensors]
    kinds, ats, axes, nodes, factors, less = (
        (list(column) for column in zip(*found, strict=True)) if found else ([],) * 6
    )
    return Sensors(
        kind=np.array(kinds, dtype=np.int64),
        at=np.array(ats, dtype=np.int64),
        axis=np.array(axes, dtype=np.int64),
        start=np.cumsum([0, *map(len, nodes)], dtype=np.int64),
        nodes=np.array([place for one in nodes for place in one], dtype=np.int64),
        factor=np.array(factors, dtype=float),
        less=np.array(less, dtype=float).ravel(),
        bias=np.array([sensor.bias for sensor in given.sensors], dtype=float),
        noise=np.array([sensor.noise for sensor in given.sensors], dtype=float),
        resolution=np.array([sensor.resolution for sensor in given.sensors], dtype=float),
        seed=np.array([sensor.seed for sensor in given.sensors], dtype=np.int64),
        channel=np.array([zlib.crc32(sensor.name.encode()) for sensor in given.sensors], dtype=np.int64),
        dynamic=np.array([int(any(kind in DYNAMIC for kind in kinds))], dtype=np.int64),
    )


Row = tuple[int, int, int, list[int], float, tuple[float, float, float]]
"""kind, at, axis, nodes, factor, less."""

NOTHING = (0.0, 0.0, 0.0)


def _row(given: Given, rows: Mapping[str, int], sensor: Sensor) -> Row:
    place = given.coordinate
    if isinstance(sensor.quantity, Angle):
        return ANGLE, 0, 0, _ways(given, sensor.quantity), 0.0, NOTHING
    (one,) = quantities_of(given.structure, sensor.quantity, given.grounds)
    axis = AXES.index(one.axis) if one.axis else 0
    if one.quantity in CONTACT:
        meant = [c.ground.name if one.kind == "ground" else "" if c.bar else c.nodes[0] for c in candidates(given)]
        which = axis if one.quantity == "contact_force" else len(AXES) - 1 + CONTACT.index(one.quantity)
        return TOUCHED, 0, which, [c for c, name in enumerate(meant) if name == one.name], 0.0, NOTHING
    if one.kind == "node":
        at = place[one.name] + axis
        if one.quantity in ("position", "velocity"):
            return STATE, at + (3 * len(place) if one.quantity == "velocity" else 0), 0, [], 0.0, NOTHING
        felt = given.gravity[axis] if one.quantity == "specific_force" else 0.0
        return ACCELERATION, at, axis, [], 0.0, (felt, 0.0, 0.0)
    if one.kind == "plate":
        nodes = [place[node] for node in given.structure.plates[one.name].nodes[:3]]
        kind = BODY_FORCE if one.quantity == "specific_force" else BODY_RATE
        return kind, 0, axis, nodes, 0.0, given.gravity
    if one.kind == "angle" and one.quantity != "torque":
        kind = ANGLE if one.quantity == "angle" else ANGLE_RATE
        return kind, 0, 0, _ways(given, given.structure.angles[one.name]), 0.0, NOTHING
    if one.kind == "angle":
        free = [angle.name for angle in given.free_angles]
        if one.name in free:
            return TORQUE, free.index(one.name), 0, [], 0.0, NOTHING
        held = [angle.name for angle in given.held_angles].index(one.name)
        return ROW, rows["angles"] + held, 0, [], 1.0, NOTHING
    return _of_member(given, rows, one)


def _ways(given: Given, angle: Angle) -> list[int]:
    """How many nodes say each direction of an angle, and which they are."""
    ways = directions_of(given.structure, angle)
    return [*map(len, ways), *[0] * (3 - len(ways)), *(given.coordinate[node] for way in ways for node in way)]


def _of_member(given: Given, rows: Mapping[str, int], one: Port) -> Row:
    structure = given.structure
    route = structure.cables[one.name].route if one.kind == "cable" else structure.bars[one.name].nodes
    nodes = [given.coordinate[node] for node in route]
    if one.quantity != "tension":
        if one.kind == "cable" and any(structure.cables[one.name].radii):
            message = f'the {one.quantity.replace("_", " ")} of cable "{one.name}" goes over pulleys of a radius'
            raise OptionError(f"{message}, which sensors do not know; measure its tension, or leave its radii out")
        return (PATH if one.quantity == "length" else PATH_RATE), 0, 0, nodes, 0.0, NOTHING
    laws = given.cable if one.kind == "cable" else {**given.compressible_bar, **given.pneumatic_bar}
    if one.name in laws:
        return LAW, laws[one.name], 0, [], 0.0, NOTHING
    if one.kind == "cable":
        held = [cable.name for cable in given.held_cables].index(one.name)
        if given.rigid_grounds:  # impulses hold it, and the state knows how much it pulls
            return TOUCHED, 0, 0, [len(candidates(given)) + held], 0.0, NOTHING
        return ROW, rows["held_lengths"] + held, 0, [], -1.0, NOTHING
    if one.name in given.driven_bars:
        return ROW, rows["driven_bars"] + given.driven_bars[one.name], 0, [], -1.0, NOTHING
    thick = rigid_thickness(structure, np.array([list(structure.bars).index(one.name)]))
    return BAR, given.still_bars[one.name], 0, nodes, float(thick[0]), NOTHING
