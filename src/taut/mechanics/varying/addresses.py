"""Addresses: texts that name numbers of a plant, as "drive:x1.phase" or "ground:floor.friction".

    kind:pattern.quantity    drives, loads and grounds by name, nodes, bars and cables as selectors have them
    gravity, positions, velocities

An address says where its numbers stand in the plant's flat arrays, so that a variant is a copy of these with some
numbers overwritten. Masses are in too many places for that: they are read off a structure that is assembled anew.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from typing import Any

import numpy as np

from taut.errors import OptionError, SelectionError, listed, suggestion
from taut.mechanics.grounds.compliances import Compliances, touching_nodes
from taut.mechanics.imposed.controllers import MEMORY
from taut.mechanics.imposed.drives import DRIVE_DATA, tabulated_drives
from taut.mechanics.inertia.masses import inertia
from taut.mechanics.plant import Plant
from taut.mechanics.signals import COMPOUND, SINUSOID, STEPS, TABLE, Tabulated, tabulated
from taut.mechanics.tables import part_of
from taut.mechanics.terms.contacts import Contacts, candidates
from taut.mechanics.terms.loads import LOAD_DATA
from taut.mechanics.terms.springs import Springs
from taut.mechanics.terms.weight import Weight
from taut.mechanics.varying.following_stiffness import FollowingStiffness, following_of
from taut.numerics.curves import three_point_slopes
from taut.structure.drives import QUANTITIES as DRIVEN
from taut.structure.grounds import Ground
from taut.structure.records import Cable
from taut.structure.signals import SampledSignal, parts_of
from taut.structure.structure import massed

WAVE = {"mean": 0, "amplitude": 1, "frequency": 2, "phase": 3}
"""Numbers of a Sinusoid, in the order of the table."""

QUANTITIES = {
    "drive": (*WAVE, "values"),
    "load": (*WAVE, "values"),
    "ground": ("friction", "static_friction", "restitution"),
    "cable": ("rest_length", "stiffness", "damping", "mass"),
    "bar": ("mass",),
    "node": ("mass",),
    "controller": ("state",),
}
ALONE = ("gravity", "positions", "velocities")
NOT_BELOW_ZERO = ("friction", "static_friction", "restitution", "rest_length", "stiffness", "damping", "mass")
FASTER = 2.0 * math.pi
"""From a frequency [Hz] to what the table holds [rad/s]."""

WEIGHT = part_of("weight", Weight, "weight")


@dataclass(frozen=True)
class Place:
    """Where some numbers stand: a part of the pack, the entries of it, which number of the address goes into each, and
    a factor."""

    part: int
    entries: np.ndarray
    columns: np.ndarray
    factor: float = 1.0


@dataclass(frozen=True)
class Curve:
    """The slopes of a SampledSignal that follow from its values, and where they stand in the part of its numbers."""

    part: int
    times: np.ndarray
    entries: np.ndarray
    columns: np.ndarray  # its values among the numbers of the address
    at_rest: bool  # whether it begins and ends with no slope

    def slopes(self, values: np.ndarray) -> np.ndarray:
        found = three_point_slopes(self.times, values)
        if self.at_rest:
            found[[0, -1]] = 0.0
        return found


@dataclass(frozen=True)
class Address:
    """own: what the numbers are in the plant, of the shape that a row of variants has.

    names: whose they are, one each. places: where they stand in the pack; none for starts, gravity and masses.
    curves, following: what follows from them. remade: whether the plant has to be assembled anew.
    """

    text: str
    quantity: str
    own: np.ndarray
    names: tuple[str, ...]
    places: tuple[Place, ...] = ()
    curves: tuple[Curve, ...] = ()
    following: FollowingStiffness | None = None
    remade: bool = False


def address_of(plant: Plant, text: str) -> Address:
    """Raises OptionError where a text names nothing, or something that cannot vary."""
    if text in ALONE:
        own = np.array(plant.given.gravity) if text == "gravity" else getattr(plant, text)
        return Address(text, text, np.array(own, dtype=float), (text,))
    head, dot, quantity = text.rpartition(".")
    kind, colon, pattern = head.partition(":")
    if not dot or not colon or kind not in QUANTITIES:
        known = [*ALONE, *(f"{kind}:*.{name}" for kind, names in QUANTITIES.items() for name in names)]
        raise OptionError(
            f'"{text}" is no address of numbers{suggestion(text, known)}; write kind:name.quantity, as '
            f'"drive:x1.phase", with one of {", ".join(QUANTITIES)}; or {", ".join(ALONE)}'
        )
    if quantity not in QUANTITIES[kind]:
        raise OptionError(
            f'"{text}": a {kind} has no {quantity or "quantity"} that varies{suggestion(quantity, QUANTITIES[kind])}; '
            f"there are {', '.join(QUANTITIES[kind])}"
        )
    return _FOUND[kind](plant, text, pattern, quantity)


def _matching(text: str, kind: str, pattern: str, known: Sequence[str]) -> tuple[str, ...]:
    """Names that a pattern means; one that is written out wins over its reading as a pattern."""
    found = (pattern,) if pattern in known else tuple(name for name in known if fnmatchcase(name, pattern))
    if not found:
        there = listed(list(known), most=6) if known else "none"
        raise OptionError(f'"{text}" names no {kind}{suggestion(pattern, known) or f"; there are {there}"}')
    return found


# --- signals of drives and loads


def _signals(plant: Plant, text: str, pattern: str, quantity: str) -> Address:
    given, kind = plant.given, text.partition(":")[0]
    if kind == "drive":
        part, table = DRIVE_DATA, tabulated_drives(given)
        owners = [(one.drive.name, one.drive.signal, DRIVEN[one.drive.quantity].smooth) for one in given.driven]
    else:
        part, table = LOAD_DATA, tabulated([load.signal for load in given.loads])
        owners = [(name, load.signal, False) for name, load in zip(given.load_names, given.loads, strict=True)]
    names = _matching(text, kind, pattern, list(dict.fromkeys(name for name, _, _ in owners)))
    entries, columns, own, told, curves = list[int](), list[int](), list[float](), list[str](), list[Curve]()
    for name in names:
        first = len(own)
        for k, (owner, signal, smooth) in enumerate(owners):
            if owner != name:
                continue
            found = _entries(text, f'{kind} "{name}"', table, k, quantity)
            if len(own) == first:  # members of one drive are driven alike
                own += table.data[found].tolist()
                told += [f"{kind}:{name}"] * len(found)
            entries += found
            columns += range(first, len(own))
            plain = [one.signal for one in parts_of(signal) if isinstance(one.signal, SampledSignal)]
            if quantity == "values" and plain and plain[0].slopes is None:
                behind = np.array(found) + len(found)
                times = table.data[np.array(found) - len(found)]
                curves.append(Curve(part, times, behind, np.arange(first, len(own)), smooth))
    factor = FASTER if quantity == "frequency" else 1.0
    place = Place(part, np.array(entries), np.array(columns), factor)
    return Address(text, quantity, np.array(own) / factor, tuple(told), (place,), tuple(curves))


def _entries(text: str, owner: str, table: Tabulated, k: int, quantity: str) -> list[int]:
    """Where the numbers of a quantity of signal k stand in the table's data."""
    wanted, what = ((SINUSOID,), "Sinusoid") if quantity in WAVE else ((TABLE, STEPS), "SampledSignal or StepSignal")
    found = [at for plain, at in plain_parts(table, k) if plain in wanted]
    if len(found) != 1:
        many = f"{len(found)} of them" if found else "none"
        raise OptionError(f'"{text}": the signal of {owner} must hold one {what}, and it holds {many}')
    if quantity in WAVE:
        return [found[0] + WAVE[quantity]]
    count = int(table.data[found[0]])
    return list(range(found[0] + 1 + count, found[0] + 1 + 2 * count))


