"""The Python blocks of the pages in docs/ run, one after another, as the pages say."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]


def run_blocks(page: str, count: int) -> dict:
    names: dict = {}
    blocks = re.findall(r"```python\n(.*?)```", (ROOT / page).read_text(encoding="utf-8"), flags=re.DOTALL)
    assert len(blocks) == count
    for block in blocks:
        exec(compile(block, page, "exec"), names)
    return names


def test_the_readme_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    names = run_blocks("README.md", 2)
    assert names["run"].ok
    assert (tmp_path / "tower.nc").exists()
    assert (tmp_path / "tower.html").exists()
    assert names["flights"].nodes.shape == (64, 201, 12, 3)
    assert names["flights"].ok.all()


def test_the_page_of_linear_models_runs() -> None:
    names = run_blocks("docs/linear-models.md", 3)
    assert names["model"].stable
    assert names["gain"].shape == (50, 1, 1)
    assert not names["upright"].stable
    assert abs(names["run"].nodes[-1, 1, 0]) < 1e-3


def test_the_statics_page_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("matplotlib")
    monkeypatch.chdir(tmp_path)
    names = run_blocks("docs/statics.md", 11)
    assert names["ball"].force_density[-1] / names["ball"].force_density[0] == pytest.approx(-1.5)
    for name in ("ball", "balance", "loaded", "table", "path", "sized", "lightest", "hung", "wound"):
        assert names[name].ok, name
    assert names["verdict"].verdict == "super-stable"
    assert [event.kind for event in names["aside"].events][:1] == ["bifurcation"]
    assert abs(names["aside"].nodes[-1, 2, 0]) > 0.1, "it went aside"


def test_the_sweeps_page_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("matplotlib").use("Agg")
    pytest.importorskip("xarray")
    import taut

    monkeypatch.chdir(tmp_path)
    model = (ROOT / "examples" / "tbar.yaml").read_text()
    (tmp_path / "tbar.yaml").write_text(model.replace("duration: 10 ", "duration: 1 "))
    axes = {"properties.cable:*.stiffness": "50:200:4", "properties.cable:vertical.rest_ratio": "0.6:0.95:2"}
    taut.sweep("tbar.yaml", axes, output="map.nc")
    names = run_blocks("docs/sweeps.md", 2)
    names["grid"].close()
    assert names["study"].max_tension.shape == (3, 2, 4)
    assert names["study"].ok.all()
    assert taut.read("study.nc").ok.all()
