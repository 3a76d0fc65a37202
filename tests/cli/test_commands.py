"""Every command once, its exit code, and how it speaks. More of `taut run`: test_runs.py."""

from __future__ import annotations

import io
import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

import taut as library
from taut.cli.application import COMPILING
from taut.output import model_runs
from taut.output.progress import progress_bar
from taut.output.store import load_run

COMMAND = [sys.executable, "-m", "taut"]


# --- the commands


def test_help_and_version(taut: Callable) -> None:
    for arguments in ([], ["--help"]):
        code, out, _ = taut(*arguments)
        assert code == 0
        for command in (
            "demo",
            "examples",
            "check",
            "info",
            "formfind",
            "prestress",
            "modes",
            "run",
            "page",
            "plot",
            "film",
        ):
            assert command in out
    assert "--from" in taut("run", "--help").out
    assert taut("--version") == (0, f"taut {library.__version__}\n", "")


def test_help_answers_at_once_and_loads_nothing_heavy() -> None:
    """A promise of a time would hang on the machine. What takes it is loading modules: 187, typer's among them."""
    heavy = "{'numpy', 'scipy', 'numba', 'h5py', 'h5netcdf', 'pydantic', 'ruamel', 'matplotlib'}"
    tell = f"print(sorted({heavy} & {{m.split('.')[0] for m in sys.modules}}), len(sys.modules))"
    look = f"import atexit, sys; atexit.register(lambda: {tell}); from taut.cli import main; main(['--help'])"
    told = subprocess.run([sys.executable, "-c", look], capture_output=True, text=True, check=True).stdout
    loaded, count = told.splitlines()[-1].rsplit(" ", 1)
    assert loaded == "[]"
    assert int(count) < 250


def test_nothing_is_looked_through_for_garbage_at_the_end() -> None:
    look = "import atexit, gc; atexit.register(lambda: print(gc.get_freeze_count() > 1000)); "
    look += "from taut.cli import main; main(['--version'])"
    told = subprocess.run([sys.executable, "-c", look], capture_output=True, text=True, check=True).stdout
    assert told == f"taut {library.__version__}\nTrue\n"


def test_examples_are_listed_and_copied(taut: Callable, tmp_path: Path) -> None:
    code, out, _ = taut("examples")
    assert code == 0
    assert "prism.yaml" in out
    code, out, _ = taut("examples", "prism")
    assert (code, out) == (0, "wrote prism.yaml; next: taut check prism.yaml, taut run prism.yaml\n")
    assert taut("check", "prism.yaml") == (0, "prism.yaml: sound; 6 nodes, 3 bars, 9 cables\n", "")
    assert taut("examples", "prism") == (2, "", "prism.yaml: is here already; move it away first\n")
    assert taut("examples", "prsim").err == 'error: no example "prsim"; did you mean "prism"?\n'
    assert taut("examples", "x" * 9).err == 'error: no example "xxxxxxxxx"; `taut examples` lists them\n'


def test_demo(taut: Callable) -> None:
    code, out, err = taut("demo", "-o", "demo.nc")
    assert (code, err) == (0, "")
    assert "status            finished" in out
    assert "\nrun file: demo.nc\npage: demo.html (" in out
    assert " MB); double-click it, or open file://" in out
    assert Path("demo.html").stat().st_size > 1e5
    assert load_run("demo.nc").time[-1] == 10.0


def test_info(taut: Callable, tbar: Path) -> None:
    code, out, _ = taut("info", tbar)
    assert code == 0
    assert "degrees of freedom     2\n" in out
    code, out, _ = taut("info", tbar, "--json", "--set", "supports.n3=xyz")
    facts = json.loads(out)
    assert (facts["name"], facts["bars"], facts["free_coordinates"]) == ("T-bar", 2, 2)


