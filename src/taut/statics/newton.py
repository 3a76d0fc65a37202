"""Newton's method to a minimum of potential energy: slack cables, bars that keep their length, every step downhill."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import scipy.sparse as sp

from taut.numerics.quasidefinite import Preconditioned, Solver, factored, preconditioned
from taut.statics.elastic_members import lengths_of, spans_of
from taut.statics.equilibrium_equations import EquilibriumEquations, Setting

FIRST_SHIFT = 1e-6
"""Of the mean stiffness, added to the diagonal where the stiffness is not positive, then ten times more, and so on."""

STEPS = (4, 16)
"""Into how many steps what is imposed is cut, each try after the one before it has failed."""

PATIENCE = 60
"""Iterations after which something else is tried where there is something."""

GRADUAL = 1e-9
"""Of the loads: where slack cables pull with no more than that they are as good as slack."""

FREE_SHIFT = 1e-8
FREE_MOTIONS = 6
"""The whole can move in so many ways without stiffness, of either sign by round-off: a small shift holds it."""

SINGULAR = 1e-13
"""A pivot below this fraction of the largest stiffness means that something can move freely."""

FINE = 1e-6
POLISHING = 4
"""Newton steps taken on from a balance asked for to FINE or better, while they halve the residual."""

FARTHEST = 0.5
"""The ends of a member move against each other by this fraction of its length at most, in one step."""

SHORTEST = 1e-9
"""A step shortened to this fraction of the first try leads nowhere."""


@dataclass(frozen=True)
class Settled:
    """Where the iteration came to; converged: the residual [N] is below its goal."""

    positions: np.ndarray
    multipliers: np.ndarray
    residual: float
    goal: float
    converged: bool
    worst: int  # the coordinate with the largest residual
    history: np.ndarray


def goal_of(
    problem: EquilibriumEquations, positions: np.ndarray, tensions: np.ndarray, setting: Setting, tolerance: float
) -> float:
    """The residual to reach [N]: a fraction of the largest force, but not less than round-off can resolve."""
    force = max(np.abs(tensions).max(initial=0.0), np.abs(setting.external).max(initial=0.0))
    stiffest = np.abs(problem.members_at(setting).stiffness).max(initial=0.0)
    rounding = 32.0 * np.finfo(float).eps * stiffest * np.abs(positions).max(initial=0.0)
    return float(max(tolerance * force, rounding, np.finfo(float).tiny))


def settled(
    problem: EquilibriumEquations,
    setting: Setting,
    positions: np.ndarray,
    *,
    tolerance: float = 1e-10,
    limit: int = 200,
    solver: str = "direct",
) -> Settled:
    """From these positions downhill to a balance."""
    places, multipliers = restored(problem, setting, problem.placed(positions, setting))
    model, history = Model(), []
    for _ in range(limit + 1):
        slope = problem.unbalance(places, multipliers, setting)[problem.free]
        residual = float(np.abs(slope).max(initial=0.0))
        history.append(residual)
        goal = goal_of(problem, places, problem.tensions(places, multipliers, setting), setting, tolerance)
        converged = residual <= goal and _closed(problem.residuals(places, setting), places)
        if converged or len(history) > limit or not np.isfinite(residual):
            break
        worked, model = _positive(problem, setting, places, multipliers, model, solver)
        step, change = worked.solve(-slope)
        shortened = _descended(problem, setting, places, step, float(slope @ step), worked)
        if shortened is None:
            if model.shift > 1.0 or solver == "iterative":
                break
            model = model.firmer()
            continue
        places, share = shortened
        # Multipliers of a step not taken in full belong to another place.
        multipliers = multipliers + change if share == 1.0 else balancing(problem, setting, places)
        model = model.after()
    worst = int(problem.free[np.argmax(np.abs(slope))]) if slope.size else 0
    found = Settled(places, multipliers, residual, goal, bool(converged), worst, np.array(history))
    return _polished(problem, setting, found) if converged and solver == "direct" and tolerance <= FINE else found


def _polished(problem: EquilibriumEquations, setting: Setting, found: Settled) -> Settled:
    """The balance with round-off left, where plain Newton steps lead to it: soft modes are as good as it is."""
    for _ in range(POLISHING):
        matrix = problem.stiffness(found.positions, found.multipliers, setting)
        worked = factored(matrix, problem.free_rows(found.positions, setting))
        if worked.lu is None or worked.weakest <= SINGULAR:
            break
        slope = problem.unbalance(found.positions, found.multipliers, setting)[problem.free]
        step, change = worked.solve(-slope, -problem.residuals(found.positions, setting))
        there, carried = moved(problem, found.positions, step), found.multipliers + change
        left = np.abs(problem.unbalance(there, carried, setting)[problem.free])
        residual = float(left.max(initial=0.0))
        if not residual < 0.5 * found.residual or not _closed(problem.residuals(there, setting), there):
            break
        found = replace(
            found,
            positions=there,
            multipliers=carried,
            residual=residual,
            worst=int(problem.free[np.argmax(left)]),
            history=np.append(found.history, residual),
        )
    return found


def stepped(
    problem: EquilibriumEquations,
    start: Setting,
    goal: Setting,
    positions: np.ndarray,
    *,
    tolerance: float = 1e-10,
    limit: int = 200,
    solver: str = "direct",
) -> tuple[Settled, int]:
    """A balance at the goal, and the iterations it took.

    At first in one go; where that fails, with cables that begin to pull gradually; then in more and more steps from
    the start.
    """
    options: dict[str, Any] = {"tolerance": tolerance, "solver": solver}
    gradual = bool(problem.members.one_sided.any())
    found, total = _in_steps(
        problem, start, goal, positions, 1, limit=min(limit, PATIENCE if gradual else limit), **options
    )
    if gradual and not found.converged:
        found, count = _gradually(problem, goal, positions, limit=limit, **options)
        total += count
    same = all(np.array_equal(a, b) for a, b in zip(start, goal, strict=True))
    for pieces in () if same else STEPS:
        if found.converged:
            break
        found, count = _in_steps(problem, start, goal, positions, pieces, limit=limit, **options)
        total += count
    return found, total


def _in_steps(
    problem: EquilibriumEquations, start: Setting, goal: Setting, places: np.ndarray, pieces: int, **options: Any
) -> tuple[Settled, int]:
    """What is imposed put on in so many pieces, as far as they all balance."""
    count = 0
    for piece in range(1, pieces + 1):
        found = settled(problem, start.towards(goal, piece / pieces), places, **options)
        places, count = found.positions, count + len(found.history) - 1
        if not found.converged:
            break
    return found, count


def _gradually(
    problem: EquilibriumEquations, setting: Setting, places: np.ndarray, *, tolerance: float, limit: int, solver: str
) -> tuple[Settled, int]:
    """A balance with cables that at first pull at any length, then less and less before their rest length.

    What hangs on slack cables alone is loose, and a stiff net of them is a maze of kinks: Newton's method strays in it.
    Rounded off by as much as makes slack cables pull like the loads do, the energy has one valley, which is followed
    while the rounding shrinks (a smoothing method: Chen and Mangasarian 1996).
    """
    members, count = problem.members_at(setting), 0
    free = problem.free
    unbalance = problem.unbalance(problem.placed(places, setting), np.zeros(problem.rows), setting)[free]
    size = float(np.abs(setting.external).max(initial=0.0) or np.abs(unbalance).max(initial=0.0))
    pull = size
    while pull > GRADUAL * size:
        width = np.sqrt(pull * members.rest_length / np.where(members.one_sided, members.stiffness, 1.0))
        rounded = replace(problem, members=problem.members._replace(rounding=width))
        found = settled(rounded, setting, places, tolerance=1e-3, limit=min(limit, PATIENCE), solver=solver)
        places, pull, count = found.positions, 0.25 * pull, count + len(found.history) - 1
    found = settled(problem, setting, places, tolerance=tolerance, limit=limit, solver=solver)
    return found, count + len(found.history) - 1


def restored(problem: EquilibriumEquations, setting: Setting, positions: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The nearest positions at which bars have their lengths, and the multipliers that balance best there."""
    if not problem.rows:
        return positions, np.zeros(0)
    unit = sp.csc_matrix(sp.eye(problem.free.size))
    places = positions
    for _ in range(20):
        residuals = problem.residuals(places, setting)
        if _closed(residuals, places):
            break
        metric = factored(unit, problem.free_rows(places, setting))
        places = moved(problem, places, metric.solve(np.zeros(problem.free.size), -residuals)[0])
    return places, balancing(problem, setting, places)


