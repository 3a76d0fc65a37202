"""Tasks about tensions, and limits: numbers that are kept between others rather than met."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple, Protocol

import numpy as np

from taut.errors import OptionError
from taut.kinetostatics.tasks import Evaluated, Pose, no_slopes
from taut.reprs import brief
from taut.structure.selectors import select
from taut.structure.structure import Structure
from taut.type_checks import conform, known_fields


class Limited(NamedTuple):
    """Numbers that a limit keeps between others; by_input: (k, p) beside the derivatives that `evaluated` has."""

    evaluated: Evaluated
    by_input: np.ndarray
    lowest: np.ndarray
    highest: np.ndarray


class Limit(Protocol):
    """Something to be kept."""

    @property
    def name(self) -> str: ...

    def limited(self, pose: Pose) -> Limited: ...


@known_fields
@dataclass(frozen=True)
class TensionSum:
    """The tensions of some cables add up to a total [N]. cables: selectors, or names."""

    cables: tuple[str, ...]
    total: float

    __repr__ = brief

    def __post_init__(self) -> None:
        conform(self, "TensionSum")
        if not np.isfinite(self.total):
            raise OptionError(f"{self.name}: total = {self.total:g} N must be a finite number")

    @property
    def name(self) -> str:
        return f"sum of tensions of {', '.join(self.cables)}"

    def evaluate(self, pose: Pose) -> Evaluated:
        chosen = _cables(pose.structure, self.cables)
        by_place, by_force = no_slopes(pose, 1)
        by_force[0, chosen] = 1.0
        return Evaluated(np.array([pose.force[chosen].sum() - self.total]), by_place, by_force, "N", (self.name,))


@known_fields
@dataclass(frozen=True)
class EqualTensionSums:
    """Groups of cables with the same sum of tensions, as in eq. (1): [("a1", "p1"), ("a2", "p2"), ("a3", "p3")]."""

    groups: tuple[tuple[str, ...], ...]

    __repr__ = brief

    def __post_init__(self) -> None:
        conform(self, "EqualTensionSums")
        if len(self.groups) < 2:
            raise OptionError("EqualTensionSums needs two groups of cables or more")

    @property
    def name(self) -> str:
        return "equal sums of tensions of " + " and ".join("+".join(group) for group in self.groups)

    def evaluate(self, pose: Pose) -> Evaluated:
        chosen = [_cables(pose.structure, group) for group in self.groups]
        by_place, by_force = no_slopes(pose, len(chosen) - 1)
        for row, group in enumerate(chosen[1:]):
            by_force[row, group] += 1.0
            by_force[row, chosen[0]] -= 1.0
        first = "+".join(self.groups[0])
        labels = tuple(f"sum of {'+'.join(group)} over that of {first}" for group in self.groups[1:])
        return Evaluated(by_force @ pose.force, by_place, by_force, "N", labels)


@known_fields
@dataclass(frozen=True)
class TensionLimits:
    """Tensions of the selected cables stay between these [N]; None is no limit."""

    cables: str = "cable:*"
    lowest: float | None = None
    highest: float | None = None

    __repr__ = brief

    def __post_init__(self) -> None:
        conform(self, "TensionLimits")
        _require_order(self.name, self.lowest, self.highest, "N")

    @property
    def name(self) -> str:
        return f'tension limits of "{self.cables}"'

    def limited(self, pose: Pose) -> Limited:
        chosen = _cables(pose.structure, (self.cables,))
        by_place, by_force = no_slopes(pose, chosen.size)
        by_force[np.arange(chosen.size), chosen] = 1.0
        names = list(pose.structure.cables)
        labels = tuple(f"tension of {names[k]}" for k in chosen)
        told = Evaluated(pose.force[chosen], by_place, by_force, "N", labels)
        return Limited(
            told, np.zeros((chosen.size, pose.values.size)), *_bounds(self.lowest, self.highest, chosen.size)
        )


@known_fields
@dataclass(frozen=True)
class InputLimits:
    """What is commanded of the selected members stays between these, in its own unit; None is no limit."""

    inputs: str
    lowest: float | None = None
    highest: float | None = None

    __repr__ = brief

    def __post_init__(self) -> None:
        conform(self, "InputLimits")
        _require_order(self.name, self.lowest, self.highest, "")

    @property
    def name(self) -> str:
        return f'limits of input "{self.inputs}"'

    def limited(self, pose: Pose) -> Limited:
        kind, names = select(pose.structure, self.inputs)
        wanted = {f"{kind}:{name}" for name in names}
        chosen = np.array([k for k, name in enumerate(pose.robot.input_names) if name in wanted], dtype=int)
        if not chosen.size:
            raise OptionError(f'InputLimits: "{self.inputs}" is no input; they are {", ".join(pose.robot.input_names)}')
        units = {pose.robot.commanded[k].unit for k in chosen}
        if len(units) > 1:
            raise OptionError(
                f'InputLimits: "{self.inputs}" names inputs in {" and ".join(sorted(units))}; limit each kind by itself'
            )
        by_input = np.zeros((chosen.size, pose.values.size))
        by_input[np.arange(chosen.size), chosen] = 1.0
        labels = tuple(pose.robot.input_names[k] for k in chosen)
        told = Evaluated(
            pose.values[chosen], *no_slopes(pose, chosen.size), pose.robot.commanded[chosen[0]].unit, labels
        )
        return Limited(told, by_input, *_bounds(self.lowest, self.highest, chosen.size))


def _bounds(lowest: float | None, highest: float | None, count: int) -> tuple[np.ndarray, np.ndarray]:
    return np.full(count, -np.inf if lowest is None else lowest), np.full(count, np.inf if highest is None else highest)


def _require_order(name: str, lowest: float | None, highest: float | None, unit: str) -> None:
    if lowest is None and highest is None:
        raise OptionError(f"{name}: give lowest, highest or both")
    for word, value in (("lowest", lowest), ("highest", highest)):
        if value is not None and np.isnan(value):
            raise OptionError(f"{name}: {word} = nan is no number; None is no limit")
    if lowest is not None and highest is not None and lowest > highest:
        raise OptionError(
            f"{name}: lowest = {lowest:g} {unit} is above highest = {highest:g} {unit}".replace("  ", " ")
        )


def _cables(structure: Structure, selectors: Sequence[str]) -> np.ndarray:
    """Numbers of the cables that are selected, each once."""
    index = {name: i for i, name in enumerate(structure.cables)}
    chosen = dict.fromkeys(name for one in selectors for name in select(structure, one, "cable")[1])
    return np.array([index[name] for name in chosen], dtype=int)
