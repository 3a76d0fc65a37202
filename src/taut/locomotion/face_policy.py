"""A policy that reacts to the face a robot stands on: a table of rolls over edges, and a compiled law that reads it.

At the beginning of every turn the law looks which face is below the centre of mass, picks the roll of that face whose
way lies nearest to the heading, and commands its changes of length; later in the turn it takes them back. Table and
heading stand in the controller's state, so that one compiled law serves all policies.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from numba import njit

from taut.errors import OptionError, suggestion
from taut.locomotion.gaits import commanded_drives
from taut.locomotion.symmetry import Symmetry, symmetries
from taut.mechanics.inertia.masses import inertia
from taut.numerics.compiled import kernel
from taut.numerics.hull_faces import mark_face_below
from taut.numerics.pointers import shifted, start_of
from taut.reprs import brief
from taut.structure.controllers import Controller
from taut.structure.scenario import Drive
from taut.structure.structure import Structure
from taut.type_checks import checked_arguments, conform, known_fields

EVEN = 1e-9
"""How near the plane of a face a node belongs to it [m]."""

HEADING, TICK, CHOSEN, ROLLS, NODES, MEMBERS, HELD, CYCLE, START = range(9)
"""Numbers at the front of the state. Behind them: the share of every node in the mass; room for places about the centre
and for a face; of every roll the nodes of its face (1 or 0), the two of its edge, cosine and sine of its bearing, its
changes; the commands."""


@known_fields
@dataclass(frozen=True, slots=True)
class Roll:
    """From a face over one of its edges: changes of length [m], one for each entry of a policy's members.

    bearing: [rad] of the way that it goes, from straight across the edge towards the second of its nodes.
    """

    face: tuple[str, ...]
    over: tuple[str, str]
    changes: tuple[float, ...]
    bearing: float = 0.0

    __repr__ = brief

    def __post_init__(self) -> None:
        conform(self, "Roll")
        if not set(self.over) <= set(self.face) or len(set(self.over)) < 2:
            raise OptionError(
                f"Roll: the edge {' '.join(self.over)} is none of the face {' '.join(self.face)}; name two of its nodes"
            )


@checked_arguments
def by_symmetry(structure: Structure, members: tuple[str, ...], rolls: Iterable[Roll]) -> tuple[Roll, ...]:
    """These rolls, and what every symmetry of the structure makes of them; the first that is known of an edge stays."""
    found: dict[tuple[frozenset[str], frozenset[str]], Roll] = {}
    given = tuple(rolls)
    for symmetry in symmetries(structure):
        for roll in given:
            image = image_of(roll, members, symmetry)
            found.setdefault((frozenset(image.face), frozenset(image.over)), image)
    return tuple(found.values())


def image_of(roll: Roll, members: tuple[str, ...], symmetry: Symmetry) -> Roll:
    """What a symmetry makes of a roll."""
    unknown = [member for member in members if member not in symmetry.members]
    if unknown or len(roll.changes) != len(members):
        raise OptionError(
            f'"{unknown[0]}" is no member by itself; name each, as "bar:x1"'
            if unknown
            else f"a roll has {len(roll.changes)} changes for {len(members)} members; give one each"
        )
    into = {symmetry.members[member]: change for member, change in zip(members, roll.changes, strict=True)}
    if set(into) != set(members):
        lost = ", ".join(sorted(set(into) - set(members)))
        raise OptionError(f"a symmetry takes members out of the policy; name {lost} among them too")
    face = tuple(symmetry.nodes[node] for node in roll.face)
    over = (symmetry.nodes[roll.over[0]], symmetry.nodes[roll.over[1]])
    return Roll(face, over, tuple(into[member] for member in members), roll.bearing)


@known_fields
@dataclass(frozen=True, slots=True)
class FacePolicy:
    """Rolls on and on, each time by that roll from the face below whose way lies nearest to the heading.

    members: single bars or cables, "bar:x1". rolls: see `Roll`, `by_symmetry` makes all of a few; where the face below
        has none, nothing is commanded. heading: [rad] from x towards y.
    period: [s] between decisions, over which a command comes smoothly. held, rested: periods of a turn in which changes
        are commanded, and in which they are taken back.
    """

    members: tuple[str, ...]
    rolls: tuple[Roll, ...]
    heading: float = 0.0
    period: float = 0.4
    held: int = 2
    rested: int = 3

    __repr__ = brief

    def __post_init__(self) -> None:
        conform(self, "FacePolicy")
        if not self.rolls:
            raise OptionError("FacePolicy: give at least one roll")
        if not self.period > 0.0 or self.held < 1 or self.rested < 1:
            raise OptionError("FacePolicy: period must be more than zero, held and rested one or more")
        for roll in self.rolls:
            if len(roll.changes) != len(self.members):
                raise OptionError(
                    f"FacePolicy: the roll over {' '.join(roll.over)} has {len(roll.changes)} changes for "
                    f"{len(self.members)} members; give one each"
                )

    @property
    def turn(self) -> float:
        """[s] from one roll to the next."""
        return (self.held + self.rested) * self.period

    def drives(self, structure: Structure) -> tuple[Drive, ...]:
        """Of its members, commanded."""
        return commanded_drives(structure, self.members)

    def controller(self, structure: Structure, name: str = "face policy") -> Controller:
        """The law with this table, for `assemble` beside the drives; it measures the places of all nodes."""
        names = list(structure.nodes)
        for roll in self.rolls:
            for node in roll.face:
                if node not in names:
                    raise OptionError(f'FacePolicy: there is no node "{node}"{suggestion(node, names)}')
        weights = inertia(structure).weighing
        rows = [
            (
                *(float(node in roll.face) for node in names),
                *map(float, map(names.index, roll.over)),
                *(math.cos(roll.bearing), math.sin(roll.bearing)),
                *roll.changes,
            )
            for roll in self.rolls
        ]
        room = np.zeros(4 * len(names))
        sizes = (len(self.rolls), len(names), len(self.members), self.held, self.held + self.rested)
        front, commands = (self.heading, 0.0, -1.0, *sizes), np.zeros(len(self.members))
        state = np.concatenate([front, weights / weights.sum(), room, np.ravel(rows), commands])
        drives = tuple(f"drive:{drive.name}" for drive in self.drives(structure))
        measured = tuple(f"node:{node}.position.{axis}" for node in names for axis in "xyz")
        return Controller(
            name, measured, drives, rolling_law, rate=1.0 / self.period, hold="smooth", state=tuple(state.tolist())
        )


@kernel
def _nearest(state: np.ndarray, about: int, face: int, table: int, width: int) -> int:
    """The roll of the face below whose way is nearest to the heading; -1 where that face has none."""
    count, best, found = int(state[NODES]), -2.0, -1
    mark_face_below(shifted(start_of(state), about), count, EVEN, shifted(start_of(state), face))
    x, y = math.cos(state[HEADING]), math.sin(state[HEADING])
    for r in range(int(state[ROLLS])):
        row, fits = table + r * width, True
        for k in range(count):
            fits = fits and state[row + k] == state[face + k]
        if not fits:
            continue
        i, j = about + 3 * int(state[row + count]), about + 3 * int(state[row + count + 1])
        edge_x, edge_y = state[j] - state[i], state[j + 1] - state[i + 1]
        side = 1.0 if edge_y * state[i] - edge_x * state[i + 1] > 0.0 else -1.0  # away from below the centre
        across, aside = state[row + count + 2] * side, state[row + count + 3]
        way_x, way_y = across * edge_y + aside * edge_x, aside * edge_y - across * edge_x
        along = (x * way_x + y * way_y) / max(math.hypot(way_x, way_y), 1e-300)
        if along > best:
            best, found = along, r
    return found


@kernel
def _decide(places: np.ndarray, state: np.ndarray) -> int:
    """Take one tick of a turn; returns where the commands stand in the state."""
    count, rolls, members = int(state[NODES]), int(state[ROLLS]), int(state[MEMBERS])
    width = count + 4 + members
    about, face = START + count, START + 4 * count
    table = face + count
    commands = table + rolls * width
    tick = int(state[TICK])
    state[TICK] = (tick + 1) % int(state[CYCLE])
    if tick == 0:
        for axis in range(3):
            middle = 0.0
            for k in range(count):
                middle += state[START + k] * places[3 * k + axis]
            for k in range(count):
                state[about + 3 * k + axis] = places[3 * k + axis] - middle
        state[CHOSEN] = _nearest(state, about, face, table, width)
    chosen = int(state[CHOSEN])
    for k in range(members):
        acts = chosen >= 0 and tick < state[HELD]
        state[commands + k] = state[table + chosen * width + count + 4 + k] if acts else 0.0
    return commands


@njit(nogil=True, error_model="numpy")  # type: ignore[untyped-decorator]
def rolling_law(t: float, places: np.ndarray, state: np.ndarray) -> np.ndarray:
    """What a FacePolicy commands; see HEADING for its state. With numba's run time, since it returns an array."""
    return state[_decide(places, state) :]
