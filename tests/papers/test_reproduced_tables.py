"""docs/reproductions.md is made from the report of `taut reproduce`."""

from __future__ import annotations

import json
import runpy
from pathlib import Path
from typing import Any

import pytest

from taut.papers.all_papers import reproduce_all

SCRIPT = Path(__file__).parents[2] / "docs" / "reproduced_tables.py"


@pytest.fixture
def script(tmp_path: Path) -> dict[str, Any]:
    found = runpy.run_path(str(SCRIPT))
    found["main"].__globals__.update(found, PAGE=tmp_path / "reproductions.md")  # the script's own may be cleared
    return found


def test_tables_come_from_the_report(script: dict[str, Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(Path(__file__).parent))
    reproduce_all({"firm": "tiny_firm_paper"}, out=tmp_path / "all", jobs=1)
    page = tmp_path / "reproductions.md"
    page.write_text("Ours.\n<!-- all -->\n<!-- end -->\n<!-- firm -->\nold\n<!-- end -->\nStays.\n")
    report = tmp_path / "all" / "report.json"
    script["main"](str(report))
    text = page.read_text()
    assert "| close | Fig. 1 | 1 | within 5 % | 1.04 | m | reproduced |" in text
    assert "1 reproduced, 1 not reproduced, 1 cannot be checked here." in text
    assert "| firm | 3 | 1 | 1 | 1 | " in text
    assert "- Fig. 9 has < for `>`." in text
    assert text.startswith("Ours.\n<!-- all -->\n`taut reproduce` took ")
    assert text.endswith("Stays.\n")
    assert "old" not in text
    told = json.loads(report.read_text())
    told["papers"][0]["failures"] = {"close": "interrupted"}
    report.write_text(json.dumps(told))
    with pytest.raises(SystemExit, match="firm: 1 claims were not computed; the page is as it was"):
        script["main"](str(report))
    page.write_text("nothing")
    told["papers"][0]["failures"] = {}
    report.write_text(json.dumps(told))
    with pytest.raises(SystemExit, match="reproductions.md has no <!-- firm -->"):
        script["main"](str(report))
