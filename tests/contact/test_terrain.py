"""Terrain: edges between its patches, and balls that roll over them."""

from __future__ import annotations

import numpy as np
import pytest
from on_ground import GRAVITY, followed, point

from taut import Box, Compliance, Ground, Terrain, assemble, linearise, simulate
from taut.mechanics.grounds.surfaces import lifted

HEIGHTS = np.random.default_rng(1).uniform(0.0, 0.1, (8, 8))
HILLS = Terrain(tuple(map(tuple, HEIGHTS.tolist())), (0.25, 0.25), (-0.8, -0.8))
PUSHED = {"a": (0.3, 0.2, 0.0)}


@pytest.mark.parametrize("begin", [-0.1, -0.0995])
@pytest.mark.parametrize("restitution", [0.0, 1.0])
def test_what_runs_into_a_rising_patch_strikes_it(begin: float, restitution: float) -> None:
    """At 45 degrees, wherever in a step it comes there. Raised along the normal of the patch before, it went on with
    up to twice its energy, and did not bounce."""
    rising = Terrain(tuple((h, h) for h in (0.0, 0.0, 1.0)), (1.0, 20.0), (-1.0, -10.0))
    ground = Ground("rising", rising, friction=0.0, restitution=restitution)
    run = followed(point((begin, 0.0, 0.0)), ground, 0.11, 1e-3, every=1e-3, velocities={"a": (1.0, 0.0, 0.0)})
    wanted = (0.0, 1.0) if restitution else (0.5, 0.5)
    assert run.velocities[102, 0, [0, 2]] == pytest.approx(wanted, abs=0.03)
    assert np.diff(run.energy_kinetic + run.energy_gravity).max() < 1e-5


def test_between_opposite_slopes_nothing_is_thrown_up() -> None:
    """A hollow of two slopes of 60 degrees: lifted along the normal of one, a point goes deeper into the other, and
    was thrown out with up to 5 J of 1.7 J."""
    steep = np.sqrt(3.0)
    hollow = Terrain(tuple((h, h) for h in (steep, 0.0, steep)), (1.0, 20.0), (-1.0, -10.0))
    for begin in (-0.1, -0.1003, -0.1007):
        ground = Ground("hollow", hollow, friction=0.0)
        run = followed(point((begin, 0.0, -steep * begin)), ground, 0.5, 1e-3, every=1e-3)
        assert np.diff(run.energy_kinetic + run.energy_gravity).max() < 1e-4  # (g h)^2: it rests on one slope at a time
        assert (run.nodes[:, 0, 2] - steep * abs(run.nodes[:, 0, 0])).min() > -5e-5


def test_a_ball_rolls_over_edges() -> None:
    """A radius along the normal of a patch jumped where patches meet: 3 J were 6 J after one of them."""
    run = followed(
        point((0.05, 0.03, 0.3)), Ground("hills", HILLS, friction=0.0, radius=0.1), 2.0, 1e-3, every=1e-3,
        velocities=PUSHED,
    )  # fmt: skip
    assert np.diff(run.energy_kinetic + run.energy_gravity).max() < 1e-7


def test_a_ball_keeps_energy_on_a_terrain_that_gives_way() -> None:
    """Its books were off by 17 mJ."""
    soft = Compliance(stiffness=1e4, damping=0.0, tangential_damping=50.0)
    ground = Ground("hills", HILLS, friction=0.0, radius=0.1, compliance=soft)
    plant = assemble(point((0.05, 0.03, 0.3)), gravity=GRAVITY, ground=[ground], velocities=PUSHED)
    run = simulate(plant, 1.0, method="dp8", tolerance=1e-10, correction="constraints", verify=False)
    assert len(run.events) > 3
    assert np.abs(run.energy_violation).max() < 1e-9


def test_where_a_ball_is_on_even_ground_and_on_tops() -> None:
    even = np.array([[0.0, 0.0], [0.5, 0.5], [1.0, 1.0]])
    assert lifted(even, (1.0, 1.0), 0.1) == pytest.approx(even + 0.1 * np.sqrt(1.25))
    top = np.zeros((5, 5))
    top[2, 2] = 1.0
    assert lifted(top, (1.0, 1.0), 0.1) == pytest.approx(top + 0.1)


def test_linear_models_know_that_normals_turn() -> None:
    """On a smooth saddle h = x y / 2 the squares of poles are g h'' either way; what falls off the rounded edge of a
    box does so as a pendulum that stands. All of these were zero."""
    soft = Compliance(stiffness=1e4, damping=20.0)
    saddle = Terrain(((0.5, -0.5), (-0.5, 0.5)), (2.0, 2.0), (-1.0, -1.0))
    model = linearise(
        assemble(point((0.0, 0.0, -GRAVITY / 1e4)), gravity=GRAVITY, ground=[Ground("s", saddle, 0.0, compliance=soft)])
    )
    slow = np.sort(model.poles[np.abs(model.poles) < 10.0] ** 2)
    assert slow == pytest.approx(0.5 * GRAVITY * np.array([-1.0, -1.0, 1.0, 1.0]), rel=1e-9)
    block = Box((0.0, 0.0, -0.5), (1.0, 1.0, 1.0))
    edge = Ground("e", block, 0.0, radius=0.05, touched_by=("node:*",), compliance=soft)
    model = linearise(assemble(point((0.0, 0.5, 0.05 - GRAVITY / 1e4)), gravity=GRAVITY, ground=[edge]))
    assert model.poles.real.max() < 1e-6  # on its face: level
    model = linearise(assemble(point((0.0, 0.5 + 1e-9, 0.05 - GRAVITY / 1e4)), gravity=GRAVITY, ground=[edge]))
    assert model.poles.real.max() ** 2 == pytest.approx(GRAVITY / (0.05 - GRAVITY / 1e4), rel=1e-6)
