"""The prismatic robot in 18 coordinates, its plate's place and angles and two angles of each bar, against its nodes."""

from __future__ import annotations

import numpy as np
import pytest
from test_joints import moved

from taut import Load, Sinusoid, Structure, assemble, generators
from taut.mechanisms import Joint, in_coordinates

LOWER = {"lower1": ("01", "13"), "lower2": ("02", "11"), "lower3": ("03", "12")}
UPPER = {"upper1": ("21", "1b"), "upper2": ("22", "1a"), "upper3": ("23", "1c")}


def joints_of(robot: Structure) -> list[Joint]:
    """The plate is free; every bar turns about two axes across it, at the base or on the plate."""
    middle = robot.positions[[list(robot.nodes).index(node) for node in ("21", "22", "23")]].mean(axis=0)
    made = [Joint.free("plate", tuple(map(float, middle)), ("21", "22", "23"))]
    for bars, on in ((LOWER, None), (UPPER, "plate")):
        for name, (foot, end) in bars.items():
            along = np.subtract(robot.nodes[end], robot.nodes[foot])
            first = np.cross(along, (0.0, 1.0, 0.0))
            first /= np.linalg.norm(first)
            second = np.cross(along / np.linalg.norm(along), first)
            axes = tuple(map(float, first)), tuple(map(float, second))
            made.append(Joint.universal(name, foot, axes, (end,), on=on))
    return made


@pytest.mark.slow
@pytest.mark.parametrize("active", ["spring", "length"])
def test_the_prismatic_robot_moves_in_18_coordinates_as_in_its_nodes(active: str) -> None:
    """Pushed at its plate: 36 coordinates that can move and rows of bars, plate and held cables, beside 18."""
    robot = generators.prismatic_robot(active=active)
    loads = [Load("21", "x", Sinusoid(4.0, 1.5)), Load("22", "z", Sinusoid(3.0, 2.0))]
    plant = in_coordinates(assemble(robot, gravity=9.80665, loads=loads), joints_of(robot))
    nodal = assemble(robot, gravity=9.80665, loads=loads)
    assert plant.coordinates == 18
    assert all(name.startswith("cable") for name in plant.constraint_names), "joints keep bars and plate"
    run, other = moved(plant, 0.5), moved(nodal, 0.5)
    assert run.ok
    assert other.ok
    assert other.cable_tension.min() > 0.0, "a cable held at a length is a rod in joints"
    assert np.abs(other.nodes[-1] - other.nodes[0]).max() > 1e-3
    assert np.abs(run.nodes - other.nodes).max() < 1e-10
    assert np.abs(run.velocities - other.velocities).max() < 1e-9
    assert run.cable_tension == pytest.approx(other.cable_tension, abs=1e-7)
