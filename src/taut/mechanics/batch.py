"""Many variants of one plant: the same members and supports with other numbers, other starts, other signals.

A variant alone is a Plant; WIDTH of them together are a plant whose every number is a row of lanes
(`taut.numerics.lanes`). Variants come as arrays of what differs, or as plants of one layout, which may differ in any
number: masses, bar lengths, gravity, damping, signals.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from taut.errors import OptionError
from taut.mechanics.capabilities import BATCH, check, features_of
from taut.mechanics.compose import composed_in_lanes
from taut.mechanics.contact.responses import Responses
from taut.mechanics.imposed.drives import STANDS
from taut.mechanics.plant import Plant
from taut.mechanics.signals import tabulated, time_places
from taut.mechanics.tables import part_of, slot
from taut.mechanics.terms.damping import NODE_DAMPS
from taut.mechanics.terms.loads import LOAD_DATA
from taut.mechanics.terms.springs import DAMPS, Springs
from taut.mechanics.varying.following_stiffness import stiffness_by_rest_lengths
from taut.numerics.lanes import WIDTH, aligned
from taut.numerics.packing import Pack, copied, integers_of, reals_of, viewed, with_own_integers
from taut.structure.scenario import Signal

CABLE_PARTS = ("rest_length", "stiffness", "damping")
CABLE_DAMPING = part_of("springs", Springs, "damping")
FLAGS = (DAMPS, NODE_DAMPS)
"""Whole numbers that say whether anything of a kind is there; for all lanes, if it is for one."""


@dataclass(frozen=True)
class Variants:
    """A plant and what differs, variant by variant.

    positions, velocities: (N, n, 3). parts: places in the pack's directory and their numbers, (N, size) each.
    gravity: (N, 3) where it differs; the weights it makes are among the parts.
    """

    plant: Plant
    count: int
    positions: np.ndarray
    velocities: np.ndarray
    parts: Mapping[int, np.ndarray]
    gravity: np.ndarray | None = None
    side_by_side = True  # whether they can share what does not differ

    def base(self, k: int) -> Plant:
        """The plant whose numbers variant k overwrites."""
        return self.plant

    def fill(self, pack: Pack, k: int) -> None:
        """Overwrite the numbers in which variant k differs."""
        for part, numbers in self.parts.items():
            reals_of(pack, part)[:] = numbers[k]
        reals_of(pack, STANDS)[:] = np.nan  # what drives wrote was by other numbers
        integers_of(pack, DAMPS)[0] = int(reals_of(pack, CABLE_DAMPING).any())

    def single(self, k: int) -> Plant:
        """Variant k as a plant of its own."""
        base = self.base(k)
        given, pack = base.given, copied(base.pack)
        if self.gravity is not None:
            x, y, z = self.gravity[k].tolist()
            given = replace(given, gravity=(x, y, z))
        self.fill(pack, k)
        views = viewed(pack, {slot(name): table for name, table in base.tables.items()})
        tables = {name: views[slot(name)] for name in base.tables}
        return replace(
            base,
            given=given,
            pack=pack,
            tables=tables,
            positions=self.positions[k],
            velocities=self.velocities[k],
        )

    def packs(self, chosen: np.ndarray, *, metric: str, gains: tuple[float, float]) -> Pack:
        """The tables of some variants in lanes."""
        one = self.plant.own_tables(metric=metric, gains=gains)
        pack = Pack(one.integers, np.repeat(one.reals[:, None], WIDTH, axis=1))
        for part, numbers in self.parts.items():
            reals_of(pack, part)[:] = numbers[chosen].T
        integers_of(pack, DAMPS)[0] = int(reals_of(pack, CABLE_DAMPING).any())
        return pack

    @property
    def works(self) -> bool:
        return bool(self.plant.works or np.any(self.parts.get(CABLE_DAMPING, 0.0)))

    @property
    def dampers(self) -> tuple[str, ...]:
        varied = ("cables",) if np.any(self.parts.get(CABLE_DAMPING, 0.0)) else ()
        return self.plant.dampers or varied


@dataclass(frozen=True)
class Plants:
    """Plants of one layout, which differ in any of their numbers; made by `alike`."""

    plants: tuple[Plant, ...]

    @cached_property
    def side_by_side(self) -> bool:
        """Whether what is driven changes at the same times."""
        first = self.plants[0]
        times = time_places(first.tables["drives"]) if "drives" in first.tables else np.zeros(0, dtype=np.int64)
        return all(
            np.array_equal(one.breaks, first.breaks)
            and (not times.size or np.array_equal(one.tables["drives"].data[times], first.tables["drives"].data[times]))
            for one in self.plants
        )

    @property
    def plant(self) -> Plant:
        """What is the same for all, told by the first."""
        return self.plants[0]

    @property
    def count(self) -> int:
        return len(self.plants)

    @cached_property
    def positions(self) -> np.ndarray:
        return np.stack([plant.positions for plant in self.plants])

    @cached_property
    def velocities(self) -> np.ndarray:
        return np.stack([plant.velocities for plant in self.plants])

    def single(self, k: int) -> Plant:
        return self.plants[k]

    def packs(self, chosen: np.ndarray, *, metric: str, gains: tuple[float, float]) -> Pack:
        """The tables of some variants in lanes."""
        packs = [self.plants[k].own_tables(metric=metric, gains=gains) for k in chosen]
        pack = Pack(packs[0].integers, np.stack([one.reals for one in packs], axis=1))
        for flag in FLAGS:
            integers_of(pack, flag)[0] = max(int(integers_of(one, flag)[0]) for one in packs)
        return pack

    @property
    def works(self) -> bool:
        return any(plant.works for plant in self.plants)

    @property
    def dampers(self) -> tuple[str, ...]:
        return next((plant.dampers for plant in self.plants if plant.dampers), ())


def alike(plants: Sequence[Any]) -> Plants:
    """Plants that can go side by side; raises OptionError where one has another layout than the first."""
    if not plants:
        raise OptionError("nothing varies: give at least one plant")
    first = plants[0]
    for k, plant in enumerate(plants):
        check(BATCH, features_of(plant))
        whole, times = first.pack.integers.copy(), time_places(first.tables["loads"])
        for flag in FLAGS:
            integers_of(Pack(whole, first.pack.reals), flag)[:] = integers_of(plant.pack, flag)
        loads, other = first.tables["loads"], plant.tables["loads"]
        same = list(plant.structure.nodes) == list(first.structure.nodes)
        what = ""
        if plant.spec != first.spec:
            what = "other kinds of things"
        elif not same or not np.array_equal(whole, plant.pack.integers):
            what = "other nodes, members, supports, or loads and elements elsewhere or of other kinds"
        elif not np.array_equal(loads.data[times], other.data[times]):
            what = "signals that change at other times"
        if what:
            raise OptionError(f"plant {k} has {what} than plant 0; an ensemble varies numbers only")
    return Plants(tuple(plants))


@dataclass(frozen=True)
class LanePlant:
    """WIDTH variants as one `taut.mechanics.plant_protocol.PlantProtocol`; `chosen` are their numbers."""

    variants: Variants | Plants
    chosen: np.ndarray

    lanes = (WIDTH,)

    def __getattr__(self, name: str) -> Any:
        """All that is the same for every variant."""
        if name.startswith("__"):
            raise AttributeError(name)
        return getattr(self.variants.plant, name)

    @property
    def works(self) -> bool:
        return self.variants.works

    @property
    def dampers(self) -> tuple[str, ...]:
        """Of all variants: a step that begins with the forces of the last may do so where none of them damps."""
        return self.variants.dampers

    @property
    def formulation(self) -> str:
        return f"{self.variants.plant.formulation} in lanes"

    @property
    def _touches(self) -> bool:
        return "contacts" in self.variants.plant.spec.terms

    def operations(self) -> dict[str, Any]:
        return dict(composed_in_lanes(self.variants.plant.spec))

    def own_tables(self, *, metric: str, gains: tuple[float, float]) -> Pack:
        pack = self.variants.packs(self.chosen, metric=metric, gains=gains)
        pack = Pack(pack.integers, aligned(pack.reals))
        return with_own_integers(pack, slot("responses"), Responses) if self._touches else pack

    def start(self) -> tuple[np.ndarray, np.ndarray]:
        q, v = (
            given[self.chosen].reshape(WIDTH, -1).T.copy()
            for given in (self.variants.positions, self.variants.velocities)
        )
        moves = np.zeros(len(q), dtype=bool)
        moves[self.variants.plant.tables["nodes"].free] = True
        v[~moves] = 0.0
        return q, v


def side_by_side(variants: Variants | Plants, first: int) -> LanePlant:
    """The variants from `first` on in lanes; where they run out the last one fills up."""
    return LanePlant(variants, np.minimum(np.arange(first, first + WIDTH), variants.count - 1))


def varied(
    plant: Plant,
    *,
    positions: np.ndarray | None,
    velocities: np.ndarray | None,
    cables: Mapping[str, np.ndarray | None],
    loads: Sequence[Sequence[Signal]] | None,
) -> Variants:
    """Variants from arrays with one row each; raises OptionError where they do not fit."""
    check(BATCH, features_of(plant))
    structure, nodes = plant.structure, len(plant.positions)
    wanted: dict[str, tuple[Any, tuple[int, ...]]] = {
        "positions": (positions, (nodes, 3)),
        "velocities": (velocities, (nodes, 3)),
        **{name: (cables.get(name), (len(structure.cables),)) for name in CABLE_PARTS},
    }
    given = {name: np.asarray(value, dtype=float) for name, (value, _) in wanted.items() if value is not None}
    counts = {name: len(value) for name, value in given.items()} | ({"loads": len(loads)} if loads is not None else {})
    if not counts or min(counts.values()) < 1:
        raise OptionError(f"nothing varies: give at least one row of {', '.join(wanted)} or loads")
    if len(set(counts.values())) > 1:
        raise OptionError(f"every array needs one row a variant, but they have {_listed(counts)}")
    (count,) = set(counts.values())
    for name, value in given.items():
        shape = (count, *wanted[name][1])
        if value.shape != shape:
            raise OptionError(f"{name} has the shape {value.shape}, not {shape}")
        bad = ~np.isfinite(value) | ((value < 0.0) & (name in CABLE_PARTS))
        if bad.any():
            row = int(np.argwhere(bad)[0][0])
            raise OptionError(f"{name} of variant {row} holds {value[bad][0]:g}, which it cannot be")
    if "rest_length" in given and "stiffness" not in given:
        given |= stiffness_by_rest_lengths(plant, given["rest_length"])
    _check_driven(plant, given)
    parts = {
        part_of("springs", Springs, name): _with_others(plant, given[name], getattr(plant.tables["springs"], name))
        for name in CABLE_PARTS
        if name in given
    }
    if loads is not None:
        parts[LOAD_DATA] = _signal_numbers(plant, loads)
    return Variants(
        plant,
        count,
        _rows(given.get("positions"), plant.positions, count),
        _rows(given.get("velocities"), plant.velocities, count),
        parts,
    )


def _check_driven(plant: Plant, given: Mapping[str, np.ndarray]) -> None:
    """What a drive writes would not stay as it is varied."""
    place = {name: k for k, name in enumerate(plant.structure.cables)}
    for driven in plant.given.driven:
        for name in CABLE_PARTS:
            if driven.kind == "cable" and driven.member in plant.given.cable and name in given:
                here = getattr(plant.tables["springs"], name)[plant.given.cable[driven.member]]
                if np.any(given[name][:, place[driven.member]] != here):
                    raise OptionError(
                        f'{name} of cable "{driven.member}" cannot vary, since the drive "{driven.label}" drives it; '
                        "give plants that differ instead"
                    )


def _with_others(plant: Plant, given: np.ndarray, whole: np.ndarray) -> np.ndarray:
    """Numbers of cables in their places among the laws of all springs; those of compressible bars as they are."""
    every, place = np.broadcast_to(whole, (len(given), whole.size)).copy(), list(plant.structure.cables).index
    for cable in plant.structure.cables.values():
        if cable.mode != "spring" and np.ptp(given[:, place(cable.name)]) > 0.0:
            raise OptionError(
                f'cable "{cable.name}" is of mode {cable.mode}, which no rest length, stiffness or damping changes; '
                "give plants that differ in its command instead"
            )
    for name, row in plant.given.cable.items():
        every[:, row] = given[:, place(name)]
    return every


def _listed(counts: Mapping[str, int]) -> str:
    return ", ".join(f"{name} {count}" for name, count in counts.items())


def _rows(given: np.ndarray | None, same: np.ndarray, count: int) -> np.ndarray:
    return np.broadcast_to(same, (count, *same.shape)) if given is None else given


def _signal_numbers(plant: Plant, loads: Sequence[Sequence[Signal]]) -> np.ndarray:
    """Numbers of every variant's signals; they must be of one kind and change at the same times."""
    here = plant.tables["loads"]
    times = time_places(here)
    rows = []
    for k, signals in enumerate(loads):
        if len(signals) != here.kind.size:
            raise OptionError(f"variant {k} has {len(signals)} signals for the plant's {here.kind.size} loads")
        table = tabulated(signals)
        same = np.array_equal(table.kind, here.kind) and np.array_equal(table.start, here.start)
        same = same and table.data.size == here.data.size and np.array_equal(table.data[times], here.data[times])
        if table.functions or not same:
            raise OptionError(
                f"the signals of variant {k} are of another kind than the plant's, or change at other times; "
                "variants may differ in values only"
            )
        rows.append(table.data)
    return np.array(rows)
