"""The points of a map: from a posture to that of nearby commands, and what is kept of each."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from typing import NamedTuple

import numpy as np

from taut.errors import OptionError
from taut.kinetostatics.approach import posture_tolerance
from taut.kinetostatics.plate_responses import IDLE, plate_nodes, twist_of
from taut.kinetostatics.posture_solver import PostureSolver
from taut.kinetostatics.robot import Robot
from taut.kinetostatics.stationary import allowed_ways, settle
from taut.kinetostatics.tangents import moves_of_inputs, pose_of, pushes_of_inputs

STEPS = 10
"""Of Newton's method from one point of a grid to the next."""

SEARCH = 15
"""Of damped Newton, where plain steps find nothing."""

LEAP = 0.25
"""Of the mean length of members: a posture farther from its neighbour's is another one."""


ASTRAY = 0.5
"""Of the way that the tangent says: a posture farther from where it says is another one."""

SLIGHTLY = 1e-3
"""Of the mean length of members: so far it may be from there in any case, as where a cable goes slack."""

FARTHEST = 0.1
"""Of the mean length of members: how far a node moves in one step at most."""

SAME = 1e-6
"""Of the mean length of members: postures nearer to each other are the same one."""

HALVINGS = 5
"""How often the way from one point to the next is halved."""


def arrived(
    solver: PostureSolver,
    values: np.ndarray,
    begun: tuple[np.ndarray, ...],
    slack: np.ndarray | None = None,
    *,
    search: bool = True,
) -> bool:
    """Whether the solver found the posture of these commands near to where it begins.

    begun: where nodes are, and the multipliers there where they are known. slack: (h,) held cables that are slack
    there. search: whether to go on by damped Newton where plain steps find nothing.
    """
    close, robot = posture_tolerance(solver), solver.robot
    solver.slacken(solver.slack & False if slack is None else slack)
    solver.place(*begun)
    left = solver.solve(values, steps=STEPS, tolerance=close)
    settled = left <= 100.0 * close
    if not settled and not search:
        return False
    if not settled or (solver.slack_by_law != solver.slack).any():
        solver.slacken(solver.slack & False)
        solver.place(*begun)
        if not settle(solver, limit=SEARCH).converged:
            return False
    far = float(np.abs(solver.positions - begun[0]).max())
    return far <= LEAP * robot.typical_length


