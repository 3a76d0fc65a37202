"""Space-filling lattices of six-strut cells."""

from __future__ import annotations

import math
from collections.abc import Iterator
from itertools import product

from taut.structure.generators._parts import (
    BarLine,
    CableLine,
    Layout,
    Stock,
    balanced,
    require_count,
    require_one_of,
    require_positive,
    require_room,
)
from taut.structure.generators.polyhedra import cell_cables, cell_node, cell_places, cell_struts, pair_axis
from taut.structure.structure import Position, Structure

Cell = tuple[int, int, int]

FACES = tuple(product(range(3), (-1, 1)))
"""The faces of a cell: axis and sign."""

OVERLAPPED_PITCH = (2.0 + math.sqrt(2.0)) / 4.0
"""Distance of cells / bar length in class 1: the one at which a joint does no work on a cell's own mechanism."""

JOINT_RELIEF = (math.sqrt(2.0) - 1.0) / 2.0
"""By how much a joint with ties of force density 1 relieves the cell's cables at that face."""

SADDLE_SHARE = math.sqrt(0.5)
"""Force density of a joint's saddle cables where its ties have 1: no net force through the joint."""


def lattice(
    nx: int,
    ny: int,
    nz: int,
    *,
    class_: int = 1,
    bar_length: float = 1.0,
    bar_radius: float = 0.01,
    bar_density: float = 2700.0,
    bar_youngs_modulus: float = 70e9,
    stiffness: float = 1e4,
    rest_ratio: float = 0.95,
) -> Structure:
    """nx by ny by nz six-strut cells (see `icosahedron`) on a cubic grid, first cell centred at the origin.

    class_ 1: no bars touch. Neighbours are mirror images of each other and reach into each other by 0.146 bar
    lengths. Where two meet, four "saddle" cables run between the facing strut ends, and four "tie" cables from these
    to the neighbour's struts across. At this pitch every joint has a self-stress, so the lattice stands in balance.

    class_ 2: all cells have the same hand and are a bar length apart; facing strut ends are the same node, where two
    bars meet in line. Every cell is in balance by itself.

    Nodes "n1.1.1.1" (cell x, y, z, node), bars "strut...", cables "cell...", "saddle...", "tie...". The groups
    "bottom" and "top" are the lowest and highest nodes.

    bar_length: [m]. bar_radius: [m]. bar_density: [kg/m^3]. bar_youngs_modulus: [Pa].
    stiffness: [N/m], of every cable. rest_ratio: rest length / length of the cable with the largest force density.
    """
    require_count(1, nx=nx, ny=ny, nz=nz)
    require_room(6 * nx * ny * nz, nx=nx, ny=ny, nz=nz)
    require_one_of((1, 2), class_=class_)
    require_positive(bar_length=bar_length)
    layout = (_separate_cells if class_ == 1 else _shared_cells)((nx, ny, nz), bar_length)
    return balanced(
        f"lattice of {nx} x {ny} x {nz} cells, class {class_}",
        layout,
        Stock(bar_radius, bar_density, bar_youngs_modulus, stiffness, rest_ratio),
    )


def _separate_cells(size: Cell, bar_length: float) -> Layout:
    pitch = OVERLAPPED_PITCH * bar_length
    places = {hand: list(cell_places(bar_length, hand=hand)) for hand in (1, -1)}
    template = {hand: cell_cables(hand=hand) for hand in (1, -1)}
    struts = cell_struts()
    names_of = {cell: _names(cell) for cell in _cells(size)}
    nodes: dict[str, Position] = {}
    bars: list[BarLine] = []
    cables: list[CableLine] = []
    for cell in _cells(size):
        hand, tag, names = _hand(cell), _tag(cell), names_of[cell]
        nodes.update(_placed(names, places[hand], cell, pitch))
        bars += ((f"strut{tag}.{i}", names[a], names[b]) for i, (a, b) in enumerate(struts, 1))
        relief = {(axis, sign): _has_neighbour(cell, size, axis, sign) * JOINT_RELIEF for axis, sign in FACES}
        for i, (a, b, axis, sign) in enumerate(template[hand], 1):
            cables.append((f"cell{tag}.{i}", names[a], names[b], 1.0 - relief[axis, sign]))
        for axis in range(3):
            if _has_neighbour(cell, size, axis, 1):
                cables += _joint(f"{tag}{'xyz'[axis]}", axis, hand, names, names_of[_next(cell, axis)])
    groups = _groups(size)
    if max(size) > 1:
        groups |= {"saddle": ("cable:saddle*",), "tie": ("cable:tie*",)}
    return Layout(nodes, bars, cables, groups)


