"""From model files to robots: how they are commanded as it is told, what is said of a posture, tasks along a path."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from taut.errors import OptionError, TautError
from taut.kinetostatics.mode_stiffness import MODES, ModeStiffness, recommanded, stiffness_by_mode
from taut.kinetostatics.plate_responses import Sensitivity, plate_nodes, sensitivity
from taut.kinetostatics.posture_search import posture
from taut.kinetostatics.robot import Robot
from taut.kinetostatics.tasks import Level, PlatePosition, Task, plate_axes
from taut.kinetostatics.tension_tasks import TensionLimits, TensionSum
from taut.output.model_statics import left_out, steady_loads, steady_structure
from taut.reprs import brief
from taut.statics.equilibrium import Equilibrium
from taut.structure.files import Model


def robot_of(model: Model, inputs: Sequence[str]) -> Robot:
    """A model with its gravity and the steady part of its loads and drives."""
    scenario = model.scenario
    loads = steady_loads(scenario)
    return Robot(steady_structure(model), tuple(inputs), gravity=scenario.gravity, loads=loads)


def standing_robot(
    model: Model, inputs: Sequence[str], modes: Mapping[str, str], values: Mapping[str, float] | None
) -> tuple[Robot, Equilibrium]:
    """A model's robot, commanded as told, and its posture; where that is not ok, what was found until then.

    modes: selector -> mode, at the tensions and lengths that the cables have in the model's own posture.
    """
    robot = robot_of(model, inputs)
    if modes:
        first = posture(robot)
        if not first.ok:
            return robot, first
        robot = replace(robot, structure=recommanded(first, modes).structure)
    found = posture(robot, dict(values) if values else None)
    return robot, replace(found, notes=(*found.notes, *left_out(model.scenario)))


def told_modes(option: str, told: Iterable[str] | None) -> dict[str, str]:
    """As in cable:a*=tension."""
    found = {}
    for text in told or ():
        selector, _, mode = text.rpartition("=")
        if not selector or mode not in MODES:
            raise OptionError(
                f'{option} "{text}" is not a selector and one of {", ".join(MODES)}, as in cable:a*=tension'
            )
        found[selector] = mode
    return found


@dataclass(frozen=True)
class PostureFacts:
    """What is asked of a posture; notes: why something is not known."""

    stiffness: dict[str, ModeStiffness]
    sensitivity: Sensitivity | None
    notes: tuple[str, ...]

    __repr__ = brief


def posture_facts(robot: Robot, found: Equilibrium) -> PostureFacts:
    """Its stiffness as its cables are commanded and in other ways to command them, and how it answers to its inputs."""
    notes, modes, answers = [], dict[str, ModeStiffness](), None
    try:
        modes = {**stiffness_by_mode(found, {"as commanded": {}}), **stiffness_by_mode(found, robot)}
    except TautError as error:
        notes.append(f"stiffness by mode is not known: {error}")
    try:
        answers = sensitivity(robot.at(found), found)
    except TautError as error:
        notes.append(f"sensitivity is not known: {error}")
    return PostureFacts(modes, answers, tuple(notes))


def plate_centre(found: Equilibrium, plate: str) -> np.ndarray:
    """(3,) [m]"""
    return np.asarray(found.structure.positions[plate_nodes(found.structure, plate)].mean(axis=0))


def plate_places(found: Equilibrium) -> Iterator[tuple[str, list[float], float]]:
    """Every plate, its centre [m], and by how much its normal is off the vertical [deg]."""
    for plate in found.structure.plates:
        normal = plate_axes(found.structure, plate)[:, 2]
        tilt = np.degrees(np.arctan2(np.linalg.norm(normal[:2]), abs(normal[2])))
        yield plate, plate_centre(found, plate).tolist(), float(tilt)


def path_tasks(
    plate: str, times: np.ndarray, places: np.ndarray, sums: Mapping[str, float], *, level: bool = False
) -> Callable[[float], list[Task]]:
    """Tasks by time, at these times: a plate's centre on a path, tensions that add up, the plate level."""
    along = {float(time): place.tolist() for time, place in zip(times, places, strict=True)}
    always: list[Task] = [TensionSum((selector,), total) for selector, total in sums.items()]
    always += [Level(plate)] if level else []

    def tasks(time: float) -> list[Task]:
        x, y, z = (None if number != number else number for number in along[time])
        return [PlatePosition(plate, (x, y, z)), *always]

    return tasks


def tension_limits(
    lowest: float | Mapping[str, float] | None, highest: float | Mapping[str, float] | None
) -> list[TensionLimits]:
    """A number for all cables, or some by selector."""
    low, high = ({"cable:*": one} if isinstance(one, float | int) else dict(one or {}) for one in (lowest, highest))
    return [TensionLimits(name, low.get(name), high.get(name)) for name in dict.fromkeys((*low, *high))]
