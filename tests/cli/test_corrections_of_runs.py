"""Corrections with their numbers on the command line: run, go on, sweep."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from same_runs import assert_same_run

import taut as library
from taut.output import model_runs
from taut.output.store import load_run
from taut.output.study.store import load_study
from taut.structure.corrections import Correction, simplest
from taut.structure.files import parse_model

LOOSE = "{kind: energy, tolerance: 1e-9, energy_tolerance: 1e-7, iterations: 2, metric: euclidean, time: 0.1}"
AS_TOLD = Correction("energy", 1e-9, 1e-7, 2, "euclidean", 0.1)


@pytest.fixture
def loose(tbar: Path) -> Path:
    """The T-bar with a correction that lets more pass than usual."""
    text = tbar.read_text()
    assert "correction: energy " in text
    tbar.write_text(text.replace("correction: energy ", f"correction: {LOOSE} "))
    return tbar


def asked(path: str) -> Correction:
    """What a run was made with, which its text has to say too."""
    run = load_run(path)
    wish = Correction.of_options(run.options)
    assert parse_model(run.model_text).scenario.correction == simplest(wish)
    return wish


def test_the_numbers_of_a_file_are_those_of_the_run(taut: Callable, loose: Path) -> None:
    assert taut("run", loose, "--duration", 0.5).code == 0
    assert asked("tbar.nc") == AS_TOLD
    plant = library.assemble(library.read_model(loose).structure)
    same = library.simulate(plant, 0.5, every=0.01, tolerance=1e-10, correction=AS_TOLD)
    usual = library.simulate(plant, 0.5, every=0.01, tolerance=1e-10)
    assert_same_run(load_run("tbar.nc"), same)
    assert same.counts["iterations"] < usual.counts["iterations"], "a loose correction has less to do"


def test_single_numbers_and_the_kind_may_be_given(taut: Callable, loose: Path) -> None:
    told = ("--duration", 0.1)
    assert taut("run", loose, *told, "--set", "scenario.correction.iterations=3").code == 0
    assert asked("tbar.nc") == Correction("energy", 1e-9, 1e-7, 3, "euclidean", 0.1)
    assert taut("run", loose, *told, "--correction", "constraints").code == 0
    assert asked("tbar.nc") == Correction("constraints", 1e-9, 1e-7, 2, "euclidean", 0.1), "its numbers stay"
    assert taut("run", loose, *told, "--set", "scenario.correction=constraints").code == 0
    assert asked("tbar.nc") == Correction("constraints")
    assert taut("run", loose, *told, "--correction", "enrgy").err.startswith('error: correction "enrgy" is not one of')


def test_a_run_goes_on_with_its_numbers_unless_others_are_given(taut: Callable, loose: Path) -> None:
    taut("run", loose, "--duration", 0.4, "-o", "whole.nc")
    taut("run", loose, "--duration", 0.2, "-o", "a.nc")
    loose.unlink()
    assert taut("run", "--from", "a.nc", "--duration", 0.4, "-o", "b.nc").code == 0
    assert_same_run(load_run("b.nc"), load_run("whole.nc"))
    assert asked("b.nc") == AS_TOLD
    told = ("--from", "a.nc", "--duration", 0.4, "-o", "c.nc")
    assert taut("run", *told, "--set", "scenario.correction.iterations=4").code == 0
    assert asked("c.nc") == Correction("energy", 1e-9, 1e-7, 4, "euclidean", 0.1)
    assert taut("run", *told, "--correction", "constraints").code == 0
    assert asked("c.nc") == Correction("constraints", 1e-9, 1e-7, 2, "euclidean", 0.1)


def test_what_is_set_wins_over_the_run_that_is_continued(taut: Callable, tbar: Path) -> None:
    taut("run", tbar, "--step", 0.01, "--duration", 0.1, "-o", "a.nc")
    assert taut("run", "--from", "a.nc", "--set", "scenario.duration=0.2", "--set", "scenario.step=0.005").code == 0
    run = load_run("a-continued.nc")
    assert (run.options["step"], run.time[-1]) == (0.005, 0.2)
    switched = ("--set", "scenario.method=dp8", "--set", "scenario.step=", "--set", "scenario.tolerance=1e-9")
    assert taut("run", "--from", "a.nc", "--duration", 0.2, *switched).code == 0
    options = load_run("a-continued.nc").options
    assert (options["method"], options["tolerance"], options["correction"]) == ("dp8", 1e-9, "energy")


@pytest.mark.slow
def test_numbers_without_a_kind_take_the_kind_of_the_method(taut: Callable, tbar: Path) -> None:
    tbar.write_text(tbar.read_text().replace("correction: energy ", "correction: {iterations: 3} "))
    kinds = {"dp5": "energy", "implicit3": "constraints", "rattle4": "none"}
    for method, kind in kinds.items():
        step = ("--step", 0.01) if method == "rattle4" else ()
        assert taut("run", tbar, "--set", f"scenario.method={method}", *step, "--duration", 0.05).code == 0
        assert Correction.of_options(load_run("tbar.nc").options) == Correction(kind, iterations=3)
    # A method given by name is run as it usually is: the numbers were meant for that of the file.
    assert taut("run", tbar, "--method", "implicit3", "--duration", 0.05).code == 0
    assert Correction.of_options(load_run("tbar.nc").options) == Correction("constraints")


def test_a_method_that_is_given_leaves_the_numbers_of_another_behind() -> None:
    scenario = library.Scenario(correction=Correction("energy", metric="euclidean"))
    for given in ({}, {"correction": "constraints"}):
        found = model_runs._settings(scenario, {"method": "implicit3", **given}, None)
        assert found["correction"] == given.get("correction")
    assert model_runs._settings(scenario, {"method": "dp8"}, None)["correction"] == scenario.correction


def test_a_sweep_over_how_closely_is_corrected(taut: Callable, tbar: Path) -> None:
    key = "scenario.correction.energy_tolerance"
    told = ("--set", "scenario.duration=0.5", "--jobs", "1", "-o", "s.nc")
    assert taut("sweep", tbar, f"{key}=log:1e-13:1e-9:3", *told).code == 0
    study = load_study("s.nc")
    assert study.ok.all()
    fine, usual, coarse = study.worst_energy
    assert fine <= usual < coarse, "energies are held as closely as they are asked to"
    assert taut("sweep", tbar, "scenario.correction.iterations=1,2", *told, "--restart").code == 0
    assert load_study("s.nc").ok.all()