def _joint(tag: str, axis: int, hand: int, names: list[str], beyond: list[str]) -> Iterator[CableLine]:
    """The cables between a cell and the next one along an axis, which has the other hand."""
    for i, (side, other) in enumerate(product((-1, 1), repeat=2), 1):
        ends = names[cell_node(axis, 1, side)], beyond[cell_node(axis, -1, other)]
        yield f"saddle{tag}.{i}", *ends, SADDLE_SHARE
    for i, side in enumerate((-1, 1), 1):
        across, back = cell_node(pair_axis(axis, hand), side, -1), cell_node(pair_axis(axis, -hand), side, 1)
        yield f"tie{tag}.{i}", names[cell_node(axis, 1, side)], beyond[across], 1.0
        yield f"tie{tag}.{i + 2}", beyond[cell_node(axis, -1, side)], names[back], 1.0


def _shared_cells(size: Cell, bar_length: float) -> Layout:
    places = list(cell_places(bar_length, hand=1))
    template, struts = cell_cables(hand=1), cell_struts()
    names_of: dict[Cell, list[str]] = {}
    nodes: dict[str, Position] = {}
    bars: list[BarLine] = []
    cables: list[CableLine] = []
    for cell in _cells(size):
        tag, names = _tag(cell), _names(cell)
        names_of[cell] = names
        own = _placed(names, places, cell, bar_length)
        for axis in range(3):
            if not _has_neighbour(cell, size, axis, -1):
                continue
            before = names_of[_next(cell, axis, -1)]
            for side in (-1, 1):  # a facing strut end belongs to the cell before
                node = cell_node(axis, -1, side)
                del own[names[node]]
                names[node] = before[cell_node(axis, 1, side)]
        nodes.update(own)
        bars += ((f"strut{tag}.{i}", names[a], names[b]) for i, (a, b) in enumerate(struts, 1))
        cables += ((f"cell{tag}.{i}", names[c.first], names[c.second], 1.0) for i, c in enumerate(template, 1))
    return Layout(nodes, bars, cables, _groups(size))


def _groups(size: Cell) -> dict[str, tuple[str, ...]]:
    groups: dict[str, tuple[str, ...]] = {"struts": ("bar:strut*",), "cells": ("cable:cell*",)}
    for name, layer, end in (("bottom", 1, -1), ("top", size[2], 1)):
        groups[name] = tuple(f"node:n*.{layer}.{cell_node(2, end, side) + 1}" for side in (-1, 1))
    return groups


def _cells(size: Cell) -> Iterator[Cell]:
    nx, ny, nz = size
    for k, j, i in product(range(1, nz + 1), range(1, ny + 1), range(1, nx + 1)):
        yield i, j, k


def _tag(cell: Cell) -> str:
    return f"{cell[0]}.{cell[1]}.{cell[2]}"


def _names(cell: Cell) -> list[str]:
    tag = _tag(cell)
    return [f"n{tag}.{i}" for i in range(1, 13)]


def _hand(cell: Cell) -> int:
    return 1 if sum(cell) % 2 else -1  # the first cell, 1.1.1, has hand 1


def _next(cell: Cell, axis: int, step: int = 1) -> Cell:
    moved = list(cell)
    moved[axis] += step
    return moved[0], moved[1], moved[2]


def _has_neighbour(cell: Cell, size: Cell, axis: int, sign: int) -> bool:
    return 1 <= cell[axis] + sign <= size[axis]


def _placed(names: list[str], places: list[Position], cell: Cell, pitch: float) -> dict[str, Position]:
    x, y, z = (pitch * (index - 1) for index in cell)
    return {name: (x + a, y + b, z + c) for name, (a, b, c) in zip(names, places, strict=True)}
