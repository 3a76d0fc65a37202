"""The way of a robot: its weight, its centre of mass, how far it went and where to."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from taut.dynamics.trajectory import Trajectory
from taut.errors import OptionError
from taut.mechanics.inertia.masses import inertia
from taut.reprs import brief


@dataclass(frozen=True)
class Course:
    """centre: (T, 3) [m] of mass. displacement: (3,) [m] from the first sample to the last, along the ground.

    distance: [m] its size. direction: [rad] from x towards y. length: [m] of the way, seen from above.
    """

    centre: np.ndarray
    displacement: np.ndarray
    distance: float
    direction: float
    length: float

    __repr__ = brief


def gravity_of(run: Trajectory) -> np.ndarray:
    """(3,) [m/s^2] as the run says; raises where it does not."""
    told = run.options.get("gravity")
    if told is None:
        raise OptionError("this run does not say its gravity, as those of earlier versions do not; run it anew")
    return np.array(told, dtype=float)


def down_of(run: Trajectory) -> np.ndarray:
    """(3,) the unit vector along gravity."""
    gravity = gravity_of(run)
    size = float(np.linalg.norm(gravity))
    if size == 0.0:
        raise OptionError("this run has no gravity, so that there is no down to roll on; give assemble a gravity")
    return np.asarray(gravity / size)


def mass_of(run: Trajectory) -> float:
    """[kg] that gravity acts on."""
    return float(inertia(run.structure).weighing.sum())


def centre_path(run: Trajectory) -> np.ndarray:
    """(T, 3) [m] of the centre of mass."""
    weights = inertia(run.structure).weighing
    return np.asarray(np.einsum("tni,n->ti", run.nodes, weights / weights.sum()))


def course_of(run: Trajectory) -> Course:
    """Where the centre of mass goes, up and down left out of account."""
    if run.time.size < 2:
        raise OptionError("a run of one sample goes nowhere; give simulate a duration")
    down, centre = down_of(run), centre_path(run)
    level = centre - np.outer(centre @ down, down)
    moved = level[-1] - level[0]
    way = np.linalg.norm(np.diff(level, axis=0), axis=1)
    return Course(centre, moved, float(np.linalg.norm(moved)), float(np.arctan2(moved[1], moved[0])), float(way.sum()))
