"""How kernels unpack the tables of a plant: parts as pointers, and how many there are of each."""

from __future__ import annotations

from typing import NamedTuple

from taut.mechanics.tables import (
    BARS,
    CABLES,
    CONSTANTS,
    GUIDES,
    MULTIPLIER,
    NODES,
    PAIR_PARTS,
    SADDLE_PARTS,
    SIGNALS,
    SWITCHES,
    SYSTEM,
    THICK,
    WORK,
    Bars,
    Cables,
    Constants,
    Guides,
    Krylov,
    Nodes,
    Pairs,
    Signals,
    Switches,
    Thick,
    Work,
)
from taut.numerics.compiled import inlined
from taut.numerics.packing import Pack, integers, reals, size_of
from taut.numerics.saddle import Saddle


class Sizes(NamedTuple):
    """How many there are of each; `loose` are coordinates of nodes without a bar, where systems are explicit.

    cables: compressible bars included. bars: rigid ones, which have a row each. rods: all bars.
    """

    coordinates: int
    cables: int
    bars: int
    rods: int
    guides: int
    loads: int
    loose: int


@inlined
def sizes_in(p: Pack) -> Sizes:
    return Sizes(
        size_of(p, NODES + 1),
        size_of(p, CABLES),
        size_of(p, MULTIPLIER) - size_of(p, GUIDES + 3),
        size_of(p, BARS),
        size_of(p, GUIDES + 3),
        size_of(p, SIGNALS),
        size_of(p, SYSTEM + 1),
    )


@inlined
def free_count(p: Pack) -> int:
    """Coordinates that can move."""
    return size_of(p, NODES)


@inlined
def cables_in(p: Pack) -> Cables:
    return Cables(
        integers(p, CABLES),
        integers(p, CABLES + 1),
        reals(p, CABLES + 2),
        reals(p, CABLES + 3),
        reals(p, CABLES + 4),
        reals(p, CABLES + 5),
    )


@inlined
def bars_in(p: Pack) -> Bars:
    return Bars(
        integers(p, BARS),
        integers(p, BARS + 1),
        integers(p, BARS + 2),
        reals(p, BARS + 3),
        reals(p, BARS + 4),
        reals(p, BARS + 5),
        integers(p, BARS + 6),
    )


@inlined
def guides_in(p: Pack) -> Guides:
    return Guides(integers(p, GUIDES), integers(p, GUIDES + 1), reals(p, GUIDES + 2), reals(p, GUIDES + 3))


@inlined
def nodes_in(p: Pack) -> Nodes:
    return Nodes(integers(p, NODES), reals(p, NODES + 1), reals(p, NODES + 2), reals(p, NODES + 3))


@inlined
def signals_in(p: Pack) -> Signals:
    return Signals(
        integers(p, SIGNALS),
        integers(p, SIGNALS + 1),
        integers(p, SIGNALS + 2),
        reals(p, SIGNALS + 3),
        reals(p, SIGNALS + 4),
    )


@inlined
def constants_in(p: Pack) -> Constants:
    return Constants(
        integers(p, CONSTANTS),
        integers(p, CONSTANTS + 1),
        integers(p, CONSTANTS + 2),
        integers(p, CONSTANTS + 3),
        integers(p, CONSTANTS + 4),
        reals(p, CONSTANTS + 5),
        reals(p, CONSTANTS + 6),
        reals(p, CONSTANTS + 7),
        reals(p, CONSTANTS + 8),
        integers(p, CONSTANTS + 9),
    )


@inlined
def work_in(p: Pack) -> Work:
    return Work(
        reals(p, WORK),
        reals(p, WORK + 1),
        reals(p, WORK + 2),
        reals(p, WORK + 3),
        reals(p, WORK + 4),
        reals(p, WORK + 5),
    )


@inlined
def switches_in(p: Pack) -> Switches:
    return Switches(
        integers(p, SWITCHES),
        integers(p, SWITCHES + 1),
        integers(p, SWITCHES + 2),
        reals(p, SWITCHES + 3),
        reals(p, SWITCHES + 4),
        reals(p, SWITCHES + 5),
        reals(p, SWITCHES + 6),
        integers(p, SWITCHES + 7),
        integers(p, SWITCHES + 8),
        integers(p, SWITCHES + 9),
        reals(p, SWITCHES + 10),
        reals(p, SWITCHES + 11),
        integers(p, SWITCHES + 12),
        integers(p, SWITCHES + 13),
        integers(p, SWITCHES + 14),
        integers(p, SWITCHES + 15),
        reals(p, SWITCHES + 16),
        reals(p, SWITCHES + 17),
    )


@inlined
def pairs_in(p: Pack, at: int) -> Pairs:
    """The pairs of the system that begins at part `at`, SYSTEM or METRIC."""
    return Pairs(reals(p, at), integers(p, at + 1), reals(p, at + 2), reals(p, at + 3))


@inlined
def saddle_in(p: Pack, at: int) -> Saddle:
    """The saddle of the system that begins at part `at`, SYSTEM or METRIC."""
    at += PAIR_PARTS
    return Saddle(
        integers(p, at),
        integers(p, at + 1),
        integers(p, at + 2),
        integers(p, at + 3),
        integers(p, at + 4),
        integers(p, at + 5),
        integers(p, at + 6),
        integers(p, at + 7),
        integers(p, at + 8),
        integers(p, at + 9),
        integers(p, at + 10),
        integers(p, at + 11),
        integers(p, at + 12),
        integers(p, at + 13),
        reals(p, at + 14),
        reals(p, at + 15),
        reals(p, at + 16),
        reals(p, at + 17),
        reals(p, at + 18),
        reals(p, at + 19),
        reals(p, at + 20),
        reals(p, at + 21),
        reals(p, at + 22),
        reals(p, at + 23),
    )


@inlined
def krylov_in(p: Pack, at: int) -> Krylov:
    """The iteration of the system that begins at part `at`, SYSTEM or METRIC."""
    at += PAIR_PARTS + SADDLE_PARTS
    return Krylov(reals(p, at), reals(p, at + 1), reals(p, at + 2), reals(p, at + 3), reals(p, at + 4))


@inlined
def thick_in(p: Pack) -> Thick:
    return Thick(
        integers(p, THICK),
        integers(p, THICK + 1),
        integers(p, THICK + 2),
        reals(p, THICK + 3),
        reals(p, THICK + 4),
        reals(p, THICK + 5),
        reals(p, THICK + 6),
        reals(p, THICK + 7),
    )
