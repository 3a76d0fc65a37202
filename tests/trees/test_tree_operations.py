"""What corrections ask of a tree, each held against differences, with quaternions that are off their sphere."""

from __future__ import annotations

import numpy as np

from taut.mechanics.trees import embedding as on_sphere
from taut.mechanics.trees.tree_operations import OPERATIONS, Workspace, all_rows, whole_mass_matrix
from taut.trees import Body, LoopJoint, Tree, TreeJoint, single_strut, tree_plant

H = 1e-5


def off_the_sphere() -> tuple[Workspace, np.ndarray]:
    """Two floating bodies in a loop and a state of theirs with quaternions of length 1.1 and 0.9 that grow."""
    bodies = [Body.box(name, (0.1, 0.2, 0.3), 1000.0, centre=(0.02, 0.0, 0.1)) for name in "ab"]
    tree = Tree(
        tuple(TreeJoint(body.name, "floating", "world", body) for body in bodies),
        (LoopJoint("hinge", "a", "b", "revolute", at=(0.1, 0.0, 0.2), to=(0.1, 0.0, 0.2)),),
    )
    plant = tree_plant(tree)
    rng = np.random.default_rng(7)
    x = np.concatenate([rng.standard_normal(3), 1.1 * _unit(rng), rng.standard_normal(3), 0.9 * _unit(rng)])
    y = np.concatenate([x, rng.standard_normal(14), [0.3]])
    return Workspace(plant, False, (0.0, 0.0)), y


def _unit(rng: np.random.Generator) -> np.ndarray:
    s = rng.standard_normal(4)
    return s / np.linalg.norm(s)


def test_velocities_are_rates_of_places_and_their_bias_is_what_rates_add() -> None:
    d, y = off_the_sphere()
    e, x, rate = d.embedding, y[:14], y[14:28]
    v = on_sphere.velocity(e, x, rate)
    np.testing.assert_allclose(on_sphere.matrix(e, x) @ rate, v, atol=1e-14)
    ahead, behind = (on_sphere.velocity(e, x + s * rate, rate) for s in (H, -H))
    np.testing.assert_allclose(on_sphere.velocity_bias(e, x, rate, v), (ahead - behind) / (2.0 * H), atol=1e-8)
    places = [d.equations.point(on_sphere.configuration(e, x + s * rate), "b", (0.3, 0.2, 0.1)) for s in (H, -H)]
    jacobian, _ = d.equations.point_jacobian(on_sphere.configuration(e, x), v, "b", (0.3, 0.2, 0.1))
    np.testing.assert_allclose(jacobian @ v, (places[0] - places[1]) / (2.0 * H), atol=1e-8)
    wanted = np.random.default_rng(1).standard_normal(12)
    found = on_sphere.acceleration(e, x, rate, v, wanted, (0.0, 0.0))
    np.testing.assert_allclose(
        on_sphere.matrix(e, x) @ found + on_sphere.velocity_bias(e, x, rate, v), wanted, atol=1e-12
    )


def test_rows_and_their_rates_are_derivatives() -> None:
    d, y = off_the_sphere()
    x, rate, rows = y[:14], y[14:28], d.plant.rows
    way = np.random.default_rng(3).standard_normal(14)

    def residual(at: np.ndarray) -> np.ndarray:
        out = np.zeros((2, rows))
        OPERATIONS["residuals"](d, np.concatenate([at, rate, [0.0]]), out[0], out[1])
        return out

    G = all_rows(d, x, on_sphere.configuration(d.embedding, x))
    slope = (residual(x + H * way) - residual(x - H * way)) / (2.0 * H)
    np.testing.assert_allclose(G @ way, slope[0], atol=1e-8)
    np.testing.assert_allclose(residual(x)[1], G @ rate, atol=1e-13)
    found = np.zeros(rows)
    OPERATIONS["jacobian_rate"](d, y, way, found)
    np.testing.assert_allclose(found, slope[1], atol=1e-6 * np.abs(slope[1]).max())


def test_the_energy_has_its_slopes_and_a_projection_its_rates() -> None:
    d, y = off_the_sphere()
    along_q, along_v, way = np.zeros(14), np.zeros(14), np.random.default_rng(5).standard_normal(28)
    total, terms = OPERATIONS["energy_gradient"](d, y, along_q, along_v)
    assert terms >= abs(total)
    near = [OPERATIONS["energy"](d, np.append(y[:28] + s * way, 0.3))[0] for s in (H, -H)]
    slope = along_q @ way[:14] + along_v @ way[14:]
    np.testing.assert_allclose((near[0] - near[1]) / (2.0 * H), slope, rtol=1e-6)
    assert OPERATIONS["prepare_projection"](d, y) == 0
    covector, rates, direction = way[:14], np.arange(1.0, 8.0), np.zeros(14)
    OPERATIONS["project"](d, covector, rates, direction)
    q = on_sphere.configuration(d.embedding, y[:14])
    rows, mass = all_rows(d, y[:14], q), whole_mass_matrix(d, y[:14], q)
    np.testing.assert_allclose(rows @ direction, rates, atol=1e-10)
    left = mass @ direction - covector
    multiplier = np.linalg.lstsq(rows.T, left, rcond=None)[0]
    np.testing.assert_allclose(rows.T @ multiplier, left, atol=1e-9 * np.abs(left).max())


def test_power_is_what_is_lost_and_driven() -> None:
    """The rate of the energy along the motion is the power that is counted as work."""
    plant = tree_plant(single_strut(strain=0.02, law="printed", viscosity=1e5), torques={"B1-pulleyJt": 0.3})
    d = Workspace(plant, False, (0.0, 0.0))
    y = np.concatenate([plant.positions, 0.1 * np.random.default_rng(2).standard_normal(14), [0.0]])
    y[14:28] -= np.linalg.lstsq(d.equations.loop_jacobian(y[:14]), d.equations.loop_jacobian(y[:14]) @ y[14:28])[0]
    out = np.zeros_like(y)
    OPERATIONS["rate"](d, 0.0, y, out)
    energy = [OPERATIONS["energy"](d, y + s * out)[0] for s in (1e-6, -1e-6)]
    np.testing.assert_allclose((energy[0] - energy[1]) / 2e-6, out[28], rtol=1e-6)
    assert abs(out[28]) > 1e-3
