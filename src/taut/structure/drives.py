"""Which members a Drive drives, from which value on, and what is wrong with it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from taut.errors import Problem, SelectionError, suggestion
from taut.structure import properties
from taut.structure.angles import Angle, angle_value
from taut.structure.magnitudes import size_problem
from taut.structure.records import Bar, Cable
from taut.structure.scenario import Drive
from taut.structure.signal_checks import signal_problems
from taut.structure.structure import Structure


class Quantity(NamedTuple):
    """What can be driven. smooth: whether its rate may not jump, since no force could follow."""

    unit: str
    smooth: bool
    least: str  # what it can never be


QUANTITIES = {
    "rest_length": Quantity("m", smooth=False, least="zero or less"),
    "length": Quantity("m", smooth=True, least="zero or less"),
    "tension": Quantity("N", smooth=False, least="negative"),
    "force_density": Quantity("N/m", smooth=False, least="negative"),
    "force": Quantity("N", smooth=False, least="negative"),
    "angle": Quantity("rad", smooth=True, least=""),
    "torque": Quantity("N m", smooth=False, least=""),
}


def limit_unit(limit: str, unit: str) -> str:
    """Of a limit of a drive whose quantity has this unit."""
    return {"drum_radius": "m", "speed_limit": f"{unit}/s"}.get(limit, "N m" if unit in ("rad", "N m") else "N")


class Driven(NamedTuple):
    """One member of a drive."""

    drive: Drive
    kind: str  # "cable", "bar" or "angle"
    member: str
    label: str  # the drive's name, with the member's where the drive has several

    @property
    def unit(self) -> str:
        return QUANTITIES[self.drive.quantity].unit


def members_of(structure: Structure, drive: Drive) -> tuple[str, tuple[str, ...]]:
    """Kind and names of what a drive selects; raises SelectionError where that is nothing."""
    kind = drive.member.partition(":")[0]
    if kind not in ("cable", "bar", "angle"):
        message = f'"{drive.member}" does not say of what kind; write it as "cable:...", "bar:..." or "angle:..."'
        raise SelectionError(message)
    return kind, structure.select(drive.member)


def driven_members(structure: Structure, drives: Sequence[Drive]) -> tuple[Driven, ...]:
    """Every driven member, drive after drive; of drives without problems."""
    found: list[Driven] = []
    for drive in drives:
        kind, names = members_of(structure, drive)
        alone = len(names) == 1
        found += [Driven(drive, kind, name, drive.name if alone else f"{drive.name}:{name}") for name in names]
    return tuple(found)


def own_value(structure: Structure, kind: str, name: str) -> float:
    """What a driven quantity is without its drive: the value that `by` counts from."""
    if kind == "angle":
        angle = structure.angles[name]
        return angle.torque if angle.mode == "free" else angle_value(structure, angle)
    if kind == "bar":
        bar = structure.bars[name]
        return (bar.force or 0.0) if bar.law == "pneumatic" else properties.bar_length(structure, bar)
    cable = structure.cables[name]
    if cable.mode == "spring":
        return properties.rest_length(structure, cable)
    return cable.command if cable.command is not None else properties.route_length(structure, cable.route)


def thickening(bar: str) -> str:
    """Why a rigid cylinder is not driven."""
    return f'bar "{bar}" is a cylinder, whose thickness would change as it telescopes; say inertia: thin'


def fitting_quantity(member: Bar | Cable | Angle) -> str:
    """What of a member can be driven."""
    if isinstance(member, Angle):
        return "torque" if member.mode == "free" else "angle"
    if isinstance(member, Bar):
        return {"compressible": "rest_length", "pneumatic": "force"}.get(member.law, "length")
    return "rest_length" if member.mode == "spring" else member.mode


def drive_problems(structure: Structure, drives: Sequence[Drive]) -> list[tuple[int, Problem]]:
    """Every problem of drives, with the drive's place among them; paths begin inside it, as in ("by", "doublet")."""
    found: list[tuple[int, Problem]] = []
    owner: dict[tuple[str, str], int] = {}
    for index, drive in enumerate(drives):
        wrong = [*_own_problems(drive), *_member_problems(structure, drive)]
        if not wrong:
            kind, names = members_of(structure, drive)
            taken = [name for name in names if (kind, name) in owner]
            if taken:
                other = drives[owner[kind, taken[0]]].name
                message = f'{kind} "{taken[0]}" is driven by "{other}" already; one quantity has one drive: add signals'
                wrong.append(Problem(("member",), message))
            owner |= {(kind, name): index for name in names if (kind, name) not in owner}
        found += [(index, problem) for problem in wrong]
        if [other.name for other in drives[:index]].count(drive.name):
            found.append((index, Problem(("name",), f'another drive is called "{drive.name}" too; rename one')))
    return found


def _own_problems(drive: Drive) -> Iterator[Problem]:
    """Of what it says itself."""
    if not drive.name:
        yield Problem(("name",), "a drive needs a name, by which its outputs are called")
    quantity = QUANTITIES.get(drive.quantity)
    if quantity is None:
        known = f"{', '.join(QUANTITIES)}{suggestion(drive.quantity, QUANTITIES)}"
        yield Problem(("quantity",), f'"{drive.quantity}" is not one of {known}')
    given = [key for key in ("to", "by") if getattr(drive, key) is not None]
    if len(given) != 1:
        told = "both" if given else "neither"
        yield Problem((), f"says {told} `to` (the value itself) {'and' if given else 'nor'} `by` (its change); say one")
    elif quantity is not None:
        use = {"angle": "angle"}.get(drive.quantity, "length") if quantity.smooth else "force"
        yield from (Problem((given[0], *p.path), p.message) for p in signal_problems(getattr(drive, given[0]), use))
    for key in ("drum_radius", "speed_limit", "force_limit"):
        value, unit = getattr(drive, key), limit_unit(key, "m" if quantity is None else quantity.unit)
        if value is not None and not value > 0.0:
            yield Problem((key,), f"{value:g} {unit} must be more than zero")
        elif value is not None and (wrong := size_problem(value, unit)):
            yield Problem((key,), wrong)
    if drive.drum_radius is not None and quantity is not None and quantity.unit != "m":
        yield Problem(("drum_radius",), f"goes with a rest length or a length; {drive.quantity} winds nothing")


def _member_problems(structure: Structure, drive: Drive) -> Iterator[Problem]:
    try:
        kind, names = members_of(structure, drive)
    except SelectionError as error:
        yield Problem(("member",), str(error))
        return
    if drive.quantity not in QUANTITIES:
        return
    for name in names:
        member: Bar | Cable | Angle = getattr(structure, f"{kind}s")[name]
        fitting = fitting_quantity(member)
        if fitting != drive.quantity:
            told = "law" if isinstance(member, Bar) else "mode"
            reason = f"its {told} is {getattr(member, told)}"
            message = f'{kind} "{name}" has no {drive.quantity} to drive: {reason}; drive its {fitting} instead'
            yield Problem(("quantity",), message)
        elif isinstance(member, Bar) and member.inertia == "cylinder":
            yield Problem(("member",), thickening(name))
        elif isinstance(member, Cable) and member.segments > 1:
            message = f'cable "{name}" is cut into {member.segments} segments; drive a cable of one'
            yield Problem(("member",), message)
