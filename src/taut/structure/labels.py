"""The labels of arrays over the parts of a structure."""

from __future__ import annotations

from taut.errors import ModelError, Problem, suggestion
from taut.structure.records import AXES
from taut.structure.structure import Structure


def labels_of(structure: Structure) -> dict[str, tuple[str, ...]]:
    """The labels of the dimensions that a structure gives."""
    return {
        "node": tuple(structure.nodes),
        "axis": tuple(AXES),
        "cable": tuple(structure.cables),
        "bar": tuple(structure.bars),
        "constraint": tuple(structure.constraints),
        "angle": tuple(structure.angles),
        "support": tuple(structure.supported_nodes),
    }


def member_names(structure: Structure) -> list[str]:
    """Of all members as selectors name them, cables first."""
    return [*(f"cable:{name}" for name in structure.cables), *(f"bar:{name}" for name in structure.bars)]


def reaction_names(structure: Structure) -> list[str]:
    """Of every component of every reaction."""
    return [f"node:{name}.reaction.{axis}" for name in structure.supported_nodes for axis in AXES]


class Named(dict[str, int]):
    """Numbers by name; a name that is not there is a problem of the model."""

    def __init__(self, what: str, numbers: dict[str, int]) -> None:
        super().__init__(numbers)
        self._what = what

    def __missing__(self, name: str) -> int:
        raise ModelError([Problem(("elements",), f'no {self._what} "{name}"{suggestion(name, self)}')])
