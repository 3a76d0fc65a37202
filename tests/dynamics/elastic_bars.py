"""Structures with rigid and compressible bars written once more, from energies alone, for a LagrangianPlant.

All coordinates travel, supports are constraints, and every derivative is a complex step: nothing is shared with the
kernels but the records.
"""

from __future__ import annotations

import math
from itertools import combinations
from pathlib import Path

import numpy as np

from taut import Bar, Cable, LagrangianPlant, Material, Structure, read_model

AXES = "xyz"
TBAR = read_model(Path(__file__).resolve().parents[2] / "examples" / "tbar.yaml").structure
HDPE = Material("hdpe", density=960.0, youngs_modulus=1e9, poisson_ratio=0.46)


def tbar(material: Material, inertia: str = "cylinder") -> Structure:
    """The T-bar of the paper with compressible bars."""
    return TBAR.changed("bar:*", material=material, radius=0.05, inertia=inertia, law="compressible")


def bar_mass_block(bar: Bar, mass: float, natural: float, span: np.ndarray, *, true_thickness: bool) -> np.ndarray:
    """(6, 6): T = m/2 |v_c|^2 + a_across/2 |w across|^2 + a_along/2 (w along)^2 of the two ends' velocities."""
    length = np.sqrt(span @ span)
    unit = span / length
    apart = true_thickness or bar.law == "compressible"
    thin = mass / 4.0 if bar.inertia == "lumped" else mass / 12.0
    nu = bar.material.poisson_ratio or 0.0 if bar.material and bar.law == "compressible" else 0.0
    thickness = 0.0
    if bar.inertia == "cylinder":
        stretch = length / natural if bar.law == "compressible" else 1.0
        square = (bar.radius**2 + bar.inner_radius**2) * stretch ** (-2.0 * nu)
        thickness = mass * square / (4.0 * (length if apart else natural) ** 2)
    across, along = thin + thickness, thin if apart else thin + thickness
    spread = across * (np.eye(3) - np.outer(unit, unit)) + along * np.outer(unit, unit)
    return np.kron([[1.0, 1.0], [1.0, 1.0]], np.eye(3)) * mass / 4.0 + np.kron([[1.0, -1.0], [-1.0, 1.0]], spread)


class ByEnergies:
    """true_thickness: of rigid bars too it resists turning only, so that their multipliers are the force along them.

    The kernels have it resist every relative motion of their ends, which moves them just the same.
    """

    def __init__(self, structure: Structure, gravity: float, alpha: float, *, true_thickness: bool = False) -> None:
        self.structure, self.gravity, self.alpha = structure, gravity, alpha
        self.true_thickness = true_thickness
        self.at = {node: slice(3 * i, 3 * i + 3) for i, node in enumerate(structure.nodes)}
        self.start = structure.positions.ravel()
        self.rigid = [bar for bar in structure.bars.values() if bar.law == "rigid"]
        self.soft = [bar for bar in structure.bars.values() if bar.law == "compressible"]
        self.held = [self.at[n].start + AXES.index(a) for n, axes in structure.supports.items() for a in axes]

    def span(self, ends: tuple[str, ...], q: np.ndarray) -> np.ndarray:
        return q[self.at[ends[-1]]] - q[self.at[ends[0]]]

    def natural(self, bar: Bar) -> float:
        return bar.length if bar.length is not None else float(np.linalg.norm(self.span(bar.nodes, self.start)))

    def mass_of(self, bar: Bar) -> float:
        if bar.mass is not None:
            return bar.mass
        return bar.material.density * math.pi * (bar.radius**2 - bar.inner_radius**2) * self.natural(bar)

    def mass(self, q: np.ndarray) -> np.ndarray:
        total = np.zeros((q.size, q.size), dtype=q.dtype)
        for node, mass in self.structure.point_masses.items():
            total[self.at[node], self.at[node]] += mass * np.eye(3)
        for bar in self.structure.bars.values():
            where = np.r_[self.at[bar.nodes[0]], self.at[bar.nodes[1]]]
            sizes = self.mass_of(bar), self.natural(bar), self.span(bar.nodes, q)
            block = bar_mass_block(bar, *sizes, true_thickness=self.true_thickness)
            total[np.ix_(where, where)] += block
        return total

    def potential(self, q: np.ndarray) -> complex:
        total = 0.0
        for node, mass in self.structure.point_masses.items():
            total += mass * self.gravity * q[self.at[node]][2]
        for bar in self.structure.bars.values():
            total += self.mass_of(bar) * self.gravity * sum(q[self.at[node]][2] for node in bar.nodes) / 2.0
        for cable in self.structure.cables.values():
            s = self.span(cable.route, q)
            total += 0.5 * cable.stiffness * (np.sqrt(s @ s) - cable.rest_length) ** 2  # springs only
        for bar in self.soft:
            s = self.span(bar.nodes, q)
            stiffness = bar.stiffness
            if stiffness is None:
                area = math.pi * (bar.radius**2 - bar.inner_radius**2)
                stiffness = bar.material.youngs_modulus * area / self.natural(bar)
            total += 0.5 * stiffness * (np.sqrt(s @ s) - self.natural(bar)) ** 2
        return total

    def load(self, t: float, q: np.ndarray, v: np.ndarray) -> np.ndarray:
        """Dampers along bars, and Rayleigh's in proportion to the mass."""
        total = -self.alpha * self.mass(q) @ v
        for bar in self.soft:
            s, w = self.span(bar.nodes, q), self.span(bar.nodes, v)
            pull = bar.damping * (s @ w) / (s @ s) * s
            total[self.at[bar.nodes[0]]] += pull
            total[self.at[bar.nodes[1]]] -= pull
        return total

    def residual(self, q: np.ndarray) -> np.ndarray:
        spans, lengths = [self.span(bar.nodes, q) for bar in self.rigid], map(self.natural, self.rigid)
        bars = [(s @ s / length - length) / 2.0 for s, length in zip(spans, lengths, strict=True)]
        return np.array([*bars, *(q[self.held] - self.start[self.held])])

    def jacobian(self, q: np.ndarray) -> np.ndarray:
        rows = np.zeros((len(self.rigid) + len(self.held), q.size), dtype=q.dtype)
        for k, bar in enumerate(self.rigid):
            along = self.span(bar.nodes, q) / self.natural(bar)
            rows[k, self.at[bar.nodes[0]]], rows[k, self.at[bar.nodes[1]]] = -along, along
        for k, coordinate in enumerate(self.held):
            rows[len(self.rigid) + k, coordinate] = 1.0
        return rows

    def plant(self, v: np.ndarray) -> LagrangianPlant:
        names = tuple(f"{node}.{axis}" for node in self.structure.nodes for axis in AXES)
        return LagrangianPlant(
            names, self.mass, self.potential, self.start, v, self.residual, self.jacobian, self.load, damped=True
        )

    def angular_momentum(self, q: np.ndarray, v: np.ndarray) -> np.ndarray:
        """About the centre of mass."""
        mass = self.mass(q)
        shares = mass.sum(axis=1).reshape(-1, 3)
        whole = np.array([np.kron(np.ones(len(shares)), np.eye(3)[a]) @ mass for a in range(3)])
        centre = np.array([whole[a] @ q for a in range(3)]) / whole[0].sum()
        return np.cross(q.reshape(-1, 3) - centre, (mass @ v).reshape(-1, 3)).sum(axis=0)


