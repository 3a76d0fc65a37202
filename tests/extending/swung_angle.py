"""A motor that swings an angle: angle = mean + amplitude (1 - cos(rate t)), and its torque works."""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from taut import extending as ex
from taut.extending import inlined, kernel
from taut.mechanics.rows.angles import angles_in
from taut.mechanics.tables import row_count, work_in

KIND = "swung_angle"


@dataclass(frozen=True)
class SwungAngle:
    angle: str
    mean: float  # [rad]
    amplitude: float  # [rad]
    rate: float  # [1/s]


class Motors(NamedTuple):
    angle: ex.Integers  # rows of angles
    last: ex.Integers  # how many angles there are; their rows are the last
    mean: ex.Reals
    amplitude: ex.Reals
    rate: ex.Reals


motors_in, motor_count = ex.table(KIND, Motors)


@kernel
def impose(p, t, y):
    m, angles = motors_in(p), angles_in(p)
    for k in range(motor_count(p)):
        a, w, at = m.amplitude[k], m.rate[k], m.angle[k]
        angles.angle[at] = m.mean[k] + a * (1.0 - np.cos(w * t))
        angles.rate[at] = a * w * np.sin(w * t)
        angles.acceleration[at] = a * w * w * np.cos(w * t)


@inlined
def power(p, t, y):
    m, total = motors_in(p), 0.0
    for k in range(motor_count(p)):
        torque = work_in(p).multiplier[row_count(p) - m.last[k] + m.angle[k]]
        total += torque * angles_in(p).rate[m.angle[k]]
    return total


def tabulate(given):
    records, names = given.records(KIND), list(given.structure.angles)
    numbers = (np.array([getattr(r, name) for r in records]) for name in ("mean", "amplitude", "rate"))
    return Motors(np.array([names.index(r.angle) for r in records]), np.full(len(records), len(names)), *numbers)


SWUNG_ANGLE = ex.Imposed(
    *(KIND, Motors, tabulate, impose, power),
    shortest_period=lambda given: min(2.0 * np.pi / r.rate for r in given.records(KIND)),
    record=SwungAngle,
)
ex.register(SWUNG_ANGLE)
