"""A nodal plant with a Newton matrix: the same equations of motion, and what implicit steps need beside them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, fields
from typing import Any

import numpy as np

from taut.mechanics.imposed.called_functions import with_functions
from taut.mechanics.imposed.fresh_packs import fresh
from taut.mechanics.linear.linearisation import feedback_slopes
from taut.mechanics.operations.newton_matrix import Newton
from taut.mechanics.plant import Plant
from taut.mechanics.spec import Spec, rows_of, terms_of
from taut.mechanics.systems.saddle_tables import bordered, numbered
from taut.mechanics.systems.system_tables import Tables, packed_by_name
from taut.numerics.packing import Pack
from taut.numerics.saddle import Saddle, weight_places

FACTORED = (
    "the Newton matrix of implicit steps is factored; the iterative solver serves accelerations and corrections only"
)

DIAGONAL = ((0, 0), (0, 1), (0, 2), (1, 1), (1, 2), (2, 2))
"""The entries of a node's own block that are kept."""


@dataclass(frozen=True, repr=False)
class ImplicitPlant(Plant):
    """A Plant whose tables hold a Newton matrix too; made by `implicit_plant`."""

    @property
    def formulation(self) -> str:
        return f"{super().formulation}_implicit"

    def own_tables(self, *, metric: str, gains: tuple[float, float]) -> Pack:
        """By mass and without Baumgarte's gains: implicit steps meet the constraints themselves."""
        newton, saddle = newton_tables(self.spec, self.tables)
        return fresh(packed_by_name({**self.tables, "newton": newton, "newton_saddle": saddle})[0], self.laws)

    def changes(self, q: np.ndarray, v: np.ndarray) -> tuple[str, ...]:
        notes = super().changes(q, v)
        return (*notes, FACTORED) if self.spec.system == "minres" else notes

    def operations(self) -> dict[str, Callable[..., Any]]:
        operations = {**super().operations(), **with_functions(self, self.composition.newton)}
        if self.feedbacks:
            answering = _Answering(self, operations["factor_newton"], operations["solve_newton"])
            operations |= {"factor_newton": answering.factor, "solve_newton": answering.solve}
        return operations


class _Answering:
    """Newton's method with loads that answer to the motion.

    Each adds to S a row that is not symmetric, -s^2 df/dq - s df/dv. There are few, so S is factored without them and
    every solution mended (Woodbury): with E the coordinates they act on, A their rows and Z = S^-1 E along the
    constraints, the force is to be raised by E c, (1 - A Z) c = A x.
    """

    def __init__(self, plant: Plant, factor: Callable[..., int], solve: Callable[..., None]) -> None:
        self.plant, self._factor, self._solve = plant, factor, solve
        answering = [called.signal for called in plant.feedbacks]
        self.places = np.unique(plant.tables["loads"].coordinate[answering])

    def factor(self, pack: Pack, t: float, y: np.ndarray, base: np.ndarray, s: float) -> int:
        dropped = self._factor(pack, t, y, base, s)
        size, free = self.plant.coordinates, self.plant.tables["nodes"].free
        by_place, by_speed = feedback_slopes(self.plant, y[:size].copy(), y[size : 2 * size].copy(), t)
        chosen = np.flatnonzero(np.isin(free, self.places))
        self.rows = (s * s * by_place + s * by_speed)[chosen]
        self.force = np.zeros((chosen.size, size))
        self.force[np.arange(chosen.size), free[chosen]] = 1.0
        none, moved = np.zeros(self.plant.rows), np.zeros((chosen.size, size))
        for k in range(chosen.size if dropped >= 0 else 0):
            self._solve(pack, self.force[k], none, moved[k], 0.0)
        self.left = np.eye(chosen.size) - self.rows @ moved.T
        return int(dropped)

    def solve(self, pack: Pack, force: np.ndarray, rates: np.ndarray, direction: np.ndarray, gain: float) -> None:
        self._solve(pack, force, rates, direction, 0.0)
        more = np.linalg.solve(self.left, self.rows @ direction[: self.rows.shape[1]])
        raised = force.copy()
        raised[: self.force.shape[1]] += more @ self.force
        self._solve(pack, raised, rates, direction, gain)


def implicit_plant(plant: Plant) -> ImplicitPlant:
    """The plant with its Newton matrix."""
    return ImplicitPlant(**{field.name: getattr(plant, field.name) for field in fields(Plant)})


