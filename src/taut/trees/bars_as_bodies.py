"""A nodal plant as a tree: every bar a floating rigid body, bars that meet joined by loops, all else acting on nodes.

The cables, loads, weight and dampers are those of the nodal plant, called at the places of its nodes on the bodies.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from scipy.spatial.transform import Rotation

from taut.errors import ModelError, OptionError, Problem, listed
from taut.mechanics.inertia.masses import lumped_masses
from taut.mechanics.plant import Plant
from taut.mechanics.trees.plant import TreePlant, made_plant
from taut.mechanics.trees.pushes import Nodal
from taut.structure.bodies import Body, Vector
from taut.structure.properties import bar_mass, bar_rotary_mass
from taut.structure.trees import WORLD, LoopJoint, Tree, TreeJoint
from taut.type_checks import checked_arguments

SPIN = 1e-3
"""A thin bar's moment about its own axis, as a part of that across: nothing turns it, but it must not be zero."""


@checked_arguments
def in_bodies(plant: Plant) -> TreePlant:
    """The same structure as rigid bodies, one for each bar: floating, joined where bars meet, held where supports are.

    Whatever acts on nodes acts as in the nodal plant. A thin bar gets a little moment about its own axis, which moves
    no node. Refused are plates, angles, constraints, drives, controllers, sensors, moved supports, bars that are not
    rigid and nodes that no bar carries.
    """
    if problems := [*_problems(plant)]:
        raise ModelError(problems)
    structure = plant.structure
    places = dict(zip(structure.nodes, plant.positions.reshape(-1, 3), strict=True))
    speeds = dict(zip(structure.nodes, _speeds(plant), strict=True))
    joints, loops, carried = list[TreeJoint](), list[LoopJoint](), dict[str, tuple[str, Vector]]()
    for name, bar in structure.bars.items():
        first, last = (places[node] for node in bar.nodes)
        along, middle = last - first, 0.5 * (first + last)
        length = float(np.linalg.norm(along))
        body = _body(plant, name, length, carried)
        turn = _facing(along / length)
        rate = 0.5 * (speeds[bar.nodes[0]] + speeds[bar.nodes[1]])
        spin = turn.T @ np.cross(along, speeds[bar.nodes[1]] - speeds[bar.nodes[0]]) / length**2
        joints.append(
            TreeJoint(
                name,
                "floating",
                WORLD,
                body,
                values=(*map(float, middle), *Rotation.from_matrix(turn).as_quat().tolist()),
                rates=(*map(float, rate), *map(float, spin)),
            )
        )
        for node, place in zip(bar.nodes, ((0.0, 0.0, -0.5 * length), (0.0, 0.0, 0.5 * length)), strict=True):
            if node in carried:
                other, at = carried[node]
                loops.append(LoopJoint(f"{node}: {other} and {name}", other, name, at=at, to=place))
                continue
            carried[node] = (name, place)
            if node in structure.supports:
                held = (float(places[node][0]), float(places[node][1]), float(places[node][2]))
                loops.append(LoopJoint(f"{node}: held", WORLD, name, at=held, to=place))
    bodies, points = zip(*(carried[node] for node in structure.nodes), strict=True)
    nodal = Nodal(plant, bodies, points)
    tree = Tree(tuple(joints), tuple(loops), gravity=0.0, name=structure.name)
    return made_plant(tree, {}, None, None, plant.typical_length, nodal)


def _speeds(plant: Plant) -> np.ndarray:
    """(n, 3) velocities at the start, brought onto the bars the shortest way by mass, as in its own runs."""
    tables, operations = plant.own_tables(metric="mass", gains=(0.0, 0.0)), plant.operations()
    y = np.concatenate([*plant.start(), [0.0], plant.internal])
    residual, rate, step = np.zeros(plant.rows), np.zeros(plant.rows), np.zeros(plant.coordinates)
    operations["residuals"](tables, y, residual, rate)
    speeds = y[plant.coordinates : 2 * plant.coordinates]
    if np.abs(rate).max(initial=0.0) > 1e-12 * np.abs(speeds).max(initial=0.0):
        operations["prepare_projection"](tables, y)
        operations["project"](tables, np.zeros(plant.coordinates), -rate, step)
        speeds += step
    return speeds.reshape(-1, 3)


def _body(plant: Plant, name: str, length: float, carried: dict[str, tuple[str, Vector]]) -> Body:
    """A bar about its middle, with the masses lumped at ends that no earlier bar has, those of cables among them."""
    structure = plant.structure
    lumped = dict(zip(structure.nodes, lumped_masses(structure).tolist(), strict=True))
    bar = structure.bars[name]
    mass, across = bar_mass(structure, bar) or 0.0, (bar_rotary_mass(structure, bar) or 0.0) * length**2
    square = (bar.radius or 0.0) ** 2 + (bar.inner_radius or 0.0) ** 2
    along = 0.5 * mass * square if bar.inertia == "cylinder" and square > 0.0 else SPIN * across
    ends = [lumped[node] if node not in carried else 0.0 for node in bar.nodes]
    whole = mass + sum(ends)
    centre = 0.5 * length * (ends[1] - ends[0]) / whole
    shifted = (
        across
        + mass * centre**2
        + sum(m * (z - centre) ** 2 for m, z in zip(ends, (-0.5 * length, 0.5 * length), strict=True))
    )
    moments = ((shifted, 0.0, 0.0), (0.0, shifted, 0.0), (0.0, 0.0, along))
    return Body(name, whole, (0.0, 0.0, centre), moments)


def _facing(along: np.ndarray) -> np.ndarray:
    """A rotation whose z is along a direction."""
    other = np.eye(3)[int(np.argmin(np.abs(along)))]
    x = np.cross(other, along)
    x /= np.linalg.norm(x)
    return np.column_stack([x, np.cross(along, x), along])


def _problems(plant: Plant) -> Iterator[Problem]:
    structure, given = plant.structure, plant.given
    for what, there in (
        ("plates", structure.plates),
        ("angles", structure.angles),
        ("constraints", structure.constraints),
        ("drives", plant.drive_names),
        ("controllers", given.controllers),
        ("sensors", given.sensors),
        ("motions", plant.motions),
        ("elements", plant.elements),
        ("cables held at their length", given.held_cables),
    ):
        if there:
            yield Problem((what,), "do not go with a tree of bodies yet; take them away, or use nodes")
    for name, bar in structure.bars.items():
        if bar.law != "rigid":
            yield Problem(("bars", name), f"is {bar.law}, and a body is rigid; use nodes")
    for node, axes in structure.supports.items():
        if axes != "xyz":
            yield Problem(("supports", node), f'holds "{axes}"; a body is held at a point along all of xyz')
    ends = {node for bar in structure.bars.values() for node in bar.nodes}
    if alone := [f'"{node}"' for node in structure.nodes if node not in ends]:
        yield Problem(("nodes",), f"{listed(alone)} belong to no bar; give each a bar, or use nodes")
    if not plant.compiled:
        raise OptionError("loads that are Python functions do not go with a tree of bodies; give signals")
