"""An Event: something that happened at an instant of a run, in words."""

from __future__ import annotations

from dataclasses import dataclass

from taut.reprs import brief
from taut.type_checks import known_fields

COLLISIONS = ("through", "touching")
"""What an event is called by which two members passed through or touched one another."""


@known_fields
@dataclass(frozen=True, slots=True)
class Event:
    """Something that happened at an instant [s] of a run, in words: 'cable "c7" slack'.

    subject: the cable, or the name of what was watched. change: "slack", "taut", "rising", "falling" and so on.
    Of a collision: "cable:c3 bar:y1", and "through" or "touching".
    """

    time: float
    name: str
    subject: str = ""
    change: str = ""

    __repr__ = brief

    def __str__(self) -> str:
        return f"{self.name} at {self.time:.6g} s"
