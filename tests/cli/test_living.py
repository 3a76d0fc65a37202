"""`taut live`: pages with the simulator in them, and replays of their logs."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

from taut.output.page.lively import live_model
from taut.structure.files import read_model

EXAMPLES = Path(__file__).parents[2] / "examples"


def test_live(taut: Callable) -> None:
    code, out, err = taut("live", EXAMPLES / "rolling.yaml")
    assert (code, err) == (0, "")
    assert out.startswith("page: rolling.html (0.")
    assert "'wasm-unsafe-eval'" in Path("rolling.html").read_text()
    told = live_model(read_model(EXAMPLES / "rolling.yaml"))
    log = {"taut_live": 1, "plant": told.plant.fingerprint, "stamp": "", "method": "impulses", "step": 5e-4}
    Path("a.live.json").write_text(json.dumps({**log, "until": 0.05, "actions": [[0.02, "cut", "cable", "c1"]]}))
    code, out, err = taut("live", EXAMPLES / "rolling.yaml", "--replay", "a.live.json", "--every", "0.01")
    assert (code, err) == (0, "")
    assert out == "run: a.nc, 5 samples to t = 0.05 s; finished: live to t = 0.05 s\n"
    code, out, err = taut("live", EXAMPLES / "six_strut.yaml", "--replay", "a.live.json")
    assert (code, out) == (2, "")
    assert "the log is of another model" in err


def test_what_cannot_go_live_is_told(taut: Callable) -> None:
    code, out, err = taut("live", EXAMPLES / "tower_earthquake.yaml")
    assert (code, out) == (2, "")
    assert err == "error: this plant cannot go live: it has supports that move: let them stand still\n"
    assert not Path("tower_earthquake.html").exists()
