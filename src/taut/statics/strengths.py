"""What members can bear and how much of it an equilibrium uses: yield, and Euler's load of pushed bars."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from taut.labelled import Labelled, Tabular, Variable
from taut.reprs import brief
from taut.statics.equilibrium import Equilibrium
from taut.structure import properties
from taut.structure.records import Bar, Cable
from taut.structure.structure import Structure
from taut.type_checks import checked_arguments


@dataclass(frozen=True)
class Strengths:
    """Limits of m members, cables first; infinite where material or radius do not say."""

    yielding: np.ndarray  # (m,) force at which a member yields, pulled or pushed [N]
    buckling: np.ndarray  # (m,) push at which a bar bends out [N]

    def used(self, forces: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Share of the yield force and of Euler's load that forces (..., m) use; 1 is the limit."""
        return np.abs(forces) / self.yielding, np.maximum(-forces, 0.0) / self.buckling


UTILISATION = {
    "force": Variable(("member",), "N", "force of each member, positive in tension"),
    "share": Variable(("member",), "1", "of the limit that is nearest"),
    "governed": Variable(("member",), "", "which limit that is"),
}


@dataclass(frozen=True)
class Utilisation(Tabular):
    """How much of what it can bear each member is asked for, cables first."""

    members: tuple[str, ...]
    force: np.ndarray  # (m,) [N]
    share: np.ndarray  # (m,) of the limit that is nearest; more than 1 fails, zero where no limit is known
    governed: tuple[str, ...]  # "yield", "euler", or "" where no limit is known

    __repr__ = brief

    def labelled(self) -> Labelled:
        """One row a member."""
        values = {name: np.asarray(getattr(self, name)) for name in UTILISATION}
        return Labelled(("member",), {"member": self.members}, UTILISATION, values)

    @property
    def worst(self) -> str:
        """The member that is nearest to its limit, or furthest beyond it."""
        return self.members[int(np.argmax(self.share))]


def strengths(structure: Structure) -> Strengths:
    """Of a structure's members; a bar's Euler load is that of its length, pinned at both ends."""
    bars = list(structure.bars.values())
    members: list[Bar | Cable] = [*structure.cables.values(), *bars]
    yields = [properties.yield_load(member) for member in members]
    euler = [properties.euler_load(bar, properties.route_length(structure, bar.nodes)) for bar in bars]
    return Strengths(
        np.array([np.inf if load is None else load for load in yields], dtype=float),
        np.array([np.inf] * len(structure.cables) + [np.inf if load is None else load for load in euler], dtype=float),
    )


@checked_arguments
def utilisation(equilibrium: Equilibrium) -> Utilisation:
    """How near every member is to yielding or, pushed, to its Euler load."""
    limits = strengths(equilibrium.structure)
    by_yield, by_buckling = limits.used(equilibrium.member_force)
    known = np.isfinite(limits.yielding) | np.isfinite(limits.buckling)
    words = np.where(by_buckling > by_yield, "euler", np.where(np.isfinite(limits.yielding), "yield", ""))
    return Utilisation(
        (*equilibrium.structure.cables, *equilibrium.structure.bars),
        equilibrium.member_force,
        np.maximum(by_yield, by_buckling),
        tuple(str(word) if sure else "" for word, sure in zip(words, known, strict=True)),
    )
