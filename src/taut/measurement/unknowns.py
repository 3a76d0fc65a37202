"""What is to be identified: unknowns as people name them, and the parameters that they come to."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from taut.errors import OptionError, suggestion
from taut.measurement.prestress_modes import prestress_modes
from taut.reprs import brief
from taut.structure import properties
from taut.structure.records import Bar, Cable
from taut.structure.scenario import Damping
from taut.structure.selectors import select
from taut.structure.structure import Structure
from taut.type_checks import conform, known_fields

Key = tuple[str, str, str]
"""Kind, name and quantity: ("cable", "a1", "rest_length")."""

KINDS = {
    "stiffness": ("cable", "bar"),
    "rest_length": ("cable", "bar"),
    "length": ("bar", "cable"),
    "prestress": ("cable",),
    "mass": ("node", "bar", "cable"),
    "damping": ("cable", "bar"),
}
"""What has a quantity."""

UNITS = {"stiffness": "N/m", "rest_length": "m", "length": "m", "prestress": "N", "mass": "kg", "damping": "N s/m"}
DAMPING = {"node": "N s/m", "mass": "1/s", "stiffness": "s"}
START = {"position": "m", "velocity": "m/s"}


@known_fields
@dataclass(frozen=True, slots=True)
class Unknown:
    """A quantity that is not known, of all that a selector names.

    quantity: "stiffness" [N/m] of cables and compressible bars, or their E A [N] where it follows from a material;
        "rest_length" [m] of cables and compressible bars; "length" [m] of rigid bars and held cables; "prestress" [N]
        of cables, along the self-stress states of the drawn shape; "mass" [kg] of point masses on nodes, of bars and
        cables; "damping" [N s/m] of cables and compressible bars.
        With the selector "damping", a field of the scenario's `taut.Damping`: "node", "mass" or "stiffness".
        With the selector "start", "position" or "velocity" of the whole structure at the start of a motion.
    together: one factor for all of them, instead of a number for each.
    start: where the search begins, for each, or for the factor; the structure's own if None.
    """

    selector: str
    quantity: str
    together: bool = False
    start: float | None = None

    __repr__ = brief

    def __post_init__(self) -> None:
        conform(self, "Unknown")


@dataclass(frozen=True)
class Parameter:
    """One number to be found.

    keys, slopes: what it decides, and how fast. A parameter of a prestress has the forces of its mode as slopes.
    positive: it is more than zero, and searched for by its logarithm. scale: a large change of one that is not.
    """

    name: str
    unit: str
    unknown: int  # its place among the unknowns
    start: float
    keys: tuple[Key, ...]
    slopes: tuple[float, ...]
    positive: bool = True
    scale: float = 1.0

    __repr__ = brief


def parameters_of(
    structure: Structure, unknowns: Sequence[Unknown], damping: Damping | None, starts: int
) -> tuple[Parameter, ...]:
    """Of a structure with its numbers written out; raises OptionError where an unknown does not apply.

    damping: of the motions, None where there is none. starts: how many motions there are.
    """
    if not unknowns:
        raise OptionError('nothing is unknown; name something, such as Unknown("cable:*", "stiffness")')
    found: list[Parameter] = []
    owner: dict[Key, str] = {}
    for place, unknown in enumerate(unknowns):
        added = _resolved(structure, unknown, place, damping, starts)
        keys = dict.fromkeys(key for one in added for key in one.keys)
        for key in keys:
            if key in owner:
                raise OptionError(f"{_told(key)} is unknown twice, by {owner[key]} and {_call(unknown)}; leave one out")
        owner |= dict.fromkeys(keys, _call(unknown))
        found += added
    return tuple(found)


def _resolved(
    structure: Structure, unknown: Unknown, place: int, damping: Damping | None, starts: int
) -> list[Parameter]:
    if unknown.start is not None and not (math.isfinite(unknown.start) and unknown.start > 0.0):
        raise OptionError(f"{_call(unknown)}: start = {unknown.start!r} must be more than zero and finite")
    if unknown.selector == "damping":
        return [_of_scenario(unknown, place, damping)]
    if unknown.selector == "start":
        return _of_start(structure, unknown, place, starts)
    if unknown.quantity not in KINDS:
        hint = suggestion(unknown.quantity, KINDS)
        raise OptionError(f'{_call(unknown)}: "{unknown.quantity}" is not one of {", ".join(KINDS)}{hint}')
    kind, names = select(structure, unknown.selector)
    if kind not in KINDS[unknown.quantity]:
        wanted = " and ".join(f"{one}s" for one in KINDS[unknown.quantity])
        raise OptionError(f"{_call(unknown)}: {unknown.quantity} is a property of {wanted}, not of {kind}s")
    if unknown.quantity == "prestress":
        return _of_prestress(structure, unknown, place, names)
    values = {name: own_value(structure, kind, name, unknown.quantity) for name in names}
    for name, value in values.items():
        if not value > 0.0 and (unknown.start is None or unknown.together):
            key = _told((kind, name, unknown.quantity))
            raise OptionError(f"{key} is zero, from which a search cannot start; give it a value, or say start=...")
    if unknown.together:
        keys = tuple((kind, name, unknown.quantity) for name in names)
        whole = f"{kind}:{unknown.selector.removeprefix(f'{kind}:')}.{unknown.quantity}"
        return [Parameter(whole, "", place, unknown.start or 1.0, keys, tuple(values.values()))]
    return [
        Parameter(
            f"{kind}:{name}.{unknown.quantity}",
            _unit(structure, kind, name, unknown.quantity),
            place,
            unknown.start or value,
            ((kind, name, unknown.quantity),),
            (1.0,),
        )
        for name, value in values.items()
    ]


def own_value(structure: Structure, kind: str, name: str, quantity: str) -> float:
    """What a structure says itself; raises OptionError where it has no such thing."""
    if kind == "node":
        return structure.point_masses.get(name, 0.0)
    member: Bar | Cable = structure.bars[name] if kind == "bar" else structure.cables[name]
    if wrong := _misplaced(member, quantity):
        raise OptionError(f'{kind} "{name}" is {wrong}')
    if quantity == "mass":
        known = properties.bar_mass(structure, member) if isinstance(member, Bar) else member.mass
        return known or 0.0
    if quantity == "damping":
        return member.damping
    if quantity in ("rest_length", "length"):
        return natural_length(structure, member)
    return member.stiffness if member.stiffness is not None else (properties.axial_rigidity(member) or 0.0)


def natural_length(structure: Structure, member: Bar | Cable) -> float:
    """Without force, or at which it is held [m]."""
    if isinstance(member, Bar):
        return properties.bar_length(structure, member)
    if member.mode == "length":
        return properties.held_length(structure, member)
    return properties.rest_length(structure, member)


def _misplaced(member: Bar | Cable, quantity: str) -> str:
    """Why a member has no such quantity, and what to ask for instead."""
    state = member.law if isinstance(member, Bar) else member.mode
    told = state if isinstance(member, Bar) else f"of mode {state}"
    if quantity in ("stiffness", "rest_length", "damping") and state not in ("compressible", "spring"):
        other = '; ask for its "length"' if quantity == "rest_length" and state in ("rigid", "length") else ""
        return f"{told}, so it has no {quantity}{other}"
    if quantity == "length" and state not in ("rigid", "length"):
        other = '; ask for its "rest_length"' if state in ("compressible", "spring") else ""
        return f"{told}, so nothing keeps its length{other}"
    return ""


def _unit(structure: Structure, kind: str, name: str, quantity: str) -> str:
    if quantity == "stiffness":
        member: Bar | Cable = structure.bars[name] if kind == "bar" else structure.cables[name]
        return "N/m" if member.stiffness is not None else "N"
    return UNITS[quantity]


def _of_prestress(structure: Structure, unknown: Unknown, place: int, names: tuple[str, ...]) -> list[Parameter]:
    for name in names:
        own_value(structure, "cable", name, "rest_length")  # which it must have
    if unknown.together or unknown.start is not None:
        raise OptionError(f"{_call(unknown)}: a prestress has a number for each self-stress state; leave out the rest")
    modes, amounts = prestress_modes(structure, names)
    keys = tuple(("cable", name, "rest_length") for name in names)
    whole = f"cable:{unknown.selector.removeprefix('cable:')}.prestress"
    label = (whole,) if len(amounts) == 1 else tuple(f"{whole} {k + 1}" for k in range(len(amounts)))
    size = float(np.abs(amounts).max()) or 1.0
    return [
        Parameter(label[k], "N", place, float(amounts[k]), keys, tuple(modes[k].tolist()), positive=False, scale=size)
        for k in range(len(amounts))
    ]


def _of_scenario(unknown: Unknown, place: int, damping: Damping | None) -> Parameter:
    if unknown.quantity not in DAMPING:
        hint = suggestion(unknown.quantity, DAMPING)
        raise OptionError(f'{_call(unknown)}: "{unknown.quantity}" is not one of {", ".join(DAMPING)}{hint}')
    if damping is None:
        raise OptionError(f"{_call(unknown)}: nothing at rest depends on damping; give a motion")
    start = unknown.start or float(getattr(damping, unknown.quantity))
    if not start > 0.0:
        raise OptionError(f"{_call(unknown)}: it is zero, from which a search cannot start; say start=...")
    key = ("damping", "", unknown.quantity)
    return Parameter(f"damping.{unknown.quantity}", DAMPING[unknown.quantity], place, start, (key,), (1.0,))


def _of_start(structure: Structure, unknown: Unknown, place: int, starts: int) -> list[Parameter]:
    from taut.measurement.start_motions import free_starts

    if unknown.quantity not in START:
        hint = suggestion(unknown.quantity, START)
        raise OptionError(f'{_call(unknown)}: "{unknown.quantity}" is not one of {", ".join(START)}{hint}')
    if not starts:
        raise OptionError(f"{_call(unknown)}: nothing at rest depends on a start; give a motion")
    count = free_starts(structure).shape[1]
    size = float(np.ptp(structure.positions, axis=0).max()) * (0.01 if unknown.quantity == "position" else 1.0)
    return [
        Parameter(
            f"start{'' if starts == 1 else f' {motion + 1}'}.{unknown.quantity} {k + 1}",
            START[unknown.quantity],
            place,
            0.0,
            (("start", f"{motion}", f"{unknown.quantity} {k}"),),
            (1.0,),
            positive=False,
            scale=size,
        )
        for motion in range(starts)
        for k in range(count)
    ]


def _told(key: Key) -> str:
    kind, name, quantity = key
    return f'{quantity} of {kind} "{name}"' if name else f"{kind}.{quantity}"


def _call(unknown: Unknown) -> str:
    return f'Unknown("{unknown.selector}", "{unknown.quantity}")'
