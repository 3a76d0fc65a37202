"""Robots rolled by hand: positions over time that are known, with contacts where a node is on the ground."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from scipy.spatial import ConvexHull
from scipy.spatial.transform import Rotation

import taut
from taut.dynamics.trajectory import Trajectory, of_samples
from taut.structure.ground_facts import facts_of

FLOOR = taut.Ground("floor", friction=0.6)


def as_run(structure: taut.Structure, time: np.ndarray, nodes: np.ndarray, **samples: Any) -> Trajectory:
    """A trajectory of positions; a node touches the floor where it is within a micrometre of it."""
    made = of_samples(
        structure,
        {
            "time": time,
            "nodes": nodes,
            "velocities": np.gradient(nodes, time, axis=0) if time.size > 1 else np.zeros_like(nodes),
            "contact_state": (nodes[:, :, 2] < 1e-6).astype(float),
            "contact_force": np.zeros((time.size, nodes.shape[1], 3)),
            **samples,
        },
    )
    names = tuple(f"{node} on floor" for node in structure.nodes)
    told = {"gravity": [0.0, 0.0, -9.81], "ground": facts_of([FLOOR])}
    return replace(made, contact_names=names, options=told)


def next_face(places: np.ndarray, towards: np.ndarray) -> np.ndarray:
    """The positions of a body that lies on a face, tipped over that edge of it which is furthest along a direction."""
    hull = ConvexHull(places)
    down = hull.equations[:, 2].argmin()
    face = hull.simplices[down]
    pairs = [(face[k], face[k - 1]) for k in range(3)]
    edge = max(pairs, key=lambda pair: float((places[pair[0]] + places[pair[1]]) @ towards))
    (other,) = [
        k for k, one in enumerate(hull.simplices) if k != down and set(edge) <= set(one.tolist())
    ]  # the face on the other side of the edge
    normal = hull.equations[other, :3]
    turn = np.cross(normal, [0.0, 0.0, -1.0])
    angle = np.arctan2(np.linalg.norm(turn), -normal[2])
    rotation = Rotation.from_rotvec(turn / np.linalg.norm(turn) * angle)
    return np.asarray(rotation.apply(places - places[edge[0]]) + places[edge[0]])


def rolled(structure: taut.Structure, faces: int, towards: Sequence[float] = (1.0, 0.1, 0.0)) -> list[np.ndarray]:
    """Positions on so many faces in a row, the first as it lies."""
    places = [structure.positions]
    for _ in range(faces - 1):
        places.append(next_face(places[-1], np.array(towards)))
    return places
