"""Whether coordinates went over a place where they say nothing, from one state that a run keeps to the next.

Where axes of a joint come to lie along what they turn, J loses a rank and with it J^T M J. An adaptive explicit step
gets stuck there, but an implicit step or one of a fixed length may go over it, and what it finds behind is not the
motion. Between two states, with J^T M J = L L^T of each,

    det(L0^-1 J0^T M J1 L1^-T) = the product of cosines between what nodes can do at both, with a sign

which is near 1 for states that are near, and near -1 where such a place lies between them. Where it is small because
nodes only turned far, halves of the way tell the two apart: it is near 1 in all that are short enough.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from taut.errors import listed
from taut.mechanics.parts import carry
from taut.mechanics.points.generalised_motion import dot, fill_mass, stand
from taut.mechanics.points.generalised_tables import BEGIN, generalised_in
from taut.mechanics.points.joints import columns, generalised_count
from taut.mechanics.tables import coordinate_count, internal_count, part_of, slot, work_in
from taut.numerics.compiled import kernel
from taut.numerics.dense_kernels import factor, forward
from taut.numerics.dense_pivoting import factor_pivoted
from taut.numerics.packing import Integers, Pack, Reals, integers_of, reader, reals_of
from taut.numerics.pointers import shifted
from taut.structure.coordinates import CoordinateMap
from taut.structure.joints import Joint

KIND = "passing"
BEFORE, LATEST = 0, 1
ALIKE = 0.5
"""What nodes can do has hardly turned where the determinant is larger."""
HALVES = 16
"""How often a way is halved: what is left of it turns nothing."""


class Passing(NamedTuple):
    """m coordinates, n of nodes. Columns and factors of masses: of the state before, and of the two ends of a way."""

    fresh: Integers  # (1,) 1 where a step was kept, and the next state that is asked for is to be looked at
    known: Integers  # (1,) 1 where there is a state before
    order: Integers  # (2 m,)
    time: Reals  # (2,) of the state before, and the latest that was asked for since [s]
    passed: Reals  # (2,) between which times such a place was passed first [s]
    least: Reals  # (1,) the least pivot of the mass matrix where rates were asked for since a step was kept; at its end
    #                 also what is left of a coordinate's own entry, since the first pivot is 1 however small it is
    place: Reals  # (m,) coordinates of the state before
    column: Reals  # (3 m n,)
    mass: Reals  # (3 m m,)
    turn: Reals  # (m m,)
    line: Reals  # (m,)
    ends: Reals  # (2 m,) coordinates at both ends of a way
    probe: Reals  # a state on it


passing_in = reader(Passing, slot(KIND))
FRESH, KNOWN, PASSED, LEAST = (part_of(KIND, Passing, name) for name in ("fresh", "known", "passed", "least"))


def passing_space(coordinates: int, nodal: int, state: int) -> Passing:
    """state: the size of one of coordinates."""
    m, n, zeros = coordinates, nodal, np.zeros
    return Passing(
        fresh=np.ones(1, dtype=np.int64),
        known=zeros(1, dtype=np.int64),
        order=zeros(2 * m, dtype=np.int64),
        time=zeros(2),
        passed=np.full(2, math.inf),
        least=np.ones(1),
        place=zeros(m),
        column=zeros(3 * m * n),
        mass=zeros(3 * m * m),
        turn=zeros(m * m),
        line=zeros(m),
        ends=zeros(2 * m),
        probe=zeros(state),
    )


@kernel
def _alike(p: Pack, s: np.ndarray, one: int, other: int) -> float:
    """The determinant between two of the three states; s: of nodes, at any of them."""
    found, n, m, moved = passing_in(p), coordinate_count(p), generalised_count(p), work_in(p).balance
    first, second = shifted(found.column, one * m * n), shifted(found.column, other * m * n)
    for k in range(m):
        row = shifted(found.turn, k * m)
        carry(p, s, shifted(second, k * n), moved)
        for j in range(m):
            row[j] = dot(n, shifted(first, j * n), moved)
        forward(shifted(found.mass, one * m * m), m, row)
    for j in range(m):
        for k in range(m):
            found.line[k] = found.turn[k * m + j]
        forward(shifted(found.mass, other * m * m), m, found.line)
        for k in range(m):
            found.turn[k * m + j] = found.line[k]
    if factor_pivoted(found.turn, m, found.order) > 0:
        return 0.0
    total = 1.0
    for k in range(m):
        total /= found.turn[k * m + k]  # which holds 1 / pivots
        if (found.order[k] != k) != (found.order[m + k] != k):
            total = -total
    return total


@kernel
def _keep(p: Pack, which: int) -> None:
    """Keep the columns and the factor that were filled last."""
    found, made, n, m = passing_in(p), generalised_in(p), coordinate_count(p), generalised_count(p)
    for i in range(m * n):
        found.column[which * m * n + i] = made.column[i]
    for i in range(m * m):
        found.mass[which * m * m + i] = made.mass[i]


@kernel
def _copy(p: Pack, source: int, target: int) -> None:
    found, n, m = passing_in(p), coordinate_count(p), generalised_count(p)
    for i in range(m * n):
        found.column[target * m * n + i] = found.column[source * m * n + i]
    for i in range(m * m):
        found.mass[target * m * m + i] = found.mass[source * m * m + i]


@kernel
def _fill(p: Pack, y: np.ndarray) -> np.ndarray:
    """Fill columns and the factor of the mass matrix at a state; returns that of the nodes."""
    made = generalised_in(p)
    s = stand(p, y, BEGIN)
    columns(p, s, made.column)
    fill_mass(p, s, made.mass)
    factor(made.mass, generalised_count(p))
    return s


@kernel
def _passes(p: Pack) -> bool:
    """Whether a place between the two ends, 0 and 1, is passed: by halving the way, 2 being its middle."""
    found, m = passing_in(p), generalised_count(p)
    for i in range(2 * m + 1 + internal_count(p)):
        found.probe[i] = 0.0
    for _ in range(HALVES):
        for k in range(m):
            found.probe[k] = 0.5 * (found.ends[k] + found.ends[m + k])
        s = _fill(p, found.probe)
        _keep(p, 2)
        end = 0
        if not _alike(p, s, 0, 2) > ALIKE:
            end = 1
        elif _alike(p, s, 2, 1) > ALIKE:
            return False
        _copy(p, 2, end)
        for k in range(m):
            found.ends[end * m + k] = found.probe[k]
    return True


@kernel
def _reached(p: Pack) -> float:
    """How far the weakest coordinate moves a node, along an axis, as a part of what it did at the start; squared."""
    made, n, least = generalised_in(p), coordinate_count(p), 1.0
    for k in range(generalised_count(p)):
        column, most = shifted(made.column, k * n), 0.0
        for i in range(n):
            most = max(most, abs(column[i]))
        if made.reach[k] > 0.0:
            least = min(least, most * most / (made.reach[k] * made.reach[k]))
    return least


@kernel
def note_passing(p: Pack, t: float, y: np.ndarray) -> None:
    """After accelerations were found at a state: look at it where it is the first since a step was kept."""
    found, made, m = passing_in(p), generalised_in(p), generalised_count(p)
    latest, firm = found.time[LATEST], made.weakest[1]
    found.least[0] = min(firm, _reached(p)) if found.fresh[0] == 1 else min(found.least[0], firm)
    found.time[LATEST] = max(latest, t)
    if found.fresh[0] == 0 or not firm > 0.0:  # without inertia a run stops by itself
        return
    found.fresh[0] = 0
    before = found.time[BEFORE]
    goes_on = found.known[0] == 1 and before < t <= latest + 1e-9 * abs(latest)  # and was not set elsewhere
    if t <= found.passed[0]:
        found.passed[0] = math.inf
    _keep(p, 1)
    if goes_on and found.passed[0] == math.inf and not _alike(p, made.nodal, 0, 1) > ALIKE:
        for k in range(m):
            found.ends[k], found.ends[m + k] = found.place[k], y[k]
        if _passes(p):
            found.passed[0], found.passed[1] = before, t
        _fill(p, y)  # as it was found
        _keep(p, 1)
    _copy(p, 1, 0)
    for k in range(m):
        found.place[k] = y[k]
    found.time[BEFORE], found.time[LATEST], found.known[0] = t, t, 1


def passed_between(tables: Pack) -> tuple[float, float] | None:
    """The times [s] between which coordinates passed a place where they say nothing; None where they did not."""
    before, after = reals_of(tables, PASSED)
    return (float(before), float(after)) if before < math.inf else None


def look_at_next(tables: Pack) -> bool:
    """As after a step that was kept; whether states are looked at in a run, which impulses do not ask for."""
    integers_of(tables, FRESH)[0] = 1
    return bool(integers_of(tables, KNOWN)[0])


def singular_words(joints: tuple[Joint, ...] | CoordinateMap) -> str:
    """What coordinates do where they say nothing."""
    turning = [] if isinstance(joints, CoordinateMap) else [f'"{one.name}"' for one in joints if len(one.turns) > 1]
    if not turning:
        return "coordinates come to say nothing"
    told = f"axes of a joint, of {listed(turning, most=4)}, come to lie along what they turn"
    return f"{told}, so that coordinates say nothing"
