"""A new imposed quantity: a winch that winds a cable, so that its rest length is a sinusoid of time.

rest length r(t) = signal,   power put into the cable = -tension r'(t)
"""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from taut import extending as ex
from taut.extending import coordinate_count, inlined, kernel, spring_state, springs_in

KIND = "wound_cable"


@dataclass(frozen=True)
class WoundCable:
    """rest length = mean + amplitude sin(2 pi frequency t)."""

    cable: str
    mean: float  # [m]
    amplitude: float  # [m]
    frequency: float  # [Hz]


class Winches(NamedTuple):
    cable: ex.Integers  # rows of springs
    mean: ex.Reals
    amplitude: ex.Reals
    rate: ex.Reals  # 2 pi frequency [1/s]


winches_in, winch_count = ex.table(KIND, Winches)


@kernel
def impose(p, t, y):
    w, springs = winches_in(p), springs_in(p)
    for k in range(winch_count(p)):
        springs.rest_length[w.cable[k]] = w.mean[k] + w.amplitude[k] * np.sin(w.rate[k] * t)
        springs.rest_rate[w.cable[k]] = w.amplitude[k] * w.rate[k] * np.cos(w.rate[k] * t)


@inlined
def power(p, t, y):
    w, total = winches_in(p), 0.0
    for k in range(winch_count(p)):
        _, _, elastic, viscous = spring_state(springs_in(p), w.cable[k], y, coordinate_count(p), 1)
        total -= (elastic + viscous) * springs_in(p).rest_rate[w.cable[k]]
    return total


def tabulate(given):
    records = given.records(KIND)
    numbers = ([getattr(r, name) for r in records] for name in ("mean", "amplitude"))
    rates = [2.0 * np.pi * r.frequency for r in records]
    return Winches(np.array([given.cable[r.cable] for r in records]), *map(np.array, (*numbers, rates)))


WOUND_CABLE = ex.Imposed(
    *(KIND, Winches, tabulate, impose, power),
    shortest_period=lambda given: min(1.0 / max(r.frequency, 1e-9) for r in given.records(KIND)),
    record=WoundCable,
)
ex.register(WOUND_CABLE)