def balancing(problem: EquilibriumEquations, setting: Setting, positions: np.ndarray) -> np.ndarray:
    """The multipliers that leave the smallest unbalance, in the sense of least squares."""
    if not problem.rows:
        return np.zeros(0)
    slope = problem.unbalance(positions, np.zeros(problem.rows), setting)[problem.free]
    unit = sp.csc_matrix(sp.eye(problem.free.size))
    return factored(unit, problem.free_rows(positions, setting)).solve(-slope)[1]


def moved(problem: EquilibriumEquations, positions: np.ndarray, step: np.ndarray) -> np.ndarray:
    """Positions with the free coordinates shifted."""
    flat = positions.ravel().copy()
    flat[problem.free] += step
    return flat.reshape(-1, 3)


def _closed(residuals: np.ndarray, positions: np.ndarray) -> bool:
    size = float(np.abs(positions).max(initial=0.0))
    return bool(np.abs(residuals).max(initial=0.0) <= 16.0 * np.finfo(float).eps * size + 1e-14)


@dataclass(frozen=True)
class Model:
    """How the stiffness is made positive where it is not.

    pushes: whether what compression takes from the stiffness counts; without it only slack cables and free motions
        leave anything without stiffness. shift: of the mean stiffness, added to the diagonal on top.
    """

    pushes: bool = True
    shift: float = 0.0

    def firmer(self, negative: int = FREE_MOTIONS + 1) -> Model:
        """The next to try, where this one is negative in so many directions."""
        if self.pushes and not self.shift and negative <= FREE_MOTIONS:
            return Model(True, FREE_SHIFT)
        return Model(False, self.shift) if self.pushes else Model(False, max(10.0 * self.shift, FIRST_SHIFT))

    def after(self) -> Model:
        """What to try first after a step that went well."""
        return Model(True, 0.0 if self.shift <= FIRST_SHIFT else self.shift / 10.0)


