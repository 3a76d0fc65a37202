"""From far to a posture of any kind, stable or not: damped Newton on the motions that constraints allow.

On these motions, an orthonormal basis Z of the null space of G, balance is g = Z^T (f + G^T l) = 0 and the stiffness
H = Z^T K Z. Full steps of Newton's method go astray along soft motions: 10 N against 3 N/m lead 3 m away. So the step

    z = (H^2 + m^2)^-1 H g

(Levenberg 1944; Marquardt 1963) is short along motions softer than the damping m [N/m], and m shrinks while |g| falls
as H says. Unlike a way downhill it does not shun saddles of the energy. Constraints are met before each step, by the
least move.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from taut.kinetostatics.posture_solver import PostureSolver
from taut.statics.newton import Settled, goal_of

FIRST_DAMPING = 0.01
"""Of the largest stiffness."""

FARTHEST = 0.1
"""Of the mean length of members: how far a node moves in one step at most."""

CLOSE = 1e-6
"""Of the largest force: where so little is left, plain Newton steps follow."""

RANK = 1e-10
"""Rows of G whose singular value is below this part of the largest depend on others."""

ROUNDS = 12
"""How often held cables are counted anew."""

CLOSINGS = 30
POLISHING = 8


class Reduced(NamedTuple):
    """Balance on the motions that constraints allow."""

    ways: np.ndarray  # (f, d) orthonormal
    force: np.ndarray  # (d,) what is left [N]
    stiffness: np.ndarray  # (d, d) [N/m]


def allowed_ways(rows: np.ndarray) -> np.ndarray:
    """(f, d) an orthonormal basis of the motions that keep all rows."""
    if not rows.shape[0]:
        return np.eye(rows.shape[1])
    _, sizes, right = np.linalg.svd(rows)
    rank = int(np.count_nonzero(sizes > RANK * sizes.max(initial=0.0)))
    return np.asarray(right[rank:].T)


def reduced(solver: PostureSolver) -> Reduced:
    """Where the solver is, with the multipliers that balance best."""
    solver.balance_multipliers()
    solver.evaluate()
    ways = allowed_ways(solver.rows)
    return Reduced(ways, ways.T @ solver.right[: solver.free.size], ways.T @ solver.stiffness @ ways)


def close_constraints(solver: PostureSolver) -> bool:
    """Go to the nearest place that the constraints allow; False where none is near."""
    count, size = solver.free.size, float(np.abs(solver.positions).max()) or 1.0
    for _ in range(CLOSINGS):
        solver.evaluate()
        off = solver.right[count:]
        worst = float(np.abs(off).max(initial=0.0))
        if worst <= 16.0 * np.finfo(float).eps * size:
            return True
        if not np.isfinite(worst):
            return False
        solver.move(np.linalg.lstsq(solver.rows, off, rcond=RANK)[0])
    return worst <= 1e-9 * size


def settle(solver: PostureSolver, *, limit: int = 200, tolerance: float = 1e-12) -> Settled:
    """From where the solver is to a posture, with the held cables that pull in it; the solver stays where it ends."""
    history = [np.zeros(0)]
    for _ in range(ROUNDS):
        found, history_now = _descended(solver, limit, tolerance)
        history.append(history_now)
        slack = solver.slack_by_law
        if not found or np.array_equal(slack, solver.slack):
            break
        solver.slacken(slack)
    else:
        found = False
    return _told(solver, found, np.concatenate(history), tolerance)


def _descended(solver: PostureSolver, limit: int, tolerance: float) -> tuple[bool, np.ndarray]:
    """Whether a posture was found, and what was left after every step [N]."""
    count, typical = solver.free.size, solver.robot.typical_length
    history = list[float]()
    if not close_constraints(solver):
        return False, np.zeros(0)
    here = reduced(solver)
    damping = FIRST_DAMPING * float(np.abs(here.stiffness).max(initial=0.0)) or 1.0  # where all cables are slack
    for _ in range(limit):
        size = float(np.linalg.norm(here.force))
        history.append(float(np.abs(here.force).max(initial=0.0)))
        most = max(float(np.abs(solver.multipliers).max(initial=0.0)), float(np.abs(solver.stiffness).max()) * typical)
        if not np.isfinite(size):
            return False, np.array(history)
        if size <= CLOSE * most and _polished(solver, tolerance):
            return True, np.array([*history, float(np.abs(solver.right[:count]).max(initial=0.0))])
        values, vectors = np.linalg.eigh(here.stiffness)
        along, begun = vectors.T @ here.force, solver.positions.copy()
        while True:
            step = vectors @ (values / (values**2 + damping**2) * along)
            shift = here.ways @ step
            if np.abs(shift).max(initial=0.0) <= FARTHEST * typical:
                expected = size**2 - float(np.linalg.norm(here.force - here.stiffness @ step)) ** 2
                solver.place(begun, solver.multipliers)
                solver.move(shift)
                there = reduced(solver) if close_constraints(solver) else None
                gained = -np.inf if there is None else size**2 - float(np.linalg.norm(there.force)) ** 2
                if there is not None and gained > 1e-3 * expected:
                    break
            damping *= 4.0
            if damping > 1e9 * np.abs(values).max(initial=0.0):
                solver.place(begun)
                reduced(solver)
                return False, np.array(history)
        here = there
        damping *= 0.25 if gained > 0.75 * expected else 2.0 if gained < 0.25 * expected else 1.0
    return False, np.array(history)


def _polished(solver: PostureSolver, tolerance: float) -> bool:
    """Whether plain Newton steps lead to round-off; goes back where they do not."""
    begun, multipliers = solver.positions.copy(), solver.multipliers.copy()
    left, off = solver.evaluate()
    count, size = solver.free.size, float(np.abs(solver.positions).max()) or 1.0
    goal = _goal(solver, tolerance)
    best = left
    for _ in range(POLISHING):
        step = np.linalg.lstsq(solver.matrix, solver.right, rcond=1e-15)[0]
        kept = solver.positions.copy(), solver.multipliers.copy()
        solver.move(step[:count])
        solver.multipliers -= step[count:]
        solver.slacken(solver.slack)  # not off by round-off
        left, off = solver.evaluate()
        if not left < 0.5 * best:
            if best <= goal:
                solver.place(*kept)
            break
        best = left
    left, off = solver.evaluate()
    if left <= goal and off <= 64.0 * np.finfo(float).eps * size:
        return True
    solver.place(begun, multipliers)
    return False


def _goal(solver: PostureSolver, tolerance: float) -> float:
    setting, problem = solver.robot.setting(solver.values), solver.robot.problem
    tensions = problem.tensions(solver.positions, solver.static_multipliers, setting)
    return goal_of(problem, solver.positions, tensions, setting, tolerance)


def _told(solver: PostureSolver, found: bool, history: np.ndarray, tolerance: float) -> Settled:
    """In the words of statics, by its own equations."""
    setting, problem = solver.robot.setting(solver.values), solver.robot.problem
    multipliers = solver.static_multipliers
    problem = problem.slackened(multipliers) if found else problem
    left = np.abs(problem.unbalance(solver.positions, multipliers, setting)[problem.free])
    residual = float(left.max(initial=0.0))
    worst = int(problem.free[np.argmax(left)]) if left.size else 0
    goal = _goal(solver, max(tolerance, 1e-10))
    return Settled(solver.positions.copy(), multipliers, residual, goal, found and residual <= goal, worst, history)


def settled_here(solver: PostureSolver, *, tolerance: float = 1e-12) -> Settled:
    """The posture that a solver is all but at, to round-off; the solver stays there."""
    found = _polished(solver, tolerance)
    return _told(solver, found, np.zeros(0), tolerance)
