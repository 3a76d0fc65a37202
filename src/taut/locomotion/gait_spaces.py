"""Spaces of gaits that a search looks through: a point of the unit cube is a gait, and the parameters of many runs.

A gait space is anything with `size`, `names`, `periodic`, `parameters` and `gait`.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import asdict, dataclass
from typing import Any, Protocol

import numpy as np

from taut.errors import OptionError
from taut.locomotion.gait_classes import GaitSymmetry, untied
from taut.locomotion.gaits import SMOOTHLY, PatternGait, SinusoidGait, TableGait, drive_names
from taut.locomotion.reactive import STARTS, ReactiveGait, ReactiveSpace
from taut.reprs import brief
from taut.structure.controllers import Controller
from taut.structure.structure import Structure
from taut.type_checks import conform, known_fields

Bounds = tuple[float, float]
"""Least and most; what is the same twice is fixed, and no part of the search."""

QUANTITIES = ("amplitude", "frequency", "phase", "mean")
TURN = (0.0, 2.0 * math.pi)


UNSURE = 0.01
"""[rad] of a phase by default, and of a table as much of its largest change: no more than such a phase does."""


Gait = SinusoidGait | TableGait | PatternGait | ReactiveGait


GAITS: dict[str, type[Gait]] = {
    "sinusoids": SinusoidGait,
    "tables": TableGait,
    "patterns": PatternGait,
    "reactive": ReactiveGait,
}


def gait_data(gait: Gait) -> dict[str, Any]:
    """As JSON can hold it; `gait_from` makes a gait of it."""
    kind = next(name for name, made in GAITS.items() if type(gait) is made)
    return {"kind": kind, **asdict(gait)}


def gait_from(data: Mapping[str, Any]) -> Gait:
    """The gait that `gait_data` told."""
    made: Gait = _made(GAITS, "gait", data)
    return made


def noise_of(gait: Gait) -> dict[str, float]:
    """By which copies of a gait differ where nobody says otherwise: in phases, or at the start where there are none."""
    return {"drive:*.phase": UNSURE} if isinstance(gait, SinusoidGait) else {"velocities": STARTS}


def controllers_of(gait: Gait, structure: Structure) -> tuple[Controller, ...]:
    """What commands a gait's drives; nothing where they follow signals."""
    return gait.controllers(structure) if isinstance(gait, ReactiveGait) else ()


class GaitSpace(Protocol):
    """What a search asks of a space of gaits."""

    @property
    def members(self) -> tuple[str, ...]:
        """Selectors of what moves."""

    @property
    def size(self) -> int:
        """Numbers that make a gait."""

    @property
    def names(self) -> tuple[str, ...]:
        """Of each of them."""

    @property
    def periodic(self) -> np.ndarray:
        """(d,) whether 0 and 1 are the same gait, as for phases."""

    @property
    def noise(self) -> Mapping[str, float]:
        """Standard deviations by address by which copies of a gait differ where nobody says others."""

    def parameters(self, points: np.ndarray) -> dict[str, np.ndarray]:
        """By address, as `taut.rollout` takes them: a row for each of the points (N, d) of the unit cube.

        A column for each drive, by "drive:*": noise by the same address is added to them.
        """

    def gait(self, point: np.ndarray) -> Gait:
        """The gait of a point (d,)."""

    def data(self) -> dict[str, Any]:
        """As JSON can hold it; `gait_space_from` makes a space of it."""


