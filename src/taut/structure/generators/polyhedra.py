"""The six-strut icosahedron, alone and as the cell of lattices."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from typing import NamedTuple

from taut.structure.generators._parts import Layout, Stock, balanced, require_positive
from taut.structure.structure import Position, Structure


class CellCable(NamedTuple):
    """A cable of a six-strut cell: its nodes by index, and the face (axis, sign) of the cell that it lies at."""

    first: int
    second: int
    axis: int
    sign: int


def icosahedron(
    bar_length: float = 1.0,
    *,
    bar_radius: float = 0.01,
    bar_density: float = 2700.0,
    bar_youngs_modulus: float = 70e9,
    stiffness: float = 1e4,
    rest_ratio: float = 0.95,
) -> Structure:
    """Six struts in three parallel pairs along x, y and z, held apart by 24 cables of one length; centre at the origin.

    Parallel struts are half a bar length apart, which gives the self-stress q_strut = -1.5 q_cable; all cables have
    the same rest ratio, so it stands in balance. Nodes "n1" to "n12", bars "strut1" to "strut6", cables "cable1" to
    "cable24". Cables are bar_length sqrt(6)/4 long.

    bar_length: [m]. bar_radius: [m]. bar_density: [kg/m^3]. bar_youngs_modulus: [Pa].
    stiffness: [N/m], of every cable. rest_ratio: rest length / length of the cables.
    """
    require_positive(bar_length=bar_length)
    layout = Layout(
        {f"n{i + 1}": place for i, place in enumerate(cell_places(bar_length, hand=1))},
        [(f"strut{i + 1}", f"n{a + 1}", f"n{b + 1}") for i, (a, b) in enumerate(cell_struts())],
        [(f"cable{i + 1}", f"n{c.first + 1}", f"n{c.second + 1}", 1.0) for i, c in enumerate(cell_cables(hand=1))],
        {"struts": ("bar:strut*",)},
    )
    return balanced("icosahedron", layout, Stock(bar_radius, bar_density, bar_youngs_modulus, stiffness, rest_ratio))


def cell_node(axis: int, end: int, side: int) -> int:
    """Index of a cell's node: the axis (0, 1, 2) of its strut, the strut's end (-1, 1), which of the pair (-1, 1)."""
    return 4 * axis + (end + 1) + (side + 1) // 2


def pair_axis(axis: int, hand: int) -> int:
    """The axis along which the two struts parallel to `axis` are apart; a cell of hand -1 is the mirror image."""
    return (axis - hand) % 3


def cell_places(bar_length: float, *, hand: int) -> Iterator[Position]:
    """Positions [m] of the twelve nodes, in the order of `cell_node`."""
    for axis, end, side in product(range(3), (-1, 1), (-1, 1)):
        place = [0.0, 0.0, 0.0]
        place[axis] = end * bar_length / 2.0
        place[pair_axis(axis, hand)] = side * bar_length / 4.0
        yield place[0], place[1], place[2]


def cell_struts() -> list[tuple[int, int]]:
    """The six struts, each by the indices of its two nodes."""
    return [(cell_node(axis, -1, side), cell_node(axis, 1, side)) for axis in range(3) for side in (-1, 1)]


def cell_cables(*, hand: int) -> list[CellCable]:
    """A triangle of cables in each octant, through the one strut end of each axis that lies there."""
    cables = []
    for signs in product((-1, 1), repeat=3):
        corner = [cell_node(axis, signs[axis], signs[pair_axis(axis, hand)]) for axis in range(3)]
        for axis in range(3):
            beside = (axis + hand) % 3  # the strut whose pair is apart along this axis
            cables.append(CellCable(corner[axis], corner[beside], axis, signs[axis]))
    return cables
