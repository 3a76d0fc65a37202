"""Ctrl-C and its like, kill -9 and a watching terminal, on real processes."""

from __future__ import annotations

import os
import pty
import select
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from same_runs import assert_same_run

import taut as library
from taut.atomic_files import new_draft
from taut.cli.application import COMPILING
from taut.dynamics.interrupts import held_interrupts
from taut.errors import FileError
from taut.output.drafts import left_over, reach
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


@pytest.mark.parametrize(
    "wish", [signal.SIGINT, *(pytest.param(other, marks=pytest.mark.slow) for other in (signal.SIGTERM, signal.SIGHUP))]
)
def test_an_interrupt_keeps_what_was_computed_and_the_run_can_go_on(wish: signal.Signals) -> None:
    with started(*RUN) as (process, screen):
        shown = shown_until("simulated", screen)
        assert "of 1e+06 s" in shown, "the progress bar tells simulated time and duration"
        time.sleep(0.3)
        process.send_signal(wish)
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
        done = command("run", *arguments, "--duration", duration)
        assert (done.returncode, done.stderr) == (0, "")
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


def test_a_terminal_that_is_closed_ends_the_run_with_what_was_computed() -> None:
    """The process leads a session of its own, whose terminal is this one; its progress can no longer be shown."""
    ours, theirs = pty.openpty()
    lines = ["import fcntl, termios", f"fcntl.ioctl({theirs}, termios.TIOCSCTTY, 0)", "from taut.cli import main"]
    code = "\n".join([*lines, f"main({RUN})"])
    terminal = {"stdin": theirs, "stdout": theirs, "stderr": theirs}
    environment = {**os.environ, "TERM": "xterm"}
    with subprocess.Popen(
        [sys.executable, "-c", code], start_new_session=True, pass_fds=(theirs,), env=environment, **terminal
    ) as process:
        os.close(theirs)
        try:
            shown_until("simulated", ours)
            os.close(ours)
            assert process.wait(PATIENCE) == 1
        finally:
            process.kill()
    assert load_run("r.nc").status.startswith("interrupted at t = ")
    assert sorted(os.listdir()) == ["r.nc", "tbar.yaml"]


def test_what_is_ignored_stays_ignored_and_handlers_of_a_program_stay_its_own() -> None:
    """As nohup ignores SIGHUP; and a program may have a use of its own for SIGTERM."""
    own: list[int] = []
    before = signal.signal(signal.SIGHUP, signal.SIG_IGN), signal.signal(signal.SIGTERM, lambda *_: own.append(1))
    try:
        with held_interrupts() as interrupted:
            os.kill(os.getpid(), signal.SIGHUP)
            os.kill(os.getpid(), signal.SIGTERM)
            assert not interrupted()
            os.kill(os.getpid(), signal.SIGINT)
            assert interrupted()
    finally:
        signal.signal(signal.SIGHUP, before[0])
        signal.signal(signal.SIGTERM, before[1])
    assert own == [1]


def test_an_interrupt_that_was_held_inside_is_heard_outside_and_is_no_second_one_there() -> None:
    """As of a search, each of whose ensembles finishes what is in hand."""
    with held_interrupts() as outside:
        with held_interrupts() as inside:
            os.kill(os.getpid(), signal.SIGINT)
            assert inside()
        assert outside()
        os.kill(os.getpid(), signal.SIGINT)  # the first that it hears itself, and so not raised


def test_an_interrupt_that_python_had_to_ignore_is_heard_all_the_same() -> None:
    """As in a destructor, out of which no exception comes."""
    lines = [
        "import os, signal, time",
        "from taut.dynamics.interrupts import raised_interrupts",
        "class Odd:",
        "    def __del__(self):",
        "        os.kill(os.getpid(), signal.SIGTERM)",
        "with raised_interrupts():",
        "    try:",
        "        Odd()",
        f"        time.sleep({PATIENCE})",
        "    except KeyboardInterrupt:",
        "        print('heard')",
    ]
    done = subprocess.run(
        [sys.executable, "-c", "\n".join(lines)], capture_output=True, text=True, check=False, timeout=PATIENCE / 2
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, "heard\n", "")


