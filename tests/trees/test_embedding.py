"""Quaternions as four coordinates: kernels against the matrices that say the same."""

from __future__ import annotations

import numpy as np
import pytest

from taut.mechanics.trees import embedding as on_sphere
from taut.structure.bodies import Body
from taut.structure.trees import WORLD, LoopJoint, Tree, TreeJoint
from taut.trees import tree_plant

BODY = Body("one", 1.0, (0.0, 0.0, 0.0), ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)))
OTHER = Body("two", 1.0, (0.0, 0.0, 0.0), ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)))


def test_rates_and_accelerations_are_those_of_the_matrices() -> None:
    tree = Tree((TreeJoint("a", "floating", WORLD, BODY), TreeJoint("b", "spherical", "one", OTHER)))
    e = on_sphere.embedding_of(tree)
    draw = np.random.default_rng(3)
    x, rate, a = draw.normal(size=e.positions), draw.normal(size=e.positions), draw.normal(size=e.velocities)
    q, v = on_sphere.configuration_and_velocity(e, x, rate)
    np.testing.assert_allclose(v, on_sphere.matrix(e, x) @ rate, rtol=1e-13)
    assert np.linalg.norm(q[e.quaternion], axis=1) == pytest.approx(1.0, rel=1e-14)
    assert np.array_equal(q[e.flat], x[e.flat])
    second = on_sphere.acceleration(e, x, rate, v, a, (0.0, 0.0))
    np.testing.assert_allclose(
        on_sphere.matrix(e, x) @ second + on_sphere.velocity_bias(e, x, rate, v), a, rtol=1e-12, atol=1e-13
    )
    s, r = x[e.quaternion], rate[e.quaternion]
    grown = np.einsum("ki,ki->k", s, second[e.quaternion]) + np.einsum("ki,ki->k", r, r)
    assert np.abs(grown).max() < 1e-13, "the length of a quaternion changes evenly"
    pulled = on_sphere.acceleration(e, x, rate, v, a, (2.0, 3.0))
    square = np.einsum("ki,ki->k", s, s)
    wanted = -2.0 * np.einsum("ki,ki->k", s, r) - 3.0 * 0.5 * (square - 1.0)
    more = np.einsum("ki,ki->k", s, pulled[e.quaternion]) + np.einsum("ki,ki->k", r, r)
    np.testing.assert_allclose(more, wanted, rtol=1e-12)


def test_a_body_turned_onto_its_loop_keeps_its_rates() -> None:
    """A top whose tip on its axis is brought from 1 rad aside to where a loop holds it spins as it was told to."""
    body = Body.cylinder("top", 0.1, 0.05, 1500.0, centre=(0.0, 0.0, 0.2))
    aside = (float(np.sin(0.5)), 0.0, 0.0, float(np.cos(0.5)))
    joint = TreeJoint("tip", "spherical", "world", body, values=aside, rates=(0.0, 0.0, 100.0))
    loop = LoopJoint("pin", "world", "top", at=(0.0, 0.0, 0.4), to=(0.0, 0.0, 0.4))
    plant = tree_plant(Tree((joint,), (loop,)))
    positions, velocities = plant.split(np.concatenate(plant.start()))
    np.testing.assert_allclose(np.abs(positions), (0.0, 0.0, 0.0, 1.0), atol=1e-9)
    np.testing.assert_allclose(velocities, (0.0, 0.0, 100.0), atol=1e-7)