def newton_tables(spec: Spec, tables: Tables) -> tuple[Newton, Saddle]:
    """Where everything goes in the saddle [S G^T; G 0], and the saddle."""
    import scipy.sparse as sp

    thin, jacobian, free = tables["thin"], tables["jacobian"], tables["nodes"].free
    size, count = thin.diagonal.size, jacobian.start.size - 1
    unknown = numbered(size, free)
    ends = [(tables["cylinders"].first, tables["cylinders"].second)]
    linked = [term for term in terms_of(spec) if term.links is not None]
    ends += [term.links(tables[term.name]) for term in linked if term.links is not None]
    ends += [kind.links(tables[kind.name]) for kind in rows_of(spec)]
    ways = [False, *(term.one_way for term in linked), *(kind.one_way for kind in rows_of(spec))]
    one_way = np.concatenate([np.full(pair[0].size, way) for pair, way in zip(ends, ways, strict=True)])
    first, second = (np.concatenate([pair[k] for pair in ends]).astype(np.int64) for k in (0, 1))
    axes, start = np.arange(3), np.arange(0, size, 3)[:, None]
    node_i, node_j = (unknown[start + np.array([entry[k] for entry in DIAGONAL])].ravel() for k in (0, 1))
    grounded = np.append(unknown, (-1, -1, -1))
    there = np.where(second < 0, size, second)
    link_i = np.repeat(grounded[first[:, None] + axes], 3, axis=1).ravel()  # xx xy xz yx ...
    link_j = np.tile(grounded[there[:, None] + axes], 3).ravel()
    rod_i, rod_j = (unknown[end[:, None] + axes].ravel() for end in (thin.first, thin.second))
    i, j = np.concatenate([node_i, rod_i, link_i]), np.concatenate([node_j, rod_j, link_j])
    moves = (i >= 0) & (j >= 0)
    low, high = np.minimum(i, j)[moves], np.maximum(i, j)[moves]
    weight = sp.csr_matrix((np.ones(low.size), (low, high)), shape=(free.size, free.size))
    saddle, row = bordered(weight, unknown, jacobian.start, jacobian.coordinate)
    place = np.full(i.size, saddle.values.size - 1, dtype=np.int64)
    place[moves] = weight_places(saddle, low, high)
    nodes, rods = node_i.size, rod_i.size
    brace_mass, brace_stiffness = _braces(spec, tables)
    return Newton(
        entry=np.unique(place),
        node=place[:nodes],
        rod=place[nodes : nodes + rods],
        first=first,
        second=second,
        one_way=one_way.astype(np.int64),
        link=place[nodes + rods :],
        row=row,
        block=np.zeros(9 * first.size),
        brace_mass=brace_mass,
        brace_stiffness=brace_stiffness,
        brace=np.zeros(count),
        multiplier=np.zeros(count),
        first_multiplier=np.zeros(count),
        effort=np.zeros(3),
    ), saddle


def _braces(spec: Spec, tables: Tables) -> tuple[np.ndarray, np.ndarray]:
    """(r,) each: the largest mass and stiffness at the nodes that a row touches; none for rows that do not bend."""
    mass, springs = tables["thin"].diagonal, tables["springs"]
    stiffness = np.zeros(mass.size)
    for end in (springs.first, springs.second):
        np.add.at(stiffness, end, springs.stiffness[: end.size])
    for term in terms_of(spec):
        if term.one_way and term.node_stiffness is not None:
            stiffness += term.node_stiffness(tables[term.name], mass.size)
    found: list[tuple[np.ndarray, np.ndarray]] = []
    for kind in rows_of(spec):
        counts, coordinates = kind.pattern(tables[kind.name])
        bends = kind.links(tables[kind.name])[0].size > 0
        begin = np.concatenate([[0], np.cumsum(counts)])[:-1].astype(np.int64)
        for_rows = [
            np.maximum.reduceat(values[coordinates // 3 * 3], begin) if bends and begin.size else np.zeros(counts.size)
            for values in (mass, stiffness)
        ]
        found.append((for_rows[0], for_rows[1]))
    masses, firm = (np.concatenate([np.zeros(0), *(pair[k] for pair in found)]) for k in (0, 1))
    return masses, firm
