"""Points of bodies that touch grounds."""

from __future__ import annotations

import itertools
import math
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass

from taut.errors import Problem, suggestion
from taut.reprs import brief
from taut.structure.bodies import ORIGIN, Vector
from taut.type_checks import checked_arguments, conform, known_fields


@known_fields
@dataclass(frozen=True, slots=True)
class ContactPoint:
    """A point of a body that grounds touch: a node to them, which `Ground.touched_by` selects by its name.

    body: name of the body it belongs to. at: its place in that body [m].
    """

    name: str
    body: str
    at: Vector = ORIGIN

    __repr__ = brief

    def __post_init__(self) -> None:
        conform(self, "points", str(self.name))

    @staticmethod
    @checked_arguments
    def corners(body: str, sides: Vector, *, centre: Vector = ORIGIN) -> tuple[ContactPoint, ...]:
        """The eight corners of a box as `Body.box` has it, "body corner 1" to 8."""
        ends = itertools.product(*((c - 0.5 * s, c + 0.5 * s) for c, s in zip(centre, sides, strict=True)))
        return tuple(ContactPoint(f"{body} corner {k}", body, (x, y, z)) for k, (x, y, z) in enumerate(ends, 1))


def point_problems(points: Iterable[ContactPoint], bodies: Collection[str]) -> Iterator[Problem]:
    """bodies: names of those that the tree has."""
    named = set[str]()
    for point in points:
        at = ("points", point.name)
        if point.name in named:
            yield Problem(at, "is there twice; give every point a name of its own")
        named.add(point.name)
        if point.name in bodies:
            yield Problem(at, "is the name of a body; give the point another one")
        if point.body not in bodies:
            yield Problem(at, f'is on "{point.body}", which is no body of the tree{suggestion(point.body, bodies)}')
        if not all(map(math.isfinite, point.at)):
            yield Problem(at, f"is at {point.at}; give finite numbers")
