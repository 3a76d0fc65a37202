"""Which nodes and bars a Ground may touch, and what is wrong with it."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

import numpy as np

from taut.errors import Problem, SelectionError, listed, suggestion
from taut.structure.grounds import FRICTION_LAWS, Box, Compliance, Ground, Plane, Terrain
from taut.structure.magnitudes import size_problem
from taut.structure.structure import Structure


def touching(structure: Structure, ground: Ground) -> tuple[list[str], list[str]]:
    """Names of the nodes, and of the bars, that may touch a ground; raises SelectionError where a selector is wrong."""
    nodes, bars = dict[str, None](), dict[str, None]()
    for selector in ground.touched_by:
        if selector == "bar:*" and not structure.bars:
            continue
        kind = selector.partition(":")[0]
        if kind not in ("node", "bar"):
            raise SelectionError(f'"{selector}" does not say of what kind; write it as "node:..." or "bar:..."')
        (nodes if kind == "node" else bars).update(dict.fromkeys(structure.select(selector)))
    return [*nodes], [*bars]


def problems_of_grounds(structure: Structure, grounds: Sequence[Ground]) -> list[Problem]:
    """Everything that is wrong with them, at once."""
    found: list[Problem] = []
    names = [ground.name for ground in grounds]
    for k, ground in enumerate(grounds):
        place = ("ground", ground.name)
        if names.index(ground.name) != k:
            found.append(Problem(place, f'another ground is called "{ground.name}" too; give it another name'))
        found += [Problem((*place, *where), message) for where, message in _problems_of(ground)]
        try:
            _, bars = touching(structure, ground)
            if bars and ground.compliance is not None and isinstance(ground.shape, Box):
                message = (
                    f'bars lie across the edges of rigid boxes only, and "{ground.name}" has a compliance; leave bars '
                    'out: touched_by: ["node:*"]'
                )
                found.append(Problem((*place, "touched_by"), message))
        except SelectionError as error:
            found.append(Problem((*place, "touched_by"), str(error)))
    return found or _touched_twice(structure, grounds)


def _touched_twice(structure: Structure, grounds: Sequence[Ground]) -> list[Problem]:
    """Of grounds of one shape, what would rub against two of them at once."""
    found: list[Problem] = []
    for k, ground in enumerate(grounds):
        nodes, bars = touching(structure, ground)
        own = [
            *(f'node "{node}"' for node in nodes),
            *(f'bar "{bar}"' for bar in bars if isinstance(ground.shape, Box)),
        ]
        for other in grounds[:k]:
            if (other.shape, other.radius) != (ground.shape, ground.radius):
                continue
            nodes, bars = touching(structure, other)
            others = {*(f'node "{node}"' for node in nodes), *(f'bar "{bar}"' for bar in bars)}
            if twice := [one for one in own if one in others]:
                message = (
                    f'{listed(twice, most=3)} would rub against "{other.name}" too, which has the same shape; name '
                    "each in the touched_by of one of them"
                )
                found.append(Problem(("ground", ground.name, "touched_by"), message))
    return found


def _problems_of(ground: Ground) -> Iterator[tuple[tuple[str, ...], str]]:
    static = ground.friction if ground.static_friction is None else ground.static_friction
    for name, value in (("friction", ground.friction), ("static_friction", static), ("radius", ground.radius)):
        if not (math.isfinite(value) and value >= 0.0):
            yield (name,), f"{name} {value} must be a finite number of zero or more"
        elif wrong := size_problem(value):
            yield (name,), f"{name} {wrong}"
    if static < ground.friction:
        yield (
            ("static_friction",),
            f"static_friction {static} is less than friction {ground.friction}: what sticks would slide more easily "
            "than what slides; give at least as much",
        )
    if not 0.0 <= ground.restitution <= 1.0:
        yield (
            ("restitution",),
            f"restitution {ground.restitution} is not from 0 to 1: 0 where nothing bounces, 1 where nothing is lost",
        )
    yield from _problems_of_shape(ground.shape)
    if ground.compliance is not None:
        for where, message in _problems_of_compliance(ground.compliance):
            yield ("compliance", *where), message
        if ground.restitution > 0.0:
            yield (
                ("restitution",),
                f"restitution {ground.restitution} is that of a rigid ground; with a compliance things bounce as its "
                "damping lets them: leave it out",
            )


def _problems_of_compliance(given: Compliance) -> Iterator[tuple[tuple[str, ...], str]]:
    firm, damped = given.tangential_stiffness, given.tangential_damping
    positive = {"stiffness": given.stiffness, "threshold": given.threshold}
    positive |= {} if firm is None else {"tangential_stiffness": firm}
    for name, value in positive.items():
        if not (math.isfinite(value) and value > 0.0):
            yield (name,), f"{name} {value} must be a finite number more than zero"
        elif wrong := size_problem(value):
            yield (name,), f"{name} {wrong}"
    for name, value in {"damping": given.damping, **({} if damped is None else {"tangential_damping": damped})}.items():
        if not (math.isfinite(value) and value >= 0.0):
            yield (name,), f"{name} {value} must be a finite number of zero or more"
        elif wrong := size_problem(value):
            yield (name,), f"{name} {wrong}"
    if given.friction_law not in FRICTION_LAWS:
        known = ", ".join(FRICTION_LAWS)
        guess = suggestion(given.friction_law, FRICTION_LAWS)
        yield ("friction_law",), f'friction_law "{given.friction_law}" is not one of {known}{guess}'
    elif given.friction_law == "bristle" and given.along[1] == 0.0:
        yield (
            ("tangential_damping",),
            "bristles spring back by their damping, and there is none; give a tangential_damping [N s/m] of more than "
            f"zero, such as {1e-3 * given.along[0]:.3g}",
        )


def _problems_of_shape(shape: Plane | Box | Terrain) -> Iterator[tuple[tuple[str, ...], str]]:
    if isinstance(shape, Plane):
        if not np.isfinite([*shape.normal, *shape.point]).all():
            yield ("plane",), "normal and point must be finite numbers"
        elif not any(shape.normal):
            yield ("plane", "normal"), "the normal has no length; give the direction that points out of the ground"
    elif isinstance(shape, Box):
        if not np.isfinite([*shape.centre, *shape.size, shape.turned]).all():
            yield ("box",), "centre, size and turned must be finite numbers"
        elif min(shape.size) <= 0.0:
            yield ("box", "size"), f"size {list(shape.size)} must be more than zero along every axis"
    else:
        rows, columns = len(shape.heights), {len(row) for row in shape.heights}
        if rows < 2 or len(columns) != 1 or min(columns) < 2:
            yield ("terrain", "heights"), "heights must be a table of at least 2 x 2 numbers, with rows of one length"
            return
        heights = np.array(shape.heights)
        if not np.isfinite(heights).all():
            row, column = np.argwhere(~np.isfinite(heights))[0]
            yield (
                ("terrain", "heights"),
                f"the height in row {row + 1}, column {column + 1} is {heights[row, column]}; fill gaps, and cut out "
                "overhangs, which no table of heights can hold",
            )
        if not (np.isfinite([*shape.spacing, *shape.corner]).all() and min(shape.spacing) > 0.0):
            yield ("terrain", "spacing"), "spacing and corner must be finite, and the spacing more than zero"
