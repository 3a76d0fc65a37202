"""Collisions on the command line: told, stopped at, continued, and hinted at before."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from taut.output.store import load_run
from taut.structure.files import parse_model

FALLING = """\
taut: 1
nodes: {a: [-1, 0, 0], b: [1, 0, 0], c: [0.1, -0.5, 1], d: [0.1, 0.4, 1]}
bars:
  f: {nodes: [c, d], mass: 1}
cables:
  w: {route: [a, b], stiffness: 100, rest_length: 1}
supports: {a: xyz, b: xyz}
scenario: {gravity: 9.81, duration: 0.6, every: 0.05}
"""
HIT = 'cable "w" went through bar "f" at t = 0.451524 s'


@pytest.fixture
def falling(tmp_path: Path) -> Path:
    path = tmp_path / "falling.yaml"
    path.write_text(FALLING)
    return path


@pytest.mark.slow
def test_a_run_tells_stops_and_goes_on(taut: Callable, falling: Path) -> None:
    told = taut("run", falling, "--no-verify")
    assert told.code == 0
    assert HIT in told.out
    stopped = taut("run", falling, "--collisions", "stop", "-o", "stopped.nc", "--no-verify")
    assert stopped.code == 0
    assert f"finished at t = 0.5 s: {HIT}" in stopped.out
    assert parse_model(load_run("stopped.nc").model_text).scenario.on_collision == "stop"
    further = taut("run", "--from", "stopped.nc", "--duration", 0.6, "-o", "on.nc", "--no-verify")
    assert further.code == 0
    run, whole = load_run("on.nc"), load_run("falling.nc")
    assert run.status == "finished"
    assert run.events == whole.events == run.collisions
    assert run.nodes.tolist() == whole.nodes.tolist()
    assert HIT not in taut("run", falling, "--collisions", "ignore", "--no-verify").out
    near = taut("run", falling, "--clearance", 0.02, "--no-verify")
    assert 'cable "w" touched bar "f" at t = 0.446986 s' in near.out


def test_what_makes_no_sense_is_told(taut: Callable, falling: Path) -> None:
    wrong = taut("run", falling, "--collisions", "halt")
    assert wrong.code == 2
    assert '"halt" is not one of warn, stop, ignore' in wrong.err


def test_check_hints_at_members_that_cross(taut: Callable, falling: Path) -> None:
    assert "crosses" not in taut("check", falling).out
    crossed = FALLING.replace("d: [0.1, 0.4, 1]", "d: [0.1, 0.5, -1], g: [0, 3, 5]")
    crossed = crossed.replace("supports: {", "  v: {route: [b, g], stiffness: 1}\nsupports: {g: xyz, ")
    falling.write_text(crossed)
    told = taut("check", falling)
    assert told.code == 0
    assert f'hint: {falling}:4: bars.f: crosses cable "w" as they are placed' in told.out
