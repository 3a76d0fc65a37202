"""Compressible bars: against a trajectory computed elsewhere, against energies alone, and against rigid ones."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from elastic_bars import HDPE, ByEnergies, mixed, tbar

from taut import (
    Bar,
    Damping,
    Material,
    Plant,
    Structure,
    Trajectory,
    assemble,
    balance,
    modes,
    simulate,
)
from taut.mechanics.assemble import assembled_as_printed
from taut.mechanics.points.lagrangian_operations import motion

ROOT = Path(__file__).resolve().parents[2]
ALUMINIUM = Material("aluminium", density=2700.0, youngs_modulus=68e9, poisson_ratio=0.30)
STEEL = Material("steel", density=500.0, youngs_modulus=200e9, poisson_ratio=0.30)


def followed(
    structure: Structure, tolerance: float, *, make: Callable[..., Plant] = assemble, **options: object
) -> Trajectory:
    plant = make(structure)
    run = simulate(plant, 10.0, every=0.01, method="dp8", tolerance=tolerance, **options)
    assert run.ok
    return run


def upper_nodes(run: Trajectory) -> np.ndarray:
    """x3 z3 x4 z4."""
    return run.nodes[:, 2:, ::2].reshape(-1, 4)


# --- the T-bar of the paper


def test_the_hdpe_tbar_moves_as_was_computed_elsewhere() -> None:
    with np.load(ROOT / "tests" / "data" / "stedy_tbar_comp_hdpe.npz") as file:
        known = dict(file)
    run = followed(tbar(HDPE), 1e-12)
    np.testing.assert_allclose(run.time, known["t"], rtol=0.0, atol=1e-12)
    assert np.abs(upper_nodes(run) - known["q"] - known["q_lo"]).max() <= 1e-11
    assert np.abs(run.velocities[:, 2:, ::2].reshape(-1, 4) - known["v"]).max() <= 1e-9
    assert np.abs(run.energy_violation).max() <= 1e-10
    lengths = np.linalg.norm(run.nodes[:, [2, 3]] - run.nodes[:, [0, 1]], axis=2)
    assert np.ptp(lengths) > 1e-5, "bars that keep their length are no test"
    np.testing.assert_allclose(run.bar_force, float(known["K_bar"]) * (lengths - 5.0), atol=1e-8)


def test_a_looser_run_is_still_good() -> None:
    with np.load(ROOT / "tests" / "data" / "stedy_tbar_comp_hdpe.npz") as file:
        known = dict(file)
    run = followed(tbar(HDPE), 1e-9)
    assert np.abs(upper_nodes(run) - known["q"] - known["q_lo"]).max() <= 1e-9
    assert np.abs(run.energy_violation).max() <= 1e-9


def test_aluminium_against_a_run_that_knows_its_own_error() -> None:
    fine, coarse = (followed(tbar(ALUMINIUM), tolerance, correction="none") for tolerance in (1e-12, 1e-11))
    own = np.abs(fine.nodes - coarse.nodes).max()
    assert own <= 1e-11
    run = followed(tbar(ALUMINIUM), 1e-9)
    assert own < np.abs(run.nodes - fine.nodes).max() <= 1e-9


@pytest.mark.parametrize("method", ["dp5", "dp8"])
def test_a_tolerance_below_round_off_costs_nothing_and_is_told(method: str) -> None:
    # Estimates of bars this stiff are noise below about 1e-11: dp8 took 430 steps at 1e-11 and 255,570 at 1e-13.
    usual, tight = (
        simulate(assemble(tbar(ALUMINIUM)), 0.1, every=0.01, method=method, tolerance=tolerance, correction="none")
        for tolerance in (1e-10, 1e-14)
    )
    assert tight.counts["steps"] < 2 * usual.counts["steps"]
    assert np.abs(tight.nodes - usual.nodes).max() <= 1e-12
    assert np.abs(tight.energy_violation).max() <= 1e-11
    assert usual.notes == ()
    (told,) = tight.notes
    assert re.match(
        r"tolerance 1e-14 is below the round-off of the stiffest members, which is that of about \de-1\d", told
    )


def test_the_printed_equations_drift_and_the_right_ones_do_not() -> None:
    right = followed(tbar(HDPE), 1e-11, correction="none")
    printed = followed(tbar(HDPE), 1e-11, make=assembled_as_printed, correction="none")
    drift = np.abs(printed.energy_violation).max()
    assert drift == pytest.approx(8.5e-6, rel=0.02)
    assert np.abs(right.energy_violation).max() <= 1e-10
    tighter = followed(tbar(HDPE), 1e-12, make=assembled_as_printed, correction="none")
    assert np.abs(tighter.energy_violation).max() == pytest.approx(drift, rel=1e-3), "no tolerance mends it"


def test_compressible_bars_tend_to_rigid_ones_like_one_over_the_modulus() -> None:
    rigid = simulate(assemble(tbar(STEEL), bars="rigid"), 2.0, every=0.02, method="dp8", tolerance=1e-12)
    errors = []
    for modulus in (2e9, 8e9, 32e9):
        plant = assemble(tbar(replace(STEEL, youngs_modulus=modulus)))
        run = simulate(plant, 2.0, every=0.02, method="dp8", tolerance=1e-11)
        errors.append(np.abs(run.nodes - rigid.nodes).max())
    rates = np.log(np.array(errors[:-1]) / errors[1:]) / np.log(4.0)
    np.testing.assert_allclose(rates, 1.0, atol=0.05)


def test_steel_bars_move_as_far_from_rigid_ones_as_the_notes_say() -> None:
    rigid = simulate(assemble(tbar(STEEL), bars="rigid"), 10.0, every=0.01, method="dp8", tolerance=1e-12)
    soft = followed(tbar(STEEL), 1e-10)
    assert np.abs(soft.nodes - rigid.nodes).max() == pytest.approx(3.1e-7, rel=0.05)


def test_the_hdpe_tbar_stands_and_swings_as_was_computed_elsewhere() -> None:
    with np.load(ROOT / "tests" / "data" / "stedy_tbar_lin_comp_hdpe.npz") as file:
        known = dict(file)
    still = balance(tbar(HDPE))
    np.testing.assert_allclose(still.structure.positions[2:, ::2].ravel(), known["q_eq"], atol=1e-12)
    np.testing.assert_allclose(2.0 * np.pi * modes(still, count=4).frequency, known["freqs"], rtol=1e-10)


# --- against energies alone


@pytest.mark.parametrize("seed", range(8))
@pytest.mark.parametrize("supports", [True, False])
def test_accelerations_forces_and_reactions_follow_from_the_energies(seed: int, supports: bool) -> None:
    structure, v = mixed(seed, supports=supports)
    gravity, alpha = 9.0, 0.7
    model = ByEnergies(structure, gravity, alpha, true_thickness=True)
    other = model.plant(v)
    speeds = dict(zip(structure.nodes, map(tuple, v.reshape(-1, 3).tolist()), strict=True))
    plant = assemble(structure, gravity=gravity, damping=Damping(mass=alpha), velocities=speeds)
    assert (plant.spec.inertia, plant.spec.system) == ("cylinders", "saddle")
    y = np.concatenate([model.start, v, [0.0]])
    space = other.own_tables(metric="mass", gains=(0.0, 0.0))
    acceleration, multiplier, power = motion(space, 0.0, y)
    tables, out = plant.own_tables(metric="mass", gains=(0.0, 0.0)), np.zeros(y.size)
    plant.operations()["rate"](tables, 0.0, y, out)
    np.testing.assert_allclose(out[18:36], acceleration, rtol=1e-10, atol=1e-10 * np.abs(acceleration).max())
    assert out[36] == pytest.approx(power, rel=1e-11)

    seen = plant.observed(tables, np.zeros(1), y[None])
    rigid = [k for k, bar in enumerate(structure.bars.values()) if bar.law == "rigid"]
    scale = np.abs(multiplier).max()
    np.testing.assert_allclose(-seen["bar_force"][0, rigid], multiplier[: len(rigid)], atol=1e-10 * scale)
    held = np.zeros(18)
    held[model.held] = multiplier[len(rigid) :]
    np.testing.assert_allclose(seen["reaction"][0], held.reshape(-1, 3)[plant.held], atol=1e-10 * scale)
    for k, bar in enumerate(structure.bars.values()):
        if bar.law == "compressible":
            span, speed = model.span(bar.nodes, model.start), model.span(bar.nodes, v)
            length, natural = np.linalg.norm(span), model.natural(bar)
            rigidity = bar.material.youngs_modulus * np.pi * (bar.radius**2 - bar.inner_radius**2)
            stiffness = bar.stiffness or rigidity / natural
            force = stiffness * (length - natural) + bar.damping * span @ speed / length
            assert seen["bar_force"][0, k] == pytest.approx(force, rel=1e-10)
    kinetic, potential = 0.5 * v @ model.mass(model.start) @ v, model.potential(model.start)
    assert seen["energy_kinetic"][0] == pytest.approx(kinetic, rel=1e-12)
    assert seen["energy_elastic"][0] + seen["energy_gravity"][0] == pytest.approx(potential, rel=1e-11)


@pytest.mark.parametrize("seed", range(4))
def test_the_slope_of_the_energy_is_its_complex_step(seed: int) -> None:
    structure, v = mixed(seed)
    model = ByEnergies(structure, 9.0, 0.0)
    plant = assemble(structure, gravity=9.0)
    y = np.concatenate([model.start, v, [0.0]])
    tables, along_q, along_v = plant.own_tables(metric="mass", gains=(0.0, 0.0)), np.zeros(18), np.zeros(18)
    found, _ = plant.operations()["energy_gradient"](tables, y, along_q, along_v)

    def energy(q: np.ndarray) -> complex:
        return 0.5 * v @ model.mass(q) @ v + model.potential(q)

    step = 1e-30
    slope = [energy(model.start + 1j * step * row).imag / step for row in np.eye(18)]
    np.testing.assert_allclose(along_q, slope, rtol=1e-11, atol=1e-11 * np.abs(slope).max())
    np.testing.assert_allclose(along_v, model.mass(model.start) @ v, rtol=1e-12, atol=1e-12)
    assert found == pytest.approx(energy(model.start).real, rel=1e-12)
    assert plant.operations()["energy"](tables, y)[0] == pytest.approx(found, rel=1e-13)


@pytest.mark.parametrize("seed", range(4))
def test_a_correction_leaves_the_angular_momentum_alone(seed: int) -> None:
    structure, v = mixed(seed, supports=False)
    model = ByEnergies(structure, 0.0, 0.0)
    plant = assemble(structure)
    random = np.random.default_rng(seed)
    shift, swing = random.normal(size=18), random.normal(size=18)
    tables = plant.own_tables(metric="mass", gains=(0.0, 0.0))
    before = swing.copy()
    plant.operations()["keep_momentum"](tables, np.concatenate([model.start, v, [0.0]]), shift, swing)
    assert np.abs(swing - before).max() > 1e-3
    step = 1e-30
    change = model.angular_momentum(model.start + 1j * step * shift, v + 1j * step * swing).imag / step
    scale = np.abs(model.angular_momentum(model.start, v)).max()
    np.testing.assert_allclose(change, 0.0, atol=1e-11 * scale)
    for axis in range(3):
        total = np.kron(np.ones(6), np.eye(3)[axis]) @ model.mass(model.start) @ swing
        assert abs(total) <= 1e-11 * scale


@pytest.mark.slow
@pytest.mark.parametrize("correction", ["none", "energy"])
def test_free_bodies_keep_energy_momentum_and_angular_momentum(correction: str) -> None:
    structure, v = mixed(5, supports=False, damped=False)
    model = ByEnergies(structure, 0.0, 0.0)
    speeds = dict(zip(structure.nodes, map(tuple, v.reshape(-1, 3).tolist()), strict=True))
    plant = assemble(structure, velocities=speeds)
    run = simulate(plant, 1.0, every=0.1, method="dp8", tolerance=1e-12, correction=correction)
    assert run.ok
    energy = run.energy_kinetic + run.energy_elastic
    assert np.ptp(run.energy_kinetic) > 0.01 * energy[0]
    assert np.ptp(energy) <= 1e-9 * energy[0]
    states = list(zip(run.nodes.reshape(-1, 18), run.velocities.reshape(-1, 18), strict=True))
    spin = np.array([model.angular_momentum(q, u) for q, u in states])
    drive = np.array([(model.mass(q) @ u).reshape(-1, 3).sum(axis=0) for q, u in states])
    assert np.ptp(spin, axis=0).max() <= 1e-9 * np.abs(spin).max()
    assert np.ptp(drive, axis=0).max() <= 1e-10 * np.abs(drive).max()


def test_thin_bars_have_the_mass_matrix_of_rigid_ones() -> None:
    plants = [assemble(tbar(HDPE, "thin"), bars=law) for law in (None, "rigid")]
    np.testing.assert_array_equal(plants[0].tables["thin"].diagonal, plants[1].tables["thin"].diagonal)
    np.testing.assert_array_equal(plants[0].tables["thin"].coupling, plants[1].tables["thin"].coupling)
    assert [plant.rows for plant in plants] == [0, 2]
    assert plants[0].constant_mass
    assert plants[0].spec == plants[1].spec, "no kernels of their own"
    assert plants[0].typical_time == plants[1].typical_time, "the stiffness of bars is not that of the structure"


@pytest.mark.slow
def test_thin_bars_run_in_rattle_and_in_every_solver() -> None:
    chain = replace(tbar(HDPE, "thin"), supports={"n1": "xyz", "n2": "xyz", "n3": "y", "n4": "y"})
    chain = chain.with_bars(Bar("b3", ("n3", "n4"), material=HDPE, radius=0.05))  # meets both, and is rigid
    known = simulate(assemble(chain), 0.5, every=0.1, method="dp8", tolerance=1e-12)
    again = simulate(assemble(chain, solver="iterative"), 0.5, every=0.1, method="dp8", tolerance=1e-12)
    assert np.abs(again.nodes - known.nodes).max() <= 1e-11
    np.testing.assert_allclose(again.bar_force, known.bar_force, atol=1e-6 * np.abs(known.bar_force).max())
    rattled = simulate(assemble(chain), 0.5, every=0.1, method="rattle8", step=1e-4)
    assert np.abs(rattled.nodes - known.nodes).max() <= 1e-9
