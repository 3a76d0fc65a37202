"""Maps over a workspace: postures on a grid, and what they can do there.

`workspace` goes over a grid of commands and finds the posture of each, warm from its neighbour. `reach` goes over a
grid of targets and finds the commands. Both give data.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Any

import numpy as np

from taut.errors import OptionError
from taut.kinetostatics.approach import approached, posture_tolerance, tried
from taut.kinetostatics.plate_responses import IDLE, plate_nodes, twist_of
from taut.kinetostatics.posture_search import posture
from taut.kinetostatics.posture_solver import PostureSolver
from taut.kinetostatics.robot import Robot
from taut.kinetostatics.stationary import allowed_ways, settle
from taut.kinetostatics.tangents import LengthSlopes, pose_of, tangent
from taut.kinetostatics.tasks import Task
from taut.kinetostatics.tension_tasks import Limit
from taut.reprs import titled
from taut.statics.equilibrium import Equilibrium
from taut.structure.selectors import select
from taut.type_checks import checked_arguments

Where = tuple[np.ndarray, np.ndarray, np.ndarray]
"""Positions, multipliers, and which held cables are slack."""

STEPS = 10
"""Of Newton's method from one point of a grid to the next."""

SEARCH = 15
"""Of damped Newton, where plain steps find nothing."""

LEAP = 0.25
"""Of the mean length of members: a posture farther from its neighbour's is another one."""


@dataclass(frozen=True, repr=False)
class WorkspaceMap:
    """Postures over a grid; every array begins with its shape (g...), NaN where there is no posture.

    axes: name -> its values. found: where there is one. nodes, member_force: of each. values: (g..., p) commands.
    lowest_stiffness: of the posture as its cables are commanded [N/m]; it stands where this is more than zero.
    plate_stiffness: the least force by which the plate's centre resists being moved [N/m], negative where it is pushed
        away. dexterity: how far inputs move the plate least, of all directions that they could move it in, over how far
        they move it most; zero where it is singular. wrench_margin: the least distance of any tension from its limits
        under all wrenches [N], negative where one is overstepped or no posture is left.
    """

    axes: Mapping[str, np.ndarray]
    found: np.ndarray
    values: np.ndarray
    nodes: np.ndarray
    member_force: np.ndarray
    lowest_stiffness: np.ndarray
    plate_stiffness: np.ndarray
    dexterity: np.ndarray
    wrench_margin: np.ndarray

    @property
    def wrench_feasible(self) -> np.ndarray:
        """Where every wrench is borne within the limits of tensions."""
        return np.asarray(self.wrench_margin >= 0.0)

    def __repr__(self) -> str:
        grid = " x ".join(f"{values.size} {name}" for name, values in self.axes.items())
        return titled("WorkspaceMap", grid, f"{int(self.found.sum())} of {self.found.size} postures found")


@checked_arguments
def workspace(
    robot: Robot,
    grid: Mapping[str, Any],
    *,
    plate: str = "",
    wrenches: Sequence[Any] = (),
    lowest: float = 0.0,
    highest: float = np.inf,
    start: Equilibrium | None = None,
    stiffness: bool = True,
) -> WorkspaceMap:
    """Postures over a grid of commands.

    grid: selector of inputs -> the values that they take together, in their unit. plate: the one that is looked at, the
        only one if not told. wrenches: (6,) each, force [N] and moment [N m] on the plate. lowest, highest: tensions
        that cables have to keep under them [N]. stiffness: whether to ask for stiffness and dexterity, which take most
        of the time.
    """
    axes = {name: np.asarray(values, dtype=float) for name, values in grid.items()}
    columns = _columns(robot, axes)
    looked_at = _plate(robot, plate, needed=bool(wrenches))
    shape = tuple(values.size for values in axes.values())
    first = posture(robot, start=start)
    if not first.ok:
        raise OptionError(f"the map starts from a posture, and the robot is in none: {first.status}")
    solver, told, first_values = PostureSolver(robot, first), _Map(shape, robot), robot.at(first).values
    loads = [_load(robot, looked_at, wrench) for wrench in wrenches]
    home, known = solver.here, dict[tuple[int, ...], Where]()
    for at in serpentine(shape):
        values = robot.values.copy()
        for (name, numbers), place in zip(axes.items(), at, strict=True):
            values[columns[name]] = numbers[place]
        near = next((one for one in _neighbours(at) if one in known), None)
        solver.command(first_values if near is None else told.values[near])
        solver.place(*(home if near is None else known[near]))
        if not _arrived(solver, values, told.slopes, leap=near is not None):
            continue
        known[at] = solver.here
        told.take(at, solver, looked_at, asked=stiffness)
        if loads:
            told.wrench_margin[at] = _margin(solver, told.slopes, loads, lowest, highest)
    return told.map(axes)


