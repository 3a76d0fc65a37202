"""The Python blocks of docs/howto and of the page of errors run as they are written."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from page_blocks import ROOT, blocks_of, run_blocks


@pytest.fixture(autouse=True)
def in_a_folder_of_its_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def test_every_how_to_with_python_is_tested_here() -> None:
    told = Path(__file__).read_text(encoding="utf-8")
    pages = [f"docs/howto/{page.name}" for page in sorted((ROOT / "docs" / "howto").glob("*.md"))]
    assert pages
    assert [page for page in pages if blocks_of(page) and f'run_blocks("{page}"' not in told] == []


def test_what_is_exported_can_be_read_again() -> None:
    import taut

    names = run_blocks("docs/howto/export.md", 3)
    assert taut.balance(taut.read("tower.yaml")).cable_tension == pytest.approx(names["tight"].cable_tension, abs=1e-6)
    lines = Path("tower.obj").read_text().splitlines()
    assert sum(line.startswith("v ") for line in lines) == len(names["tower"].nodes)
    assert sum(line.startswith("l ") for line in lines) == len(names["tower"].bars) + len(names["tower"].cables)


def test_a_planar_frame_is_held() -> None:
    names = run_blocks("docs/howto/planar.md", 1)
    assert names["hinged"].supports == {"a": "xyz", "b": "yz", "c": "y", "d": "y"}
    assert names["taut"].stability(names["tight"]).verdict == "super-stable"


@pytest.mark.slow
def test_a_winch_and_a_strut_are_driven() -> None:
    names = run_blocks("docs/howto/drives.md", 1)
    assert names["run"].ok
    assert names["drum"].angle[-1] == pytest.approx(2.0)
    assert any("speed" in note for note in names["run"].notes), "0.04 m in 0.6 s is faster than 0.1 m/s half way"


@pytest.mark.slow
def test_variants_go_to_a_pool() -> None:
    names = run_blocks("docs/howto/cluster.md", 1)
    assert names["far"].distance.shape == (32,)


def test_figures_are_drawn() -> None:
    pytest.importorskip("matplotlib")
    run_blocks("docs/howto/figures.md", 1)
    assert Path("tower.pdf").stat().st_size > 10_000


def test_run_files_open_in_xarray() -> None:
    pytest.importorskip("xarray")
    pytest.importorskip("pandas")
    names = run_blocks("docs/howto/run-files-elsewhere.md", 2)
    assert names["run"].sizes["time"] == 101


@pytest.mark.slow
def test_a_robot_of_ones_own_rolls() -> None:
    names = run_blocks("docs/howto/own-robot.md", 5)
    assert names["came"].face_changes[names["best"]] >= 6
    assert names["far"].mean() == pytest.approx(0.665, abs=0.02)
    assert not names["run"].collisions
    assert np.isfinite(names["far"]).all()
    above = names["climbed"].nodes @ np.array(names["normal"])
    assert above[0].min() == pytest.approx(0.0, abs=1e-12)
    assert above.min() > -1e-9
    way = [np.diff(names[run].nodes[[0, -1], :, 0].mean(axis=1))[0] for run in ("run", "climbed")]
    assert way == pytest.approx([0.564, 0.286], abs=0.01)


def test_errors_carry_what_they_say(capsys: pytest.CaptureFixture[str]) -> None:
    run_blocks("docs/errors.md", 1)
    assert "no self-stress state" in capsys.readouterr().out
