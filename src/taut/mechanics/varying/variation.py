"""Variants of a plant from addresses and arrays: `varied_by`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from taut.errors import OptionError
from taut.mechanics.assemble import with_structure
from taut.mechanics.batch import CABLE_DAMPING, Variants
from taut.mechanics.capabilities import BATCH, check, features_of
from taut.mechanics.grounds.compliances import Compliances
from taut.mechanics.imposed.drives import DRIVE_DATA, tabulated_drives
from taut.mechanics.inertia.scales import slowness_of
from taut.mechanics.linear.stable_step import shortest_period
from taut.mechanics.plant import Plant
from taut.mechanics.signals import COMPOUND, SINUSOID, STEPS, TABLE, Tabulated
from taut.mechanics.tables import FASTEST, SCALE, part_of
from taut.mechanics.terms.contacts import Contacts
from taut.mechanics.terms.springs import Springs
from taut.mechanics.varying.addresses import NOT_BELOW_ZERO, WEIGHT, Address, address_of, plain_parts, weight_rows
from taut.numerics.packing import reals_of
from taut.structure.drives import QUANTITIES
from taut.structure.structure import with_masses

STIFFNESS = part_of("springs", Springs, "stiffness")
FRICTIONS = tuple(
    (part_of(table, kind, "static"), part_of(table, kind, "kinetic"))
    for table, kind in (("contacts", Contacts), ("compliances", Compliances))
)


@dataclass(frozen=True)
class Remade(Variants):
    """Variants whose masses differ: each is assembled anew when it is asked for, and its other numbers overwritten.

    masses: addresses and their numbers, (N, k) each.
    """

    masses: tuple[tuple[Address, np.ndarray], ...] = ()
    side_by_side = False

    def base(self, k: int) -> Plant:
        structure = self.plant.structure
        for address, numbers in self.masses:
            structure = with_masses(structure, address.names, numbers[k])
        x, y, z = self.plant.given.gravity if self.gravity is None else self.gravity[k].tolist()
        made = with_structure(self.plant, structure, (x, y, z))
        if STIFFNESS in self.parts:
            _rescale(made, self.parts[STIFFNESS][k])
        return made


def numbers_for(plant: Plant, parameters: Mapping[str, np.ndarray]) -> dict[str, np.ndarray]:
    """Arrays of numbers as they go into `varied_by`, one row a variant; raises OptionError where one does not fit."""
    found: dict[str, np.ndarray] = {}
    for text, given in parameters.items():
        own = address_of(plant, text).own
        values = np.asarray(given, dtype=float)
        if values.ndim == 1 and own.ndim == 1:  # one number for all that it names
            values = np.repeat(values[:, None], own.size, axis=1)
        if values.ndim > 1 and values.shape[1:] != own.shape and values[0].size == own.size:
            values = values.reshape(len(values), *own.shape)
        if values.ndim < 1 or values.shape[1:] != own.shape:
            raise OptionError(
                f'"{text}" has the shape {np.shape(given)}, not (N, {", ".join(map(str, own.shape))}): a row a variant'
            )
        found[text] = values
    counts = {text: len(values) for text, values in found.items()}
    if len(set(counts.values())) > 1:
        told = ", ".join(f"{text} {count}" for text, count in counts.items())
        raise OptionError(f"every array needs one row a variant, but they have {told}")
    return found


def varied_by(plant: Plant, numbers: Mapping[str, np.ndarray], count: int) -> Variants:
    """Variants from arrays that `numbers_for` has fitted; raises OptionError on a number that cannot be."""
    check(BATCH, features_of(plant))
    addresses = [address_of(plant, text) for text in numbers]
    _check_apart(addresses)
    parts: dict[int, np.ndarray] = {}

    def part(place: int) -> np.ndarray:
        if place not in parts:
            parts[place] = np.repeat(reals_of(plant.pack, place)[None], count, axis=0)
        return parts[place]

    remade = any(address.remade for address in addresses)
    for address in sorted(addresses, key=lambda one: one.following is None):  # a stiffness that is named comes after
        values = numbers[address.text]
        _check_numbers(address, values)
        for place in address.places:
            part(place.part)[:, place.entries] = place.factor * values[:, place.columns]
        for curve in address.curves:
            columns = values[:, curve.columns]
            part(curve.part)[:, curve.entries] = [curve.slopes(row) for row in columns]
        if address.following is not None:
            firmer, follow = address.following.stiffness(values), address.following.rows
            part(STIFFNESS)[:, follow] = firmer
            if address.following.lag:
                part(CABLE_DAMPING)[:, follow] = address.following.damping(firmer)
    if "gravity" in numbers and not remade:
        parts[WEIGHT] = weight_rows(plant, numbers["gravity"])
    if STIFFNESS in parts and not remade:
        rows = [_scales(plant, stiffness) for stiffness in parts[STIFFNESS]]
        parts[SCALE], parts[FASTEST] = (np.array([row[k] for row in rows]) for k in (0, 1))
    _check_lengths(plant, parts.get(DRIVE_DATA))
    _check_damping(plant, parts.get(CABLE_DAMPING))
    _check_frictions(plant, parts)
    places, speeds = (numbers.get(name, _same(getattr(plant, name), count)) for name in ("positions", "velocities"))
    gravity = numbers.get("gravity")
    if not remade:
        return Variants(plant, count, places, speeds, parts, gravity)
    masses = tuple((address, numbers[address.text]) for address in addresses if address.remade)
    return Remade(plant, count, places, speeds, parts, gravity, masses)


def _same(own: np.ndarray, count: int) -> np.ndarray:
    return np.broadcast_to(own, (count, *own.shape))


def _check_apart(addresses: Sequence[Address]) -> None:
    """No number is named by two addresses."""
    owner: dict[tuple[object, ...], str] = {}
    for address in addresses:
        named: list[tuple[object, ...]] = [(p.part, int(e)) for p in address.places for e in p.entries]
        named += [(name,) for name in address.names] if address.remade else []
        for one in named:
            if owner.setdefault(one, address.text) != address.text:
                raise OptionError(f'"{owner[one]}" and "{address.text}" name the same number; leave one of them out')


def _check_numbers(address: Address, values: np.ndarray) -> None:
    bad = ~np.isfinite(values)
    if address.quantity in NOT_BELOW_ZERO:
        bad |= values < 0.0
    if address.quantity == "mass" and not address.text.startswith("node:"):
        bad |= values == 0.0
    if address.quantity == "restitution":
        bad |= values > 1.0
    if address.following is not None:
        bad[:, address.following.columns] |= values[:, address.following.columns] == 0.0
    if bad.any():
        row, *place = np.argwhere(bad)[0]
        name = address.names[place[0]] if len(address.names) > 1 else address.names[0]
        raise OptionError(
            f'"{address.text}" of variant {row} is {values[bad][0]:g} for {name}, which it cannot be'
            if name != address.text
            else f'"{address.text}" of variant {row} holds {values[bad][0]:g}, which it cannot be'
        )


def _check_damping(plant: Plant, damping: np.ndarray | None) -> None:
    """Methods are chosen, and steps begun, by whether the plant damps."""
    if damping is not None and damping.any() and not plant.dampers:
        raise OptionError(
            "damping of cables varies, and the plant has none: how steps begin hangs on that; assemble it with some, "
            'as structure.changed("cable:*", damping=1.0), and let variants have zero'
        )


def _check_frictions(plant: Plant, parts: Mapping[int, np.ndarray]) -> None:
    """What slides is not held by more than what rests."""
    for places in FRICTIONS:
        if not any(place in parts for place in places):
            continue
        held, sliding = np.broadcast_arrays(*(parts.get(place, reals_of(plant.pack, place)[None]) for place in places))
        if (sliding > held).any():
            row, contact = np.argwhere(sliding > held)[0]
            raise OptionError(
                f"friction {sliding[row, contact]:g} of variant {row} is more than its ground's static friction "
                f"{held[row, contact]:g}; vary static_friction too, or leave it out of the ground"
            )


def _check_lengths(plant: Plant, data: np.ndarray | None) -> None:
    """No drive takes a length to zero, or a tension below."""
    if data is None:
        return
    table, own = tabulated_drives(plant.given), plant.tables["drives"].own
    for k, driven in enumerate(plant.given.driven):
        least, lowest = QUANTITIES[driven.drive.quantity].least, _lowest(table, k, data)
        if not least or lowest is None:
            continue
        reached = own[k] + lowest
        low = reached <= 0.0 if least == "zero or less" else reached < 0.0
        if low.any():
            row, unit = int(np.argmax(low)), QUANTITIES[driven.drive.quantity].unit
            raise OptionError(
                f'variant {row}: the drive "{driven.label}" takes the {driven.drive.quantity} to {reached[row]:.4g} '
                f"{unit}, and it can never be {least}"
            )


def _lowest(table: Tabulated, k: int, data: np.ndarray) -> np.ndarray | None:
    """(N,) the least that a signal of one wave or table can be; None for others."""
    found = plain_parts(table, k)
    kind, at = found[0]
    if len(found) > 1 or kind not in (SINUSOID, TABLE, STEPS):
        return None
    if kind == SINUSOID:
        lowest = data[:, at] - np.abs(data[:, at + 1])
    else:
        count = int(data[0, at])
        lowest = data[:, at + 1 + count : at + 1 + 2 * count].min(axis=1)
    return np.asarray(np.minimum(lowest, 0.0) if table.kind[k] == COMPOUND else lowest)  # what is let in begins at zero


def _scales(plant: Plant, stiffness: np.ndarray) -> tuple[list[float], list[float]]:
    """What `assemble` says of a typical length and time, and of the fastest member, with these stiffnesses."""
    springs = plant.tables["springs"]._replace(stiffness=stiffness)
    slowness = slowness_of(plant.given, plant.tables["thin"], springs)
    fastest = 2.0 * np.pi / shortest_period(plant.spec, {**plant.tables, "springs": springs})
    return [plant.typical_length, slowness], [fastest]


def _rescale(plant: Plant, stiffness: np.ndarray) -> None:
    reals_of(plant.pack, SCALE)[:], reals_of(plant.pack, FASTEST)[:] = _scales(plant, stiffness)
