"""What the command says of runs that are not to be believed."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from taut.output.store import load_run

MAST = """
taut: 1
nodes:  {foot: [0, 0, 0], left: [-1, 0, 0], right: [1, 0, 0], top: [0.05, 0, 1]}
bars:   {mast: {nodes: [foot, top], mass: 2.0}}
cables: {west: [left, top], east: [right, top]}
properties:
  "cable:*": {stiffness: 5000, rest_length: 1.35}
supports: {foot: xyz, left: xyz, right: xyz, top: y}
scenario: {gravity: 9.81, duration: 1, every: 0.01}
"""


@pytest.fixture
def mast(tmp_path: Path) -> Path:
    path = tmp_path / "mast.yaml"
    path.write_text(MAST)
    return path


def test_an_unsound_run_ends_with_1_and_is_kept_as_such(taut: Callable, mast: Path) -> None:
    done = taut("run", mast, "--method", "rattle8", "--step", "0.03")
    assert done.code == 1
    assert "finished, but not to be believed: see the notes" in done.out
    assert "the step is longer than" in done.out
    run = load_run("mast.nc")
    assert run.finished
    assert not run.ok
    assert "by a run with step 0.0111 s" in run.accuracy


def test_a_sound_run_says_how_far_it_is_off(taut: Callable, mast: Path) -> None:
    done = taut("run", mast, "--json")
    assert done.code == 0
    told = json.loads(done.out)
    assert told["ok"] is True
    assert "% of the motion), by a run with tolerance 1e-05" in told["accuracy"]


def test_without_a_comparison_nothing_is_said(taut: Callable, mast: Path) -> None:
    done = taut("run", mast, "--method", "rattle8", "--step", "0.03", "--no-verify")
    assert done.code == 0
    assert "accuracy" not in done.out
