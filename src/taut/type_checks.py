"""Values that are not of the type they are wanted as: found where people hand them over, and told in words.

The annotations say what is wanted. `conform` holds a record against those of its fields, `checked_arguments` a call
against those of its parameters; what is called by a name that is none of them is told by `known_fields` and by
`checked_arguments`. What Python itself would take as well (a list for a tuple, an array, a number of numpy) is taken;
everything else is named, with its place and what to give instead.
"""

from __future__ import annotations

import functools
import inspect
import numbers
import operator
import os
import sys
import types
import typing
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import MISSING, fields
from pathlib import Path
from typing import Any, NamedTuple, ParamSpec, TypeVar

from taut.errors import ModelError, OptionError, Problem, suggestion
from taut.type_words import choices_of, is_protocol, told

Parameters = ParamSpec("Parameters")
Result = TypeVar("Result")
Record = TypeVar("Record")
Where = tuple[str | int, ...]


def conform(record: Any, *where: str) -> None:
    """Bring the fields of a frozen record to the types they are annotated with; raises ModelError where that fails."""
    read, names, hints, defaults, plain, tuples = _slots(record.__class__)
    values = read(record)
    if all(map(operator.contains, plain, map(type, values))):  # in C: a bar in a million pays for this
        for place, items, size in tuples:
            value = values[place]
            if type(value) is tuple and not (items.issuperset(map(type, value)) and (size < 0 or len(value) == size)):
                break
        else:
            return
    problems = list[Problem]()
    for name, hint, default, value in zip(names, hints, defaults, values, strict=True):
        if value is default or _quick(hint).sure(value):
            continue
        fitting, wrong = _fitted(value, hint, (name,))
        problems += wrong
        if not wrong and fitting is not value:
            object.__setattr__(record, name, fitting)
    if problems:
        raise ModelError(Problem((*where, *problem.path), problem.message) for problem in problems)


def known_fields(kind: type[Record]) -> type[Record]:
    """The kind of record, which says in words what is not among its fields; to be put above `@dataclass`.

    What it is called with goes on by place, through a function written for these fields: a bar in a million pays a
    thirtieth for this, and a seventh where names are packed and unpacked.
    """
    made: Any = kind.__init__
    known = [one for one in inspect.signature(made).parameters.values() if one.name != "self"]
    assert all(one.kind is inspect.Parameter.POSITIONAL_OR_KEYWORD for one in known), "fields go by place, too"
    names = ", ".join(one.name for one in known)
    needed = "".join(f" or {one.name} is _empty" for one in known if one.default is one.empty)
    lines = (
        f"def __init__(self, {', '.join(f'{one.name}=_{one.name}' for one in known)}, **_unknown):\n"
        f" if _unknown{needed}: _refuse(_unknown, self, ({names},))\n"
        f" _made(self, {names})"
    )
    scope = {f"_{one.name}": one.default for one in known}

    def refuse(unknown: dict[str, Any], record: Record, given: tuple[Any, ...]) -> None:
        if unknown:
            raise _unknown_argument(kind.__name__, next(iter(unknown)), [one.name for one in known])
        told = {one.name: value for one, value in zip(known, given, strict=True) if value is not one.empty}
        made(record, **told)  # what is missing, Python says itself

    exec(lines, scope | {"_made": made, "_refuse": refuse, "_empty": inspect.Parameter.empty}, scope)
    setattr(kind, "__init__", functools.wraps(made)(scope["__init__"]))  # noqa: B010 (mypy asks for it)
    return kind


def _unknown_argument(what: str, name: str, known: list[str]) -> TypeError:
    near = suggestion(name, known) or f"; there are {', '.join(known)}"
    return TypeError(f'{what}() has no argument "{name}"{near}')