def test_what_acts_in_a_model_is_counted_and_named(taut: Callable) -> None:
    taut("examples", "damped_mast")
    assert taut("check", "damped_mast.yaml").out.endswith("4 cables, 4 drives, 2 sensors, 1 controller\n")
    out = taut("info", "damped_mast.yaml").out
    assert "\nactuation              redundantly actuated: 4 inputs, 2 independent, 2 freedoms\n" in out
    assert "\nsensors                sway_x, sway_y\ncontrollers            damper\n" in out
    facts = json.loads(taut("info", "damped_mast.yaml", "--json", "--set", "scenario.controllers={}").out)
    assert (facts["sensors"], facts["controllers"]) == (["sway_x", "sway_y"], [])


def test_warmup(taut: Callable) -> None:
    taut("warmup")  # may first remove what other versions left behind
    assert taut("warmup") == (0, "ready: the compiled equations are cached for later runs\n", "")


def test_warmup_of_a_model(taut: Callable, tbar: Path) -> None:
    assert taut("warmup", tbar).out.endswith("ready: the compiled equations are cached for later runs\n")
    assert taut("warmup", "--copies") == (2, "", "error: --copies is of models; name one\n")
    assert taut("warmup", "none.yaml").err == "none.yaml: there is no such file\n"


def test_a_script_is_no_model(taut: Callable) -> None:
    Path("own.py").write_text("import taut\n", encoding="utf-8")
    assert taut("run", "own.py").err == "own.py: is a Python script, not a model; run it with: python own.py\n"


def test_check_says_what_a_run_would(taut: Callable, tbar: Path) -> None:
    code, out, err = taut("check", tbar, "--set", "scenario.method=dp6", "--set", "scenario.duration=-1")
    assert (code, out) == (2, "")
    assert err == f"{tbar}:44: scenario.duration: -1 s must be more than zero (from --set scenario.duration=-1)\n"
    err = taut("check", tbar, "--set", "scenario.method=dp55").err
    assert err.startswith(f'{tbar}:46: scenario.method: method "dp55" is not one of ')
    assert err.endswith('; did you mean "dp5"? (from --set scenario.method=dp55)\n')
    assert 'scenario.method: method "rk4" needs a step [s]' in taut("check", tbar, "--set", "scenario.method=rk4").err
    assert 'scenario.step: method "dp5" chooses its own' in taut("check", tbar, "--set", "scenario.step=1").err


def test_problems_of_motion_have_lines_too(taut: Callable, tbar: Path) -> None:
    free = ["--set", "nodes.n5=[1, 1, 1]", "--set", "bars.b1.material=air", "--set", "materials.air={}"]
    for command in ("check", "run"):
        code, out, err = taut(command, tbar, *free)
        assert (code, out) == (2, "")
        assert err.splitlines()[0].startswith(f'{tbar}:9: nodes.n5: node "n5" can move but has no mass and no bar')
        assert err.splitlines()[1].startswith(f"{tbar}:20: bars.b1.mass: is not known; give a mass")
    assert not Path("tbar.nc").exists()
    bad = tbar.with_name("bad.yaml")
    bad.write_text(tbar.read_text().replace("nodes:\n", "nodes:\n  n5: [1, 1, 1]\n", 1))
    assert 'bad.yaml:10: nodes.n5: node "n5" can move but has no mass' in taut("warmup", bad).err


# --- how errors look


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["rn"], "error: No such command 'rn'"),
        (["run"], "error: nothing to run: give a model file, or --from RUN.nc to continue a run\n"),
        (["check"], "error: Missing argument 'model'"),
        (["run", "m.yaml", "--durtion", "2"], "error: No such option: --durtion"),
        (["run", "m.yaml", "--duration", "long"], "error: Invalid value for '--duration'"),
        (["run", "m.yaml"], "m.yaml: there is no such file\n"),
        (["run", "--from", "r.nc"], "r.nc: there is no such run file\n"),
        (["run", "--from", "."], ".: is a folder, not a run file\n"),
        (["check", "."], ".: is a folder, not a model file\n"),
    ],
)
def test_a_wrong_command_line(taut: Callable, arguments: list[str], said: str) -> None:
    code, out, err = taut(*arguments)
    assert (code, out) == (2, "")
    assert err.startswith(said)
    assert err.count("\n") == 1


