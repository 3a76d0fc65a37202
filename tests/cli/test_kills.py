"""Every command that writes, ended by TERM, HUP and KILL: its files are the old ones or whole, and it can run again."""

from __future__ import annotations

import json
import os
import re
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pytest

import taut as library

EXAMPLES = Path(__file__).parents[2] / "examples"
STIFFNESS = "properties.cable:*.stiffness"
SHORT = ("--set", "scenario.duration=0.5", "--jobs", "1")

COMMANDS: dict[str, tuple[list[str], list[str]]] = {
    "demo": (["demo", "-o", "d.nc"], ["d.nc", "d.html"]),
    "examples": (["examples", "icosahedron"], ["icosahedron.yaml"]),
    "formfind": (["formfind", "prism.yaml", "--method", "relaxation", "-o", "f.yaml"], ["f.yaml"]),
    "prestress": (["prestress", "prism.yaml", "-o", "p.yaml"], ["p.yaml"]),
    "linear": (["linear", "tbar.yaml", "-o", "l.npz"], ["l.npz"]),
    "run": (["run", "tbar.yaml", "-o", "r.nc", "--duration", "1", "--page", "r.html"], ["r.nc", "r.html"]),
    "sweep": (
        ["sweep", "tbar.yaml", f"{STIFFNESS}=50:150:3", *SHORT, "-o", "s.nc", "--keep-runs", "runs"],
        ["s.nc", "runs/point-0.nc", "runs/point-1.nc", "runs/point-2.nc"],
    ),
    "page": (["page", "made.nc", "-o", "p.html"], ["p.html"]),
    "plot": (["plot", "made.nc", "-o", "p.png"], ["p.png"]),
    "film": (["film", "made.nc", "f.gif", "--size", "128x128", "--rate", "5"], ["f.gif"]),
    "reproduce": (
        ["reproduce", "stedy", "--claim", "fig3-length", "--out", "report"],
        ["report/report.md", "report/report.json"],
    ),
}

SOME_SLOW = [pytest.param(name, marks=[pytest.mark.slow] if name in ("film", "reproduce") else []) for name in COMMANDS]
"""A film starts a browser; a paper's claim compiles for itself."""


class Ended(NamedTuple):
    code: int
    seconds: float
    err: str


Stage = Callable[..., Ended]


