"""Sensors and controllers of a model file, and what is wrong with them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from taut.errors import ModelError, Problem, SelectionError
from taut.structure.angles import Angle, Direction
from taut.structure.controller_checks import problems_of_control
from taut.structure.controllers import Controller, Law, LinearLaw, Sensor
from taut.structure.format.control_schema import ControllerEntry, LawEntry, MeasuredAngleEntry, SensorEntry
from taut.structure.grounds import Ground
from taut.structure.pd_law import pd_law
from taut.structure.scenario import Drive, Load
from taut.structure.sensing import readings_of
from taut.structure.structure import Structure

AS_SAID = {"first": "between", "second": "between"}
"""Fields of an Angle, and where a file says them."""


def controlled(
    sensing: Mapping[str, SensorEntry],
    controlling: Mapping[str, ControllerEntry],
    structure: Structure,
    loads: Sequence[Load],
    drives: Sequence[Drive],
    grounds: Sequence[Ground],
) -> tuple[tuple[Sensor, ...], tuple[Controller, ...], list[Problem]]:
    """The sensors, the controllers, and every problem of theirs, with its path in the scenario."""
    sensors = tuple(_sensor(name, entry) for name, entry in sensing.items())
    controllers, problems = list[Controller](), list[Problem]()
    for name, entry in controlling.items():
        law: Law = _undecided
        try:
            law = _law(entry, structure, sensors, grounds)
        except ModelError as error:
            kind = next(iter(entry.law.model_fields_set))
            problems += [Problem(("controllers", name, "law", kind, *p.path), p.message) for p in error.problems]
        controllers.append(_controller(name, entry, law))
    problems += problems_of_control(structure, sensors, controllers, loads, drives, grounds)
    by_angle = [name for name, entry in sensing.items() if entry.angle is not None]
    return sensors, tuple(controllers), [_placed(problem, by_angle) for problem in problems]


def _sensor(name: str, entry: SensorEntry) -> Sensor:
    told = entry.own()
    angle = told.pop("angle", None)
    return Sensor(name, **told) if angle is None else Sensor(name, _angle(name, angle), **told)


def _angle(name: str, entry: MeasuredAngleEntry) -> Angle:
    if entry.elbow is not None:
        return Angle.elbow(name, (entry.elbow[0], entry.elbow[1], entry.elbow[2]))
    first, second = map(_direction, entry.between or ())
    return Angle(name, first, second, None if entry.about is None else _direction(entry.about))


def _direction(given: list[str]) -> Direction:
    return given[0] if len(given) == 1 else tuple(given)


def _undecided(t: float, measured: np.ndarray, state: np.ndarray) -> object:
    """Stands for a law that is not known, because what it answers to is not, or because it is wrong."""
    raise AssertionError("a model with problems is never run")


def _law(entry: ControllerEntry, structure: Structure, sensors: Sequence[Sensor], grounds: Sequence[Ground]) -> Law:
    """Raises ModelError with paths inside the law's own entry."""
    given: LawEntry = entry.law
    if given.linear is not None:
        return LinearLaw(**{name: np.array(value, dtype=float) for name, value in given.linear.own().items()})
    try:
        measured = len(readings_of(structure, sensors, entry.measured, grounds))
    except SelectionError:
        return _undecided  # what it names is told with the names
    told = {} if given.pd is None else given.pd.own()
    return pd_law(measured, len(entry.commands), told.pop("proportional"), rate=_sound(entry.rate), **told)


def _sound(rate: float | None) -> float | None:
    """One that makes no sense is told once, with the controller."""
    return rate if rate is None or rate > 0.0 else 1.0


def _controller(name: str, entry: ControllerEntry, law: Law) -> Controller:
    told: dict[str, Any] = {
        key: tuple(value) if isinstance(value, list) else value for key, value in entry.own().items()
    }
    return Controller(name, **{**told, "law": law})


def _placed(problem: Problem, by_angle: Sequence[str]) -> Problem:
    """With the path that the file has."""
    path = problem.path
    if path[0] == "sensors" and path[1] in by_angle and path[2:3] == ("quantity",):
        path = (*path[:2], "angle", *(AS_SAID.get(str(part), part) for part in path[3:]))
    return Problem(("scenario", *path), problem.message)
