"""What members can bear and how much of it an equilibrium uses: yield, and Euler's load of pushed bars."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np

from taut.errors import listed
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
    buckling: np.ndarray  # (m,) push at which a bar of this length bends out [N]
    length: np.ndarray  # (m,) [m]

    def at(self, lengths: np.ndarray) -> Strengths:
        """Where members are so long (m,): a bar that is driven out to twice its length bends out at a quarter."""
        with np.errstate(divide="ignore", invalid="ignore"):  # what failed may have no length
            return replace(self, buckling=self.buckling * (self.length / lengths) ** 2, length=lengths)

    def used(self, forces: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """How much of what they can bear members use at forces (..., m), 1 is the limit; and what the limit is.

        The limit is the nearest of those that the force can reach, "yield" or, where it pushes, "euler". Where none of
        these is known the share is NaN and the word empty.
        """
        by_yield = np.where(np.isfinite(self.yielding), np.abs(forces) / self.yielding, np.nan)
        pushed = np.isfinite(self.buckling) & (forces <= 0.0)
        by_buckling = np.where(pushed, -forces / self.buckling, np.nan)
        share = np.fmax(by_yield, by_buckling)
        bends = pushed & ~(by_yield >= by_buckling)
        return share, np.where(np.isnan(share), "", np.where(bends, "euler", "yield"))


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
    share: np.ndarray  # (m,) of the limit that is nearest; more than 1 fails, NaN where no limit is known
    governed: tuple[str, ...]  # "yield", "euler", or "" where no limit is known
    notes: tuple[str, ...] = ()  # which limits are not known

    __repr__ = brief

    def labelled(self) -> Labelled:
        """One row a member."""
        values = {name: np.asarray(getattr(self, name)) for name in UTILISATION}
        return Labelled(("member",), {"member": self.members}, UTILISATION, values)

    @property
    def worst(self) -> str | None:
        """The member that is nearest to its limit, or furthest beyond it; None where no limit is known."""
        return None if np.all(np.isnan(self.share)) else self.members[int(np.nanargmax(self.share))]


def strengths(structure: Structure) -> Strengths:
    """Of a structure's members; a bar's Euler load is that of its length as it stands, pinned at both ends."""
    bars = list(structure.bars.values())
    members: list[Bar | Cable] = [*structure.cables.values(), *bars]
    yields = [properties.yield_load(member) for member in members]
    routes = [cable.route for cable in structure.cables.values()] + [bar.nodes for bar in bars]
    lengths = [properties.route_length(structure, route) for route in routes]
    euler = map(properties.euler_load, bars, lengths[len(structure.cables) :])
    return Strengths(
        np.array([np.inf if load is None else load for load in yields], dtype=float),
        np.array([np.inf] * len(structure.cables) + [np.inf if load is None else load for load in euler], dtype=float),
        np.array(lengths, dtype=float),
    )


@checked_arguments
def utilisation(equilibrium: Equilibrium) -> Utilisation:
    """How near every member is to yielding or, pushed, to its Euler load; NaN where neither is known."""
    structure, force = equilibrium.structure, equilibrium.member_force
    limits = strengths(structure)
    share, words = limits.used(force)
    names = (*structure.cables, *structure.bars)
    bars = np.arange(len(names)) >= len(structure.cables)
    straight = bars & (force < 0.0) & ~np.isfinite(limits.buckling) & ~np.isnan(share)
    return Utilisation(names, force, share, tuple(map(str, words)), tuple(_unknown(names, np.isnan(share), straight)))


def _unknown(names: tuple[str, ...], none: np.ndarray, straight: np.ndarray) -> Iterator[str]:
    """Sentences on members of which no limit is known, and on pushed bars of which Euler's load is not."""
    if none.any():
        yield (
            f"no limit is known of {none.sum()} of {len(names)} members "
            f"({listed([names[k] for k in np.flatnonzero(none)])}), so their share is NaN; "
            "give a material with yield_stress, and a radius"
        )
    if straight.any():
        yield (
            f"Euler's load of {straight.sum()} pushed bars is not known "
            f"({listed([names[k] for k in np.flatnonzero(straight)])}), so their share is that of yield; "
            "give a material with youngs_modulus"
        )
