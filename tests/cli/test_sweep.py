"""`taut sweep`: what it writes and says, what it refuses, and how it goes on after Ctrl-C and kill -9."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import pytest
from same_runs import assert_same_run

import taut as library
from taut.errors import FileError
from taut.output.study import sweep as sweeping
from taut.output.study.journal import Journal
from taut.output.study.quantities import QUANTITIES, TIMES
from taut.output.study.store import load_study
from taut.output.study.study import Study

EXAMPLES = Path(__file__).parents[2] / "examples"
STIFFNESS = "properties.cable:*.stiffness"
SHORT = ("--set", "scenario.duration=0.2", "--jobs", "1")
PATIENCE = 120.0
"""Seconds to wait for a process that may have to compile first."""


def test_a_sweep_writes_what_the_library_computes(taut: Callable, tbar: Path) -> None:
    code, out, err = taut("sweep", tbar, f"{STIFFNESS}=50:150:3", *SHORT)
    assert (code, err) == (0, "")
    assert "3 of 3 points finished\nstudy file: tbar-sweep.nc\nnext: taut plot tbar-sweep.nc\n" in out
    rows = [line.split() for line in out.splitlines()[1:4]]
    assert [row[0] for row in rows] == ["50", "100", "150"]
    found = load_study("tbar-sweep.nc")
    model = library.read_model(tbar, ["scenario.duration=0.2"])
    same = library.sweep(model, {STIFFNESS: [50, 100, 150]})
    for name in QUANTITIES:
        if name not in TIMES:
            assert getattr(found, name).tobytes() == getattr(same, name).tobytes(), name
    assert float(rows[0][1]) == pytest.approx(found.max_tension[0].max(), rel=1e-5)


def test_several_keys_make_a_grid_and_failures_exit_with_one(taut: Callable, tbar: Path) -> None:
    code, out, err = taut("sweep", tbar, "scenario.method=dp5,foo", f"{STIFFNESS}=-1,100", *SHORT, "-o", "g.nc")
    assert code == 1
    assert "1 of 4 points finished" in out
    assert f"scenario.method=dp5, {STIFFNESS}=-1: could not begin: {tbar}:36: {STIFFNESS}: -1 N/m must be more" in err
    assert f'scenario.method=foo, {STIFFNESS}=100: could not begin: method "foo" is not one of dp5' in err
    assert load_study("g.nc").ok.tolist() == [[False, True], [False, False]]


def test_json(taut: Callable, tbar: Path) -> None:
    code, out, _ = taut("sweep", tbar, f"{STIFFNESS}=-1,100", *SHORT, "--json", "-o", "g.nc")
    told = json.loads(out)
    assert code == 1
    assert {name: told[name] for name in ("points", "finished", "failed", "left", "study_file")} == {
        "points": 2,
        "finished": 1,
        "failed": 1,
        "left": 0,
        "study_file": "g.nc",
    }
    assert told["table"][0]["max_tension"] is None
    assert told["table"][0]["status"].startswith("could not begin: ")
    assert told["table"][1][STIFFNESS] == 100.0
    assert told["table"][1]["max_tension"] > 10.0


def test_long_lists_of_failures_are_cut(taut: Callable, tbar: Path) -> None:
    code, _, err = taut("sweep", tbar, f"{STIFFNESS}=-1:-12:12", *SHORT)
    assert code == 1
    assert len(err.splitlines()) == 11
    assert err.endswith("... and 2 points more that failed; `status` in the file has all\n")


def test_kept_runs_are_those_of_taut_run(taut: Callable, tbar: Path) -> None:
    told = ("sweep", tbar, f"{STIFFNESS}=50:150:11", *SHORT, "--keep-runs", "deep/runs")
    assert taut(*told).code == 0
    assert sorted(os.listdir("deep/runs")) == [f"point-{k:02}.nc" for k in range(11)]
    assert taut("run", tbar, "--set", "scenario.duration=0.2", "--set", f"{STIFFNESS}=60", "-o", "r.nc").code == 0
    assert_same_run(library.read("deep/runs/point-01.nc"), library.read("r.nc"))
    assert taut("plot", "deep/runs/point-01.nc", "--show", "max_tension").code == 2


def test_a_finished_study_is_not_computed_again(taut: Callable, tbar: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    told = ("sweep", tbar, f"{STIFFNESS}=50:150:3", *SHORT)
    first = taut(*told)

    def nothing(*_: object) -> None:
        raise AssertionError("something was computed")

    monkeypatch.setattr(sweeping, "spread", nothing)
    assert taut(*told) == first
    code, _, err = taut("sweep", tbar, f"{STIFFNESS}=50:150:4", *SHORT)
    assert code == 2
    assert err.startswith("tbar-sweep.nc: is a study with other values; give this one another name, or --restart")
    tbar.write_text(tbar.read_text().replace("density: 500", "density: 501"))
    assert "tbar-sweep.nc: is a study with another model; give" in taut(*told).err
    monkeypatch.undo()
    os.chdir(tbar.parent)
    assert taut(*told, "--restart").code == 0
    assert "density: 501" in load_study("tbar-sweep.nc").plan.model_text


def test_other_files_are_not_replaced(taut: Callable, tbar: Path) -> None:
    assert taut("run", tbar, "--duration", 0.01, "-o", "r.nc").code == 0
    Path("notes.nc").write_text("mine")
    for name, words in (("r.nc", "is a run, not a study of many runs"), ("notes.nc", "is not a study file of taut")):
        code, _, err = taut("sweep", tbar, f"{STIFFNESS}=50", *SHORT, "-o", name)
        assert code == 2
        assert err.startswith(f"{name}: {words}")
        assert "give the study another name, or --restart" in err


@pytest.mark.parametrize(
    ("told", "complaint"),
    [
        (["cables.c9.stiffness=1:2:3"], 'tbar.yaml: --set cables.c9.stiffness=1: there is no "c9" under cables'),
        (["scenario.gravty=1"], 'unknown key "gravty" under scenario; did you mean "gravity"?'),
        ([f"{STIFFNESS}=1:2"], f'error: {STIFFNESS}: "1:2" is not begin:end:count; say how many values, too'),
        ([f"{STIFFNESS}=1:2:0"], 'the count "0" must be a whole number from 1'),
        ([f"{STIFFNESS}="], "has no values"),
        ([STIFFNESS], "must be a key, an equals sign and values"),
        ([f"{STIFFNESS}=1:2:2000", "scenario.gravity=0:1:501"], "2000 x 501 = 1002000 points are more"),
        ([f"{STIFFNESS}=1", f"{STIFFNESS}=2"], "is given twice"),
        ([f"{STIFFNESS}=1", "--jobs", "0"], "error: jobs = 0 must be one or more"),
        ([f"{STIFFNESS}=1", "-o", "nowhere/x.nc"], "nowhere/x.nc: cannot be written: "),
        ([f"{STIFFNESS}=1", "-o", "x.txt"], "x.txt: a study file's name must end in .nc"),
        ([f"{STIFFNESS}=1", "--plot", "x.bmp"], "x.bmp: a figure is saved as .png, .pdf, .svg"),
        ([f"{STIFFNESS}=1", "--plot", "nowhere/x.png"], "nowhere/x.png: cannot be written: "),
        ([f"{STIFFNESS}=1", "--show", "work"], "--show says what is drawn; say where, too, with --plot FILE.png"),
        ([f"{STIFFNESS}=1", "--plot", "x.png", "--show", "max_tensio"], 'no quantity "max_tensio"; did you mean'),
        ([f"{STIFFNESS}=1", "--plot", "x.png", "--show", "max_tension:d1"], 'no cable "d1"; there are c1, c2, c3, c4'),
        ([f"{STIFFNESS}=1", "--plot", "x.png", "--show", "nodes:n1"], '"nodes:n1" must name a node and an axis'),
        ([f"{STIFFNESS}=1", "--plot", "x.png", "--show", "work:c1"], "one number for the whole structure"),
        ([f"scenario.{key}=1" for key in ("gravity", "duration", "every", "tolerance")] + ["--plot", "x.png"],
         "a study of 4 keys has no figure; open its file with xarray"),
        (["scenario.gravity=1", "--set", "scenario.duration=no"], "scenario.duration"),
        ([], "Missing argument"),
    ],
)  # fmt: skip
def test_bad_input_is_refused_before_anything_is_computed(
    taut: Callable, tbar: Path, told: list[str], complaint: str
) -> None:
    code, out, err = taut("sweep", tbar.name, *told)
    assert (code, out) == (2, "")
    assert complaint in err
    assert os.listdir() == ["tbar.yaml"]


def test_a_full_disk_stops_a_study_that_can_go_on(taut: Callable, tbar: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    told = ("sweep", tbar, f"{STIFFNESS}=50:150:3", *SHORT)
    write = Journal.write

    def full(self: Journal, line: dict) -> None:
        if line.get("point") == 1:
            raise FileError("tbar-sweep.nc.journal: cannot be written: No space left on device")
        write(self, line)

    monkeypatch.setattr(Journal, "write", full)
    code, out, err = taut(*told)
    assert (code, out) == (1, "")
    assert "No space left on device; the points that were computed are kept, and the same call goes on" in err
    assert sorted(os.listdir()) == ["tbar-sweep.nc.journal", "tbar.yaml"]
    monkeypatch.setattr(Journal, "write", write)
    assert taut(*told).code == 0
    assert sorted(os.listdir()) == ["tbar-sweep.nc", "tbar.yaml"]


LONG = ["sweep", "tbar.yaml", f"{STIFFNESS}=50:200:60", "--set", "scenario.duration=60", "-o", "s.nc"]


@contextmanager
def begun(folder: Path, *arguments: str) -> Iterator[subprocess.Popen[str]]:
    """The command in a process with a group of its own, as in a terminal, when it has computed some points."""
    with started(folder, *arguments) as process:
        journal = folder / "s.nc.journal"
        until(lambda: journal.exists() and journal.read_bytes().count(b"\n") >= 4, process)
        yield process


@contextmanager
def started(folder: Path, *arguments: str) -> Iterator[subprocess.Popen[str]]:
    with subprocess.Popen(
        [sys.executable, "-m", "taut", *arguments],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        cwd=folder,
        start_new_session=True,
    ) as process:
        try:
            yield process
        finally:
            process.kill()


def until(so: Callable[[], bool], process: subprocess.Popen[str]) -> None:
    end = time.monotonic() + PATIENCE
    while not so():
        assert time.monotonic() < end
        assert process.poll() is None
        time.sleep(0.01)


needs_proc = pytest.mark.skipif(not Path("/proc/self/task").exists(), reason="needs /proc")


def children(process: int) -> list[int]:
    return [int(child) for child in Path(f"/proc/{process}/task/{process}/children").read_text().split()]


@pytest.fixture(scope="module")
def never_stopped() -> Study:
    """What the long study gives where nobody stops it."""
    model = library.read_model(EXAMPLES / "tbar.yaml", ["scenario.duration=60"])
    return library.sweep(model, {STIFFNESS: np.linspace(50.0, 200.0, 60)})


def assert_goes_on(taut: Callable, same: Study) -> None:
    """The same command finishes, with fewer points to compute, and nobody sees that it was stopped."""
    before = Path("s.nc.journal").read_text().count("\n") - 1
    assert 3 <= before < 60
    computed: list[float] = []
    add = Journal.add

    def count(self: Journal, point: int, found: object) -> None:
        computed.append(point)
        add(self, point, found)  # type: ignore[arg-type]

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Journal, "add", count)
        assert taut(*LONG, "--jobs", "1").code == 0
    assert len(computed) <= 60 - before + 1, "a line that was cut off is computed again"
    found = load_study("s.nc")
    assert found.ok.all()
    for name in QUANTITIES:
        if name not in TIMES:
            assert getattr(found, name).tobytes() == getattr(same, name).tobytes(), name
    assert sorted(os.listdir()) == ["s.nc", "tbar.yaml"]


@pytest.mark.slow  # quick: test_kill_keeps_what_was_computed_and_leaves_no_processes
@pytest.mark.parametrize(
    ("jobs", "press", "wish"),
    [
        ("1", os.killpg, signal.SIGINT),
        ("2", os.killpg, signal.SIGINT),
        ("2", os.kill, signal.SIGINT),
        ("1", os.kill, signal.SIGTERM),
        ("2", os.killpg, signal.SIGHUP),
    ],
    ids=["1", "2 by terminal", "2 by kill -INT", "1 by kill", "2 by a terminal that is closed"],
)
def test_an_interrupt_keeps_what_was_computed_and_the_same_command_goes_on(
    taut: Callable, tbar: Path, never_stopped: Study, jobs: str, press: Callable[[int, int], None], wish: signal.Signals
) -> None:
    with begun(tbar.parent, *LONG, "--jobs", jobs) as process:
        press(process.pid, wish)
        out, err = process.communicate(timeout=PATIENCE)
    assert (process.returncode, out) == (1, "")
    kept = Path("s.nc.journal").read_text().count("\n") - 1
    assert err == f"interrupted: {kept} of 60 points are kept; the same command goes on with the others\n"
    assert_goes_on(taut, never_stopped)


@needs_proc
def test_ctrl_c_while_processes_start_is_no_accident(tbar: Path) -> None:
    with started(tbar.parent, *LONG, "--jobs", "2") as process:
        until(lambda: len(children(process.pid)) >= 3, process)  # two, and one that looks after what they share
        os.killpg(process.pid, signal.SIGINT)
        out, err = process.communicate(timeout=PATIENCE)
    assert (process.returncode, out) == (1, "")
    assert re.fullmatch(r"interrupted: \d+ of 60 points are kept; the same command goes on with the others\n", err)


@pytest.mark.slow
@needs_proc
def test_kill_keeps_what_was_computed_and_leaves_no_processes(taut: Callable, tbar: Path, never_stopped: Study) -> None:
    with begun(tbar.parent, *LONG, "--jobs", "2") as process:
        workers = children(process.pid)
        assert len(workers) >= 2
        process.kill()
        process.wait(PATIENCE)
    end = time.monotonic() + PATIENCE
    while any(Path(f"/proc/{worker}").exists() for worker in workers):
        assert time.monotonic() < end, "a worker went on without its parent"
        time.sleep(0.05)
    assert_goes_on(taut, never_stopped)
