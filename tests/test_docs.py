"""The Python blocks of docs/statics.md and docs/sweeps.md run, one after another, as the pages say."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PAGE = ROOT / "docs" / "statics.md"


def test_the_statics_page_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("matplotlib")
    monkeypatch.chdir(tmp_path)
    names: dict = {}
    blocks = re.findall(r"```python\n(.*?)```", PAGE.read_text(encoding="utf-8"), flags=re.DOTALL)
    assert len(blocks) == 9
    for block in blocks:
        exec(compile(block, PAGE.name, "exec"), names)
    assert names["ball"].force_density[-1] / names["ball"].force_density[0] == pytest.approx(-1.5)
    for name in ("ball", "balance", "loaded", "table", "path", "sized", "lightest"):
        assert names[name].ok, name
    assert names["verdict"].verdict == "super-stable"


def test_the_sweeps_page_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("matplotlib").use("Agg")
    pytest.importorskip("xarray")
    import taut

    monkeypatch.chdir(tmp_path)
    model = (ROOT / "examples" / "tbar.yaml").read_text()
    (tmp_path / "tbar.yaml").write_text(model.replace("duration: 10 ", "duration: 1 "))
    page = ROOT / "docs" / "sweeps.md"
    axes = {"properties.cable:*.stiffness": "50:200:4", "properties.cable:vertical.rest_ratio": "0.6:0.95:2"}
    taut.sweep("tbar.yaml", axes, output="map.nc")
    names: dict = {}
    blocks = re.findall(r"```python\n(.*?)```", page.read_text(encoding="utf-8"), flags=re.DOTALL)
    assert len(blocks) == 2
    for block in blocks:
        exec(compile(block, page.name, "exec"), names)
    names["grid"].close()
    assert names["study"].max_tension.shape == (3, 2, 4)
    assert names["study"].ok.all()
    assert taut.load("study.nc").ok.all()
