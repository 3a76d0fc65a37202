"""The linear models of the T-bar of Hsu, Tadiparthi and Bhattacharya, and the norms of its compressible kind."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from compressible_tbar import ALUMINIUM, HDPE, NAMES, NYLON, Material, at_rest

import taut
from taut import LinearModel, assemble, balance, linearise
from taut.control import h2_norm, hinf_norm

DATA = Path(__file__).parents[1] / "data"
TOPS = ["node:n3.xz", "node:n4.xz"]
SPEEDS = ["node:n3.velocity.xz", "node:n4.velocity.xz"]
SPRINGS = [f"cable:{name}.force_density" for name in ("c2", "c3", "c4")]  # right, top, left


def rigid(held: str = "rest_length") -> LinearModel:
    plant = assemble(balance(taut.generators.tbar()).structure)
    return linearise(plant, inputs=[*TOPS, *SPRINGS], outputs=[*TOPS, *SPEEDS], held=held)


def reference(name: str) -> dict[str, np.ndarray]:
    with np.load(DATA / f"stedy_{name}.npz") as file:
        return dict(file)


def test_the_rigid_tbar_has_the_poles_of_the_reference() -> None:
    wanted, model = reference("tbar_lin_rigid"), rigid()
    np.testing.assert_allclose(model.offset[:4], wanted["q_eq"], rtol=0.0, atol=1e-11)
    swings = wanted["eig"][np.abs(wanted["eig"]) > 1e-3]  # the others belong to lengths of bars, which cannot change
    assert model.poles.size == swings.size == 4
    np.testing.assert_allclose(np.sort(np.abs(model.poles)), np.sort(np.abs(swings)), rtol=1e-9)


def test_the_rigid_tbar_moves_as_the_reference_says() -> None:
    # C takes the model's four states to the eight of the reference (x3 z3 x4 z4 and rates): C A = A_ref C, C B = B_ref.
    wanted, model = reference("tbar_lin_rigid"), rigid()
    np.testing.assert_allclose(model.C @ model.A, wanted["A"] @ model.C, rtol=0.0, atol=1e-9)
    np.testing.assert_allclose(model.C @ model.B[:, :4], wanted["Bf"], rtol=0.0, atol=1e-10)
    np.testing.assert_allclose(model.C @ model.B[:, 4:], wanted["Bsigma"], rtol=0.0, atol=1e-10)


def test_held_force_densities_give_the_papers_matrix() -> None:
    # Eq. (49) at rest: M d2x = -(sum sigma Y'Y - sum lambda X'X) dx on the motions that bars allow; no stiffness K.
    wanted, model = reference("tbar_lin_rigid"), rigid("force_density")
    sigma = wanted["sigma_eq"]
    right, top, left = (value * np.eye(2) for value in sigma)
    density = np.block([[right + top, -top], [-top, top + left]])
    q, h = wanted["q_eq"], 5.0 / np.sqrt(2.0)
    bars = np.zeros((2, 4))
    bars[0, :2], bars[1, 2:] = q[:2] / 5.0, (q[2:] - [h, 0.0]) / 5.0
    force = -(sigma[0] * np.array([q[0] - h, q[1], 0, 0]) + sigma[2] * np.array([0, 0, q[2], q[3]]))
    force -= sigma[1] * np.array([q[0] - q[2], q[1] - q[3], q[2] - q[0], q[3] - q[1]])
    push = np.linalg.lstsq(bars.T, -force, rcond=None)[0] / 5.0
    stiffness = density - np.diag(np.repeat(push, 2))
    motions = np.linalg.svd(bars)[2][2:].T
    per_node = 6.25 * np.pi / 3.0
    values = np.linalg.eigvals(motions.T @ stiffness @ motions / per_node)
    np.testing.assert_allclose(np.sort(model.poles.real**2 - model.poles.imag**2)[::2], np.sort(-values), atol=1e-9)
    assert np.abs(model.poles).max() < 0.3 * np.abs(rigid().poles).max()  # without K it is far too soft


@pytest.fixture(scope="module")
def soft() -> LinearModel:
    return linearise(at_rest(HDPE), outputs=[f"{name}.{what}" for what in ("position", "velocity") for name in NAMES])


def test_the_compressible_tbar_has_the_frequencies_of_the_reference(soft: LinearModel) -> None:
    wanted = reference("tbar_lin_comp_hdpe_consT")
    np.testing.assert_allclose(soft.offset[:4], wanted["q_eq"], rtol=0.0, atol=1e-12)
    np.testing.assert_allclose(np.sort(np.abs(soft.poles))[::2], wanted["freqs"], rtol=1e-9)


def test_the_compressible_tbar_moves_as_the_reference_says(soft: LinearModel) -> None:
    wanted = reference("tbar_lin_comp_hdpe_consT")
    within = 1e-12 * np.abs(wanted["A"]).max()
    np.testing.assert_allclose(soft.C @ soft.A @ np.linalg.inv(soft.C), wanted["A"], rtol=0.0, atol=within)
    np.testing.assert_allclose(soft.C @ soft.B, wanted["Bf"], rtol=0.0, atol=1e-14)


@pytest.mark.parametrize(
    ("material", "h2", "hinf", "whole"), [(HDPE, 3.54e-3, 2.45e-3, 0.0462), (ALUMINIUM, 3.54e-3, 4.03e-3, 0.0277)]
)
def test_the_physical_norms_behind_table_2(material: Material, h2: float, hinf: float, whole: float) -> None:
    # With what Table 2's script has: nylon strings without prestress, dampers of 100 N s/m, forces on both top nodes.
    plant = at_rest(material, NYLON, damping=100.0)
    model = linearise(plant)
    assert h2_norm(model).value == pytest.approx(h2, rel=2e-3)
    assert hinf_norm(model).value == pytest.approx(hinf, rel=2e-3)
    outputs = [f"{name}.{what}" for what in ("position", "velocity") for name in NAMES]
    assert h2_norm(linearise(plant, outputs=outputs)).value == pytest.approx(whole, rel=2e-3)


def test_nodal_compressible_bars_have_the_frequencies_and_matrices_of_the_reference() -> None:
    hdpe = taut.Material("hdpe", density=960.0, youngs_modulus=1e9, poisson_ratio=0.46)
    tbar = taut.generators.tbar().changed("bar:*", material=hdpe, law="compressible", inertia="cylinder")
    model = linearise(assemble(balance(tbar).structure), inputs=TOPS, outputs=[*TOPS, *SPEEDS])
    wanted = reference("tbar_lin_comp_hdpe_consT")
    np.testing.assert_allclose(np.sort(np.abs(model.poles))[::2], wanted["freqs"], rtol=1e-9)
    within = 1e-11 * np.abs(wanted["A"]).max()
    np.testing.assert_allclose(model.C @ model.A @ np.linalg.inv(model.C), wanted["A"], rtol=0.0, atol=within)
    np.testing.assert_allclose(model.C @ model.B, wanted["Bf"], rtol=0.0, atol=1e-12 * np.abs(wanted["Bf"]).max())
