"""What is wrong with the form of a file, said in plain sentences instead of the schema library's words."""

from __future__ import annotations

from types import NoneType, UnionType
from typing import Annotated, Any, Union, get_args, get_origin, get_type_hints

from pydantic import BaseModel, ValidationError

from taut.errors import Problem, suggestion
from taut.structure.format.entries import NAME_LIMIT
from taut.structure.format.lines import Document, Path
from taut.structure.format.schema import VERSION, ModelEntry
from taut.structure.magnitudes import size_problem

LONGEST_QUOTE = 40


def validated(document: Document) -> tuple[ModelEntry | None, list[Problem]]:
    """The file's entries, or None and every way in which it departs from the format."""
    data = document.data
    if data is None:
        return None, [Problem((), f'is empty; a model starts with "taut: {VERSION}"', 1)]
    if not isinstance(data, dict):
        return None, [Problem((), f'must hold entries such as "nodes: ..." at its top, not {_kind(data)}', 1)]
    version = data.get("taut")
    if version is not None and version != str(VERSION):
        message = f"format version {_quoted(version)} is not known here; this taut reads version {VERSION}"
        return None, [Problem(("taut",), message, document.line(("taut",)))]
    try:
        return ModelEntry.model_validate(data), []
    except ValidationError as error:
        return None, [_problem(document, details) for details in error.errors(include_url=False)]


def _problem(document: Document, details: Any) -> Problem:
    location = tuple(part for part in details["loc"] if part != "[key]")
    path = document.trimmed(location)
    if details["type"] == "missing" and location == ("taut",):
        message = f'the key "taut" is missing; a model starts with "taut: {VERSION}"'
    elif details["type"] == "missing" and isinstance(location[-1], int):
        # A term of a constraint that is too short: the place is the whole term.
        path, message = path[: len(location) - 1], "needs a node, an axis and a coefficient, as in [n1, x, 1.0]"
    elif details["type"] == "missing":
        message = f'needs "{location[-1]}"'
    elif details["type"] == "extra_forbidden":
        key = str(location[-1])
        known = _known_keys(location[:-1])
        message = f'unknown key "{key}"{suggestion(key, known) or "; known are " + ", ".join(known)}'
        path = path[:-1]
    else:
        message = _sentence(details)
        if details["loc"][-1:] == ("[key]",):
            path = path[:-1]
    line = document.line(location)
    return Problem(path, message, line)


def _sentence(details: Any) -> str:
    kind, value, context = details["type"], details["input"], details.get("ctx", {})
    if kind == "sentence":
        return str(context["text"])
    if kind in ("too_short", "too_long"):
        wanted = context.get("min_length", context.get("max_length"))
        return f"needs {wanted} values, not {context['actual_length']}"
    if kind == "finite_number":
        return f"{value} is not a finite number"
    if kind in ("less_than_equal", "greater_than_equal"):
        return size_problem(float(value))
    if kind.startswith("float"):
        return f"{_quoted(value)} is not a number"
    if kind.startswith("int"):
        return f"{_quoted(value)} is not a whole number"
    if kind == "string_too_long":
        return f"the name {_quoted(value)} has {len(value)} characters; at most {NAME_LIMIT} are allowed"
    if kind == "string_type":
        return f"must be a name, not {_kind(value)}"
    if kind in ("list_type", "tuple_type"):
        return f"must be a list such as [a, b], not {_kind(value)}"
    if kind in ("model_type", "model_attributes_type"):
        known = _known_keys(tuple(part for part in details["loc"] if part != "[key]"))
        return f'must hold entries such as "{known[0]}: ...", not {_kind(value)}; known are {", ".join(known)}'
    if kind == "dict_type":
        return f'must hold entries such as "name: value", not {_kind(value)}'
    return f"{_quoted(value)} is not allowed here ({details['msg']})"


def _kind(value: Any) -> str:
    if isinstance(value, str):
        return f"the text {_quoted(value)}"
    return {dict: "a mapping", list: "a list", NoneType: "nothing"}.get(type(value), f"{value}")


def _quoted(value: Any) -> str:
    if not isinstance(value, str):
        return _kind(value)
    return f'"{value}"' if len(value) <= LONGEST_QUOTE else f'"{value[: LONGEST_QUOTE - 3]}..."'


def _known_keys(path: Path) -> list[str]:
    """The keys that the format knows at a path."""
    here: Any = ModelEntry
    for part in path:
        here = entry_of(here)
        if isinstance(here, type) and issubclass(here, BaseModel):
            here = get_type_hints(here, include_extras=True)[str(part)]  # a signal may hold signals
        else:
            here = get_args(here)[-1]
    here = entry_of(here)
    return list(here.model_fields)


def entry_of(annotation: Any) -> Any:
    """A type without `| None` and notes."""
    while get_origin(annotation) in (Annotated, Union, UnionType):
        annotation = next(part for part in get_args(annotation) if part is not NoneType)
    return annotation
