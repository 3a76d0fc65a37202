"""Between the solved postures of a map: polynomials through the nearest points of its grid, and how far they are off.

Along every axis the six nearest values of the grid carry a polynomial of fifth degree; several axes are taken one after
the other (tensor product). Near a point without a posture it is four values, then two: a cell with a corner that is
missing has no posture, and one whose corners are of different sheets has none, either. Nothing is believed of this: the
error is measured at postures that are solved exactly. With n of them drawn at random, the worst is passed by at most a
share 1 - (1 - c)^(1/n) of all postures with confidence c (Wilks 1941): 299 make it one in a hundred with 95 %.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import product
from typing import NamedTuple

import numpy as np

from taut.errors import OptionError, suggestion
from taut.kinetostatics.map_points import Points, arrived, known_at, led, looked_at
from taut.kinetostatics.posture_solver import PostureSolver
from taut.kinetostatics.workspace_maps import WorkspaceMap
from taut.reprs import brief, titled
from taut.type_checks import checked_arguments

POINTS = (6, 4, 2)
"""Values of each axis that carry a polynomial, the first of these of which all postures are there."""

CONFIDENCE = 0.95
DRAWN = 299
"""Postures drawn at random: with 95 % confidence the worst of them bounds 99 % of all."""

MOST_MIDDLES = 1000
"""Middles of cells that are solved besides, where the grid has so many."""


@dataclass(frozen=True)
class InterpolatedPosture:
    """What is interpolated at one place; NaN where there is no posture."""

    found: bool
    nodes: np.ndarray  # (n, 3) [m]
    member_force: np.ndarray  # (m,) cables first [N]
    lowest_stiffness: float  # [N/m]
    plate_stiffness: float  # [N/m]
    dexterity: float

    __repr__ = brief


@dataclass(frozen=True)
class InterpolationError:
    """The largest differences from postures that were solved exactly; NaN where nothing could be compared.

    solved: so many, of which so many were drawn at random; the others are middles of cells. missed: of them, places
    where the map shows a posture and none was found.
    """

    solved: int
    drawn: int
    missed: int
    nodes: float  # [m] how far a node is off
    member_force: float  # [N]
    lowest_stiffness: float  # [N/m]
    plate_stiffness: float  # [N/m]
    dexterity: float
    doubtful: float  # [N/m] a lowest stiffness of this size had the wrong sign, in a cell whose corners differ in sign
    misjudged: int  # of those solved: places whose lowest stiffness has another sign than at all corners of their cell

    __repr__ = brief

    @property
    def share(self) -> float:
        """Of all postures that are shown, at least so many are within these errors, with a confidence of 95 %."""
        return float((1.0 - CONFIDENCE) ** (1.0 / self.drawn)) if self.drawn else 0.0

    @property
    def sentence(self) -> str:
        if not self.solved:
            return "nothing lies between the postures of this map, so no error was measured"
        told = f"nodes are within {_up(1e3 * self.nodes)} mm and forces within {_up(self.member_force)} N"
        if np.isfinite(self.lowest_stiffness):
            told += f", the lowest stiffness within {_up(self.lowest_stiffness)} N/m"
        told += (
            f" of {self.solved} postures solved exactly between those of the grid; with {CONFIDENCE:.0%} confidence "
        )
        told += f"this holds for {self.share:.1%} of all that are shown"
        if self.misjudged:
            told += f"; at {self.misjudged} of them stability is another than at the postures around"
        if self.missed:
            told += f"; at {self.missed} places more that are shown no posture was found"
        return told


def rounded_up(value: float, digits: int = 2) -> float:
    """With so many digits, never less."""
    if not np.isfinite(value) or value == 0.0:
        return value
    size = 10.0 ** (np.floor(np.log10(abs(value))) - digits + 1)
    return float(f"{np.ceil(value / size) * size:.{digits - 1}e}")


def _up(value: float) -> str:
    return f"{rounded_up(value):.2g}"


class Stencil(NamedTuple):
    """Which points of a grid carry a place, and with which weights."""

    rows: np.ndarray  # (k,) points by number, the last axis fastest
    weights: np.ndarray  # (k,)


@dataclass(frozen=True, repr=False)
class InterpolatedMap:
    """A map that has a posture between its points, too.

    area: with growing values along every axis. error: as it was measured; None where that was not asked for.
    """

    area: WorkspaceMap
    error: InterpolationError | None

    def __repr__(self) -> str:
        told = "error not measured" if self.error is None else self.error.sentence.partition(" of ")[0]
        return titled("InterpolatedMap", " x ".join(self.area.axes), told)

    @checked_arguments
    def at(self, values: Mapping[str, float] | Sequence[float] | np.ndarray) -> InterpolatedPosture:
        """The posture at a place: a number for every axis, by its name or in their order."""
        found = stencil(self.area, self._place(values))
        return blended(self.area, found)

    def _place(self, values: Mapping[str, float] | Sequence[float] | np.ndarray) -> np.ndarray:
        axes = self.area.axes
        if isinstance(values, Mapping):
            for name in values:
                if name not in axes:
                    raise OptionError(f'no axis "{name}"{suggestion(name, list(axes))}; there are {", ".join(axes)}')
            values = [values.get(name, np.nan) for name in axes]
        place = np.asarray(values, dtype=float)
        if place.shape != (len(axes),) or np.isnan(place).any():
            raise OptionError(f"a place has a number for each of {', '.join(axes)}")
        for (name, own), value in zip(axes.items(), place.tolist(), strict=True):
            if not own[0] <= value <= own[-1]:
                raise OptionError(
                    f"{name} = {value:g} is outside of the map, which goes from {own[0]:g} to {own[-1]:g}"
                )
        return place


@checked_arguments
def interpolated(area: WorkspaceMap, *, drawn: int = DRAWN, seed: int = 0) -> InterpolatedMap:
    """A map that has postures between its points, with the error of that, measured at postures that are solved exactly.

    drawn: so many at random, by the seed, and one in the middle of every cell (of a thousand at most); 0 measures none.
    """
    if drawn < 0:
        raise OptionError(f"drawn = {drawn} must be zero or more")
    ordered = _ordered(area)
    return InterpolatedMap(ordered, _measured(ordered, drawn, seed) if drawn else None)


def _ordered(area: WorkspaceMap) -> WorkspaceMap:
    """With growing values along every axis; raises where nothing lies between them."""
    if not area.axes:
        raise OptionError("a map without axes has nothing to interpolate")
    if not area.found.any():
        raise OptionError(
            f"no posture was found at any of the {area.found.size} points of this map; take commands nearer to those "
            "of the robot"
        )
    for name, values in area.axes.items():
        if np.unique(values).size < values.size:
            twice = next(value for k, value in enumerate(values.tolist()) if value in values[:k])
            raise OptionError(f'axis "{name}" has the value {twice:g} twice; give every value once')
        if values.size < 2:
            raise OptionError(
                f'axis "{name}" has one value, {values[0]:g}: nothing lies between; '
                "give it two or more, or leave it out"
            )
    order = [np.argsort(values) for values in area.axes.values()]
    names = ("found", "joined", "values", "nodes", "member_force", "lowest_stiffness", "plate_stiffness", "dexterity")
    arrays = {name: getattr(area, name)[np.ix_(*order)] for name in (*names, "wrench_margin")}
    return replace(area, axes={name: np.sort(values) for name, values in area.axes.items()}, **arrays)


def stencil(area: WorkspaceMap, place: np.ndarray, along_each: tuple[int, ...] = POINTS) -> Stencil | None:
    """What carries a place within the grid; None where there is no posture, or where they are of different sheets."""
    for points in along_each:
        along = [_weights(values, x, points) for values, x in zip(area.axes.values(), place, strict=True)]
        chosen = [first + np.arange(weights.size) for first, weights in along]
        if area.found[np.ix_(*chosen)].all() and _one_sheet(area, chosen):
            weights = np.ones(1)
            for _, own in along:
                weights = np.multiply.outer(weights, own).ravel()
            return Stencil(np.ravel_multi_index(np.ix_(*chosen), area.found.shape).ravel(), weights)
    return None


def _one_sheet(area: WorkspaceMap, chosen: list[np.ndarray]) -> bool:
    """Whether all points of a block lead to their neighbours in it."""
    for axis in range(len(chosen)):
        ahead = [own[:-1] if k == axis else own for k, own in enumerate(chosen)]
        if not area.joined[..., axis][np.ix_(*ahead)].all():
            return False
    return True


def _weights(values: np.ndarray, x: float, points: int) -> tuple[int, np.ndarray]:
    """The first of the values that carry x, and Lagrange's weights of them; a value of the grid carries itself."""
    after = int(np.searchsorted(values, x, side="right"))
    if after and values[after - 1] == x:
        return after - 1, np.ones(1)
    count = min(points, values.size)
    cell = int(np.clip(after - 1, 0, values.size - 2))
    first = int(np.clip(cell - (count // 2 - 1), 0, values.size - count))
    own = values[first : first + count]
    same = np.eye(count, dtype=bool)
    return first, np.asarray((np.where(same, 1.0, x - own) / np.where(same, 1.0, own[:, None] - own)).prod(axis=1))


def blended(area: WorkspaceMap, found: Stencil | None) -> InterpolatedPosture:
    """Points of a map by their weights; cables that nowhere push do not push between points, either."""
    robot, size = area.robot, area.found.size
    if found is None:
        nodes, force = np.full(robot.structure.positions.shape, np.nan), np.full(area.member_force.shape[-1], np.nan)
        return InterpolatedPosture(False, nodes, force, *[np.nan] * 3)

    def mixed(values: np.ndarray) -> np.ndarray:
        rows = values.reshape(size, -1)[found.rows]
        return np.asarray(found.weights @ rows)

    force = mixed(area.member_force)
    pulls = never_pushing(area)
    force[pulls] = np.maximum(force[pulls], 0.0)
    numbers = (float(mixed(one)[0]) for one in (area.lowest_stiffness, area.plate_stiffness, area.dexterity))
    return InterpolatedPosture(True, mixed(area.nodes).reshape(-1, 3), force, *numbers)


def corners_agree(area: WorkspaceMap, place: np.ndarray) -> bool:
    """Whether the lowest stiffness has one sign at all corners of the cell of a place that is shown."""
    corners = stencil(area, place, (2,))
    signs = area.lowest_stiffness.ravel()[corners.rows] > 0.0 if corners is not None else np.zeros(0)
    return bool(signs.all() or not signs.any())


def never_pushing(area: WorkspaceMap) -> np.ndarray:
    """(m,) cables that pull or are slack at every point of a map."""
    cables = area.robot.problem.network.cables
    least = np.nanmin(area.member_force.reshape(area.found.size, -1), axis=0)
    return np.asarray((np.arange(least.size) < cables) & (least >= 0.0))


# --- how far it is off


def _measured(area: WorkspaceMap, drawn: int, seed: int) -> InterpolationError:
    random = np.random.default_rng(seed)
    low, high = (np.array([values[k] for values in area.axes.values()]) for k in (0, -1))
    places, at_random = list[np.ndarray](), 0
    for _ in range(50 * drawn):
        place = random.uniform(low, high)
        if stencil(area, place) is not None:
            places.append(place)
        if len(places) == drawn:
            break
    at_random = len(places)
    places += [place for place in _middles(area, random) if stencil(area, place) is not None]
    solved = exact_postures(area, np.array(places).reshape(-1, low.size))
    worst = dict.fromkeys(("nodes", "force", "lowest", "plate", "dexterity"), np.nan)
    doubtful, misjudged = 0.0, 0
    for k, place in enumerate(places):
        if not solved.found[k]:
            continue
        shown = blended(area, stencil(area, place))
        off = {
            "nodes": np.linalg.norm(shown.nodes - solved.nodes[k], axis=1).max(),
            "force": np.abs(shown.member_force - solved.force[k]).max(),
            "lowest": abs(shown.lowest_stiffness - solved.lowest[k]),
            "plate": abs(shown.plate_stiffness - solved.plate[k]),
            "dexterity": abs(shown.dexterity - solved.dexterity[k]),
        }
        worst = {name: float(np.fmax(worst[name], value)) for name, value in off.items()}
        agrees, right = corners_agree(area, place), (shown.lowest_stiffness > 0.0) == (solved.lowest[k] > 0.0)
        misjudged += agrees and not right
        doubtful = doubtful if agrees or right else max(doubtful, abs(shown.lowest_stiffness))
    found, fair = int(solved.found.sum()), int(solved.found[:at_random].sum())
    return InterpolationError(
        solved=found,
        drawn=fair,
        missed=len(places) - found,
        nodes=worst["nodes"],
        member_force=worst["force"],
        lowest_stiffness=worst["lowest"],
        plate_stiffness=worst["plate"],
        dexterity=worst["dexterity"],
        doubtful=doubtful,
        misjudged=misjudged,
    )


def _middles(area: WorkspaceMap, random: np.random.Generator) -> Iterator[np.ndarray]:
    """Middles of cells, all of them or as many as are solved at most."""
    between = [0.5 * (values[1:] + values[:-1]) for values in area.axes.values()]
    cells = list(product(*(range(own.size) for own in between)))
    if len(cells) > MOST_MIDDLES:
        cells = [cells[k] for k in random.choice(len(cells), MOST_MIDDLES, replace=False).tolist()]
    for cell in cells:
        yield np.array([own[k] for own, k in zip(between, cell, strict=True)])


def exact_postures(area: WorkspaceMap, places: np.ndarray) -> Points:
    """Postures at places (k, axes) between the points of a map, solved from the nearest of these."""
    robot = area.robot
    solver, told = PostureSolver(robot), Points((len(places),), robot)
    asked = bool(np.isfinite(area.lowest_stiffness).any())
    plate = looked_at(robot, area.plate, needed=False)
    columns = [[robot.input_names.index(one.name) for one in area.inputs_of(name)] for name in area.axes]
    nodes, commands = area.nodes.reshape(area.found.size, -1, 3), area.values.reshape(area.found.size, -1)
    for k, place in enumerate(places):
        carried = stencil(area, place)
        if carried is None:
            continue
        values = robot.values.copy()
        for own, value in zip(columns, place.tolist(), strict=True):
            values[own] = value
        row = int(carried.rows[np.argmax(np.abs(carried.weights))])
        if arrived(solver, commands[row], (nodes[row],)) and led(solver, values, known_at(solver)) is not None:
            told.take((k,), solver, plate, asked=asked)
    return told
