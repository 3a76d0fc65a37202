"""The smallest cross-section that bears a force: yield, and Euler's load of a solid round bar."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from taut.errors import ModelError, OptionError, Problem
from taut.structure import properties
from taut.structure.records import Bar, Cable
from taut.structure.structure import Structure, without_loose_angles


@dataclass(frozen=True)
class Stocks:
    """What m members are made of, cables first."""

    density: np.ndarray  # (m,) [kg/m^3]
    strength: np.ndarray  # (m,) yield stress [Pa]
    modulus: np.ndarray  # (m,) [Pa]
    length: np.ndarray  # (m,) as it stands [m]
    bars: np.ndarray  # (m,) True for bars

    def yield_area(self, forces: np.ndarray) -> np.ndarray:
        """[m^2] for forces (..., m)."""
        return np.asarray(np.abs(forces) / self.strength)

    def euler_area(self, forces: np.ndarray, lengths: np.ndarray | None = None) -> np.ndarray:
        """[m^2]: P = pi^2 E I / l^2 with I = A^2 / (4 pi) gives A = 2 l sqrt(P / (pi E)); nothing for pulls.

        lengths: (..., m) as members stand under these forces [m], their own if None.
        """
        push = np.where(self.bars, np.maximum(-forces, 0.0), 0.0)
        return np.asarray(2.0 * (self.length if lengths is None else lengths) * np.sqrt(push / (np.pi * self.modulus)))

    def area(self, forces: np.ndarray, lengths: np.ndarray | None = None) -> np.ndarray:
        """The smallest area that bears all forces (k, m) [m^2]."""
        return np.asarray(np.maximum(self.yield_area(forces), self.euler_area(forces, lengths)).max(axis=0))

    def mass(self, area: np.ndarray) -> np.ndarray:
        """(m,) [kg]"""
        return np.asarray(self.density * self.length * area)

    def governed(self, forces: np.ndarray, lengths: np.ndarray | None = None) -> tuple[str, ...]:
        """ "yield", "euler" or "" (no force) for each member."""
        by_yield, by_euler = self.yield_area(forces).max(axis=0), self.euler_area(forces, lengths).max(axis=0)
        words = np.where(by_euler > by_yield, "euler", np.where(by_yield > 0.0, "yield", ""))
        return tuple(str(word) for word in words)


def stocks(structure: Structure) -> Stocks:
    """Of a structure whose members all have a material with density, yield stress and modulus; else says which lack."""
    problems = []
    members: list[Bar | Cable] = [*structure.cables.values(), *structure.bars.values()]
    if not members:
        problems.append(Problem(("bars",), "there are no members, so there is nothing to size"))
    for member in members:
        kind = "bars" if isinstance(member, Bar) else "cables"
        if isinstance(member, Bar) and member.law == "pneumatic":
            message = (
                "is pneumatic: its force is commanded, and no section follows from it; size the structure without it"
            )
            problems.append(Problem((kind, member.name, "law"), message))
            continue
        if member.material is None:
            problems.append(Problem((kind, member.name, "material"), "is not known, and a size depends on it"))
            continue
        for needed in ("density", "yield_stress", "youngs_modulus"):
            if not getattr(member.material, needed):
                message = "is not known, and the sizes of members made of it depend on it"
                problems.append(Problem(("materials", member.material.name, needed), message))
    if problems:
        raise ModelError(dict.fromkeys(problems))
    materials = [member.material for member in members if member.material is not None]
    lengths = [properties.route_length(structure, c.route) for c in structure.cables.values()]
    lengths += [properties.bar_length(structure, bar) for bar in structure.bars.values()]
    return Stocks(
        np.array([m.density for m in materials], dtype=float),
        np.array([m.yield_stress for m in materials], dtype=float),
        np.array([m.youngs_modulus for m in materials], dtype=float),
        np.array(lengths, dtype=float),
        np.array([isinstance(member, Bar) for member in members]),
    )


def with_areas(structure: Structure, area: np.ndarray) -> Structure:
    """Solid round members of these areas, their stiffness and mass left to material and radius; none of zero area."""
    radius = np.sqrt(area / np.pi)
    count = len(structure.cables)
    cables = {
        c.name: replace(c, radius=float(r), stiffness=None, mass=None)
        for c, r in zip(structure.cables.values(), radius[:count], strict=True)
        if r > 0.0
    }
    bars = {
        b.name: replace(b, radius=float(r), inner_radius=0.0, stiffness=None, mass=None)
        for b, r in zip(structure.bars.values(), radius[count:], strict=True)
        if r > 0.0
    }
    return without_loose_angles(replace(structure, cables=cables, bars=bars))


def require_safety(safety: float) -> None:
    if not 0.0 < safety < np.inf:
        raise OptionError(f"safety = {safety!r} must be a finite number more than zero")
