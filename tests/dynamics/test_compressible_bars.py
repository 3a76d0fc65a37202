"""Compressible bars: against a trajectory computed elsewhere, against energies alone, and against rigid ones."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from elastic_bars import ByEnergies, mixed

from taut import (
    Bar,
    Cable,
    Damping,
    Load,
    Material,
    ModelError,
    OptionError,
    Sinusoid,
    Structure,
    Trajectory,
    assemble,
    balance,
    ensemble,
    modes,
    prestress,
    read_model,
    simulate,
)
from taut.mechanics.lagrangian_verbs import motion
from taut.mechanics.survey import facts

ROOT = Path(__file__).resolve().parents[2]
TBAR = read_model(ROOT / "examples" / "tbar.yaml").structure
HDPE = Material("hdpe", density=960.0, youngs_modulus=1e9, poisson_ratio=0.46)
ALUMINIUM = Material("aluminium", density=2700.0, youngs_modulus=68e9, poisson_ratio=0.30)
STEEL = Material("steel", density=500.0, youngs_modulus=200e9, poisson_ratio=0.30)


def tbar(material: Material, inertia: str = "cylinder") -> Structure:
    return TBAR.changed("bar:*", material=material, radius=0.05, inertia=inertia, law="compressible")


def followed(structure: Structure, tolerance: float, *, bars: str | None = None, **options: object) -> Trajectory:
    plant = assemble(structure, bars=bars)
    run = simulate(plant, 10.0, every=0.01, method="dp8", tolerance=tolerance, **options)
    assert run.ok
    return run


def upper_nodes(run: Trajectory) -> np.ndarray:
    """x3 z3 x4 z4."""
    return run.nodes[:, 2:, ::2].reshape(-1, 4)


# --- the T-bar of the paper


def test_the_hdpe_tbar_moves_as_was_computed_elsewhere() -> None:
    known = np.load(ROOT / "tests" / "data" / "stedy_tbar_comp_hdpe.npz")
    run = followed(tbar(HDPE), 1e-12)
    np.testing.assert_allclose(run.time, known["t"], rtol=0.0, atol=1e-12)
    assert np.abs(upper_nodes(run) - known["q"] - known["q_lo"]).max() <= 1e-11
    assert np.abs(run.velocities[:, 2:, ::2].reshape(-1, 4) - known["v"]).max() <= 1e-9
    assert np.abs(run.energy_violation).max() <= 1e-10
    lengths = np.linalg.norm(run.nodes[:, [2, 3]] - run.nodes[:, [0, 1]], axis=2)
    assert np.ptp(lengths) > 1e-5, "bars that keep their length are no test"
    np.testing.assert_allclose(run.bar_force, float(known["K_bar"]) * (lengths - 5.0), atol=1e-8)


def test_a_looser_run_is_still_good() -> None:
    known = np.load(ROOT / "tests" / "data" / "stedy_tbar_comp_hdpe.npz")
    run = followed(tbar(HDPE), 1e-9)
    assert np.abs(upper_nodes(run) - known["q"] - known["q_lo"]).max() <= 1e-9
    assert np.abs(run.energy_violation).max() <= 1e-9


def test_aluminium_against_a_run_that_knows_its_own_error() -> None:
    fine, coarse = (followed(tbar(ALUMINIUM), tolerance, correction="none") for tolerance in (1e-12, 1e-11))
    own = np.abs(fine.nodes - coarse.nodes).max()
    assert own <= 1e-11
    run = followed(tbar(ALUMINIUM), 1e-9)
    assert own < np.abs(run.nodes - fine.nodes).max() <= 1e-9


def test_the_printed_equations_drift_and_the_right_ones_do_not() -> None:
    right = followed(tbar(HDPE), 1e-11, correction="none")
    printed = followed(tbar(HDPE), 1e-11, bars="compressible as printed", correction="none")
    drift = np.abs(printed.energy_violation).max()
    assert drift == pytest.approx(8.5e-6, rel=0.02)
    assert np.abs(right.energy_violation).max() <= 1e-10
    tighter = followed(tbar(HDPE), 1e-12, bars="compressible as printed", correction="none")
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
    known = np.load(ROOT / "tests" / "data" / "stedy_tbar_lin_comp_hdpe.npz")
    still = balance(tbar(HDPE))
    np.testing.assert_allclose(still.structure.positions[2:, ::2].ravel(), known["q_eq"], atol=1e-12)
    np.testing.assert_allclose(2.0 * np.pi * modes(still, count=4).frequency, known["freqs"], rtol=1e-10)


# --- against energies alone


@pytest.mark.parametrize("seed", range(8))
@pytest.mark.parametrize("supports", [True, False])
def test_accelerations_forces_and_reactions_follow_from_the_energies(seed: int, supports: bool) -> None:
    structure, v = mixed(seed, supports=supports)
    gravity, alpha = 9.0, 0.7
    model = ByEnergies(structure, gravity, alpha)
    other = model.plant(v)
    speeds = dict(zip(structure.nodes, map(tuple, v.reshape(-1, 3).tolist()), strict=True))
    plant = assemble(structure, gravity=gravity, damping=Damping(mass=alpha), velocities=speeds)
    assert plant.formulation == "nodal_thick"
    y = np.concatenate([model.start, v, [0.0]])
    desk = other.own_tables(metric="mass", gains=(0.0, 0.0))
    acceleration, multiplier, power = motion(desk, 0.0, y)
    tables, out = plant.own_tables(metric="mass", gains=(0.0, 0.0)), np.zeros(y.size)
    plant.verbs()["rate"](tables, 0.0, y, out)
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
    found, _ = plant.verbs()["energy_slope"](tables, y, along_q, along_v)

    def energy(q: np.ndarray) -> complex:
        return 0.5 * v @ model.mass(q) @ v + model.potential(q)

    step = 1e-30
    slope = [energy(model.start + 1j * step * row).imag / step for row in np.eye(18)]
    np.testing.assert_allclose(along_q, slope, rtol=1e-11, atol=1e-11 * np.abs(slope).max())
    np.testing.assert_allclose(along_v, model.mass(model.start) @ v, rtol=1e-12, atol=1e-12)
    assert found == pytest.approx(energy(model.start).real, rel=1e-12)
    assert plant.verbs()["energy"](tables, y)[0] == pytest.approx(found, rel=1e-13)


@pytest.mark.parametrize("seed", range(4))
def test_a_correction_leaves_the_angular_momentum_alone(seed: int) -> None:
    structure, v = mixed(seed, supports=False)
    model = ByEnergies(structure, 0.0, 0.0)
    plant = assemble(structure)
    random = np.random.default_rng(seed)
    shift, swing = random.normal(size=18), random.normal(size=18)
    tables = plant.own_tables(metric="mass", gains=(0.0, 0.0))
    before = swing.copy()
    plant.verbs()["keep_momentum"](tables, np.concatenate([model.start, v, [0.0]]), shift, swing)
    assert np.abs(swing - before).max() > 1e-3
    step = 1e-30
    change = model.angular_momentum(model.start + 1j * step * shift, v + 1j * step * swing).imag / step
    scale = np.abs(model.angular_momentum(model.start, v)).max()
    np.testing.assert_allclose(change, 0.0, atol=1e-11 * scale)
    for axis in range(3):
        total = np.kron(np.ones(6), np.eye(3)[axis]) @ model.mass(model.start) @ swing
        assert abs(total) <= 1e-11 * scale


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
    np.testing.assert_array_equal(plants[0].tables.nodes.mass, plants[1].tables.nodes.mass)
    np.testing.assert_array_equal(plants[0].tables.bars.coupling, plants[1].tables.bars.coupling)
    assert [plant.rows for plant in plants] == [0, 2]
    assert plants[0].constant_mass
    assert plants[0].formulation == "nodal", "no kernels of their own"
    assert plants[0].typical_time == plants[1].typical_time, "the stiffness of bars is not that of the structure"


def test_thin_bars_run_in_rattle_and_in_every_solver() -> None:
    chain = replace(tbar(HDPE, "thin"), supports={"n1": "xyz", "n2": "xyz", "n3": "y", "n4": "y"})
    chain = chain.with_bars(Bar("b3", ("n3", "n4"), material=HDPE, radius=0.05))  # meets both, and is rigid
    known = simulate(assemble(chain), 0.5, every=0.1, method="dp8", tolerance=1e-12)
    again = simulate(assemble(chain, solver="iterative"), 0.5, every=0.1, method="dp8", tolerance=1e-12)
    assert np.abs(again.nodes - known.nodes).max() <= 1e-11
    np.testing.assert_allclose(again.bar_force, known.bar_force, atol=1e-6 * np.abs(known.bar_force).max())
    rattled = simulate(assemble(chain), 0.5, every=0.1, method="rattle8", step=1e-4)
    assert np.abs(rattled.nodes - known.nodes).max() <= 1e-9


# --- per bar


def test_bars_of_both_laws_are_reported_in_their_own_order() -> None:
    mixed_tbar = tbar(HDPE).changed("bar:b2", law="rigid")
    plant = assemble(mixed_tbar)
    assert plant.constraint_names == ('bar "b2"',)
    run = simulate(plant, 1.0, tolerance=1e-10)
    length = np.linalg.norm(run.nodes[:, 2] - run.nodes[:, 0], axis=1)
    np.testing.assert_allclose(run.bar_force[:, 0], np.pi * 0.0025 * 1e9 / 5.0 * (length - 5.0), atol=1e-7)
    assert run.length_violation.max() <= 2e-13
    assert run.cable_tension.shape[1] == 4
    told = facts(mixed_tbar)
    assert (told["bar_law"], told["constraints"], told["degrees_of_freedom"]) == ("1 compressible, 1 rigid", 1, 3)


def test_damping_takes_energy_out_of_a_bar_and_is_accounted_for() -> None:
    damped = tbar(HDPE, "thin").changed("bar:b1", damping=2e3)
    plant = assemble(damped)
    assert plant.dampers == ('bar "b1"',)
    run = simulate(plant, 1.0, tolerance=1e-10)
    assert run.work[-1] < -1e-6
    rayleigh = assemble(damped, damping=Damping(stiffness=1e-3)).tables.cables
    assert rayleigh.damping[4] == pytest.approx(2e3 + 1e-3 * rayleigh.stiffness[4])
    assert np.abs(run.energy_violation).max() <= 1e-9
    with pytest.raises(OptionError, match='bar "b1" damps'):
        simulate(plant, 1.0, method="rattle4", step=1e-4)


def test_an_ensemble_varies_the_cables_only() -> None:
    stiffness = np.array([[100.0] * 4, [120.0] * 4])
    for inertia in ("thin", "cylinder"):
        plant = assemble(tbar(HDPE, inertia))
        for options in ({"tolerance": 1e-8}, {"method": "rk4", "step": 1e-3}):
            many = ensemble(plant, 0.1, stiffness=stiffness, every=0.05, **options)
            assert many.status == ("finished", "finished")
            one = simulate(plant, 0.1, every=0.05, **options)
            assert np.abs(many.nodes[0] - one.nodes).max() <= 1e-13


# --- the Ball


def test_the_ball_stands_with_its_prestress_and_runs() -> None:
    model = read_model(ROOT / "examples" / "ball_compressible.yaml")
    rigid = read_model(ROOT / "examples" / "ball.yaml")
    still = balance(model.structure, gravity=model.scenario.gravity)
    known = balance(rigid.structure, gravity=rigid.scenario.gravity)
    np.testing.assert_allclose(still.bar_force, known.bar_force, rtol=1e-8)
    np.testing.assert_allclose(still.structure.positions, model.structure.positions, atol=1e-12)
    standing = simulate(assemble(model.structure, gravity=model.scenario.gravity), 0.1, tolerance=1e-10)
    assert np.abs(standing.nodes - standing.nodes[0]).max() <= 1e-9
    plant = assemble(model.structure, gravity=model.scenario.gravity, loads=model.scenario.loads)
    run = simulate(plant, 1.0, method="dp8", tolerance=1e-10)
    assert run.ok
    assert np.abs(run.energy_violation).max() <= 1e-9
    assert np.ptp(run.nodes, axis=0).max() > 0.01


def test_the_printed_ball_has_no_inertia_along_its_bars() -> None:
    structure = read_model(ROOT / "examples" / "ball_compressible.yaml").structure
    with pytest.raises(ModelError, match="bars.b4: as printed it has no inertia along itself"):
        assemble(structure, bars="compressible as printed")


def test_prestress_gives_compressible_bars_the_length_that_carries_it() -> None:
    square = Structure(
        {"a": (0, 0, 0), "b": (1, 0, 0), "c": (1, 1, 0), "d": (0, 1, 0)},
        [Bar("p", ("a", "c")), Bar("q", ("b", "d"))],
        [
            Cable(f"s{k}", pair, stiffness=1e5)
            for k, pair in enumerate([("a", "b"), ("b", "c"), ("c", "d"), ("d", "a")])
        ],
        supports={"a": "xyz", "b": "yz", "c": "z", "d": "z"},
    ).changed("bar:*", material=Material("soft", 1000.0, 1e9), radius=0.01, law="compressible")
    tight = prestress(square, {"cable:s0": 1000.0})
    again = balance(tight.structure)
    np.testing.assert_allclose(again.cable_tension, 1000.0, rtol=1e-9)
    np.testing.assert_allclose(again.bar_force, -1000.0 * np.sqrt(2.0), rtol=1e-9)
    np.testing.assert_allclose(again.structure.positions, square.positions, atol=1e-12)
    run = simulate(assemble(tight.structure), 0.1, tolerance=1e-10)
    assert np.abs(run.nodes - run.nodes[0]).max() <= 1e-10
    np.testing.assert_allclose(run.bar_force, -1000.0 * np.sqrt(2.0), rtol=1e-7)
    free = assemble(tight.structure, bars="rigid")
    assert free.rows == 2
    np.testing.assert_allclose(free.tables.bars.length, np.sqrt(2.0))


# --- what cannot be


def test_a_bar_pressed_to_nothing_ends_the_run_and_is_named() -> None:
    press = Structure(
        {"a": (0, 0, 0), "b": (1, 0, 0)},
        [Bar("soft", ("a", "b"), mass=1.0, law="compressible", stiffness=10.0)],
        supports={"a": "xyz"},
    )
    for inertia in ("thin", "cylinder"):
        plant = assemble(press.changed("bar:*", inertia=inertia, radius=0.01), velocities={"b": (-8.0, 0.0, 0.0)})
        for options in ({}, {"method": "dp8"}, {"method": "rk4", "step": 1e-3}):
            run = simulate(plant, 2.0, **options)
            assert not run.ok
            assert run.time[-1] < 0.5
            assert any('bar "soft" would next be pressed to less than 5%' in note for note in run.notes)
            assert np.isfinite(run.nodes).all()
            assert run.nodes[:, 1, 0].min() >= 0.05 * (1 - 1e-9)


@pytest.mark.parametrize("ratio", [-1.0, 0.51, 3.0, float("nan")])
def test_a_poisson_ratio_out_of_bounds_is_refused(ratio: float) -> None:
    with pytest.raises(ModelError, match=f"poisson_ratio: {ratio:g} must be more than -1 and at most 0.5"):
        assemble(tbar(replace(HDPE, poisson_ratio=ratio)))


def test_the_bounds_of_the_poisson_ratio_themselves() -> None:
    assemble(tbar(replace(HDPE, poisson_ratio=0.5)))
    assemble(tbar(replace(HDPE, poisson_ratio=-0.999)))


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"stiffness": -5.0}, "stiffness: -5 N/m must be more than zero"),
        ({"damping": -1.0}, "damping: -1 N s/m must be zero or more"),
        ({"law": "elastic"}, '"elastic" is not one of rigid, compressible'),
        ({"material": None, "mass": 1.0}, "stiffness: is not known, which a compressible bar needs"),
        ({"length": 0.0}, "length: 0 m must be more than zero"),
    ],
)
def test_bars_that_make_no_sense_are_refused(fields: dict[str, object], message: str) -> None:
    with pytest.raises(ModelError, match=message):
        assemble(tbar(HDPE).changed("bar:b1", **fields))


def test_other_options_that_make_no_sense_are_refused() -> None:
    with pytest.raises(OptionError, match='bars = "soft" is not one of rigid, compressible'):
        assemble(TBAR, bars="soft")
    with pytest.raises(ModelError, match="zero length"):
        assemble(tbar(HDPE).placed(np.zeros((4, 3))))
    with pytest.raises(OptionError, match="2 compressible bars are cylinders.*take the direct one"):
        assemble(tbar(HDPE), solver="iterative")
    with pytest.raises(OptionError, match="needs a mass matrix that does not change"):
        simulate(assemble(tbar(HDPE)), 1.0, method="rattle4", step=1e-3)


def test_a_run_goes_on_only_with_the_same_bars() -> None:
    plant = assemble(tbar(HDPE))
    half, whole = (simulate(plant, duration, every=0.05) for duration in (0.1, 0.2))
    again = simulate(plant, 0.2, every=0.05, start=half)
    np.testing.assert_array_equal(again.nodes, whole.nodes)
    assert plant.fingerprint != assemble(tbar(HDPE), bars="compressible as printed").fingerprint


def test_loads_given_in_python_move_thick_bars_too() -> None:
    signal = Sinusoid(10.0, 1.0)
    runs = [
        simulate(assemble(tbar(HDPE), loads=[Load("n3", "x", load)]), 0.1, tolerance=1e-10)
        for load in (signal, lambda t: 10.0 * np.sin(2.0 * np.pi * t))
    ]
    np.testing.assert_allclose(runs[0].nodes, runs[1].nodes, atol=1e-12)
