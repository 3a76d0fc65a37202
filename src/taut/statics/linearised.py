"""An equilibrium and what stiffness it has: the start of modes, compliances and derivatives."""

from __future__ import annotations

from dataclasses import dataclass, fields
from functools import cached_property
from typing import Any

import numpy as np
import scipy.sparse as sp
from scipy.sparse.csgraph import connected_components

from taut.errors import ModelError, OptionError, Problem
from taut.numerics.link_blocks import pattern
from taut.numerics.quasidefinite import Factored, factored
from taut.reprs import brief
from taut.statics.equilibrium import Equilibrium
from taut.statics.equilibrium_equations import BarChoice, EquilibriumEquations, Setting, equations_of
from taut.statics.matrices import grouped, motions, rigid_motions
from taut.statics.network import network
from taut.statics.newton import SINGULAR

FREE = 1e-9
"""A motion of a part as a whole counts as free if its stiffness is below this fraction of the mean one."""

ALLOWED = 1e-9
"""And as allowed if it changes what elements from outside keep by no more than this fraction of itself."""


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
        problem = self.problem
        allowed = motions(problem.network)
        basis = sp.csr_matrix((allowed @ rigid_motions(problem.network, allowed))[problem.free])
        if problem.elements and problem.elements.rows:
            basis = _unresisted(problem.elements.jacobian(self.positions)[:, problem.free], basis, ALLOWED)
        mean = float(np.abs(self.stiffness.diagonal()).mean()) if problem.free.size else 1.0
        return np.asarray(_unresisted(self.stiffness, basis, FREE * mean).toarray())

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


def _unresisted(matrix: sp.spmatrix, basis: sp.csr_matrix, tolerance: float) -> sp.csr_matrix:
    """The motions in the span of a basis (f, r) that a matrix (k, f) takes below the tolerance, orthonormal too."""
    taken = sp.csc_matrix(matrix @ basis)
    label = connected_components(abs(taken.T) @ abs(taken), directed=False)[1]
    groups, ways = grouped(np.arange(label.size), label), []
    # Parts rarely have to do with each other, so each group of motions is looked at by itself.
    for group in groups:
        own = taken[:, group]
        _, sizes, combinations = np.linalg.svd(own[np.unique(own.indices)].toarray())
        strongest = np.concatenate([sizes, np.zeros(group.size - sizes.size)])
        ways.append(combinations[strongest <= tolerance].T)
    order = np.concatenate(groups) if groups else np.zeros(0, dtype=np.int64)
    return sp.csr_matrix(basis[:, order] @ sp.block_diag(ways, format="csr")) if groups else basis
