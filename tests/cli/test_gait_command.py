"""`taut gait summary`: a rolling robot in a few lines, as JSON, and what is refused."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

EXAMPLE = Path(__file__).parents[2] / "examples" / "rolling.yaml"


@pytest.mark.slow
def test_a_run_is_summed_up(taut: Callable) -> None:
    told = taut("run", EXAMPLE, "--duration", "2", "--step", "1e-3", "--no-verify", "-o", "rolling.nc")
    assert told.code == 0, told
    code, out, _ = taut("gait", "summary", "rolling.nc", "--faces")
    assert code == 0
    assert "\nface changes       2, on 3 faces, " in out
    assert "x2b y2b z2b" in out
    numbers = json.loads(taut("gait", "summary", "rolling.nc", "--json").out)
    assert numbers["face_changes"] == 2.0
    assert numbers["stands"][0]["face"] == ["x2b", "y2b", "z2b"]
    longer = json.loads(taut("gait", "summary", "rolling.nc", "--hold", "0.7", "--json").out)
    assert longer["face_changes"] == 0.0


def test_what_is_no_run_is_refused(taut: Callable) -> None:
    code, out, _ = taut("gait")
    assert code == 0
    assert "summary" in out
    code, _, wrong = taut("gait", "summary", EXAMPLE)
    assert code == 2
    assert "rolling.yaml: is no run; taut run MODEL -o FILE.nc makes one" in wrong
