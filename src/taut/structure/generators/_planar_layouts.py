"""The two layouts of planar lattices, in the x-z plane with a pitch of one."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from itertools import product

from taut.structure.generators._parts import BarLine, CableLine, Layout
from taut.structure.structure import Position

Side = tuple[int, int]
"""A side of a cell: the axis (0 for x, 1 for z) it faces along, and the sign of the direction."""

LONG, SHORT = 0.75, 0.45
"""Half sides of a class-1 cell. Their sum is more than the pitch, so that neighbours reach into each other."""

TIE_SHARE = 0.1
"""Force density of the ties of a class-1 lattice where bars have -1; small enough that every cell edge pulls."""

SADDLE_SHARE = 2.0 * TIE_SHARE / (LONG + SHORT - 1.0)
"""Force density of its saddle cables: no net force through a joint."""

CORNERS = {(-1, -1): 1, (1, -1): 2, (1, 1): 3, (-1, 1): 4}
"""Corner numbers by the signs of x and z: counter-clockwise from lower left, as in the T-bar."""

SIDES: tuple[tuple[Side, int, int], ...] = (((1, -1), 1, 2), ((0, 1), 2, 3), ((1, 1), 3, 4), ((0, -1), 4, 1))
"""The cables of a cell: the side and its two corners."""

FACING = (((1, 2), (4, 3)), ((1, 4), (2, 3)))
"""For each axis the two pairs of corners in line with it, the one at the lower end first."""


def shared_cells(columns: int, rows: int) -> Layout:
    """Every cell has force density 1 along its sides and -1 in its bars, so inner lines carry 2."""
    points = [(i, j) for j in range(1, rows + 2) for i in range(1, columns + 2)]
    names = {(i, j): f"n{i}.{j}" for i, j in points}
    nodes = {names[i, j]: (i - 1.0, 0.0, j - 1.0) for i, j in points}
    bars: list[BarLine] = []
    cables: list[CableLine] = []
    for i, j in points:
        here = names[i, j]
        if i <= columns:
            cables.append((f"horizontal{i}.{j}", here, names[i + 1, j], 1.0 if j in (1, rows + 1) else 2.0))
        if j <= rows:
            cables.append((f"vertical{i}.{j}", here, names[i, j + 1], 1.0 if i in (1, columns + 1) else 2.0))
        if i <= columns and j <= rows:
            bars.append((f"strut{i}.{j}.1", here, names[i + 1, j + 1]))
            bars.append((f"strut{i}.{j}.2", names[i + 1, j], names[i, j + 1]))
    groups: dict[str, tuple[str, ...]] = {
        "struts": ("bar:strut*",),
        "horizontal": ("cable:horizontal*",),
        "vertical": ("cable:vertical*",),
        "bottom": ("node:n*.1",),
        "top": (f"node:n*.{rows + 1}",),
        "left": ("node:n1.*",),
        "right": (f"node:n{columns + 1}.*",),
    }
    return Layout(nodes, bars, cables, groups)


def separate_cells(columns: int, rows: int) -> Layout:
    """Cells that are alternately wide and tall, each with its own nodes, tied to their neighbours by cables."""
    cells = [(i, j) for j in range(1, rows + 1) for i in range(1, columns + 1)]
    # Names are made once and shared: of a million members, text is the largest part.
    corners = {(i, j): {corner: f"n{i}.{j}.{corner}" for corner in CORNERS.values()} for i, j in cells}
    nodes: dict[str, Position] = {}
    bars: list[BarLine] = []
    cables: list[CableLine] = []
    for i, j in cells:
        tag, names = f"{i}.{j}", corners[i, j]
        half = (LONG, SHORT) if (i + j) % 2 == 0 else (SHORT, LONG)
        for (x, z), corner in CORNERS.items():
            nodes[names[corner]] = (i - 1 + x * half[0], 0.0, j - 1 + z * half[1])
        bars += ((f"strut{tag}.{a}", names[a], names[a + 2]) for a in (1, 2))
        shares = _side_shares(half, (i > 1, i < columns, j > 1, j < rows))
        cables += ((f"cell{tag}.{a}", names[a], names[b], shares[side]) for side, a, b in SIDES)
        if i < columns:
            cables += _joint(f"{tag}x", 0, names, corners[i + 1, j])
        if j < rows:
            cables += _joint(f"{tag}z", 1, names, corners[i, j + 1])
    groups: dict[str, tuple[str, ...]] = {
        "struts": ("bar:strut*",),
        "cells": ("cable:cell*",),
        "bottom": ("node:n*.1.1", "node:n*.1.2"),
        "top": (f"node:n*.{rows}.3", f"node:n*.{rows}.4"),
        "left": ("node:n1.*.1", "node:n1.*.4"),
        "right": (f"node:n{columns}.*.2", f"node:n{columns}.*.3"),
    }
    if columns > 1 or rows > 1:
        groups |= {"saddle": ("cable:saddle*",), "tie": ("cable:tie*",)}
    return Layout(nodes, bars, cables, groups)


@cache
def _side_shares(half: tuple[float, float], joints: tuple[bool, bool, bool, bool]) -> dict[Side, float]:
    """Force densities of a cell's sides, bars having -1, with joints at its left, right, lower and upper side.

    A joint squeezes the two sides that run along it by what its ties pull. Its cables also pull the corners towards
    those of the neighbour, which is longer where this cell is short: that spreads (or squeezes) the other two sides,
    the near one by a tie and a saddle cable, the far one by a tie.
    """
    shares = dict.fromkeys((side for side, _, _ in SIDES), 1.0)
    for (axis, sign), joined in zip(product((0, 1), (-1, 1)), joints, strict=True):
        if not joined:
            continue
        along, across = half[axis], half[1 - axis]
        spread = (along - across) / (2.0 * across)
        shares[axis, sign] += (TIE_SHARE + SADDLE_SHARE) * spread
        shares[axis, -sign] += TIE_SHARE * spread
        for other in (-1, 1):
            shares[1 - axis, other] -= TIE_SHARE * (1.0 - across + along) / (2.0 * along)
    return shares


def _joint(tag: str, axis: int, names: dict[int, str], beyond: dict[int, str]) -> Iterator[CableLine]:
    """The cables between a cell and the next one along an axis."""
    for i, (near, far) in enumerate(FACING[axis]):
        yield f"saddle{tag}.{i + 1}", names[far], beyond[near], SADDLE_SHARE
        yield f"tie{tag}.{2 * i + 1}", names[near], beyond[near], TIE_SHARE
        yield f"tie{tag}.{2 * i + 2}", names[far], beyond[far], TIE_SHARE