def _arrived(solver: PostureSolver, values: np.ndarray, slopes: LengthSlopes, *, leap: bool) -> bool:
    """Whether the solver found the posture of these commands near to where it is: by plain steps; by the tangent first,
    since stiff cables that are let out would be slack at the old place; or by a search."""
    begun, before, close = solver.here, solver.values.copy(), posture_tolerance(solver)
    left = solver.solve(values, steps=STEPS, tolerance=close)
    if not left <= 100.0 * close or (solver.slack_by_law != solver.slack).any():
        solver.command(before)
        solver.place(*begun)
        here = tangent(solver, slopes)
        led = here is not None and tried(solver, slopes, here, values - before) is not None
        if not led or (solver.slack_by_law != solver.slack).any():
            solver.command(values)
            solver.place(*begun)
            if not settle(solver, limit=SEARCH).converged:
                return False
    far = float(np.abs(solver.positions - begun[0]).max())
    return not leap or far <= LEAP * solver.robot.typical_length


def _margin(
    solver: PostureSolver, slopes: LengthSlopes, loads: Sequence[np.ndarray], lowest: float, highest: float
) -> float:
    """[N] the least over all wrenches; minus infinity where one has no posture."""
    here = solver.here
    robot, values = solver.robot, solver.values.copy()
    external, cables = robot.problem.network.external, robot.problem.network.cables
    found = np.inf
    for load in loads:
        solver.load(external + load)
        solver.place(*here)
        if not _arrived(solver, values, slopes, leap=True):
            found = -np.inf
            break
        tension = pose_of(solver).force[:cables]
        found = min(found, float((tension - lowest).min()), float((highest - tension).min()))
    solver.load(external)
    solver.place(*here)
    return found


def _columns(robot: Robot, axes: Mapping[str, np.ndarray]) -> dict[str, list[int]]:
    """The inputs that each axis moves."""
    found = {}
    for selector, values in axes.items():
        kind, names = select(robot.structure, selector)
        chosen = {f"{kind}:{name}" for name in names}
        found[selector] = [k for k, name in enumerate(robot.input_names) if name in chosen]
        if not found[selector]:
            raise OptionError(f'grid: "{selector}" is no input; they are {", ".join(robot.input_names)}')
        if values.ndim != 1 or not values.size or not np.isfinite(values).all():
            raise OptionError(f'grid["{selector}"] must be finite numbers in a row')
    return found


def _plate(robot: Robot, plate: str, *, needed: bool) -> np.ndarray | None:
    """Numbers of the nodes of the plate that is looked at."""
    plates = list(robot.structure.plates)
    if not plate and len(plates) != 1:
        if needed:
            raise OptionError(f"wrenches act on a plate; say which: {', '.join(plates) or 'there is none'}")
        return None
    return plate_nodes(robot.structure, plate or plates[0])


def _load(robot: Robot, plate: np.ndarray | None, wrench: Any) -> np.ndarray:
    """(n, 3) nodal forces of a wrench on a plate."""
    told = np.asarray(wrench, dtype=float)
    if told.shape != (6,) or not np.isfinite(told).all() or plate is None:
        raise OptionError(f"wrench {wrench!r} must be six finite numbers: force [N] and moment [N m]")
    found = np.zeros_like(robot.structure.positions)
    found[plate] = (twist_of(robot.structure.positions[plate]).T @ told).reshape(-1, 3)
    return found


def serpentine(shape: tuple[int, ...]) -> Iterator[tuple[int, ...]]:
    """All places of a grid, each beside the one before it."""
    for at in product(*(range(size) for size in shape)):
        turned, before = list[int](), 0
        for size, place in zip(shape, at, strict=True):
            turned.append(size - 1 - place if before % 2 else place)
            before = before * size + place
        yield tuple(turned)


