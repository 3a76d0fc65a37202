"""Where a robot is with given commands: `posture`.

A posture is an Equilibrium, stable or not, so that all of statics can be asked of it.
"""

from __future__ import annotations

from dataclasses import replace
from typing import NamedTuple

import numpy as np

from taut.errors import OptionError
from taut.kinetostatics.posture_solver import PostureSolver, slack_held
from taut.kinetostatics.robot import Robot, Values, listed_values
from taut.kinetostatics.stationary import reduced, settle
from taut.statics.balancing import equilibrium_of, refuse_adrift
from taut.statics.equilibrium import Equilibrium
from taut.statics.newton import Settled
from taut.structure.records import AXES
from taut.type_checks import checked_arguments

SHORTEST = 1.0 / 256.0
"""Commands are followed in steps down to this share of the way."""

TRIES, AROUND = 10, 0.01
"""So many other starts, each shifted by so much more [m]."""

SEARCH = 40
"""Steps of damped Newton in each of these."""

LEAP = 0.25
"""Of the mean length of members, over all of the way: postures farther apart are not of one row."""

UNMET = 1e-8
"""Of the longest member: lengths that are off by more were not met."""

SINGULAR = 1e-3
"""A stiffness below this part of the mean one is as good as none, in the reason why nothing was found."""


@checked_arguments
def posture(robot: Robot, values: Values = None, *, start: Equilibrium | np.ndarray | None = None) -> Equilibrium:
    """The posture of these commands that is found from the start, or from the robot's own shape.

    values: what is commanded, by selector, or a number for each input in their order; the robot's own where not told.
    start: a posture to start from, such as the one before, or where the nodes are, (n, 3) [m].

    Damped Newton, which finds unstable postures too. Where it finds none, commands are followed from those of the start
    in steps; then some shapes around the start are tried. An answer that is no posture says in `status` how near it
    came, and why no nearer.
    """
    wanted = robot.commands(values)
    refuse_adrift(robot.problem.network, robot.problem.network.external)
    begun = start_of(robot, start)
    solver = PostureSolver(robot)
    solver.command(wanted)
    solver.place(begun.positions, slack=begun.slack)
    with np.errstate(all="ignore"):
        found = settle(solver)
        if found.converged:
            return as_equilibrium(robot, wanted, found)
        way = followed(robot, begun, wanted)
        found = way.last if way.share == 1.0 and way.last is not None else _around(robot, wanted, begun, found)
        return as_equilibrium(robot, wanted, found, way)


class Start(NamedTuple):
    """Where a search begins, and with which commands that is a posture, where these are known."""

    positions: np.ndarray  # (n, 3) with held coordinates on their supports
    values: np.ndarray | None  # (p,)
    slack: np.ndarray  # (h,) held cables that begin slack


def start_of(robot: Robot, start: Equilibrium | np.ndarray | None) -> Start:
    """Of what is told; the robot's own shape where nothing is."""
    if start is None:
        return Start(robot.structure.positions, robot.values, slack_held(robot, robot.structure))
    if isinstance(start, Equilibrium):
        if list(start.structure.nodes) != list(robot.structure.nodes):
            raise OptionError("start is a posture of another structure: its nodes are not those of the robot")
        return Start(start.structure.positions, robot.at(start).values, slack_held(robot, start.structure))
    places = np.asarray(start, dtype=float)
    if places.shape != robot.structure.positions.shape or not np.isfinite(places).all():
        raise OptionError(
            f"start must be finite numbers of shape {robot.structure.positions.shape}, a row for each node, "
            f"not of shape {places.shape}"
        )
    placed = robot.problem.placed(places, robot.problem.setting)
    return Start(placed, None, np.zeros(robot.problem.held.size, dtype=bool))


def _around(robot: Robot, wanted: np.ndarray, begun: Start, missed: Settled) -> Settled:
    """From shapes around the start; what was missed where none leads to a posture."""
    solver, drawn = PostureSolver(robot), np.random.default_rng(0)
    solver.command(wanted)
    for number in range(TRIES):
        solver.place(shifted(robot, begun.positions, (number + 1) * AROUND, drawn), slack=begun.slack)
        near = settle(solver, limit=SEARCH)
        if near.converged:
            return near
    return missed


