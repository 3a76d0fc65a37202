"""Contacts with rigid grounds: which there can be, and their forces as a part of the state.

What a contact pushes with is found by impulses (`mechanics/contact`), once a step: the impulse over the length of the
step is the force that the state carries from then on, so that bar forces, reactions and everything else that is read
off a state know of it. Within a step it is taken out again.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from taut.mechanics.contact.parts import pull_string_at, string_count, string_gap
from taut.mechanics.grounds.surfaces import (
    BOX,
    EDGE,
    STRING,
    Surface,
    crosses_box,
    distance_from,
    distance_of_bar,
    edges_of,
    left_of_radius,
    surface_of,
)
from taut.mechanics.inertia import thin
from taut.mechanics.kinds import EventSource, Given, Term
from taut.mechanics.operations.event_table import AS_GIVEN
from taut.mechanics.tables import command_count, coordinate_count, layout_of, part_of, slot
from taut.numerics.compiled import inlined, kernel
from taut.numerics.lanes import every
from taut.numerics.packing import Integers, Pack, Reals, counter, reader
from taut.numerics.pointers import shifted
from taut.structure.ground_checks import touching
from taut.structure.grounds import Ground

KIND = "contacts"

OPEN, STICKING, SLIDING = 0, 1, 2
"""What a contact does."""
LANDED_STICKING, LANDED_SLIDING = 3, AS_GIVEN + 1
"""In the log of events: it was open before."""
CHANGES = {
    OPEN: "lifts off",
    STICKING: "sticks",
    SLIDING: "slides",
    LANDED_STICKING: "touches down and sticks",
    LANDED_SLIDING: "touches down and slides",
}

NUMBERS = 4
"""Of a contact in a state: its force along x, y, z [N], and what it does."""

MOST_DENSE = 96
"""Contacts that can be closed at once where bars meet, each of which takes a response of the whole structure ..."""
DENSE_NUMBERS = 8_000_000
"""... or more, as long as all responses together have no more numbers than this."""


class Contacts(NamedTuple):
    """c contacts that there can be: of nodes with surfaces, then of bars with edges, then cables held at a length,
    which have nothing of their own here but a place."""

    impulse: Reals  # (4 c,) of this step, along x, y, z [N s], and what the contact does
    first: Integers  # (c,) first coordinate of the node, or of the bar's first end
    second: Integers  # (c,) of the bar's second end; that of the node once more where there is no bar
    rod: Integers  # (c,) the row among thin bars of the bar that it belongs to, -1 where there is none
    surface: Integers  # (c,)
    radius: Reals  # (c,) [m]
    static: Reals  # (c,) friction
    kinetic: Reals  # (c,)
    restitution: Reals  # (c,)
    kind: Integers  # (s,) of each surface
    start: Integers  # (s,) where its numbers begin
    data: Reals
    event: Integers  # (1,) the number of the first contact among all events


contacts_in = reader(Contacts, slot(KIND))
FIRST = part_of(KIND, Contacts, "first")
contact_count = counter(FIRST)


@inlined
def ground_count(p: Pack) -> int:
    """Of contacts with grounds; those of cables held at a length come behind them."""
    return contact_count(p) - string_count(p)


class Candidate(NamedTuple):
    """A contact that there can be."""

    ground: Ground
    surface: int
    nodes: tuple[str, str]
    bar: str
    name: str

    @property
    def what(self) -> str:
        return f'bar "{self.bar}"' if self.bar else f'node "{self.nodes[0]}"'


def candidates(given: Given) -> list[Candidate]:
    """Nodes with every ground that may touch them, then bars with every edge; no node touches a ground twice."""
    found: list[Candidate] = []
    edges: list[Candidate] = []
    surface = 0
    for ground in given.rigid_grounds:
        nodes, bars = touching(given.structure, ground)
        found += [Candidate(ground, surface, (node, node), "", f"{node} on {ground.name}") for node in nodes]
        for k in range(len(edges_of(ground.shape))):
            surface += 1
            edges += [
                Candidate(
                    ground, surface, given.structure.bars[bar].nodes, bar, f"{bar} on {ground.name}, edge {k + 1}"
                )
                for bar in bars
            ]
        surface += 1
    return found + edges


def tabulate(given: Given) -> Contacts:
    found, rods, strings = candidates(given), thin.tabulate(given), given.held_cables
    surfaces = [
        one
        for ground in given.rigid_grounds
        for one in (surface_of(ground.shape, ground.radius), *edges_of(ground.shape))
    ]
    surfaces += [Surface(STRING, np.zeros(1))] * len(strings)
    # A node that resists stands for a cable.
    heaviest = [max(one.route, key=lambda node: rods.diagonal[given.coordinate[node]]) for one in strings]
    first, second = given.ends([*(one.nodes for one in found), *((node, node) for node in heaviest)])
    none, total = np.zeros(len(strings)), len(found) + len(strings)
    owner = np.full(3 * len(given.coordinate), -1, dtype=np.int64)
    for ends in (rods.first, rods.second):
        owner[ends] = np.arange(ends.size)
    static = [g.friction if g.static_friction is None else g.static_friction for g in (one.ground for one in found)]
    sizes = [one.data.size for one in surfaces]
    return Contacts(
        impulse=np.zeros(NUMBERS * total),
        first=first,
        second=second,
        rod=owner[first] if total else np.zeros(0, dtype=np.int64),
        surface=np.array(
            [*(one.surface for one in found), *range(len(surfaces))[len(surfaces) - none.size :]], np.int64
        ),
        radius=np.append([left_of_radius(one.ground) for one in found], none),
        static=np.append(static, none),
        kinetic=np.append([one.ground.friction for one in found], none),
        restitution=np.append([one.ground.restitution for one in found], none),
        kind=np.array([one.kind for one in surfaces], dtype=np.int64),
        start=np.cumsum([0, *sizes[:-1]]).astype(np.int64),
        data=np.concatenate([one.data for one in surfaces]),
        event=np.zeros(1, dtype=np.int64),
    )


@kernel
def gap_at(p: Pack, c: int, y: np.ndarray) -> tuple[float, float, float, float, float]:
    """The gap of a contact at the positions of a state [m], the unit normal, and the share of its second node."""
    contacts = contacts_in(p)
    i, j, s = contacts.first[c], contacts.second[c], contacts.surface[c]
    data = shifted(contacts.data, contacts.start[s])
    if contacts.kind[s] == STRING:
        return string_gap(p, c - ground_count(p), y), 1.0, 0.0, 0.0, 0.0
    if contacts.kind[s] == EDGE:
        gap, nx, ny, nz, share = distance_of_bar(data, y[i], y[i + 1], y[i + 2], y[j], y[j + 1], y[j + 2])
    else:
        gap, nx, ny, nz = distance_from(contacts.kind[s], data, y[i], y[i + 1], y[i + 2])
        share = 0.0
    return gap - contacts.radius[c], nx, ny, nz, share


@inlined
def passes(p: Pack, c: int, start: np.ndarray, end: np.ndarray, small: float) -> bool:
    """Whether a node goes through a box in a move, and comes out on its other side."""
    contacts = contacts_in(p)
    i, s = contacts.first[c], contacts.surface[c]
    if contacts.kind[s] != BOX:
        return False
    data = shifted(contacts.data, contacts.start[s])
    ends = start[i], start[i + 1], start[i + 2], end[i], end[i + 1], end[i + 2]
    return crosses_box(data, *ends, small)


@inlined
def forces_begin(p: Pack) -> int:
    """Where contact forces begin in a state."""
    return layout_of(coordinate_count(p), 0, 0).internal + command_count(p)


@inlined
def force(p: Pack, t: float, y: np.ndarray, out: np.ndarray) -> float:
    """Those that the state carries. Their work is booked where impulses are found."""
    contacts, at = contacts_in(p), forces_begin(p)
    for c in range(contact_count(p)):
        k = at + NUMBERS * c
        if every(y[k + 3] == OPEN):
            continue
        x, z, w = y[k], y[k + 1], y[k + 2]
        if c >= ground_count(p):
            pull_string_at(p, c - ground_count(p), x, y, out)
            continue
        i, j = contacts.first[c], contacts.second[c]
        share = gap_at(p, c, y)[4] if j != i else 0.0
        out[i] += (1.0 - share) * x
        out[i + 1] += (1.0 - share) * z
        out[i + 2] += (1.0 - share) * w
        out[j] += share * x
        out[j + 1] += share * z
        out[j + 2] += share * w
    return 0.0


@inlined
def secant_force(p: Pack, t: float, h: float, start: np.ndarray, end: np.ndarray, out: np.ndarray) -> float:
    """None: impulses are found within the step (`contact/pressing.py`)."""
    return 0.0


# --- events: not located, but noted at the end of the step in which they come


@inlined
def _count(p: Pack) -> int:
    return ground_count(p)


@inlined
def _margin(p: Pack, e: int, state: int, y: np.ndarray) -> tuple[float, float, int]:
    return math.inf, 0.0, 1


@inlined
def _put(p: Pack, e: int, state: int) -> None:
    """A contact has no law to write."""


@inlined
def _begin(p: Pack, e: int, y: np.ndarray) -> int:
    return AS_GIVEN


def _subjects(given: Given, table: Contacts) -> tuple[tuple[str, str], ...]:
    return tuple(("contact", one.name) for one in candidates(given))


CONTACTS = Term(
    KIND,
    Contacts,
    tabulate,
    force=force,
    secant_force=secant_force,
    events=EventSource(_count, _margin, _put, _begin, _subjects, CHANGES),
    dampers=lambda given, table: (),  # friction and impacts are no forces of a step
    works=True,
    lanes=True,
)
