"""From model files to robots: how they are commanded as it is told, what is said of a posture, tasks along a path."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from taut.errors import OptionError, TautError
from taut.kinetostatics.mode_stiffness import MODES, ModeStiffness, recommanded, stiffness_by_mode
from taut.kinetostatics.plate_responses import Sensitivity, plate_nodes, sensitivity
from taut.kinetostatics.posture_search import posture
from taut.kinetostatics.robot import Robot
from taut.kinetostatics.tasks import Level, NodePosition, PlatePosition, Task, plate_axes
from taut.kinetostatics.tension_tasks import TensionLimits, TensionSum
from taut.output.model_statics import left_out, steady_loads, steady_structure
from taut.reprs import brief
from taut.statics.equilibrium import Equilibrium
from taut.structure.files import Model
from taut.structure.structure import Structure


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


class Led(NamedTuple):
    """What follows a path: a node, or the centre of a plate."""

    kind: str
    name: str

    def place(self, found: Equilibrium) -> np.ndarray:
        """(3,) [m] where it is in a posture; raises where there is none of that name."""
        if self.kind == "plate":
            return plate_centre(found, self.name)
        nodes = found.structure.nodes
        if self.name not in nodes:
            found.structure.select(self.name, "node")  # which says what there is
            raise OptionError(f'--node "{self.name}" is not the name of one node')
        return np.array(nodes[self.name])

    def at(self, place: tuple[float | None, float | None, float | None]) -> Task:
        """The task to be there."""
        return PlatePosition(self.name, place) if self.kind == "plate" else NodePosition(self.name, place)


def told_led(structure: Structure, plate: str | None, node: str | None) -> Led:
    """What is named, or the only plate of a structure."""
    if plate is not None and node is not None:
        raise OptionError("give either --plate or --node: one of them follows the path")
    if node is not None:
        return Led("node", node)
    plates = list(structure.plates)
    if plate is None and len(plates) != 1:
        there = f"its plates are {', '.join(plates)}" if plates else "it has no plate"
        raise OptionError(f"say what follows the path, with --plate or --node: {there}")
    return Led("plate", plate or plates[0])


def plate_places(found: Equilibrium) -> Iterator[tuple[str, list[float], float]]:
    """Every plate, its centre [m], and by how much its normal is off the vertical [deg]."""
    for plate in found.structure.plates:
        normal = plate_axes(found.structure, plate)[:, 2]
        tilt = np.degrees(np.arctan2(np.linalg.norm(normal[:2]), abs(normal[2])))
        yield plate, plate_centre(found, plate).tolist(), float(tilt)


def path_tasks(
    led: Led, times: np.ndarray, places: np.ndarray, sums: Mapping[str, float], level: str | None = None
) -> Callable[[float], list[Task]]:
    """Tasks by time, at these times: something led along a path, tensions that add up, a plate that stays level."""
    along = {float(time): place.tolist() for time, place in zip(times, places, strict=True)}
    always: list[Task] = [TensionSum((selector,), total) for selector, total in sums.items()]
    always += [] if level is None else [Level(level)]

    def tasks(time: float) -> list[Task]:
        x, y, z = (None if number != number else number for number in along[time])
        return [led.at((x, y, z)), *always]

    return tasks


def tension_limits(
    lowest: float | Mapping[str, float] | None, highest: float | Mapping[str, float] | None
) -> list[TensionLimits]:
    """A number for all cables, or some by selector."""
    low, high = ({"cable:*": one} if isinstance(one, float | int) else dict(one or {}) for one in (lowest, highest))
    return [TensionLimits(name, low.get(name), high.get(name)) for name in dict.fromkeys((*low, *high))]