def mixed(seed: int, *, supports: bool = True, damped: bool = True) -> tuple[Structure, np.ndarray]:
    """A random structure with bars of both laws and all inertias that meet, and velocities that its bars allow."""
    random = np.random.default_rng(seed)
    names = [f"n{k}" for k in range(6)]
    places = random.uniform(-1.0, 1.0, (6, 3)) + 2.0 * np.eye(6, 3) - 2.0 * np.eye(6, 3, -3)
    pairs = list(combinations(range(6), 2))
    random.shuffle(pairs)
    bars, cables = [], []
    for k, (i, j) in enumerate(pairs[:6]):
        ends, distance = (names[i], names[j]), float(np.linalg.norm(places[i] - places[j]))
        soft = k % 3 != 0
        stuff = Material(f"m{k}", 500.0, 2e4, poisson_ratio=float(random.uniform(-0.9, 0.5)))
        bars.append(
            Bar(
                f"b{k}",
                ends,
                mass=None if k % 2 else float(random.uniform(1.0, 3.0)),
                length=distance * float(random.uniform(0.85, 1.15)) if soft else None,
                material=stuff,
                radius=float(random.uniform(0.1, 0.3)),
                inner_radius=0.05,
                inertia=("cylinder", "cylinder", "thin", "cylinder", "lumped", "cylinder")[k],
                law="compressible" if soft else "rigid",
                stiffness=float(random.uniform(50.0, 500.0)) if k == 2 else None,
                damping=float(random.uniform(0.0, 3.0)) if soft and damped else 0.0,
            )
        )
    for k, (i, j) in enumerate(pairs[6:11]):
        rest = float(np.linalg.norm(places[i] - places[j]) * random.uniform(0.8, 1.2))
        cables.append(Cable(f"c{k}", (names[i], names[j]), rest, float(random.uniform(10.0, 100.0)), law="spring"))
    structure = Structure(
        dict(zip(names, map(tuple, places.tolist()), strict=True)),
        bars,
        cables,
        point_masses={name: float(random.uniform(0.2, 1.0)) for name in names},
        supports={"n0": "xyz", "n1": "y", "n4": "xz"} if supports else {},
    )
    model = ByEnergies(structure, 0.0, 0.0)
    rows = model.jacobian(model.start)
    speeds = random.normal(size=18)
    return structure, speeds - np.linalg.pinv(rows) @ (rows @ speeds)