def _neighbours(at: tuple[int, ...]) -> Iterator[tuple[int, ...]]:
    for axis in reversed(range(len(at))):
        for step in (-1, 1):
            yield (*at[:axis], at[axis] + step, *at[axis + 1 :])


class _Map:
    """A map that is being filled."""

    def __init__(self, shape: tuple[int, ...], robot: Robot) -> None:
        net, self.slopes = robot.problem.network, LengthSlopes(robot.problem)
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
        here = tangent(solver, self.slopes)
        if here is None:
            return
        twist, coordinates = twist_of(pose.positions[plate])[:3], (3 * plate[:, None] + np.arange(3)).ravel()
        place, movable = np.searchsorted(solver.free, coordinates), np.isin(coordinates, solver.free)
        push = np.zeros((solver.right.size, 3))
        push[place[movable]] = twist[:, movable].T
        seen = twist[:, movable] @ np.linalg.solve(solver.matrix, push)[place[movable]]
        gives = np.linalg.eigvalsh(0.5 * (seen + seen.T))
        gives = gives[np.abs(gives) > IDLE * np.abs(gives).max()]
        self.plate[at] = (1.0 / gives).min(initial=np.inf)
        sizes = np.linalg.svd(twist @ here.by_input[coordinates] * solver.robot.scale, compute_uv=False)
        self.dexterity[at] = sizes[-1] / sizes[0] if sizes[0] > 0.0 else 0.0

    def map(self, axes: Mapping[str, np.ndarray]) -> WorkspaceMap:
        return WorkspaceMap(
            dict(axes),
            self.found,
            self.values,
            self.nodes,
            self.force,
            self.lowest,
            self.plate,
            self.dexterity,
            self.wrench_margin,
        )


@dataclass(frozen=True, repr=False)
class ReachMap:
    """Targets over a grid, and with which commands each is reached; arrays begin with its shape (g...).

    values: (g..., p) NaN where it is not reached. error: the worst error that is left, in the sizes of tasks.
    """

    axes: Mapping[str, np.ndarray]
    reached: np.ndarray
    values: np.ndarray
    nodes: np.ndarray
    member_force: np.ndarray
    error: np.ndarray

    def __repr__(self) -> str:
        grid = " x ".join(f"{values.size} {name}" for name, values in self.axes.items())
        return titled("ReachMap", grid, f"{int(self.reached.sum())} of {self.reached.size} reached")


@checked_arguments
def reach(
    robot: Robot,
    grid: Mapping[str, Any],
    tasks: Callable[..., Sequence[Task]],
    *,
    limits: Sequence[Limit] = (),
    start: Equilibrium | None = None,
    tolerance: float = 1e-8,
    iterations: int = 40,
) -> ReachMap:
    """Which targets of a grid a robot reaches, each from its neighbour.

    grid: name -> numbers. tasks: called with a number of each axis in their order, gives the tasks there.
    """
    axes = {name: np.asarray(values, dtype=float) for name, values in grid.items()}
    shape = tuple(values.size for values in axes.values())
    first = posture(robot, start=start)
    if not first.ok:
        raise OptionError(f"the map starts from a posture, and the robot is in none: {first.status}")
    solver, slopes = PostureSolver(robot, first), LengthSlopes(robot.problem)
    told, error = _Map(shape, robot), np.full(shape, np.nan)
    known = {None: (robot.at(first).values, *solver.here)}
    for at in serpentine(shape):
        near = next((one for one in _neighbours(at) if one in known), None)
        values, *begun = known[near]  # type: ignore[index]
        solver.command(values)
        solver.place(*begun)
        asked = list(tasks(*(numbers[place] for numbers, place in zip(axes.values(), at, strict=True))))
        made = approached(solver, slopes, asked, limits, values, tolerance, iterations)
        error[at] = np.inf if made.system is None else float(np.abs(made.system.error).max(initial=0.0))
        if made.done:
            known[at] = solver.values.copy(), *solver.here  # type: ignore[index]
            told.take(at, solver, None, asked=False)
    return ReachMap(axes, told.found, told.values, told.nodes, told.force, error)