def checked_arguments(function: Callable[Parameters, Result]) -> Callable[Parameters, Result]:
    """The function, which says in words which argument is not of the type that its annotation wants."""

    @functools.wraps(function)
    def checked(*args: Parameters.args, **kwargs: Parameters.kwargs) -> Result:
        signature, hints = _wanted(function)
        try:
            given = signature.bind(*args, **kwargs)
        except TypeError as error:
            known = [name for name in signature.parameters if name != "self"]
            unknown = [name for name in kwargs if name not in known]
            open_ended = any(one.kind is inspect.Parameter.VAR_KEYWORD for one in signature.parameters.values())
            if not unknown or open_ended:
                return function(*args, **kwargs)  # what is missing or too much, Python says itself
            raise _unknown_argument(function.__name__, unknown[0], known) from error
        for name, value in given.arguments.items():
            hint = hints.get(name)
            if hint is None:
                continue
            several = signature.parameters[name].kind
            if several is inspect.Parameter.VAR_POSITIONAL:
                hint = tuple[hint, ...]  # type: ignore[valid-type]
            elif several is inspect.Parameter.VAR_KEYWORD:
                hint = Mapping[str, hint]  # type: ignore[valid-type]
            wrong = _fitted(value, hint, (name,))[1]
            if wrong:
                hint = f"; put a * before it: {function.__name__}(*{name})" if _packed(several, value) else ""
                raise OptionError(f"{function.__name__}: {wrong[0]}{hint}")
        return function(*args, **kwargs)

    return checked


def _packed(kind: Any, value: Any) -> bool:
    """Whether a list was given where each thing goes by itself."""
    return kind is inspect.Parameter.VAR_POSITIONAL and isinstance(value[0], list | tuple)


def unlike(value: Any, hint: Any, *where: str) -> list[Problem]:
    """What makes a value another thing than the type that is wanted."""
    return _fitted(value, hint, where)[1]


class _Quick(NamedTuple):
    """What needs no second look, since structures have a million members: types, and those of a tuple's items."""

    plain: frozenset[type]
    items: frozenset[type]
    size: int  # of the tuple, or -1 for any

    def sure(self, value: Any) -> bool:
        kind = type(value)
        if kind is not tuple:
            return kind in self.plain or kind is types.MappingProxyType  # frozen by a record that was here before
        return (self.size < 0 or len(value) == self.size) and self.items.issuperset(map(type, value))


@functools.cache
def _quick(hint: Any) -> _Quick:
    plain = {choice for choice in choices_of(hint) if isinstance(choice, type) and not typing.get_args(choice)}
    items: frozenset[type] = frozenset()
    size = 0
    for choice in choices_of(hint):
        inner = typing.get_args(choice)
        if typing.get_origin(choice) is tuple and len({*inner} - {...}) == 1:
            items, size = _quick(inner[0]).plain, -1 if inner[-1] is ... else len(inner)
    return _Quick(frozenset(plain | ({int} if float in plain else set())), items, size if items else 0)


class _Slots(NamedTuple):
    """The fields of a kind of record, a column each; plain: types that need no second look, but for those of tuples."""

    read: Callable[[Any], tuple[Any, ...]]
    names: tuple[str, ...]
    hints: tuple[Any, ...]
    defaults: tuple[Any, ...]
    plain: tuple[frozenset[type], ...]
    tuples: tuple[tuple[int, frozenset[type], int], ...]


@functools.cache
def _slots(kind: Any) -> _Slots:
    resolved = _resolved(kind.__annotations__, vars(sys.modules[kind.__module__]))
    names = tuple(slot.name for slot in fields(kind))
    hints = tuple(resolved.get(name, Any) for name in names)
    quick = tuple(map(_quick, hints))
    return _Slots(
        operator.attrgetter(*names) if len(names) > 1 else lambda record: (getattr(record, names[0]),),
        names,
        hints,
        tuple(... if slot.default is MISSING else slot.default for slot in fields(kind)),
        tuple(one.plain | ({tuple} if one.items else set()) for one in quick),
        tuple((place, one.items, one.size) for place, one in enumerate(quick) if one.items),
    )


@functools.cache
def _wanted(function: Callable[..., Any]) -> tuple[inspect.Signature, dict[str, Any]]:
    return inspect.signature(function), _resolved(function.__annotations__, function.__globals__)


