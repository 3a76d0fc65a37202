"""Which compressible bars are cylinders, and where their changing mass matrix stands in a saddle."""

from __future__ import annotations

import numpy as np

from taut.errors import Problem
from taut.mechanics.inertia.cylinders import Cylinders
from taut.mechanics.inertia.masses import inertia, poisson_power
from taut.mechanics.kinds import Given
from taut.numerics.saddle import Saddle, weight_places
from taut.structure import properties
from taut.structure.records import AXES
from taut.structure.structure import Structure

UPPER = tuple((a, b) for a in range(3) for b in range(a, 3))
"""The entries of a symmetric 3 x 3 block, in the order in which they are kept."""
BLOCK = (*UPPER, *((3 + a, 3 + b) for a, b in UPPER), *((a, 3 + b) for a in range(3) for b in range(3)))
"""Those of a bar's 6 x 6 block of W: of its first end, of its second, and between the two."""


def cylinders_of(given: Given) -> Cylinders:
    """Without their places in the system.

    given.printed: eq. (56) as it stands, without the kinetic energy of the ends moving apart and without -dT/dq.
    """
    structure, printed = given.structure, given.printed
    bars = list(structure.bars.values())
    soft = np.array([bar.law == "compressible" for bar in bars], dtype=bool)
    excess, power, axial = inertia(structure).thickness, poisson_power(structure), np.zeros(len(bars))
    if printed:
        axial[soft] = [properties.bar_rotary_mass(structure, bar) for bar in bars if bar.law == "compressible"]
        axial -= excess
    chosen = np.flatnonzero(soft & ((excess != 0.0) | (axial != 0.0)))
    excess, power, axial = excess[chosen], power[chosen], axial[chosen]
    one, none = np.ones(chosen.size), np.zeros(chosen.size)
    if printed:
        turning = np.stack([power - one, -axial, -one, -axial], axis=1)
    else:
        turning = np.stack([power, none, -1.0 - 0.5 * power, none], axis=1)
    natural = np.array([properties.bar_length(structure, bars[k]) for k in chosen], dtype=float)
    nowhere = np.empty(0, dtype=np.int64)
    return Cylinders(
        *given.ends([bars[k].nodes for k in chosen]),
        (np.cumsum(soft) - 1)[chosen].astype(np.int64),
        nowhere,
        nowhere,
        np.empty(0),
        natural,
        excess,
        power,
        axial,
        turning.ravel(),
    )


def without_inertia(structure: Structure) -> list[Problem]:
    """Bars that the equations as printed leave without any mass along themselves: those with both ends free."""
    index = {name: i for i, name in enumerate(structure.nodes)}
    masses = inertia(structure)
    own, coupling = masses.own, masses.coupling
    found = []
    for k, bar in enumerate(structure.bars.values()):
        i, j = (index[node] for node in bar.nodes)
        free = all(set(structure.supports.get(node, "")) != set(AXES) for node in bar.nodes)
        dropped = (properties.bar_rotary_mass(structure, bar) or 0.0) - properties.bar_thickness_mass(structure, bar)
        left = (own[i] - dropped) * (own[j] - dropped) - (coupling[k] + dropped) ** 2
        if free and left <= 1e-9 * own[i] * own[j]:
            message = "as printed it has no inertia along itself, for both its ends are free"
            found.append(Problem(("bars", bar.name), message))
    return found


def whole_blocks(touched: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """All entries (i, j), i <= j, of W between the six unknowns of every bar; (t, 6), -1 for a held coordinate."""
    first, second = (touched[:, [pair[end] for pair in BLOCK]].ravel() for end in (0, 1))
    there = (first >= 0) & (second >= 0)
    return np.minimum(first, second)[there], np.maximum(first, second)[there]


def placed(cylinders: Cylinders, saddle: Saddle, unknown: np.ndarray) -> Cylinders:
    """The same with its places; unknown: (3 n,) the row of every coordinate in W, -1 where it is held."""
    touched = touched_by(cylinders.first, cylinders.second, unknown)
    i, j = (touched[:, [pair[end] for pair in BLOCK]].ravel() for end in (0, 1))
    there = (i >= 0) & (j >= 0)
    place = np.full(i.size, -1, dtype=np.int64)
    place[there] = weight_places(saddle, i[there], j[there])
    changing = np.unique(place[there])
    return cylinders._replace(place=place, changing=changing, settled=saddle.values[changing])


def touched_by(first: np.ndarray, second: np.ndarray, unknown: np.ndarray) -> np.ndarray:
    """(m, 6) the unknowns of the coordinates of both nodes."""
    return np.concatenate([unknown[end[:, None] + np.arange(3)] for end in (first, second)], axis=1)
