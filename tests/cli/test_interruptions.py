"""Ctrl-C, kill -9 and a watching terminal, on real processes."""

from __future__ import annotations

import os
import pty
import select
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from same_runs import assert_same_run

import taut as library
from taut.cli.application import COMPILING
from taut.output.store import load_run

PATIENCE = 120.0
"""Seconds to wait for a process that may have to compile first."""

RUN = ["run", "tbar.yaml", "-o", "r.nc", "--every", "1", "--duration", "1e6"]


@pytest.fixture(autouse=True)
def in_a_folder_with_the_tbar(tbar: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


@contextmanager
def started(*arguments: str) -> Iterator[tuple[subprocess.Popen[str], int]]:
    """The command with a terminal as its stderr; gives the process and our end of the terminal."""
    ours, theirs = pty.openpty()
    command = [sys.executable, "-m", "taut", *arguments]
    environment = {**os.environ, "TERM": "xterm", "COLUMNS": "100"}
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=theirs, text=True, env=environment) as process:
        os.close(theirs)
        try:
            yield process, ours
        finally:
            process.kill()
            os.close(ours)


def shown_until(wanted: str, screen: int) -> str:
    """What the terminal shows until a text appears."""
    shown, end = "", time.monotonic() + PATIENCE
    while wanted not in shown:
        assert time.monotonic() < end, shown
        if select.select([screen], [], [], 1.0)[0]:
            shown += os.read(screen, 4096).decode(errors="replace")
    return shown


def test_ctrl_c_keeps_what_was_computed_and_the_run_can_go_on() -> None:
    with started(*RUN) as (process, screen):
        shown = shown_until("simulated", screen)
        assert "of 1e+06 s" in shown, "the progress bar tells simulated time and duration"
        time.sleep(0.3)
        process.send_signal(signal.SIGINT)
        out, _ = process.communicate(timeout=PATIENCE)
    assert process.returncode == 1
    assert "status            interrupted at t = " in out
    assert out.endswith("to go on: taut run --from r.nc\n")
    part = load_run("r.nc")
    assert part.status.startswith("interrupted at t = ")
    assert part.time.size > 1
    reached = part.time[-1]
    assert {name for name in os.listdir() if name != "tbar.yaml"} == {"r.nc"}

    duration = str(reached + 3.0)
    for arguments in (["--from", "r.nc", "-o", "parts.nc"], ["tbar.yaml", "--every", "1", "-o", "whole.nc"]):
        done = subprocess.run(
            [sys.executable, "-m", "taut", "run", *arguments, "--duration", duration],
            capture_output=True,
            text=True,
            check=False,
        )
        assert (done.returncode, done.stderr.replace(f"{COMPILING}\n", "")) == (0, ""), done.stderr
    assert_same_run(load_run("parts.nc"), load_run("whole.nc"))


def test_an_interrupted_run_goes_on_to_its_own_end_by_itself(tmp_path: Path) -> None:
    """In one process: the third report of progress presses Ctrl-C."""
    model = library.read_model("tbar.yaml", ["scenario.duration=40"])
    plant, reports = library.assemble(model.structure), []

    def press(now: float, end: float) -> None:
        reports.append(now)
        if len(reports) == 3:
            os.kill(os.getpid(), signal.SIGINT)

    part = library.simulate(plant, 40.0, every=0.5, progress=press, model_text=model.text)
    assert part.status.startswith("interrupted at t = ")
    assert part.time[-1] < 40.0
    library.save(part, "r.nc")
    done = subprocess.run(
        [sys.executable, "-m", "taut", "run", "--from", "r.nc", "-o", "r.nc"], capture_output=True, check=False
    )
    assert done.returncode == 0
    assert_same_run(load_run("r.nc"), library.simulate(plant, 40.0, every=0.5))


def test_ctrl_c_twice_ends_at_once() -> None:
    with started(*RUN) as (process, screen):
        shown_until("simulated", screen)
        process.send_signal(signal.SIGINT)
        process.send_signal(signal.SIGINT)
        out, _ = process.communicate(timeout=PATIENCE)
    # The second may come when the first has already ended the run; either way nothing breaks.
    assert process.returncode == 1
    assert "Traceback" not in out
    assert not list(Path().glob(".*.part"))


def killed(prelude: str, *arguments: str) -> int:
    """Run the command after some lines of Python that prepare an accident; returns how it ended."""
    lines = ["import os, signal, taut.output.recording as recording", prelude, "from taut.cli import main"]
    code = "\n".join([*lines, f"main({list(arguments)})"])
    return subprocess.run([sys.executable, "-c", code], capture_output=True, check=False).returncode


def test_kill_during_a_run_leaves_a_draft_that_nobody_takes_for_a_run_file() -> None:
    with started(*RUN) as (process, screen):
        shown_until("simulated", screen)
        process.kill()
        process.wait(PATIENCE)
    assert process.returncode == -signal.SIGKILL
    (draft,) = (name for name in os.listdir() if name != "tbar.yaml")
    assert draft.startswith(".r.nc.")
    assert draft.endswith(".part")


def test_kill_during_the_write_leaves_the_old_file_and_a_draft_that_the_next_run_removes() -> None:
    Path("r.nc").write_text("the old one")
    prelude = (
        "def die(path):\n"
        "    path.write_bytes(path.read_bytes()[:1000])\n"
        "    os.kill(os.getpid(), signal.SIGKILL)\n"
        "recording.seal = die"
    )
    short = ["run", "tbar.yaml", "-o", "r.nc", "--duration", "0.1"]
    assert killed(prelude, *short) == -signal.SIGKILL
    assert Path("r.nc").read_text() == "the old one"
    assert len(list(Path().glob(".r.nc.*.part"))) == 1
    mine, alien = Path(f".r.nc.{os.uname().nodename}-{os.getpid()}-1.part"), Path(".r.nc.elsewhere-1-1.part")
    mine.touch()
    alien.touch()
    assert killed("", *short) == 0
    assert load_run("r.nc").ok
    assert sorted(Path().glob(".r.nc.*.part")) == sorted([mine, alien]), "drafts that may be in use are left alone"


def test_ctrl_c_during_the_write_waits_for_it() -> None:
    prelude = (
        "seal = recording.seal\n"
        "def press(path):\n"
        "    os.kill(os.getpid(), signal.SIGINT)\n"
        "    seal(path)\n"
        "recording.seal = press"
    )
    assert killed(prelude, "run", "tbar.yaml", "-o", "r.nc", "--duration", "0.1") == 0
    assert load_run("r.nc").ok