def _positive(
    problem: EquilibriumEquations,
    setting: Setting,
    places: np.ndarray,
    multipliers: np.ndarray,
    model: Model,
    solver: str,
) -> tuple[Solver, Model]:
    """A solver of the stiffness, changed as little as makes it positive, and how it was changed."""
    blocks = problem.blocks(places, multipliers, setting)
    rows = problem.free_rows(places, setting)
    unit = sp.eye(problem.free.size, format="csc")
    mean = float(np.abs(problem.matrix(blocks, places, multipliers).diagonal()).mean()) or 1.0
    while True:
        firm = blocks if model.pushes else blocks + problem.pushed_blocks(places, multipliers, setting)
        matrix = problem.matrix(firm, places, multipliers)
        if model.shift:
            matrix = sp.csc_matrix(matrix + model.shift * mean * unit)
        if solver == "iterative":
            return preconditioned(matrix, rows), model
        found = factored(matrix, rows)
        if (found.negative == 0 and found.weakest > SINGULAR) or model.shift > 1e3:
            return found, model
        model = model.firmer(found.negative)


def _descended(
    problem: EquilibriumEquations, setting: Setting, places: np.ndarray, step: np.ndarray, slope: float, solver: Solver
) -> tuple[np.ndarray, float] | None:
    """The positions after the longest step that lowers the energy, and its share; None where no step does."""
    energy, size = problem.energy(places, setting)
    noise = 64.0 * np.finfo(float).eps * size
    simple = solver.simple if isinstance(solver, Preconditioned) else solver
    nothing = np.zeros_like(step)
    share = min(1.0, FARTHEST / (_distortion(problem, places, step) or 1.0))
    least = SHORTEST * share
    while share > least:
        trial = moved(problem, places, share * step)
        for _ in range(8):
            residuals = problem.residuals(trial, setting)
            if _closed(residuals, trial):
                break
            trial = moved(problem, trial, simple.solve(nothing, -residuals)[0])
        else:
            share *= 0.5
            continue
        if problem.energy(trial, setting)[0] <= energy + 1e-4 * share * min(slope, 0.0) + noise:
            return trial, share
        share *= 0.5
    return None


def _distortion(problem: EquilibriumEquations, places: np.ndarray, step: np.ndarray) -> float:
    """The largest change of a member's span, in lengths of the member: far steps land in other valleys.

    A slack cable counts with its rest length: its ends may come as near to each other as they like.
    """
    lengths = lengths_of(spans_of(problem.members, places))
    lengths = np.where(problem.members.one_sided, np.maximum(lengths, problem.members.rest_length), lengths)
    change = spans_of(problem.members, moved(problem, np.zeros_like(places), step))
    return float((lengths_of(change) / lengths).max(initial=0.0))
