"""How far nodes slip over the ground while they touch it."""

from __future__ import annotations

import numpy as np

from taut.dynamics.trajectory import Trajectory
from taut.locomotion.faces import touching_nodes
from taut.mechanics.grounds.surfaces import distance_from, surface_of
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
    shapes = {ground.name: surface_of(ground.shape) for ground in grounds_from(run.options["ground"])}
    place = {name: k for k, name in enumerate(run.structure.nodes)}
    found = np.zeros((run.time.size, len(place)))
    plain = getattr(distance_from, "py_func", distance_from)
    for column, name in enumerate(run.contact_names):
        node, _, ground = name.partition(" on ")
        if node not in place or ground not in shapes:
            continue
        at, surface = place[node], shapes[ground]
        for k in np.flatnonzero(run.contact_state[:, column] != 0):
            normal = np.array(plain(surface.kind, surface.data, *run.nodes[k, at])[1:])
            velocity = run.velocities[k, at]
            found[k, at] = max(found[k, at], float(np.linalg.norm(velocity - (velocity @ normal) * normal)))
    return found
