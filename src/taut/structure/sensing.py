"""What sensors and controllers name: quantities that can be measured, one by one, and loads and drives."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fnmatch import fnmatchcase

from taut.errors import SelectionError, suggestion
from taut.structure.controllers import Controller, Sensor
from taut.structure.ground_checks import touching
from taut.structure.grounds import Ground
from taut.structure.ports import Port, taken_apart
from taut.structure.records import AXES
from taut.structure.scenario import Load
from taut.structure.selectors import select
from taut.structure.structure import Structure

ALONG = ("position", "velocity", "acceleration", "specific_force", "rotation_rate", "contact_force")
"""Quantities with an axis."""

CONTACT = ("contact_force", "contact_size", "contact_normal", "touch")
"""Of what touches a ground: the force on the structure along an axis, its size and its part along the normal [N], all
in the mean over the step before; and whether anything touches, 1 or 0."""

MEASURED: Mapping[str, tuple[str, ...]] = {
    "node": ("position", "velocity", "acceleration", "specific_force", *CONTACT),
    "cable": ("tension", "length", "length_rate"),
    "bar": ("tension", "length", "length_rate"),
    "angle": ("torque", "angle", "angle_rate"),
    "plate": ("specific_force", "rotation_rate"),
    "ground": CONTACT,
}
"""What can be measured; the first is meant where nothing is said."""

UNITS = {
    "position": "m",
    "velocity": "m/s",
    "acceleration": "m/s^2",
    "specific_force": "m/s^2",
    "rotation_rate": "rad/s",
    "tension": "N",
    "length": "m",
    "length_rate": "m/s",
    "torque": "N m",
    "angle": "rad",
    "angle_rate": "rad/s",
    "contact_force": "N",
    "contact_size": "N",
    "contact_normal": "N",
    "touch": "",
}

WHOLE = 1e-9
"""How far from a whole number a ratio of rates, or a delay in periods, may be by round-off."""


def quantities_of(structure: Structure, text: str, grounds: Sequence[Ground] = ()) -> list[Port]:
    """What a text means, thing after thing; raises SelectionError where that is nothing that can be measured."""
    kind, colon, _ = text.partition(":")
    if not colon or kind not in MEASURED:
        known = ", ".join(f'"{one}:..."' for one in MEASURED)
        raise SelectionError(f'"{text}" is not the name of a sensor, and does not begin with one of {known}')
    axed = MEASURED[kind][0] in ALONG
    if kind == "ground":
        names, quantity, axes = _of_grounds(text, [ground.name for ground in grounds])
    else:
        pattern, quantity, axes = taken_apart(structure, text, MEASURED[kind], "cannot be measured of", axed=axed)
        _, names = select(structure, f"{kind}:{pattern}")
    quantity = quantity or MEASURED[kind][0]
    if axes and quantity not in ALONG:
        raise SelectionError(f'"{text}": {quantity} has no axis; leave ".{axes}" out')
    along = axes or AXES if quantity in ALONG else ("",)
    return [Port(kind, name, quantity, axis) for name in names for axis in along]


def _of_grounds(text: str, known: Sequence[str]) -> tuple[tuple[str, ...], str, str]:
    """Names of grounds, the quantity and its axes."""
    words, quantity, axes = text.partition(":")[2].split("."), "", ""
    if len(words) > 1 and words[-1] and set(words[-1]) <= set(AXES):
        axes = words.pop()
    if len(words) > 1 and words[-1] in CONTACT:
        quantity = words.pop()
    pattern = ".".join(words)
    names = (pattern,) if pattern in known else tuple(name for name in known if fnmatchcase(name, pattern))
    if not names:
        hint = suggestion(pattern, known) or f"; there are {', '.join(known) or 'none'}"
        raise SelectionError(f'"{text}": no ground "{pattern}"{hint}')
    return names, quantity, axes


def untouched(structure: Structure, grounds: Sequence[Ground], one: Port) -> str:
    """Why a contact cannot be measured; nothing where it can. Of grounds without problems."""
    if one.quantity not in CONTACT:
        return ""
    soft = [ground.name for ground in grounds if ground.compliance is not None]
    if soft and (one.kind == "node" or one.name in soft):
        return f'{one} is known of rigid grounds alone, and "{soft[0]}" has a compliance; see contact_force of the run'
    if one.kind == "ground":
        return ""
    if not grounds:
        return f"{one} is that of a contact, and there is no ground to touch; give one, or measure something else"
    if any(one.name in touching(structure, ground)[0] for ground in grounds):
        return ""
    return f'node "{one.name}" may touch no ground; name it in the touched_by of one, or measure something else'


def all_sensors(
    structure: Structure, sensors: Sequence[Sensor], controllers: Sequence[Controller], grounds: Sequence[Ground] = ()
) -> tuple[Sensor, ...]:
    """The sensors, and an exact one for every quantity that controllers name themselves; of what has no problems."""
    found = {sensor.name: sensor for sensor in sensors}
    for controller in controllers:
        for name in readings_of(structure, sensors, controller.measured, grounds):
            found.setdefault(name, Sensor(name, name))
    return tuple(found.values())


def readings_of(
    structure: Structure, sensors: Sequence[Sensor], measured: Sequence[str], grounds: Sequence[Ground] = ()
) -> list[str]:
    """Names of sensors, those of exact ones being their quantities."""
    known, found = {sensor.name for sensor in sensors}, list[str]()
    for text in measured:
        found += [text] if text in known else map(str, quantities_of(structure, text, grounds))
    return found


def input_named(name: str, loads: Sequence[str], drives: Sequence[str]) -> str:
    """A load or a drive by name, as "load:name" or "drive:name"; raises SelectionError where that is none, or both."""
    known = [*(f"load:{one}" for one in loads), *(f"drive:{one}" for one in drives)]
    fitting = [one for one in known if one == name or one.partition(":")[2] == name]
    if len(fitting) > 1:
        raise SelectionError(f'"{name}" is a load and a drive; write "load:{name}" or "drive:{name}"')
    if not fitting:
        hint = suggestion(name, [*loads, *drives, *known]) or f"; there are {', '.join(known[:6]) or 'none'}"
        raise SelectionError(f'no load or drive "{name}"{hint}')
    return fitting[0]


def load_names(loads: Sequence[Load]) -> tuple[str, ...]:
    """A load's own name, or its place; those that would come twice are numbered."""
    names = [load.name or f"{load.node}.{load.axis}" for load in loads]
    return tuple(f"{n}#{names[:k].count(n) + 1}" if names.count(n) > 1 else n for k, n in enumerate(names))


def base_rate(sensors: Sequence[Sensor], controllers: Sequence[Controller]) -> float:
    """The fastest rate [Hz]; zero where nothing has one."""
    rates = [sensor.rate for sensor in sensors] + [controller.rate for controller in controllers]
    return max(filter(None, rates), default=0.0)
