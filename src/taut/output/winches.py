"""A drive seen from its motor: angle, speed and torque of the drum that winds a cable."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from taut.dynamics.trajectory import Trajectory
from taut.errors import OptionError, SelectionError, suggestion
from taut.reprs import brief
from taut.type_checks import checked_arguments


@dataclass(frozen=True)
class Winch:
    """What a drum does over time. It winds in where the angle grows, and pulls where the torque is positive.

    The drum turns by one rad for every radius [m] of rest length; power = torque * speed, but for what a material's
    stiffness changes by while the cable becomes shorter.
    """

    name: str
    drum_radius: float  # [m]
    time: np.ndarray  # (T,) [s]
    angle: np.ndarray  # (T,) since the first sample [rad]
    speed: np.ndarray  # (T,) [rad/s]
    torque: np.ndarray  # (T,) [N m]

    __repr__ = brief

    @property
    def power(self) -> np.ndarray:
        """(T,) [W]"""
        return np.asarray(self.torque * self.speed)


@checked_arguments
def winch(run: Trajectory, drive: str) -> Winch:
    """The drum of a drive by its name; the drive has to say its drum_radius."""
    if drive not in run.drive_names:
        known = f"; there are {', '.join(run.drive_names)}" if run.drive_names else ""
        raise SelectionError(f'this run has no drive "{drive}"{suggestion(drive, run.drive_names) or known}')
    k = run.drive_names.index(drive)
    told = (run.drive_value, run.drive_rate, run.drive_force)
    if "drives" not in run.options or any(part.shape[1] <= k for part in told):
        raise OptionError(f'this run does not keep what drives "{drive}" has; simulate it by itself')
    radius = run.options["drives"][k]["drum_radius"]
    if radius is None:
        raise OptionError(f'the drive "{drive}" says no drum_radius [m]; give it one to see its angle and torque')
    value, rate, force = (part[:, k] for part in told)
    return Winch(drive, radius, run.time, (value[:1] - value) / radius, -rate / radius, force * radius)
