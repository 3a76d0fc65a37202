"""Grounds in model files, run files and step by step; and what is wrong with them, in words."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from on_ground import followed, point, robot

import taut
from taut import Box, Ground, ModelError, OptionError, Plane, Structure, Terrain, assemble, simulate
from taut.structure.files import parse_model
from taut.structure.format.writing import model_text

TEXT = """
taut: 1
nodes: {a: [0, 0, 0.5], b: [1, 0, 0.8]}
bars: {ab: [a, b]}
properties: {"bar:*": {mass: 2}}
scenario:
  gravity: 9.81
  ground:
    floor: {friction: 0.6}
    wall: {plane: {normal: [-1, 0, 0], point: [1.2, 0, 0]}, restitution: 0.3, static_friction: 0.7}
    step: {box: {centre: [0.5, 0, 0.1], size: [0.2, 1, 0.2], turned: 1}, touched_by: ["node:a", "bar:ab"], radius: 0.1}
    hill: {terrain: {heights: [[0, 0], [0, 0.1]], spacing: [2, 2], corner: [-1, -5]}}
  method: impulses
  step: 1e-3
"""
FLOOR = Ground("floor", friction=0.6)


def test_a_file_says_what_python_says_and_comes_back_whole() -> None:
    model = parse_model(TEXT)
    floor, wall, step, hill = model.scenario.ground
    assert floor == FLOOR
    assert wall == Ground("wall", Plane((-1, 0, 0), (1.2, 0, 0)), restitution=0.3, static_friction=0.7)
    assert step.shape == Box((0.5, 0, 0.1), (0.2, 1, 0.2), 1.0)
    assert (step.touched_by, step.radius) == (("node:a", "bar:ab"), 0.1)
    assert hill.shape == Terrain(((0, 0), (0, 0.1)), (2, 2), (-1, -5))
    assert parse_model(model_text(model.structure, model.scenario)).scenario == model.scenario


@pytest.mark.parametrize(
    ("ground", "message"),
    [
        ("{friction: -0.1}", r"ground.floor.friction: friction -0.1 must be a finite number of zero or more"),
        ("{restitution: 1.2}", r"restitution 1.2 is not from 0 to 1"),
        ("{friction: 0.6, static_friction: 0.5}", r"static_friction 0.5 is less than friction 0.6"),
        ("{radius: -1}", r"radius -1.0 must be a finite number"),
        ("{plane: {normal: [0, 0, 0]}}", r"the normal has no length"),
        ("{box: {centre: [0, 0, 0], size: [1, 0, 1]}}", r"size \[1.0, 0.0, 1.0\] must be more than zero"),
        ("{terrain: {heights: [[0, 1], [0]]}}", r"rows of one length"),
        ("{touched_by: [a]}", r'"a" does not say of what kind'),
        ('{touched_by: ["node:q"]}', r"node:q"),
        (
            "{plane: {}, box: {centre: [0, 0, 0], size: [1, 1, 1]}}",
            r"it is a plane and a box; give each its own ground",
        ),
        ("{fricton: 0.1}", r"friction"),
    ],
)
def test_what_is_wrong_with_a_ground(ground: str, message: str) -> None:
    with pytest.raises(ModelError, match=message):
        parse_model(TEXT.replace("floor: {friction: 0.6}", f"floor: {ground}"))


def test_a_terrain_with_gaps_is_refused() -> None:
    field = Ground("field", Terrain(((0.0, 1.0), (np.nan, 0.0))))
    with pytest.raises(ModelError, match=r"the height in row 2, column 1 is nan; fill gaps, and cut out overhangs"):
        assemble(point(), ground=[field])


def test_two_grounds_of_one_name_are_refused() -> None:
    with pytest.raises(ModelError, match=r'another ground is called "floor" too'):
        assemble(point(), ground=[FLOOR, FLOOR])


def test_a_start_inside_the_ground_is_refused() -> None:
    with pytest.raises(ModelError, match=r'at the start node "a" is 0.1 m inside the ground "floor"; lift the struct'):
        followed(point((0, 0, -0.1)), FLOOR, 0.1, 1e-3)


def test_methods_that_follow_smooth_motion_are_refused() -> None:
    plant = assemble(point((0, 0, 1)), gravity=9.81, ground=[FLOOR])
    with pytest.raises(OptionError, match=r'but the ground "floor" is rigid.*use method "impulses" with a step'):
        simulate(plant, 1.0)
    with pytest.raises(OptionError, match=r'method "impulses" is for structures that strike a ground'):
        simulate(assemble(point()), 1.0, method="impulses", step=1e-3)


def test_a_run_file_keeps_contacts_and_goes_on_to_the_same_bits(tmp_path: Path) -> None:
    plant = assemble(robot(0.05), gravity=9.81, ground=[FLOOR])
    options = {"method": "impulses", "step": 1e-3, "verify": False}
    whole = simulate(plant, 0.4, every=0.01, **options)
    taut.save(simulate(plant, 0.2, every=0.01, **options), tmp_path / "half.nc")
    half = taut.read(tmp_path / "half.nc")
    assert half.contact_names == whole.contact_names == tuple(f"n{k} on floor" for k in range(1, 13))
    assert np.array_equal(half.contact_force, whole.contact_force[:21])
    gone_on = simulate(plant, 0.4, start=half, **options)
    assert np.array_equal(gone_on.nodes, whole.nodes)
    assert np.array_equal(gone_on.contact_force, whole.contact_force)
    assert gone_on.events == whole.events


def test_step_by_step_gives_the_bits_of_one_run() -> None:
    plant = assemble(robot(0.02), gravity=9.81, ground=[FLOOR])
    run = simulate(plant, 0.2, every=0.01, method="impulses", step=1e-3, verify=False)
    stepped = taut.start(plant, method="impulses", step=1e-3)
    for k in range(20):
        stepped.step(0.01)
        assert np.array_equal(stepped.nodes, run.nodes[k + 1])


def test_boxes_keep_points_out_from_every_side() -> None:
    """Thrown at a turned box from all sides: no point ever enters it, whichever face, edge or corner it meets."""
    box = Box((0.0, 0.0, 0.0), (1.0, 0.6, 0.4), 0.3)
    half, draw = 0.5 * np.array(box.size), np.random.default_rng(3)
    met = 0
    for _ in range(20):
        place = draw.normal(size=3)
        place *= 1.5 / np.linalg.norm(place)
        speed = tuple(map(float, -3.0 * place + 0.5 * draw.normal(size=3)))
        run = followed(point(place), Ground("box", box), 1.0, 2e-3, gravity=0.0, velocities={"a": speed}, every=2e-3)
        depth = (np.abs(run.nodes[:, 0] @ box.axes.T) - half).max(axis=1)
        assert depth.min() > -1e-9
        met += int(depth.min() < 1e-9)
    assert met > 10


def test_a_wide_node_rests_above_the_floor() -> None:
    run = followed(point((0, 0, 0.2)), Ground("floor", radius=0.05), 1.0, 1e-3)
    assert run.nodes[-1, 0, 2] == pytest.approx(0.05, abs=1e-15)


def test_a_step_that_is_too_long_is_found_out() -> None:
    run = simulate(assemble(robot(0.1, stiffness=6e4), gravity=9.81, ground=[FLOOR]), 0.5, method="impulses", step=1e-2)
    assert isinstance(run.structure, Structure)
    assert not run.ok
