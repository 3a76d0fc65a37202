"""Load cases as they are told on the command line, and the case that a model's own scenario is."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import fields
from typing import Any

from taut.errors import ModelError, OptionError, suggestion
from taut.output.model_statics import steady_loads, steady_structure
from taut.statics.cases import LoadCaseTable, solve_cases
from taut.statics.equilibrium_equations import BarChoice
from taut.statics.load_case import LoadCase
from taut.structure.files import Model
from taut.structure.scenario import Scenario

OWN = "scenario"
"""The name of the case that a model has without being told one."""

KEYS = tuple(slot.name for slot in fields(LoadCase))


def scenario_case(scenario: Scenario) -> LoadCase:
    """A model's gravity and the steady part of its loads."""
    return LoadCase(gravity=scenario.gravity, loads=steady_loads(scenario))


def told_cases(told: Iterable[str] | None, scenario: Scenario) -> dict[str, LoadCase]:
    """Cases by name, each told as in `wind={loads: {top1: [20, 0, 0]}}`; without any, the model's own."""
    named = named_entries("--case", told)
    if not named:
        return {OWN: scenario_case(scenario)}
    return {name: _case(f"--case {name}", entry) for name, entry in named.items()}


def told_case(option: str, told: str | None, otherwise: LoadCase) -> LoadCase:
    """One case, as in `{loads: {top1: [20, 0, 0]}}`."""
    return otherwise if told is None else _case(option, _read(option, told))


def told_combinations(told: Iterable[str] | None) -> dict[str, dict[str, float]]:
    """Combinations by name, each told as in `storm={weight: 1.35, wind: 1.5}`."""
    return named_entries("--combination", told)


def solved_cases(
    model: Model, told: Iterable[str] | None, combinations: Iterable[str] | None, bars: BarChoice = None
) -> LoadCaseTable:
    """The cases and combinations of a model as they are told on the command line, each balanced."""
    cases, sums = told_cases(told, model.scenario), told_combinations(combinations)
    return solve_cases(steady_structure(model), cases, combinations=sums, bars=bars)


def named_entries(option: str, told: Iterable[str] | None) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for text in told or ():
        name, equals, value = text.partition("=")
        if not equals or not name.strip():
            raise OptionError(f'{option} "{text}" is not a name and entries, as in wind={{gravity: 9.81}}')
        if name.strip() in found:
            raise OptionError(f'{option} "{name.strip()}" is told twice; every one needs its own name')
        found[name.strip()] = _read(option, value)
    return found


def _read(option: str, text: str) -> dict[str, Any]:
    from ruamel.yaml import YAML
    from ruamel.yaml.error import YAMLError

    try:
        entry = YAML(typ="safe", pure=True).load(text)
    except (YAMLError, ValueError):
        entry = None
    if not isinstance(entry, dict):
        raise OptionError(f'{option} "{text}" does not hold entries such as {{gravity: 9.81}}')
    return {str(key): value for key, value in entry.items()}


def _case(option: str, entry: dict[str, Any]) -> LoadCase:
    for key in entry:
        if key not in KEYS and ":" in key:
            raise OptionError(f'{option}: "{key}" needs a space after its colon, as in {{gravity: 9.81}}')
        if key not in KEYS:
            hint = suggestion(key, KEYS) or f"; there are {', '.join(KEYS)}"
            raise OptionError(f'{option}: a load case has no "{key}"{hint}')
    try:
        return LoadCase(**entry)
    except ModelError as error:
        raise OptionError(f"{option}: {error}") from None
