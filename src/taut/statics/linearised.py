"""An equilibrium and what stiffness it has: the start of modes, compliances and derivatives."""

from __future__ import annotations

from dataclasses import dataclass, fields
from functools import cached_property
from typing import Any

import numpy as np
import scipy.sparse as sp

from taut.errors import ModelError, OptionError, Problem
from taut.numerics.link_blocks import pattern
from taut.numerics.quasidefinite import Factored, factored
from taut.reprs import brief
from taut.statics.equilibrium import Equilibrium
from taut.statics.equilibrium_equations import BarChoice, EquilibriumEquations, Setting, equations_of
from taut.statics.matrices import parts
from taut.statics.network import network
from taut.statics.newton import SINGULAR

FREE = 1e-9
"""A motion of a part as a whole counts as free if its stiffness is below this fraction of the mean one."""


@dataclass(frozen=True)
class Linearised:
    """The tangent of the equilibrium equations at an equilibrium."""

    problem: EquilibriumEquations
    setting: Setting
    multipliers: np.ndarray

    __repr__ = brief

    def __getstate__(self) -> dict[str, Any]:
        """For other processes: what it is made of. Factors cannot travel, and are made again where they are needed."""
        return {one.name: getattr(self, one.name) for one in fields(self)}

    @property
    def positions(self) -> np.ndarray:
        return self.problem.network.positions

    @cached_property
    def stiffness(self) -> sp.csc_matrix:
        """(f, f) of the free coordinates [N/m]."""
        return self.problem.stiffness(self.positions, self.multipliers, self.setting)

    @cached_property
    def rows(self) -> sp.csr_matrix:
        """(r + g, f) gradients of the constraints."""
        return self.problem.free_rows(self.positions, self.setting)

    @cached_property
    def all_rows(self) -> sp.csr_matrix:
        """(r + g, 3 n) gradients of the constraints over all coordinates, held ones too."""
        return self.problem.all_rows(self.positions, self.setting)

    @cached_property
    def everywhere(self) -> sp.csc_matrix:
        """(3 n, 3 n) tangent over all coordinates, held ones too [N/m]."""
        size = 3 * len(self.positions)
        members = self.problem.members
        whole = pattern(members.first, members.second, np.arange(size), size)
        blocks = whole.matrix(self.problem.blocks(self.positions, self.multipliers, self.setting))
        if members.owner is not None:
            along = self.problem.along_routes(self.positions, self.setting)
            blocks = sp.csc_matrix(blocks + along.T @ along)
        elements = self.problem.elements
        if elements is not None:
            held = self.multipliers[self.multipliers.size - elements.rows :]
            blocks = sp.csc_matrix(blocks + elements.stiffness(self.positions, held, everywhere=True))
        return blocks

    @cached_property
    def free_motions(self) -> np.ndarray:
        """(f, r) motions of parts as a whole that supports and guides allow and nothing resists, orthonormal."""
        problem, places = self.problem, self.positions
        label = parts(problem.network)
        candidates = np.zeros((*places.shape, 6 * (label.max(initial=0) + 1)))
        for part in range(label.max(initial=0) + 1):
            own, first = label == part, 6 * part
            around = places[own] - places[own].mean(axis=0)
            for axis in range(3):
                candidates[own, axis, first + axis] = 1.0
                spin = np.cross(np.eye(3)[axis], around)
                candidates[own, :, first + 3 + axis] = spin / (np.abs(spin).max() or 1.0)
        candidates = candidates.reshape(places.size, -1)
        held = np.flatnonzero(problem.unknown < 0)
        rows = [problem.elements.jacobian(self.positions) @ candidates] if problem.elements else []
        blocked = np.concatenate([candidates[held], problem.guides @ candidates, *rows])
        basis = _span(candidates[problem.free] @ _vanishing(blocked, 1e-9 * np.sqrt(len(places))))
        mean = float(np.abs(self.stiffness.diagonal()).mean()) if problem.free.size else 1.0
        return np.asarray(basis @ _vanishing(self.stiffness @ basis, FREE * mean))

    @cached_property
    def factor(self) -> Factored:
        """Of a structure that cannot move freely; raises where it can."""
        found = factored(self.stiffness, self.rows)
        if found.negative < 0 or found.weakest < SINGULAR or self.free_motions.shape[1]:
            raise ModelError(
                [
                    Problem(
                        ("supports",),
                        "the structure can move without any stiffness, so displacements have no answer; support it so "
                        "that it cannot move as a whole, and prestress its mechanisms (modes() shows them)",
                    )
                ]
            )
        return found


def linearised(equilibrium: Equilibrium, bars: BarChoice = None) -> Linearised:
    """The tangent of an equilibrium, with its bars taken as rigid or compressible, by their law if not told."""
    if not equilibrium.ok:
        raise OptionError(f"the equilibrium is not one ({equilibrium.status}); balance it first")
    given = network(equilibrium.structure)
    problem = equations_of(given, bars, equilibrium.bar_force, equilibrium.elements)
    setting = problem.setting._replace(external=equilibrium.external)
    tensions = np.concatenate([equilibrium.cable_tension, equilibrium.bar_force])
    rows = [tensions[problem.rigid], -equilibrium.constraint_force, -equilibrium.element_force]
    multipliers = np.concatenate(rows)
    return Linearised(problem.slackened(multipliers), setting, multipliers)


def _vanishing(matrix: np.ndarray, tolerance: float) -> np.ndarray:
    """An orthonormal basis of the combinations of columns that are below the tolerance."""
    if not matrix.size:
        return np.eye(matrix.shape[1])
    _, sizes, ways = np.linalg.svd(np.linalg.qr(matrix, mode="r"), full_matrices=True)
    full = np.zeros(matrix.shape[1])
    full[: sizes.size] = sizes
    return np.asarray(ways[full <= tolerance].T)


def _span(matrix: np.ndarray) -> np.ndarray:
    """An orthonormal basis of the span of the columns."""
    left, sizes, _ = np.linalg.svd(matrix, full_matrices=False)
    return np.asarray(left[:, sizes > 1e-9 * (sizes.max(initial=0.0) or 1.0)])
