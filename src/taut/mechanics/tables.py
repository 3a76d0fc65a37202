"""The tables that every nodal plant has, the slots of all tables, and the layout of its state.

In Python the parts of a table are arrays; in a kernel they are pointers, and `size_of` says how far they reach. There
are 3 n coordinates, u of them free, and r rows of constraints. "Coordinate" means a place in the vector of all 3 n of
them; a node is named by its first one.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from taut.numerics.compiled import inlined
from taut.numerics.packing import MOST_PARTS, Integers, Pack, Reals, counter, part, reader

SLOTS = (
    *("constants", "nodes", "work", "jacobian"),
    *("thin", "cylinders", "bars", "linear", "held_lengths", "driven_bars", "plates", "angles"),
    *("weight", "springs", "routes", "damping", "loads", "supports", "commands", "drives", "sensors", "controllers"),
    *("contacts", "responses", "compliances", "term_states", "events", "slackening", "watches"),
    *("joints", "generalised", "torques", "coordinate_terms", "mapped"),
    *("pairs", "saddle", "minres", "metric_pairs", "metric_saddle", "metric_minres"),
    *("newton", "newton_saddle", "stages", "tree_responses", "passing"),
)
"""Where each table stands in the pack of a plant. Kinds from outside get the slots behind those named here."""

_KNOWN = {name: k for k, name in enumerate(SLOTS)}


def slot(name: str) -> int:
    """The slot of the table of this name; a name that is new gets the next one."""
    return _KNOWN.setdefault(name, len(_KNOWN))


def part_of(name: str, table: Any, field: str) -> int:
    """The place of a table's part in the directory of a pack."""
    return part(slot(name), table, field)


class Layout(NamedTuple):
    """Where things stand in a state y = [positions, velocities, work, internal states, remainders].

    Internal states are what was commanded and measured last and the contact forces of the last step, which do not
    change within a step, and then those of terms, which change by rates of their own (`TermStates`). RATTLE keeps the
    remainders of its sums of positions and velocities; other methods have none.
    """

    coordinates: int
    work: int
    internal: int
    remainder: int
    size: int


def state_layout(coordinates: int, internal: int, remainders: int) -> Layout:
    """remainders: 1 where sums keep theirs."""
    work = 2 * coordinates
    rest = work + 1 + internal
    return Layout(coordinates, work, work + 1, rest, rest + remainders * work)


layout_of = inlined(state_layout)
"""The same in kernels."""


class Nodes(NamedTuple):
    free: Integers  # (u,) coordinates that can move
    share: Reals  # (3 n,) of the mass that moves with the whole; zero along axes on which something holds it [kg]


class Constants(NamedTuple):
    metric: Integers  # (1,) 0 where corrections are measured by mass, METRIC where by the system of another
    stabilised: Integers  # (1,) 1 where gains are not zero
    piece: Reals  # (1,) a time inside the current smooth piece of all signals, written by the time loop [s]
    time: Reals  # (1,) at which events are looked at, written there [s]
    gains: Reals  # (2,) Baumgarte's 2 alpha and beta^2
    scale: Reals  # (2,) typical length [m] and time [s]
    fastest: Reals  # (1,) the rate at which the stiffest member trembles [1/s]


class Work(NamedTuple):
    """Work space of one evaluation."""

    force: Reals  # (3 n,)
    balance: Reals  # (3 n,)
    acceleration: Reals  # (3 n,)
    known: Reals  # (3 n,) accelerations that are imposed, zero elsewhere
    multiplier: Reals  # (r,)
    bias: Reals  # (r,)
    residual: Reals  # (r,)
    residual_rate: Reals  # (r,)
    top: Reals  # (u,)
    unknown: Reals  # (u,)


class TermStates(NamedTuple):
    """s numbers of a state that belong to terms and have rates: how far a bristle is bent, what has crept.

    A term says how many it has (`Term.states`); its table has a part `first_state` of one number, where they begin
    among all of them, and while its `force` is asked for it leaves their rates here. At a stage of an implicit step a
    state holds z0, what they are without the stage's own rate, and the term takes them to be z0 + stage z'.
    """

    size: Reals  # (s,) what an error of each is small against, in its own unit
    rate: Reals  # (s,) as the last evaluation of forces left them
    stage: Reals  # (1,) [s], zero but at a stage of an implicit step


class Jacobian(NamedTuple):
    """G, one row for each constraint, over all coordinates; e entries with a fixed pattern."""

    start: Integers  # (r + 1,)
    coordinate: Integers  # (e,)
    place: Integers  # (e,) where an entry goes in the values of the saddle, the last one for held coordinates
    triple: Integers  # (e / 3,) of entries three by three, where the first goes if the others follow it, else -1
    value: Reals  # (e,) as they were last filled
    size: Reals  # (r,) a length that a row's residual is small against [m]


constants_in = reader(Constants, slot("constants"))
nodes_in = reader(Nodes, slot("nodes"))
work_in = reader(Work, slot("work"))
jacobian_in = reader(Jacobian, slot("jacobian"))
term_states_in = reader(TermStates, slot("term_states"))

JACOBIAN = part_of("jacobian", Jacobian, "coordinate")
TRIPLES = part_of("jacobian", Jacobian, "triple")
FREE = part_of("nodes", Nodes, "free")
SHARE = part_of("nodes", Nodes, "share")
MULTIPLIER = part_of("work", Work, "multiplier")
KNOWN = part_of("work", Work, "known")
GAINS = part_of("constants", Constants, "gains")
PIECE = part_of("constants", Constants, "piece")
STABILISED = part_of("constants", Constants, "stabilised")
SCALE = part_of("constants", Constants, "scale")
FASTEST = part_of("constants", Constants, "fastest")


command_count = counter(slot("commands") * MOST_PARTS)
"""In kernels: what is commanded and measured, which stands first in the table of commands (`imposed/commands.py`)."""
contact_numbers = counter(slot("contacts") * MOST_PARTS)
"""Numbers of contacts in a state, which stand first in the table of contacts (`terms/contacts.py`)."""
term_state_count = counter(slot("term_states") * MOST_PARTS)
"""States of terms, which have rates."""
coordinate_count = counter(SHARE)
"""In kernels: all coordinates, held ones too."""
free_count = counter(FREE)
"""Coordinates that can move."""
row_count = counter(MULTIPLIER)
"""Constraints."""


@inlined
def internal_count(p: Pack) -> int:
    """In kernels: internal states, commands before contact forces before those of terms."""
    return command_count(p) + contact_numbers(p) + term_state_count(p)


@inlined
def term_states_begin(p: Pack) -> int:
    """Where the states of terms begin in a state."""
    return layout_of(coordinate_count(p), 0, 0).internal + command_count(p) + contact_numbers(p)
