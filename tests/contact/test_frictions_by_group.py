"""Friction and restitution by node, by bar and by surface: grounds of one shape, each touched by a group."""

from __future__ import annotations

import numpy as np
import pytest
from on_ground import GRAVITY, slope

from taut import Bar, Box, Ground, ModelError, Plane, Structure, assemble, simulate

DEGREES = 10.0
DOWN, NORMAL = slope(DEGREES)
SLOPE = Plane((float(NORMAL[0]), 0.0, float(NORMAL[2])))


def test_nodes_rub_and_bounce_each_in_its_own_way() -> None:
    """Three points on one slope: one sticks, one slides; a fourth falls and bounces, a fifth does not."""
    places = {"rubber": 0.0 * NORMAL, "steel": 0.0 * NORMAL, "ball": 0.2 * NORMAL, "clay": 0.2 * NORMAL}
    made = Structure(
        {name: (float(p[0]), float(k), float(p[2])) for k, (name, p) in enumerate(places.items())},
        point_masses=dict.fromkeys(places, 1.0),
    )
    grounds = [
        Ground("rough", SLOPE, friction=0.8, touched_by=("node:rubber", "node:clay")),
        Ground("smooth", SLOPE, friction=0.1, touched_by=("node:steel",)),
        Ground("springy", SLOPE, friction=0.0, restitution=0.8, touched_by=("node:ball",)),
    ]
    plant = assemble(made, gravity=GRAVITY, ground=grounds)
    run = simulate(plant, 0.5, every=0.005, method="impulses", step=1e-3, verify=False)
    moved = run.nodes[-1] - run.nodes[0]
    assert np.abs(moved[0]).max() < 1e-16
    gained = GRAVITY * (np.sin(np.radians(DEGREES)) - 0.1 * np.cos(np.radians(DEGREES)))
    assert moved[1] @ DOWN == pytest.approx(0.125 * gained, rel=1e-9)
    fell = run.nodes[:, 2:] @ NORMAL
    after = run.time > 0.25
    assert fell[after, 0].max() == pytest.approx(0.8**2 * 0.2, rel=0.02)
    assert np.abs(fell[after, 1]).max() < 1e-9
    assert run.contact_names == ("rubber on rough", "clay on rough", "steel on smooth", "ball on springy")


def test_bars_rub_each_in_its_own_way() -> None:
    """Two bars laid across the edges of one block, pushed along themselves: friction of 0.5 stops one in
    v^2 / (2 mu g), and the other goes on."""
    block = Box((0.0, 0.0, 0.5), (0.4, 4.0, 1.0))
    nodes = {"a": (-0.5, -1.0, 1.0), "b": (0.5, -1.0, 1.0), "c": (-0.5, 1.0, 1.0), "d": (0.5, 1.0, 1.0)}
    made = Structure(nodes, [Bar("ab", ("a", "b"), mass=1.0), Bar("cd", ("c", "d"), mass=1.0)])
    grounds = [
        Ground("rough", block, friction=0.5, touched_by=("bar:ab",)),
        Ground("smooth", block, friction=0.0, touched_by=("bar:cd",)),
    ]
    pushed = dict.fromkeys("abcd", (0.3, 0.0, 0.0))
    plant = assemble(made, gravity=GRAVITY, ground=grounds, velocities=pushed)
    run = simulate(plant, 0.2, every=0.01, method="impulses", step=5e-4, verify=False)
    went = run.nodes[-1, :, 0] - run.nodes[0, :, 0]
    assert went[:2] == pytest.approx(0.5 * 0.3**2 / (0.5 * GRAVITY), rel=0.02)
    assert went[2:] == pytest.approx(0.3 * 0.2, rel=1e-6)


def test_nothing_rubs_against_one_shape_twice() -> None:
    made = Structure({"a": (0.0, 0.0, 0.0)}, point_masses={"a": 1.0})
    with pytest.raises(
        ModelError, match=r'ground.sticky.touched_by: node "a" would rub against "floor" too, which has th'
    ):
        assemble(made, ground=[Ground("floor"), Ground("sticky", friction=2.0, touched_by=("node:a",))])
