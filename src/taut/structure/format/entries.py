"""What all entries of a model file have in common.

Every value arrives as text (see `lines.py`) and gets its type from a schema. A key without a value counts as left out.
"""

from __future__ import annotations

from typing import Annotated, Any

from annotated_types import Interval, Len
from pydantic import BaseModel, BeforeValidator, ConfigDict, StringConstraints, model_validator
from pydantic_core import PydanticCustomError

from taut.structure.magnitudes import LARGEST

NAME_LIMIT = 200
"""Characters in a name; YAML itself ends a key at 1024."""

Name = Annotated[str, StringConstraints(max_length=NAME_LIMIT)]
Number = Annotated[float, Interval(ge=-LARGEST, le=LARGEST)]
Vector = Annotated[list[Number], Len(3, 3)]


def _named_pair(direction: Any) -> Any:
    """A direction as a list: [bar:left], two nodes, or three whose plane's normal is meant."""
    return [direction] if isinstance(direction, str) else direction


DirectionEntry = Annotated[list[Name], Len(1, 3), BeforeValidator(_named_pair)]


def sentence(text: str) -> PydanticCustomError:
    """An error that is already said in plain words."""
    return PydanticCustomError("sentence", "{text}", {"text": text})


class Entry(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, allow_inf_nan=False)

    @model_validator(mode="before")
    @classmethod
    def _given(cls, data: Any) -> Any:
        data = cls.long_form(data)
        return {key: value for key, value in data.items() if value is not None} if isinstance(data, dict) else data

    @classmethod
    def long_form(cls, data: Any) -> Any:
        """Write a short form out, such as the bare route of a cable."""
        return data

    def own(self) -> dict[str, Any]:
        """The fields that the file gives."""
        return {name: getattr(self, name) for name in self.model_fields_set}


def one_form(given: set[str], forms: dict[str, tuple[str, ...]]) -> str:
    """Which of its forms an entry has; each goes with certain other keys only."""
    said = [form for form in forms if form in given]
    if len(said) != 1:
        raise sentence(f"must say one of {', '.join(forms)}" + (f", not {' and '.join(said)}" if said else ""))
    strays = sorted(given - {said[0], *forms[said[0]]})
    if strays:
        raise sentence(f'"{strays[0]}" does not go with {said[0]}')
    return said[0]
