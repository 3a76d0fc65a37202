"""Values and types in the words of messages: what was given, what is wanted, and how one comes by it."""

from __future__ import annotations

import numbers
import os
import types
import typing
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from taut.reprs import clipped, with_article

MADE_BY = {
    "Bar": 'taut.Bar("b1", ("a", "b"), mass=1.0)',
    "Cable": 'taut.Cable("c1", ("a", "b"), stiffness=100.0)',
    "Damping": "taut.Damping(node=0.1)",
    "Equilibrium": "taut.balance(structure) or taut.prestress(structure, {...})",
    "LinearModel": "taut.linearise(plant)",
    "Load": 'taut.Load("top", "z", -5.0)',
    "LoadCase": 'taut.statics.LoadCase(gravity=9.81, loads={"top": (0.0, 0.0, -5.0)})',
    "LoadPath": "taut.statics.path(structure, case)",
    "Material": 'taut.Material("steel", density=7850.0, youngs_modulus=2.1e11)',
    "Motion": 'taut.Motion("*", "x", displacement=signal)',
    "Plant": "taut.assemble(structure)",
    "Study": "taut.sweep(model, {...})",
    "Trajectory": "taut.simulate(taut.assemble(structure), duration)",
}
"""How the things that calls ask for are come by."""

FILED = ("Equilibrium", "Plant", "Structure", "Study", "Trajectory")
"""What someone may mean who gives the name of a file."""

COUNT = ("no", "one", "two", "three", "four")
WORDS: dict[Any, tuple[str, str]] = {
    float: ("a number", "numbers"),
    int: ("a whole number", "whole numbers"),
    str: ("a text", "texts"),
    bool: ("a bool", "bools"),
    type(None): ("None", "None"),
    complex: ("a number", "numbers"),
    Path: ("the name of a file", "names of files"),
    os.PathLike: ("the name of a file", "names of files"),
}


def told(value: Any, hint: Any) -> str:
    """What a value is, what is wanted in its place, and what to give instead where that can be said."""
    wanted, several = _named(hint)
    return f"{_given(value)}, where {wanted} {'are' if several else 'is'} wanted{_remedy(value, hint)}"


def choices_of(hint: Any) -> tuple[Any, ...]:
    """The alternatives of a union, or the one thing that is wanted."""
    if isinstance(hint, types.UnionType) or typing.get_origin(hint) is typing.Union:
        return tuple(inner for part in typing.get_args(hint) for inner in choices_of(part))
    return (hint,)


def _named(hint: Any) -> tuple[str, bool]:
    """What is wanted, in words, and whether they are plural. None goes without saying."""
    choices = [choice for choice in choices_of(hint) if choice not in (None, type(None))] or [None]
    if str in choices and any((typing.get_origin(choice) or choice) in (Path, os.PathLike) for choice in choices):
        choices.remove(str)
    told = list(dict.fromkeys(_words(choice, choices) for choice in choices))
    text = " or ".join([", ".join(told[:-1]), told[-1]]) if len(told) > 1 else told[0]
    return text, text.startswith(COUNT) or f" or {COUNT[3]}" in text


def _words(hint: Any, beside: Iterable[Any] = ()) -> str:
    origin, inner = typing.get_origin(hint) or hint, typing.get_args(hint)
    if origin in WORDS or origin is None:
        return WORDS[origin or type(None)][0]
    if origin is tuple and len({*inner}) == 1 < len(inner):
        return f"{COUNT[len(inner)]} {WORDS[inner[0]][1]}" if inner[0] in WORDS else _form(hint)
    if inner and isinstance(origin, type) and issubclass(origin, Iterable):
        if set(choices_of(inner[-1])) <= set(beside):
            return "a dict of them by name" if issubclass(origin, Mapping) else "a list of them"
        kind = "dict" if issubclass(origin, Mapping) else "tuple" if _form(hint).startswith("(") else "list"
        return f"a {kind} {_form(hint)}"
    return with_article(_class_name(origin)) if _is_class(origin) else "a function"


def _form(hint: Any) -> str:
    """What is wanted as it is written: {name: number}, [Load, ...], (number, number)."""
    choices = choices_of(hint)
    if len(choices) > 1:
        return " | ".join(dict.fromkeys(_form(choice) for choice in choices))
    origin, inner = typing.get_origin(hint) or hint, typing.get_args(hint)
    if origin in WORDS:
        return WORDS[origin][0].split()[-1]
    if inner and origin is tuple and inner[-1] is not ...:
        return f"({', '.join(map(_form, inner))})"
    if inner and isinstance(origin, type) and issubclass(origin, Mapping):
        return f"{{name: {_form(inner[1])}}}"
    if inner and isinstance(origin, type) and issubclass(origin, Iterable):
        return f"[{_form(inner[0])}, ...]"
    return origin.__name__ if _is_class(origin) else "function"


def _is_class(hint: Any) -> bool:
    return isinstance(hint, type) and hint is not Callable


def is_protocol(hint: Any) -> bool:
    return bool(getattr(hint, "_is_protocol", False))


def _class_name(kind: type) -> str:
    return kind.__name__.removesuffix("Protocol")


def _given(value: Any) -> str:
    kind = type(value)
    if value is None:
        return "is None"
    if kind in WORDS or isinstance(value, numbers.Real):
        return f"{clipped(repr(value), 60)} is {WORDS[kind if kind in (bool, str) else float][0]}"
    name = with_article("array" if kind.__name__ == "ndarray" else kind.__name__)
    short = isinstance(value, list | tuple | dict | set) and len(value) <= 4 and len(repr(value)) <= 40
    return f"{value!r} is {name}" if short else f"is {name}"


def _remedy(value: Any, hint: Any) -> str:
    """What to give instead, where that can be told."""
    nested = [inner for choice in choices_of(hint) for part in typing.get_args(choice) for inner in choices_of(part)]
    if any(isinstance(value, kind) for kind in _own(nested)):
        named = any(issubclass(typing.get_origin(choice) or object, Mapping) for choice in choices_of(hint))
        return '; put it into a dict: {"a name": ...}' if named else "; put it into a list: [...]"
    classes = [*_own(choices_of(hint)), *_own(nested)]
    for name, part in _parts(value):
        if isinstance(part, tuple(classes)):
            return f"; it has one: .{name}"
    names = [_class_name(kind) for kind in (*choices_of(hint), *nested) if _is_class(kind)]
    if isinstance(value, str | Path) and any(name in FILED for name in names):
        return "; taut.read reads files"
    made = [MADE_BY[name] for name in dict.fromkeys(names) if name in MADE_BY]
    return f": {made[0]}" if 1 <= len(made) <= 2 else ""


def _own(hints: Iterable[Any]) -> list[type]:
    """Those that are classes of taut, of which things can be."""
    return [hint for hint in hints if _is_class(hint) and hint.__module__.startswith("taut.") and not is_protocol(hint)]


def _parts(value: Any) -> Iterator[tuple[str, Any]]:
    """What a thing of taut holds, by its public name; of what it holds by name, the first."""
    if not type(value).__module__.startswith("taut."):
        return
    for name in ("structure", *getattr(type(value), "__dataclass_fields__", ())):
        part = getattr(value, name, None)
        yield name, part
        if isinstance(part, Mapping) and part:
            key, first = next(iter(part.items()))
            yield f'{name}["{key}"]', first
