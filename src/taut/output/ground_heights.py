"""How high grounds are below a place: what a shadow falls on."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from taut.structure.grounds import Box, Ground, Plane, Terrain

STEEP = 0.2
"""Planes whose normal rises less than this are walls, and no shadow falls on them."""


def heights_below(grounds: Sequence[Ground], places: np.ndarray) -> np.ndarray:
    """(k,) [m] of the highest ground under places (k, 3), or at them; -inf where there is none."""
    highest = np.full(len(places), -np.inf)
    tolerance = 1e-6 + 1e-3 * float(np.ptp(places)) if len(places) else 0.0
    for ground in grounds:
        found = _height(ground.shape, places[:, :2])
        reached = found <= places[:, 2] + tolerance + ground.radius
        highest = np.where(reached, np.maximum(highest, found), highest)
    return highest


def _height(shape: Plane | Box | Terrain, places: np.ndarray) -> np.ndarray:
    """(k,) of the upper side at x, y (k, 2)."""
    if isinstance(shape, Plane):
        normal = np.array(shape.normal) / np.linalg.norm(shape.normal)
        if normal[2] < STEEP:
            return np.full(len(places), -np.inf)
        return np.asarray((normal @ np.array(shape.point) - places @ normal[:2]) / normal[2])
    if isinstance(shape, Box):
        own = (places - np.array(shape.centre)[:2]) @ shape.axes[:2, :2].T
        inside = (np.abs(own) <= 0.5 * np.array(shape.size)[:2]).all(axis=1)
        return np.where(inside, shape.centre[2] + 0.5 * shape.size[2], -np.inf)
    return terrain_heights(shape, places)


def terrain_heights(terrain: Terrain, places: np.ndarray) -> np.ndarray:
    """(k,) [m] at x, y (k, 2): along straight lines between the points of its grid, level beyond its edge."""
    heights = np.array(terrain.heights)
    most = np.array(heights.shape) - 1
    at = np.clip((places - np.array(terrain.corner)) / np.array(terrain.spacing), 0.0, most)
    low = np.minimum(at.astype(int), np.maximum(most - 1, 0))
    (i, j), (s, t) = low.T, (at - low).T
    k, m = np.minimum(i + 1, most[0]), np.minimum(j + 1, most[1])
    near = (1.0 - t) * heights[i, j] + t * heights[i, m]
    return np.asarray((1.0 - s) * near + s * ((1.0 - t) * heights[k, j] + t * heights[k, m]))
