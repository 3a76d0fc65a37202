"""A structure as a function of parameters: the numbers they decide, how these change, and the structure they make."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from taut.measurement.prestress_modes import tension_as_drawn
from taut.measurement.start_motions import free_starts
from taut.measurement.unknowns import Key, Parameter, natural_length, own_value
from taut.reprs import brief
from taut.statics.equilibrium_equations import EquilibriumEquations, equations_of
from taut.statics.network import network
from taut.statics.newton import restored
from taut.structure import properties
from taut.structure.joining import subdivided
from taut.structure.records import Bar, Cable
from taut.structure.scenario import Damping
from taut.structure.structure import Structure


def written_out(structure: Structure) -> Structure:
    """The structure with lengths and masses as numbers, so that neither follows where nodes are drawn."""
    whole = subdivided(structure)

    def cable(one: Cable) -> Cable:
        length = natural_length(whole, one)
        own = {"command": length} if one.mode == "length" else {"rest_length": length} if one.mode == "spring" else {}
        return replace(one, mass=properties.cable_mass(whole, one), **own)  # type: ignore[arg-type]

    def bar(one: Bar) -> Bar:
        return replace(one, length=natural_length(whole, one), mass=properties.bar_mass(whole, one))

    cables = {name: cable(one) for name, one in whole.cables.items()}
    return replace(whole, cables=cables, bars={name: bar(one) for name, one in whole.bars.items()})


@dataclass(frozen=True)
class Parametrised:
    """A structure, written out, and p parameters of it. Parameters go as arrays (p,) in their own units."""

    structure: Structure
    parameters: tuple[Parameter, ...]

    __repr__ = brief

    @property
    def start(self) -> np.ndarray:
        return np.array([one.start for one in self.parameters])

    def values(self, given: np.ndarray) -> dict[Key, float]:
        """Every number that the parameters decide."""
        found: dict[Key, float] = {}
        tensions: dict[str, float] = {}
        for one, amount in zip(self.parameters, given.tolist(), strict=True):
            for key, slope in zip(one.keys, one.slopes, strict=True):
                if _is_prestress(one):
                    name = key[1]
                    tensions[name] = tensions.get(name, self._drawn[name][1]) + slope * (amount - one.start)
                else:
                    found[key] = slope * amount
        for name, tension in tensions.items():
            found["cable", name, "rest_length"] = self._rest(name, tension, self._firmness(name, found))[0]
        return found

    def slopes(self, given: np.ndarray) -> dict[Key, np.ndarray]:
        """How each of these numbers changes with every parameter, (p,)."""
        found: dict[Key, np.ndarray] = {}
        pulls: dict[str, np.ndarray] = {}
        unit = np.eye(len(self.parameters))
        for one, way in zip(self.parameters, unit, strict=True):
            for key, slope in zip(one.keys, one.slopes, strict=True):
                if _is_prestress(one):
                    pulls[key[1]] = pulls.get(key[1], 0.0) + slope * way
                else:
                    found[key] = slope * way
        values = self.values(given) if pulls else {}
        for name, pull in pulls.items():
            firmness = self._firmness(name, values)
            tension = self._tension(name, values["cable", name, "rest_length"], firmness)
            _, by_tension, by_firmness = self._rest(name, tension, firmness)
            firmer = found.get(("cable", name, "stiffness"), np.zeros(len(unit)))
            found["cable", name, "rest_length"] = by_tension * pull + by_firmness * firmer
        return found

    @cached_property
    def _drawn(self) -> dict[str, tuple[float, float]]:
        """Length [m] and tension [N] of cables with unknown prestress, as drawn."""
        names = dict.fromkeys(key[1] for one in self.parameters if _is_prestress(one) for key in one.keys)
        return {
            name: (
                properties.route_length(self.structure, self.structure.cables[name].route),
                tension_as_drawn(self.structure, name),
            )
            for name in names
        }

    def _firmness(self, name: str, values: Mapping[Key, float]) -> float:
        """The stiffness [N/m] of a cable, or its E A [N]."""
        own = values.get(("cable", name, "stiffness"))
        return own_value(self.structure, "cable", name, "stiffness") if own is None else own

    def _rest(self, name: str, tension: float, firmness: float) -> tuple[float, float, float]:
        """The rest length with which a cable as drawn pulls so, and how it changes with tension and firmness."""
        length = self._drawn[name][0]
        if self.structure.cables[name].stiffness is not None:
            return length - tension / firmness, -1.0 / firmness, tension / firmness**2
        whole = firmness + tension
        return length * firmness / whole, -length * firmness / whole**2, length * tension / whole**2

    def _tension(self, name: str, rest: float, firmness: float) -> float:
        length = self._drawn[name][0]
        by_length = self.structure.cables[name].stiffness is not None
        return firmness * (length - rest) / (1.0 if by_length else rest)

    def made(self, given: np.ndarray, displaced: np.ndarray | None = None) -> Structure:
        """The structure with these parameters. Its nodes as drawn, and displaced (n, 3), but where bars are long."""
        values = self.values(given)
        cables, bars = dict(self.structure.cables), dict(self.structure.bars)
        masses = dict(self.structure.point_masses)
        changes: dict[tuple[str, str], dict[str, float]] = {}
        for (kind, name, quantity), value in values.items():
            if kind == "node":
                masses[name] = value
            elif kind in ("cable", "bar"):
                changes.setdefault((kind, name), {})[quantity] = value
        for (kind, name), change in changes.items():
            if kind == "cable":
                cables[name] = _changed(cables[name], change)
            else:
                bars[name] = _changed(bars[name], change)
        whole = replace(self.structure, cables=cables, bars=bars, point_masses=masses)
        if displaced is None and not any(key[2] == "length" for key in values):
            return whole
        return whole.placed(self._on_lengths(values, displaced))

    def _on_lengths(self, values: Mapping[Key, float], displaced: np.ndarray | None) -> np.ndarray:
        """(n, 3) the nearest places at which everything that keeps its length has it."""
        problem = self.equations
        setting, cables = problem.setting, list(self.structure.cables)
        lengths, bars = setting.rest_length.copy(), list(self.structure.bars)
        for (kind, name, quantity), value in values.items():
            if quantity == "length":
                lengths[cables.index(name) if kind == "cable" else len(cables) + bars.index(name)] = value
        places = problem.network.positions + (0.0 if displaced is None else displaced)
        return restored(problem, setting._replace(rest_length=lengths), places)[0]

    @cached_property
    def equations(self) -> EquilibriumEquations:
        return equations_of(network(self.structure))

    def damping(self, given: np.ndarray, own: Damping) -> Damping:
        """A scenario's damping with these parameters."""
        found = {key[2]: value for key, value in self.values(given).items() if key[0] == "damping"}
        return replace(own, **found)

    def start_of(self, given: np.ndarray, motion: int) -> tuple[np.ndarray, np.ndarray]:
        """(n, 3) each: displacement [m] and velocity [m/s] that the parameters add at the start of a motion."""
        ways: dict[str, np.ndarray] = {}
        for (kind, name, quantity), value in self.values(given).items():
            if kind == "start" and name == f"{motion}":
                word, number = quantity.split()
                ways[word] = ways.get(word, 0.0) + value * self._free_starts[:, int(number)]
        nothing = np.zeros(3 * len(self.structure.nodes))
        moved, speed = (ways.get(word, nothing).reshape(-1, 3) for word in ("position", "velocity"))
        return moved, speed

    @cached_property
    def _free_starts(self) -> np.ndarray:
        return free_starts(self.structure)


def _is_prestress(one: Parameter) -> bool:
    return not one.positive and one.keys[0][2] == "rest_length"


def _changed(member: Any, change: Mapping[str, float]) -> Any:
    """A bar or cable with quantities by their names here; an E A becomes the stiffness at its rest length."""
    fields = dict(change)
    if isinstance(member, Bar):
        if "rest_length" in fields:
            fields["length"] = fields.pop("rest_length")
        rest = fields.get("length", member.length)
    else:
        if "length" in fields:
            fields["command"] = fields.pop("length")
        rest = fields.get("rest_length", member.rest_length)
    if "stiffness" in fields and member.stiffness is None and rest is not None:
        fields["stiffness"] = fields["stiffness"] / rest
    return replace(member, **fields)