class Known(NamedTuple):
    """A posture that a map goes on from."""

    values: np.ndarray  # (p,)
    positions: np.ndarray  # (n, 3)
    multipliers: np.ndarray
    slack: np.ndarray  # (h,) held cables
    moves: tuple[np.ndarray, np.ndarray] | None  # by the inputs, of places (3 n, p) and multipliers

    def moved(self, change: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """By how much its tangent moves places and multipliers with a change of the inputs."""
        if self.moves is None:
            return np.zeros_like(self.positions), np.zeros_like(self.multipliers)
        return (self.moves[0] @ change).reshape(-1, 3), self.moves[1] @ change


def known_at(solver: PostureSolver) -> Known:
    moves = moves_of_inputs(solver)
    here = solver.positions.copy(), solver.multipliers.copy(), solver.slack.copy()
    return Known(solver.values.copy(), *here, moves)


def led(solver: PostureSolver, values: np.ndarray, here: Known, *, halvings: int = HALVINGS) -> Known | None:
    """The posture of these commands by way of a known one, where the tangents at both lead from one to the other: else
    it is of another sheet. Where they do not, by way of the posture between."""
    change = values - here.values
    shift, by_row = here.moved(change)
    start = here.positions + shift, here.multipliers + by_row
    near = np.abs(shift).max() <= FARTHEST * solver.robot.typical_length
    if near and arrived(solver, values, start, here.slack, search=False):
        there = known_at(solver)
        if beside(here, there, solver.robot.typical_length):
            return there
    between = led(solver, here.values + 0.5 * change, here, halvings=halvings - 1) if halvings else None
    return None if between is None else led(solver, values, between, halvings=halvings - 1)


def beside(one: Known, other: Known, typical: float) -> bool:
    """Whether the tangents at both lead from one posture to the other, all but what they bend."""
    way = other.positions - one.positions
    off = max(float(np.abs(way - known.moved(other.values - one.values)[0]).max()) for known in (one, other))
    return off <= ASTRAY * float(np.abs(way).max()) + SLIGHTLY * typical


def joined(solver: PostureSolver, one: Known, other: Known) -> bool:
    """Whether one posture leads to the other, so that both are of one sheet."""
    typical = solver.robot.typical_length
    if beside(one, other, typical):
        return True
    found = led(solver, other.values, one)
    return found is not None and float(np.abs(found.positions - other.positions).max()) <= SAME * typical


def serpentine(shape: tuple[int, ...]) -> Iterator[tuple[int, ...]]:
    """All places of a grid, each beside the one before it."""
    for at in product(*(range(size) for size in shape)):
        turned, before = list[int](), 0
        for size, place in zip(shape, at, strict=True):
            turned.append(size - 1 - place if before % 2 else place)
            before = before * size + place
        yield tuple(turned)


def neighbours(at: tuple[int, ...], shape: tuple[int, ...]) -> Iterator[tuple[int, ...]]:
    """The places beside one, within a grid."""
    for axis in reversed(range(len(at))):
        for step in (-1, 1):
            if 0 <= at[axis] + step < shape[axis]:
                yield (*at[:axis], at[axis] + step, *at[axis + 1 :])


def looked_at(robot: Robot, plate: str, *, needed: bool) -> np.ndarray | None:
    """Numbers of the nodes of the plate that is looked at, the only one if not told."""
    plates = list(robot.structure.plates)
    if not plate and len(plates) != 1:
        if needed:
            raise OptionError(f"wrenches act on a plate; say which: {', '.join(plates) or 'there is none'}")
        return None
    return plate_nodes(robot.structure, plate or plates[0])


class Points:
    """What is kept of the postures of a map while it is being filled."""

    def __init__(self, shape: tuple[int, ...], robot: Robot) -> None:
        net = robot.problem.network
        self.found = np.zeros(shape, dtype=bool)
        self.values, self.force = (np.full((*shape, k), np.nan) for k in (len(robot.commanded), net.members))
        self.nodes = np.full((*shape, *net.positions.shape), np.nan)
        self.lowest, self.plate, self.dexterity, self.wrench_margin = (np.full(shape, np.nan) for _ in range(4))

    def take(self, at: tuple[int, ...], solver: PostureSolver, plate: np.ndarray | None, *, asked: bool) -> None:
        pose = pose_of(solver)
        self.found[at], self.values[at], self.nodes[at], self.force[at] = True, pose.values, pose.positions, pose.force
        if not asked:
            return
        solver.evaluate()
        ways = allowed_ways(solver.rows)
        self.lowest[at] = np.linalg.eigvalsh(ways.T @ solver.stiffness @ ways).min(initial=np.inf)
        if plate is None:
            return
        twist, coordinates = twist_of(pose.positions[plate])[:3], (3 * plate[:, None] + np.arange(3)).ravel()
        place, movable = np.searchsorted(solver.free, coordinates), np.isin(coordinates, solver.free)
        push = np.zeros((solver.right.size, 3))
        push[place[movable]] = twist[:, movable].T
        try:
            moved = np.linalg.solve(solver.matrix, np.concatenate([push, pushes_of_inputs(solver)], axis=1))
            seen = twist[:, movable] @ moved[place[movable]]
        except np.linalg.LinAlgError:
            return
        gives = np.linalg.eigvalsh(0.5 * (seen[:, :3] + seen[:, :3].T))
        gives = gives[np.abs(gives) > IDLE * np.abs(gives).max()]
        self.plate[at] = (1.0 / gives).min(initial=np.inf)
        sizes = np.linalg.svd(seen[:, 3:] * solver.robot.scale, compute_uv=False)
        self.dexterity[at] = sizes[-1] / sizes[0] if sizes[0] > 0.0 else 0.0