def test_a_run_file_where_a_model_belongs_and_the_other_way_round(taut: Callable, tbar: Path) -> None:
    taut("run", tbar, "--duration", 0.1)
    said = "tbar.nc: is a run file, not a model; to continue it, taut run --from tbar.nc\n"
    assert taut("run", "tbar.nc") == (2, "", said)
    said = "tbar.yaml: is not a run file of taut; those are NetCDF-4 (HDF5)\n"
    assert taut("run", "--from", "tbar.yaml") == (2, "", said)


def test_many_problems_are_cut_short(taut: Callable, tmp_path: Path) -> None:
    cables = "".join(f"  c{i}: [a, m{i}]\n" for i in range(500))
    Path("m.yaml").write_text(f"taut: 1\nnodes: {{a: [0, 0, 0]}}\ncables:\n{cables}")
    lines = taut("check", "m.yaml").err.splitlines()
    assert len(lines) == 61
    assert lines[0] == 'm.yaml:4: cables.c0.route: no node "m0"'
    assert lines[-1] == "... and 440 problems more"


def test_too_little_memory_is_said(taut: Callable, tbar: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def greedy(*_: object, **__: object) -> None:
        raise MemoryError("Unable to allocate 9 TiB")

    monkeypatch.setattr(model_runs, "simulate", greedy)
    code, _, err = taut("run", tbar)
    assert (code, err[:54]) == (1, "error: not enough memory (Unable to allocate 9 TiB); t")


@pytest.mark.parametrize(
    ("rest", "code", "out", "err"),
    [
        ("| head -c 1", 0, "n", ""),
        ("> /dev/full", 1, "", "error: [Errno 28] No space left on device\n"),
        (">&-", 0, "", ""),
        ("--set name=é | head -n 1", 0, "name                   \\xe9\n", ""),
    ],
)
def test_output_that_cannot_be_printed(tbar: Path, rest: str, code: int, out: str, err: str) -> None:
    told = f"{sys.executable} -m taut info {tbar} {rest}"
    plain = {**os.environ, "PYTHONIOENCODING": "ascii"}
    done = subprocess.run(["bash", "-c", told], capture_output=True, text=True, check=False, env=plain)
    assert (done.returncode, done.stdout, done.stderr.replace(f"{COMPILING}\n", "")) == (code, out, err)


@pytest.mark.parametrize(("asked", "code", "begin"), [("tbar.yaml --duration 0.1", 0, "status "), ("tbra.yaml", 2, "")])
def test_complaints_that_nobody_hears_go_nowhere(tbar: Path, asked: str, code: int, begin: str) -> None:
    told = f"{sys.executable} -m taut run {asked} 2>&-"
    done = subprocess.run(["bash", "-c", told], capture_output=True, text=True, check=False, cwd=tbar.parent)
    assert (done.returncode, done.stdout[: len(begin) or None]) == (code, begin)


# --- progress


def test_progress_is_shown_only_to_those_who_watch(monkeypatch: pytest.MonkeyPatch) -> None:
    class Screen(io.StringIO):
        def isatty(self) -> bool:
            return True

    screen = Screen()
    monkeypatch.setattr(sys, "stderr", screen)
    monkeypatch.setenv("TERM", "xterm")
    with progress_bar(0.0, 8.0) as report:
        assert report is not None
        report(2.0, 8.0)
    shown = screen.getvalue()
    assert "getting ready" in shown
    assert "2 of 8 s" in shown
    monkeypatch.setattr(sys, "stderr", io.StringIO())
    with progress_bar(0.0, 8.0) as report:
        assert report is None
