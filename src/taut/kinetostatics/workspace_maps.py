"""Maps over a workspace: postures on a grid of commands, and what they can do there.

`workspace` finds the posture of every point, led there from its neighbour. `taut.page` has sliders for it, and
`taut.plot.workspace` draws it.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from taut.errors import OptionError
from taut.kinetostatics.map_points import HALVINGS, Known, Points, arrived, joined, known_at, led, looked_at, neighbours
from taut.kinetostatics.plate_responses import twist_of
from taut.kinetostatics.posture_search import posture
from taut.kinetostatics.posture_solver import PostureSolver
from taut.kinetostatics.robot import Input, Robot
from taut.kinetostatics.tangents import pose_of
from taut.labelled import Labelled, Tabular, Variable
from taut.reprs import titled
from taut.statics.equilibrium import Equilibrium
from taut.structure.labels import labels_of, member_names
from taut.structure.selectors import select
from taut.type_checks import checked_arguments

FROM_HOME = 6
"""How often the way from the robot's own posture to the nearest point of a grid is halved."""

LOAD_STEPS = (1, 4, 16)
"""In which a wrench comes on, the first with which it is borne."""

NUMBERS = {
    "lowest_stiffness": Variable((), "N/m", "lowest stiffness of the posture as it is commanded"),
    "plate_stiffness": Variable((), "N/m", "least stiffness of the centre of the plate"),
    "dexterity": Variable((), "", "least over greatest motion of the plate by inputs, zero where it is singular"),
    "wrench_margin": Variable((), "N", "least distance of any tension from its limits under all wrenches"),
}
"""One number for each point of a map."""

POINTS = {
    "values": Variable(("input",), "N or m", "what is commanded", "{input}"),
    "nodes": Variable(("node", "axis"), "m", "position of each node", "node:{node}.{axis}"),
    "member_force": Variable(("member",), "N", "force in each member, positive in tension", "{member}.force"),
}
"""What every map has of the postures at its points."""


