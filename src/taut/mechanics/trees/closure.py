"""A start brought onto the loops of a tree, or the gap that no motion of its joints closes."""

from __future__ import annotations

import numpy as np

from taut.errors import ModelError, Problem
from taut.mechanics.trees.equations import TreeEquations
from taut.mechanics.trees.loops import HELD, turned_round
from taut.structure.trees import LoopJoint

CLOSED = 1e-12
"""[m] that a loop may be open at the start."""

TRIES = 100
LONGEST = 0.3
"""[rad], [m] that a joint moves in one try."""


def closed(equations: TreeEquations, q: np.ndarray) -> np.ndarray:
    """Positions near q at which all loops are closed, by Gauss-Newton along the shortest ways of all joints.

    Raises ModelError where they stay open, or close turned round.
    """
    q = _closed(equations, q)
    equations.loop_error(q)  # leaves the tree there
    if problems := [*map(_round, turned_round(equations.loops))]:
        raise ModelError(problems)
    return q


def _round(found: tuple[LoopJoint, float]) -> Problem:
    loop, angle = found
    message = (
        f'closes only turned round: axes of "{loop.predecessor}" and "{loop.successor}" that it holds together are '
        f"{angle:.3g} rad apart; start them nearer to one another, or turn its rotation or to_rotation"
    )
    return Problem(("loops", loop.name), message)


def _closed(equations: TreeEquations, q: np.ndarray) -> np.ndarray:
    error = equations.loop_error(q)
    for _ in range(TRIES):
        if np.abs(error).max(initial=0.0) < CLOSED:
            return q
        way = np.linalg.lstsq(equations.loop_jacobian(q), -error, rcond=1e-10)[0]
        way *= min(1.0, LONGEST / max(float(np.abs(way).max()), 1e-300))
        moved = equations.integrate(q, way)
        found = equations.loop_error(moved)
        while np.linalg.norm(found) > np.linalg.norm(error) and np.abs(way).max() > 1e-9:
            way *= 0.5
            moved = equations.integrate(q, way)
            found = equations.loop_error(moved)
        if np.linalg.norm(found) > (1.0 - 1e-9) * np.linalg.norm(error):
            break
        q, error = moved, found
    if np.abs(error).max(initial=0.0) < 1e3 * CLOSED:
        return q
    raise ModelError(_open(equations, error))


def _open(equations: TreeEquations, error: np.ndarray) -> list[Problem]:
    """The loops that stay open, each with its gap, the widest first."""
    found, first = [], 0
    for loop in equations.tree.loops:
        gap = float(np.linalg.norm(error[first : first + HELD[loop.kind]]))
        first += loop.rows
        if gap > 1e-9:
            message = (
                f'cannot close: "{loop.predecessor}" and "{loop.successor}" stay {gap:.3g} m apart; move a joint, or '
                "give a body or a cable another length"
            )
            found.append((gap, Problem(("loops", loop.name), message)))
    if not found:
        worst = int(np.argmax(np.abs(error)))
        found = [(0.0, Problem(("loops",), f"{equations.loop_names[worst]} stays off by {error[worst]:.3g}"))]
    return [problem for _, problem in sorted(found, key=lambda one: -one[0])]