def plain_parts(table: Tabulated, k: int) -> list[tuple[int, int]]:
    """Kind and first number of every plain signal in signal k."""
    at = int(table.start[k])
    if table.kind[k] != COMPOUND:
        return [(int(table.kind[k]), at)]
    found, inside = [], at + 1
    for _ in range(int(table.data[at])):
        plain, rises, count = (int(number) for number in table.data[inside : inside + 3])
        found.append((plain, inside + 3 + 2 * rises))
        inside += 3 + 2 * rises + count
    return found


# --- grounds


def _grounds(plant: Plant, text: str, pattern: str, quantity: str) -> Address:
    given = plant.given
    names = _matching(text, "ground", pattern, [ground.name for ground in given.grounds])
    grounds = {ground.name: ground for ground in given.grounds}
    own = np.array([_ground_number(grounds[name], quantity) for name in names])
    for name in names:
        ground = grounds[name]
        if ground.compliance is not None and (quantity == "restitution" or not _ground_number(ground, quantity)):
            raise OptionError(
                f'"{text}": the ground "{name}" gives way, '
                + ("and bounces by its damping" if quantity == "restitution" else "without friction; give it some")
            )
    places = []
    for table, kind, found in (
        ("contacts", Contacts, candidates(given)),
        ("compliances", Compliances, touching_nodes(given)),
    ):
        rows = [(e, names.index(one.ground.name)) for e, one in enumerate(found) if one.ground.name in names]
        if rows:
            e, columns = np.array(rows).T
            follows = np.array([found[i].ground.static_friction is None for i in e])
            both = {"friction": "kinetic", "static_friction": "static", "restitution": "restitution"}
            places.append(Place(part_of(table, kind, both[quantity]), e, columns))
            if quantity == "friction" and follows.any():
                places.append(Place(part_of(table, kind, "static"), e[follows], columns[follows]))
    return Address(text, quantity, own, tuple(f"ground:{name}" for name in names), tuple(places))


