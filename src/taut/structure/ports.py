"""Quantities by name, "node:top.position.z": what inputs and outputs of linear models and sensors are called."""

from __future__ import annotations

from typing import NamedTuple

from taut.errors import SelectionError, suggestion
from taut.reprs import with_article
from taut.structure.records import AXES
from taut.structure.selectors import select
from taut.structure.structure import Structure


class Port(NamedTuple):
    """One quantity: of what kind of thing, its name, which quantity, and along which axis."""

    kind: str
    name: str
    quantity: str
    axis: str = ""

    def __str__(self) -> str:
        return f"{self.kind}:{self.name}.{self.quantity}" + (f".{self.axis}" if self.axis else "")


def taken_apart(
    structure: Structure, text: str, known: tuple[str, ...], complaint: str, *, axed: bool
) -> tuple[str, str, str]:
    """Pattern, quantity and axes in a text that begins with a kind; a name may have dots of its own.

    known: quantities of that kind. axed: whether they have axes. complaint: what is said of others, "is no input of".
    """
    kind, _, rest = text.partition(":")
    if rest in getattr(structure, f"{kind}s") or rest in structure.groups:
        return rest, "", ""
    words, quantity, axes = rest.split("."), "", ""
    if axed and len(words) > 1 and words[-1] and set(words[-1]) <= set(AXES):
        axes = words.pop()
    if len(words) > 1 and words[-1] in known:
        quantity = words.pop()
    pattern = ".".join(words)
    if _selects_nothing(structure, f"{kind}:{pattern}"):
        wrong = next((each for each in words[1:] if each not in known), "")
        if wrong and not _selects_nothing(structure, f"{kind}:{words[0]}"):
            allowed = [*known, *AXES] if axed else known
            known_ones = f"there are {', '.join(allowed)}{suggestion(wrong, allowed)}"
            raise SelectionError(f'"{text}": "{wrong}" {complaint} {with_article(kind)}; {known_ones}')
    return pattern, quantity, axes


def _selects_nothing(structure: Structure, selector: str) -> bool:
    try:
        return not select(structure, selector)[1]
    except SelectionError:
        return True
