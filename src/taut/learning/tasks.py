"""A Task: a robot on a floor, what is actuated, observed and rewarded, and what differs from trial to trial."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np

from taut.errors import OptionError, listed
from taut.learning.quantities import OBSERVATIONS, REWARDS, check_names
from taut.locomotion.gaits import commanded_drives
from taut.mechanics.assemble import assemble
from taut.mechanics.plant import Plant
from taut.reprs import brief
from taut.structure.generators.six_strut import six_strut_robot
from taut.structure.grounds import Ground
from taut.structure.structure import Structure
from taut.type_checks import conform, known_fields

STRUTS = tuple(f"bar:{axis}{number}" for axis in "xyz" for number in (1, 2))


@known_fields
@dataclass(frozen=True)
class Randomisation:
    """What is drawn anew for every trial; nothing by default.

    friction: lowest and highest of the floor, drawn evenly; None leaves it. mass: standard deviation of the logarithm
        of a factor on all masses. tilt: [rad] standard deviation of a turn about a level axis, and turn: [rad] largest
        turn about the vertical either way, of the start. phase: [rad] largest start of the clock.
    """

    friction: tuple[float, float] | None = None
    mass: float = 0.0
    tilt: float = 0.0
    turn: float = 0.0
    phase: float = 0.0

    __repr__ = brief

    def __post_init__(self) -> None:
        conform(self, "Randomisation")
        for name in ("mass", "tilt", "turn", "phase"):
            if not 0.0 <= getattr(self, name) < math.inf:
                raise OptionError(f"Randomisation: {name} = {getattr(self, name):g} must be zero or more")
        if self.friction is not None and not 0.0 <= self.friction[0] <= self.friction[1] < math.inf:
            raise OptionError(f"Randomisation: friction = {self.friction} must be a lowest and a highest, zero or more")


@known_fields
@dataclass(frozen=True)
class Task:
    """A robot that is commanded every `period` seconds for `duration` seconds.

    robot: stands on a level floor at height 0. actuators: selectors of members; an action has a number from -1 to 1 for
        each, which is `amplitude` [m] of change of length (of rest length for cables). speed: [m/s] how fast a change
        may come and go at most; what an action wants beyond is cut off.
    observations: names of quantities, put side by side. rewards: names of quantities and their weights.
    clock: [Hz] of the observation "clock". friction: of the floor. step: [s] of the method impulses.
    """

    robot: Structure = field(default_factory=six_strut_robot)
    actuators: tuple[str, ...] = STRUTS
    observations: tuple[str, ...] = ("nodes", "velocities", "face", "commands", "clock")
    rewards: Mapping[str, float] = field(default_factory=lambda: {"forward": 1.0})
    randomisation: Randomisation = field(default_factory=Randomisation)
    amplitude: float = 0.1
    speed: float = 1.0
    period: float = 0.02
    duration: float = 10.0
    clock: float = 1.0
    friction: float = 0.6
    step: float = 1e-3

    __repr__ = brief

    def __post_init__(self) -> None:
        conform(self, "Task")
        check_names("observations", self.observations, OBSERVATIONS)
        check_names("rewards", tuple(self.rewards), REWARDS)
        for name in ("amplitude", "speed", "period", "duration", "clock", "step"):
            if not 0.0 < getattr(self, name) < math.inf:
                raise OptionError(f"Task: {name} = {getattr(self, name):g} must be more than zero")
        if not self.period <= self.duration:
            raise OptionError(f"Task: a period of {self.period:g} s does not go into {self.duration:g} s")

        giving = [f'"{bar.name}"' for bar in self.robot.bars.values() if bar.law != "rigid"]
        if self.randomisation.mass and giving:
            raise OptionError(
                f"Task: masses vary by making cables softer, and bars {listed(giving)} would stay as stiff as they "
                "are; leave mass out of the randomisation"
            )

    @property
    def steps(self) -> int:
        """Of a trial."""
        return max(1, round(self.duration / self.period))

    def plant(self) -> Plant:
        """Ready to be stepped, its actuators commanded."""
        floor = Ground("floor", friction=self.friction)
        drives = commanded_drives(self.robot, self.actuators)
        return assemble(self.robot, gravity=9.81, ground=[floor], drives=drives)


def turned(places: np.ndarray, angle: float, axis: np.ndarray) -> np.ndarray:
    """(n, 3) turned about their middle by an angle [rad], the lowest at height 0."""
    from scipy.spatial.transform import Rotation

    middle = places.mean(axis=0)
    found = np.asarray(Rotation.from_rotvec(angle * axis).apply(places - middle) + middle)
    found[:, 2] -= found[:, 2].min()
    return found
