"""The prismatic tensegrity robot: layers of slanted bars on a base, a plate on top, wires over guides that move it.

A. Yeshmukhametov and K. Koganezawa, "A Simplified Kinematics and Kinetics Formulation for Prismatic Tensegrity Robots:
Simulation and Experiments", Robotics 12 (2023) 56, built the one with three sides and two layers.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np

from taut.errors import OptionError
from taut.reprs import counted
from taut.structure.generators._parts import (
    require_count,
    require_finite,
    require_one_of,
    require_positive,
    require_room,
)
from taut.structure.generators._prismatic_balance import (
    Loaded,
    about_z,
    all_round,
    balanced_nodes,
    balanced_rings,
    wiring,
)
from taut.structure.plates import Plate
from taut.structure.properties import route_length
from taut.structure.records import Bar, Cable
from taut.structure.structure import Position, Structure

PAPER_RADIUS = 0.45 / math.sqrt(3.0)
"""[m] of a triangle with sides of 450 mm."""

PAPER_SADDLE = 1.758
"""[m]"""

MOST_LAYERS = 8
"""Less than a second; a balance of ten takes four seconds to be found, one of twelve half a minute."""

MODES = ("tension", "length", "spring")


def prismatic_robot(
    sides: int = 3,
    layers: int = 2,
    *,
    radius: float | None = None,
    side: float | None = None,
    base: Sequence[Sequence[float]] | None = None,
    plate_radius: float | None = None,
    bar_length: float = 1.0,
    saddle_length: float | Sequence[float] | None = None,
    active_tension: float = 90.0,
    middle_tension: float | None = None,
    passive_tension: float = 65.0,
    active: str = "length",
    passive: str = "spring",
    stiffness: float = 1800.0,
    bar_mass: float = 0.18,
    node_mass: float = 0.1,
    plate_mass: float = 0.86,
    gravity: float = 9.80665,
) -> Structure:
    """A robot of `layers` layers of `sides` slanted bars of alternating hand, with a rigid plate on top. Axis z.

    Base nodes "01", "02", ... are held, and go clockwise seen from above. On level 1 are "11", "12", ... on top of the
    bars of the lowest layer and "1a", "1b", ... under those of the next, tied by a "saddle": a loop of cable held at
    its length, over all of them in turn ("saddle1", "saddle2", ... from three layers on). Bars are "lower1", ... and
    "upper1", ..., between them "middle2.1", ... by layer. The plate is "top".

    Wires run from the plate over guides to the base. Active ones, "a1", ..., go over the upper ends of bars, passive
    ones, "p1", ..., over the lower ends; with more than two layers "m2.1", ... cross in layer 2. One layer has active
    wires only. Groups: "active", "passive", "middle", "saddle", "base", "struts".

    It is made where it is in balance under its weight with these tensions, stable or not; wires held at a length or
    sprung have the lengths that give these tensions there. Over an irregular `base` that is followed from the balance
    over a regular one of the same mean radius.

    radius: [m], of the base, 0.45 / sqrt(3) by default; or side: [m], of a regular base; or base: the places [m],
        (x, y) or (x, y, z), of "01", "02", ..., clockwise seen from above. plate_radius: [m], as the base by default.
    bar_length: [m]. saddle_length: [m], of every loop, or of each from the lowest on; by default 1.128 times the way
        round a regular polygon of 2 `sides` corners on the base's radius, which is the paper's 1.758 m.
    active_tension, middle_tension, passive_tension: [N]; that between the two is their mean by default.
    active: "length" (winches that stand still), "tension" or "spring". passive: the same, of all other wires.
    stiffness: [N/m], of wires. bar_mass, node_mass (of each guide and joint above the base), plate_mass: [kg].
    gravity: [m/s^2], along -z.
    """
    require_count(3, sides=sides)
    require_count(1, layers=layers)
    if layers > MOST_LAYERS:
        raise OptionError(f"layers = {layers} must be {MOST_LAYERS} or less")
    require_room(sides * layers, sides=sides, layers=layers)
    require_positive(bar_length=bar_length, active_tension=active_tension, passive_tension=passive_tension)
    require_positive(stiffness=stiffness, bar_mass=bar_mass, node_mass=node_mass, plate_mass=plate_mass)
    require_finite(gravity=gravity)
    require_one_of(MODES, active=active, passive=passive)
    middle = 0.5 * (active_tension + passive_tension) if middle_tension is None else middle_tension
    require_positive(middle_tension=middle)
    feet = _feet(sides, radius, side, base)
    centre = np.mean(feet, axis=0)
    mean_radius, azimuth = _mean_circle(np.array(feet) - centre)
    plate = mean_radius if plate_radius is None else plate_radius
    require_positive(plate_radius=plate)
    saddles = _saddle_lengths(saddle_length, sides, layers, mean_radius)
    tension = (active_tension, *[middle] * (layers - 2), passive_tension)[:layers]
    weight = [gravity * (node_mass + 0.5 * bar_mass)] * (2 * layers)
    weight[-1] += gravity * plate_mass / sides
    robot = Loaded(sides, mean_radius, plate, bar_length, saddles, tension, weight)
    rings = balanced_rings(robot)
    if base is None:
        places = all_round(rings, sides)
    else:
        turn = about_z(azimuth)
        below = np.array([feet[-place % sides] for place in range(sides)])
        places = balanced_nodes(robot, rings, (below - centre) @ turn) @ turn.T + centre
    name = _Names(sides, layers)
    nodes = _named(name, places, feet)
    modes = (active, *[passive] * (layers - 1))
    cables = [*_wires(name, Structure(nodes), modes, tension, stiffness), *_saddles(name, saddles)]
    named = list(nodes)
    return Structure(
        nodes=nodes,
        bars={bar.name: bar for bar in _bars(name, bar_mass, bar_length)},
        cables={cable.name: cable for cable in cables},
        supports=dict.fromkeys(named[:sides], "xyz"),
        point_masses=dict.fromkeys(named[sides:], node_mass),
        plates={"top": Plate("top", tuple(named[-sides:]), mass=plate_mass)},
        groups=_groups(layers),
        name=f"prismatic robot of {counted(layers, 'layer')}, {sides} sides",
    )


def _bars(name: _Names, mass: float, length: float) -> Iterator[Bar]:
    """By layer; the lowest have the numbers of their feet, all others those of their upper ends."""
    for layer, ends in enumerate(wiring(name.layers).bars):
        for number in range(1, name.sides + 1):
            ring, step = ends[1] if layer else ends[0]
            first = name.place(ring, number) - step
            lower, upper = (name.node(at, first + more) for at, more in ends)
            topmost = 0 < layer == name.layers - 1
            nodes = (upper, lower) if topmost else (lower, upper)
            yield Bar(f"{name.layer(layer)}{number}", nodes, mass=mass, length=length)


def _wires(
    name: _Names, shape: Structure, modes: Sequence[str], tension: Sequence[float], stiffness: float
) -> Iterator[Cable]:
    """From the plate down, by family; all that end at one node of the plate have the same number."""
    for family, route in enumerate(wiring(name.layers).wires):
        for number in range(1, name.sides + 1):
            first = 2 - number - route[-1][1]
            along = tuple(name.node(ring, first + step) for ring, step in reversed(route))
            wire = Cable(f"{name.family(family)}{number}", along, stiffness=stiffness)
            yield _pulling(wire, modes[family], tension[family], route_length(shape, along), sprung=family > 0)


def _saddles(name: _Names, lengths: Sequence[float]) -> Iterator[Cable]:
    for joint, zigzag in enumerate(wiring(name.layers).saddles):
        loop = [name.node(ring, first + step) for first in range(name.sides) for ring, step in zigzag[:-1]]
        label = "saddle" if name.layers == 2 else f"saddle{joint + 1}"
        yield Cable(label, (*loop, loop[0]), mode="length", command=lengths[joint])


class _Names:
    """Of nodes and members, by ring and place; the paper numbers rings clockwise and its plate the other way round."""

    def __init__(self, sides: int, layers: int) -> None:
        self.sides, self.layers = sides, layers
        self.between = "" if sides <= 9 else "."

    def place(self, ring: int, number: int) -> int:
        """Where on a ring the node of a number is; letters count as numbers."""
        if ring == 2 * self.layers - 1:
            return number - 1
        return -number if self._lettered(ring) else 1 - number

    def node(self, ring: int, place: int) -> str:
        if ring == 2 * self.layers - 1:
            number = place % self.sides + 1
        else:
            number = (-place - (1 if self._lettered(ring) else 0)) % self.sides + 1
        return self._numbered(ring, number)

    def ring(self, ring: int) -> list[str]:
        """All nodes of a ring, in the order of their names."""
        return [self._numbered(ring, number) for number in range(1, self.sides + 1)]

    def _numbered(self, ring: int, number: int) -> str:
        return f"{(ring + 1) // 2}{self.between}{_letters(number) if self._lettered(ring) else number}"

    @staticmethod
    def _lettered(ring: int) -> bool:
        return ring > 0 and ring % 2 == 0

    def layer(self, layer: int) -> str:
        if layer == 0:
            return "lower"
        return "upper" if layer == self.layers - 1 else f"middle{layer + 1}."

    def family(self, family: int) -> str:
        if family == 0:
            return "a"
        return "p" if family == self.layers - 1 else f"m{family + 1}."


def _letters(number: int) -> str:
    """a, b, ..., z, aa, ab, ..."""
    told = ""
    while number:
        number, rest = divmod(number - 1, 26)
        told = chr(ord("a") + rest) + told
    return told


def _feet(
    sides: int, radius: float | None, side: float | None, base: Sequence[Sequence[float]] | None
) -> list[Position]:
    """Where the base nodes are, in the order of their names."""
    given = {"radius": radius, "side": side, "base": base}
    told = [name for name, value in given.items() if value is not None]
    if len(told) > 1:
        raise OptionError(f"{' and '.join(told)} are told; the base is given by one of radius, side and base")
    if base is None:
        if side is not None:
            require_positive(side=side)
            radius = 0.5 * side / math.sin(math.pi / sides)
        radius = PAPER_RADIUS if radius is None else radius
        require_positive(radius=radius)
        angles = [-2.0 * math.pi * k / sides for k in range(sides)]
        return [(radius * math.cos(angle), radius * math.sin(angle), 0.0) for angle in angles]
    if len(base) != sides:
        raise OptionError(f"base has {len(base)} places; sides = {sides} asks for as many")
    feet: list[Position] = []
    for k, place in enumerate(base):
        if isinstance(place, str) or not isinstance(place, Sequence | np.ndarray) or len(place) not in (2, 3):
            raise OptionError(f"base[{k}] = {place!r} must be a place (x, y) or (x, y, z) [m]")
        require_finite(**{f"base[{k}].{axis}": number for axis, number in zip("xyz", place, strict=False)})
        x, y, z = map(float, (*place, 0.0)[:3])
        feet.append((x, y, z))
    corners = np.array(feet)[:, :2] - np.mean(feet, axis=0)[:2]
    following = np.roll(corners, -1, axis=0)
    if not (corners[:, 0] * following[:, 1] < corners[:, 1] * following[:, 0]).all():
        raise OptionError("base must go clockwise round its middle, seen from above; give its places in that order")
    return feet


def _mean_circle(around: np.ndarray) -> tuple[float, float]:
    """The mean radius [m] of base nodes, and the mean angle [rad] by which they are turned."""
    along = (around[:, 0] + 1j * around[:, 1]) * np.exp(2j * math.pi * np.arange(len(around)) / len(around))
    return float(np.linalg.norm(around[:, :2], axis=1).mean()), float(np.angle(along.sum()))


def _named(name: _Names, places: np.ndarray, feet: list[Position]) -> dict[str, Position]:
    """Every node (rings, sides, 3) by its name; base nodes are where they were told to be."""
    nodes: dict[str, Position] = dict(zip(name.ring(0), feet, strict=True))
    for ring in range(1, 2 * name.layers):
        for number, label in enumerate(name.ring(ring), 1):
            x, y, z = places[ring, name.place(ring, number) % name.sides].tolist()
            nodes[label] = (x, y, z)
    return nodes


def _pulling(wire: Cable, mode: str, tension: float, length: float, *, sprung: bool) -> Cable:
    """A wire that pulls with a tension at its length. sprung: it ends in a spring, whatever is commanded of it."""
    if mode != "spring":
        command = tension if mode == "tension" else length
        return replace(wire, mode=mode, command=command, stiffness=wire.stiffness if sprung else None)
    rest = length - tension / (wire.stiffness or math.inf)
    if rest <= 0.0:
        raise OptionError(
            f"stiffness = {wire.stiffness:g} N/m stretches a wire of {length:.4g} m by more than its length at "
            f"{tension:g} N; give it more than {tension / length:.4g}"
        )
    return replace(wire, rest_length=rest)


def _saddle_lengths(told: float | Sequence[float] | None, sides: int, layers: int, radius: float) -> tuple[float, ...]:
    """Of every loop [m]."""
    if told is None:
        told = PAPER_SADDLE * (_way_round(sides, radius) / _way_round(3, PAPER_RADIUS))
    lengths = tuple(told) if isinstance(told, Sequence | np.ndarray) else (told,) * (layers - 1)
    if len(lengths) != layers - 1:
        raise OptionError(
            f"saddle_length has {len(lengths)} lengths; {counted(layers, 'layer')} have "
            f"{counted(layers - 1, 'saddle') or 'none'}"
        )
    for k, length in enumerate(lengths):
        require_positive(**{f"saddle_length[{k}]" if len(lengths) > 1 else "saddle_length": length})
    return lengths


def _way_round(sides: int, radius: float) -> float:
    """A regular polygon of twice as many corners [m]."""
    return 4.0 * sides * radius * math.sin(0.5 * math.pi / sides)


def _groups(layers: int) -> dict[str, tuple[str, ...]]:
    groups: dict[str, tuple[str, ...]] = {"base": ("node:0*",), "struts": ("bar:*",), "active": ("cable:a*",)}
    if layers > 1:
        groups |= {"passive": ("cable:p*",), "saddle": ("cable:saddle*",)}
    if layers > 2:
        groups["middle"] = ("cable:m*", "bar:middle*")
    return groups
