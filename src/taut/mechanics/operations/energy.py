"""The energy of a nodal plant and its gradient, which corrections follow; and the size of a step's error."""

from __future__ import annotations

import math

import numpy as np

from taut.mechanics.inertia.thin import thin_in
from taut.mechanics.operations.projection import largest_of_three
from taut.mechanics.parts import add_kinetic_gradient, carry, conservative_force, kinetic, potential, state_error
from taut.mechanics.tables import constants_in, coordinate_count, free_count, nodes_in
from taut.numerics.compiled import entry, inlined, kernel
from taut.numerics.lanes import most, where
from taut.numerics.packing import Pack
from taut.numerics.pointers import shifted, start_of

LAST_PLACES = 2e-4
"""A few units in the last place, as a fraction of the usual tolerance of the energy."""

ROUND_OFF = 9e-16
"""Four units in the last place: the noise of error estimates is up to half of what it makes of them (measured, dp8)."""


@kernel
def energies(p: Pack, y: np.ndarray) -> tuple[float, float, float, float]:
    """Kinetic, elastic and gravity's potential energy [J], eqs. (10), (11), (12), and the sum of squared tensions."""
    moving = kinetic(p, y)
    elastic, gravity, squared = potential(p, y)
    return moving, elastic, gravity, squared


@inlined
def _reach(y: np.ndarray, n: int) -> float:
    """The largest coordinate [m]."""
    reach = 0.0
    for i in range(0, n, 3):
        reach = max(reach, largest_of_three(y, i))
    return reach


@inlined
def _terms(moving: float, elastic: float, gravity: float, work: float, reach: float, squared: float) -> float:
    """The size of the terms that an energy is the sum of, which bounds its round-off.

    Among them is what a last digit of the coordinates means for tense cables: tension times size, by the root of their
    number since such errors are as often positive as negative.
    """
    return moving + elastic + abs(gravity) + abs(work) + LAST_PLACES * reach * math.sqrt(squared)


@entry
def energy(p: Pack, y: np.ndarray) -> tuple[float, float]:
    """Total energy [J], and the size of the terms it is a sum of."""
    state, n = start_of(y), coordinate_count(p)
    moving, elastic, gravity, squared = energies(p, state)
    return moving + elastic + gravity, _terms(moving, elastic, gravity, state[2 * n], _reach(state, n), squared)


@entry
def energy_gradient(p: Pack, y: np.ndarray, along_q: np.ndarray, along_v: np.ndarray) -> tuple[float, float]:
    """dE/dq and dE/dv; returns what `energy` does, without going through the members again."""
    state, gradient, momentum, n = start_of(y), start_of(along_q), start_of(along_v), coordinate_count(p)
    for i in range(n):
        gradient[i] = 0.0
    elastic, gravity, squared = conservative_force(p, state, gradient)
    carry(p, state, shifted(state, n), momentum)
    kx, ky, kz = 0.0, 0.0, 0.0
    for i in range(0, n, 3):
        gradient[i], gradient[i + 1], gradient[i + 2] = -gradient[i], -gradient[i + 1], -gradient[i + 2]
        kx, ky = kx + momentum[i] * state[n + i], ky + momentum[i + 1] * state[n + i + 1]
        kz = kz + momentum[i + 2] * state[n + i + 2]
    add_kinetic_gradient(p, state, gradient)
    moving = 0.5 * (kx + ky + kz)
    return moving + elastic + gravity, _terms(moving, elastic, gravity, state[2 * n], _reach(state, n), squared)


@entry
def error_size(p: Pack, y: np.ndarray, trial: np.ndarray, error: np.ndarray, tolerance: float, h: float) -> float:
    """The largest error of a free coordinate as a fraction of what is allowed.

    Allowed are tolerance * typical length for positions, tolerance * largest speed for velocities (or, near rest, a
    thousandth of typical length per typical time), and tolerance * (largest kinetic energy such speeds mean + |work|)
    for the work, tolerance * their size for states of terms; but never less than round-off. A last digit of the
    coordinates, times the square of the rate at which the stiffest member trembles, is a noise of its acceleration, and
    a step of h makes of it an estimate that shorter steps would only follow. h: zero where the error is not that of a
    step.
    """
    free, mass, scale, n = nodes_in(p).free, thin_in(p).diagonal, constants_in(p).scale, coordinate_count(p)
    before, after, wrong, fastest = start_of(y), start_of(trial), start_of(error), constants_in(p).fastest[0]
    speed = 1e-3 * scale[0] / scale[1]
    worst, worst_rate, moving, reach = 0.0, 0.0, 0.0, 0.0
    for m in range(free_count(p)):
        i = free[m]
        worst = max(worst, abs(wrong[i]))
        worst_rate = max(worst_rate, abs(wrong[n + i]))
        speed = max(speed, max(abs(before[n + i]), abs(after[n + i])))
        moving += mass[i]
        reach = max(reach, abs(after[i]))
    trembled = min(h * fastest, 1.0)
    last_digit = ROUND_OFF * trembled * reach
    tolerance_of_rate = max(last_digit * fastest / speed, tolerance)
    works = moving * speed * speed + max(abs(before[2 * n]), abs(after[2 * n]))
    largest = max(worst_rate / speed, abs(wrong[2 * n]) / where(works > 0.0, works, 1.0)) / tolerance_of_rate
    placed = max(worst / scale[0], state_error(p, wrong))
    return most(max(largest, placed / max(last_digit * trembled / scale[0], tolerance)))