def _ground_number(ground: Ground, quantity: str) -> float:
    value = getattr(ground, quantity)
    return float(ground.friction if value is None else value)


# --- controllers


def _controllers(plant: Plant, text: str, pattern: str, quantity: str) -> Address:
    known = [one.name for one in plant.given.controllers]
    names = _matching(text, "controller", pattern, known)
    start = plant.tables["controllers"].states
    entries = np.concatenate([np.arange(start[known.index(one)], start[known.index(one) + 1]) for one in names])
    own = plant.tables["controllers"].memory[entries]
    told = [f"controller:{one}" for one in names for _ in range(np.diff(start)[known.index(one)])]
    return Address(text, quantity, own, tuple(told), (Place(MEMORY, entries, np.arange(entries.size)),))


# --- members


def _members(plant: Plant, text: str, pattern: str, quantity: str) -> Address:
    kind = text.partition(":")[0]
    selector = f"{kind}:{pattern}"
    try:
        if quantity == "mass":
            told = massed(plant.structure, selector)
        else:
            told = tuple(f"{kind}:{name}" for name in plant.structure.select(selector))
    except SelectionError as error:
        raise OptionError(f'"{text}": {error}') from None
    names = [one.partition(":")[2] for one in told]
    if quantity == "mass":
        return Address(text, quantity, _masses(plant, text, kind, names), told, remade=True)
    _check_cables(plant, text, names, quantity)
    rows = np.array([plant.given.cable[name] for name in names])
    own = getattr(plant.tables["springs"], quantity)[rows]
    place = Place(part_of("springs", Springs, quantity), rows, np.arange(rows.size))
    following = following_of(plant, names, rows) if quantity == "rest_length" else None
    return Address(text, quantity, own, told, (place,), following=following)


def _masses(plant: Plant, text: str, kind: str, names: Sequence[str]) -> np.ndarray:
    structure = plant.structure
    if kind == "node":
        return np.array([structure.point_masses.get(name, 0.0) for name in names])
    members: Any = structure.bars if kind == "bar" else structure.cables
    own = [members[name].mass for name in names]
    if None in own:
        name = names[own.index(None)]
        raise OptionError(f'"{text}": the mass of {kind} "{name}" follows from its material; give it one of its own')
    return np.array(own, dtype=float)


def _check_cables(plant: Plant, text: str, names: Sequence[str], quantity: str) -> None:
    """What a drive writes, or what no law of springs knows, would not stay as it is varied."""
    cables: dict[str, Cable] = dict(plant.structure.cables)
    for name in names:
        if cables[name].mode != "spring":
            raise OptionError(
                f'"{text}": cable "{name}" is of mode {cables[name].mode}, which no {quantity} changes; leave it out'
            )
    for driven in plant.given.driven:
        if driven.kind == "cable" and driven.member in names:
            raise OptionError(
                f'"{text}": the drive "{driven.label}" drives cable "{driven.member}", so that its {quantity} cannot '
                "vary; leave it out, or vary the drive"
            )
    lag = plant.given.damping.stiffness
    if lag and quantity in ("stiffness", "damping"):
        raise OptionError(
            f'"{text}": damping is in proportion to the stiffness here ({lag:g} s), so that both change together; give '
            "cables a damping of their own"
        )


_FOUND: dict[str, Callable[[Plant, str, str, str], Address]] = {
    "drive": _signals,
    "load": _signals,
    "ground": _grounds,
    "cable": _members,
    "bar": _members,
    "node": _members,
    "controller": _controllers,
}


def weight_rows(plant: Plant, gravity: np.ndarray) -> np.ndarray:
    """(N, 3 n) gravity's force on every coordinate [N], of every row of gravity (N, 3)."""
    weighing = inertia(plant.structure).weighing
    return np.array([np.outer(weighing, row).ravel() for row in gravity])
