"""A load case: all that can be done to a structure at rest, and how it changes what is imposed."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np

from taut.errors import ModelError, OptionError, Problem, suggestion
from taut.reprs import brief
from taut.statics.by_selector import given_by_selector, lengths_by_selector
from taut.statics.commands import UNITS
from taut.statics.equilibrium_equations import EquilibriumEquations, Setting
from taut.statics.network import Force, network
from taut.structure.records import AXES, Bar, Cable
from taut.type_checks import conform, known_fields

ROUND_OFF = 1e-12
"""What is left of a sum counts as nothing below this fraction of its terms."""


@known_fields
@dataclass(frozen=True)
class LoadCase:
    """One load case. Members are named by selectors, nodes by name.

    gravity: [m/s^2], a number acts along -z. loads: node -> force [N].
    temperature: how much warmer than when it was built [K]; one number for all, or selector -> number. Members of
        materials without thermal_expansion stay as they are.
    misfits: selector -> how much longer a member was made than drawn [m], negative for too short.
    rest_lengths: selector -> rest length [m], as when cables are wound in; of a held cable, the length it is held at.
        Both are of whole cables: the segments into which one is cut share them. A selector that fits no whole cable
        may name segments by themselves.
    commands: selector -> tension [N] or force density [N/m] of cables to which one is commanded.
    settlements: supported node -> move [m].
    """

    gravity: float | Force = 0.0
    loads: Mapping[str, Force] = field(default_factory=dict)
    temperature: float | Mapping[str, float] = 0.0
    misfits: Mapping[str, float] = field(default_factory=dict)
    rest_lengths: Mapping[str, float] = field(default_factory=dict)
    settlements: Mapping[str, Force] = field(default_factory=dict)
    commands: Mapping[str, float] = field(default_factory=dict)

    __repr__ = brief

    def __post_init__(self) -> None:
        conform(self, "LoadCase")


def imposed(problem: EquilibriumEquations, case: LoadCase) -> Setting:
    """The setting of a case: the structure's own rest lengths and places, and what the case adds to them."""
    given = problem.network
    rest = problem.members.rest_length.copy()
    wound = lengths_by_selector(given, "rest_lengths", case.rest_lengths)
    told = given_by_selector(given, "commands", case.commands, "cable")
    _require_modes(problem, wound, told)
    rest = np.where(np.isnan(wound), rest, wound)
    rest = rest * (1.0 + _expansions(problem) * _warmth(problem, case.temperature))
    rest = _summed(rest, np.nan_to_num(lengths_by_selector(given, "misfits", case.misfits)))
    external = network(given.structure, gravity=case.gravity, loads=case.loads).external
    command = np.where(np.isnan(told), problem.setting.command, told)
    return _possible(problem, Setting(external, rest, _settled_anchors(problem, case.settlements), command), "the case")


def _possible(problem: EquilibriumEquations, setting: Setting, what: str) -> Setting:
    """The setting; raises OptionError where it leaves a member no length, or a cable that has to push."""
    given, rest = problem.network, setting.rest_length
    never_zero = ~np.isnan(problem.rigidity)  # a spring of given stiffness may have no length without force
    never_zero[problem.rigid] = True
    none = (rest < 0.0) | (never_zero & (rest == 0.0))
    if none.any():
        worst = int(np.argmin(np.where(none, rest, np.inf)))
        raise OptionError(
            f'{what} leaves "{given.names[worst]}" a rest length of {rest[worst]:g} m; it must be more than zero'
        )
    pushing = np.flatnonzero(setting.command[: given.cables] < 0.0)
    if pushing.size:
        unit = UNITS[problem.modes[pushing[0]]]
        raise OptionError(
            f'{what}: cable "{given.names[pushing[0]]}" would push with {-setting.command[pushing[0]]:g} {unit}; '
            "a cable only pulls, so command zero or more"
        )
    return setting


