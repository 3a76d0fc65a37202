"""Plates as triangles to be drawn: their outlines filled, or the hull of nodes that are not in one plane."""

from __future__ import annotations

import numpy as np

from taut.structure.plates import Plate, corners_of, frame_of, is_flat, places_of
from taut.structure.structure import Structure


def faces_of(structure: Structure) -> tuple[np.ndarray, np.ndarray]:
    """(f, 3) nodes of all triangles, and (f,) the plate each belongs to."""
    place = {node: k for k, node in enumerate(structure.nodes)}
    faces, owner = [np.zeros((0, 3), dtype=np.int64)], [np.zeros(0, dtype=np.int64)]
    for k, plate in enumerate(structure.plates.values()):
        flat = is_flat(structure, plate, corners_of(plate))
        drawn = corners_of(plate) if flat else plate.nodes
        own = np.array([place[node] for node in drawn], dtype=np.int64)[_triangles(structure, plate, drawn, flat=flat)]
        faces.append(own)
        owner.append(np.full(len(own), k, dtype=np.int64))
    return np.concatenate(faces), np.concatenate(owner)


def _triangles(structure: Structure, plate: Plate, drawn: tuple[str, ...], *, flat: bool) -> np.ndarray:
    places = places_of(structure, drawn)
    if not flat:
        from scipy.spatial import ConvexHull

        return np.asarray(ConvexHull(places).simplices, dtype=np.int64)
    frame = frame_of(structure, plate)
    corners = ((places - frame.origin) @ frame.axes)[:, :2]
    found = _filled(corners, list(range(len(corners))))
    if found is None:  # an outline that crosses itself: its nodes around their middle
        arms = corners - corners.mean(axis=0)
        found = _filled(corners, np.argsort(np.arctan2(arms[:, 1], arms[:, 0])).tolist()) or []
    return np.array(found, dtype=np.int64).reshape(-1, 3)


def _filled(corners: np.ndarray, around: list[int]) -> list[tuple[int, int, int]] | None:
    """Triangles that fill the polygon through the corners, cut off one after another; None where that fails."""
    x, y = corners[around].T
    if np.sum(x * np.roll(y, -1) - y * np.roll(x, -1)) < 0.0:
        around = around[::-1]
    left, found = list(around), list[tuple[int, int, int]]()
    while len(left) > 2:
        for k in range(len(left)):
            a, b, c = left[k - 1], left[k], left[(k + 1) % len(left)]
            turn, others = _side(corners, a, b, c), [m for m in left if m not in (a, b, c)]
            if turn == 0.0 or (turn > 0.0 and not any(_inside(corners, m, a, b, c) for m in others)):
                found.append((a, b, c))
                del left[k]
                break
        else:
            return None
    return found


def _side(corners: np.ndarray, a: int, b: int, c: int) -> float:
    (ax, ay), (bx, by), (cx, cy) = corners[[a, b, c]]
    return float((bx - ax) * (cy - ay) - (by - ay) * (cx - ax))


def _inside(corners: np.ndarray, m: int, a: int, b: int, c: int) -> bool:
    return all(_side(corners, i, j, m) >= 0.0 for i, j in ((a, b), (b, c), (c, a)))
