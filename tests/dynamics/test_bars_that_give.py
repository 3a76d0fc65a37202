"""Compressible bars beside others and among options: what is reported, what is kept, what is refused."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from elastic_bars import HDPE, TBAR, tbar

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
    assemble,
    balance,
    ensemble,
    prestress,
    read_model,
    simulate,
)
from taut.mechanics.assemble import assembled_as_printed
from taut.mechanics.model_checks import facts

ROOT = Path(__file__).resolve().parents[2]


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
    rayleigh = assemble(damped, damping=Damping(stiffness=1e-3)).tables["springs"]
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


@pytest.mark.slow
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
        assembled_as_printed(structure)


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
    np.testing.assert_allclose(free.tables["bars"].length, np.sqrt(2.0))


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
            assert 'bar "soft" would next be pressed to less than 5%' in run.status
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
    assert plant.fingerprint != assembled_as_printed(tbar(HDPE)).fingerprint


def test_loads_given_in_python_move_thick_bars_too() -> None:
    signal = Sinusoid(10.0, 1.0)
    runs = [
        simulate(assemble(tbar(HDPE), loads=[Load("n3", "x", load)]), 0.1, tolerance=1e-10)
        for load in (signal, lambda t: 10.0 * np.sin(2.0 * np.pi * t))
    ]
    np.testing.assert_allclose(runs[0].nodes, runs[1].nodes, atol=1e-12)
