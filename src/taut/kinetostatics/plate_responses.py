"""How a plate of a posture gives under forces and moments: compliance and stiffness, (6, 6), and its sensitivity.

A twist is how the plate's centre moves [m] and how it turns [rad], (dx, dy, dz, rx, ry, rz) along the axes of the
structure; a wrench is the force [N] on it and the moment [N m] about its centre. A plate is rigid: with A the (3 k, 6)
displacements of its k nodes by a twist, a wrench is any nodal forces F with A^T F = wrench.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from taut.errors import OptionError, suggestion
from taut.kinetostatics.robot import Robot
from taut.reprs import brief
from taut.statics.equilibrium import Equilibrium
from taut.statics.linearised import linearised
from taut.statics.sensitivities import derivatives
from taut.structure.structure import Structure
from taut.type_checks import checked_arguments

IDLE = 1e-12
"""A compliance below this part of the largest is none."""


@dataclass(frozen=True)
class PlateStiffness:
    """stiffness: (6, 6) wrench by twist [N/m, N/rad; N, N m/rad], None where some twist is impossible, so that it would
    be infinite. compliance: (6, 6) twist by wrench. centre: (3,) [m] the mean of the plate's nodes."""

    plate: str
    centre: np.ndarray
    compliance: np.ndarray
    stiffness: np.ndarray | None

    __repr__ = brief


def rigid_motion(places: np.ndarray) -> np.ndarray:
    """(3 k, 6) displacements of points by a unit twist about their mean."""
    around = places - places.mean(axis=0)
    found = np.zeros((places.size, 6))
    for axis in range(3):
        found[axis::3, axis] = 1.0
        found[:, 3 + axis] = np.cross(np.eye(3)[axis], around).ravel()
    return found


def twist_of(places: np.ndarray) -> np.ndarray:
    """(6, 3 k) the twist of rigid displacements of points."""
    return np.asarray(np.linalg.pinv(rigid_motion(places)))


def plate_nodes(structure: Structure, plate: str) -> np.ndarray:
    """Numbers of a plate's nodes; raises where there is no such plate."""
    if plate not in structure.plates:
        known = ", ".join(structure.plates) or "none"
        raise OptionError(f'no plate "{plate}"{suggestion(plate, structure.plates) or f"; there are {known}"}')
    index = {name: i for i, name in enumerate(structure.nodes)}
    return np.array([index[name] for name in structure.plates[plate].nodes])


@checked_arguments
def plate_stiffness(posture: Equilibrium, plate: str) -> PlateStiffness:
    """What holds a plate against forces and moments, with all cables commanded as they are."""
    at = plate_nodes(posture.structure, plate)
    view = linearised(posture)
    places = view.positions[at]
    coordinates = (3 * at[:, None] + np.arange(3)).ravel()
    unknown = view.problem.unknown[coordinates]
    free, twist = unknown >= 0, twist_of(places)
    push = np.zeros((view.problem.free.size, 6))
    push[unknown[free]] = twist[:, free].T
    moved = np.zeros((coordinates.size, 6))
    moved[free] = view.factor.solve(push)[0][unknown[free]]
    compliance = twist @ moved
    compliance = 0.5 * (compliance + compliance.T)
    sizes = np.abs(np.linalg.eigvalsh(compliance))
    stiffness = None if sizes.min() <= IDLE * sizes.max(initial=0.0) else np.linalg.inv(compliance)
    return PlateStiffness(plate, places.mean(axis=0), compliance, stiffness)


@dataclass(frozen=True)
class Sensitivity:
    """How a posture answers to each of p inputs, everything per unit of the input: eq. (26) for any robot."""

    inputs: tuple[str, ...]
    units: tuple[str, ...]
    nodes: np.ndarray  # (p, n, 3) [m per ...]
    member_force: np.ndarray  # (p, m) [N per ...], cables first
    plates: dict[str, np.ndarray]  # (p, 6) twists of each plate

    __repr__ = brief


@checked_arguments
def sensitivity(robot: Robot, posture: Equilibrium) -> Sensitivity:
    """Derivatives of a posture's nodes and forces by every input."""
    nodes, forces = [], []
    for one in robot.commanded:
        forced = one.quantity in ("tension", "force_density", "force")
        held = one.quantity == "length" and one.name.startswith("cable:")
        found = derivatives(posture, "command" if forced or held else "rest_length", one.name)
        nodes.append(found.nodes[0])
        forces.append(found.member_force[0])
    moves, structure = np.array(nodes), posture.structure
    twists = {}
    for plate in structure.plates:
        at = plate_nodes(structure, plate)
        twists[plate] = moves[:, at].reshape(len(nodes), -1) @ twist_of(structure.positions[at]).T
    units = tuple(one.unit for one in robot.commanded)
    return Sensitivity(robot.input_names, units, moves, np.array(forces), twists)