def shifted(robot: Robot, positions: np.ndarray, spread: float, drawn: np.random.Generator) -> np.ndarray:
    """Positions with every node that can move shifted by so much [m] in some direction."""
    way = drawn.normal(size=positions.shape)
    way *= spread / np.linalg.norm(way, axis=1)[:, None]
    return np.where(robot.problem.unknown.reshape(-1, 3) < 0, positions, positions + way)


class Followed(NamedTuple):
    """How far commands could be led from those of the start to the wanted ones."""

    share: float
    last: Settled | None
    values: np.ndarray | None  # (p,) those of the last posture; None where those of the start are not known


def followed(robot: Robot, begun: Start, wanted: np.ndarray) -> Followed:
    """Commands from those of the start to the wanted ones in steps, as long as each posture is near the one before."""
    if begun.values is None:
        return Followed(0.0, None, None)
    solver, first, at, slack = PostureSolver(robot), begun.values, begun.positions, begun.slack
    share, step, last = 0.0, 1.0, None
    while share < 1.0 and step >= SHORTEST:
        ahead = min(1.0, share + step)
        solver.command(first + ahead * (wanted - first))
        solver.place(at, slack=slack)
        found = settle(solver, limit=SEARCH)
        # A leap leads to another posture, which says nothing of this one.
        near = LEAP * robot.typical_length * max(step, 0.04)
        if found.converged and np.abs(found.positions - at).max() <= near:
            share, last, at, slack = ahead, found, found.positions, solver.slack
            step = min(2.0 * step, 1.0)
        else:
            step *= 0.5
    return Followed(share, last, first + share * (wanted - first))


def as_equilibrium(robot: Robot, values: np.ndarray, found: Settled, way: Followed | None = None) -> Equilibrium:
    """What was found as an Equilibrium, with the reason where it is none."""
    setting = robot.setting(values)
    told = equilibrium_of(
        robot.problem, setting, found, iterations=max(found.history.size - 1, 0), method="damped newton"
    )
    if found.converged:
        return told
    return replace(told, status=_reason(robot, values, found, way))


def _reason(robot: Robot, values: np.ndarray, found: Settled, way: Followed | None) -> str:
    told = f"no posture was found with {listed_values(robot, values)}: "
    solver = PostureSolver(robot)
    solver.command(values)
    solver.place(found.positions, slack=found.multipliers[: robot.problem.held.size] == 0.0)
    told += _unmet(robot, solver) or _unbalanced(robot, solver, found)
    if way is None or way.values is None or way.last is None:
        return told + "; start nearer to a posture"
    return (
        told + f"; followed from the start, its posture ends, or leaps, after {way.share:.1%} of the way, at "
        f"{listed_values(robot, way.values)}: command no more than that, or start from another posture"
    )


def _unmet(robot: Robot, solver: PostureSolver) -> str:
    """Which length no shape could be found for; nothing where all have theirs."""
    solver.evaluate()
    off = np.abs(solver.right[solver.free.size :])
    if off.max(initial=0.0) <= UNMET * float(robot.problem.network.lengths().max()):
        return ""
    members, rows = solver.member_rows
    if not rows.size or off[rows].max() < 0.5 * off.max():
        return f"no shape was found that keeps all plates and angles; {off.max():.3g} m is left"
    worst = int(np.argmax(off[rows]))
    name = robot.problem.network.names[members[worst]]
    return f'no shape was found in which "{name}" is not {off[rows[worst]]:.3g} m off its length'


def _unbalanced(robot: Robot, solver: PostureSolver, found: Settled) -> str:
    """Where force is left, and what is soft there."""
    nodes = list(robot.structure.nodes)
    told = f'at the nearest shape {found.residual:.3g} N is left at node "{nodes[found.worst // 3]}" '
    told += f"along {AXES[found.worst % 3]}"
    here = reduced(solver)
    sizes, ways = np.linalg.eigh(here.stiffness)
    softest = int(np.argmin(np.abs(sizes))) if sizes.size else -1
    if softest < 0 or np.abs(sizes[softest]) > SINGULAR * np.abs(sizes).mean():
        return told
    moved = np.zeros(solver.positions.size)
    moved[solver.free] = here.ways @ ways[:, softest]
    node = nodes[int(np.argmax(np.linalg.norm(moved.reshape(-1, 3), axis=1)))]
    return told + f', where a motion that moves node "{node}" most meets a stiffness of only {sizes[softest]:.2g} N/m'
