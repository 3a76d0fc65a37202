"""An equilibrium and what stiffness it has: the start of modes, compliances and derivatives."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
import scipy.sparse as sp

from taut.errors import ModelError, OptionError, Problem
from taut.numerics.quasidefinite import Factored, factored
from taut.statics.equilibrium import Equilibrium
from taut.statics.network import network
from taut.statics.newton import SINGULAR
from taut.statics.posed import BarChoice, Posed, Setting, posed


@dataclass(frozen=True)
class Linearised:
    """The tangent of a posed structure at an equilibrium."""

    problem: Posed
    setting: Setting
    multipliers: np.ndarray

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
    def held_columns(self) -> sp.csc_matrix:
        """(3 n, 3 n) tangent over all coordinates, held ones too [N/m]."""
        from taut.mechanics.tangent import pattern

        size = 3 * len(self.positions)
        members = self.problem.members
        whole = pattern(members.first, members.second, np.arange(size), size)
        return whole.matrix(self.problem.blocks(self.positions, self.multipliers, self.setting))

    @cached_property
    def factor(self) -> Factored:
        """Of a structure that cannot move freely; raises where it can."""
        found = factored(self.stiffness, self.rows)
        if found.negative < 0 or found.weakest < SINGULAR:
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


def linearised(equilibrium: Equilibrium, bars: BarChoice = "rigid") -> Linearised:
    """The tangent of an equilibrium, with its bars taken as rigid or compressible whatever they were before."""
    if not equilibrium.ok:
        raise OptionError(f"the equilibrium is not one ({equilibrium.status}); balance it first")
    given = network(equilibrium.structure)
    problem = posed(given, bars, equilibrium.bar_force)
    setting = problem.setting._replace(external=equilibrium.external)
    tensions = np.concatenate([equilibrium.cable_tension, equilibrium.bar_force])
    return Linearised(
        problem, setting, np.concatenate([tensions[problem.rigid], -np.asarray(equilibrium.constraint_force)])
    )
