"""All papers at once: processes, progress, one report; on papers that take no time."""

from __future__ import annotations

import json
import os
import signal
import sys
from pathlib import Path

import pytest

from taut import OptionError
from taut.papers.all_papers import reproduce_all

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="kills processes")

HERE = str(Path(__file__).parent)
TINY = {"firm": "tiny_firm_paper", "frail": "tiny_frail_paper"}


@pytest.fixture(autouse=True)
def _tiny_papers_are_found(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(HERE)  # processes that are spawned get this path too


@pytest.mark.slow
def test_papers_side_by_side_end_in_one_report(tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    told: list[tuple[int, str]] = []
    reports = reproduce_all(TINY, out=tmp_path / "all", jobs=2, progress=lambda done, what: told.append((done, what)))
    assert [paper["paper"] for paper in reports.papers] == ["firm", "frail"], "in the order given"
    assert not reports.ok
    assert reports.summary == (
        "2 papers, 4 claims: 2 reproduced, 1 not reproduced, 1 cannot be checked here; 1 could not be computed"
    )
    assert {what for _, what in told} >= {"firm: close", "firm: done", "frail: breaks", "frail: done"}
    assert told[-1][0] == 5, "all claims are done"
    assert json.loads((tmp_path / "all" / "report.json").read_text()) == reports.facts()
    assert {path.name for path in (tmp_path / "all" / "firm").iterdir()} == {"fig01.png", "report.json", "report.md"}
    page = (tmp_path / "all" / "report.html").read_text()
    assert "A firm &lt;paper&gt;" in page
    assert '<td class="n">1.04</td><td>m</td><td class="verdict yes">reproduced</td>' in page
    assert "<td>within 5 %</td>" in page
    assert 'It is &lt;close&gt; &amp; no more. <span class="beside">Beside it: samples: 3.</span></td>' in page
    assert '<td class="verdict lost">not computed</td><td class="reason">the arm broke</td>' in page
    assert '<ul class="errata"><li>Fig. 9 has &lt; for <code>&gt;</code>.</li></ul>' in page
    assert page.count('src="data:image/png;base64,') == 1
    assert "http" not in page, "no network"


def test_a_paper_that_kills_its_process_leaves_the_others_and_what_it_found(tmp_path: Path) -> None:
    reports = reproduce_all({"deadly": "tiny_deadly_paper", "frail": "tiny_frail_paper"}, out=tmp_path, jobs=1)
    deadly, frail = reports.papers
    assert deadly["failures"] == {
        "dies": "failed: its process died, 2 times (killed, out of memory, or a crash of a library)"
    }
    assert [(claim["id"], claim["verdict"]) for claim in deadly["claims"]] == [("lives", "reproduced")]
    assert [claim["id"] for claim in frail["claims"]] == ["holds"]


def test_a_slip_in_a_paper_leaves_the_others(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "tiny_slipping_paper.py").write_text(
        "from taut.papers.claims import Claim, Measured, at_most\n"
        "from taut.papers.paper import Paper, Picture\n"
        "def slip(bench): return Measured(1.0 / 0.0)\n"
        "def tall(bench): return Measured(float('inf'))\n"
        "PAPER = Paper('slipping', 'S', 'S', '', (\n"
        "    Claim('slips', 'Fig. 1', 'It holds.', 1.0, 'm', at_most(), slip),\n"
        "    Claim('tall', 'Fig. 2', 'It is low.', 1.0, 'm', at_most(), tall)),\n"
        "    (Picture('fig01', 'A line.', ('tall',), lambda bench, figure: figure.nothing),))\n"
    )
    monkeypatch.syspath_prepend(str(tmp_path))
    papers = {"slipping": "tiny_slipping_paper", "frail": "tiny_frail_paper"}
    slipping, frail = reproduce_all(papers, out=tmp_path / "out", jobs=1).papers
    assert slipping["failures"]["slips"].startswith("ZeroDivisionError: float division by zero (in slip, tiny_slip")
    assert [(claim["id"], claim["ours"]) for claim in slipping["claims"]] == [("tall", "inf")], (
        "kept, though pages fail"
    )
    assert "AttributeError" in slipping["failures"]["pictures"]
    assert [claim["id"] for claim in frail["claims"]] == ["holds"]
    assert "Infinity" not in (tmp_path / "out" / "report.json").read_text(), "which JSON does not have"


@pytest.mark.slow
def test_ctrl_c_ends_after_the_claim_in_hand_and_reports(tmp_path: Path) -> None:
    def interrupt(done: int, what: str) -> None:
        if what == "frail: breaks":  # once: a second Ctrl-C would not wait
            os.kill(os.getpid(), signal.SIGINT)

    reports = reproduce_all(TINY, out=tmp_path, jobs=1, progress=interrupt)
    firm = reports.papers[0]
    assert firm["failures"] == dict.fromkeys(("close", "small", "alike"), "interrupted"), "it was not begun"
    assert (tmp_path / "report.html").exists()


def test_no_processes_compute_nothing(tmp_path: Path) -> None:
    with pytest.raises(OptionError, match="jobs = 0 must be one or more"):
        reproduce_all(TINY, out=tmp_path, jobs=0)
