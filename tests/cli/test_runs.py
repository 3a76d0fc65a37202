"""`taut run`: what it writes, how it goes on with an earlier run, and which method it takes."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from same_runs import assert_same_run

import taut as library
from taut.errors import OptionError
from taut.output import model_runs
from taut.output.recording import save_run
from taut.output.store import load_run
from taut.structure.files import parse_model


def test_run_writes_what_the_library_computes(taut: Callable, tbar: Path) -> None:
    code, out, err = taut("run", tbar, "--duration", 0.5)
    assert (code, err) == (0, "")
    assert "simulated         0.5 s, 51 samples" in out
    model = library.read_model(tbar)
    run = library.simulate(library.assemble(model.structure), 0.5, every=0.01, tolerance=1e-10)
    assert_same_run(load_run("tbar.nc"), run)


def test_a_run_file_alone_repeats_the_run(taut: Callable, tbar: Path) -> None:
    told = ["--set", "properties.cable:*.stiffness=80", "--every", 0.05, "--step", 0.002, "--correction", "constraints"]
    assert taut("run", tbar, *told, "--duration", 0.3).code == 0
    first = load_run("tbar.nc")
    assert first.options["method"] == "rk4"
    Path("again.yaml").write_text(first.model_text)
    assert taut("run", "again.yaml").code == 0
    assert_same_run(load_run("again.nc"), first)
    assert "# Like a style sheet" in first.model_text, "comments are kept"


def test_json(taut: Callable, tbar: Path) -> None:
    code, out, _ = taut("run", tbar, "--duration", 0.1, "--json", "-o", "x.nc")
    told = json.loads(out)
    assert code == 0
    assert (told["status"], told["samples"], told["run_file"]) == ("finished", 11, "x.nc")
    assert told["counts"]["steps"] > 0
    assert told["worst"]["length"] < 1e-12


@pytest.mark.parametrize("model", ["tbar", "prism", "tower_earthquake"])
def test_a_run_in_parts_is_the_run_in_one(taut: Callable, model: str) -> None:
    taut("examples", model)
    assert taut("run", f"{model}.yaml", "--duration", 0.6, "-o", "whole.nc").code == 0
    assert taut("run", f"{model}.yaml", "--duration", 0.2, "-o", "a.nc").code == 0
    Path(f"{model}.yaml").unlink()  # the run file has it
    assert taut("run", "--from", "a.nc", "--duration", 0.4).code == 0
    assert taut("run", "--from", "a-continued.nc", "--duration", 0.6, "-o", "a-continued.nc").code == 0
    assert_same_run(load_run("a-continued.nc"), load_run("whole.nc"))


def test_a_continued_run_keeps_its_options_unless_others_are_given(taut: Callable, tbar: Path) -> None:
    told = ("--step", 0.01, "--correction", "constraints", "--every", 0.02)
    taut("run", tbar, *told, "--duration", 0.2, "-o", "a.nc")
    taut("run", tbar, *told, "--duration", 0.4, "-o", "whole.nc")
    assert taut("run", "--from", "a.nc", "--duration", 0.4, "-o", "b.nc").code == 0
    run = load_run("b.nc")
    assert (run.options["method"], run.options["step"], run.options["correction"]) == ("rk4", 0.01, "constraints")
    assert_same_run(run, load_run("whole.nc"))
    assert taut("run", "--from", "a.nc", "--duration", 0.4, "--correction", "none", "-o", "c.nc").code == 0
    assert load_run("c.nc").options["correction"] == "none"


@pytest.mark.parametrize("method", ["dp8", "rattle4"])
def test_other_methods_go_on_too(taut: Callable, tbar: Path, method: str) -> None:
    told = ["--method", method, "--every", 0.05, *(["--step", 0.01] if method == "rattle4" else [])]
    assert taut("run", tbar, *told, "--duration", 0.2, "-o", "a.nc").code == 0
    assert load_run("a.nc").options["correction"] == ("none" if method == "rattle4" else "energy")
    assert taut("run", tbar, *told, "--duration", 0.4, "-o", "whole.nc").code == 0
    assert taut("run", "--from", "a.nc", "--duration", 0.4, "-o", "b.nc").code == 0
    assert_same_run(load_run("b.nc"), load_run("whole.nc"))


@pytest.mark.parametrize(
    "how",
    [
        *(pytest.param(one, marks=pytest.mark.slow) for one in ([], ["--step", 0.01])),
        ["--step", 0.01, "--tolerance", 1e-9],
    ],
)
def test_implicit_methods_take_a_tolerance_or_a_step_and_go_on(taut: Callable, tbar: Path, how: list) -> None:
    told = ["--method", "implicit3", "--every", 0.05, *how]
    assert taut("run", tbar, *told, "--duration", 0.2, "-o", "a.nc").code == 0
    options = load_run("a.nc").options
    assert (options["correction"], options["samples"], options.get("step")) == (
        "constraints",
        "dense",
        0.01 if how else None,
    )
    assert options["tolerance"] == (1e-9 if len(how) == 4 else 1e-10), "the model says 1e-10"
    assert taut("run", tbar, *told, "--duration", 0.4, "-o", "whole.nc").code == 0
    assert taut("run", "--from", "a.nc", "--duration", 0.4, "-o", "b.nc").code == 0
    assert_same_run(load_run("b.nc"), load_run("whole.nc"))
    for told, method, step in (
        (["--step", 0.02], "implicit3", 0.02),
        (["--tolerance", 1e-4], "implicit3", None),
        (["--method", "dp5"], "dp5", None),
    ):
        assert taut("run", "--from", "a.nc", "--duration", 0.4, *told, "-o", "c.nc").code == 0
        options = load_run("c.nc").options
        assert (options["method"], options.get("step")) == (method, step)


@pytest.mark.slow
def test_a_run_made_in_python_keeps_what_the_command_cannot_say(taut: Callable, tbar: Path) -> None:
    model = library.read_model(tbar)
    plant = library.assemble(model.structure)
    wish = library.Correction("baumgarte", metric="euclidean", gains=(3.0, 4.0))
    save_run(library.simulate(plant, 0.2, every=0.1, correction=wish, model_text=model.text), "a.nc")
    assert taut("run", "--from", "a.nc", "--duration", 0.4, "-o", "b.nc").code == 0
    assert_same_run(load_run("b.nc"), library.simulate(plant, 0.4, every=0.1, correction=wish))
    save_run(library.simulate(plant, 0.2, every=0.01, samples="dense", model_text=model.text), "a.nc")
    assert taut("run", "--from", "a.nc", "--duration", 0.4, "-o", "b.nc").code == 0
    assert_same_run(load_run("b.nc"), library.simulate(plant, 0.4, every=0.01, samples="dense"))


def test_what_cannot_be_continued(taut: Callable, tbar: Path) -> None:
    taut("run", tbar, "--duration", 0.1, "-o", "a.nc")
    for arguments, said in (
        ([], "error: the run is finished, at 0.1 s; say how far to go on with --duration\n"),
        (["--duration", 0.05], "error: the trajectory already reaches 0.1 s; the duration counts from its start"),
        (["--set", "scenario.gravity=1"], "error: scenario.gravity is not what it was when a.nc was made; a run is"),
        (["--duration", 1, "--set", "bars.b1.mass=1"], "error: the trajectory to continue is of another structure"),
        (["--set", "bars.b3.mass=1"], 'a.nc: --set bars.b3.mass=1: there is no "b3" under bars; to add it, set it'),
    ):
        code, out, err = taut("run", "--from", "a.nc", *arguments)
        assert (code, out) == (2, "")
        assert err.startswith(said)
    bare = library.simulate(library.assemble(library.generators.tbar()), 0.1)
    save_run(bare, "bare.nc")
    assert taut("run", "--from", "bare.nc", "--duration", 1).err == "bare.nc: holds no model; name the model file too\n"


@pytest.mark.parametrize(
    ("first", "then"),
    [(["--step", 0.01], ["--step", 0.005]), (["--step", 0.01], ["--tolerance", 1e-9]), ([], ["--step", 0.01])],
)
def test_a_run_may_be_continued_by_another_method(taut: Callable, tbar: Path, first: list, then: list) -> None:
    taut("run", tbar, *first, "--duration", 0.2, "-o", "a.nc")
    assert taut("run", "--from", "a.nc", "--duration", 0.4, *then, "-o", "b.nc").code == 0
    assert load_run("b.nc").time[-1] == 0.4


def test_a_failing_run_keeps_what_it_has(taut: Callable, tbar: Path) -> None:
    code, out, _ = taut("run", tbar, "--step", 5, "--correction", "none", "--duration", 1e4, "--every", 10)
    assert code == 1
    assert "status            stopped at t = " in out
    run = load_run("tbar.nc")
    assert run.status.startswith("stopped at t = ")
    assert 1 <= run.time.size < 1001
    assert np.isfinite(run.nodes).all()


def test_a_file_that_cannot_be_written_after_all(taut: Callable, tbar: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("taut.output.recording.seal", full)
    code, out, err = taut("run", tbar, "--duration", 0.1)
    assert (code, err) == (1, "tbar.nc: cannot be written: No space left on device\n")
    assert "status            finished" in out, "the summary is not lost"
    assert sorted(os.listdir()) == ["tbar.yaml"]


# --- which method


@pytest.mark.parametrize(
    ("file", "given", "method", "step", "tolerance"),
    [
        ({}, {}, "dp5", None, 1e-8),
        ({}, {"tolerance": 1e-6}, "dp5", None, 1e-6),
        ({}, {"step": 0.1}, "rk4", 0.1, 1e-8),
        ({"method": "rk4", "step": 0.1}, {}, "rk4", 0.1, 1e-8),
        ({"method": "rk4", "step": 0.1}, {"step": 0.2}, "rk4", 0.2, 1e-8),
        ({"method": "rk4", "step": 0.1}, {"tolerance": 1e-6}, "dp5", None, 1e-6),
        ({"method": "rk4", "step": 0.1}, {"method": "dp5"}, "dp5", None, 1e-8),
        ({}, {"method": "rk4", "step": 0.3}, "rk4", 0.3, 1e-8),
    ],
)
def test_a_step_asks_for_equal_steps_and_a_tolerance_for_adapted_ones(
    file: dict, given: dict, method: str, step: float | None, tolerance: float
) -> None:
    found = model_runs._settings(library.Scenario(**file), given, None)
    assert (found["method"], found["step"], found["tolerance"]) == (method, step, tolerance)


def test_a_tolerance_for_equal_steps_is_refused() -> None:
    with pytest.raises(OptionError, match='method "rk4" takes equal steps; give a --step, not a --tolerance'):
        model_runs._settings(library.Scenario(), {"method": "rk4", "tolerance": 1e-3}, None)


def test_the_text_in_a_run_file_is_the_effective_one(taut: Callable, tbar: Path) -> None:
    taut("run", tbar, "--set", "scenario.damping.node=2", "--duration", 0.1)
    scenario = parse_model(load_run("tbar.nc").model_text).scenario
    assert (scenario.damping.node, scenario.duration) == (2.0, 0.1)
