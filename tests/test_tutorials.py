"""The tutorials of docs/tutorials run as they are written, come to what they say, and draw their own pictures."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from page_blocks import ROOT, blocks_of, run_blocks

from taut.structure.properties import total_mass

pytest.importorskip("matplotlib")

TUTORIALS = sorted((ROOT / "docs" / "tutorials").glob("*.md"))


@pytest.fixture(autouse=True)
def in_a_folder_of_its_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def run_tutorial(name: str, count: int) -> dict[str, Any]:
    """Run it, and see that it drew every picture that it shows."""
    page = f"docs/tutorials/{name}.md"
    names = run_blocks(page, count)
    shown = re.findall(r"pictures/([\w-]+\.png)", (ROOT / page).read_text(encoding="utf-8"))
    assert shown
    for picture in shown:
        assert Path(picture).stat().st_size > 10_000
    return names


@pytest.mark.parametrize("page", TUTORIALS, ids=lambda page: page.stem)
def test_a_tutorial_saves_the_pictures_that_it_shows(page: Path) -> None:
    saved = re.findall(r'savefig\("([\w-]+\.png)"\)', "".join(blocks_of(str(page.relative_to(ROOT)))))
    assert saved == re.findall(r"pictures/([\w-]+\.png)", page.read_text(encoding="utf-8"))
    assert saved


def test_the_tower_goes_from_form_to_motion() -> None:
    names = run_tutorial("tower", 7)
    assert "no self-stress" in str(names["taut"].statics.counts(names["sketch"]).sentence)
    assert names["form"].ok
    assert names["taut"].stability(names["tight"]).verdict == "super-stable"
    assert 1e-3 < names["sunk"].max() < 3e-3
    sways = [np.ptp(run.node("top1")[200:, 0]) for run in names["runs"].values()]
    assert sways[0] > 5.0 * sways[1], "it answers most at its own frequency"
    assert all(run.ok and not run.events for run in names["runs"].values())


def test_the_bridge_is_tight_enough_at_300_kn() -> None:
    names = run_tutorial("bridge", 7)
    slack = {
        level: {name: int((table.equilibria[name].cable_tension <= 0.0).sum()) for name in names["combinations"]}
        for level, table in names["tables"].items()
    }
    assert slack[150e3]["service"] == 15
    assert slack[300e3]["service"] == 0
    assert slack[300e3]["crowd x 1.5"] > 0
    assert not any(slack[450e3].values())
    middle = names["middle"]
    sag = [names["tables"][level].equilibria["service"].structure.positions[middle, 2] for level in slack]
    assert sag == pytest.approx([-0.067, -0.021, -0.021], abs=1e-3)
    assert names["freed"].lower_bound < names["freed"].mass < names["sized"].mass


def test_the_dome_bears_twice_the_snow_but_not_evenly() -> None:
    names = run_tutorial("dome", 5)
    moved = {
        name: found.structure.positions - names["dome"].positions for name, found in names["table"].equilibria.items()
    }
    farthest = {name: np.linalg.norm(move, axis=1).max() for name, move in moved.items()}
    assert farthest["one side"] > 4.0 * farthest["winter"]
    assert [event.kind for event in names["followed"].events] == ["bifurcation"]
    assert names["followed"].events[0].factor == pytest.approx(2.466, abs=0.001)
    borne = [sum(force[2] for force in names[load].values()) for load in ("roof", "snow")]
    weight = -9.81 * total_mass(names["dome"])
    assert names["followed"].reaction[-1, :, 2].sum() == pytest.approx(-(weight + borne[0] + 2.8 * borne[1]), rel=1e-9)
    assert names["modes"].frequency[0] == pytest.approx(0.4234, abs=1e-3)


@pytest.mark.slow
def test_the_rolling_robot_rolls() -> None:
    names = run_tutorial("rolling-robot", 5)
    assert names["told"].face_changes >= 5
    assert names["told"].distance > 1.8
    assert names["copies"].ok.all()
    assert len(names["came"].distance) == 8


def test_the_prismatic_robot_goes_around_a_circle() -> None:
    names = run_tutorial("prismatic-robot", 4)
    assert names["aside"].ok
    assert names["way"].ok
    assert np.abs(names["way"].values[-1] - names["way"].values[0]).max() < 1e-8, "the circle closes"


@pytest.mark.slow
def test_the_tower_is_held_up_by_its_winches() -> None:
    names = run_tutorial("controlled-tower", 6)
    assert names["standing"].ok
    assert sum(names["model"].poles.real > 0.0) == 2
    assert names["falling"].node("top1")[-1, 2] < 0.5
    assert names["held"].ok
    assert abs(names["held"].nodes[-1] - names["soft"].positions).max() < 1e-3
    assert len(names["right"].lines) == 6
