"""A Robot: a structure, which of its members are commanded, and what acts on it.

What is commanded of a member is what its mode or law leaves open:

    cable of mode tension         its tension [N]
    cable of mode force_density   its tension over its length [N/m]
    cable of mode length          its length [m]
    cable of mode spring          its rest length [m]
    pneumatic bar                 the force with which it pushes [N]
    other bars                    their length, of compressible ones the length without force [m]
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import NamedTuple

import numpy as np

from taut.errors import OptionError, SelectionError, suggestion
from taut.reprs import counted, titled
from taut.statics.by_selector import given_by_selector
from taut.statics.equilibrium import Equilibrium
from taut.statics.equilibrium_equations import EquilibriumEquations, Setting, equations_of
from taut.statics.network import Force, network
from taut.structure.joining import subdivided
from taut.structure.selectors import select
from taut.structure.structure import Structure
from taut.type_checks import conform, known_fields

Values = Mapping[str, float] | Sequence[float] | np.ndarray | None
"""What is commanded: by selector, or a number for every input in their order; None as it is in the structure."""


class Input(NamedTuple):
    """One member that is commanded."""

    name: str  # "cable:a1"
    quantity: str  # "tension", "force_density", "length", "rest_length" or "force"
    unit: str
    member: int  # its place among all members, cables first


@known_fields
@dataclass(frozen=True, repr=False)
class Robot:
    """inputs: selectors of the cables and bars that are commanded; every other member stays as it is.

    structure: at a posture, or near one. gravity: [m/s^2], a number acts along -z. loads: node -> force [N].
    """

    structure: Structure
    inputs: tuple[str, ...] = ("cable:*",)
    gravity: float | Force = 0.0
    loads: Mapping[str, Force] = field(default_factory=dict)

    def __post_init__(self) -> None:
        conform(self, "Robot")
        for cable in self.structure.cables.values():
            if cable.segments > 1 and any(self._selected(selector, cable.name) for selector in self.inputs):
                raise OptionError(
                    f'inputs: cable "{cable.name}" is cut into {cable.segments} segments, and an input is one member; '
                    f'name the inputs without it, or make it one with changed("cable:{cable.name}", segments=1)'
                )
        object.__setattr__(self, "structure", subdivided(self.structure))

    def __repr__(self) -> str:
        return titled("Robot", self.structure.name or "structure", counted(len(self.commanded), "input"))

    def _selected(self, selector: str, cable: str) -> bool:
        """Whether a selector names a cable; one that names nothing is told with the inputs."""
        try:
            kind, names = select(self.structure, selector)
        except SelectionError:
            return False
        return kind == "cable" and cable in names

    @cached_property
    def problem(self) -> EquilibriumEquations:
        """Its equations of statics, with its weight and loads."""
        return equations_of(network(self.structure, gravity=self.gravity, loads=self.loads))

    @cached_property
    def _own_setting(self) -> Setting:
        return self.problem.setting

    @cached_property
    def commanded(self) -> tuple[Input, ...]:
        """Every input, in the order of the structure's members."""
        found: dict[int, Input] = {}
        members = {(kind, name): i for i, (kind, name) in enumerate(_members(self.structure))}
        for selector in self.inputs:
            kind, names = select(self.structure, selector)
            if kind not in ("cable", "bar"):
                raise OptionError(f'inputs: "{selector}" selects {kind}s; cables and bars are commanded')
            for name in names:
                member = members[kind, name]
                quantity, unit = self._quantity(kind, name)
                found[member] = Input(f"{kind}:{name}", quantity, unit, member)
        if not found:
            raise OptionError('inputs = () leaves nothing to command; name members, as ("cable:*",)')
        return tuple(found[member] for member in sorted(found))

    def _quantity(self, kind: str, name: str) -> tuple[str, str]:
        if kind == "bar":
            bar = self.structure.bars[name]
            if bar.law == "pneumatic":
                return "force", "N"
            return ("length", "m") if bar.law == "rigid" else ("rest_length", "m")
        cable = self.structure.cables[name]
        units = {"tension": "N", "force_density": "N/m", "length": "m"}
        return (cable.mode, units[cable.mode]) if cable.mode in units else ("rest_length", "m")

    @property
    def input_names(self) -> tuple[str, ...]:
        return tuple(one.name for one in self.commanded)

    @cached_property
    def values(self) -> np.ndarray:
        """(p,) what is commanded in the structure itself."""
        setting = self._own_setting
        return np.array([self._sign(one) * self._of(setting, one)[one.member] for one in self.commanded])

    @staticmethod
    def _of(setting: Setting, one: Input) -> np.ndarray:
        return setting.command if one.quantity in ("tension", "force_density", "force") else setting.rest_length

    @staticmethod
    def _sign(one: Input) -> float:
        return -1.0 if one.quantity == "force" else 1.0

    @cached_property
    def typical_length(self) -> float:
        """[m] The mean length of its members at its own shape."""
        return float(self.problem.network.lengths().mean())

    @cached_property
    def unit_sizes(self) -> dict[str, float]:
        """What counts as one of each unit of tasks: the mean length of members, a radian, the mean tension commanded,
        or the mean weight of a node where none is."""
        forces = np.abs(self.values[[one.unit == "N" for one in self.commanded]])
        weight = np.abs(self._own_setting.external).sum() / max(len(self.structure.nodes), 1)
        size = float(forces.mean()) if forces.size and forces.any() else float(weight) or 1.0
        return {"m": self.typical_length, "rad": 1.0, "N": size, "N/m": size}

    @cached_property
    def scale(self) -> np.ndarray:
        """(p,) what counts as a change of one: the mean size of all inputs of the same quantity."""
        sizes = np.abs(self.values)
        same = [
            [sizes[k] for k, other in enumerate(self.commanded) if other.unit == one.unit] for one in self.commanded
        ]
        return np.array([float(np.mean(group)) or 1.0 for group in same])

    def commands(self, values: Values) -> np.ndarray:
        """(p,) what is commanded, of what is told; raises OptionError where that makes no sense."""
        if values is None:
            return self.values.copy()
        if isinstance(values, Mapping):
            told = given_by_selector(self.problem.network, "values", values)
            chosen = np.flatnonzero(~np.isnan(told))
            known = {one.member for one in self.commanded}
            for member in chosen:
                if member not in known:
                    name = "{}:{}".format(*_members(self.structure)[member])
                    raise OptionError(
                        f'values: "{name}" is no input{suggestion(name, self.input_names)}; '
                        f"inputs are {', '.join(self.input_names)}"
                    )
            given = told[[one.member for one in self.commanded]]
            found = np.where(np.isnan(given), self.values, given)
        else:
            found = np.asarray(values, dtype=float)
            if found.shape != (len(self.commanded),):
                raise OptionError(
                    f"values has shape {found.shape}; there are {len(self.commanded)} inputs: "
                    f"{', '.join(self.input_names)}"
                )
        for one, value in zip(self.commanded, found.tolist(), strict=True):
            if not math.isfinite(value) or value < 0.0 or (value == 0.0 and one.unit == "m"):
                least = "more than zero" if one.unit == "m" else "zero or more: a cable only pulls"
                raise OptionError(
                    f"values: {one.name} = {value:g} {one.unit} makes no {one.quantity}; it must be {least}"
                )
        return found

    def setting(self, values: np.ndarray) -> Setting:
        """What is imposed with these commands (p,)."""
        given = self._own_setting
        setting = given._replace(rest_length=given.rest_length.copy(), command=given.command.copy())
        for one, value in zip(self.commanded, values, strict=True):
            self._of(setting, one)[one.member] = self._sign(one) * value
        return setting

    def at(self, posture: Equilibrium) -> Robot:
        """The same robot in a posture, with the commands that hold it there."""
        return replace(self, structure=posture.structure)


def _members(structure: Structure) -> list[tuple[str, str]]:
    return [*(("cable", name) for name in structure.cables), *(("bar", name) for name in structure.bars)]


def listed_values(robot: Robot, values: Iterable[float]) -> str:
    """`cable:a1 90 N, cable:a2 90 N`."""
    pairs = zip(robot.commanded, values, strict=True)
    return ", ".join(f"{one.name} {value:.6g} {one.unit}" for one, value in pairs)
