"""Kinds of joints that other tests do not have: a top on a spherical joint, and a body that moves in a plane;
against nodes, and against what free motion keeps."""

from __future__ import annotations

import numpy as np
import pytest

from taut import Bar, Structure, assemble, simulate
from taut.mechanisms import Joint, in_coordinates

CORNERS = {"a": (0.5, 0.1, 0.6), "b": (-0.2, 0.4, 0.5), "c": (0.1, -0.3, 0.9)}


def top() -> Structure:
    """Three heavy corners, and massive bars that hold them at one another and at o."""
    pairs = [("o", "a"), ("o", "b"), ("o", "c"), ("a", "b"), ("b", "c"), ("c", "a")]
    return Structure(
        {"o": (0.0, 0.0, 0.0), **CORNERS},
        [Bar(first + second, (first, second), mass=0.3) for first, second in pairs],
        supports={"o": "xyz"},
        point_masses={"a": 1.0, "b": 0.7, "c": 1.6},
    )


@pytest.mark.slow
def test_a_top_on_a_spherical_joint_moves_as_its_nodes_do() -> None:
    """Six bars are met by the joint; gravity keeps the spin about the vertical, and the joint knows nothing of that."""
    joint = Joint.spherical("ball", "o", ("a", "b", "c"))
    spinning = Joint(joint.name, joint.at, joint.carries, joint.turns, rates=(0.4, -0.3, 5.0))
    plant = in_coordinates(assemble(top(), gravity=9.81), [spinning])
    assert plant.names == ("ball.1", "ball.2", "ball.3")
    assert plant.rows == 0
    options = {"every": 0.02, "method": "dp8", "tolerance": 1e-12, "verify": False}
    run = simulate(plant, 0.4, **options)
    start = {name: tuple(map(float, speed)) for name, speed in zip(top().nodes, run.velocities[0], strict=True)}
    del start["o"]
    twin = simulate(assemble(top(), gravity=9.81, velocities=start), 0.4, **options)
    assert run.finished, run.status
    assert np.abs(run.nodes[-1] - run.nodes[0]).max() > 0.5
    assert np.abs(run.nodes - twin.nodes).max() < 1e-10
    assert np.abs(run.energy_violation).max() < 1e-10
    mass = np.zeros((4, 4))  # of points, and of bars as a third at an end and a sixth between
    names = list(top().nodes)
    for name, weight in top().point_masses.items():
        mass[names.index(name), names.index(name)] += weight
    for bar in top().bars.values():
        i, j = (names.index(node) for node in bar.nodes)
        mass[np.ix_([i, j], [i, j])] += 0.3 * np.array([[1.0 / 3.0, 1.0 / 6.0], [1.0 / 6.0, 1.0 / 3.0]])
    carried = np.einsum("ij,tjk->tik", mass, run.velocities)
    spin = (run.nodes[..., 0] * carried[..., 1] - run.nodes[..., 1] * carried[..., 0]).sum(axis=1)
    assert abs(spin[0]) > 1.0
    assert spin == pytest.approx(np.full_like(spin, spin[0]), abs=1e-10)


@pytest.mark.slow
def test_a_body_in_a_plane_slides_straight_and_turns_evenly() -> None:
    """A rod, whose joint stands at one end: its middle goes straight on, whatever turns about it; across the plane that
    leans, gravity does nothing, and along it pulls."""
    normal = np.array([0.6, 0.0, 0.8])
    way = np.array([0.8, 0.0, -0.6])
    far = tuple(map(float, way))
    rod = Structure({"p": (0.0, 0.0, 0.0), "q": far}, [Bar("rod", ("p", "q"), mass=2.0)])
    joint = Joint.planar("plane", "p", tuple(map(float, normal)), ("p", "q"))
    moving = Joint(joint.name, joint.at, joint.carries, joint.turns, joint.slides, rates=(0.3, -0.2, 4.0))
    plant = in_coordinates(assemble(rod, gravity=9.81), [moving])
    assert plant.coordinates == 3
    run = simulate(plant, 1.0, every=0.05, method="dp8", tolerance=1e-12, verify=False)
    middle, speed = run.nodes.mean(axis=1), run.velocities[0].mean(axis=0)
    pull = np.array([0.0, 0.0, -9.81]) + 9.81 * normal[2] * normal
    t = run.time[:, None]
    assert middle == pytest.approx(middle[0] + speed * t + 0.5 * pull * t**2, abs=1e-10)
    along = run.nodes[:, 1] - run.nodes[:, 0]
    turned = np.unwrap(np.arctan2(np.cross(along[0], along) @ normal, along @ along[0]))
    assert turned == pytest.approx(4.0 * run.time, abs=1e-10)
    assert np.abs(run.nodes @ normal).max() < 1e-14
