"""The Python blocks of docs/statics.md run, one after another, as the page says."""

import re
from pathlib import Path

import pytest

PAGE = Path(__file__).parents[1] / "docs" / "statics.md"


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
