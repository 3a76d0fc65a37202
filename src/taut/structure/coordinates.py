"""Coordinates of a plant that are not those of its nodes: maps given as functions, and drives of coordinates."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from taut.errors import Problem, suggestion
from taut.reprs import brief
from taut.structure.signal_checks import signal_problems
from taut.structure.signals import Signal
from taut.type_checks import conform, known_fields

if TYPE_CHECKING:
    from taut.structure.structure import Structure

DRIVEN = ("value", "force")


@known_fields
@dataclass(frozen=True, slots=True)
class CoordinateMap:
    """Nodes as a function of coordinates: function(q) of an array (m,) returns where nodes are, (n, 3) [m].

    function: smooth, of numpy or compiled by numba (njit), whose derivatives are taken by complex steps: it is called
        with complex numbers too, and must not drop their imaginary part (no abs, no norm, no atan2, no comparison).
    names: of the coordinates. values, rates: at the start; rates are zero where not given.
    nodes: those that it places, in this order; all that no support holds where not given. Others keep coordinates of
        their own.
    stiffness: of a spring at each coordinate, relaxed at `rest`, its values where not given. damping: at each.
    """

    function: Callable[[np.ndarray], Any]
    names: tuple[str, ...]
    values: tuple[float, ...]
    rates: tuple[float, ...] = ()
    nodes: tuple[str, ...] = ()
    stiffness: tuple[float, ...] = ()
    damping: tuple[float, ...] = ()
    rest: tuple[float, ...] = ()

    __repr__ = brief

    def __post_init__(self) -> None:
        conform(self, "map")

    def placed(self, structure: Structure) -> tuple[str, ...]:
        """The nodes that it places."""
        held = structure.supported_nodes
        return self.nodes or tuple(node for node in structure.nodes if node not in held)


@known_fields
@dataclass(frozen=True, slots=True)
class CoordinateDrive:
    """What a signal decides of a coordinate.

    quantity: "value", which is imposed with its rate and acceleration, at the cost of a force that the run tells as
        a multiplier; or "force", which acts on it: a torque [N m] where it is an angle.
    to: the signal, [rad] or [m], [N m] or [N].
    """

    coordinate: str
    quantity: str
    to: Signal

    __repr__ = brief

    def __post_init__(self) -> None:
        conform(self, "drives", str(self.coordinate))


def problems_of_map(structure: Structure, given: CoordinateMap) -> Iterator[Problem]:
    """All that can be said without calling it."""
    count, held = len(given.names), structure.supported_nodes
    if not count:
        yield Problem(("map", "names"), "there is no coordinate; name them")
    for name in given.names:
        if given.names.count(name) > 1:
            yield Problem(("map", "names"), f'"{name}" stands there twice; rename one')
            break
    for key in ("values", "rates", "stiffness", "damping", "rest"):
        numbers = getattr(given, key)
        if len(numbers) != count and (numbers or key == "values"):
            yield Problem(("map", key), f"has {len(numbers)} numbers for {count} coordinates; give {count}")
    yield from number_problems(given, ("map",))
    for node in given.nodes:
        if node not in structure.nodes:
            yield Problem(("map", "nodes"), f'no node "{node}"{suggestion(node, structure.nodes)}')
        elif node in held:
            yield Problem(("map", "nodes"), f'node "{node}" is held by a support; take the support away, or the node')
        elif given.nodes.count(node) > 1:
            yield Problem(("map", "nodes"), f'node "{node}" stands there twice')


def number_problems(given: Any, path: tuple[str, ...]) -> Iterator[Problem]:
    """Of numbers of coordinates, of a map or of a joint."""
    for key in ("values", "rates", "rest"):
        if not all(map(math.isfinite, getattr(given, key))):
            yield Problem((*path, key), f"{list(getattr(given, key))} must be finite numbers")
    for key in ("stiffness", "damping"):
        if not all(math.isfinite(number) and number >= 0.0 for number in getattr(given, key)):
            yield Problem((*path, key), f"{list(getattr(given, key))} must be finite numbers, zero or more")


def problems_of_drives(names: Sequence[str], drives: Sequence[CoordinateDrive]) -> Iterator[Problem]:
    """names: of all coordinates."""
    imposed: set[str] = set()
    for drive in drives:
        path = ("drives", drive.coordinate)
        if drive.coordinate not in names:
            yield Problem(path, f'no coordinate "{drive.coordinate}"{suggestion(drive.coordinate, names)}')
        if drive.quantity not in DRIVEN:
            yield Problem(path, f'"{drive.quantity}" is not one of {", ".join(DRIVEN)}')
        for found in signal_problems(drive.to, "length" if drive.quantity == "value" else "force"):
            yield Problem((*path, *found.path), found.message)
        if drive.quantity == "value" and drive.coordinate in imposed:
            yield Problem(path, "its value is imposed twice; take one drive away")
        imposed |= {drive.coordinate} if drive.quantity == "value" else set()