@dataclass(frozen=True, repr=False)
class WorkspaceMap(Tabular):
    """Postures over a grid; every array begins with its shape (g...), NaN where there is no posture.

    robot, plate: of which it is a map; no plate where there is none, or none of several was told.
    axes: name -> its values. found: where there is one. joined: (g..., axes) whether it leads to that of the next
        greater value along the axis; postures beside each other that do not are of different sheets, as where a robot
        leans to one side or to the other. nodes, member_force: of each. values: (g..., p) commands.
    lowest_stiffness: of the posture as its cables are commanded [N/m]; it stands where this is more than zero.
    plate_stiffness: the least force by which the plate's centre resists being moved [N/m], negative where it is pushed
        away. dexterity: how far inputs move the plate least, of all directions that they could move it in, over how far
        they move it most; zero where it is singular. wrench_margin: the least distance of any tension from its limits
        under all wrenches [N], negative where one is overstepped or no posture is left.
    """

    robot: Robot
    plate: str
    axes: Mapping[str, np.ndarray]
    found: np.ndarray
    joined: np.ndarray
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

    @property
    def stable(self) -> np.ndarray:
        """Where there is a posture that stands."""
        return np.asarray(self.lowest_stiffness > 0.0)

    def inputs_of(self, axis: str) -> tuple[Input, ...]:
        """The inputs that an axis moves together."""
        return tuple(self.robot.commanded[k] for k in _columns(self.robot, self.axes)[axis])

    @property
    def plate_centre(self) -> np.ndarray:
        """(g..., 3) [m] the mean of the nodes of the plate."""
        at = looked_at(self.robot, self.plate, needed=False)
        if at is None:
            raise OptionError("the map looks at no plate: workspace(..., plate=...) says which")
        return np.asarray(self.nodes[..., at, :].mean(axis=-2))

    def labelled(self) -> Labelled:
        return labelled_points(self, {"found": Variable((), "", "whether there is a posture"), **POINTS, **NUMBERS})

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
        only one if not told. wrenches: (6,) each, force [N] and moment [N m] on the plate as it stands without them,
        as constant forces on its nodes. lowest, highest: tensions
        that cables have to keep under them [N]. stiffness: whether to ask for stiffness and dexterity, which take most
        of the time.
    """
    if not lowest <= highest:
        raise OptionError(f"tensions cannot be between lowest = {lowest:g} N and highest = {highest:g} N")
    given = {name: np.asarray(values, dtype=float) for name, values in grid.items()}
    columns = _columns(robot, given)
    axes = {name: np.sort(values) for name, values in given.items()}
    plates = list(robot.structure.plates)
    named = plate or (plates[0] if len(plates) == 1 else "")
    at_plate = looked_at(robot, named, needed=bool(wrenches))
    shape = tuple(values.size for values in axes.values())
    first = posture(robot, start=start)
    if not first.ok:
        raise OptionError(f"the map starts from a posture, and the robot is in none: {first.status}")
    solver, told = PostureSolver(robot, first), Points(shape, robot)
    told_wrenches = [_six(wrench) for wrench in wrenches]
    known: dict[tuple[int, ...], Known] = {}
    sheet = np.zeros((*shape, len(shape)), dtype=bool)

    def take(at: tuple[int, ...], begun: Known) -> bool:
        values = robot.values.copy()
        for (name, numbers), place in zip(axes.items(), at, strict=True):
            values[columns[name]] = numbers[place]
        found = led(solver, values, begun, halvings=FROM_HOME if begun is home else HALVINGS)
        if found is None:
            return False
        known[at] = found
        told.take(at, solver, at_plate, asked=stiffness)
        if told_wrenches and at_plate is not None:
            loads = [_load(found.positions, at_plate, wrench) for wrench in told_wrenches]
            told.wrench_margin[at] = _margin(solver, loads, found, lowest, highest)
        return True

    solver.command(robot.at(first).values)
    home = known_at(solver)
    begun = next((at for at in _nearest_first(robot, axes, columns, home.values) if take(at, home)), None)
    waiting = deque() if begun is None else deque((at, begun) for at in neighbours(begun, shape))
    while waiting:  # outwards, each from a neighbour that has one
        at, came_from = waiting.popleft()
        if at in known or not take(at, known[came_from]):
            continue
        for near in neighbours(at, shape):
            if near not in known:
                waiting.append((near, at))
            elif near == came_from or joined(solver, known[at], known[near]):
                axis = next(k for k, (a, b) in enumerate(zip(at, near, strict=True)) if a != b)
                sheet[(*min(at, near), axis)] = True
    as_given = np.ix_(*(np.argsort(np.argsort(values, kind="stable")) for values in given.values()))
    numbers = told.lowest, told.plate, told.dexterity, told.wrench_margin
    arrays = (told.found, sheet, told.values, told.nodes, told.force, *numbers)
    return WorkspaceMap(robot, named, given, *(values[as_given] for values in arrays))


def _nearest_first(
    robot: Robot, axes: Mapping[str, np.ndarray], columns: Mapping[str, list[int]], begun: np.ndarray
) -> Iterator[tuple[int, ...]]:
    """The points of a grid, from those whose commands are most like these (p,) to the others."""
    off = np.zeros(())
    for name, values in axes.items():
        own = columns[name]
        off = np.add.outer(off, (((values[:, None] - begun[own]) / robot.scale[own]) ** 2).sum(axis=1))
    for row in np.argsort(off, axis=None, kind="stable").tolist():
        yield tuple(int(k) for k in np.unravel_index(row, off.shape))


def labelled_points(found: Any, variables: Mapping[str, Variable]) -> Labelled:
    """What a map has at its points, a row for each."""
    rows = tuple(found.axes)
    labels = {
        **found.axes,
        "input": found.robot.input_names,
        **labels_of(found.robot.structure),
        "member": member_names(found.robot.structure),
    }
    whole = {name: one._replace(dimensions=(*rows, *one.dimensions)) for name, one in variables.items()}
    return Labelled(rows, labels, whole, {name: np.asarray(getattr(found, name)) for name in variables})


def _margin(solver: PostureSolver, loads: Sequence[np.ndarray], here: Known, lowest: float, highest: float) -> float:
    """[N] the least over all wrenches; minus infinity where one has no posture."""
    robot, values = solver.robot, here.values.copy()
    external, cables = robot.problem.network.external, robot.problem.network.cables
    found = np.inf
    for load in loads:
        if not any(_borne(solver, values, external, load, here, steps) for steps in LOAD_STEPS):
            found = -np.inf
            break
        tension = pose_of(solver).force[:cables]
        found = min(found, float((tension - lowest).min()), float((highest - tension).min()))
    solver.load(external)
    solver.slacken(here.slack)
    solver.place(here.positions, here.multipliers)
    return found


def _borne(
    solver: PostureSolver, values: np.ndarray, external: np.ndarray, load: np.ndarray, here: Known, steps: int
) -> bool:
    """Whether the solver found the posture under a load that comes on in so many steps."""
    begun, slack = (here.positions, here.multipliers), here.slack
    for step in range(1, steps + 1):
        solver.load(external + step / steps * load)
        if not arrived(solver, values, begun, slack, search=step == steps):
            return False
        begun, slack = (solver.positions.copy(), solver.multipliers.copy()), solver.slack.copy()
    return True


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
        units = {robot.commanded[k].unit for k in found[selector]}
        if len(units) > 1:
            raise OptionError(f'grid: "{selector}" moves inputs in {" and ".join(sorted(units))} together; part them')
        for other, columns in found.items():
            both = set(columns) & set(found[selector]) if other != selector else set()
            if both:
                name = robot.input_names[min(both)]
                raise OptionError(f'grid: "{name}" is moved by "{other}" and by "{selector}"; leave one of them out')
        for value in (values.min(), values.max()):
            trial = robot.values.copy()
            trial[found[selector]] = value
            robot.commands(trial)
    return found


def _six(wrench: Any) -> np.ndarray:
    told = np.asarray(wrench, dtype=float)
    if told.shape != (6,) or not np.isfinite(told).all():
        raise OptionError(f"wrench {wrench!r} must be six finite numbers: force [N] and moment [N m]")
    return told


def _load(positions: np.ndarray, plate: np.ndarray, wrench: np.ndarray) -> np.ndarray:
    """(n, 3) nodal forces of a wrench on a plate where it is: a moment has other ones where the plate has turned."""
    found = np.zeros_like(positions)
    found[plate] = (twist_of(positions[plate]).T @ wrench).reshape(-1, 3)
    return found
