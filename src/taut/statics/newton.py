"""Newton's method to a minimum of potential energy: slack cables, bars that keep their length, every step downhill."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import scipy.sparse as sp

from taut.numerics.quasidefinite import Preconditioned, Solver, factored, preconditioned
from taut.statics.elastic_members import by_segment, lengths_of, spans_of, summed
from taut.statics.equilibrium_equations import EquilibriumEquations, Setting

FIRST_SHIFT = 1e-6
"""Of the mean stiffness, added to the diagonal where the stiffness is not positive, then ten times more, and so on."""

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

TOGETHER = 1e-6
"""A segment shorter than this part of its route has shrunk to nothing: there a length has no derivative."""

SHORTEST = 1e-9
"""A step shortened to this fraction of the first try leads nowhere."""

JAMS = 2
"""Tries after one another in which no step, however short, leaves bars their lengths: there is no way to go."""


@dataclass(frozen=True)
class Settled:
    """Where the iteration came to; converged: the residual [N] is below its goal.

    jammed: what is left acts along a way that constraints leave open by their first derivatives only, as across a bar
    between nodes that are held along it. No finite force of theirs balances that, whatever the loads' size.
    """

    positions: np.ndarray
    multipliers: np.ndarray
    residual: float
    goal: float
    converged: bool
    worst: int  # the coordinate with the largest residual
    history: np.ndarray
    jammed: bool = False


def goal_of(
    problem: EquilibriumEquations, positions: np.ndarray, tensions: np.ndarray, setting: Setting, tolerance: float
) -> float:
    """The residual to reach [N]: a fraction of the largest force, but not less than round-off can resolve."""
    force = max(np.abs(tensions).max(initial=0.0), np.abs(setting.external).max(initial=0.0))
    stiffest = np.abs(problem.members_at(setting).stiffness).max(initial=0.0)
    if problem.elements is not None:
        own = problem.elements.stiffness(positions, np.zeros(problem.elements.rows))
        stiffest = max(stiffest, np.abs(own.diagonal()).max(initial=0.0))
        force = max(force, problem.elements.largest_force(positions))
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
    model, history, jams = Model(), list[float](), 0
    for _ in range(limit + 1):
        slope = problem.unbalance(places, multipliers, setting)[problem.free]
        residual = float(np.abs(slope).max(initial=0.0))
        history.append(residual)
        goal = goal_of(problem, places, problem.tensions(places, multipliers, setting), setting, tolerance)
        converged = residual <= goal and closed(problem, setting, places)
        if converged or len(history) > limit or not np.isfinite(residual) or drawn_together(problem, places).any():
            break
        worked, model = _positive(problem, setting, places, multipliers, model, solver)
        step, change = worked.solve(-slope)
        trial, share = _descended(problem, setting, places, step, float(slope @ step), worked)
        if trial is None:
            jams = jams + 1 if share == 0.0 else 0
            if model.shift > 1.0 or solver == "iterative" or jams == JAMS:
                break
            model = model.firmer()
            continue
        places, jams = trial, 0
        # Multipliers of a step not taken in full belong to another place.
        multipliers = multipliers + change if share == 1.0 else balancing(problem, setting, places)
        model = model.after()
    worst = int(problem.free[np.argmax(np.abs(slope))]) if slope.size else 0
    found = Settled(places, multipliers, residual, goal, bool(converged), worst, np.array(history), jams == JAMS)
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
        if not residual < 0.5 * found.residual or not closed(problem, setting, there):
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


def restored(problem: EquilibriumEquations, setting: Setting, positions: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The nearest positions at which bars have their lengths, and the multipliers that balance best there."""
    if not problem.rows:
        return positions, np.zeros(0)
    unit = sp.csc_matrix(sp.eye(problem.free.size))
    places = positions
    for _ in range(20):
        if closed(problem, setting, places):
            break
        metric = factored(unit, problem.free_rows(places, setting))
        if metric.lu is None:
            break
        residuals = problem.residuals(places, setting)
        places = moved(problem, places, metric.solve(np.zeros(problem.free.size), -residuals)[0])
    return places, balancing(problem, setting, places)


