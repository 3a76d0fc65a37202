"""A cable between two pulleys of a tree: wound on both, straight between them."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from taut.errors import Problem, suggestion
from taut.reprs import brief
from taut.type_checks import conform, known_fields

SIDES = {"left": 1.0, "right": -1.0}


@known_fields
@dataclass(frozen=True, slots=True)
class SpanCable:
    """A cable that leaves one pulley along a tangent and arrives at another one in the same plane.

    pulleys: names of the revolute joints that carry them; centres are the bodies' origins, axes are parallel and in one
        sense. radii: [m]. stiffness: E A [N], and damping: mu A [N s], by strain and by its rate.
    natural: length [m] without force of the part between the pulleys at the start; None for that of no strain.
    side: of the first pulley that the cable leaves on, seen along the axis from above in the way it goes. crossed:
        whether it arrives on the other side of the second one, between the centres.
    wound: how much cable [m] is on each pulley at the start; None for any amount. A pulley without any ends the run.
    """

    name: str
    pulleys: tuple[str, str]
    radii: tuple[float, float]
    stiffness: float
    damping: float = 0.0
    natural: float | None = None
    side: str = "left"
    crossed: bool = False
    wound: tuple[float | None, float | None] = (None, None)

    __repr__ = brief

    def __post_init__(self) -> None:
        conform(self, "spans", str(self.name))


def span_problems(spans: Iterable[SpanCable], kinds: Mapping[str, str]) -> Iterator[Problem]:
    """kinds: of the tree's joints, by name."""
    named = {name for name, kind in kinds.items() if kind == "involute"}
    for span in spans:
        if span.name in named:
            yield Problem(("spans", span.name), "is the name of another cable; give every cable a name of its own")
        named.add(span.name)
        yield from _own_problems(span, kinds)


def _own_problems(span: SpanCable, kinds: Mapping[str, str]) -> Iterator[Problem]:
    at = ("spans", span.name)
    for name in span.pulleys:
        if name not in kinds:
            yield Problem(at, f'is wound on "{name}", which is no joint of the tree{suggestion(name, kinds)}')
        elif kinds[name] != "revolute":
            yield Problem(at, f'is wound on "{name}", which is {kinds[name]}; pulleys turn on revolute joints')
    if span.pulleys[0] == span.pulleys[1]:
        yield Problem(at, "goes from a pulley to itself; name two")
    numbers = [*(("radius", radius) for radius in span.radii), ("stiffness", span.stiffness)]
    numbers += [("natural length", span.natural)] if span.natural is not None else []
    for what, number in numbers:
        if not (math.isfinite(number) and number > 0.0):
            yield Problem(at, f"has a {what} of {number:g}; give a finite number more than zero")
    numbers = [("damping", span.damping), *(("wound part", there) for there in span.wound if there is not None)]
    for what, number in numbers:
        if not (math.isfinite(number) and number >= 0.0):
            yield Problem(at, f"has a {what} of {number:g}; give a finite number, zero or more")
    if span.side not in SIDES:
        yield Problem(at, f'leaves on the "{span.side}"; say left or right{suggestion(span.side, SIDES)}')
