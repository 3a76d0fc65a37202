"""A balance from far: held cables that hold or go slack, cables that begin to pull gradually, loads in steps.

A held cable is a constraint on one side: its length is at most the one commanded, its tension is zero or more, and one
of both is at its limit. Which cables hold is found by trying: those that would have to push are let go, those that are
too long hold (an active set). Where it does not settle, or a cable is slack at the start, so that what hangs on it
would fall without end, held cables are taken for stiff springs for once, which tells the ones that hold.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from taut.errors import OptionError
from taut.statics.elastic_members import lengths_at
from taut.statics.equilibrium_equations import EquilibriumEquations, Setting
from taut.statics.newton import Settled, restored, settled

STEPS = (4, 16)
"""Into how many steps what is imposed is cut, each try after the one before it has failed."""

PATIENCE = 60
"""Iterations after which something else is tried where there is something."""

GRADUAL = 1e-9
"""Of the loads: where slack cables pull with no more than that they are as good as slack."""

AT_LENGTH = 1e-9
"""A held cable shorter than its length by less than this part of it may hold."""

ROUNDS = 20
"""How often held cables are counted anew."""

FIRM = 100.0
"""Stiffness of the springs that held cables are taken for, over that of the other members."""


def resting(problem: EquilibriumEquations, setting: Setting, positions: np.ndarray, **options: Any) -> Settled:
    """From these positions downhill to a balance, with the held cables that hold in it."""
    if not problem.can_slacken.any():
        return settled(problem, setting, positions, **options)
    slack = _shorter(problem, setting, problem.placed(positions, setting))
    if not _long_enough(problem.with_slack(slack), setting, positions):
        return settled(problem.with_slack(slack), setting, positions, **{**options, "limit": 0})
    if not slack.any():
        found = _counted(problem, setting, positions, slack, **options)
        if found.converged:
            return found
    slack, places = _as_springs(problem, setting, positions, **options)
    return _counted(problem, setting, places, slack, **options)


def _counted(
    problem: EquilibriumEquations, setting: Setting, places: np.ndarray, slack: np.ndarray, **options: Any
) -> Settled:
    """A balance in which the slack cables are short enough and the others pull; not converged where there is none."""
    history = [np.zeros(0)]
    for _ in range(ROUNDS):
        found = settled(problem.with_slack(slack), setting, places, **options)
        history.append(found.history)
        pulls = problem.with_slack(slack).tensions(found.positions, found.multipliers, setting)
        too_long = slack & (_excess(problem, setting, found.positions) > AT_LENGTH)
        pushing = problem.can_slacken & ~slack & (pulls < -found.goal)
        if not found.converged or not (too_long.any() or pushing.any()):
            break
        slack, places = (slack & ~too_long) | pushing, found.positions
    else:
        found = replace(found, converged=False)
    idle = slack[problem.rigid]
    multipliers = found.multipliers.copy()
    multipliers[: idle.size][idle] = 0.0
    return replace(found, multipliers=multipliers, history=np.concatenate(history))


def _as_springs(
    problem: EquilibriumEquations, setting: Setting, positions: np.ndarray, **options: Any
) -> tuple[np.ndarray, np.ndarray]:
    """Which held cables are slack where they are springs, and the positions there."""
    members, lengths = problem.members_at(setting), problem.network.lengths()
    forces = max(float(np.abs(setting.external).max(initial=0.0)), float(np.abs(setting.command).max(initial=0.0)))
    firm = FIRM * (float(members.stiffness.max(initial=0.0)) or forces / float(lengths.mean()) or 1.0)
    soft = problem.members._replace(
        stiffness=np.where(problem.can_slacken, firm, problem.members.stiffness),
        one_sided=problem.members.one_sided | problem.can_slacken,
    )
    firmly = problem.rigid[~problem.can_slacken[problem.rigid]]
    modes = np.where(problem.can_slacken, "spring", problem.modes)
    sprung = replace(problem, members=soft, modes=modes, rigid=firmly)
    with np.errstate(all="ignore"):  # what is held at a length that it cannot have draws nodes into one place
        found, _ = _gradually(sprung, setting, positions, **{**options, "tolerance": 1e-3})
    places = found.positions if found.converged else positions
    return problem.can_slacken & (_excess(problem, setting, places) < 0.0), places


def _long_enough(problem: EquilibriumEquations, setting: Setting, positions: np.ndarray) -> bool:
    """Whether a shape is near in which held cables have their lengths: there may be none, and no use in a search."""
    places, _ = restored(problem, setting, problem.placed(positions, setting))
    off = np.abs(problem.residuals(places, setting)[: problem.held.size])
    return bool(off.max(initial=0.0) <= AT_LENGTH * setting.rest_length.max())


def _excess(problem: EquilibriumEquations, setting: Setting, positions: np.ndarray) -> np.ndarray:
    """(m,) length over the one at which a cable is held, less one; nothing of other members."""
    longest = np.where(problem.can_slacken, setting.rest_length, np.inf)
    return np.asarray(lengths_at(problem.members, positions) / longest - 1.0)


def _shorter(problem: EquilibriumEquations, setting: Setting, positions: np.ndarray) -> np.ndarray:
    return np.asarray(problem.can_slacken & (_excess(problem, setting, positions) < -AT_LENGTH))


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
    if not 0.0 < tolerance < 1.0:
        raise OptionError(f"tolerance = {tolerance!r} must be more than 0 and less than 1")
    options: dict[str, Any] = {"tolerance": tolerance, "solver": solver}
    gradual = bool(problem.members.one_sided.any())
    found, total = _in_steps(
        problem, start, goal, positions, 1, limit=min(limit, PATIENCE if gradual else limit), **options
    )
    if found.jammed:  # by its shape, which neither cables nor loads in steps change
        return found, total
    too_long = problem.can_slacken & (_excess(problem, goal, found.positions) > AT_LENGTH)
    if gradual and not found.converged and not too_long.any():
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
        found = resting(problem, start.towards(goal, piece / pieces), places, **options)
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
        found = resting(rounded, setting, places, tolerance=1e-3, limit=min(limit, PATIENCE), solver=solver)
        places, pull, count = found.positions, 0.25 * pull, count + len(found.history) - 1
    found = resting(problem, setting, places, tolerance=tolerance, limit=limit, solver=solver)
    return found, count + len(found.history) - 1
