"""A run on grounds, made by hand: what pages, films and plots show of contacts is known beforehand."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from taut import Bar, Box, Cable, Ground, Plane, Structure, Trajectory
from taut.dynamics.trajectory import of_samples
from taut.structure.ground_facts import facts_of

STEP = Box((0.5, 0.0, 0.1), (0.4, 2.0, 0.2))
"""Its upper edges along y are at x = 0.3 and 0.7, z = 0.2."""

GROUNDS = [Ground("floor", Plane(), friction=0.5), Ground("step", STEP)]
EDGE = next(k for k, edge in enumerate(STEP.edges) if np.allclose(edge[:2, 0], 0.3) and np.allclose(edge[:2, 2], 0.2))


def standing(count: int = 11) -> Trajectory:
    """A bar of 1 m from a on the floor over the edge of a step, a cable above it; a slides in the second half of 1 s,
    from x = 0 to 0.1, and there is an impact of 1000 N in the middle."""
    time = np.linspace(0.0, 1.0, count)
    slid = np.clip(0.2 * (time - 0.5), 0.0, None)
    nodes = np.zeros((count, 4, 3))
    nodes[:, 0, 0] = slid
    nodes[:, 1] = np.stack([slid + 0.6, 0.0 * time, 0.4 * np.ones(count)], axis=1)
    nodes[:, 1, 2] = 0.2 * 0.6 / (0.3 - slid)  # through the edge, whatever a does
    nodes[:, 2], nodes[:, 3] = (-0.2, -0.4, 0.7), (-0.2, 0.4, 0.7)
    names = ("a on floor", "b on floor", f"ab on step, edge {EDGE + 1}", "ab on step, edge 1")
    force, state = np.zeros((count, 4, 3)), np.zeros((count, 4))
    force[:, 0] = 1.0, 0.0, 8.0
    force[count // 2, 0] = 0.0, 0.0, 1000.0
    force[:, 2] = -1.0, 0.0, 2.0
    state[:, 0] = np.where(time <= 0.5, 1.0, 2.0)
    state[:, 2] = 2.0
    structure = Structure(
        {name: tuple(map(float, place)) for name, place in zip("abcd", nodes[0], strict=True)},
        [Bar("ab", ("a", "b"), mass=1.0)],
        [Cable("cd", ("c", "d"), stiffness=10.0, rest_length=0.5)],
        name="standing",
    )
    samples = {
        "time": time,
        "nodes": nodes,
        "velocities": np.zeros_like(nodes),
        "contact_force": force,
        "contact_state": state,
        "cable_tension": np.full((count, 1), 3.0),
        "cable_length": np.full((count, 1), 0.8),
        "bar_force": np.full((count, 1), -5.0),
        **{name: np.zeros(count) for name in ("energy_kinetic", "energy_elastic", "energy_gravity", "work")},
        **{name: np.zeros(count) for name in ("energy_violation", "length_violation", "rate_violation")},
    }
    counts = dict.fromkeys(("steps", "rejected", "evaluations", "iterations", "unbalanced", "events"), 0)
    options = {"method": "impulses", "step": 1e-3, "correction": "none", "ground": facts_of(GROUNDS)}
    return replace(of_samples(structure, samples), contact_names=names, options=options, counts=counts)
