"""Frames of trials, by the drawing of films; and trials as runs, to be shown and measured as any other."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from taut.dynamics.run_surroundings import surroundings
from taut.dynamics.trajectory import Trajectory, of_samples
from taut.mechanics.plant import Plant
from taut.output.film import pictures

SIZE = (640, 480)
"""Width and height of a frame [px]."""

Sample = tuple[float, np.ndarray, np.ndarray]
"""Time [s], nodes (n, 3) [m] and velocities (n, 3) [m/s]."""


def run_of(plant: Plant, samples: Sequence[Sample]) -> Trajectory:
    """A run of these samples, with the tensions of cables that are not driven and go straight from node to node."""
    time, nodes, velocities = (np.array([one[k] for one in samples]) for k in range(3))
    structure = plant.structure
    place = {name: k for k, name in enumerate(structure.nodes)}
    tension, springs, rows = np.zeros((len(time), len(structure.cables))), plant.tables["springs"], plant.given.cable
    for k, (name, cable) in enumerate(structure.cables.items()):
        if name in rows and len(cable.route) == 2:
            one, other = (place[node] for node in cable.route)
            apart, moving = nodes[:, other] - nodes[:, one], velocities[:, other] - velocities[:, one]
            length, e = np.linalg.norm(apart, axis=1), rows[name]
            pull = springs.stiffness[e] * (length - springs.rest_length[e])
            tension[:, k] = np.maximum(pull + springs.damping[e] * (apart * moving).sum(axis=1) / length, 0.0)
    taken = {"time": time, "nodes": nodes, "velocities": velocities, "cable_tension": tension}
    return replace(
        of_samples(structure, taken), status=f"finished: stepped to t = {time[-1]:g} s", options=surroundings(plant)
    )


def frame_of(run: Trajectory) -> np.ndarray:
    """(height, width, 3) bytes: the last sample of a run."""
    (drawn,) = pictures(run, run.time[-1:], size=SIZE)
    return np.frombuffer(drawn, dtype=np.uint8).reshape(SIZE[1], SIZE[0], 3).copy()