@known_fields
@dataclass(frozen=True, slots=True)
class SinusoidSpace:
    """Sinusoids: mean + amplitude sin(2 pi frequency t + phase) of every entry of `members`.

    members: selectors; what an entry selects moves alike, so that "bar:x*" is one pair with one phase.
    amplitude, mean: [m], frequency: [Hz], phase: [rad], least and most; the same twice where it is not searched for.
    shared: quantities of which there is one for all entries.
    start, over: [s] as `SinusoidGait` has them.
    symmetry: which entries follow others, as `gait_symmetries` has it; those that follow none have numbers.
    """

    members: tuple[str, ...]
    amplitude: Bounds = (0.02, 0.12)
    frequency: Bounds = (0.4, 2.0)
    phase: Bounds = TURN
    mean: Bounds = (0.0, 0.0)
    shared: tuple[str, ...] = ("amplitude", "frequency", "mean")
    start: float = 0.0
    over: float = SMOOTHLY
    symmetry: GaitSymmetry | None = None

    __repr__ = brief

    def __post_init__(self) -> None:
        conform(self, "SinusoidSpace")
        if not self.members:
            raise OptionError("a gait needs members to move; name some, as in bar:*")
        if self.symmetry is not None and len(self.symmetry.follows) != len(self.members):
            raise OptionError(
                f"SinusoidSpace: symmetry {self.symmetry.name} is of {len(self.symmetry.follows)} members, and "
                f"{len(self.members)} are to move"
            )
        for name in self.shared:
            if name not in QUANTITIES:
                raise OptionError(f'SinusoidSpace: shared "{name}" is not one of {", ".join(QUANTITIES)}')
        for name in QUANTITIES:
            low, high = getattr(self, name)
            if not -math.inf < low <= high < math.inf:
                raise OptionError(f"SinusoidSpace: {name} = ({low:g}, {high:g}) must be the least and the most")
        if not self.frequency[0] > 0.0:
            raise OptionError(f"SinusoidSpace: frequency = {self.frequency[0]:g} Hz must be more than zero")
        if self.symmetry is not None and "frequency" not in self.shared:
            raise OptionError("SinusoidSpace: a symmetry in time wants one frequency; shared has to name it")
        if not self.size:
            raise OptionError("SinusoidSpace: everything is fixed, so that there is nothing to search for")

    @property
    def size(self) -> int:
        return len(self.names)

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(name for _, names in self._columns() for name in names)

    @property
    def periodic(self) -> np.ndarray:
        whole = math.isclose(self.phase[1] - self.phase[0], TURN[1])
        return np.array([whole and quantity == "phase" for quantity, names in self._columns() for _ in names])

    @property
    def noise(self) -> dict[str, float]:
        return {"drive:*.phase": UNSURE}

    def parameters(self, points: np.ndarray) -> dict[str, np.ndarray]:
        return {f"drive:*.{name}": values for name, values in self._values(np.atleast_2d(points)).items()}

    def gait(self, point: np.ndarray) -> SinusoidGait:
        told = self._values(np.atleast_2d(point))
        numbers: dict[str, Any] = {
            name: float(values[0, 0]) if name in self.shared and np.ptp(values) == 0.0 else tuple(values[0].tolist())
            for name, values in told.items()
        }
        return SinusoidGait(self.members, **numbers, start=self.start, over=self.over)

    def point(self, gait: Gait) -> np.ndarray:
        """(d,) of a gait of these members; raises where it lies outside of the bounds."""
        if not isinstance(gait, SinusoidGait):
            raise OptionError(f"{gait!r} is no gait of sinusoids")
        if gait.members != self.members:
            raise OptionError(f"the gait moves {', '.join(gait.members)}, and the space {', '.join(self.members)}")
        found = []
        for quantity, names in self._columns():
            given = getattr(gait, quantity)
            low, high = getattr(self, quantity)
            for name, k in zip(names, self._tied.own(quantity), strict=False):  # what is shared has one
                value = given[k] if isinstance(given, tuple) else float(given)
                inside = (value - low) / (high - low)
                if quantity == "phase" and self.periodic.any():
                    inside %= 1.0
                if not -1e-12 <= inside <= 1.0 + 1e-12:
                    raise OptionError(f"{name} = {value:g} lies outside of {low:g} to {high:g}")
                found.append(min(max(inside, 0.0), 1.0))
        point = np.array(found)
        if (off := np.abs(_waves(self.gait(point)) - _waves(gait)).max()) > 1e-9:
            raise OptionError(
                f"the gait is not one of this space: by its symmetry and what is fixed it is off by {off:g}"
            )
        return point

    def data(self) -> dict[str, Any]:
        names = ("members", *QUANTITIES, "shared", "start", "over")
        told = {"kind": "sinusoids", **{name: _plain(getattr(self, name)) for name in names}}
        if self.symmetry is None:
            return told
        return {**told, "symmetry": {name: _plain(value) for name, value in asdict(self.symmetry).items()}}

    @property
    def _tied(self) -> GaitSymmetry:
        return self.symmetry or untied(len(self.members))

    def _columns(self) -> Iterator[tuple[str, tuple[str, ...]]]:
        """Quantities that are searched for, and the names of their numbers."""
        for quantity in QUANTITIES:
            low, high = getattr(self, quantity)
            if low < high:
                names = drive_names(self.members)
                own = tuple(f"{quantity} {names[k]}" for k in self._tied.own(quantity))
                yield quantity, (quantity,) if quantity in self.shared else own

    def _values(self, points: np.ndarray) -> dict[str, np.ndarray]:
        """Of every quantity (N, entries)."""
        count, entries = len(points), len(self.members)
        if points.shape[1] != self.size:
            raise OptionError(f"a gait of this space has {self.size} numbers, not {points.shape[1]}")
        found = {name: np.full((count, entries), getattr(self, name)[0]) for name in QUANTITIES}
        first = 0
        for quantity, names in self._columns():
            low, high = getattr(self, quantity)
            own = slice(None) if quantity in self.shared else list(self._tied.own(quantity))
            found[quantity][:, own] = low + (high - low) * points[:, first : first + len(names)]
            first += len(names)
        self._tied.tie(found)
        return found