def _resolved(annotations: Mapping[str, Any], names: dict[str, Any]) -> dict[str, Any]:
    """The annotations as types; those that only type checkers can resolve are left out, and anything goes there."""
    found = {}
    for name, hint in annotations.items():
        try:
            found[name] = eval(hint, names) if isinstance(hint, str) else hint
        except NameError:
            continue
    return found


def _fitted(value: Any, hint: Any, path: Where) -> tuple[Any, list[Problem]]:
    """The value as it is wanted, and what is in the way of that."""
    deeper = list[Problem]()
    for choice in choices_of(hint):
        fitting, wrong = _as(value, choice, path)
        if not wrong:
            return fitting, []
        if any(len(problem.path) > len(path) for problem in wrong):
            deeper = wrong  # the right kind of thing, with something wrong inside
    if deeper:
        return value, deeper
    return value, [Problem(path, told(value, hint))]


def _as(value: Any, hint: Any, path: Where) -> tuple[Any, list[Problem]]:
    """The value as one thing that is wanted; problems with the same path mean that it is something else altogether."""
    origin = typing.get_origin(hint) or hint
    unfit: tuple[Any, list[Problem]] = value, [Problem(path, "")]
    if origin is None or origin is type(None):
        return (value, []) if value is None else unfit
    if origin in (float, int, complex):
        return _number(value, origin, unfit)
    if origin in (Path, os.PathLike):
        return (value, []) if isinstance(value, str | os.PathLike) else unfit
    if not isinstance(origin, type) or origin is Any or origin.__module__ == "numpy":
        return value, []  # what takes any array, or anything at all
    if is_protocol(origin):
        asked = [name for name in vars(origin) if not name.startswith("_")]
        return (value, []) if all(hasattr(type(value), name) or hasattr(value, name) for name in asked) else unfit
    if origin is tuple:
        return _tuple(value, typing.get_args(hint), path, unfit)
    inner = typing.get_args(hint)
    if issubclass(origin, Mapping):
        if not isinstance(value, Mapping):
            return unfit
        return value, [p for key, one in value.items() for p in _inside(one, inner[1:], (*path, str(key)))]
    if origin is not str and issubclass(origin, Iterable) and inner:
        if isinstance(value, str | bytes | Mapping) or not isinstance(value, Iterable):
            return unfit
        if isinstance(value, Iterator):
            return value, []  # which can be looked through only once
        return value, [p for k, one in enumerate(value) for p in _inside(one, inner, (*path, k))]
    return (value, []) if isinstance(value, origin) else unfit


def _inside(item: Any, hints: tuple[Any, ...], path: Where) -> list[Problem]:
    return [] if not hints or _quick(hints[0]).sure(item) else _fitted(item, hints[0], path)[1]


def _number(value: Any, kind: type, unfit: tuple[Any, list[Problem]]) -> tuple[Any, list[Problem]]:
    if type(value) is kind:
        return value, []
    if isinstance(value, bool) or type(value).__name__ == "bool":
        return unfit
    if getattr(value, "shape", None) == ():  # of numpy: a number, or an array without dimensions
        value = value.item()
    if kind is complex and isinstance(value, numbers.Complex):
        return value, []
    if isinstance(value, numbers.Real) and (kind is float or float(value).is_integer()):
        return (value if isinstance(value, kind | int) else kind(value)), []
    return unfit


def _tuple(value: Any, inner: tuple[Any, ...], path: Where, unfit: Any) -> tuple[Any, list[Problem]]:
    if hasattr(value, "tolist") and getattr(value, "ndim", 0) == 1:
        value = value.tolist()
    if not isinstance(value, list | tuple):
        return unfit  # type: ignore[no-any-return]
    if len(inner) == 2 and inner[1] is ...:
        inner = (inner[0],) * len(value)
    elif len(value) != len(inner):
        return unfit  # type: ignore[no-any-return]
    parts = [_fitted(one, hint, (*path, k)) for k, (one, hint) in enumerate(zip(value, inner, strict=True))]
    fitting = tuple(part for part, _ in parts)
    same = isinstance(value, tuple) and all(a is b for a, b in zip(fitting, value, strict=True))
    return value if same else fitting, [problem for _, wrong in parts for problem in wrong]