def balancing(problem: EquilibriumEquations, setting: Setting, positions: np.ndarray) -> np.ndarray:
    """The multipliers that leave the smallest unbalance, in the sense of least squares."""
    if not problem.rows:
        return np.zeros(0)
    slope = problem.unbalance(positions, np.zeros(problem.rows), setting)[problem.free]
    unit = sp.csc_matrix(sp.eye(problem.free.size))
    worked = factored(unit, problem.free_rows(positions, setting))
    return np.full(problem.rows, np.nan) if worked.lu is None else worked.solve(-slope)[1]


def moved(problem: EquilibriumEquations, positions: np.ndarray, step: np.ndarray) -> np.ndarray:
    """Positions with the free coordinates shifted."""
    flat = positions.ravel().copy()
    flat[problem.free] += step
    return flat.reshape(-1, 3)


def drawn_together(problem: EquilibriumEquations, positions: np.ndarray) -> np.ndarray:
    """(s,) segments of routes that have shrunk to nothing: a node slides along its cable until it meets the next."""
    members = problem.members
    if members.owner is None:
        return np.zeros(0, dtype=bool)
    apart = lengths_of(spans_of(members, positions))
    lengths = summed(members, apart)
    return np.asarray((apart < TOGETHER * lengths[members.owner]) & members.routed[members.owner])


def closed(problem: EquilibriumEquations, setting: Setting, positions: np.ndarray) -> bool:
    """Whether everything that keeps its length has it, to round-off."""
    residuals = problem.residuals(positions, setting)
    size = max(float(np.abs(positions).max(initial=0.0)), float(setting.rest_length[problem.held].max(initial=0.0)))
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
    mean = float(np.abs(problem.matrix(blocks, places, multipliers, setting).diagonal()).mean()) or 1.0
    while True:
        firm = blocks if model.pushes else blocks + problem.pushed_blocks(places, multipliers, setting)
        matrix = problem.matrix(firm, places, multipliers, setting)
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
) -> tuple[np.ndarray | None, float]:
    """The positions after the longest step that lowers the energy, and its share; None where no step does, with a share
    of zero where none leaves constraints met."""
    energy, size = problem.energy(places, setting)
    noise = 64.0 * np.finfo(float).eps * size
    simple = solver.simple if isinstance(solver, Preconditioned) else solver
    nothing = np.zeros_like(step)
    share = min(1.0, FARTHEST / (_distortion(problem, places, step) or 1.0))
    least, met = SHORTEST * share, False
    while share > least:
        trial = moved(problem, places, share * step)
        for _ in range(8):
            if closed(problem, setting, trial):
                break
            trial = moved(problem, trial, simple.solve(nothing, -problem.residuals(trial, setting))[0])
        else:
            share *= 0.5
            continue
        met = True
        if problem.energy(trial, setting)[0] <= energy + 1e-4 * share * min(slope, 0.0) + noise:
            return trial, share
        share *= 0.5
    return None, share if met else 0.0


def _distortion(problem: EquilibriumEquations, places: np.ndarray, step: np.ndarray) -> float:
    """The largest change of a segment's span, in lengths of the segment: far steps land in other valleys.

    A slack cable counts with its rest length: its ends may come as near to each other as they like.
    """
    members = problem.members
    apart = lengths_of(spans_of(members, places))
    lengths = summed(members, apart)
    loose = np.where(members.one_sided | problem.slack, np.maximum(lengths, members.rest_length), lengths)
    reach = by_segment(members, loose)
    if members.owner is not None:  # guides share the length that a slack cable has to spare
        reach = np.where(by_segment(members, members.routed), apart * reach / by_segment(members, lengths), reach)
    change = spans_of(members, moved(problem, np.zeros_like(places), step))
    return float((lengths_of(change) / reach).max(initial=0.0))