@known_fields
@dataclass(frozen=True, slots=True)
class TableSpace:
    """Tables of changes that are gone through again and again, smooth curves between their rows.

    members: selectors, a column each. rows: of the table, at equal times over one period [s]. change: [m] least and
    most of every number. duration: [s] for which it goes on. start, over: [s] as `TableGait` has them.
    """

    members: tuple[str, ...]
    rows: int = 4
    period: float = 1.0
    change: Bounds = (-0.12, 0.12)
    duration: float = 10.0
    start: float = 0.0
    over: float = SMOOTHLY

    __repr__ = brief

    def __post_init__(self) -> None:
        conform(self, "TableSpace")
        if not self.members:
            raise OptionError("a gait needs members to move; name some, as in bar:*")
        if self.rows < 3:
            raise OptionError(f"TableSpace: rows = {self.rows} must be 3 or more: fewer make no way round")
        if not (self.period > 0.0 and self.duration > 0.0):
            raise OptionError(
                f"TableSpace: period = {self.period:g} s and duration = {self.duration:g} s must be more than zero"
            )
        if not -math.inf < self.change[0] < self.change[1] < math.inf:
            raise OptionError(f"TableSpace: change = {self.change} must be the least and the most")

    @property
    def size(self) -> int:
        return self.rows * len(self.members)

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(f"{entry} {row}" for row in range(1, self.rows + 1) for entry in drive_names(self.members))

    @property
    def periodic(self) -> np.ndarray:
        return np.zeros(self.size, dtype=bool)

    @property
    def turns(self) -> int:
        return math.ceil(self.duration / self.period)

    @property
    def noise(self) -> dict[str, float]:
        return {"drive:*.values": UNSURE * max(map(abs, self.change))}

    def parameters(self, points: np.ndarray) -> dict[str, np.ndarray]:
        changes = self._changes(np.atleast_2d(points))
        whole = np.concatenate([np.tile(changes, (1, self.turns, 1)), changes[:, :1]], axis=1)
        return {"drive:*.values": whole.transpose(0, 2, 1).reshape(len(whole), -1)}

    def gait(self, point: np.ndarray) -> TableGait:
        changes = tuple(map(tuple, self._changes(np.atleast_2d(point))[0].tolist()))
        times = tuple((self.period / self.rows * np.arange(self.rows)).tolist())
        return TableGait(self.members, times, changes, self.period, self.turns, self.start, self.over)

    def data(self) -> dict[str, Any]:
        names = ("members", "rows", "period", "change", "duration", "start", "over")
        return {"kind": "tables", **{name: _plain(getattr(self, name)) for name in names}}

    def _changes(self, points: np.ndarray) -> np.ndarray:
        """(N, rows, entries) [m]."""
        low, high = self.change
        return np.asarray(low + (high - low) * points.reshape(len(points), self.rows, len(self.members)))


def _waves(gait: SinusoidGait) -> np.ndarray:
    """(3, entries) frequencies, means, and amplitudes with their phases as complex numbers."""
    every = [np.broadcast_to(getattr(gait, name), len(gait.members)) for name in QUANTITIES]
    amplitude, frequency, phase, mean = every
    return np.array([frequency, mean, amplitude * np.exp(1j * phase)])


def _plain(value: Any) -> Any:
    return list(value) if isinstance(value, tuple) else value


SPACES: dict[str, Callable[..., SinusoidSpace | TableSpace | ReactiveSpace]] = {
    "sinusoids": SinusoidSpace,
    "tables": TableSpace,
    "reactive": ReactiveSpace,
}


def gait_space_from(data: Mapping[str, Any]) -> SinusoidSpace | TableSpace | ReactiveSpace:
    """The space that `data` told."""
    made: SinusoidSpace | TableSpace | ReactiveSpace = _made(SPACES, "space of gaits", data)
    return made


def _made(known: Mapping[str, Callable[..., Any]], what: str, data: Mapping[str, Any]) -> Any:
    told: dict[str, Any] = {name: tuple(value) if isinstance(value, list) else value for name, value in data.items()}
    if told.get("symmetry"):
        told["symmetry"] = GaitSymmetry(**told["symmetry"])
    kind = str(told.pop("kind", ""))
    if kind not in known:
        raise OptionError(f'there is no {what} "{kind}"; known: {", ".join(known)}')
    return known[kind](**told)
