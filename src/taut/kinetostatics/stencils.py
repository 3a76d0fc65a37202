"""Polynomials through the nearest points of a map's grid.

Along every axis the six nearest values of the grid carry a polynomial of fifth degree; several axes are taken one after
the other (tensor product). Near a point without a posture it is four values, then two: a cell with a corner that is
missing has no posture, and one whose corners are of different sheets has none, either. The page does the same
(output/page/parts/grid.js).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from taut.kinetostatics.workspace_maps import WorkspaceMap
from taut.reprs import brief

POINTS = (6, 4, 2)
"""Values of each axis that carry a polynomial, the first of these of which all postures are there."""


class Stencil(NamedTuple):
    """Which points of a grid carry a place, and with which weights."""

    rows: np.ndarray  # (k,) points by number, the last axis fastest
    weights: np.ndarray  # (k,)


@dataclass(frozen=True)
class InterpolatedPosture:
    """What is interpolated at one place; NaN where there is no posture."""

    found: bool
    nodes: np.ndarray  # (n, 3) [m]
    member_force: np.ndarray  # (m,) cables first [N]
    lowest_stiffness: float  # [N/m]
    plate_stiffness: float  # [N/m]
    dexterity: float

    __repr__ = brief


def stencil(area: WorkspaceMap, place: np.ndarray, along_each: tuple[int, ...] = POINTS) -> Stencil | None:
    """What carries a place within the grid; None where there is no posture, or where they are of different sheets."""
    for points in along_each:
        along = [_weights(values, x, points) for values, x in zip(area.axes.values(), place, strict=True)]
        chosen = [first + np.arange(weights.size) for first, weights in along]
        if area.found[np.ix_(*chosen)].all() and _one_sheet(area, chosen):
            weights = np.ones(1)
            for _, own in along:
                weights = np.multiply.outer(weights, own).ravel()
            return Stencil(np.ravel_multi_index(np.ix_(*chosen), area.found.shape).ravel(), weights)
    return None


def _one_sheet(area: WorkspaceMap, chosen: list[np.ndarray]) -> bool:
    """Whether all points of a block lead to their neighbours in it."""
    for axis in range(len(chosen)):
        ahead = [own[:-1] if k == axis else own for k, own in enumerate(chosen)]
        if not area.joined[..., axis][np.ix_(*ahead)].all():
            return False
    return True


def _weights(values: np.ndarray, x: float, points: int) -> tuple[int, np.ndarray]:
    """The first of the values that carry x, and Lagrange's weights of them; a value of the grid carries itself."""
    after = int(np.searchsorted(values, x, side="right"))
    if after and values[after - 1] == x:
        return after - 1, np.ones(1)
    count = min(points, values.size)
    cell = int(np.clip(after - 1, 0, values.size - 2))
    first = int(np.clip(cell - (count // 2 - 1), 0, values.size - count))
    own = values[first : first + count]
    same = np.eye(count, dtype=bool)
    return first, np.asarray((np.where(same, 1.0, x - own) / np.where(same, 1.0, own[:, None] - own)).prod(axis=1))


def blended(area: WorkspaceMap, found: Stencil | None) -> InterpolatedPosture:
    """Points of a map by their weights; cables that nowhere push do not push between points, either."""
    robot, size = area.robot, area.found.size
    if found is None:
        nodes, force = np.full(robot.structure.positions.shape, np.nan), np.full(area.member_force.shape[-1], np.nan)
        return InterpolatedPosture(False, nodes, force, *[np.nan] * 3)

    def mixed(values: np.ndarray) -> np.ndarray:
        rows = values.reshape(size, -1)[found.rows]
        return np.asarray(found.weights @ rows)

    force = mixed(area.member_force)
    pulls = never_pushing(area)
    force[pulls] = np.maximum(force[pulls], 0.0)
    numbers = (float(mixed(one)[0]) for one in (area.lowest_stiffness, area.plate_stiffness, area.dexterity))
    return InterpolatedPosture(True, mixed(area.nodes).reshape(-1, 3), force, *numbers)


def corners_agree(area: WorkspaceMap, place: np.ndarray) -> bool:
    """Whether the lowest stiffness has one sign at all corners of the cell of a place that is shown."""
    corners = stencil(area, place, (2,))
    signs = area.lowest_stiffness.ravel()[corners.rows] > 0.0 if corners is not None else np.zeros(0)
    return bool(signs.all() or not signs.any())


def never_pushing(area: WorkspaceMap) -> np.ndarray:
    """(m,) cables that pull or are slack at every point of a map."""
    cables = area.robot.problem.network.cables
    least = np.nanmin(area.member_force.reshape(area.found.size, -1), axis=0)
    return np.asarray((np.arange(least.size) < cables) & (least >= 0.0))
