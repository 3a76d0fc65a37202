"""How far nodes slip over the ground while they touch it."""

from __future__ import annotations

import math

import numpy as np

from taut.dynamics.trajectory import Trajectory, require_kept
from taut.locomotion.faces import touching_nodes
from taut.mechanics.grounds.surfaces import distance_from, surface_of
from taut.numerics.compiled import entry
from taut.numerics.pointers import start_of
from taut.structure.ground_facts import grounds_from


def slip_distance(run: Trajectory) -> np.ndarray:
    """(n,) [m] the way of each node along the ground while it touches it: its tangential speed over time.

    By trapezoids between samples, of those times at both ends of which the node touches; as good as samples are close.
    What sticks has no speed, and adds nothing.
    """
    touched = touching_nodes(run)
    speed = tangential_speed(run)
    both = touched[1:] & touched[:-1]
    step = np.diff(run.time)[:, None]
    return np.asarray((0.5 * step * (speed[1:] + speed[:-1]) * both).sum(axis=0))


def tangential_speed(run: Trajectory) -> np.ndarray:
    """(T, n) [m/s] along the ground that each node touches; zero where it touches none."""
    require_kept(run, "speeds along the ground are told", "velocities", "contact_state")
    shapes = {ground.name: surface_of(ground.shape, ground.radius) for ground in grounds_from(run.options["ground"])}
    place = {name: k for k, name in enumerate(run.structure.nodes)}
    found = np.zeros((run.time.size, len(place)))
    for column, name in enumerate(run.contact_names):
        node, _, ground = name.partition(" on ")
        if node in place and ground in shapes:
            at, surface = place[node], shapes[ground]
            touches = run.contact_state[:, column]
            _add_speeds(surface.kind, surface.data, touches, run.nodes[:, at], run.velocities[:, at], found[:, at])
    return found


@entry
def _add_speeds(
    kind: int, data: np.ndarray, touches: np.ndarray, place: np.ndarray, velocity: np.ndarray, out: np.ndarray
) -> None:
    """Let speeds of one node be those along this ground, where it touches it and they are larger."""
    shape = start_of(data)
    for k in range(out.size):
        if touches[k] != 0.0:
            _, nx, ny, nz = distance_from(kind, shape, place[k, 0], place[k, 1], place[k, 2])
            x, y, z = velocity[k, 0], velocity[k, 1], velocity[k, 2]
            along = x * nx + y * ny + z * nz
            x, y, z = x - along * nx, y - along * ny, z - along * nz
            out[k] = max(out[k], math.sqrt(x * x + y * y + z * z))
