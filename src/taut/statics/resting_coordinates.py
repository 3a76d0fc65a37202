"""Where a plant in generalised coordinates is at rest: the forces along its coordinates balanced by its loops.

    f(q) + G^T l = 0,   residuals(q) = 0

Newton's method along the loops, with the stiffness S = -d(f + G^T l)/dq by differences of eighth order of exact forces.
Where S is not positive along some motion a step goes down there and not up, so that it ends where it is stable unless
it starts at rest. A step that goes too far is halved.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from taut.errors import OptionError
from taut.mechanics import capabilities
from taut.mechanics.points.generalised import GeneralisedPlant
from taut.mechanics.points.generalised_tables import KIND
from taut.mechanics.points.linearisation import solved
from taut.numerics.dense_saddle import lift, null_basis
from taut.numerics.differences import jacobian
from taut.type_checks import checked_arguments

FAR = 0.2
"""Of a typical length, which a step moves nodes by at most."""
MET = 1e-13
"""Of a typical length: a step so short has arrived, and so has one below a thousand times that which does not get
shorter."""
FLAT = 1e-9
"""Of the largest stiffness: a motion that is less stiff is held by nothing."""
ROUND_OFF = 1e-11
"""A force that is less, as a part of what the stiffest motion would have along a typical length, is none."""
HALVES = 12
ROUNDS = 200


@dataclass(frozen=True)
class CoordinateEquilibrium:
    """Where a plant stands, m coordinates and r rows.

    plant: the same, at rest there; to be linearised, or followed from there.
    multiplier: of loops and imposed coordinates, as `constraint_names` of the plant names them [N], [N m].
    squared_rates: of small motions, from the least on [1/s^2]: squares of angular frequencies where positive, of growth
        where negative.
    unbalanced: the largest force along a coordinate that nothing balances [N], [N m].
    status: "balanced", or a sentence that says what went wrong; what was found until then is here.
    """

    plant: GeneralisedPlant
    coordinate: np.ndarray  # (m,)
    multiplier: np.ndarray  # (r,)
    squared_rates: np.ndarray
    unbalanced: float
    status: str
    iterations: int

    @property
    def ok(self) -> bool:
        return self.status == "balanced"

    @property
    def stable(self) -> bool:
        """Whether something holds every motion."""
        return bool(np.all(self.squared_rates > FLAT * np.abs(self.squared_rates).max(initial=0.0)))

    def __repr__(self) -> str:
        held = "stable" if self.stable else "not stable"
        return f"<{type(self).__name__} of {self.plant!r}: {self.status}, {held}>"


class _Standing(NamedTuple):
    """The equations at a state: what is unbalanced, residuals, motions along the loops and how stiff they are."""

    left: np.ndarray  # (m,) f + G^T l
    multiplier: np.ndarray  # (r,)
    closing: np.ndarray  # (m,) the shortest way back onto the loops
    along: np.ndarray  # (m, f) motions, orthonormal by mass
    stiffness: np.ndarray  # (m, m)


@checked_arguments
def coordinate_equilibrium(plant: GeneralisedPlant, *, time: float = 0.0) -> CoordinateEquilibrium:
    """The equilibrium that a plant in generalised coordinates falls into from its start.

    time: at which loads, drives and imposed coordinates are taken. Nothing moves: dampers do nothing, and controllers
        are left out.
    """
    capabilities.check(capabilities.LINEAR, capabilities.features_of(plant))
    q, length, before, status, count = plant.positions.copy(), plant.typical_length, np.inf, "", 0
    *moves, weight = plant.tables[KIND].reach
    reach, size = np.array(moves), length * np.sqrt(weight)
    while not status:
        count += 1
        found = _standing(plant, time, q)
        stiff = found.along.T @ found.stiffness @ found.along
        rates, ways = np.linalg.eigh(0.5 * (stiff + stiff.T))
        push = ways.T @ found.along.T @ (found.left - found.stiffness @ found.closing)
        step = found.closing + found.along @ (ways @ _downhill(rates, push, size))
        moved = float(np.max(reach * np.abs(step), initial=0.0))
        if not np.isfinite(moved):
            raise OptionError("forces at the start are not finite; look at the plant's start")
        if moved <= MET * length or (moved <= 1e3 * MET * length and moved > 0.5 * before):
            status = "balanced"
        elif count == ROUNDS:
            status = (
                f"not balanced after {ROUNDS} steps, of which the last moved a node by {moved:.1e} m; start nearer, or "
                "look for a motion that nothing holds"
            )
        else:
            q, before = q + _halved(plant, time, q, step * min(1.0, FAR * length / moved), found), moved
    rested = replace(plant, positions=q, velocities=np.zeros_like(q))
    worst = float(np.abs(found.left).max(initial=0.0))
    return CoordinateEquilibrium(rested, q, found.multiplier, rates, worst, status, count)


def _downhill(rates: np.ndarray, push: np.ndarray, size: float) -> np.ndarray:
    """How far to go along each motion; not at all where neither a force nor a stiffness is. size: of a large motion."""
    most = np.abs(rates).max(initial=0.0)
    firm = np.maximum(np.abs(rates), FLAT * most)
    nothing = (np.abs(rates) < firm) & (np.abs(push) < ROUND_OFF * most * size)
    return np.where(nothing | (firm == 0.0), 0.0, push / np.where(firm > 0.0, firm, 1.0))


def _standing(plant: GeneralisedPlant, time: float, q: np.ndarray) -> _Standing:
    mass, rows, force, _ = plant.terms_at(time, q, np.zeros_like(q))
    off, unused = np.zeros(plant.rows), np.zeros(plant.rows)
    y = np.concatenate([q, np.zeros_like(q), [0.0], plant.internal])
    plant.operations()["residuals"](plant.pack, y, off, unused)
    system, answer = solved(mass, rows, force, np.zeros(plant.rows))
    multiplier = answer[q.size :]
    steps = plant.tables[KIND].step

    def left(x: np.ndarray) -> np.ndarray:
        _, g, f, _ = plant.terms_at(time, x, np.zeros_like(x))
        return np.asarray(f + g.T @ multiplier)

    slopes = jacobian(lambda z: left(q + steps * z), np.zeros(q.size), 1.0) / steps
    return _Standing(left(q), multiplier, -lift(system) @ off, null_basis(system), -slopes)


def _halved(plant: GeneralisedPlant, time: float, q: np.ndarray, step: np.ndarray, found: _Standing) -> np.ndarray:
    """A step, or a part of it where forces at its end push back harder than half of what pushed at its start."""
    started = step @ found.left
    for _ in range(HALVES):
        _, rows, force, _ = plant.terms_at(time, q + step, np.zeros_like(q))
        if not started > 0.0 or step @ (force + rows.T @ found.multiplier) >= -0.5 * started:
            break
        step = 0.5 * step
        started *= 0.5
    return step
