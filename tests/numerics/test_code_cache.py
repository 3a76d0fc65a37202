"""The cache of compiled code: damaged, out of reach, full or shared, it costs time and a line, never a run."""

from __future__ import annotations

import os
import resource
import subprocess
import sys
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from typing import NamedTuple

import pytest

TWICE = """
import os, pathlib, sys, time
import numpy as np
from taut.numerics.compiled import entry, inlined

@inlined
def add(a, b):
    return a + b

@entry
def twice(x):
    return add(x, x)

KINDS = {"whole": 3, "real": 1.5, "line": 1.5 + 2.0j, "plane": np.float32(2.5)}

def meet(*paths, replace=os.replace):
    # Move a file when the other process is about to, too.
    os.replace = replace
    place = pathlib.Path(os.environ["MEET"])
    (place / str(os.getpid())).touch()
    while len(list(place.iterdir())) < 2:
        time.sleep(0.01)
    replace(*paths)

if "MEET" in os.environ:
    os.replace = meet

if __name__ == "__main__":
    for kind in sys.argv[1:]:
        assert np.all(twice(KINDS[kind]) == 2 * KINDS[kind]), kind
    print("loaded" if sum(twice.stats.cache_hits.values()) else "compiled")
"""

Run = Callable[..., subprocess.CompletedProcess[str]]


def called(folder: Path, *kinds: str, **changed: object) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "NUMBA_CACHE_DIR": str(folder / "cache"), **changed.pop("env", {})}  # type: ignore[dict-item]
    command = [sys.executable, str(folder / "twice.py"), *kinds]
    return subprocess.run(command, env=environment, capture_output=True, text=True, check=False, **changed)  # type: ignore[call-overload, no-any-return]


class Kept(NamedTuple):
    folder: Path
    content: dict[Path, bytes]


@pytest.fixture(scope="module")
def kept(tmp_path_factory: pytest.TempPathFactory) -> Kept:
    """The kernel with a cache that has its code for a real number; whoever damages it begins with what was there."""
    folder = tmp_path_factory.mktemp("kept")
    (folder / "twice.py").write_text(TWICE)
    for ended in ("compiled\n", "loaded\n"):
        done = called(folder, "real")
        assert (done.returncode, done.stdout, done.stderr) == (0, ended, "")
    content = {path: path.read_bytes() for path in files(folder)}
    assert content
    return Kept(folder, content)


@pytest.fixture
def run(tmp_path: Path) -> Run:
    """Calls a small kernel with values of some kinds in a new process; stdout says whether it was compiled."""
    (tmp_path / "twice.py").write_text(TWICE)
    return partial(called, tmp_path)


def files(folder: Path) -> list[Path]:
    return sorted((folder / "cache").rglob("*.nbc"))


def damaged(content: bytes, kind: str) -> bytes:
    middle = len(content) // 2
    return {
        "empty": b"",
        "cut": content[:middle],
        "begun": content[:10],
        "bit": content[:middle] + bytes([content[middle] ^ 1]) + content[middle + 1 :],
        "other": b"not machine code at all" * 100,
    }[kind]


SLOW = [pytest.param(kind, marks=pytest.mark.slow) for kind in ("empty", "begun", "other")]


@pytest.mark.parametrize("kind", ["cut", "bit", *SLOW])
def test_damaged_files_are_compiled_again_with_one_line(kind: str, kept: Kept) -> None:
    for path, content in kept.content.items():
        path.write_bytes(damaged(content, kind))
    again = called(kept.folder, "real")
    assert (again.returncode, again.stdout) == (0, "compiled\n")
    assert again.stderr.count("\n") == 1
    assert "cannot be used (its checksum does not fit); what is damaged in the cache is compiled again" in again.stderr
    assert files(kept.folder) == sorted(kept.content)
    last = called(kept.folder, "real")
    assert (last.stdout, last.stderr) == ("loaded\n", "")


def test_what_cannot_be_understood_though_it_is_as_it_was_written_is_compiled_again(kept: Kept) -> None:
    from taut.numerics.code_cache import SEAL, _checksum

    for path, sealed in kept.content.items():
        content = sealed[SEAL:].replace(b"numba", b"nvmba")
        path.write_bytes(_checksum(content) + content)
    again = called(kept.folder, "real")
    assert (again.returncode, again.stdout, again.stderr.count("\n")) == (0, "compiled\n", 1), again.stderr
    assert "cannot be used (No module named 'nvmba" in again.stderr


def test_without_any_place_for_it_code_is_compiled_every_time_with_one_line(run: Run, tmp_path: Path) -> None:
    """As in an installation that cannot be written, for a user without a home."""
    (tmp_path / "__pycache__").touch()
    nowhere = {"NUMBA_CACHE_DIR": "/dev/null", "HOME": "/dev/null", "XDG_CACHE_HOME": "/dev/null"}
    for _ in range(2):
        done = run("real", env=nowhere)
        assert (done.returncode, done.stdout) == (0, "compiled\n")
        told = [line for line in done.stderr.splitlines() if "compiled code cannot be kept" in line]
        assert done.stderr.splitlines() == told
        (line,) = told
        assert line.endswith("every run compiles it again; set NUMBA_CACHE_DIR to a folder that can be written")


def test_a_full_disk_under_the_cache_costs_one_line(run: Run, tmp_path: Path) -> None:
    def little_room() -> None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (1000, 1000))

    done = run("real", "line", preexec_fn=little_room)
    assert (done.returncode, done.stdout) == (0, "compiled\n")
    assert done.stderr.count("\n") == 1
    assert "compiled code cannot be kept (" in done.stderr
    assert "File too large" in done.stderr
    assert not [path for path in (tmp_path / "cache").rglob("*") if path.is_file()], "nothing half-written is left"


def test_processes_that_compile_at_once_do_not_take_each_others_code(run: Run, tmp_path: Path) -> None:
    """With numba's index each of two that began together called its code number 1, and the index knew one of them."""
    (tmp_path / "meeting").mkdir()
    meeting = {"env": {"MEET": str(tmp_path / "meeting")}}
    with ThreadPoolExecutor(2) as pool:
        for done in pool.map(lambda kind: run(kind, **meeting), ("real", "line")):
            assert (done.returncode, done.stdout, done.stderr) == (0, "compiled\n", "")
    for kind in ("real", "line"):
        done = run(kind)
        assert (done.returncode, done.stdout, done.stderr) == (0, "loaded\n", ""), kind
