"""A structure from a generator that a file names; only the generators listed here can be called."""

from __future__ import annotations

import inspect
import re
from collections.abc import Mapping
from typing import Any

from taut.errors import ModelError, Problem, TautError, suggestion
from taut.structure.structure import Structure

GENERATORS = (
    "tbar",
    "dbar",
    "prism",
    "tower",
    "needle_tower",
    "x_mast",
    "icosahedron",
    "truncated_tetrahedron",
    "truncated_octahedron",
    "planar_lattice",
    "lattice",
    "geiger_dome",
    "levy_dome",
    "hollow_bridge",
    "prismatic_robot",
    "six_strut_robot",
)

TREE_GENERATORS = ("single_strut", "manipulator")
"""Those of trees of bodies."""

_WHOLE = re.compile(r"[-+]?[0-9]{1,18}")
_WORDS = {"true": True, "false": False}


def generated(section: Mapping[str, Mapping[str, Any] | None] | None) -> tuple[Structure, list[Problem]]:
    """The structure that `generate: {name: {option: value}}` asks for, an empty one if it asks for none."""
    if section is None:
        return Structure({}), []
    made, problems = called_generator(section, GENERATORS)
    return Structure({}) if made is None else made, problems


def called_generator(
    section: Mapping[str, Mapping[str, Any] | None], allowed: tuple[str, ...]
) -> tuple[Any, list[Problem]]:
    """What the one generator of a section makes, of those that are allowed; None where there are problems."""
    if len(section) != 1:
        named = ", ".join(section) or "none"
        return None, [Problem(("generate",), f"must name one generator, not {named}; known are {', '.join(allowed)}")]
    ((name, options),) = section.items()
    if name not in allowed:
        hint = suggestion(name, allowed) or f"; known are {', '.join(allowed)}"
        return None, [Problem(("generate", name), f'no generator "{name}"{hint}')]
    # Only files that ask for a generator pay for loading them.
    from taut.structure import generators

    make = getattr(generators, name)
    known = inspect.signature(make).parameters
    # Python's own words cannot be parameters: `class` in a file is `class_` there.
    values = {
        f"{option}_" if f"{option}_" in known else option: typed(value)
        for option, value in (options or {}).items()
        if value is not None
    }
    problems = _option_problems(name, known, values)
    if problems:
        return None, problems
    try:
        return make(**values), []
    except ModelError as error:
        return None, [Problem(("generate", name, *found.path), found.message) for found in error.problems]
    except TautError as error:
        return None, [Problem(("generate", name), str(error))]
    except (TypeError, ValueError, ArithmeticError) as error:
        return None, [Problem(("generate", name), f"cannot be made with these options: {error}")]


def _option_problems(name: str, known: Mapping[str, inspect.Parameter], values: Mapping[str, Any]) -> list[Problem]:
    problems = []
    for option in values:
        if option not in known:
            hint = suggestion(option, known) or f"; known are {', '.join(known)}"
            problems.append(Problem(("generate", name, option), f'unknown option "{option}"{hint}'))
    for option, parameter in known.items():
        if parameter.default is parameter.empty and option not in values:
            problems.append(Problem(("generate", name), f'needs "{option}"'))
    return problems


def typed(value: Any) -> Any:
    """A text as the number or truth value it looks like; lists become tuples."""
    if isinstance(value, list):
        return tuple(map(typed, value))
    if isinstance(value, dict):
        return {key: typed(item) for key, item in value.items()}
    if not isinstance(value, str):
        return value
    if value in _WORDS:
        return _WORDS[value]
    if _WHOLE.fullmatch(value):
        return int(value)
    try:
        return float(value)
    except ValueError:
        return value