@pytest.fixture(scope="module")
def stage() -> Iterator[Stage]:
    program = [sys.executable, str(Path(__file__).with_name("forked_commands.py"))]
    with subprocess.Popen(program, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdin is not None
        assert process.stdout is not None

        def call(folder: Path, arguments: list[str], end: int = 0, after: float | None = None, **more: int) -> Ended:
            job = {"folder": str(folder), "arguments": arguments, "signal": end, "after": after}
            job |= {"learn": False, "room": 0, **more}
            print(json.dumps(job), file=process.stdin, flush=True)
            told = json.loads(process.stdout.readline())  # type: ignore[union-attr]
            return Ended(told["code"], told["seconds"], (folder.parent / "err").read_text())

        yield call
        process.stdin.close()


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a run and models."""
    folder = tmp_path_factory.mktemp("made")
    for name in ("tbar", "prism"):
        shutil.copy(EXAMPLES / f"{name}.yaml", folder)
    model = library.read_model(folder / "tbar.yaml")
    run = library.simulate(library.assemble(model.structure), 1.0, every=0.05, model_text=model.text)
    library.save(run, folder / "made.nc")
    return folder


def is_whole(path: Path) -> bool:
    content = path.read_bytes()
    if path.suffix in (".nc", ".yaml"):
        library.read(path)
    elif path.suffix == ".npz":
        with np.load(path) as found:
            assert found["A"].size
    elif path.suffix == ".json":
        json.loads(content)
    ends = {".html": b"</html>\n", ".png": b"IEND\xaeB`\x82", ".gif": b";", ".md": b"\n"}
    return content.endswith(ends.get(path.suffix, b""))


def drafts(folder: Path) -> list[str]:
    return [str(path.relative_to(folder)) for path in folder.rglob(".*") if path.suffix in (".part", ".draft")]


def assert_survives(
    command: str, how: list[tuple[int, float | None]], stage: Stage, made: Path, tmp_path: Path
) -> None:
    """how: signals, and after which part of the time the command takes; None as it brings a file onto the disk."""
    arguments, results = COMMANDS[command]
    folder = tmp_path / "here"

    def begin_anew() -> None:
        shutil.rmtree(folder, ignore_errors=True)
        shutil.copytree(made, folder)

    for learn in (True, False) if any(part for _, part in how) else (True,):
        begin_anew()
        alone = stage(folder, arguments, learn=learn)
        assert alone.code == 0, alone.err
        assert all(is_whole(folder / name) for name in results)
        assert drafts(folder) == []
    replaces = command not in ("examples", "sweep")  # these never replace what they do not know
    for end, part in how:
        begin_anew()
        if replaces:
            for name in results:
                (folder / name).parent.mkdir(exist_ok=True)
                (folder / name).write_text("the old one")
        ended = stage(folder, arguments, end, None if part is None else part * alone.seconds)
        about = f"{command} ended by {end} at {part}: {ended}"
        assert ended.code in ((0, -end) if end == signal.SIGKILL else (0, 1)), about
        assert part is not None or end != signal.SIGKILL or ended.code == -end, about
        assert "Traceback" not in ended.err, about
        if end != signal.SIGKILL:
            assert drafts(folder) == [], about
            assert ended.code == 0 or part is not None or "interrupted" in ended.err, about
        for name in results:
            path = folder / name
            assert (path.exists() and path.read_bytes() == b"the old one") or not path.exists() or is_whole(path), about
        if end != signal.SIGKILL or (command == "examples" and (folder / "icosahedron.yaml").exists()):
            continue
        again = stage(folder, arguments)
        assert again.code == 0, f"{about}; then {again}"
        assert all(is_whole(folder / name) for name in results), about
        assert drafts(folder) == [], about


@pytest.mark.parametrize("command", SOME_SLOW)
def test_a_command_that_is_ended_leaves_old_files_or_whole_ones(
    command: str, stage: Stage, made: Path, tmp_path: Path
) -> None:
    how = [(signal.SIGKILL, None), (signal.SIGTERM, None), (signal.SIGHUP, None)]
    assert_survives(command, how, stage, made, tmp_path)


@pytest.mark.parametrize("command", SOME_SLOW)
def test_a_full_disk_is_told_with_the_name_of_the_file(command: str, stage: Stage, made: Path, tmp_path: Path) -> None:
    """Here no file may have more than 700 bytes, which fails as a full disk does, and needs no disk."""
    arguments, results = COMMANDS[command]
    folder = tmp_path / "here"
    shutil.copytree(made, folder)
    ended = stage(folder, arguments, room=700)
    assert ended.code == 1, ended
    assert "Traceback" not in ended.err
    name = {"reproduce": r"report/\S+\.nc", "sweep": r"s\.nc\.journal"}.get(command, re.escape(results[0]))
    why = r"ffmpeg failed \(.*\)" if command == "film" else "File too large"
    assert re.search(f"^{name}: cannot be written: {why}", ended.err, re.MULTILINE), ended  # after a note on browsers
    assert drafts(folder) == []
    assert not any((folder / name).exists() for name in results)


@pytest.mark.slow
@pytest.mark.parametrize("command", COMMANDS)
def test_a_command_that_is_ended_at_any_moment(command: str, stage: Stage, made: Path, tmp_path: Path) -> None:
    moments = np.linspace(0.05, 1.0, 8).tolist()
    how: list[tuple[int, float | None]] = [
        (end, moment) for moment in moments for end in (signal.SIGTERM, signal.SIGHUP, signal.SIGKILL)
    ]
    assert_survives(command, how, stage, made, tmp_path)


@pytest.mark.slow
def test_compiling_that_is_killed_leaves_a_cache_that_serves(tmp_path: Path) -> None:
    environment = {**os.environ, "NUMBA_CACHE_DIR": str(tmp_path / "cache"), "OPENBLAS_NUM_THREADS": "1"}
    program: list[Any] = [sys.executable, "-m", "taut", "warmup"]
    for end in (signal.SIGKILL, signal.SIGTERM, signal.SIGHUP):
        with subprocess.Popen(program, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
            before = len(list((tmp_path / "cache").rglob("*.nbc")))
            while process.poll() is None and len(list((tmp_path / "cache").rglob("*.nbc"))) < before + 10:
                pass
            process.send_signal(end)
            process.communicate(timeout=120)
        assert process.returncode in (-end, 1)
    done = subprocess.run(program, env=environment, capture_output=True, text=True, check=True)
    assert "cannot be" not in done.stderr
    again = subprocess.run(program, env=environment, capture_output=True, text=True, check=True)
    assert again.stderr == "", "all is there"
