"""`actuation`: whether actuators are too few, enough, or more than enough for the freedoms of a plant.

With a null space Z of the constraints, G Z = 0, forces u of actuators accelerate the freedoms by Z^T B u. As many of
them as the rank of Z^T B says are independent (Lieskovsky, chapter 2):

    rank < freedoms                   under-actuated: some motions no actuator decides
    rank = freedoms = actuators       properly actuated: a motion has one set of forces
    rank = freedoms < actuators       redundantly actuated: forces can be chosen, such as the least ones
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import scipy.sparse as sp

from taut.control.actuators import AnyPlant, acting, actuators_of
from taut.control.port_names import Ports
from taut.numerics.subspaces import null_space, rank_of
from taut.reprs import brief, counted
from taut.type_checks import checked_arguments

UNDER, PROPERLY, REDUNDANTLY = "under-actuated", "properly actuated", "redundantly actuated"


@dataclass(frozen=True)
class Actuation:
    """freedoms: degrees of freedom, those that are driven among them. inputs: actuators. independent: of these."""

    freedoms: int
    inputs: int
    independent: int

    __repr__ = brief

    @property
    def kind(self) -> str:
        """Under-, properly or redundantly actuated."""
        if self.independent < self.freedoms:
            return UNDER
        return PROPERLY if self.inputs == self.freedoms else REDUNDANTLY

    def __str__(self) -> str:
        return f"{self.kind}: {counted(self.inputs, 'input')}, {self.independent} independent, {self.freedoms} freedoms"


def counted_inputs(mass: np.ndarray, rows: np.ndarray, push: np.ndarray) -> Actuation:
    """Of any equations of motion M a = ... + push u + rows^T l, rows a = ...; a mass matrix that is singular is not
    looked at: what has no mass moves as loops say, and counts."""
    free = null_space(sp.csr_matrix(rows)) if rows.size else np.eye(mass.shape[0])
    seen = free.T @ push
    sizes = np.linalg.norm(seen, axis=0)
    alive = seen[:, sizes > 1e-12 * max(sizes.max(initial=0.0), 1e-300)]
    rank = rank_of(sp.csr_matrix(alive / np.linalg.norm(alive, axis=0))).rank if alive.size else 0
    return Actuation(free.shape[1], push.shape[1], rank)


@checked_arguments
def actuation(plant: AnyPlant, *, actuators: Ports = None) -> Actuation:
    """Whether actuators are enough for a plant's freedoms, where it starts.

    actuators: as of `inverse_dynamics`; by default all that the plant drives. One that holds a length or an angle is
    the force of that constraint, whose freedom counts.
    """
    chosen = actuators_of(plant, actuators)
    q = np.asarray(plant.positions, dtype=float).ravel()
    found = acting(plant, 0.0, q, np.zeros(q.size), chosen)
    push, kept = found.push.copy(), np.ones(found.terms.rows.shape[0], dtype=bool)
    for j, one in enumerate(chosen):
        if one.row >= 0:
            push[:, j], kept[one.row] = one.sign * found.terms.rows[one.row], False
    return counted_inputs(found.terms.mass, found.terms.rows[kept], push)
