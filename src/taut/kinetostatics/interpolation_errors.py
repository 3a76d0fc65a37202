"""How far interpolation between the postures of a map is off, measured at postures that are solved exactly.

With n of them drawn at random, the worst is passed by at most a share 1 - (1 - c)^(1/n) of all postures with confidence
c (Wilks 1941): 299 make it one in a hundred with 95 %.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import product

import numpy as np

from taut.kinetostatics.map_points import Points, arrived, known_at, led, looked_at
from taut.kinetostatics.posture_solver import PostureSolver
from taut.kinetostatics.stencils import blended, corners_agree, stencil
from taut.kinetostatics.workspace_maps import WorkspaceMap
from taut.reprs import brief

CONFIDENCE = 0.95
DRAWN = 299
"""Postures drawn at random: with 95 % confidence the worst of them bounds 99 % of all."""

MOST_MIDDLES = 1000
"""Middles of cells that are solved besides, where the grid has so many."""


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


def measured_error(area: WorkspaceMap, drawn: int, seed: int) -> InterpolationError:
    """At so many places drawn at random, and in the middles of cells."""
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
