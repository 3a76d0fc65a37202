"""Where the mechanism is at rest: all its equilibria, and x <-> psi by statics, apart from closed forms."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.optimize import minimize

from taut.errors import TautError
from taut.kinetostatics.inverse import inverse_kinematics
from taut.kinetostatics.posture_search import posture
from taut.kinetostatics.robot import Robot
from taut.kinetostatics.tasks import Evaluated, Pose, no_slopes
from taut.papers.mechanism.model import LEGS, SIDE, STIFFNESS, STRUT, feet, platform, span, with_struts
from taut.statics.equilibrium import Equilibrium
from taut.structure.structure import Structure

NEEDED = 60
"""Starts at random, of which each ends in one of a few equilibria."""


@dataclass(frozen=True)
class PlatformAt:
    """A task: the middle of the C_i at a place."""

    position: tuple[float, float, float]
    name: str = "x of the platform"

    def evaluate(self, pose: Pose) -> Evaluated:
        names = list(pose.structure.nodes)
        by_place, by_force = no_slopes(pose, 3)
        for leg in LEGS:
            by_place[np.arange(3), 3 * names.index(f"C{leg}") + np.arange(3)] = 1.0 / 3.0
        error = platform(pose.positions, pose.structure) - np.array(self.position)
        return Evaluated(error, by_place, by_force, "m", ("x", "y", "z"))


def robot() -> Robot:
    """The older form, whose struts are commanded; its equilibria are those of the legs."""
    return Robot(with_struts(), ("bar:*",))


def angles_of(spans: np.ndarray) -> np.ndarray:
    """theta of eq. (1), negative [rad]."""
    return np.asarray(-np.arccos(spans**2 / (2.0 * STRUT**2) - 1.0))


def angles_for(x: np.ndarray) -> np.ndarray:
    """Inverse kinematics: psi [rad] for a place of the platform, by statics of the springs."""
    found = inverse_kinematics(robot(), [PlatformAt((float(x[0]), float(x[1]), float(x[2])))])
    if not found.ok:
        raise TautError(found.status)
    return angles_of(np.asarray(found.values))


def posture_at(theta: np.ndarray) -> Equilibrium:
    """Direct kinematics: where the springs hold the platform."""
    return posture(robot(), span(theta))


def angles_in_closed_form(x: np.ndarray) -> np.ndarray:
    """rho_i = |x + abar - 2 a_i|, as the middles of A_i C_i coincide."""
    base = feet()
    return angles_of(np.linalg.norm(x + base.mean(axis=0) - 2.0 * base, axis=1))


# --- all equilibria


ENDS = [(0, 1), (1, 2), (2, 0), *((i, 3 + j) for i in range(3) for j in range(3) if i != j)]
"""Of the nine springs, among A and C."""

KEPT = [(0, 3), (1, 4), (2, 5), (3, 4), (4, 5), (5, 3)]
"""Struts and sides of the platform."""

MOVING = [3, 6, 7, *range(9, 18)]
"""Coordinates of A and C that can move."""


def energy(places: np.ndarray) -> float:
    """Of the springs [J], of A and C (6, 3)."""
    return float(0.5 * STIFFNESS * sum(np.sum((places[i] - places[j]) ** 2) for i, j in ENDS))


def equilibria(theta: np.ndarray, starts: int = NEEDED, seed: int = 0) -> list[tuple[np.ndarray, int]]:
    """A and C (6, 3) of every minimum of the energy that starts at random fall into, and how many did."""
    draw, found = np.random.default_rng(seed), list[tuple[np.ndarray, int]]()
    lengths = np.concatenate([span(theta), np.full(3, SIDE)])
    slopes = np.zeros((18, 18))  # of the energy over K
    for i, j in ENDS:
        for one, other in ((i, j), (j, i)):
            slopes[3 * one : 3 * one + 3, 3 * one : 3 * one + 3] += np.eye(3)
            slopes[3 * one : 3 * one + 3, 3 * other : 3 * other + 3] -= np.eye(3)
    firm = slopes[np.ix_(MOVING, MOVING)]

    def off(z: np.ndarray) -> np.ndarray:
        places = _places(z)
        return np.asarray(np.array([np.sum((places[i] - places[j]) ** 2) for i, j in KEPT]) - lengths**2)

    def off_slopes(z: np.ndarray) -> np.ndarray:
        places, rows = _places(z), np.zeros((6, 18))
        for k, (i, j) in enumerate(KEPT):
            rows[k, 3 * i : 3 * i + 3] = 2.0 * (places[i] - places[j])
            rows[k, 3 * j : 3 * j + 3] = -rows[k, 3 * i : 3 * i + 3]
        return np.asarray(rows[:, MOVING])

    for _ in range(starts):
        result = minimize(
            lambda z: 0.5 * z @ firm @ z,
            draw.normal(size=12),
            jac=lambda z: firm @ z,
            method="SLSQP",
            constraints={"type": "eq", "fun": off, "jac": off_slopes},
            options={"maxiter": 300, "ftol": 1e-14},
        )
        if not result.success or np.abs(off(result.x)).max() > 1e-6:
            continue
        places = _places(result.x)
        same = next((k for k, (one, _) in enumerate(found) if np.abs(one - places).max() < 1e-3), None)
        if same is None:
            found.append((places, 1))
        else:
            found[same] = (found[same][0], found[same][1] + 1)
    return found


def _places(z: np.ndarray) -> np.ndarray:
    whole = np.zeros(18)
    whole[MOVING] = z
    return whole.reshape(6, 3)


def placed(places: np.ndarray, structure: Structure) -> np.ndarray:
    """(6, 3) in the order of a structure's nodes."""
    names = [f"A{leg}" for leg in LEGS] + [f"C{leg}" for leg in LEGS]
    return np.array([places[names.index(name)] for name in structure.nodes])
