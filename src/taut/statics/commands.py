"""Cables of which a tension, a force density or a length is given, and pneumatic bars: what statics makes of them.

    mode            tension                       energy            stiffness
    spring          k (L - rest)                  k (L - rest)^2/2  k g g^T + T H
    tension         T, whatever the length        T L               T H
    force_density   q L                           q L^2 / 2         q g g^T + T H
    length          a multiplier, L <= command    0                 T H, and g keeps its length

with the length L of the whole route, its gradient g and its second derivative H by the nodes.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

import numpy as np

from taut.structure import properties
from taut.structure.records import Bar, Cable
from taut.structure.structure import Structure

UNITS = {"tension": "N", "force_density": "N/m", "length": "m"}


def rest_lengths(structure: Structure, cables: Iterable[Cable]) -> np.ndarray:
    """[m] of cables; of a held one the length that it is held at."""
    return np.array([held_length(structure, c) or properties.rest_length(structure, c) for c in cables], dtype=float)


def held_length(structure: Structure, cable: Cable) -> float | None:
    """[m] at which a cable is held; None where it is not."""
    if cable.mode != "length":
        return None
    return properties.held_length(structure, cable)


def given(cables: Iterable[Cable]) -> np.ndarray:
    """The tension [N] or force density [N/m] that is commanded; zero for other cables."""
    return np.array([c.command if c.mode in ("tension", "force_density") else 0.0 for c in cables], dtype=float)


def pushed(bars: Iterable[Bar]) -> np.ndarray:
    """The tension [N] that is commanded to bars, a push below zero; zero for other bars than pneumatic ones."""
    return np.array([-(bar.force or 0.0) if bar.law == "pneumatic" else 0.0 for bar in bars], dtype=float)


def bar_mode(bar: Bar) -> str:
    """What a bar is among the modes of cables."""
    return "tension" if bar.law == "pneumatic" else "spring"


def pulling(structure: Structure, cable: Cable, tension: float) -> Cable:
    """The cable with the rest length or the command with which it pulls so [N] where it is."""
    length = properties.route_length(structure, cable.route)
    if cable.mode == "length" and cable.command is not None and abs(cable.command - length) <= 1e-12 * length:
        return cable  # not off by round-off
    commands = {"tension": tension, "force_density": tension / length if length else 0.0, "length": length}
    if cable.mode in commands:
        return replace(cable, command=float(commands[cable.mode]))
    return properties.with_fields(structure, cable, {"tension": tension})  # type: ignore[no-any-return]


def standing_cable(structure: Structure, cable: Cable, rest_length: float, command: float) -> Cable:
    """A cable of the structure with all that it was by its old shape written out, to be put into another shape."""
    if cable.mode == "spring":
        return cable if cable.rest_length == rest_length else replace(cable, rest_length=float(rest_length))
    mass = properties.cable_mass(structure, cable) or cable.mass
    return replace(cable, command=float(rest_length if cable.mode == "length" else command), mass=mass)