def test_ctrl_c_twice_ends_at_once() -> None:
    with started(*RUN) as (process, screen):
        shown_until("simulated", screen)
        process.send_signal(signal.SIGINT)
        process.send_signal(signal.SIGINT)
        out, _ = process.communicate(timeout=PATIENCE)
    # The second may come when the first has already ended the run; either way nothing breaks.
    assert process.returncode == 1
    assert "Traceback" not in out
    assert not list(Path().glob(".*"))


def command(*arguments: str) -> subprocess.CompletedProcess[str]:
    """Run the command; that it compiles, where nothing has before, is not passed on."""
    done = subprocess.run([sys.executable, "-m", "taut", *arguments], capture_output=True, text=True, check=False)
    done.stderr = done.stderr.replace(f"{COMPILING}\n", "")
    return done


def wait_for(happened: Callable[[], bool]) -> None:
    end = time.monotonic() + PATIENCE
    while not happened():
        assert time.monotonic() < end
        time.sleep(0.05)


def reach_of_drafts() -> float:
    """How far the drafts in this folder reach, in use or not."""
    return max((reach(path) for path in Path().glob(".*.draft")), default=-1.0)


def killed(prelude: str, *arguments: str) -> int:
    """Run the command after some lines of Python that prepare an accident; returns how it ended."""
    lines = ["import os, signal, taut.output.recording as recording", prelude, "from taut.cli import main"]
    code = "\n".join([*lines, f"main({list(arguments)})"])
    return subprocess.run([sys.executable, "-c", code], capture_output=True, check=False).returncode


@pytest.mark.slow
def test_kill_during_a_run_leaves_a_draft_that_goes_on_to_the_same_bits() -> None:
    """And a new run of the same name offers it, and leaves it alone as long as it reaches further."""
    with started(*RUN) as (process, screen):
        shown_until("simulated", screen)
        wait_for(lambda: reach_of_drafts() > 10.0)
        process.kill()
        process.wait(PATIENCE)
    assert process.returncode == -signal.SIGKILL
    (left,) = left_over("r.nc")
    with pytest.raises(FileError, match="no such run file"):
        load_run("r.nc")
    part = library.read(left.path)
    assert isinstance(part, library.Trajectory)
    assert part.status == f"interrupted at t = {left.reached:.6g} s"
    assert part.time[-1] <= left.reached

    done = command("run", "tbar.yaml", "-o", "r.nc", "--duration", "0.1")
    offer = f"an unfinished draft of r.nc reaches {left.reached:.6g} s; `taut run --from {left.path}` goes on with it"
    assert (done.returncode, done.stderr) == (0, f"{offer}\n")
    assert left_over("r.nc") == [left], "a shorter run does not take its place"

    duration = str(part.time[-1] + 3.0)
    done = command("run", "--from", str(left.path), "--duration", duration)
    assert (done.returncode, done.stderr) == (0, ""), done.stderr
    assert "run file: r.nc" in done.stdout, "it becomes what it was to be"
    assert sorted(os.listdir()) == ["r.nc", "tbar.yaml"]
    assert command("run", "tbar.yaml", "--every", "1", "-o", "whole.nc", "--duration", duration).returncode == 0
    assert_same_run(load_run("r.nc"), load_run("whole.nc"))


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
    assert len(list(Path().glob(".r.nc.*.draft"))) == 1
    with new_draft(Path("r.nc").resolve()) as in_use:
        assert killed("", *short) == 0
        assert load_run("r.nc").ok
        assert list(Path().resolve().glob(".r.nc.*")) == [in_use], "what is in use is left alone"


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
