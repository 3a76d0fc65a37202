"""Grounds on the page: as triangles, of planes and terrain as far as a run goes."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product

import numpy as np

from taut.structure.grounds import Box, Ground, Plane, Terrain

AROUND = 0.6
"""Of the size of what is shown: how far a plane reaches beyond it."""

MOST_PATCHES = 4000
"""Of a terrain; one with more is drawn coarser."""

SUNK = 2e-3
"""Of the size of what is shown: how far below itself a ground is drawn, so that nodes on it are seen."""


def ground_numbers(grounds: Sequence[Ground], bounds: Sequence[Sequence[float]]) -> list[float]:
    """The corners of their triangles [m], nine numbers each, rounded to a micrometre."""
    return [float(number) for number in ground_triangles(grounds, bounds).round(6).ravel()]


def ground_triangles(grounds: Sequence[Ground], bounds: Sequence[Sequence[float]]) -> np.ndarray:
    """(k, 3, 3) [m]; bounds: the box that all nodes stay in, and the size of one moment."""
    low, high = np.array(bounds[0]), np.array(bounds[1])
    size = max(float(np.linalg.norm(bounds[2])), 1e-9)
    found = [np.zeros((0, 3, 3))]
    for ground in grounds:
        shape, deep = ground.shape, SUNK * size + ground.radius
        if isinstance(shape, Plane):
            found.append(_plane(shape, low - AROUND * size, high + AROUND * size, deep))
        elif isinstance(shape, Box):
            found.append(_box(shape, deep))
        else:
            found.append(_terrain(shape, deep))
    return np.concatenate(found)


def _plane(plane: Plane, low: np.ndarray, high: np.ndarray, deep: float) -> np.ndarray:
    """As much of it as lies beside the box, by the places of the corners of the box on it."""
    normal = np.array(plane.normal) / np.linalg.norm(plane.normal)
    across = np.cross(normal, np.eye(3)[int(np.argmin(np.abs(normal)))])
    across /= np.linalg.norm(across)
    other = np.cross(normal, across)
    corners = np.array(list(product(*zip(low, high, strict=True))))
    a, b = corners @ across, corners @ other
    base = normal * (float(normal @ plane.point) - deep)
    places = [base + x * across + y * other for x in (a.min(), a.max()) for y in (b.min(), b.max())]
    return np.array([[places[0], places[2], places[1]], [places[1], places[2], places[3]]])


def _box(box: Box, deep: float) -> np.ndarray:
    half = 0.5 * np.array(box.size) - deep
    signs = np.array(list(product((-1.0, 1.0), repeat=3)))
    corners = np.array(box.centre) + (signs * half) @ box.axes
    faces = []
    for axis in range(3):
        for side in (-1.0, 1.0):
            a, b, c, d = np.flatnonzero(signs[:, axis] == side)
            faces += [corners[[a, b, c]], corners[[c, b, d]]]
    return np.array(faces)


def _terrain(terrain: Terrain, deep: float) -> np.ndarray:
    heights = np.array(terrain.heights)
    skip = max(1, int(np.ceil(np.sqrt(heights.size / MOST_PATCHES))))
    rows, columns = (np.unique([*range(0, size, skip), size - 1]) for size in heights.shape)
    x, y = terrain.corner[0] + terrain.spacing[0] * rows, terrain.corner[1] + terrain.spacing[1] * columns
    grid = np.stack([*np.meshgrid(x, y, indexing="ij"), heights[np.ix_(rows, columns)] - deep], axis=-1)
    one, other = (grid[:-1, :-1], grid[1:, :-1], grid[:-1, 1:]), (grid[:-1, 1:], grid[1:, :-1], grid[1:, 1:])
    return np.concatenate([np.stack(corners, axis=-2).reshape(-1, 3, 3) for corners in (one, other)])
