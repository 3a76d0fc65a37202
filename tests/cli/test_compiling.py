"""That a first run compiles is said, on stderr, when it happens; and its time is not that of the run."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest
from numba import njit

import taut as library
from taut.cli import main
from taut.cli.application import COMPILING
from taut.dynamics import setup
from taut.numerics.compile_events import tell_once, working_time


def compiled_afresh() -> float:
    """Compile something and call it twice; returns the seconds of the first call."""
    add = njit(lambda a, b: a + b)
    begun = time.perf_counter()
    assert add(1.0, 2.0) == 3.0
    spent = time.perf_counter() - begun
    assert add(1.0, 2.0) == 3.0
    return spent


def test_the_first_compilation_is_told_once_and_the_clock_stands_still() -> None:
    library.assemble(library.generators.tbar())  # numba is there, and listened to
    told: list[str] = []
    tell_once(lambda: told.append("now"))
    assert told == []
    begun = working_time()
    spent = compiled_afresh()
    assert working_time() - begun < 0.5 * spent
    compiled_afresh()
    assert told == ["now"]


def test_a_command_says_that_it_compiles(
    tbar: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tbar.parent)
    told = ["run", "tbar.yaml", "--duration", "0.1", "--json"]

    def run() -> tuple[str, str]:
        with pytest.raises(SystemExit):
            main(told)
        return capsys.readouterr()

    run()
    out, err = run()
    assert err == "", "what is compiled is not compiled again"
    usual = json.loads(out)["wall_time"]
    check = setup.check_options

    def slowly(*given: object) -> None:
        check(*given)
        compiled_afresh()

    monkeypatch.setattr("taut.dynamics.simulating.check_options", slowly)
    begun = time.perf_counter()
    out, err = run()
    assert err == f"{COMPILING}\n"
    assert np.isclose(json.loads(out)["wall_time"], usual, atol=0.5 * (time.perf_counter() - begun))


@pytest.mark.slow
def test_the_first_run_of_an_installation_says_so_and_the_second_does_not(tbar: Path, tmp_path: Path) -> None:
    fresh = {**os.environ, "NUMBA_CACHE_DIR": str(tmp_path / "cache")}
    command = [sys.executable, "-m", "taut", "run", str(tbar), "--duration", "1", "--json"]
    times, said = [], []
    for _ in range(2):
        begun = time.perf_counter()
        done = subprocess.run(command, env=fresh, cwd=tmp_path, capture_output=True, text=True, check=True)
        times.append((time.perf_counter() - begun, json.loads(done.stdout)["wall_time"]))
        said.append(done.stderr)
    assert said == [f"{COMPILING}\n", ""]
    (first, run), (second, _) = times
    assert run < 0.3 * (first - second), "the time of a run does not count compilation"


@pytest.mark.slow
def test_a_damaged_cache_costs_a_line_and_no_run_file_is_blamed(tbar: Path, tmp_path: Path) -> None:
    fresh = {**os.environ, "NUMBA_CACHE_DIR": str(tmp_path / "cache")}
    command = [sys.executable, "-m", "taut", "run", str(tbar), "--duration", "1", "-o", "r.nc"]

    def run() -> list[str]:
        done = subprocess.run(command, env=fresh, cwd=tmp_path, capture_output=True, text=True, check=True)
        return done.stderr.splitlines()

    assert run() == [COMPILING]
    for size in (0, 100, 3000):
        for path in (tmp_path / "cache").rglob("*.nbc"):
            os.truncate(path, min(size, path.stat().st_size // 2))
        first, second = run()
        assert "what is damaged in the cache is compiled again" in first
        assert "r.nc" not in first
        assert second == COMPILING
        assert run() == []
