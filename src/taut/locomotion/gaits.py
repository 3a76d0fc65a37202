"""Gaits: how the members of a robot change their length in turn. A gait is a value; its `drives` go into a scenario.

Each entry of `members` is a selector, and all that it selects move alike: "bar:x1" is one strut, "bar:x*" a group of
two. Struts have their lengths driven, cables their rest lengths, commanded cables what commands them.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from taut.errors import OptionError
from taut.reprs import brief
from taut.structure.drives import fitting_quantity, members_of
from taut.structure.scenario import Drive
from taut.structure.signals import Command, SampledSignal, Signal, Sinusoid, SmoothStart
from taut.structure.structure import Structure
from taut.type_checks import checked_arguments, conform, known_fields

Numbers = float | tuple[float, ...]
"""One for all entries of `members`, or one for each."""

SMOOTHLY = 1.0
"""[s] in which a gait is let in, where nothing else is said."""


@known_fields
@dataclass(frozen=True, slots=True)
class SinusoidGait:
    """Every entry changes by mean + amplitude sin(2 pi frequency t + phase).

    members: selectors. amplitude, mean: [m]. frequency: [Hz]. phase: [rad]. A number for all, or one for each entry.
    start, over: [s] nothing moves before `start`; then it is let in within `over` seconds, so that nothing jumps.
    """

    members: tuple[str, ...]
    amplitude: Numbers
    frequency: Numbers
    phase: Numbers = 0.0
    mean: Numbers = 0.0
    start: float = 0.0
    over: float = SMOOTHLY

    __repr__ = brief

    def __post_init__(self) -> None:
        conform(self, "SinusoidGait")

    def drives(self, structure: Structure) -> tuple[Drive, ...]:
        count = _counted(self.members)
        columns = [
            _each(name, getattr(self, name), count, "SinusoidGait")
            for name in ("amplitude", "frequency", "phase", "mean")
        ]
        if any(not rate > 0.0 for rate in columns[1]):
            raise OptionError(f"SinusoidGait: frequency = {min(columns[1]):g} Hz must be more than zero")
        waves = [Sinusoid(*numbers) for numbers in zip(*columns, strict=True)]
        return _drives(structure, self.members, [self._let_in(wave) for wave in waves])

    def _let_in(self, wave: Signal) -> Signal:
        return SmoothStart(wave, self.start, _rise("SinusoidGait", self.over))


@known_fields
@dataclass(frozen=True, slots=True)
class TableGait:
    """Changes [m] by a table: a row for every time, a column for every entry of `members`; smooth curves between.

    times: [s] rising. After the last time it stays as it is, or begins again where `period` [s] says so: then the table
        spans one period, its last row is followed by the first, and it goes on for `turns` of them.
    start, over: [s] the table's time begins at `start`; it is let in within `over` seconds.
    """

    members: tuple[str, ...]
    times: tuple[float, ...]
    changes: tuple[tuple[float, ...], ...]
    period: float | None = None
    turns: int = 1
    start: float = 0.0
    over: float = SMOOTHLY

    __repr__ = brief

    def __post_init__(self) -> None:
        conform(self, "TableGait")

    def drives(self, structure: Structure) -> tuple[Drive, ...]:
        count = _counted(self.members)
        times, changes = np.array(self.times), np.array(self.changes)
        if changes.shape != (times.size, count):
            shape = " x ".join(map(str, changes.shape))
            raise OptionError(
                f"TableGait: changes are {shape}, and have to be {times.size} x {count}: a row for every time, a "
                "column for every entry of members"
            )
        if times.size < 2 or not (np.diff(times) > 0.0).all():
            raise OptionError("TableGait: times must be two or more, each later than the one before")
        if self.period is not None:
            times, changes = self._repeated(times, changes, self.period)
        let_in = _rise("TableGait", self.over)
        when = tuple((self.start + times).tolist())
        curves = [SampledSignal(when, tuple(column)) for column in changes.T.tolist()]
        return _drives(structure, self.members, [SmoothStart(curve, self.start, let_in) for curve in curves])

    def _repeated(self, times: np.ndarray, changes: np.ndarray, period: float) -> tuple[np.ndarray, np.ndarray]:
        if not times[-1] - times[0] < period:
            raise OptionError(
                f"TableGait: period = {period:g} s must be longer than the table, {times[-1] - times[0]:g} s: its last "
                "row is followed by the first"
            )
        if self.turns < 1:
            raise OptionError(f"TableGait: turns = {self.turns} must be 1 or more")
        whole = np.concatenate([times + k * period for k in range(self.turns)])
        return np.append(whole, times[0] + self.turns * period), np.vstack([*[changes] * self.turns, changes[:1]])


@known_fields
@dataclass(frozen=True, slots=True)
class PatternGait:
    """Groups that do the same one after another: every entry follows one pattern, each at its own phase.

    pattern: [m] changes at equal times over one period, followed by the first again. phase: [rad] by which each entry
        is ahead. period: [s]. duration: [s] for which it goes on.
    """

    members: tuple[str, ...]
    pattern: tuple[float, ...]
    period: float
    duration: float
    phase: Numbers = 0.0
    start: float = 0.0
    over: float = SMOOTHLY

    __repr__ = brief

    def __post_init__(self) -> None:
        conform(self, "PatternGait")

    def drives(self, structure: Structure) -> tuple[Drive, ...]:
        phases = _each("phase", self.phase, _counted(self.members), "PatternGait")
        if len(self.pattern) < 3:
            raise OptionError(f"PatternGait: a pattern of {len(self.pattern)} changes is none; give three or more")
        if not (self.period > 0.0 and self.duration > 0.0):
            raise OptionError(
                f"PatternGait: period = {self.period:g} s and duration = {self.duration:g} s must be more than zero"
            )
        let_in = _rise("PatternGait", self.over)
        step = self.period / len(self.pattern)
        found: list[Signal] = []
        for phase in phases:
            ahead = phase / (2.0 * math.pi) * len(self.pattern)  # in steps of the pattern
            whole = math.floor(ahead)
            # The knots lie where the pattern has its own, so that a shifted entry is the same curve.
            count = math.ceil(self.duration / step) + 2
            knots = np.arange(count) - (ahead - whole)
            values = [self.pattern[(k + whole) % len(self.pattern)] for k in range(count)]
            curve = SampledSignal(tuple((self.start + step * knots).tolist()), tuple(values))
            found.append(SmoothStart(curve, self.start, let_in))
        return _drives(structure, self.members, found)


@checked_arguments
def random_members(structure: Structure, selector: str = "cable:*", *, share: float, seed: int) -> tuple[str, ...]:
    """Members drawn at random, each with the probability `share`; the same ones for the same seed, one at least."""
    if not 0.0 < share <= 1.0:
        raise OptionError(f"random_members: share = {share:g} must be more than 0, and 1 or less")
    if seed < 0:
        raise OptionError(f"random_members: seed = {seed} must be zero or more")
    kind, names = members_of(structure, Drive("", selector, ""))
    draws = np.random.default_rng(seed).random(len(names))
    chosen = draws < max(share, float(draws.min()) * (1.0 + 1e-12))
    return tuple(f"{kind}:{name}" for name, one in zip(names, chosen, strict=True) if one)


def drive_names(members: tuple[str, ...]) -> tuple[str, ...]:
    """What the drives of these entries are called: as what they select where that tells them apart."""
    short = tuple(selector.partition(":")[2] for selector in members)
    return short if len(set(short)) == len(short) else members


def commanded_drives(structure: Structure, members: tuple[str, ...]) -> tuple[Drive, ...]:
    """A drive of every entry of `members`, whose change [m] someone commands: a controller, or whoever steps."""
    return _drives(structure, members, [Command()] * _counted(members))


def _drives(structure: Structure, members: tuple[str, ...], changes: list[Signal]) -> tuple[Drive, ...]:
    found = []
    for called, selector, change in zip(drive_names(members), members, changes, strict=True):
        kind, names = members_of(structure, Drive("", selector, ""))
        quantities = {fitting_quantity(getattr(structure, f"{kind}s")[name]) for name in names}
        if len(quantities) > 1:
            raise OptionError(
                f'"{selector}" selects members driven by {" and by ".join(sorted(quantities))}; part them'
            )
        found.append(Drive(called, selector, quantities.pop(), by=change))
    return tuple(found)


def _counted(members: tuple[str, ...]) -> int:
    if not members:
        raise OptionError("a gait needs members to move")
    return len(members)


def _each(name: str, numbers: Numbers, count: int, what: str) -> tuple[float, ...]:
    if isinstance(numbers, tuple):
        if len(numbers) != count:
            raise OptionError(
                f"{what}: {len(numbers)} numbers for {name} and {count} entries of members; give one each"
            )
        return numbers
    return (float(numbers),) * count


def _rise(what: str, over: float) -> float:
    if not over > 0.0:
        raise OptionError(f"{what}: over = {over:g} s must be more than zero: what sets in at once makes lengths jump")
    return over
