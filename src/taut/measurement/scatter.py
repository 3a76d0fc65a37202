"""How builds of a structure differ: cut lengths, stiffness and supports by chance, each build from its own stream.

The stream of a build follows from the seed and its number alone: which builds there are beside it, or which thread
computes it, changes nothing.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from taut.errors import OptionError, suggestion
from taut.reprs import brief
from taut.statics.by_selector import given_by_selector
from taut.statics.commands import standing_cable
from taut.statics.copies import Scattered
from taut.statics.linearised import Linearised
from taut.structure import properties
from taut.structure.records import Bar, Cable
from taut.structure.structure import Structure

BySelector = float | Mapping[str, float]
"""One number for all, or selector -> number."""

DISTRIBUTIONS = {"normal": 1.0, "uniform": 1.0 / math.sqrt(3.0)}
"""Standard deviation over the number that is given: that itself, or half the width."""

COMMANDED = ("tension", "force_density")
"""Modes of members whose force is given: their lengths and stiffness mean nothing."""


@dataclass(frozen=True)
class Scatter:
    """What is given of m members and n nodes; zero where nothing scatters."""

    length: np.ndarray  # (m,) [m]
    stiffness: np.ndarray  # (m,) of the stiffness
    supports: np.ndarray  # (n, 3) [m], of held coordinates
    distribution: str
    seed: int

    __repr__ = brief

    @property
    def deviations(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Standard deviations of lengths [m], stiffness (of it) and supports [m]."""
        share = DISTRIBUTIONS[self.distribution]
        return share * self.length, share * self.stiffness, share * self.supports

    def drawn(self, view: Linearised, builds: Sequence[int]) -> Scattered:
        """What these builds are made with."""
        count, nodes = self.length.size, self.supports.size
        chance = np.array([self._stream(build, 2 * count + nodes) for build in builds])
        lengths, ratios, shifts = np.split(chance, [count, 2 * count], axis=1)
        return Scattered(
            view.setting.rest_length + lengths * self.length,
            1.0 + ratios * self.stiffness,
            view.setting.anchors + shifts.reshape(-1, *self.supports.shape) * self.supports,
        )

    def _stream(self, build: int, size: int) -> np.ndarray:
        stream = np.random.default_rng(np.random.SeedSequence(self.seed, spawn_key=(build,)))
        return stream.standard_normal(size) if self.distribution == "normal" else stream.uniform(-1.0, 1.0, size)


def scatter_of(
    view: Linearised,
    *,
    cut_length: BySelector,
    cut_ratio: BySelector,
    stiffness: BySelector,
    supports: BySelector,
    distribution: str,
    seed: int,
) -> Scatter:
    """What is given, as arrays; raises where it makes no sense."""
    if distribution not in DISTRIBUTIONS:
        hint = suggestion(distribution, DISTRIBUTIONS)
        raise OptionError(f'distribution = "{distribution}" is not one of {", ".join(DISTRIBUTIONS)}{hint}')
    if seed < 0:
        raise OptionError(f"seed = {seed} must be zero or more")
    problem = view.problem
    commanded = np.isin(problem.modes, COMMANDED)
    inelastic = commanded.copy()
    inelastic[problem.rigid] = True
    fixed, ratio = (_of_members(view, *told) for told in (("cut_length", cut_length), ("cut_ratio", cut_ratio)))
    length = np.hypot(fixed, ratio * view.setting.rest_length)
    stiff = _of_members(view, "stiffness", stiffness)
    found = Scatter(
        np.where(commanded, 0.0, length),
        np.where(inelastic, 0.0, stiff),
        _of_supports(view, supports),
        distribution,
        seed,
    )
    if not any(part.any() for part in found.deviations):
        raise OptionError("nothing scatters; give cut_length, cut_ratio, stiffness or supports a number above zero")
    return found


def check_possible(view: Linearised, scatter: Scatter, scattered: Scattered) -> None:
    """Raise where a member was drawn that cannot be built."""
    for name, numbers in (("cut_length", scattered.rest_length), ("stiffness", scattered.stiffness)):
        members = np.flatnonzero((numbers <= 0.0).any(axis=0) & (view.setting.rest_length > 0.0))
        if members.size:
            member = members[0]
            width = scatter.length[member] if name == "cut_length" else scatter.stiffness[member]
            told = f"{width:g} m of {view.setting.rest_length[member]:g} m" if name == "cut_length" else f"{width:g}"
            what = "length" if name == "cut_length" else "stiffness"
            raise OptionError(
                f'{name} scatters so much ({told}) that some builds of "{view.problem.network.names[member]}" have a '
                f'{what} below zero; give less, or distribution="uniform"'
            )


def built(view: Linearised, scattered: Scattered, positions: np.ndarray) -> Structure:
    """The structure of one build, with its nodes there; its masses are those of the design."""
    structure = view.problem.network.structure
    members = view.problem.members_at(view.setting)
    stiffness = scattered.stiffness[0] * np.where(
        np.isnan(view.problem.rigidity), members.stiffness, view.problem.rigidity / scattered.rest_length[0]
    )
    lengths, firm = scattered.rest_length[0].tolist(), stiffness.tolist()
    count = len(structure.cables)

    def cable(one: Cable, length: float, own: float) -> Cable:
        mass = properties.cable_mass(structure, one) or one.mass
        if one.mode == "spring":
            return replace(one, rest_length=length, stiffness=own, mass=mass)
        return standing_cable(structure, one, length, one.command or 0.0)

    def bar(one: Bar, length: float, own: float | None) -> Bar:
        own = own if one.law == "compressible" else one.stiffness
        return replace(one, length=length, stiffness=own, mass=properties.bar_mass(structure, one))

    cables = map(cable, structure.cables.values(), lengths[:count], firm[:count])
    bars = map(bar, structure.bars.values(), lengths[count:], firm[count:])
    return replace(
        structure.placed(positions), cables={one.name: one for one in cables}, bars={one.name: one for one in bars}
    )


def _of_members(view: Linearised, option: str, given: BySelector) -> np.ndarray:
    network = view.problem.network
    if not isinstance(given, Mapping):
        _check(option, given)
        return np.full(network.members, float(given))
    for selector, number in given.items():
        _check(f'{option}["{selector}"]', number)
    return np.asarray(np.nan_to_num(given_by_selector(network, option, given)))


def _of_supports(view: Linearised, given: BySelector) -> np.ndarray:
    structure, held = view.problem.network.structure, (view.problem.unknown < 0).reshape(-1, 3)
    index = {name: k for k, name in enumerate(structure.nodes)}
    width = np.zeros(len(index))
    for selector, number in (given if isinstance(given, Mapping) else {"node:*": given}).items():
        _check(f'supports["{selector}"]' if isinstance(given, Mapping) else "supports", number)
        chosen = structure.select(selector, "node")
        if isinstance(given, Mapping) and not any(node in structure.supports for node in chosen):
            raise OptionError(f'supports["{selector}"] selects no supported node')
        width[[index[node] for node in chosen]] = number
    return np.where(held, width[:, None], 0.0)


def _check(option: str, number: float) -> None:
    if not isinstance(number, int | float) or isinstance(number, bool) or not 0.0 <= number < math.inf:
        raise OptionError(f"{option} = {number!r} must be a finite number, zero or more")
