"""What acts on generalised coordinates themselves: springs and dampers of joints, forces and torques, imposed values.

An imposed coordinate is a row q_k = s(t): its rate and acceleration are those of the signal, and its multiplier is the
force or torque that it takes.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from taut.mechanics.imposed.drives import at_rest
from taut.mechanics.points.joints import generalised_count
from taut.mechanics.signals import signal_at, signal_value, tabulated
from taut.mechanics.tables import constants_in, part_of, slot
from taut.numerics.compiled import inlined, kernel
from taut.numerics.packing import Integers, Pack, Reals, counter, reader
from taut.structure.coordinates import CoordinateDrive

KIND = "coordinate_terms"


class CoordinateTerms(NamedTuple):
    """s springs with dampers, f forces, c coordinates that are imposed."""

    spring: Integers  # (s,) the coordinate of each
    stiffness: Reals  # (s,) [N m/rad] or [N/m]
    rest: Reals  # (s,)
    damping: Reals  # (s,)
    pushed: Integers  # (f,) the coordinate of each
    push_kind: Integers  # (f,)
    push_start: Integers  # (f,)
    push_data: Reals
    imposed: Integers  # (c,) the coordinate of each
    kind: Integers  # (c,)
    start: Integers  # (c,)
    data: Reals
    now: Reals  # (3 c,) value, rate and acceleration at the time that was last imposed


coordinate_terms_in = reader(CoordinateTerms, slot(KIND))
_springs = counter(part_of(KIND, CoordinateTerms, "spring"))
_pushes = counter(part_of(KIND, CoordinateTerms, "pushed"))
imposed_count = counter(part_of(KIND, CoordinateTerms, "imposed"))


class Springs(NamedTuple):
    """Of all coordinates, in their order; zeros where there are none."""

    stiffness: np.ndarray
    damping: np.ndarray
    rest: np.ndarray


def tabulate(names: Sequence[str], springs: Springs, drives: Sequence[CoordinateDrive]) -> CoordinateTerms:
    places = np.flatnonzero((springs.stiffness > 0.0) | (springs.damping > 0.0)).astype(np.int64)
    pushes, imposed = ([d for d in drives if d.quantity == quantity] for quantity in ("force", "value"))
    pushed, moved = tabulated([drive.to for drive in pushes]), tabulated([at_rest(drive.to) for drive in imposed])

    def coordinates(chosen: Sequence[CoordinateDrive]) -> np.ndarray:
        return np.array([names.index(drive.coordinate) for drive in chosen], dtype=np.int64)

    return CoordinateTerms(
        spring=places,
        stiffness=springs.stiffness[places],
        rest=springs.rest[places],
        damping=springs.damping[places],
        pushed=coordinates(pushes),
        push_kind=pushed.kind,
        push_start=pushed.start,
        push_data=pushed.data,
        imposed=coordinates(imposed),
        kind=moved.kind,
        start=moved.start,
        data=moved.data,
        now=np.zeros(3 * len(imposed)),
    )


def breaks_of(drives: Sequence[CoordinateDrive]) -> list[float]:
    """Where signals of drives are not smooth."""
    return list(tabulated([drive.to for drive in drives]).breaks)


@kernel
def impose_coordinates(p: Pack, t: float) -> None:
    """Let imposed coordinates stand where they are to be at this time."""
    terms, inside = coordinate_terms_in(p), constants_in(p).piece[0]
    for c in range(imposed_count(p)):
        value, rate, second = signal_at(terms.kind[c], terms.data, terms.start[c], t, inside)
        terms.now[3 * c], terms.now[3 * c + 1], terms.now[3 * c + 2] = value, rate, second


@kernel
def push_coordinates(p: Pack, t: float, y: np.ndarray, out: np.ndarray) -> float:
    """Add what acts on coordinates; returns the power of dampers and of forces that are given."""
    terms, m, power = coordinate_terms_in(p), generalised_count(p), 0.0
    for i in range(_springs(p)):
        k = terms.spring[i]
        slowing = terms.damping[i] * y[m + k]
        out[k] -= terms.stiffness[i] * (y[k] - terms.rest[i]) + slowing
        power -= slowing * y[m + k]
    for i in range(_pushes(p)):
        k = terms.pushed[i]
        push = signal_value(terms.push_kind[i], terms.push_data, terms.push_start[i], t, constants_in(p).piece[0])
        out[k] += push
        power += push * y[m + k]
    return power


@kernel
def push_power(p: Pack, t: float, y: np.ndarray) -> float:
    """Power of the forces that are given."""
    terms, m, power = coordinate_terms_in(p), generalised_count(p), 0.0
    for i in range(_pushes(p)):
        push = signal_value(terms.push_kind[i], terms.push_data, terms.push_start[i], t, constants_in(p).piece[0])
        power += push * y[m + terms.pushed[i]]
    return power


@inlined
def spring_energy(p: Pack, y: np.ndarray) -> float:
    terms, total = coordinate_terms_in(p), 0.0
    for i in range(_springs(p)):
        stretch = y[terms.spring[i]] - terms.rest[i]
        total += 0.5 * terms.stiffness[i] * stretch * stretch
    return total


@inlined
def add_spring_slope(p: Pack, y: np.ndarray, out: np.ndarray) -> None:
    """out += d(energy of springs)/dq."""
    terms = coordinate_terms_in(p)
    for i in range(_springs(p)):
        k = terms.spring[i]
        out[k] += terms.stiffness[i] * (y[k] - terms.rest[i])


@inlined
def imposing_power(p: Pack, multiplier: np.ndarray) -> float:
    """Power of what imposes coordinates; multiplier: of their rows."""
    terms, total = coordinate_terms_in(p), 0.0
    for c in range(imposed_count(p)):
        total += multiplier[c] * terms.now[3 * c + 1]
    return total
