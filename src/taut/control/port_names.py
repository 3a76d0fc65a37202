"""What inputs and outputs of a linear model are called.

    "node:top.force.z"  or  "node:top.z"      a force [N] at a node             (input)
    "cable:c1.rest_length"                    of a passive cable [m]            (input)
    "cable:c1.force_density"                  [N/m], beside what passive cables have, or in their place (input)
    "bar:b1.length_acceleration"              second rate of a rigid bar's length [m/s^2] (input); a compressible one
                                              has the inputs of a cable
    "angle:knee.angle_acceleration"           second rate of an angle that is held [rad/s^2] (input)
    "angle:knee.torque"                       of an angle that is free [N m], beside its spring and damper (input)
    "node:top.position.z"  or  "node:top.z"   [m], and .velocity [m/s]          (output)
    "cable:c1.tension", "bar:b1.tension"      [N], positive where it pulls, and .length [m] (output)
    "angle:knee.torque", "angle:knee.angle"   [N m], positive where it turns the angle up, and [rad] (output)
    "drive:winch"                             what a drive of the plant drives, by the drive's name (input)
    "coordinate:angle"                        of a plant in coordinates of its own: its force, position, velocity

Patterns and groups work as everywhere: "node:top*.xz", "cable:*.tension".
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from taut.errors import OptionError, SelectionError, suggestion
from taut.reprs import with_article
from taut.structure.ports import Port, taken_apart
from taut.structure.records import AXES
from taut.structure.scenario import Load
from taut.structure.selectors import select
from taut.structure.structure import Structure

INPUTS = {
    "node": ("force",),
    "cable": ("rest_length", "force_density", "tension", "length_acceleration"),
    "bar": ("rest_length", "force_density", "length_acceleration", "force"),
    "angle": ("angle_acceleration", "torque"),
}
OUTPUTS = {
    "node": ("position", "velocity"),
    "cable": ("tension", "length"),
    "bar": ("tension", "length"),
    "angle": ("torque", "angle"),
}
USUAL = ("force", "position", "tension")
"""What is meant where a quantity is left out."""

Ports = Iterable[str | Load] | str | None
"""Names or selectors; None for the usual ones: forces at, and positions of, all node coordinates that can move."""


def ports_of(structure: Structure, wanted: Ports, quantities: Mapping[str, tuple[str, ...]], word: str) -> list[Port]:
    """What the names mean, each once, in the order in which they are named."""
    if wanted is None:
        return _read(structure, "node:*", quantities, word)
    found: dict[Port, None] = {}
    for text in [wanted] if isinstance(wanted, str) else wanted:
        name = f"node:{text.node}.{quantities['node'][0]}.{text.axis}" if isinstance(text, Load) else text
        found |= dict.fromkeys(_read(structure, name, quantities, word))
    if not found:
        raise OptionError(f'there is no {word}; name one, such as {word}s=["node:{next(iter(structure.nodes))}"]')
    return list(found)


def _read(structure: Structure, text: str, quantities: Mapping[str, tuple[str, ...]], word: str) -> list[Port]:
    kind, colon, _ = text.partition(":")
    if not colon or kind not in quantities:
        select(structure, text)  # says how selectors are written, if that is what is wrong
        raise SelectionError(
            f'"{text}": {with_article(kind)} has no {word}s; there are those of {", ".join(quantities)}'
        )
    pattern, quantity, axes = taken_apart(structure, text, quantities[kind], f"is no {word} of", axed=kind == "node")
    if not quantity:
        quantity = quantities[kind][0] if quantities[kind][0] in USUAL else ""
    if not quantity:
        forms = " or ".join(f'"{text}.{each}"' for each in quantities[kind])
        raise SelectionError(f'"{text}" does not say which {word} of the {kind}: write {forms}')
    _, names = select(structure, f"{kind}:{pattern}")
    if kind != "node":
        return [Port(kind, name, quantity) for name in names]
    held = structure.supports
    ports = [
        Port(kind, name, quantity, axis) for name in names for axis in axes or AXES if axis not in held.get(name, "")
    ]
    if not ports:
        raise SelectionError(f'"{text}": supports hold all of it, so it is no {word}; name a coordinate that can move')
    return ports


def own_ports(known: tuple[str, ...], wanted: Ports, quantities: tuple[str, ...], word: str) -> list[tuple[int, str]]:
    """Coordinates by their place, and what of them, in a plant that has coordinates of its own."""
    texts = known if wanted is None else [wanted] if isinstance(wanted, str) else list(wanted)
    found = []
    for text in texts:
        name = str(text).removeprefix("coordinate:")
        quantity = quantities[0]
        if name not in known and "." in name:
            name, _, quantity = name.rpartition(".")
        if name not in known:
            hint = suggestion(name, known) or f"; there are {', '.join(known)}"
            raise SelectionError(f'"{text}": no coordinate "{name}"{hint}')
        if quantity not in quantities:
            raise SelectionError(
                f'"{text}": "{quantity}" is no {word} of a coordinate; there are {", ".join(quantities)}'
            )
        found.append((known.index(name), quantity))
    return found