def _require_modes(problem: EquilibriumEquations, wound: np.ndarray, told: np.ndarray) -> None:
    """Raise where a case gives a cable what its mode has not."""
    forced = (problem.modes == "tension") | (problem.modes == "force_density")
    for member in np.flatnonzero(forced & ~np.isnan(wound)):
        name = problem.network.names[member]
        if member >= problem.network.cables:
            raise OptionError(
                f'rest_lengths: bar "{name}" is pneumatic, so a rest length does nothing; change its force'
            )
        raise OptionError(
            f'rest_lengths: cable "{name}" is of mode {problem.modes[member]}, '
            "so a rest length does nothing; say commands={...}"
        )
    for member in np.flatnonzero(~forced & ~np.isnan(told)):
        raise OptionError(
            f'commands: cable "{problem.network.names[member]}" is of mode {problem.modes[member]}; '
            "commands are tensions and force densities, lengths go into rest_lengths={...}"
        )


def combination(
    problem: EquilibriumEquations,
    name: str,
    settings: Mapping[str, Setting],
    base: Setting,
    factors: Mapping[str, float],
) -> Setting:
    """The base and every case's difference from it times its factor; name: of the combination."""
    unknown = [case for case in factors if case not in settings]
    if unknown:
        hint = suggestion(unknown[0], settings) or f"; there are {', '.join(settings)}"
        raise OptionError(f'a combination names the case "{unknown[0]}", which is not there{hint}')
    for case, factor in factors.items():
        if not np.isfinite(factor):
            raise OptionError(f'combinations["{name}"]["{case}"] = {factor!r} must be a finite number')
    changes = [[f * (c - b) for c, b in zip(settings[case], base, strict=True)] for case, f in factors.items()]
    total = Setting(*(_summed(*terms) for terms in zip(base, *changes, strict=True)))
    return _possible(problem, total, f'the combination "{name}"')


def _summed(*terms: np.ndarray) -> np.ndarray:
    """The sum; zero where all but round-off of it cancels, so that nothing is refused for a last digit."""
    total, size = np.sum(terms, axis=0), np.sum(np.abs(terms), axis=0)
    return np.where(np.abs(total) <= ROUND_OFF * size, 0.0, total)


def _warmth(problem: EquilibriumEquations, temperature: float | Mapping[str, float]) -> float | np.ndarray:
    if isinstance(temperature, Mapping):
        return np.asarray(np.nan_to_num(given_by_selector(problem.network, "temperature", temperature)))
    if not np.isfinite(temperature):
        raise OptionError(f"temperature = {temperature!r} must be a finite number [K]")
    return float(temperature)


def _expansions(problem: EquilibriumEquations) -> np.ndarray:
    structure = problem.network.structure
    members: list[Bar | Cable] = [*structure.cables.values(), *structure.bars.values()]
    return np.array([(m.material.thermal_expansion or 0.0) if m.material else 0.0 for m in members], dtype=float)


def _settled_anchors(problem: EquilibriumEquations, settlements: Mapping[str, Force]) -> np.ndarray:
    structure = problem.network.structure
    index = {name: i for i, name in enumerate(structure.nodes)}
    anchors = problem.network.positions.copy()
    problems = []
    for node, move in settlements.items():
        if node not in index:
            problems.append(Problem(("settlements", node), f'no node "{node}"{suggestion(node, structure.nodes)}'))
            continue
        if len(move) != 3 or not np.all(np.isfinite(move)):
            problems.append(Problem(("settlements", node), f"{list(move)} is not three finite numbers [m]"))
            continue
        loose = [axis for axis, m in zip(AXES, move, strict=True) if m and axis not in structure.supports.get(node, "")]
        if loose:
            message = f"moves along {loose[0]}, where the node is not held; only supports settle"
            problems.append(Problem(("settlements", node), message))
        anchors[index[node]] += move
    if problems:
        raise ModelError(problems)
    return anchors
