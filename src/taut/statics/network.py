"""A structure as the arrays that every statics question starts from: members by their nodes, what is held, what weighs.

Members are all in one list, cables first and then bars, so that a vector over members is one array. A straight member
is one segment between two nodes; a cable over guides is several, of one length and one tension. Forces and force
densities (force over length) are positive in tension. Nothing here needs masses or stiffnesses to be known.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import pairwise

import numpy as np
import scipy.sparse as sp

from taut.errors import ModelError, OptionError, Problem, suggestion
from taut.reprs import brief
from taut.structure import properties
from taut.structure.checks import problems as problems_of
from taut.structure.plates import plate_weight
from taut.structure.pulleys import pulleys_of
from taut.structure.records import AXES
from taut.structure.structure import Structure

Force = tuple[float, float, float]


@dataclass(frozen=True)
class Network:
    """n nodes; m members, of which the first `cables` are cables, in s segments; f free coordinates; g constraints."""

    structure: Structure
    positions: np.ndarray  # (n, 3) [m]
    first: np.ndarray  # (s,) node numbers of segments
    second: np.ndarray  # (s,)
    owner: np.ndarray  # (s,) the member of each segment, in the order of members
    cables: int
    unilateral: np.ndarray  # (m,) True for members that can only pull
    free: np.ndarray  # (f,) numbers of the coordinates that can move, 3 * node + axis
    guides: sp.csr_matrix  # (g, 3 n) coefficients of the linear constraints
    external: np.ndarray  # (n, 3) gravity and loads [N]

    __repr__ = brief

    @property
    def members(self) -> int:
        return int(self.unilateral.size)

    @cached_property
    def routed(self) -> np.ndarray:
        """(m,) True for cables over guides: members of more than one segment."""
        return np.asarray(np.bincount(self.owner, minlength=self.members) > 1)

    @cached_property
    def names(self) -> tuple[str, ...]:
        """Names of the members, cables first."""
        return (*self.structure.cables, *self.structure.bars)

    @cached_property
    def incidence(self) -> sp.csr_matrix:
        """(s, n): -1 at a segment's first node and +1 at its second."""
        rows = np.arange(self.first.size)
        ones = np.ones(self.first.size)
        return sp.csr_matrix(
            (
                np.concatenate([-ones, ones]),
                (np.concatenate([rows, rows]), np.concatenate([self.first, self.second])),
            ),
            shape=(self.first.size, len(self.positions)),
        )

    def vectors(self, positions: np.ndarray | None = None) -> np.ndarray:
        """From first to second node of every segment, (s, 3) [m]."""
        places = self.positions if positions is None else positions
        return np.asarray(places[self.second] - places[self.first])

    def spans(self, positions: np.ndarray | None = None) -> np.ndarray:
        """(s,) lengths of segments [m]."""
        return np.asarray(np.linalg.norm(self.vectors(positions), axis=1))

    def lengths(self, positions: np.ndarray | None = None) -> np.ndarray:
        """(m,) of whole members [m]."""
        return np.asarray(np.bincount(self.owner, self.spans(positions), self.members))

    def density_vectors(self, positions: np.ndarray | None = None) -> np.ndarray:
        """(s, 3): with them force densities pull at segments' ends, the tension of a whole member in each of its
        segments. Of a straight member it is its vector."""
        vectors, over = self.vectors(positions), np.flatnonzero(self.routed[self.owner])
        ratio = self.lengths(positions)[self.owner[over]] / self.spans(positions)[over]
        vectors[over] *= ratio[:, None]
        return vectors

    def keeping(self, kept: np.ndarray) -> Network:
        """The network with these members (m,) only; its structure stays whole."""
        at = kept[self.owner]
        number = np.cumsum(kept) - 1
        return replace(
            self,
            first=self.first[at],
            second=self.second[at],
            owner=number[self.owner[at]],
            unilateral=self.unilateral[kept],
            cables=int(np.count_nonzero(kept[: self.cables])),
        )

    def moved(self, positions: np.ndarray) -> Network:
        """The same network with its nodes elsewhere."""
        nodes = {name: (p[0], p[1], p[2]) for name, p in zip(self.structure.nodes, positions.tolist(), strict=True)}
        return replace(self, structure=replace(self.structure, nodes=nodes), positions=positions)


def network(
    structure: Structure,
    *,
    gravity: float | Force = 0.0,
    loads: Mapping[str, Force] | None = None,
    elastic: bool = True,
) -> Network:
    """The arrays of a sound structure; raises ModelError with every problem found.

    gravity: [m/s^2], a number acts along -z. loads: node -> force [N]. elastic: the stiffness of members matters to
    what is asked, so where it is not known that is a problem.
    """
    problems = [*problems_of(structure, elastic=elastic), *_load_problems(structure, loads or {})]
    problems = problems or [*_pulley_problems(structure)]
    if problems:
        raise ModelError(problems)
    index = {name: i for i, name in enumerate(structure.nodes)}
    cables, bars = list(structure.cables.values()), list(structure.bars.values())
    routes = [cable.route for cable in cables] + [bar.nodes for bar in bars]
    segments = [(member, index[a], index[b]) for member, route in enumerate(routes) for a, b in pairwise(route)]
    owner, first, second = np.array(segments, dtype=np.int64).reshape(-1, 3).T
    held = np.zeros((len(index), 3), dtype=bool)
    for node, axes in structure.supports.items():
        held[index[node], [AXES.index(axis) for axis in axes]] = True
    return Network(
        structure=structure,
        positions=structure.positions,
        first=first.copy(),
        second=second.copy(),
        owner=owner.copy(),
        cables=len(cables),
        unilateral=np.array([cable.law == "cable" for cable in cables] + [False] * len(bars), dtype=bool),
        free=np.flatnonzero(~held.ravel()),
        guides=_guides(structure, index),
        external=_weights(structure, index, gravity) + _applied(index, loads or {}),
    )


def _pulley_problems(structure: Structure) -> Iterable[Problem]:
    """Equations of equilibrium know guides as points."""
    for cable in structure.cables.values():
        if pulleys_of(cable):
            message = "pulleys of a radius go with runs only, and not with statics; let a damped run come to rest, or"
            yield Problem(("cables", cable.name, "radii"), f"{message} leave the radii out")


def _guides(structure: Structure, index: Mapping[str, int]) -> sp.csr_matrix:
    terms = [
        (row, 3 * index[node] + AXES.index(axis), coefficient)
        for row, constraint in enumerate(structure.constraints.values())
        for node, axis, coefficient in constraint.terms
    ]
    rows, columns, values = zip(*terms, strict=True) if terms else ((), (), ())
    return sp.csr_matrix((values, (rows, columns)), shape=(len(structure.constraints), 3 * len(index)))


def _weights(structure: Structure, index: Mapping[str, int], gravity: float | Force) -> np.ndarray:
    vector = np.array((0.0, 0.0, -float(gravity)) if isinstance(gravity, int | float) else gravity, dtype=float)
    if vector.shape != (3,) or not np.all(np.isfinite(vector)):
        raise OptionError(f"gravity {gravity} is not a number or three finite numbers [m/s^2]")
    masses = np.zeros(len(index))
    if not vector.any():
        return np.zeros((len(index), 3))
    unknown = [bar.name for bar in structure.bars.values() if properties.bar_mass(structure, bar) is None]
    if unknown:
        raise ModelError(
            [
                Problem(
                    ("bars", name, "mass"), "is not known, and gravity acts; give a mass, or a material and a radius"
                )
                for name in unknown
            ]
        )
    for node, mass in structure.point_masses.items():
        masses[index[node]] += mass
    for bar in structure.bars.values():
        for node in bar.nodes:
            masses[index[node]] += (properties.bar_mass(structure, bar) or 0.0) / 2.0
    for cable in structure.cables.values():
        for node, mass in properties.lumped_mass(structure, cable).items():
            masses[index[node]] += mass
    for plate in structure.plates.values():
        for node, mass in plate_weight(structure, plate).items():
            masses[index[node]] += mass
    return np.outer(masses, vector)


def _applied(index: Mapping[str, int], loads: Mapping[str, Force]) -> np.ndarray:
    forces = np.zeros((len(index), 3))
    for node, force in loads.items():
        forces[index[node]] += force
    return forces


def _load_problems(structure: Structure, loads: Mapping[str, Force]) -> Iterable[Problem]:
    for node, force in loads.items():
        if node not in structure.nodes:
            yield Problem(("loads", node), f'no node "{node}"{suggestion(node, structure.nodes)}')
        if len(force) != 3 or not np.all(np.isfinite(force)):
            yield Problem(("loads", node), f"{list(force)} is not three finite numbers [N]")
